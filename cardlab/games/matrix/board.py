"""Defines the table of the matrix card game: seats, cells, crosses, and the sides of the seats (ruling 12).

North is up, and the dealer sits S. A cross is two cards, the first along the N–S axis and the second along
E–W. The pair that plays a turn, N–S player first, has its cards in the same order.
"""

from typing import Any

from cardlab.games.matrix.packs import COLUMNS, value

SEATS = ("S", "W", "N", "E")  # clockwise
PAIRS = (("S", "W"), ("N", "E"))  # adjacent players, in the order in which they play
CELLS = ("SW", "NW", "NE", "SE")  # clockwise, the order of a deal
SIDES = ("near", "left", "far", "right")  # clockwise

# The cells as a seat sees them: far left, far right, near left, near right.
AS_SEEN = {
    "S": ("NW", "NE", "SW", "SE"),
    "W": ("NE", "SE", "NW", "SW"),
    "N": ("SE", "SW", "NE", "NW"),
    "E": ("SW", "NW", "SE", "NE"),
}

Pair = tuple[str, str]  # two seats, or a card or a column of each
Cross = tuple[str, str]  # the card along N–S, the card along E–W
Crosses = tuple[Cross, ...]  # four, in the order of CELLS
Matrix = tuple[tuple[tuple[int, int], ...], ...]


def selected_cell(pair: Pair, columns: Pair) -> str:
    """Returns the cell in which the columns of the two players intersect."""
    first_cells, second_cells = (
        AS_SEEN[seat][COLUMNS.index(column) :: 2] for seat, column in zip(pair, columns)
    )
    return next(cell for cell in first_cells if cell in second_cells)


def cross_at(crosses: Crosses, cell: str) -> Cross:
    """Returns the cross in a cell, ``SW``, ``NW``, ``NE`` or ``SE``."""
    return crosses[CELLS.index(cell)]


def replace_cross(crosses: Crosses, cell: str, cross: Cross) -> Crosses:
    """Returns the crosses with this one instead of the one in ``cell``."""
    return tuple(cross if other_cell == cell else old_cross for other_cell, old_cross in zip(CELLS, crosses))


def turn_cross(crosses: Crosses, cell: str) -> Crosses:
    """Returns the crosses with the one in ``cell`` turned by 90 degrees."""
    north_south, east_west = cross_at(crosses, cell)
    return replace_cross(crosses, cell, (east_west, north_south))


def matrix(crosses: Crosses, pair: Pair, options: dict[str, Any]) -> Matrix:
    """Returns the 2×2 game of two adjacent players, in points.

    ``matrix[i][j]`` has the points that the first and the second of the pair collect if they play columns i
    and j, where 0 is left and 1 is right from each player's side.
    """

    def points(columns: Pair) -> tuple[int, int]:
        first, second = cross_at(crosses, selected_cell(pair, columns))
        return value(first, options), value(second, options)

    return tuple(tuple(points((first, second)) for second in COLUMNS) for first in COLUMNS)


def crosses_from_seat(crosses: Crosses, seat: str) -> list[dict[str, str]]:
    """Returns the four crosses as the seat sees them: far left, far right, near left, near right.

    ``own`` is the card along the seat's axis, which the seat would collect, ``across`` is the other one.
    """
    axis = SEATS.index(seat) % 2
    places = [{"row": row, "column": column} for row in ("far", "near") for column in COLUMNS]
    return [
        {"cell": cell, **place, "own": cross[axis], "across": cross[1 - axis]}
        for cell, place in zip(AS_SEEN[seat], places)
        for cross in [cross_at(crosses, cell)]
    ]


def side(seat: str, other: str) -> str:
    """Returns the side of ``other`` from ``seat``: near (itself), left, far or right."""
    return SIDES[(SEATS.index(other) - SEATS.index(seat)) % len(SEATS)]
