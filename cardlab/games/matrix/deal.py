"""Reads and writes deals of the matrix card game as one line of text, and completes options.

A deal is ``hand S | hand W | cross SW | cross NW | cross NE | cross SE | stock``; with four players ``hand N
| hand E`` follow W's. A hand has seven cards, a cross two (the one along N–S first), and the stock begins
with its top card (ruling 0).
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

from cardlab.games.deal_file import BadDeal
from cardlab.games.dealing import apply_defaults
from cardlab.games.matrix.board import CELLS
from cardlab.games.matrix.packs import COURTS, PACKS
from cardlab.games.text_file import quote

HAND_SIZE = 7

# The values of each option, the default first: number of players; pack; points of court cards (10, or 11, 12
# and 13); whether a choice may be changed until the other player has chosen.
ALLOWED_OPTIONS: dict[str, tuple[Any, ...]] = {
    "players": (2, 4),
    "pack": tuple(PACKS),
    "court": tuple(COURTS),
    "change_choice": (False, True),
}
DEFAULT_OPTIONS = {name: allowed[0] for name, allowed in ALLOWED_OPTIONS.items()}

_CARD = re.compile(r"[^\s|]+")


def complete(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options with defaults for missing ones. Raises ValueError for an invalid value."""
    return apply_defaults(options, DEFAULT_OPTIONS, ALLOWED_OPTIONS)


def parse_deal(text: str, options: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Returns the sections of a deal: hands, crosses, stock. Raises BadDeal.

    ``options`` must be complete; ``players`` and ``pack`` determine the sizes of the sections.
    """
    pack = PACKS[options["pack"]]
    count = Counter(_CARD.findall(text))
    seen_cards: set[str] = set()
    for match in _CARD.finditer(text):
        card = match.group()
        if card not in pack:
            raise BadDeal(f"The {options['pack']} pack has no card {quote(card)}.", match.start())
        if card in seen_cards:
            sentence = f"The deal contains {card} {count[card]} times. Each card may appear only once."
            raise BadDeal(sentence, match.start())
        seen_cards.add(card)
    sections = tuple(tuple(section.split()) for section in text.split("|"))
    sizes = _sizes(options)
    if [len(section) for section in sections] != sizes:
        raise BadDeal(
            f"A deal for {options['players']} players has {len(sizes)} sections separated by ' | "
            f"' (hands, crosses SW NW NE SE, stock) with {' '.join(map(str, sizes))} cards, not "
            f"{_describe_sections(sections)}.",
            _misplaced(text, sizes),
        )
    return sections


def _describe_sections(sections: Sequence[Sequence[str]]) -> str:
    if len(sections) > 20:
        return f"{len(sections)} sections"
    return " ".join(str(len(section)) for section in sections)


def _misplaced(text: str, sizes: Sequence[int]) -> int:
    """Returns the position of the first surplus card, or the end of the first section that is too short."""
    start = 0
    for size, section in zip(sizes, text.split("|")):
        cards = list(_CARD.finditer(section))
        if len(cards) > size:
            return start + cards[size].start()
        if len(cards) < size:
            return start + len(section.rstrip())
        start += len(section) + 1
    return min(start, len(text.rstrip()))  # a surplus section, or the end of the text


def format_deal(cards: Sequence[str], options: dict[str, Any]) -> str:
    """Returns a complete pack, in the order of dealing, as the text of a deal."""
    sizes, remaining_cards = _sizes(options), iter(cards)
    return " | ".join(" ".join(islice(remaining_cards, size)) for size in sizes)


def _sizes(options: dict[str, Any]) -> list[int]:
    """Returns the number of cards of each section. The stock has all cards not in a hand or cross."""
    sizes = [HAND_SIZE] * options["players"] + [2] * len(CELLS)
    return [*sizes, len(PACKS[options["pack"]]) - sum(sizes)]
