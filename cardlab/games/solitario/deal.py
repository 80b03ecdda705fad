"""The deal of Solitario as one line of text, deal files, and the options of a hand.

Eight sections: columns 1–7, the bottom card of each first, and the stock from the top (ruling 0):
``1s | 4c Rb | … | 7d 2s …``. The option ``pack`` names its pack.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any, NamedTuple

from cardlab.games import deal_file
from cardlab.games.deal_file import BadDeal, split_sections
from cardlab.games.dealing import apply_defaults
from cardlab.games.hand import FIRST_MOVE
from cardlab.games.solitario.packs import PACKS, Pack
from cardlab.games.text_file import quote

COLUMNS = 7

# The values of each option, the default first: the pack; the number of stock cards per draw; whether an ace
# may lie on a two (ruling 23); whether an uncovered card is turned up by a click or automatically; whether
# moves may be taken back; when the time starts (ruling 24).
ALLOWED_OPTIONS: dict[str, tuple[Any, ...]] = {
    "pack": tuple(PACKS),
    "draw": (1, 3),
    "ace_on_two": (False, True),
    "turn_up": ("click", "auto"),
    "undo": (False, True),
    "clock": ("shown", FIRST_MOVE),
}


class Deal(NamedTuple):
    """The cards of each column, bottom card first, and the stock from the top."""

    columns: tuple[tuple[str, ...], ...]
    stock: tuple[str, ...]


def complete_options(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options with defaults for the missing ones. Raises ValueError for a value not allowed.

    By default an ace may lie on a two in the French pack only (ruling 23).
    """
    defaults = {name: allowed[0] for name, allowed in ALLOWED_OPTIONS.items()}
    defaults["ace_on_two"] = options.get("pack") == "french"
    return apply_defaults(options, defaults, ALLOWED_OPTIONS)


def draw_deal(seed: str, pack: Pack) -> Deal:
    """Draws a deal by ``seed`` (ruling 22)."""
    cards = list(pack.cards)
    random.Random(seed).shuffle(cards)
    columns = tuple(tuple(cards.pop() for _card in range(size)) for size in range(1, COLUMNS + 1))
    return Deal(columns, tuple(cards))


def format_deal(deal: Deal) -> str:
    """Returns the deal as one line of text."""
    return " | ".join(" ".join(cards) for cards in (*deal.columns, deal.stock))


def parse_deal(text: str, pack: Pack) -> Deal:
    """Parses a deal of this pack, in upper or lower case. Raises BadDeal."""
    spelled = {card.upper(): card for card in pack.cards}
    sections = split_sections(text, COLUMNS + 1, f"columns 1–{COLUMNS}, stock")
    place_by_card: dict[str, int] = {}
    for section in sections:
        for card, at in section.words:
            if card.upper() not in spelled:
                raise BadDeal(f"{quote(card)} is not a card of this pack of {len(spelled)}.", at)
            if card.upper() in place_by_card:
                raise BadDeal(f"The deal contains {spelled[card.upper()]} twice.", at)
            place_by_card[card.upper()] = at
    stock_size = len(pack.cards) - COLUMNS * (COLUMNS + 1) // 2
    for number, (cards, end) in enumerate(sections, 1):
        required = number if number <= COLUMNS else stock_size
        if len(cards) != required:
            location = f"Column {number}" if number <= COLUMNS else "The stock"
            raise BadDeal(
                f"{location} must have {required} card{'' if required == 1 else 's'}, not {len(cards)}.",
                cards[required][1] if len(cards) > required else end,
            )
    *columns, stock = (tuple(spelled[card.upper()] for card in section.values) for section in sections)
    return Deal(tuple(columns), stock)


@lru_cache(maxsize=4)  # the creation of a session reads the file twice: for validation and for dealing
def read_deal_file(text: str, name: str, pack: str) -> tuple[str, ...]:
    """Returns the deals of a file in order. Raises BadFile."""
    cards = PACKS[pack]
    return deal_file.read_deals(
        text, name, lambda line: format_deal(parse_deal(line, cards)), "seven columns and the stock"
    )
