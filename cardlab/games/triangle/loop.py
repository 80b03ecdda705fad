"""Defines the triangle: a closed loop of 27 places, nine per side (ruling 15).

The triangle points down. Places 1–27 run clockwise from the upper left: along the top edge, down the right
side, up the left side. Joint n lies between place n and the next place. Each side has eight inner joints;
the three joints between sides are the corners.
"""

from __future__ import annotations

from cardlab.games.triangle.packs import fits

SIDE_LENGTH = 9
NUMBERS = tuple(range(1, 3 * SIDE_LENGTH + 1))  # the numbers of the places and of the joints

SIDES = {"top": NUMBERS[:9], "right": NUMBERS[9:18], "left": NUMBERS[18:]}  # places
CORNERS = {"right": 9, "lower": 18, "left": 27}  # joints
INNER_JOINTS = {side: numbers[:-1] for side, numbers in SIDES.items()}

# The content of places 1–27: one Single, two Singles (the bottom one first), or a Complete.
Places = tuple[str, ...]


def next_place(number: int) -> int:
    """Returns the next place clockwise; place 1 follows place 27."""
    return number % len(NUMBERS) + 1


def previous_place(number: int) -> int:
    """Returns the place before this one clockwise."""
    return (number - 2) % len(NUMBERS) + 1


def content_of(places: Places, number: int) -> str:
    """Returns the content of a place, 1–27."""
    return places[number - 1]


def neighbours(places: Places, number: int) -> tuple[str, str]:
    """Returns the contents of the places before and after this one."""
    return content_of(places, previous_place(number)), content_of(places, next_place(number))


def fitting_places(places: Places, card: str) -> list[int]:
    """Returns the places where the card fits, clockwise from place 1."""
    return [number for number, content in zip(NUMBERS, places) if fits(card, content)]


def with_content(places: Places, number: int, content: str) -> Places:
    """Returns the places with a new content in one of them."""
    return (*places[: number - 1], content, *places[number:])
