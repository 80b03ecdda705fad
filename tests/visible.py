"""What a participant can see: of Target the Two told again, from ruling 5 alone; of any page, all of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from games.cards import pretty
from games.ttt.rules import State

# What differs from one server and one minute to another: ports, clocks, oTree's own codes.
ANYWAY = re.compile(
    r'127\.0\.0\.1:\d+|"clock": \d+|seconds(?:"|&#x27;): [\d.]+'
    r"|\b\w{4}/P\d\b|/join/\w+"
)

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


def page_text(visitor) -> str:
    """Headers and text of the page that a visitor has opened."""
    anyway = ("date", "set-cookie", "content-length")
    headers = {key: value for key, value in visitor.page.headers.items() if key.lower() not in anyway}
    return json.dumps(headers, sort_keys=True) + visitor.page.text


def comparable(got: Iterable[str | dict], codes: Iterable[str]) -> list[str]:
    """Pages and messages as texts without what differs anyway; ``codes`` are those of the session."""
    texts = [thing if isinstance(thing, str) else json.dumps(thing) for thing in got]
    for code in codes:
        texts = [text.replace(code, "code") for text in texts]
    return [ANYWAY.sub("", text) for text in texts]
