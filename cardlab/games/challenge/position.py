"""Implements positions and moves of Challenge (rulings 19, 20), simply, as the reference for the search.

A move is the played card, ``10S``, or ``PICK_UP``. The players are 0 and 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cardlab.games.challenge.deal import TRUMPS, Deal
from cardlab.games.challenge.packs import height, in_order

PICK_UP = "pick up"


@dataclass(frozen=True)
class Form:
    """Who leads after a pick-up, and whether a better card ends the turn (ruling 20)."""

    after_pickup: str = "opponent"  # or "picker"
    after_better: str = "pass"  # or "lead"

    def __post_init__(self) -> None:
        if self.after_pickup not in ("opponent", "picker"):
            raise ValueError(f"after_pickup must be opponent or picker, not '{self.after_pickup}'.")
        if self.after_better not in ("pass", "lead"):
            raise ValueError(f"after_better must be pass or lead, not '{self.after_better}'.")
        if (self.after_pickup, self.after_better) == ("picker", "pass"):
            raise ValueError(
                "after_pickup picker needs after_better lead: with pass every symmetric deal that could be "
                "searched to the end is drawn."
            )


DEFAULT_FORM = Form()
CAMBRIDGE = Form("picker", "lead")


@dataclass(frozen=True)
class Position:
    """The hands, the table and the mover.

    ``table`` has the bottom card first. ``to_lead`` says that the mover may play any card: on an empty table,
    and in the form ``lead`` also after a better card. ``winner`` is the player who played their last card,
    None before the end.
    """

    hands: tuple[frozenset[str], frozenset[str]]
    table: tuple[str, ...] = ()
    mover: int = 0
    to_lead: bool = True
    winner: int | None = None
    trumps: tuple[str, str] = TRUMPS
    form: Form = DEFAULT_FORM

    @cached_property
    def key(self) -> Hashable:
        """A key to detect repetitions, which ignore the order of cards below the top card (ruling 20)."""
        return self.hands, self.table[-1:], self.mover, self.to_lead

    @property
    def cards(self) -> set[str]:
        """All cards of the game."""
        return {*self.hands[0], *self.hands[1], *self.table}


def start(deal: Deal, trumps: tuple[str, str] = TRUMPS, form: Form = DEFAULT_FORM) -> Position:
    """Returns the first position of a deal."""
    computer, participant = map(frozenset, deal.hands)
    return Position((computer, participant), mover=deal.leads, trumps=trumps, form=form)


def is_better(card: str, top: str, trump: str) -> bool:
    """Returns whether a player with this trump suit may play the card on the top card."""
    if card[-1] == top[-1]:
        return height(card) > height(top)
    return card[-1] == trump


def legal_moves(position: Position) -> tuple[str, ...]:
    """Returns the playable cards in the order S H C D, high first, then PICK_UP if it is allowed."""
    if position.winner is not None:
        return ()
    hand = in_order(position.hands[position.mover])
    if position.to_lead:
        return hand
    trump = position.trumps[position.mover]
    return (*(card for card in hand if is_better(card, position.table[-1], trump)), PICK_UP)


def apply(position: Position, move: str) -> Position:
    """Returns the position after a move. Raises ValueError if it is illegal."""
    if move not in legal_moves(position):
        raise ValueError(f"'{move}' is not allowed here.")
    mover, hands, form = position.mover, list(position.hands), position.form
    if move == PICK_UP:
        hands[mover] = hands[mover].union(position.table)
        leader = mover if form.after_pickup == "picker" else 1 - mover
        return replace(position, hands=(hands[0], hands[1]), table=(), mover=leader, to_lead=True)
    hands[mover] = hands[mover] - {move}
    # In the form ``lead``, a player who beats a card leads on top of it. A lead ends the turn.
    leads_on = form.after_better == "lead" and not position.to_lead
    return replace(
        position,
        hands=(hands[0], hands[1]),
        table=(*position.table, move),
        mover=mover if leads_on else 1 - mover,
        to_lead=leads_on,
        winner=None if hands[mover] else mover,
    )


def after_moves(position: Position, moves: Sequence[str]) -> Position:
    """Returns the position after several moves."""
    for move in moves:
        position = apply(position, move)
    return position
