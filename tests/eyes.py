"""What a participant of Target the Two can see, told a second time, from ruling 5 alone."""

from __future__ import annotations

from games.cards import pretty
from games.ttt.rules import State

PACK = ("2H", "3H", "4H", "2C", "3C", "4C")


def open_cards(state: State, looked: set[str]) -> set[str]:
    """UP and Target always, the goal if it is shown, the keepers as ViewCard and ViewCkNk say.

    ``looked`` holds ``Ck`` or ``Nk`` for each keeper looked at since the last move.
    """
    cards = dict(zip(("C", "Ck", "UP", "T", "N", "Nk"), state.layout, strict=True))
    exchanged = any(move != "P" for move in state.sequence)
    both = state.options["ViewCard"] == "all" or (state.options["ViewCard"] == "mix" and exchanged)
    allowed = {"Ck", "Nk"} if both else {state.turn.capitalize()}
    shown = allowed if state.options["ViewCkNk"] else looked & allowed
    goal = {state.goal} if state.options["ViewTarget"] else set()
    return {cards["UP"], cards["T"], *(cards[keeper] for keeper in shown)} | goal


def assert_hidden(text: str, state: State, looked: set[str]) -> None:
    """No name of a card that lies face down is in the text."""
    for card in set(PACK) - open_cards(state, looked):
        for name in (card, card.lower(), pretty(card)):
            assert name not in text, (name, text)
