"""Draws the small French pack: ``python tools/card_art/small_pack.py`` writes ``_static/cards/*.svg``.

Suits and ranks are paths of our own, so a card looks the same on every machine whatever its fonts.
A new rank is one line in ``RANKS`` (the strokes of its index) and one in ``PIPS`` (where its pips lie).
"""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "_static" / "cards"
WIDTH, HEIGHT = 250, 350
RED, BLACK = "#a50f28", "#16191d"

# Each suit in a box of 100 × 100 about its own centre: told apart by outline, not by colour alone.
SUITS = {
    "H": (
        RED,
        "M0 47C-13 30-47 11-47-16-47-34-34-45-21-45-10-45-3-38 0-28"
        " 3-38 10-45 21-45 34-45 47-34 47-16 47 11 13 30 0 47Z",
    ),
    "C": (
        BLACK,
        "M-22-23a22 22 0 1 1 44 0a22 22 0 0 1-6 15A22 22 0 1 1 7 24C9 35 14 42 21 47H-21C-14 42-9 35-7 24"
        "A22 22 0 1 1-16-8a22 22 0 0 1-6-15Z",
    ),
    "D": (RED, "M0-49C9-30 21-13 37 0 21 13 9 30 0 49-9 30-21 13-37 0-21-13-9-30 0-49Z"),
    "S": (
        BLACK,
        "M0-48C11-29 45-11 45 15 45 29 35 38 23 38 15 38 8 34 4 27 6 37 12 43 19 47"
        "H-19C-12 43-6 37-4 27-8 34-15 38-23 38-35 38-45 29-45 15-45-11-11-29 0-48Z",
    ),
}

# Index figures as pen strokes in a box of 60 × 84.
RANKS = {
    "2": "M9 25C9 11 18 5 30 5 43 5 51 13 51 24 51 38 36 50 9 79H54",
    "3": "M9 17C14 8 21 5 30 5 43 5 50 13 50 22 50 33 41 39 26 39"
    "M26 39C43 39 53 47 53 60 53 72 43 79 29 79 18 79 11 75 7 67",
    "4": "M42 79V5L6 57H57",
}

# Centres of the pips; those below the middle are upside down.
PIPS = {
    "2": [(125, 92), (125, 258)],
    "3": [(125, 84), (125, 175), (125, 266)],
    "4": [(95, 114), (155, 114), (95, 236), (155, 236)],
}
PIP_SIZE = {"2": 0.74, "3": 0.7, "4": 0.54}


def placed(suit_path: str, x: float, y: float, size: float) -> str:
    """A suit shape with its centre at ``x, y``; upside down in the lower half of the card."""
    turn = " rotate(180)" if y > HEIGHT / 2 else ""
    return f'<path transform="translate({x} {y}){turn} scale({size})" d="{suit_path}"/>'


def card(rank: str, suit: str) -> str:
    """One card as an SVG text of 250 × 350 units: an index in two corners, the pips between."""
    colour, path = SUITS[suit]
    index = (
        f'<path transform="translate(14 18) scale(.7)" d="{RANKS[rank]}" fill="none" stroke="{colour}" '
        f'stroke-width="13" stroke-linecap="round" stroke-linejoin="round"/>{placed(path, 35, 104, 0.36)}'
    )
    pips = "".join(placed(path, x, y, PIP_SIZE[rank]) for x, y in PIPS[rank])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="17" '
        'fill="#fffefb" stroke="#b9bcbf" stroke-width="2"/>'
        f'<g fill="{colour}">{index}'
        f'<g transform="rotate(180 {WIDTH / 2} {HEIGHT / 2})">{index}</g>{pips}</g></svg>\n'
    )


if __name__ == "__main__":
    for rank in RANKS:
        for suit in SUITS:
            (FOLDER / f"{rank}{suit}.svg").write_text(card(rank, suit), encoding="utf-8")
