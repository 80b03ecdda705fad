"""Defines the immutable state of a hand of the matrix card game, with the turns that led to it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from cardlab.games.matrix.board import CELLS, PAIRS, SEATS, Crosses, Pair
from cardlab.games.matrix.packs import PACKS, value


class Turn(NamedTuple):
    """A turn whose cards are disclosed. Pairs of values are in the order of the pair, N–S player first.

    ``crosses`` are those before the turn, ``cell`` is the selected cell. ``free`` says for each player
    whether the hand had cards of both columns, so that there was a choice. ``rotator`` is the seat that may
    rotate after the turn, or None; ``rotation`` is its action, None until it has decided. ``chosen_for`` has
    the seats for which the server chose the card, ``kept_for`` is the rotator if the server kept all crosses.
    """

    number: int
    pair: Pair
    crosses: Crosses
    cards: Pair
    free: tuple[bool, bool]
    cell: str
    collected: Pair
    rotator: str | None = None
    rotation: str | None = None
    chosen_for: tuple[str, ...] = ()
    kept_for: str | None = None


class Choice(NamedTuple):
    """The first choice of a turn, secret until the other player has also chosen."""

    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class State:
    """The state of a hand.

    ``hands`` are in the order of the seats; a chosen card is still in its hand. ``chosen_for`` is the seat of
    the choice if the server made it, and is as secret as the choice.
    """

    hands: tuple[tuple[str, ...], ...]
    crosses: Crosses
    stock: tuple[str, ...]
    options: dict[str, Any]
    turns: tuple[Turn, ...] = ()
    choice: Choice | None = None
    chosen_for: str | None = None

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats at the table, clockwise from the dealer."""
        return SEATS[: self.options["players"]]

    @property
    def rotator(self) -> str | None:
        """The seat that must rotate or keep now, or None."""
        last_turn = self.turns[-1] if self.turns else None
        return last_turn.rotator if last_turn and last_turn.rotation is None else None

    @property
    def turn(self) -> int:
        """The number of the current turn, from 1, or of the last turn when the hand is over."""
        return min(len(self.turns) + (self.rotator is None), self.of)

    @property
    def of(self) -> int:
        """The number of turns: 22 with 52 cards, 16 with 40, for two or four players (ruling 13)."""
        return (len(PACKS[self.options["pack"]]) - 2 * len(CELLS)) // 2

    @property
    def pair(self) -> Pair:
        """The two seats that play this turn, N–S player first (ruling 13)."""
        return PAIRS[(self.turn - 1) % (self.options["players"] // 2)]

    def hand(self, seat: str) -> tuple[str, ...]:
        """Returns the cards that the seat holds."""
        return self.hands[SEATS.index(seat)]

    def pile(self, seat: str) -> tuple[str, ...]:
        """Returns the cards that the seat has collected, in order."""
        return tuple(
            card
            for turn in self.turns
            for collector, card in zip(turn.pair, turn.collected)
            if collector == seat
        )

    def score(self, seat: str) -> int:
        """Returns the points of the seat's pile (ruling 13)."""
        return sum(value(card, self.options) for card in self.pile(seat))
