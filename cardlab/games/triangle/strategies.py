"""Strategies of Triangle Solitaire, for simulations and demonstrations: named, and as blind as a player.

What each does is a pure function of ``rules.view`` and a seeded ``random.Random`` (``ACTS``); it gives a
legal action as long as a card is revealed. It needs neither ``fits`` nor ``left``: which places fit, and
which Completes have not been seen yet, anybody can tell who looks at the table. None lays reminders.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cache
from math import lcm
from typing import Any

from cardlab.games.contract import Policy, Strategy, ViewPolicy
from cardlab.games.triangle import rules
from cardlab.games.triangle.loop import NUMBERS, Places, fitting, laid, neighbours
from cardlab.games.triangle.packs import COMPLETES, fits, is_complete, match

View = dict[str, Any]
Act = Callable[[View, random.Random], str]
Choose = Callable[[View, Places, list[int], random.Random], int]


def _places(view: View) -> Places:
    return tuple(place["complete"] or "".join(place["singles"]) for place in view["places"])


def _chooses(choose: Choose) -> Act:
    """The way to play that chooses so among the places that fit, and discards when none does."""

    def act(view: View, chance: random.Random) -> str:
        places = _places(view)
        numbers = fitting(places, view["card"])
        return f"place {choose(view, places, numbers, chance)}" if numbers else "discard"

    return act


def _any(_view: View, _places: Places, numbers: list[int], chance: random.Random) -> int:
    return chance.choice(numbers)


def _first(_view: View, _places: Places, numbers: list[int], _chance: random.Random) -> int:
    return numbers[0]


def _among_neighbours(view: View, places: Places, numbers: list[int], chance: random.Random) -> int:
    card = view["card"]

    def worth(number: int) -> tuple[int, int]:
        beside = neighbours(places, number)
        return -_discontinuities(card, beside), sum(match(card, other) for other in beside)

    return _best(numbers, worth, chance)


def _for_what_comes(view: View, places: Places, numbers: list[int], chance: random.Random) -> int:
    card, coming = view["card"], _coming(view, places)

    def worth(number: int) -> int:
        there = card if is_complete(card) else places[number - 1] + card
        made = _discontinuities(card, neighbours(places, number))
        return -made * _WHOLE - _danger(laid(places, number, there), coming)

    return _best(numbers, worth, chance)


def _best(numbers: list[int], worth: Callable[[int], Any], chance: random.Random) -> int:
    """The number worth most; equal ones are equally likely."""
    worths = {number: worth(number) for number in numbers}
    best = max(worths.values())
    return chance.choice([number for number in numbers if worths[number] == best])


def _discontinuities(card: str, beside: Iterable[str]) -> int:
    """How many discontinuities the card would make between these neighbours."""
    if not is_complete(card):
        return 0
    return sum(is_complete(other) and not match(card, other) for other in beside)


# Looking ahead. A set of Completes is a number whose bits stand for them, in the order of COMPLETES.

_BIT = {card: 1 << place for place, card in enumerate(COMPLETES)}
_ALL = sum(_BIT.values())

# Shares are counted in parts of this: whole numbers, so that what is equal is equal on every machine.
_WHOLE = lcm(*range(1, len(NUMBERS) + 2))


@cache
def _fitting_cards(there: str) -> int:
    """The Completes that fit where this lies."""
    return sum(bit for card, bit in _BIT.items() if fits(card, there))


@cache
def _matching_cards(other: str) -> int:
    """The Completes that make no discontinuity beside this."""
    return sum(bit for card, bit in _BIT.items() if match(card, other)) if is_complete(other) else _ALL


def _coming(view: View, places: Places) -> int:
    """The Completes not seen yet, which must be in the deck."""
    seen = {*places, *view["discards"], view["card"]}
    return sum(bit for card, bit in _BIT.items() if card not in seen)


def _danger(places: Places, coming: int) -> int:
    """What is at risk, a discontinuity being 1: for each unfilled place 1 / (1 + the coming Completes that it
    could take without one), for each coming Complete 1 / (1 + the places that could take it so).

    The sum is told in parts of ``_WHOLE``.
    """
    takes = [
        coming & _fitting_cards(there) & _matching_cards(one) & _matching_cards(other)
        for number, there in zip(NUMBERS, places)
        if not is_complete(there)
        for one, other in [neighbours(places, number)]
    ]
    of_places = sum(_WHOLE // (1 + cards.bit_count()) for cards in takes)
    of_cards = sum(
        _WHOLE // (1 + sum(1 for cards in takes if cards & bit)) for bit in _BIT.values() if coming & bit
    )
    return of_places + of_cards


def _player(act: Act) -> Callable[[random.Random], Policy]:
    """What the strategy makes of a state: it acts on what its seat sees."""

    def player(chance: random.Random) -> Policy:
        return lambda state, seat: act(rules.view(state, seat), chance)

    return player


_WAYS: dict[str, tuple[Act, str]] = {
    "random": (_chooses(_any), "Any place that fits, each equally likely."),
    "first_match": (_chooses(_first), "The first place that fits, clockwise from the upper left."),
    "most_neighbours": (
        _chooses(_among_neighbours),
        "A place where the card makes the fewest discontinuities, and among those one where it matches the "
        "most neighbours, Singles and Completes alike: the advice of the game's description.",
    ),
    "look_ahead": (
        _chooses(_for_what_comes),
        "A place that makes few discontinuities and leaves every unfilled place many of the Completes still "
        "to come, and every one of those many places.",
    ),
}

ACTS: dict[str, Act] = {name: act for name, (act, _what) in _WAYS.items()}


def new_view_policy(chance: random.Random) -> ViewPolicy:
    """``most_neighbours``, as long as a card is revealed."""
    return lambda view: ACTS["most_neighbours"](view, chance) if view["card"] else None


STRATEGIES: dict[str, Strategy] = {name: Strategy(_player(act), what) for name, (act, what) in _WAYS.items()}
