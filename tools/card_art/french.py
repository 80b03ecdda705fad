"""Draws the French cards: ``python tools/card_art/french.py`` writes ``_static/solitario/french/*.svg``.

52 pictures on the frame and in the style of ``italian.py``. They have their own folder, because ``10s.svg``
and ``10S.svg`` are one file where names ignore case. An index is a row, rank and then suit, within the
uppermost 76 units, which are the visible part of a card in a column.
"""

from italian import (
    FIGURES,
    GOLD,
    GREEN,
    HEIGHT,
    INDEX_RED,
    INK,
    LEAF,
    LIVERY,
    PAPER,
    RED,
    SKIN,
    STEEL,
    WHITE,
    Livery,
    around,
    crown,
    disc,
    face,
    figure,
    flower,
    framed,
    lips,
    long_sword,
    outlined,
    path,
    placed,
    robe,
    two_headed,
    write,
)

RANKS = {rank: FIGURES[rank] for rank in ("2", "3", "4", "5", "6", "7", "8", "9", "10")} | {
    "A": "M4 79L30 5 56 79M14 55H46",
    "J": "M46 5V55C46 71 38 79 27 79 15 79 7 71 7 58",
    "Q": "M30 5C14 5 6 19 6 42 6 65 14 79 30 79 46 79 54 65 54 42 54 19 46 5 30 5ZM36 58L57 83",
    "K": "M10 5V79M52 5L11 50M26 35L55 79",
}

# For four colours, a page asks for the picture's fragment #four, which a rule in the picture selects.
FOUR = {"C": "#0f5c35", "D": "#174ea6"}

# Each suit's colour and shape, as in small_pack.py: 100 × 100 about its own centre.
SUITS = {
    "S": (
        INK,
        "M0-48C11-29 45-11 45 15 45 29 35 38 23 38 15 38 8 34 4 27 6 37 12 43 19 47"
        "H-19C-12 43-6 37-4 27-8 34-15 38-23 38-35 38-45 29-45 15-45-11-11-29 0-48Z",
    ),
    "H": (
        INDEX_RED,
        "M0 47C-13 30-47 11-47-16-47-34-34-45-21-45-10-45-3-38 0-28"
        " 3-38 10-45 21-45 34-45 47-34 47-16 47 11 13 30 0 47Z",
    ),
    "C": (
        INK,
        "M-22-23a22 22 0 1 1 44 0a22 22 0 0 1-6 15A22 22 0 1 1 7 24C9 35 14 42 21 47H-21C-14 42-9 35-7 24"
        "A22 22 0 1 1-16-8a22 22 0 0 1-6-15Z",
    ),
    "D": (INDEX_RED, "M0-49C9-30 21-13 37 0 21 13 9 30 0 49-9 30-21 13-37 0-21-13-9-30 0-49Z"),
}

COUNTERPART = {"S": "s", "H": "c", "C": "b", "D": "d"}  # the Italian suit whose colours its court wears

# Where pips lie (those below the middle are upside down), and how large they are.
LEFT, MIDDLE, RIGHT = 63, 125, 187
ENDS = [(x, y) for x in (LEFT, RIGHT) for y in (112, 238)]
SIDES = [(LEFT, 175), (RIGHT, 175)]
EIGHT = [(x, y) for x in (LEFT, RIGHT) for y in (103, 151, 199, 247)]
PIPS = {
    "2": ([(MIDDLE, 114), (MIDDLE, 236)], 0.74),
    "3": ([(MIDDLE, 109), (MIDDLE, 175), (MIDDLE, 241)], 0.58),
    "4": (ENDS, 0.62),
    "5": ([*ENDS, (MIDDLE, 175)], 0.6),
    "6": ([*ENDS, *SIDES], 0.54),
    "7": ([*ENDS, *SIDES, (MIDDLE, 143)], 0.52),
    "8": ([*ENDS, *SIDES, (MIDDLE, 143), (MIDDLE, 207)], 0.52),
    "9": ([*EIGHT, (MIDDLE, 175)], 0.45),
    "10": ([*EIGHT, (MIDDLE, 127), (MIDDLE, 223)], 0.45),
}


def pip(x: float, y: float, size: float) -> str:
    """The card's own suit, drawn once in it; upside down in the lower half."""
    turn = " rotate(180)" if y > HEIGHT / 2 else ""
    return f'<use href="#pip" transform="translate({x:g} {y:g}){turn} scale({size:g})"/>'


def ace(suit: str) -> str:
    """One large sign with a line around it and a flower in it."""
    colour, outline = SUITS[suit]
    petals = (WHITE, GOLD) if colour == INDEX_RED else (GOLD, RED)
    around_it = path(outline, stroke="currentColor", stroke_width=12) + path(
        outline, stroke=PAPER, stroke_width=9
    )
    return (
        f'<g transform="translate(125 175) scale(1.6)" stroke-linejoin="round">{around_it}</g>'
        + pip(125, 175, 1.6)
        + placed(flower(*petals), 125, {"S": 183, "H": 166, "C": 175, "D": 175}[suit], 0.8)
    )


# The court cards: two-headed as the Italian ones, but the index is broad, so the figure stands to the right
# of it, its axis at x = 162, and the suit's sign lies under the index.
PANEL = "M118 12H238V272H132V338H12V78H118Z"
HALF = "M118 12H238V175H12V78H118Z"


def hand(x: float, y: float, colours: Livery) -> str:
    """A fist that comes out of its cuff from below."""
    cuff = path("M-14 10L14 10 18 26C8 31-8 31-18 26Z", colours.trim)
    fist = path("M-12-8C-12-15 11-15 12-8L12 9C11 15-10 15-12 9Z", SKIN)
    return placed(cuff + fist + path("M-12-4H3M-12 2H3M-12 8H3", stroke_width=1.6), x, y)


def sleeve(colours: Livery) -> str:
    return robe(
        "M200 150C204 146 232 146 236 154 242 162 242 170 242 180H176C180 166 190 156 200 150Z", colours.main
    )


def staff(top: float) -> str:
    return path(f"M-4 {top:g}H4V80H-4Z", "#8a5a2b")


def axe() -> str:
    blade = path("M4-53C10-55 15-60 18-69 25-54 25-36 18-21 15-30 10-35 4-37Z", STEEL)
    return staff(-70) + blade + path("M-4-52L-15-45-4-38Z", STEEL) + disc(0, -72, 5, GOLD)


def halberd() -> str:
    blade = path("M4-36C10-38 15-43 17-51 24-38 24-25 17-12 15-20 10-25 4-27Z", STEEL)
    return staff(-44) + path("M0-82L7-56 3-44H-3L-7-56Z", STEEL) + blade + path("M-4-37L-15-31-4-25Z", STEEL)


def sceptre(colours: Livery) -> str:
    """Three leaves of a lily on a rod."""
    lily = (
        path("M-4-40C-20-38-22-58-12-58-6-58-6-50-4-46ZM4-40C20-38 22-58 12-58 6-58 6-50 4-46Z", GOLD)
        + path("M0-78C10-66 10-52 4-40H-4C-10-52-10-66 0-78Z", GOLD)
        + path("M-9-42H9V-34H-9Z", colours.jewel)
    )
    return path("M-4-36H4V80H-4Z", GOLD) + lily


def standard(suit: str, colours: Livery) -> str:
    """The suit's sign on a staff."""
    _, outline = SUITS[suit]
    return staff(-44) + path("M-8-42H8V-33H-8Z", GOLD) + placed(path(outline, GOLD), 0, -59, 0.42)


def rose(colours: Livery, petals: str) -> str:
    leaf = path("M0 0C6-12 16-16 24-12 20-2 10 4 0 0Z", LEAF)
    bloom = path("M0-3C-13-8-12-24 0-25 12-24 13-8 0-3Z", petals)
    return (
        path("M-2-40H2V70H-2Z", GREEN)
        + placed(leaf, 0, -14, 1)
        + placed(f'<g transform="scale(-1 1)">{leaf}</g>', 0, -4, 1)
        + placed(around(bloom, 5) + disc(0, 0, 7, GOLD), 0, -50, 0.92)
    )


def held(rank: str, suit: str, colours: Livery) -> str:
    if rank == "Q":
        return rose(colours, {"S": WHITE, "H": RED, "C": "#e58fa6", "D": GOLD}[suit])
    if rank == "K":
        return {
            "S": placed(long_sword(154, 8.5), 0, -3),
            "H": sceptre(colours),
            "C": placed(long_sword(154, 8.5), 0, -3),
            "D": axe(),
        }[suit]
    return halberd() if suit in "SC" else standard(suit, colours)


def king(suit: str, colours: Livery) -> str:
    """Crowned, his beard parted, ermine down his front."""
    ermine = "M128 116C112 128 104 150 102 180H134C134 156 138 140 146 126Z"
    spots = "".join(
        path(f"M{x} {y}l3 8h-6Z", INK, stroke="none")
        for x, y in ((124, 130), (112, 148), (126, 154), (110, 166))
    )
    side = path(ermine, WHITE) + spots
    curl = path("M-24-16C-34-8-32 8-36 18-44 24-46 36-36 40-26 42-22 34-24 28-18 20-20 6-18-8Z", colours.hair)
    return (
        robe(
            "M12 180C22 154 74 150 100 134 112 127 122 120 128 114H196C222 120 240 146 242 180Z", colours.main
        )
        + path("M136 112H188V180H136Z", colours.trim)
        + "".join(path(f"M136 {y}H188", stroke=colours.main, stroke_width=4) for y in (150, 162))
        + side
        + f'<g transform="translate(324 0) scale(-1 1)">{side}</g>'
        + placed(
            curl
            + f'<g transform="scale(-1 1)">{curl}</g>'
            + face(colours.beard)
            + path(
                "M-26 2C-32 34-24 56-12 68-5 62-2 56 0 48 2 56 5 62 12 68"
                " 24 56 32 34 26 2 21 14 14 16 0 14-14 16-21 14-26 2Z",
                colours.beard,
            )
            + path(
                "M-16 34Q-17 46-12 56M16 34Q17 46 12 56M-7 36Q-8 44-6 50M7 36Q8 44 6 50M0 34V48",
                stroke_width=1.4,
            )
            + path("M0 15C-6 12-18 13-26 22-15 30-5 27 0 21 5 27 15 30 26 22 18 13 6 12 0 15Z", colours.beard)
            + path("M-6 28Q0 34 6 28 0 25-6 28Z", RED, stroke_width=1),
            162,
            78,
        )
        + placed(crown(60, 38, 5, colours.jewel), 162, 60)
    )


def queen(suit: str, colours: Livery) -> str:
    """Her hair down in waves under a hood, a small crown on it, a flower in her hand."""
    wave = path(
        "M-4-32C-30-34-38-8-34 10-30 20-40 28-36 40-30 52-18 48-20 36-26 26-18 18-22 4-22-10-14-22-4-24Z",
        colours.hair,
    )
    return (
        robe("M40 180C50 150 88 132 132 124H192C220 132 238 152 242 180Z", colours.main)
        + path("M126 124L162 176 198 124 188 118H136Z", WHITE)
        + path("M134 122C138 142 150 154 162 160 174 154 186 142 190 122L180 116H144Z", SKIN)
        + path("M126 124L162 176 198 124", stroke=colours.trim, stroke_width=6)
        + path("M149 104H175V128C170 136 154 136 149 128Z", SKIN)
        + path("M144 132Q162 150 180 132", stroke=colours.jewel, stroke_width=4.5, stroke_dasharray="0 6.5")
        + disc(162, 146, 4.5, GOLD)
        + placed(
            path(
                "M-40-4C-42-34-22-44 0-44 22-44 42-34 40-4L34 14C34-20 24-30 0-30-24-30-34-20-34 14Z",
                colours.strong,
            )
            + face(colours.hair)
            + lips()
            + wave
            + f'<g transform="scale(-1 1)">{wave}</g>'
            + path("M-38 8C-38-28-24-37 0-37 24-37 38-28 38 8", stroke=colours.trim, stroke_width=4),
            162,
            80,
            0.94,
        )
        + placed(crown(46, 24, 3, colours.jewel), 162, 45)
    )


def jack(suit: str, colours: Livery) -> str:
    """Young, a cap with a feather on his locks."""
    lock = path(
        "M-14-20C-32-16-30 8-30 20-34 30-44 30-42 38-34 46-20 42-18 32-16 20-22 6-20-8Z", colours.hair
    )
    return (
        robe(
            "M22 180C30 156 78 152 106 136 116 130 126 124 132 120H192C220 128 240 150 242 180Z", colours.main
        )
        + path("M144 116H180L174 180H150Z", colours.second)
        + path(
            "M150 134L174 146M151 150L173 162M174 134L150 146M173 150L151 162",
            stroke=GOLD,
            stroke_width=3.2,
        )
        + path("M149 100H175V124H149Z", SKIN)
        + path("M124 120C136 112 146 116 162 128 178 116 188 112 200 120L190 138 162 132 134 138Z", WHITE)
        + placed(
            lock
            + f'<g transform="scale(-1 1)">{lock}</g>'
            + face(colours.hair)
            + lips()
            + path("M0 18C-5 15-10 16-15 21M0 18C5 15 10 16 15 21", stroke=colours.hair, stroke_width=2.8)
            + path("M-25-18Q0-30 25-18L20-8Q0-20-20-8Z", colours.hair),
            162,
            82,
            0.92,
        )
        + path("M126 62C116 36 140 26 164 26 188 26 206 40 200 64 176 52 150 52 126 62Z", colours.strong)
        + path("M124 60C146 48 180 48 202 62L200 72C176 60 150 60 128 70Z", colours.trim)
        + path("M136 56C121 46 117 30 126 17 139 21 149 36 147 52Z", WHITE if suit != "H" else GOLD)
        + path("M128 23Q132 40 140 52", stroke_width=1.4)
    )


def court(rank: str, suit: str) -> str:
    _, outline = SUITS[suit]
    colours = LIVERY[COUNTERPART[suit]]
    person = {"J": jack, "Q": queen, "K": king}[rank](suit, colours)
    x, y = 211, 138
    half = outlined(
        person + sleeve(colours) + placed(held(rank, suit, colours), x, 96) + hand(x, y, colours)
    ) + pip(50, 112, 0.56)
    tile = path(outline, colours.second, transform="translate(10 10) rotate(-45) scale(.13)")
    return two_headed(half, PANEL, HALF, colours, tile, "currentColor")


def card(rank: str, suit: str) -> str:
    """One card as an SVG text of 250 × 350 units."""
    colour, outline = SUITS[suit]
    if rank == "A":
        picture = ace(suit)
    elif rank in PIPS:
        places, size = PIPS[rank]
        picture = "".join(pip(x, y, size) for x, y in places)
    else:
        picture = court(rank, suit)
    own = f'<defs><path id="pip" d="{outline}" fill="currentColor"/></defs>'
    if suit in FOUR:
        own = f"<style>:target{{color:{FOUR[suit]}}}</style>{own}"
    drawn = framed(figure(RANKS[rank], "currentColor") + pip(88, 40, 0.48), own + picture)
    return drawn.replace("<svg ", f'<svg id="four" color="{colour}" ', 1)


def pictures() -> dict[str, str]:
    """Returns the pictures of the French pack, by their paths in ``_static/solitario``."""
    return {f"french/{rank}{suit}.svg": card(rank, suit) for rank in RANKS for suit in SUITS}


if __name__ == "__main__":
    write(pictures())
