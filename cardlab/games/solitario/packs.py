"""The packs of Solitario: their ranks, their suits and the colours (ruling 0).

A card is rank then suit, ``Rd`` is the Re of denari; French cards are spelled as in ``cardlab.games.cards``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cardlab.games.sentence import Sentence
from cardlab.games.sentence import sentence as _

RED = "cdHD"  # coppe, denari; hearts, diamonds


@dataclass(frozen=True)
class Pack:
    """A pack of cards. ``ranks`` has the lowest first; ``suits`` has four, the two black ones first."""

    ranks: tuple[str, ...]
    suits: tuple[str, ...]

    @cached_property
    def cards(self) -> tuple[str, ...]:
        """All cards, suit by suit, lowest first."""
        return tuple(rank + suit for suit in self.suits for rank in self.ranks)

    @cached_property
    def _rank(self) -> dict[str, int]:
        return {rank: number for number, rank in enumerate(self.ranks)}

    @cached_property
    def kings(self) -> tuple[str, ...]:
        """The cards of the highest rank."""
        return tuple(card for card in self.cards if card[:-1] == self.ranks[-1])

    @cached_property
    def next_lower(self) -> dict[str, tuple[str, ...]]:
        """The two next lower cards of the other colour, by card; none for an ace."""
        return {
            card: tuple(
                self.ranks[rank - 1] + suit
                for suit in self.suits
                if rank and self.is_red(suit) != self.is_red(card)
            )
            for card in self.cards
            for rank in [self.rank_of(card)]
        }

    def rank_of(self, card: str) -> int:
        """Returns the rank as a number, 0 for the ace."""
        return self._rank[card[:-1]]

    def suit_of(self, card: str) -> str:
        """Returns the suit: ``"d"`` of ``"Rd"``."""
        return card[-1]

    def is_red(self, card: str) -> bool:
        """Whether the card is red, not black."""
        return card[-1] in RED


ITALIAN_SUITS = ("s", "b", "c", "d")
FRENCH_SUITS = ("S", "C", "H", "D")

PACKS = {
    "briscola": Pack((*map(str, range(1, 8)), "V", "C", "R"), ITALIAN_SUITS),
    "tarocco": Pack((*map(str, range(1, 11)), "V", "C", "D", "R"), ITALIAN_SUITS),
    "french": Pack(("A", *map(str, range(2, 11)), "J", "Q", "K"), FRENCH_SUITS),
}


# Names for participants.

_RANKS = {
    **{"1": _("ace"), "V": _("knave"), "C": _("knight"), "D": _("queen"), "R": _("king")},
    **{"A": _("ace"), "J": _("jack"), "Q": _("queen"), "K": _("king")},
}
_SUITS = {
    **{"s": _("swords"), "b": _("batons"), "c": _("cups"), "d": _("coins")},
    **{"S": _("spades"), "C": _("clubs"), "H": _("hearts"), "D": _("diamonds")},
}


def card_name(card: str) -> Sentence:
    """Returns the card's name for a sentence: king of coins."""
    return _("{rank} of {suit}").format(rank=_RANKS.get(card[:-1], card[:-1]), suit=_SUITS[card[-1]])


def suit_name(suit: str) -> Sentence:
    """Returns the suit's name."""
    return _SUITS[suit]
