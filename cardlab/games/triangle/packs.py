"""The cards of Triangle Solitaire: Singles with one characteristic, Completes with three (ruling 15).

A Single is one letter, a Complete three: ``H`` is hollow, ``HBC`` the hollow blue circle.
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
    """Whether the card has all three characteristics; so has what lies in a filled place."""
    return len(card) == len(KINDS)


@cache
def match(card: str, other: str) -> bool:
    """Whether two cards share a characteristic (ruling 16)."""
    return not set(card).isdisjoint(other)


@cache
def fits(card: str, there: str) -> bool:
    """Whether the card may go where ``there`` lies: one Single, two, or a Complete (rulings 16, 18).

    A Complete has to have the characteristic of every Single there; a Single may join one of another kind.
    """
    if is_complete(there):
        return False
    if is_complete(card):
        return set(there) <= set(card)
    return len(there) == 1 and KIND[card] != KIND[there]


def called(card: str) -> Sentence:
    """The card in a sentence: “hollow blue circle”, or of a Single “blue”."""
    told = {
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
        return told[card]
    fill, colour, shape = (told[single] for single in card)
    return _("{fill} {colour} {shape}").format(fill=fill, colour=colour, shape=shape)


def words(card: str) -> str:
    """The card in the participant's language."""
    return called(card).translated
