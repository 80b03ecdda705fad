"""Reads and writes deals of Triangle Solitaire as one line of text, reads deal files and completes options.

A deal is ``places 1–27 | spares | deck``, for example ``H B CG … | S S T | HBC F PRT …``. A place has one
Single or, in variation 1, two of different kinds, the bottom one first: ``CG``. Variation 2 has Singles in
the deck. ``-`` stands for no spares (ruling 0).

The options ``doubled`` and ``mixed_in`` set the variation of random deals.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

from cardlab.games import deal_file
from cardlab.games.deal_file import BadDeal, Section, split_sections
from cardlab.games.dealing import apply_defaults
from cardlab.games.text_file import quote
from cardlab.games.triangle.loop import NUMBERS, Places
from cardlab.games.triangle.packs import COMPLETES, KIND, SINGLE_PACK, SINGLES, fits, is_complete

SPARES = len(SINGLE_PACK) - len(NUMBERS)
NO_SPARES = "-"

# The values of each option, the default first: the number of places with a second Single (variation 1); the
# number of Singles in the deck (variation 2); whether the view shows the fitting places; whether it shows the
# coming Completes.
ALLOWED_OPTIONS: dict[str, tuple[Any, ...]] = {
    "doubled": tuple(range(SPARES + 1)),
    "mixed_in": tuple(range(SPARES + 1)),
    "highlight": (False, True),
    "show_left": (False, True),
}
DEFAULT_OPTIONS = {name: allowed[0] for name, allowed in ALLOWED_OPTIONS.items()}

_LETTERS = " ".join(SINGLES)


class Deal(NamedTuple):
    """The contents of the places, the spare Singles, and the deck from the top."""

    places: Places
    spares: tuple[str, ...]
    deck: tuple[str, ...]

    @property
    def doubled(self) -> int:
        """The number of places with two Singles."""
        return sum(len(content) == 2 for content in self.places)

    @property
    def mixed_in(self) -> int:
        """The number of Singles in the deck."""
        return sum(not is_complete(card) for card in self.deck)


def complete_options(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options with defaults for missing ones. Raises ValueError for an invalid value."""
    options = apply_defaults(options, DEFAULT_OPTIONS, ALLOWED_OPTIONS)
    if options["doubled"] + options["mixed_in"] > SPARES:
        raise ValueError(
            f"The options doubled and mixed_in together must be at most {SPARES}, because there "
            f"are {SPARES} spare Singles. They are {options['doubled']} and "
            f"{options['mixed_in']}."
        )
    return options


def draw_deal(seed: str, options: dict[str, Any]) -> Deal:
    """Draws a deal by ``seed``; ``options`` must be complete (ruling 18)."""
    chance = random.Random(seed)
    singles, deck = list(SINGLE_PACK), list(COMPLETES)
    chance.shuffle(singles)
    chance.shuffle(deck)
    places, pile = singles[: len(NUMBERS)], singles[len(NUMBERS) :]
    for _second in range(options["doubled"]):
        _add_second_single(places, pile, chance)
    mixed_in, spares = pile[: options["mixed_in"]], pile[options["mixed_in"] :]
    if mixed_in:
        deck += mixed_in
        chance.shuffle(deck)
    return Deal(tuple(places), tuple(spares), tuple(deck))


def _add_second_single(places: list[str], pile: list[str], chance: random.Random) -> None:
    """Deals the top Single of the pile to a random place. Singles that do not fit go under the pile."""
    while True:
        place = chance.choice([place for place, content in enumerate(places) if len(content) == 1])
        for _tried in range(len(pile)):
            single = pile.pop(0)
            if fits(single, places[place]):
                places[place] += single
                return
            pile.append(single)


def format_deal(deal: Deal) -> str:
    """Returns the deal as one line of text."""
    return " | ".join([" ".join(deal.places), " ".join(deal.spares) or NO_SPARES, " ".join(deal.deck)])


def parse_deal(text: str) -> Deal:
    """Parses a deal. Raises BadDeal."""
    places, spares, deck = split_sections(text, 3, "places 1–27, spares, deck")
    if spares.values == (NO_SPARES,):
        spares = spares._replace(words=())
    for content, at in places.words:
        if not _is_content(content):
            raise BadDeal(
                f"{quote(content)} is not a valid place. Write one Single of {_LETTERS}, or two "
                "of different kinds (fill, colour, shape).",
                at,
            )
    for where, section, cards in (("spares", spares, SINGLES), ("deck", deck, (*SINGLES, *COMPLETES))):
        for card, at in section.words:
            if card not in cards:
                raise BadDeal(f"{quote(card)} cannot be in the {where}.", at)
    if len(places.words) != len(NUMBERS):
        surplus = places.words[len(NUMBERS) :]
        raise BadDeal(
            f"A deal has {len(NUMBERS)} places, not {len(places.words)}.",
            surplus[0][1] if surplus else places.end,
        )
    _check_counts(places, spares, deck)
    return Deal(places.values, spares.values, deck.values)


@lru_cache(maxsize=4)  # the creation of a session reads the file twice: for validation and for dealing
def read_deal_file(text: str, name: str) -> tuple[str, ...]:
    """Returns the deals of a file in order. Their variations may differ. Raises BadFile."""
    return deal_file.read_deals(
        text, name, lambda line: format_deal(parse_deal(line)), "places, spares and deck"
    )


def _is_content(text: str) -> bool:
    kinds = [KIND.get(single) for single in text]
    return None not in kinds and len(kinds) in (1, 2) and len(set(kinds)) == len(kinds)


def _check_counts(places: Section, spares: Section, deck: Section) -> None:
    """Raises BadDeal unless the deal has each Single four times and each Complete once.

    The position of the error is the first surplus card, or the end of the section that lacks a card.
    """
    due = Counter(SINGLE_PACK) + Counter(COMPLETES)
    cards = [(single, at) for content, at in places.words for single in content]
    cards += [*spares.words, *deck.words]
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
