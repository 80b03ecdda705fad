"""Defines the cards of Triangle Solitaire. Singles have one characteristic, Completes three (ruling 15).

A Single is written as one letter, a Complete as three: ``H`` is hollow, ``HBC`` the hollow blue circle.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from cardlab.games.sentence import Sentence
from cardlab.games.sentence import sentence as _

KINDS = {"fill": "HPF", "colour": "BRG", "shape": "CST"}

SINGLES = tuple("".join(KINDS.values()))
SINGLE_PACK = tuple(single for single in SINGLES for _copy in range(4))
COMPLETES = tuple(map("".join, product(*KINDS.values())))

KIND = {single: kind for kind, singles in KINDS.items() for single in singles}


def is_complete(card: str) -> bool:
    """Returns whether this is a Complete, or the content of a filled place."""
    return len(card) == len(KINDS)


@cache
def match(card: str, other: str) -> bool:
    """Returns whether two cards share a characteristic (ruling 16)."""
    return not set(card).isdisjoint(other)


@cache
def fits(card: str, content: str) -> bool:
    """Returns whether the card may be placed on this content (rulings 16, 18).

    A Complete must have the characteristics of all Singles in the place. A Single may join one Single of
    another kind (fill, colour, shape).
    """
    if is_complete(content):
        return False
    if is_complete(card):
        return set(content) <= set(card)
    return len(content) == 1 and KIND[card] != KIND[content]


def card_name(card: str) -> Sentence:
    """Returns the card's name for a sentence: “hollow blue circle”, or “blue” for a Single."""
    names = {
        "H": _("hollow"),
        "P": _("partial"),
        "F": _("filled"),
        "B": _("blue"),
        "R": _("red"),
        "G": _("green"),
        "C": _("circle"),
        "S": _("square"),
        "T": _("triangle"),
    }
    if not is_complete(card):
        return names[card]
    fill, colour, shape = (names[single] for single in card)
    return _("{fill} {colour} {shape}").format(fill=fill, colour=colour, shape=shape)


def translated_card_name(card: str) -> str:
    """Returns the card's name in the current language."""
    return card_name(card).translated
