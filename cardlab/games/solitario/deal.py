"""The deal of Solitario as one line of text, and the options of a hand.

Eight sections: columns 1–7, the bottom card of each first, and the stock from the top (ruling 0):
``1s | 4c Rb | … | 7d 2s …``. Which pack it is of, the option ``pack`` says.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from cardlab.games.deal_file import BadDeal
from cardlab.games.solitario.packs import PACKS, Pack
from cardlab.games.text_file import quote

COLUMNS = 7

# The values of each option, the default first: the pack; how many cards of the stock come at a time; whether
# an ace may lie on a two (ruling 23); whether an uncovered card is turned up by a click or by itself; whether
# moves may be taken back.
ALLOWED_OPTIONS: dict[str, tuple[Any, ...]] = {
    "pack": tuple(PACKS),
    "draw": (1, 3),
    "ace_on_two": (False, True),
    "turn_up": ("click", "auto"),
    "undo": (False, True),
}

_CARD = re.compile(r"[^\s|]+")


class Deal(NamedTuple):
    """The cards of each column, bottom card first, and the stock from the top."""

    columns: tuple[tuple[str, ...], ...]
    stock: tuple[str, ...]


def complete(options: dict[str, Any]) -> dict[str, Any]:
    """The options with their defaults; ValueError with a sentence if one has a value it cannot have.

    Where nothing is said of it, an ace lies on a two in the French pack alone (ruling 23).
    """
    as_usual = {name: allowed[0] for name, allowed in ALLOWED_OPTIONS.items()}
    as_usual["ace_on_two"] = options.get("pack") == "french"
    options = {**as_usual, **options}
    for name, allowed in ALLOWED_OPTIONS.items():
        if options[name] not in allowed:
            choices = " or ".join(map(str, allowed))
            raise ValueError(f"The option {name} must be {choices}, not '{options[name]}'.")
    return options


def draw(seed: str, pack: Pack) -> Deal:
    """A deal drawn by ``seed``."""
    cards = list(pack.cards)
    random.Random(seed).shuffle(cards)
    columns = tuple(tuple(cards.pop() for _card in range(size)) for size in range(1, COLUMNS + 1))
    return Deal(columns, tuple(cards))


def format_deal(deal: Deal) -> str:
    """The deal as one line of text."""
    return " | ".join(" ".join(cards) for cards in (*deal.columns, deal.stock))


def parse_deal(text: str, pack: Pack) -> Deal:
    """Read a deal, in large letters or small ones; BadDeal with a sentence if it is none of this pack."""
    spelled = {card.upper(): card for card in pack.cards}
    sections = list(_sections(text))
    if len(sections) != COLUMNS + 1:
        raise BadDeal(
            f"A deal has {COLUMNS + 1} sections parted by ' | ' (columns 1–{COLUMNS}, stock), not "
            f"{len(sections)}.",
            sections[min(COLUMNS + 1, len(sections)) - 1][1],
        )
    dealt: dict[str, int] = {}
    for cards, _end in sections:
        for card, at in cards:
            if card.upper() not in spelled:
                raise BadDeal(f"There is no card {quote(card)} in this pack of {len(spelled)}.", at)
            if card.upper() in dealt:
                raise BadDeal(f"The card {spelled[card.upper()]} is there twice.", at)
            dealt[card.upper()] = at
    stock_size = len(pack.cards) - COLUMNS * (COLUMNS + 1) // 2
    for number, (cards, end) in enumerate(sections, 1):
        wanted = number if number <= COLUMNS else stock_size
        if len(cards) != wanted:
            where = f"column {number}" if number <= COLUMNS else "the stock"
            raise BadDeal(
                f"There must be {wanted} card{'' if wanted == 1 else 's'} in {where}, not {len(cards)}.",
                cards[wanted][1] if len(cards) > wanted else end,
            )
    *columns, stock = (tuple(spelled[card.upper()] for card, _at in cards) for cards, _end in sections)
    return Deal(tuple(columns), stock)


def _sections(text: str) -> Iterator[tuple[list[tuple[str, int]], int]]:
    """The cards of each section with where they stand in the text, and where the section ends."""
    start = 0
    for section in text.split("|"):
        cards = [(found.group(), start + found.start()) for found in _CARD.finditer(section)]
        yield cards, start + len(section.rstrip())
        start += len(section) + 1
