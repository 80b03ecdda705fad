"""Defines the strategies of Triangle Solitaire for simulations and demonstrations.

Each of the ``VIEW_POLICIES`` is a function of ``rules.view`` and a seeded ``random.Random``, so it has only
the information of a player. It returns a legal action as long as a card is revealed. It does not need the
options ``highlight`` and ``show_left``, because a player can also infer the fitting places and the coming
Completes. No strategy lays reminders.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cache
from math import lcm
from typing import Any

from cardlab.games.contract import Policy, Strategy, ViewPolicy
from cardlab.games.triangle import rules
from cardlab.games.triangle.loop import NUMBERS, Places, fitting_places, neighbours, with_content
from cardlab.games.triangle.packs import COMPLETES, fits, is_complete, match

View = dict[str, Any]
SeededPolicy = Callable[[View, random.Random], str]
PlaceChoice = Callable[[View, Places, list[int], random.Random], int]


def _places(view: View) -> Places:
    return tuple(place["complete"] or "".join(place["singles"]) for place in view["places"])


def _policy(choose: PlaceChoice) -> SeededPolicy:
    """Returns the policy that chooses among the fitting places, and discards if there is none."""

    def act(view: View, chance: random.Random) -> str:
        places = _places(view)
        numbers = fitting_places(places, view["card"])
        return f"place {choose(view, places, numbers, chance)}" if numbers else "discard"

    return act


def _random_place(_view: View, _places: Places, numbers: list[int], chance: random.Random) -> int:
    return chance.choice(numbers)


def _first_place(_view: View, _places: Places, numbers: list[int], _chance: random.Random) -> int:
    return numbers[0]


def _place_with_most_matches(view: View, places: Places, numbers: list[int], chance: random.Random) -> int:
    card = view["card"]

    def value(number: int) -> tuple[int, int]:
        adjacent = neighbours(places, number)
        return -_count_discontinuities(card, adjacent), sum(match(card, other) for other in adjacent)

    return _best(numbers, value, chance)


def _place_with_least_risk(view: View, places: Places, numbers: list[int], chance: random.Random) -> int:
    card, coming = view["card"], _coming_completes(view, places)

    def value(number: int) -> int:
        content = card if is_complete(card) else places[number - 1] + card
        made = _count_discontinuities(card, neighbours(places, number))
        return -made * _UNIT - _risk(with_content(places, number, content), coming)

    return _best(numbers, value, chance)


def _best(numbers: list[int], value: Callable[[int], Any], chance: random.Random) -> int:
    """Returns a number with the highest value; ties are broken at random."""
    values = {number: value(number) for number in numbers}
    best = max(values.values())
    return chance.choice([number for number in numbers if values[number] == best])


def _count_discontinuities(card: str, adjacent: Iterable[str]) -> int:
    """Counts the discontinuities that the card would make between these neighbours."""
    return sum(is_complete(card) and is_complete(other) and not match(card, other) for other in adjacent)


# Lookahead. A set of Completes is an integer with one bit per card, in the order of COMPLETES.

_BIT = {card: 1 << place for place, card in enumerate(COMPLETES)}
_ALL = sum(_BIT.values())

# The unit of a risk. The fractions 1/1 … 1/28 of it are integers, so equal risks are equal on every machine.
_UNIT = lcm(*range(1, len(NUMBERS) + 2))


@cache
def _fitting_cards(content: str) -> int:
    """Returns the Completes that fit in a place with this content."""
    return sum(bit for card, bit in _BIT.items() if fits(card, content))


@cache
def _matching_cards(other: str) -> int:
    """Returns the Completes that make no discontinuity next to this content."""
    return sum(bit for card, bit in _BIT.items() if match(card, other)) if is_complete(other) else _ALL


def _coming_completes(view: View, places: Places) -> int:
    """Returns the Completes not seen yet, which must be in the deck."""
    seen = {*places, *view["discards"], view["card"]}
    return sum(bit for card, bit in _BIT.items() if card not in seen)


def _risk(places: Places, coming: int) -> int:
    """Returns the risk for the unfilled places and the coming Completes, in ``_UNIT`` (1 discontinuity).

    Each unfilled place counts 1 / (1 + the coming Completes that it could take without a discontinuity),
    each coming Complete 1 / (1 + the places that could take it so).
    """
    takes = [
        coming & _fitting_cards(content) & _matching_cards(one) & _matching_cards(other)
        for number, content in zip(NUMBERS, places)
        if not is_complete(content)
        for one, other in [neighbours(places, number)]
    ]
    risk_of_places = sum(_UNIT // (1 + cards.bit_count()) for cards in takes)
    risk_of_cards = sum(
        _UNIT // (1 + sum(1 for cards in takes if cards & bit)) for bit in _BIT.values() if coming & bit
    )
    return risk_of_places + risk_of_cards


def _player(act: SeededPolicy) -> Callable[[random.Random], Policy]:
    """Returns a strategy that acts on the view of its seat."""

    def player(chance: random.Random) -> Policy:
        return lambda state, seat: act(rules.view(state, seat), chance)

    return player


_POLICIES: dict[str, tuple[SeededPolicy, str]] = {
    "random": (_policy(_random_place), "Any place that fits, each equally likely."),
    "first_match": (_policy(_first_place), "The first place that fits, clockwise from the upper left."),
    "most_neighbours": (
        _policy(_place_with_most_matches),
        "A place where the card makes the fewest discontinuities, and among those one where it matches the "
        "most neighbours, Singles and Completes alike: the advice of the game's description.",
    ),
    "look_ahead": (
        _policy(_place_with_least_risk),
        "A place that makes few discontinuities, and after which every unfilled place fits many of the "
        "Completes to come, and each of these fits many places.",
    ),
}

VIEW_POLICIES: dict[str, SeededPolicy] = {name: act for name, (act, _what) in _POLICIES.items()}


def new_view_policy(chance: random.Random) -> ViewPolicy:
    """Returns a policy that plays like ``most_neighbours``."""
    return lambda view: VIEW_POLICIES["most_neighbours"](view, chance) if view["card"] else None


STRATEGIES = {name: Strategy(_player(act), what) for name, (act, what) in _POLICIES.items()}
