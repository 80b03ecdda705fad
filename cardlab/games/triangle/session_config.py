"""Declares the settings of a session config of Triangle Solitaire."""

from cardlab.games.session_config import About, declare_app
from cardlab.games.setting import ADVANCED, DESIGN, DISPLAY, SWITCH, Setting, file_name, whole_number
from cardlab.games.shared_settings import SHARED
from cardlab.games.triangle.deal import SPARES

SETTINGS = {
    "hands": Setting(3, DESIGN, "Hands", whole_number(1, 20), "How many hands count.", unit="hands"),
    "practice_hands": Setting(
        0,
        DESIGN,
        "Practice hands",
        whole_number(0, 20),
        "Unpaid hands with the first deals; together with `hands` at most 20.",
        unit="hands",
    ),
    "deal_file": Setting(
        "seed",
        DESIGN,
        "Deals",
        file_name("deals/triangle/"),
        "`seed`, or a deal file, which also says how many Singles are doubled or mixed in.",
    ),
    "own_deals": Setting(
        False,
        ADVANCED,
        "Different deals for each participant",
        SWITCH,
        "If off, all participants play the same deals and can be compared hand by hand. If on, nobody can "
        "learn from a neighbour what comes next; the deals of a file are used in turn.",
    ),
    "doubled": Setting(
        0,
        DESIGN,
        "Places with two Singles (variation 1)",
        whole_number(0, SPARES),
        "This many places hold two Singles, and a card must match both. Drawn deals only; `doubled` and "
        f"`mixed_in` together are at most {SPARES}.",
        unit="places",
    ),
    "mixed_in": Setting(
        0,
        DESIGN,
        "Singles in the deck (variation 2)",
        whole_number(0, SPARES),
        "This many Singles are in the deck; the player chooses a place for each. Drawn deals only.",
        unit="cards",
    ),
    "highlight": Setting(
        True, DISPLAY, "Mark fitting places", SWITCH, "Marks the places that the current card fits."
    ),
    "show_left": Setting(
        False, DISPLAY, "Show remaining cards", SWITCH, "Shows which Completes are still to come."
    ),
    "payoff_base": SHARED["payoff_base"].with_default(30.0, "Scores are at most 18 and can be far below 0."),
    "real_world_currency_per_point": SHARED["real_world_currency_per_point"].with_default(
        0.1, "A hand earns tens of points here."
    ),
}

triangle = declare_app(
    "triangle_app",
    "triangle",
    "Triangle Solitaire",
    SETTINGS,
    about=About(
        "One player replaces the cards of a triangle one by one, so that neighbours match.",
        "Planning under uncertainty, use of information, and learning from hand to hand.",
        (3, 5),
        "1",
        "triangle/demo.webp",
        "A triangle of places, some of them filled, and the next card.",
    ),
)
