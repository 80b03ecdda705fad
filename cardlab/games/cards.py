"""Cards and packs of all games. A card is spelled rank then suit, ``2H`` (ruling 0)."""

from cardlab.games.sentence import Sentence
from cardlab.games.sentence import sentence as _

SYMBOLS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
COLOURS = {"C": "black", "D": "red", "H": "red", "S": "black"}

RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")
FRENCH_PACK = tuple(rank + suit for suit in SYMBOLS for rank in RANKS)

TTT_PACK = ("2H", "3H", "4H", "2C", "3C", "4C")


def rank(card: str) -> str:
    """Returns the rank of a card: ``rank("10S") == "10"``."""
    return card[:-1]


def suit(card: str) -> str:
    """Returns the suit of a card: ``suit("10S") == "S"``."""
    return card[-1]


def colour(card: str) -> str:
    """Returns the colour of a card, ``"red"`` or ``"black"``."""
    return COLOURS[suit(card)]


def pretty(card: str) -> str:
    """Returns the card as a participant reads it in a sentence: ``2♥``."""
    return rank(card) + SYMBOLS[suit(card)]


def colour_word(card: str) -> Sentence:
    """Returns the colour of a card, as a participant reads it in a sentence."""
    return _("red") if colour(card) == "red" else _("black")
