"""The analysis board: a page in the browser on which hands are stepped through, branched and judged.

``starts`` reads hands, logs and deals; ``tree`` has the positions of a hand with all branches; ``values``
computes what the moves of a position are worth, in a process of its own; ``api`` answers the page's requests,
and ``server`` lets only this page ask. The page shows the very boards that participants play on.

A game that has a module ``board`` in its package of ``cardlab.analysis.games`` tells there

``move_values(state, seat) -> Iterator[MoveValue]``
    what each move of a seat that must act is worth, as soon as it is known. A later value of the same action
    replaces the earlier one;

and, each optional,

``open_view(state, seat)``
    a view like ``rules.view`` in which all cards lie open;
``facts(state)``
    the cards of a position in words, hidden ones included; without it, the fields of the state;
``deal_of(state)``
    the deal that begins with this position; None if no deal does;
``DEAL_SETTINGS``
    settings of which one may be needed to read a deal, as texts;
``read_log(text, name) -> list[Start] | None``
    the hands of a log of the game; None for another text. Raises BadFile.
"""
