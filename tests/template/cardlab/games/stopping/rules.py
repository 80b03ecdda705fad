"""Stop in Time: the rules, as one fold from deal and actions to state.

The cards of a row are turned up one by one. The player either keeps the face-up card and earns its points, or
turns up the next one; the last one must be kept. A deal is the row, as in ``7S KS 2S 10S``. The option
``show_left`` (bool) shows the player how many cards are left.

Actions, both of the only seat ``solo``:

``keep``    keep the face-up card, which ends the hand
``next``    turn up the next card
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from cardlab.games.contract import IllegalAction, Result
from cardlab.games.contract import no_absent_action as absent_action  # noqa: F401 part of the contract
from cardlab.games.contract import no_engine_question as engine_question  # noqa: F401 part of the contract
from cardlab.games.contract import no_forced_action as forced_action  # noqa: F401 part of the contract
from cardlab.games.contract import no_robot_action as robot_action  # noqa: F401 part of the contract
from cardlab.games.contract import no_server_mark as mark_played_by_server  # noqa: F401 part of the contract
from cardlab.games.sentence import sentence as _

SEAT = "solo"
KEEP, NEXT = "keep", "next"
EXAMPLES = (KEEP, NEXT)  # an action of each kind
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
WORTH = {f"{rank}S": points for points, rank in enumerate(RANKS, 1)}
LENGTH = 8  # of a drawn row


@dataclass(frozen=True, slots=True)
class State:
    """A hand at one moment: the row, how many of its cards are turned up, and whether the last was kept."""

    row: tuple[str, ...]
    options: dict[str, Any]
    turned: int = 1
    kept: bool = False

    @property
    def card(self) -> str:
        """The face-up card."""
        return self.row[self.turned - 1]


def deal(seed: str, options: dict[str, Any]) -> str:
    """Returns a row, drawn by the seed."""
    return " ".join(random.Random(seed).sample(list(WORTH), LENGTH))


def parse_deal(text: str) -> tuple[str, ...]:
    """Returns the row of a deal. Raises ValueError if it is malformed."""
    row = tuple(text.split())
    if wrong := [card for card in row if card not in WORTH]:
        raise ValueError(f"{wrong[0]!r} is no card of this game.")
    if len(row) < 2 or len({*row}) < len(row):
        raise ValueError("A row has at least two cards, each of them once.")
    return row


def start(deal: str, options: dict[str, Any]) -> State:
    """Returns the state after the deal."""
    return State(parse_deal(deal), options)


def seats(state: State) -> tuple[str, ...]:
    """Returns the only seat."""
    return (SEAT,)


def waiting_for(state: State) -> tuple[str, ...]:
    """Returns the seat until a card is kept."""
    return () if state.kept else (SEAT,)


def legal_actions(state: State, seat: str) -> list[str]:
    """Returns the moves that the seat may make now."""
    if seat not in waiting_for(state):
        return []
    return [KEEP, NEXT] if state.turned < len(state.row) else [KEEP]


def apply(state: State, seat: str, action: str) -> State:
    """Returns the state after an action. Raises IllegalAction."""
    if seat != SEAT:
        raise IllegalAction(_("This seat does not play in this hand."))
    if state.kept:
        raise IllegalAction(_("This hand is over."))
    if action == KEEP:
        return replace(state, kept=True)
    if action != NEXT:
        raise IllegalAction(_("There is no such move: keep the card, or turn up the next."))
    if state.turned == len(state.row):
        raise IllegalAction(_("This is the last card, so it has to be kept."))
    return replace(state, turned=state.turned + 1)


def view(state: State, seat: str) -> dict[str, Any]:
    """Returns what the seat may see."""
    left = len(state.row) - state.turned
    return {
        "card": state.card,
        "seen": list(state.row[: state.turned - 1]),
        "left": left if state.options["show_left"] else None,
        "may": legal_actions(state, seat),
    }


def is_over(state: State) -> bool:
    """Returns whether a card was kept."""
    return state.kept


def result(state: State, seat: str, seconds: float) -> Result:
    """Returns the current score, also of an unfinished hand."""
    score = WORTH[state.card] if state.kept else 0
    return Result(score, {"turned": state.turned}, "completed" if state.kept else "open")
