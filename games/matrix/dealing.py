"""The deal of the matrix card game as one line of text, and the options that say what it must hold.

``hand S | hand W | cross SW | cross NW | cross NE | cross SE | stock``; with four players ``hand N | hand E``
follow W's. Seven cards a hand, two a cross (the one along N–S first), the stock from the top (ruling 0).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

from games.matrix.board import CELLS
from games.matrix.packs import COURTS, PACKS

HAND_SIZE = 7

# The values of each option, the default first: how many play, with which pack, what courts are worth (10,
# or 11, 12 and 13), and whether a choice may be changed until the other player has chosen.
ALLOWED_OPTIONS: dict[str, tuple[Any, ...]] = {
    "players": (2, 4),
    "pack": tuple(PACKS),
    "court": tuple(COURTS),
    "change_choice": (False, True),
}
DEFAULT_OPTIONS = {name: allowed[0] for name, allowed in ALLOWED_OPTIONS.items()}


def complete(options: dict[str, Any]) -> dict[str, Any]:
    """The options with their defaults; ValueError with a sentence if one has a value it cannot have."""
    options = {**DEFAULT_OPTIONS, **options}
    for name, allowed in ALLOWED_OPTIONS.items():
        if options[name] not in allowed:
            words = " or ".join(map(str, allowed))
            raise ValueError(f"The option {name} must be {words}, not '{options[name]}'.")
    return options


def parse_deal(text: str, options: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The sections of a deal: hands, crosses, stock; ValueError with a sentence if they are none.

    ``options`` must be complete; ``players`` and ``pack`` say what the deal must hold.
    """
    sections = tuple(tuple(section.split()) for section in text.split("|"))
    pack = PACKS[options["pack"]]
    cards = [card for section in sections for card in section]
    for card, count in Counter(cards).items():
        if card not in pack:
            raise ValueError(f"The {options['pack']} pack has no card '{card}'.")
        if count > 1:
            raise ValueError(f"The deal holds {card} {count} times; each card is there once.")
    sizes = _sizes(options)
    if [len(section) for section in sections] != sizes:
        raise ValueError(
            f"A deal for {options['players']} players has {len(sizes)} sections parted by ' | ' "
            f"(hands, crosses SW NW NE SE, stock) of {' '.join(map(str, sizes))} cards, "
            f"not of {' '.join(str(len(section)) for section in sections)}."
        )
    return sections


def format_deal(cards: Sequence[str], options: dict[str, Any]) -> str:
    """A whole pack, in the order in which it is dealt, as the text of a deal."""
    sizes, rest = _sizes(options), iter(cards)
    return " | ".join(" ".join(islice(rest, size)) for size in sizes)


def _sizes(options: dict[str, Any]) -> list[int]:
    """How many cards each section has; what is neither in a hand nor on the table is the stock."""
    dealt = [HAND_SIZE] * options["players"] + [2] * len(CELLS)
    return [*dealt, len(PACKS[options["pack"]]) - sum(dealt)]
