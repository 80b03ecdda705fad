"""Draws the Italian cards: ``python tools/card_art/italian.py`` writes ``_static/solitario/cards/*.svg``.

One picture for each of the 56 cards of the Tarocco Piemontese; the 40 of the Briscola pack are among them.
A card is 250 × 350 units, as those of ``_static/cards``. Its indices (the rank, and under it the suit) lie in
the upper left and the lower right corner, 60 wide and 120 high; everything else keeps out of there.
A file holds all that it shows, because an ``<img>`` cannot load other files. ``french.py`` draws the
French pack in the same style.
"""

from math import atan2, degrees
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[2] / "_static" / "solitario"

WIDTH, HEIGHT = 250, 350
PAPER, INK = "#fffefb", "#1b191d"
RED, GOLD, BLUE, STEEL, GREEN, LEAF = "#c4122f", "#edb93f", "#1f3f7a", "#a9bfdb", "#14523a", "#5f9a57"
SKIN, CHEEK, WHITE = "#f6d5b2", "#e79a84", "#ffffff"

RANKS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "V", "C", "D", "R")
INDEX_RED = "#a50f28"  # 7:1 on the card
SUITS = {"s": INK, "b": INK, "c": INDEX_RED, "d": INDEX_RED}  # the colour of the index

# Index figures as pen strokes in a box of 60 × 84.
FIGURES = {
    "1": "M15 21L33 6V79M15 79H51",
    "2": "M9 25C9 11 18 5 30 5 43 5 51 13 51 24 51 38 36 50 9 79H54",
    "3": "M9 17C14 8 21 5 30 5 43 5 50 13 50 22 50 33 41 39 26 39"
    "M26 39C43 39 53 47 53 60 53 72 43 79 29 79 18 79 11 75 7 67",
    "4": "M42 79V5L6 57H57",
    "5": "M50 5H16L12 38C18 33 24 31 31 31 45 31 54 41 54 55 54 69 44 79 29 79 18 79 11 75 7 68",
    "6": "M47 9C24 5 7 24 7 52 7 70 16 79 31 79 45 79 54 70 54 56 54 42 45 34 32 34 19 34 9 42 7 54",
    "7": "M7 5H54C38 27 29 51 26 80M16 43H47",
    "8": "M30 38C18 38 11 31 11 22 11 12 18 5 30 5 42 5 49 12 49 22 49 31 42 38 30 38 16 38 7"
    " 46 7 58 7 70 16 79 30 79"
    " 44 79 53 70 53 58 53 46 44 38 30 38Z",
    "9": "M13 75C36 79 53 60 53 32 53 14 44 5 29 5 15 5 6 14 6 28 6 42 15 50 28 50 41 50 51 42 53 30",
    "10": "M-1 18L9 8V79M42 5C30 5 24 18 24 42 24 66 30 79 42 79 54 79 60 66 60 42 60 18 54 5 42 5Z",
    "V": "M4 5L30 79 56 5",
    "C": "M54 19C49 10 41 5 32 5 16 5 6 19 6 42 6 65 16 79 32 79 41 79 49 74 54 65",
    "D": "M9 5V79H23C43 79 54 64 54 42 54 20 43 5 23 5Z",
    "R": "M10 79V5H30C44 5 51 13 51 24 51 36 44 44 30 44H10M31 44L54 79",
}

# Where coins and cups lie (those below the middle are upside down), and how large they are.
PIPS = {
    "2": ([(125, 95), (125, 255)], 1.0),
    "3": ([(125, 67), (125, 175), (125, 283)], 0.9),
    "4": ([(94, 64), (158, 64), (92, 286), (156, 286)], 0.64),
    "5": ([(94, 64), (158, 64), (125, 175), (92, 286), (156, 286)], 0.66),
    "6": ([(94, 64), (158, 64), (92, 175), (158, 175), (92, 286), (156, 286)], 0.64),
    "7": ([(94, 64), (158, 64), (52, 175), (125, 175), (198, 175), (92, 286), (156, 286)], 0.64),
    "8": ([(93, 58), (158, 58), (80, 144), (170, 144), (80, 206), (170, 206), (92, 292), (157, 292)], 0.61),
    "9": (
        [(93, 58), (158, 58), (76, 146), (174, 146), (125, 175)]
        + [(76, 204), (174, 204), (92, 292), (157, 292)],
        0.57,
    ),
    "10": (
        [(95, 58), (156, 58), (69, 146), (125, 146), (181, 146)]
        + [(69, 204), (125, 204), (181, 204), (94, 292), (155, 292)],
        0.53,
    ),
}


def attributes(more: dict[str, object]) -> str:
    """Further attributes of an element, with ``_`` for the hyphen of their names."""
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())


def path(d: str, fill: str = "none", **more: object) -> str:
    return f'<path d="{d}" fill="{fill}"{attributes(more)}/>'


def disc(x: float, y: float, r: float, fill: str, **more: object) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}"{attributes(more)}/>'


def placed(drawing: str, x: float, y: float, size: float = 1, turn: float = 0) -> str:
    """A drawing with its centre at ``x, y``, turned clockwise by so many degrees."""
    turned = f" rotate({turn:g})" if turn else ""
    sized = f" scale({size:g})" if size != 1 else ""
    return f'<g transform="translate({x:g} {y:g}){turned}{sized}">{drawing}</g>'


def outlined(drawing: str, width: float = 2.2) -> str:
    """A drawing with the printer's black line around its shapes."""
    line = f'stroke="{INK}" stroke-width="{width:g}" stroke-linejoin="round" stroke-linecap="round"'
    return f"<g {line}>{drawing}</g>"


def around(drawing: str, times: int, first: float = 0) -> str:
    """A drawing repeated about the centre."""
    return "".join(f'<g transform="rotate({first + 360 / times * k:g})">{drawing}</g>' for k in range(times))


# Each suit in a box of 100 × 100 about its own centre: told apart by outline, not by colour alone.
def coin() -> str:
    petal = path("M0-3C-9-10-8-20 0-25 8-20 9-10 0-3Z", RED)
    return (
        disc(0, 0, 48, RED)
        + disc(0, 0, 40, GOLD)
        + disc(0, 0, 34, "none", stroke=RED, stroke_width=4, stroke_dasharray="1 6.1", stroke_linecap="round")
        + disc(0, 0, 28, "none", stroke=RED, stroke_width=3)
        + around(petal, 6)
        + disc(0, 0, 4.5, RED)
    )


def cup() -> str:
    return (
        path("M-7 6H7L9 24C20 28 31 34 33 46H-33C-31 34-20 28-9 24Z", RED, stroke=INK, stroke_width=2.5)
        + path("M-37-42C-37-8-24 12 0 12 24 12 37-8 37-42Z", RED, stroke=INK, stroke_width=2.5)
        + path("M-35-26H35C34-20 33-15 31-11H-31C-33-15-34-20-35-26Z", GOLD)
        + "".join(disc(x, -18.5, 4, RED) for x in (-20, 0, 20))
        + path("M-41-48H41V-39H-41Z", GOLD, stroke=INK, stroke_width=2.5)
        + path("M-14 14H14V23H-14Z", GOLD, stroke=INK, stroke_width=2.5)
        + path("M-36 41H36V49H-36Z", GOLD, stroke=INK, stroke_width=2.5)
    )


def sword() -> str:
    return (
        path("M0-53L13-36V14H-13V-36Z", BLUE, stroke=INK, stroke_width=3)
        + path("M0-42V12", stroke=STEEL, stroke_width=3)
        + path("M-6 20H6V40H-6Z", INK)
        + path("M-38 6C-38 18-30 24-20 24H20C30 24 38 18 38 6L26 11H-26Z", GOLD, stroke=INK, stroke_width=3.5)
        + disc(0, 43, 8.5, GOLD, stroke=INK, stroke_width=3)
    )


def upright_baton() -> str:
    """The knotty baton of the signs, upright."""
    return (
        path(
            "M-9 50L-12-10-17-36C-17-50-8-54 0-54 8-54 17-50 17-36L12-10 9 50Z",
            GREEN,
            stroke=INK,
            stroke_width=3,
        )
        + path("M-12 2L-29-9-24-18-13-9ZM12 22L28 11 23 2 13 10Z", GREEN, stroke=INK, stroke_width=3)
        + path("M-16-30H16L14-21H-14ZM-9 38H9V47H-9Z", GOLD)
        + path("M-3-14L-2 32", stroke=LEAF, stroke_width=4)
    )


def baton() -> str:
    return f'<g transform="rotate(36) scale(1.3 1)">{upright_baton()}</g>'


SIGNS = {"s": sword(), "b": baton(), "c": cup(), "d": coin()}


def flower(petals: str, heart: str) -> str:
    """The little rose that fills what the pips leave free."""
    leaf = path("M0-10C-9-22-6-34 0-40 6-34 9-22 0-10Z", LEAF)
    petal = path("M0-2C-12-7-11-21 0-22 11-21 12-7 0-2Z", petals)
    return around(leaf, 4, 45) + outlined(around(petal, 5) + disc(0, 0, 5.5, heart), 1.6)


def number_of_shapes(rank: str, suit: str) -> str:
    """Coins or cups, one for each of the rank."""
    places, size = PIPS[rank]
    size *= 0.88 if suit == "c" and len(places) > 3 else 1
    pips = "".join(placed(SIGNS[suit], x, y, size, 180 if y > HEIGHT / 2 else 0) for x, y in places)
    free = {
        "2": [(62, 175), (188, 175)],
        "3": [(62, 175), (188, 175)],
        "4": [(125, 175)],
    }
    rose = flower(GOLD if suit == "c" else RED, RED if suit == "c" else GOLD)
    return pips + "".join(placed(rose, x, y, 0.8 if rank == "4" else 0.6) for x, y in free.get(rank, []))


def sabre(middle: float, end: float, width: float) -> str:
    """A curved blade, its hilt below; ``middle`` and ``end`` are where it is halfway and at both ends."""
    top, bottom, bend, base = 22, 296, 2 * middle - end, width * 0.5
    lean = degrees(atan2(end - bend, bottom - 163))
    hilt = (
        path("M-3 0H3V20H-3Z", INK)
        + path(f"M{-width:g}-5Q0 4 {width:g}-5V1Q0 9 {-width:g} 1Z", GOLD, stroke_width=1.6)
        + disc(0, 22, 5.5, GOLD, stroke_width=1.6)
    )
    return (
        path(
            f"M{end - base:g} {bottom}Q{bend - base:g} 163 {end - base:g} {top + 16}"
            f"L{end + 16 * (end - bend) / (bottom - 163):g} {top}L{end + base:g} {top + 16}"
            f"Q{bend + base:g} 163 {end + base:g} {bottom}Z",
            BLUE,
        )
        + path(f"M{end:g} {bottom}Q{bend:g} 163 {end:g} {top + 16}", stroke=STEEL, stroke_width=width * 0.26)
        + placed(hilt, end, bottom, 1, -lean)
    )


def long_sword(length: float, width: float) -> str:
    """A straight sword about its own centre."""
    top, guard = -length / 2, length / 2 - 42
    return (
        path(
            f"M0 {top:g}L{width:g} {top + 20:g}V{guard:g}H{-width:g}V{top + 20:g}Z",
            BLUE,
            stroke=INK,
            stroke_width=2,
        )
        + path(f"M0 {top + 10:g}V{guard:g}", stroke=STEEL, stroke_width=width * 0.55)
        + path(f"M-4 {guard:g}H4V{guard + 36:g}H-4Z", INK)
        + path(f"M-24 {guard - 5:g}q0 10 9 10H15q9 0 9-10l-8 2H-16Z", GOLD, stroke=INK, stroke_width=2)
        + disc(0, guard + 37, 6.5, GOLD, stroke=INK, stroke_width=2)
    )


def number_of_swords(rank: str) -> str:
    """Sabres that cross above and below, as many on either side; straight swords between them."""
    number = int(rank)
    straight = 2 if number == 10 else number % 2
    beside = (number - straight) // 2
    width = {1: 19, 2: 15, 3: 12, 4: 10}[beside]
    outermost = 50 if beside == 1 else 44  # the broadest keep clear of the index
    half = "".join(sabre(outermost + (width + 6) * k, 136 + width * k, width) for k in range(beside))
    left = outlined(half, 1.8)
    middle = {
        0: placed(flower(BLUE, GOLD), 125, 175, 0.95 if beside < 3 else 0.7),
        1: placed(long_sword(186, 7 if beside < 4 else 6), 125, 167),
        2: placed(long_sword(160, 5), 125, 164, 1, 9) + placed(long_sword(160, 5), 125, 164, 1, -9),
    }[straight]
    return left + f'<g transform="translate({WIDTH} 0) scale(-1 1)">{left}</g>' + middle


def rod(length: float, width: float) -> str:
    """A straight painted baton about its own centre."""
    end, w = length / 2, width / 2
    bands = "".join(f"M{-w:g} {y - 5:g}H{w:g}V{y + 5:g}H{-w:g}Z" for y in (-end + 24, end - 24))
    return (
        f'<rect x="{-w:g}" y="{-end:g}" width="{width:g}" height="{length:g}" rx="{w * 0.6:g}"'
        f' fill="{GREEN}" '
        f'stroke="{INK}" stroke-width="2.2"/>'
        + path(f"M{-w * 0.25:g} {-end + 36:g}V{end - 36:g}", stroke=LEAF, stroke_width=w * 0.5)
        + path(bands, GOLD, stroke=INK, stroke_width=1.6)
        + path(
            f"M{-w - 3:g} {-end:g}h{width + 6:g}v12h{-width - 6:g}ZM{-w - 3:g}"
            f" {end - 12:g}h{width + 6:g}v12h{-width - 6:g}Z",
            GOLD,
            stroke=INK,
            stroke_width=2,
        )
    )


def number_of_batons(rank: str) -> str:
    """Straight batons crossed, as many each way; upright ones over them."""
    number = int(rank)
    upright = 2 if number == 10 else number % 2
    each = (number - upright) // 2
    width = {1: 20, 2: 15, 3: 12, 4: 9}[each]
    step = {1: 0, 2: 30, 3: 22, 4: 15.5}[each]
    lean = {1: 20, 2: 15, 3: 14, 4: 13}[each]
    bundle = "".join(placed(rod(296, width), (k - (each - 1) / 2) * step, 0) for k in range(each))
    uprights = [0] if upright == 1 else [-9, 9] if upright else []
    return (
        placed(bundle, 125, 175, 1, lean)
        + placed(bundle, 125, 175, 1, -lean)
        + "".join(placed(rod(310, width + 1), 125 + x, 175) for x in uprights)
        + (placed(flower(GOLD, RED), 125, 175, 0.8) if not upright and each < 3 else "")
    )


def leafy(times: int) -> str:
    """A spray of leaves that rises from the centre."""
    leaf = path("M0 0C6-14 20-20 33-15 29-2 14 6 0 0Z", LEAF)
    side = "".join(placed(leaf, 0, -14 * k) for k in range(times))
    both = f'{side}<g transform="scale(-1 1)">{side}</g>'
    return path(f"M0 10V{-14 * times:g}", stroke=GREEN, stroke_width=4) + outlined(both, 1.6)


def ace(suit: str) -> str:
    return {"s": ace_of_swords, "b": ace_of_batons, "c": ace_of_cups, "d": ace_of_coins}[suit]()


def ace_of_coins() -> str:
    ray = path("M-11-74L0-99 11-74Z", GOLD, stroke=INK, stroke_width=2)
    petal = path("M0-6C-20-20-19-46 0-56 19-46 20-20 0-6Z", RED, stroke=INK, stroke_width=1.8)
    small = path("M0-8C-9-18-8-34 0-40 8-34 9-18 0-8Z", GOLD, stroke=INK, stroke_width=1.5)
    medal = (
        around(ray, 20)
        + disc(0, 0, 80, RED, stroke=INK, stroke_width=2.4)
        + disc(0, 0, 72, GOLD)
        + disc(
            0, 0, 66, "none", stroke=RED, stroke_width=5, stroke_dasharray="0 10.36", stroke_linecap="round"
        )
        + disc(0, 0, 59, PAPER, stroke=RED, stroke_width=3.5)
        + around(petal, 8)
        + around(small, 8, 22.5)
        + disc(0, 0, 13, GOLD, stroke=INK, stroke_width=2)
        + disc(0, 0, 5, RED)
    )
    spray = placed(leafy(2), 0, -104, 0.9) + placed(flower(RED, GOLD), 0, -134, 0.66)
    return placed(spray + medal + placed(spray, 0, 0, 1, 180), 125, 175, 0.93)


def ace_of_cups() -> str:
    stems = "".join(
        path(d, stroke=GREEN, stroke_width=5)
        for d in (
            "M125 150V70",
            "M118 150C112 120 96 112 84 108",
            "M132 150C138 118 160 106 172 96",
            "M128 150C150 130 186 130 200 140",
        )
    )
    leaves = "".join(
        placed(
            path("M0 0C8-16 24-22 40-16 32 0 16 6 0 0Z", LEAF, stroke=INK, stroke_width=1.8), x, y, 1, turn
        )
        for x, y, turn in ((125, 118, -24), (125, 120, 200), (108, 128, 178), (150, 132, 20), (150, 112, -60))
    )
    blooms = (
        placed(flower(RED, GOLD), 125, 60, 1.25)
        + placed(flower(GOLD, RED), 84, 112, 0.95)
        + placed(flower(GOLD, RED), 176, 92, 0.95)
        + placed(flower(RED, GOLD), 196, 148, 0.8)
        + placed(flower(RED, GOLD), 58, 156, 0.8)
    )
    stem = path("M120 152C100 140 76 142 60 154", stroke=GREEN, stroke_width=5)
    vase = (
        path(
            "M96 148C86 176 62 186 62 222 62 258 92 276 104 284L98 306H152L146 284C158 276 188"
            " 258 188 222 188 186 164 176 154 148Z",
            RED,
        )
        + path(
            "M64 206C80 212 170 212 186 206C189 218 188 230 185 240 168 246 82 246 65 240 62 230"
            " 61 218 64 206Z",
            GOLD,
        )
        + "".join(path(f"M{x} 215l9 10-9 11-9-11Z", RED) for x in (87, 106, 125, 144, 163))
        + path("M88 141H162V153H88Z", GOLD)
        + path("M101 281H149V291H101Z", GOLD)
        + path("M84 304H166V322H84Z", GOLD)
        + path(
            "M63 206C40 200 40 166 62 164 72 164 74 174 66 177M187 206C210 200 210 166 188 164"
            " 178 164 176 174 184 177",
            "none",
            stroke_width=11,
        )
        + path(
            "M63 206C40 200 40 166 62 164 72 164 74 174 66 177M187 206C210 200 210 166 188 164"
            " 178 164 176 174 184 177",
            "none",
            stroke=GOLD,
            stroke_width=6.5,
        )
    )
    shine = path("M76 218C78 200 90 186 100 172", stroke="#e8697c", stroke_width=5) + path(
        "M100 256C104 262 110 266 116 270", stroke="#e8697c", stroke_width=4
    )
    return (
        f'<g stroke-linecap="round">{stems}{stem}</g>'
        + leaves
        + blooms
        + outlined(vase, 2.4)
        + f'<g stroke-linecap="round">{shine}</g>'
    )


def ace_of_swords() -> str:
    blade = (
        path("M125 22L140 52V232H110V52Z", BLUE)
        + path("M125 40V228", stroke=STEEL, stroke_width=9)
        + path("M125 40V228", stroke=WHITE, stroke_width=2)
        + path("M118 250H132V306H118Z", INK)
        + path("M116 258l18 8M116 270l18 8M116 282l18 8M116 294l18 8", stroke=GOLD, stroke_width=3)
        + path("M68 226C68 244 82 252 98 252H152C168 252 182 244 182 226L164 232H86Z", GOLD)
        + disc(68, 225, 7, GOLD)
        + disc(182, 225, 7, GOLD)
        + disc(125, 242, 7, RED)
        + disc(125, 316, 13, GOLD)
        + disc(125, 316, 5, RED)
    )
    crown = (
        path("M80 118L68 74 96 96 110 66 125 88 140 66 154 96 182 74 170 118Z", GOLD)
        + path("M80 114H170V130H80Z", RED)
        + "".join(disc(x, 122, 4.5, GOLD) for x in (92, 109, 125, 141, 158))
        + "".join(disc(x, y, 5.5, RED) for x, y in ((68, 72), (110, 63), (140, 63), (182, 72)))
    )
    branches = placed(leafy(5), 112, 214, 0.92, -46) + placed(leafy(5), 138, 214, 0.92, 46)
    return branches + outlined(blade, 2.4) + outlined(crown, 2.2)


def ace_of_batons() -> str:
    club = (
        path(
            "M108 322L104 236 86 222 94 208 102 214 96 118 92 74C90 44 106 28 125 28 144 28 160"
            " 44 158 74L155 104"
            " 172 90 181 103 153 130 146 236 142 322Z",
            GREEN,
        )
        + path("M88 222l6-13M173 91l8 12", stroke=GOLD, stroke_width=5)
        + path("M118 90C116 130 121 200 121 230M134 104C134 140 129 180 129 220", stroke=LEAF, stroke_width=6)
        + path("M94 68H156L155 84H95ZM107 300H143L142 316H108Z", GOLD)
        + "".join(disc(x, 76, 4, RED) for x in (107, 125, 143))
    )
    ribbon = (
        path("M103 262C80 250 50 262 46 288L60 282 64 298C70 282 84 276 104 280Z", RED)
        + path("M147 262C170 250 200 252 206 216L192 224 186 210C182 236 168 246 146 246Z", RED)
        + path("M102 248L148 240V268L102 282Z", GOLD)
        + path("M104 258L147 250M104 270L147 260", stroke=RED, stroke_width=3)
    )
    leaves = "".join(
        placed(
            path("M0 0C8-18 28-26 46-18 38 2 18 8 0 0Z", LEAF, stroke=INK, stroke_width=1.8), x, y, size, turn
        )
        for x, y, size, turn in (
            (88, 214, 1, 200),
            (90, 214, 0.9, 150),
            (178, 96, 0.9, -40),
            (178, 96, 0.9, 20),
            (152, 150, 1, 0),
            (99, 166, 1, 190),
            (150, 184, 0.85, 20),
            (101, 150, 0.8, 160),
        )
    )
    return leaves + outlined(club + ribbon, 2.4)


# The court cards: a figure to the waist in the upper half, its axis at x = 147; the lower half is the same,
# turned. The panel behind it leaves the corners of the indices free.
PANEL = "M64 12H238V225H186V338H12V125H64Z"
HALF = "M64 12H238V175H12V125H64Z"


class Livery(NamedTuple):
    """The colours of a suit's court."""

    ground: str  # behind the figures
    main: str
    second: str
    trim: str
    strong: str  # of hats
    hair: str
    beard: str
    veil: str
    horse: str
    mane: str
    jewel: str


LIVERY = {
    "s": Livery(
        ground="#eef2f8",
        main=BLUE,
        second=STEEL,
        trim=GOLD,
        strong=BLUE,
        hair="#3a2a22",
        beard="#c9ccd2",
        veil="#b9cbe6",
        horse="#d5dae0",
        mane="#5a6270",
        jewel=RED,
    ),
    "b": Livery(
        ground="#f0f5e6",
        main=GREEN,
        second="#cfe0a8",
        trim=GOLD,
        strong=GREEN,
        hair="#5c3317",
        beard="#6b4426",
        veil="#d3e2a4",
        horse="#7a4a2a",
        mane="#2b1a10",
        jewel=RED,
    ),
    "c": Livery(
        ground="#fdf1ea",
        main=RED,
        second=WHITE,
        trim=GOLD,
        strong=RED,
        hair="#8c4a1e",
        beard="#a9653a",
        veil="#f4bfae",
        horse="#f7f1e6",
        mane="#c9a06a",
        jewel=BLUE,
    ),
    "d": Livery(
        ground="#fdf5df",
        main=GOLD,
        second=RED,
        trim=RED,
        strong=RED,
        hair="#d89a36",
        beard="#e3c27a",
        veil="#ffe08a",
        horse="#b06a32",
        mane="#4a2410",
        jewel=RED,
    ),
}


def motif(suit: str) -> str:
    """The pattern of a robe, as the content of a tile of 20 × 20."""
    main, second, trim = LIVERY[suit].main, LIVERY[suit].second, LIVERY[suit].trim
    return {
        "s": path("M10 4V16M4 10H16", stroke=second, stroke_width=2.6),
        "b": path("M10 3C15 7 15 13 10 17 5 13 5 7 10 3Z", second)
        + path("M0-3V3M20-3V3M0 17V23M20 17V23", stroke=trim, stroke_width=3),
        "c": path("M10 3L17 10 10 17 3 10Z", trim) + disc(10, 10, 2.4, main),
        "d": disc(10, 10, 5.5, "none", stroke=second, stroke_width=2.4)
        + disc(10, 10, 1.8, second)
        + disc(0, 0, 1.8, second),
    }[suit]


def robe(d: str, main: str) -> str:
    """A garment in its colour, and on it the pattern of the card."""
    return path(d, main) + path(d, "url(#robe)")


def face(brow: str) -> str:
    """A face of 50 × 70 about the bridge of its nose; ``brow`` is the colour of the brows."""
    return (
        path("M-25-20C-28 10-15 36 0 38 15 36 28 10 25-20 18-36-18-36-25-20Z", SKIN)
        + "".join(disc(x, 11, 6, CHEEK, opacity=0.55, stroke="none") for x in (-14, 14))
        + path("M-18-2Q-11-9-4-2-11 3-18-2ZM4-2Q11-9 18-2 11 3 4-2Z", WHITE, stroke_width=1.4)
        + disc(-10.5, -2.6, 3.1, INK, stroke="none")
        + disc(11.5, -2.6, 3.1, INK, stroke="none")
        + path("M-20-10Q-12-16-4-11M4-11Q12-16 20-10", stroke=brow, stroke_width=2.6)
        + path("M2-4L6 11Q2 15-3 12", stroke_width=1.8)
    )


def lips(y: float = 23) -> str:
    return path(f"M-8 {y}Q-3 {y - 3} 0 {y - 1} 3 {y - 3} 8 {y} 0 {y + 6}-8 {y}Z", RED, stroke_width=1)


def hand(x: float, y: float, suit: str) -> str:
    """A fist with its cuff, turned to what it holds."""
    trim = LIVERY[suit].trim
    fist = path("M-12-8C-12-15 11-15 12-8L12 9C11 15-10 15-12 9Z", SKIN) + path(
        "M-2-6H12M-2 0H12M-2 6H12", stroke_width=1.6
    )
    return placed(path("M-13 11L13 9 17 26C8 31-8 32-17 28Z", trim) + fist, x, y)


def held(suit: str, rank: str) -> str:
    """The suit's sign on the right of the figure, in its hand."""
    if suit == "s":
        return placed(long_sword(150, 8.5), 212, 93)
    if suit == "b" and rank == "R":
        spike = path("M-5-20L0-33 5-20Z", GOLD)
        mace = (
            path("M-6 0H6V92H-6Z", GREEN)
            + path("M-8 30H8V38H-8ZM-8 78H8V88H-8Z", GOLD)
            + around(spike, 8)
            + disc(0, 0, 22, GREEN)
            + disc(0, 0, 9, GOLD)
        )
        return placed(outlined(mace), 211, 50, 0.84)
    if suit == "b":
        return placed(rod(166, 17), 212, 100)
    return placed(SIGNS[suit], 208, 56 if suit == "d" else 54, 0.58 if suit == "d" else 0.64)


def grip(suit: str) -> tuple[float, float]:
    """Where the hand takes hold."""
    return {"s": (212, 139), "b": (212, 126), "c": (208, 92), "d": (208, 92)}[suit]


def crown(width: float, height: float, points: int, jewel: str) -> str:
    """A crown that stands on ``y = 0``."""
    w, step = width / 2, width / (points - 1)
    tops = [(-w * 1.2 + step * 1.2 * k, -height + abs(k - (points - 1) / 2) * 3) for k in range(points)]
    line = f"M{-w:g} 0L{tops[0][0]:g} {tops[0][1]:g}"
    for (x1, _), (x2, y2) in zip(tops, tops[1:]):
        line += f"L{(x1 + x2) / 2 * 0.95:g} {-height * 0.42:g} {x2:g} {y2:g}"
    return (
        path(line + f"L{w:g} 0Z", GOLD)
        + "".join(disc(x, y - 2, 3.6, jewel) for x, y in tops)
        + path(f"M{-w:g}-3Q0 3 {w:g}-3L{w + 1:g}-14Q0-8 {-w - 1:g}-14Z", jewel)
        + "".join(
            disc(x * w, -8 + (1 - x * x) * 3, 2.6, GOLD, stroke="none") for x in (-0.7, -0.35, 0, 0.35, 0.7)
        )
    )


def arm(suit: str, fill: str) -> str:
    """The sleeve that rises from below to the fist."""
    x, y = grip(suit)
    elbow = max(y + 45, 176)
    return path(
        f"M{x - 14:g} {y + 20:g}H{x + 14:g}C{x + 22:g} {y + 40:g} 238 {elbow - 18:g} 239 {elbow:g}H{x - 24:g}"
        f"C{x - 28:g} {elbow - 16:g} {x - 18:g} {y + 42:g} {x - 14:g} {y + 20:g}Z",
        fill,
    )


def king(suit: str) -> str:
    """Crowned and bearded, in ermine."""
    colours = LIVERY[suit]
    spots = "".join(
        path(f"M{x} {y}l3 8h-6Z", INK, stroke="none")
        for x, y in (
            (98, 132),
            (116, 140),
            (92, 150),
            (178, 140),
            (196, 132),
            (112, 158),
            (182, 158),
            (200, 150),
        )
    )
    return (
        robe("M30 175C36 140 76 118 112 112H182C216 118 236 140 240 175Z", colours.main)
        + path(
            "M86 124C100 116 112 112 120 108H174C182 112 194 116 208 124 214 140 212 158 206"
            " 175H186C186 152 176 140 147 140 118 140 108 152 108 175H88C80 158 80 140 86 124Z",
            WHITE,
        )
        + spots
        + path("M108 175C108 152 118 140 147 140 176 140 186 152 186 175Z", colours.trim)
        + path("M118 66C108 90 112 108 122 118H172C182 108 186 90 176 66Z", colours.hair)
        + placed(face(colours.beard), 147, 76)
        + placed(
            path(
                "M-27 2C-33 40-24 66 0 82 24 66 33 40 27 2 22 14 14 16 0 14-14 16-22 14-27 2Z", colours.beard
            )
            + path(
                "M-14 40Q-13 54-6 64M14 40Q13 54 6 64M0 42V70M-20 26Q-20 38-17 46M20 26Q20 38 17 46",
                stroke_width=1.4,
            )
            + path("M0 15C-6 12-18 14-24 24-14 30-5 26 0 21 5 26 14 30 24 24 18 14 6 12 0 15Z", colours.beard)
            + path("M-6 28Q0 34 6 28 0 25-6 28Z", RED, stroke_width=1),
            147,
            76,
        )
        + placed(crown(62, 38, 5, colours.jewel), 147, 59)
    )


def queen(suit: str) -> str:
    """Veiled, under a small crown."""
    colours = LIVERY[suit]
    return (
        path(
            "M147 30C104 30 104 78 96 104 88 130 72 146 60 175H234C222 146 206 130 198 104 190 78"
            " 190 30 147 30Z",
            colours.veil,
        )
        + path(
            "M106 80C100 112 88 138 80 160M188 80C194 112 206 138 214 160",
            stroke=colours.trim,
            stroke_width=2.4,
        )
        + robe("M84 175C84 146 104 130 122 126H172C190 130 210 146 210 175Z", colours.main)
        + path("M124 126H170C172 150 160 162 147 166 134 162 122 150 124 126Z", SKIN)
        + path(
            "M118 127C120 156 134 168 147 172 160 168 174 156 176 127", stroke=colours.trim, stroke_width=6.5
        )
        + path("M134 104H160V128C156 136 138 136 134 128Z", SKIN)
        + path(
            "M130 132Q147 150 164 132",
            stroke=colours.jewel,
            stroke_width=4.5,
            stroke_dasharray="0 6.5",
        )
        + disc(147, 146, 4.5, GOLD)
        + placed(face(colours.hair), 147, 78, 0.92)
        + placed(lips(), 147, 78, 0.92)
        + path(
            "M147 46C124 46 112 66 118 100 126 96 126 74 147 58 168 74 168 96 176 100 182 66 170 46 147 46Z",
            colours.hair,
        )
        + path("M147 48V58", stroke_width=1.4)
        + path(
            "M112 70C112 40 128 32 147 32 166 32 182 40 182 70 174 54 164 48 147 48 130 48 120 54 112 70Z",
            colours.veil,
        )
        + placed(crown(40, 21, 3, colours.jewel), 147, 43)
    )


def jack(suit: str) -> str:
    """Young, with a feathered cap."""
    colours = LIVERY[suit]
    return (
        robe("M54 175C58 146 92 126 124 122H170C202 126 226 146 232 175Z", colours.main)
        + path("M130 122H164L160 175H134Z", colours.second)
        + "".join(disc(147, y, 4, colours.trim) for y in (140, 153, 166))
        + path(
            "M147 44C112 42 104 78 108 104 106 114 114 118 122 112L172 112C180 118 188 114 186"
            " 104 190 78 182 42 147 44Z",
            colours.hair,
        )
        + path("M134 104H160V126H134Z", SKIN)
        + path(
            "M116 122Q124 108 132 118 140 108 147 118 154 108 162 118 170 108 178 122 170 136 162"
            " 128 154 138 147 129 140 138 132 128 124 136 116 122Z",
            WHITE,
        )
        + placed(face(colours.hair), 147, 80, 0.9)
        + placed(lips(), 147, 80, 0.9)
        + path("M124 72C124 62 132 56 147 56 162 56 170 62 170 72L176 56H118Z", colours.hair)
        + path(
            "M104 56C90 28 118 18 150 20 184 20 204 34 190 54 162 44 132 46 104 56Z",
            colours.strong,
        )
        + path("M104 56C132 44 164 42 190 54L188 64C162 54 134 56 108 66Z", GOLD)
        + path(
            "M112 50C84 50 66 34 70 16 84 14 106 22 120 46 104 34 92 28 84 26 94 32 104 40 112 50Z",
            WHITE if suit != "c" else GOLD,
        )
        + disc(114, 48, 5, colours.trim)
    )


def knight(suit: str) -> str:
    """His horse before him."""
    colours = LIVERY[suit]
    horse = (
        path(
            "M64 175C70 160 98 154 108 132 100 126 94 128 90 132 86 142 74 144 68 138 62 132 64"
            " 120 70 114L88 66C88 54 94 48 100 44L98 24 112 36 120 24 126 44C146 60 160 96 164"
            " 175Z",
            colours.horse,
        )
        + path(
            "M118 40C150 58 176 110 172 175H152C154 160 150 156 146 148 152 144 146 134 140 130"
            " 146 122 140 112 132 108 138 100 132 88 124 86 128 76 122 64 114 60 116 52 116 46"
            " 118 40Z",
            colours.mane,
        )
        + path("M112 38C104 48 100 60 102 72 108 66 112 58 118 46Z", colours.mane)
        + path("M101 66Q106 61 111 67 106 71 101 66Z", WHITE, stroke_width=1.4)
        + disc(105.5, 66.5, 2.6, INK, stroke="none")
        + path("M71 123q4 2 6-2M68 133q6 1 10-3", stroke_width=2)
        + path("M80 92L106 112M104 44L120 84 106 112 110 132M80 92L92 130", stroke=INK, stroke_width=6.5)
        + path(
            "M80 92L106 112M104 44L120 84 106 112 110 132M80 92L92 130",
            stroke=RED if suit != "d" else BLUE,
            stroke_width=4,
        )
        + disc(106, 112, 4.5, GOLD)
        + path("M106 112C124 140 150 152 176 154", stroke=INK, stroke_width=6.5)
        + path("M106 112C124 140 150 152 176 154", stroke=RED if suit != "d" else BLUE, stroke_width=4)
    )
    rider = (
        robe("M140 175C142 136 158 118 176 114H194C222 118 250 140 254 175Z", colours.main)
        + path("M176 114L185 175 198 175 194 114Z", colours.second)
        + path("M178 100H196V120H178Z", SKIN)
        + path("M166 60C160 84 160 98 166 106H206C212 98 212 84 206 60Z", colours.hair)
        + placed(face(colours.hair), 187, 76, 0.74)
        + placed(lips(), 187, 76, 0.74)
        + path("M172 108Q187 124 202 108L206 120Q187 134 168 120Z", colours.trim)
        + path(
            "M160 60C160 36 174 26 188 26 204 26 214 40 213 60 196 50 178 50 160 60Z",
            colours.strong,
        )
        + path("M152 66C170 48 202 48 222 66 202 60 172 60 152 66Z", GOLD)
    )
    return placed(rider, -19, 0) + placed(horse, 7.7, 21, 0.88)


def court(rank: str, suit: str) -> str:
    colours = LIVERY[suit]
    figure = {"V": jack, "C": knight, "D": queen, "R": king}[rank](suit)
    x, y = grip(suit)
    sleeve = arm(suit, colours.main) + arm(suit, "url(#robe)")
    half = outlined(figure + sleeve) + held(suit, rank) + outlined(hand(x, y, suit))
    return two_headed(half, PANEL, HALF, colours, motif(suit), SUITS[suit])


def two_headed(half: str, panel: str, upper: str, colours: Livery, tile: str, line: str) -> str:
    """A figure on its panel, and once more turned; ``tile`` is the pattern of its robe, 20 × 20."""
    band = path("M12 169H238V181H12Z", colours.trim) + path(
        "M18 175H234", stroke=PAPER, stroke_width=4.5, stroke_dasharray="0 9", stroke_linecap="round"
    )
    return (
        '<defs><pattern id="robe" width="20" height="20" patternUnits="userSpaceOnUse" '
        'patternTransform="translate(147 0) rotate(45) scale(.8)">'
        f'{tile}</pattern><clipPath id="upper"><path d="{upper}"/></clipPath>'
        f'<g id="half"><g clip-path="url(#upper)">{half}</g></g></defs>'
        + path(panel, colours.ground)
        + f'<use href="#half"/><use href="#half" transform="rotate(180 125 175)"/>{outlined(band, 1.8)}'
        + path(panel, stroke=line, stroke_width=2.2)
    )


def card(rank: str, suit: str) -> str:
    """One card as an SVG text of 250 × 350 units."""
    index = figure(FIGURES[rank], SUITS[suit]) + placed(SIGNS[suit], 34, 97, 0.46)
    if rank == "1":
        picture = ace(suit)
    elif rank in "VCDR":
        picture = court(rank, suit)
    elif suit in "cd":
        picture = number_of_shapes(rank, suit)
    else:
        picture = number_of_swords(rank) if suit == "s" else number_of_batons(rank)
    return framed(index, picture)


def figure(strokes: str, colour: str) -> str:
    """The rank of an index, from its pen strokes."""
    return (
        f'<path transform="translate(13 12) scale(.68)" d="{strokes}" fill="none" stroke="{colour}" '
        'stroke-width="13.5" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def framed(index: str, picture: str) -> str:
    """A card with its index in both corners."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<defs><g id="index">{index}</g></defs>'
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="17" '
        f'fill="{PAPER}" stroke="#b9bcbf" stroke-width="2"/>{picture}'
        f'<use href="#index"/><use href="#index" transform="rotate(180 {WIDTH / 2:g}'
        f' {HEIGHT / 2:g})"/></svg>\n'
    )


def pictures() -> dict[str, str]:
    """Returns the pictures of the Italian packs, by their paths in ``_static/solitario``."""
    return {f"cards/{rank}{suit}.svg": card(rank, suit) for rank in RANKS for suit in SUITS}


def write(pictures: dict[str, str]) -> None:
    """Writes pictures into ``_static/solitario``."""
    for name, text in pictures.items():
        file = FOLDER / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(pictures())
