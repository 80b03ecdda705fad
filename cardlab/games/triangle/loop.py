"""The triangle: one closed loop of 27 places, nine a side (ruling 15).

It points down. Places 1–27 run clockwise from the upper left: the top edge from left to right, the right
side downwards, the left side upwards. Joint n lies between place n and the next one; so every place has a
joint before it and one after it. Eight joints are inside each side, three between sides: the corners.
"""

from __future__ import annotations

from cardlab.games.triangle.packs import fits

SIDE_LENGTH = 9
NUMBERS = tuple(range(1, 3 * SIDE_LENGTH + 1))  # of the places, and of the joints

SIDES = {"top": NUMBERS[:9], "right": NUMBERS[9:18], "left": NUMBERS[18:]}  # places
CORNERS = {"right": 9, "lower": 18, "left": 27}  # joints
INNER_JOINTS = {side: numbers[:-1] for side, numbers in SIDES.items()}

# What lies in places 1–27: a Single, two (the bottom one first), or a Complete.
Places = tuple[str, ...]


def after(number: int) -> int:
    """The place that follows clockwise; place 1 follows place 27."""
    return number % len(NUMBERS) + 1


def before(number: int) -> int:
    """The place that comes before it clockwise."""
    return (number - 2) % len(NUMBERS) + 1


def at(places: Places, number: int) -> str:
    """What lies in a place, 1–27."""
    return places[number - 1]


def neighbours(places: Places, number: int) -> tuple[str, str]:
    """What lies in the places before and after this one."""
    return at(places, before(number)), at(places, after(number))


def fitting(places: Places, card: str) -> list[int]:
    """The places to which the card may go, clockwise from place 1."""
    return [number for number, there in zip(NUMBERS, places) if fits(card, there)]


def laid(places: Places, number: int, there: str) -> Places:
    """The places with this in one of them."""
    return (*places[: number - 1], there, *places[number:])
