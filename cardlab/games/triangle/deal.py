"""The deal of Triangle Solitaire as one line of text, and the options of a hand.

``places 1–27 | spares | deck``, for example ``H B CG … | S S T | HBC F PRT …``. A place holds one Single or,
in variation 1, two of different kinds, the bottom one first: ``CG``. A Single in the deck belongs to
variation 2. Where no spare is left, ``-`` stands in their place (ruling 0).

Which variation a deal has, the deal itself tells; ``doubled`` and ``mixed_in`` say what is to be drawn.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from cardlab.games.deal_file import BadDeal
from cardlab.games.text_file import quote
from cardlab.games.triangle.loop import NUMBERS, Places
from cardlab.games.triangle.packs import COMPLETES, KIND, SINGLE_PACK, SINGLES, fits, is_complete

SPARES = len(SINGLE_PACK) - len(NUMBERS)
NO_SPARES = "-"

# The values of each option, the default first: on how many places a second Single lies (variation 1), how
# many Singles are shuffled into the deck (variation 2), whether the view says which places fit, and whether
# it says which Completes are still to come.
ALLOWED_OPTIONS: dict[str, tuple[Any, ...]] = {
    "doubled": tuple(range(SPARES + 1)),
    "mixed_in": tuple(range(SPARES + 1)),
    "highlight": (False, True),
    "show_left": (False, True),
}
DEFAULT_OPTIONS = {name: allowed[0] for name, allowed in ALLOWED_OPTIONS.items()}

_CARD = re.compile(r"[^\s|]+")
_LETTERS = " ".join(SINGLES)


class Deal(NamedTuple):
    """What lies in the places, the Singles for planning, and the deck from the top."""

    places: Places
    spares: tuple[str, ...]
    deck: tuple[str, ...]

    @property
    def doubled(self) -> int:
        """On how many places two Singles lie."""
        return sum(len(there) == 2 for there in self.places)

    @property
    def mixed_in(self) -> int:
        """How many Singles are in the deck."""
        return sum(not is_complete(card) for card in self.deck)


class _Section(NamedTuple):
    """A section's cards with where they stand in the text, and where the section ends."""

    cards: tuple[tuple[str, int], ...]
    end: int

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(card for card, _at in self.cards)


def complete(options: dict[str, Any]) -> dict[str, Any]:
    """The options with their defaults; ValueError with a sentence if one has a value it cannot have."""
    options = {**DEFAULT_OPTIONS, **options}
    for name, allowed in ALLOWED_OPTIONS.items():
        if options[name] not in allowed:
            between = " to " if len(allowed) > 2 else " or "
            raise ValueError(
                f"The option {name} must be {allowed[0]}{between}{allowed[-1]}, not '{options[name]}'."
            )
    if options["doubled"] + options["mixed_in"] > SPARES:
        raise ValueError(
            f"The options doubled and mixed_in may be {SPARES} together, for so many Singles are left over; "
            f"they are {options['doubled']} and {options['mixed_in']}."
        )
    return options


def draw(seed: str, options: dict[str, Any]) -> Deal:
    """A deal drawn by ``seed``; ``options`` must be complete (ruling 18)."""
    chance = random.Random(seed)
    singles, deck = list(SINGLE_PACK), list(COMPLETES)
    chance.shuffle(singles)
    chance.shuffle(deck)
    places, pile = singles[: len(NUMBERS)], singles[len(NUMBERS) :]
    for _second in range(options["doubled"]):
        _double(places, pile, chance)
    mixed_in, spares = pile[: options["mixed_in"]], pile[options["mixed_in"] :]
    if mixed_in:
        deck += mixed_in
        chance.shuffle(deck)
    return Deal(tuple(places), tuple(spares), tuple(deck))


def _double(places: list[str], pile: list[str], chance: random.Random) -> None:
    """Deals the top Single of the pile on a place drawn by chance; what does not fit goes under the pile."""
    while True:
        place = chance.choice([place for place, there in enumerate(places) if len(there) == 1])
        for _tried in range(len(pile)):
            single = pile.pop(0)
            if fits(single, places[place]):
                places[place] += single
                return
            pile.append(single)


def format_deal(deal: Deal) -> str:
    """The deal as one line of text."""
    return " | ".join([" ".join(deal.places), " ".join(deal.spares) or NO_SPARES, " ".join(deal.deck)])


def parse_deal(text: str) -> Deal:
    """Read a deal; BadDeal with a sentence if it is none."""
    sections = list(_sections(text))
    if len(sections) != 3:
        raise BadDeal(
            f"A deal has 3 sections parted by ' | ' (places 1–27, spares, deck), not {len(sections)}.",
            sections[min(3, len(sections)) - 1].end,
        )
    places, spares, deck = sections
    if spares.values == (NO_SPARES,):
        spares = spares._replace(cards=())
    for there, at in places.cards:
        if not _is_place(there):
            raise BadDeal(
                f"{quote(there)} cannot lie in a place: there lies one Single of {_LETTERS}, or two of "
                "different kinds (fill, colour, shape).",
                at,
            )
    for where, section, cards in (("spares", spares, SINGLES), ("deck", deck, (*SINGLES, *COMPLETES))):
        for card, at in section.cards:
            if card not in cards:
                raise BadDeal(f"{quote(card)} cannot be in the {where}.", at)
    if len(places.cards) != len(NUMBERS):
        surplus = places.cards[len(NUMBERS) :]
        raise BadDeal(
            f"A deal has {len(NUMBERS)} places, not {len(places.cards)}.",
            surplus[0][1] if surplus else places.end,
        )
    _count(places, spares, deck)
    return Deal(places.values, spares.values, deck.values)


def _sections(text: str) -> Iterator[_Section]:
    start = 0
    for section in text.split("|"):
        cards = tuple((found.group(), start + found.start()) for found in _CARD.finditer(section))
        yield _Section(cards, start + len(section.rstrip()))
        start += len(section) + 1


def _is_place(there: str) -> bool:
    kinds = [KIND.get(single) for single in there]
    return None not in kinds and len(kinds) in (1, 2) and len(set(kinds)) == len(kinds)


def _count(places: _Section, spares: _Section, deck: _Section) -> None:
    """Each Single is there four times and each Complete once; else BadDeal at the first card too many, or
    where the section ends that could have the missing one."""
    due = Counter(SINGLE_PACK) + Counter(COMPLETES)
    cards = [(single, at) for there, at in places.cards for single in there]
    cards += [*spares.cards, *deck.cards]
    count = Counter(card for card, _at in cards)
    left = due.copy()
    for card, at in cards:
        left[card] -= 1
        if left[card] < 0:
            raise BadDeal(_wrong_count(card, count, due), at)
    for card in due:
        if left[card]:
            raise BadDeal(_wrong_count(card, count, due), (deck if is_complete(card) else spares).end)


def _wrong_count(card: str, count: Counter[str], due: Counter[str]) -> str:
    return f"The deal must hold {card} {_times(due[card])}, not {_times(count[card])}."


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
