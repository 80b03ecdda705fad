"""The analysis board: a page in the browser to step through hands, play variations and see move values.

``starts`` reads hands, logs and deals. ``tree`` has the positions of a hand with all branches. ``values``
computes the values of moves in a subprocess. ``api`` answers the page's requests, and ``server`` accepts
requests only from this page. The page uses the participants' boards.

A game may have a module ``board`` in its package of ``cardlab.analysis.games`` with

``move_values(state, seat) -> Iterator[MoveValue]``
    yields the value of each move of a seat that must act, as soon as it is computed. A later value of the
    same action replaces the earlier one;

and, each optional,

``best_line(state)``
    returns the ``BestLine`` of a position; None if none is proved within about a second;
``open_view(state, seat)``
    returns a view like ``rules.view`` in which all cards are face up;
``facts(state)``
    returns the cards of a position as text, hidden ones included; by default the fields of the state;
``deal_of(state)``
    returns the deal that begins with this position; None if there is none;
``DEAL_SETTINGS``
    alternative settings, as texts, to try when a deal is read;
``read_log(text, name) -> list[Start] | None``
    returns the hands of a log of the game; None for another text. Raises BadFile.
"""
