"""Defines the packs of Challenge, the highest cards of each suit, also as bit sets (rulings 0, 19)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

RANKS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
SUITS = "SHCD"
SIZES = range(1, len(RANKS) + 1)

_HEIGHT = {rank: len(RANKS) - number for number, rank in enumerate(RANKS)}


def height(card: str) -> int:
    """Returns the card's rank in its suit: 13 for the ace, 1 for the two."""
    return _HEIGHT[card[:-1]]


@cache
def pack(size: int) -> tuple[str, ...]:
    """Returns the ``size`` highest cards of each suit, suit by suit, high first."""
    return tuple(rank + suit for suit in SUITS for rank in RANKS[:size])


_PLACE = {card: place for place, card in enumerate(pack(len(RANKS)))}


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Returns the cards in the order S H C D, high first."""
    return tuple(sorted(cards, key=_PLACE.__getitem__))


def size_of(cards: Iterable[str]) -> int:
    """Returns the size of the smallest pack with these cards; 1 without cards."""
    return max((len(RANKS) + 1 - height(card) for card in cards), default=1)


class Bits:
    """The cards of a pack as bits of an integer, for the search and the tablebase.

    A card is the bit ``column × size + rank``. Rank 0 is the lowest of the pack. Columns 0 and 1 are the
    trumps of players 0 and 1, columns 2 and 3 the other suits. So each suit is a group of ``size`` bits, and
    swapping the players swaps the two lowest groups.
    """

    def __init__(self, size: int, trumps: tuple[str, str]):
        self.size = size
        self.count = 4 * size
        self.all = (1 << self.count) - 1
        self.suit = (1 << size) - 1
        columns = [*trumps, *(suit for suit in SUITS if suit not in trumps)]
        self.cards = tuple(rank + suit for suit in columns for rank in reversed(RANKS[:size]))
        self.number = {card: number for number, card in enumerate(self.cards)}
        self.column = tuple(self.suit << column * size for column in range(4))
        # better[player][number]: the cards with which the player can beat the card
        self.better = tuple(
            tuple(self._better(player, number) for number in range(self.count)) for player in (0, 1)
        )

    def _better(self, player: int, number: int) -> int:
        column = number // self.size
        higher = self.column[column] & ~((2 << number) - 1)
        return higher if column == player else higher | self.column[player]

    def mask(self, cards: Iterable[str]) -> int:
        """Returns the cards as an integer."""
        return sum(1 << self.number[card] for card in cards)


@cache
def bits(size: int, trumps: tuple[str, str]) -> Bits:
    """Returns the bits of a pack, cached."""
    return Bits(size, trumps)
