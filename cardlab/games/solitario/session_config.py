"""Declares the settings of a session config of Solitario."""

from cardlab.games.session_config import About, declare_app
from cardlab.games.setting import (
    ADVANCED,
    DESIGN,
    DISPLAY,
    SWITCH,
    Setting,
    file_name,
    one_of,
    one_value_of,
    whole_number,
)

SETTINGS = {
    "hands": Setting(2, DESIGN, "Hands", whole_number(1, 20), "How many hands count.", unit="hands"),
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
        file_name("deals/solitario/"),
        "`seed`, or a deal file.",
    ),
    "which_deals": Setting(
        "any",
        DESIGN,
        "Which deals",
        one_of(any="all deals", solvable="only deals that can be solved"),
        "`solvable`: a player who knows all cards can solve them; also for a deal file. Creating the "
        "session takes up to two seconds per deal.",
    ),
    "own_deals": Setting(
        False,
        ADVANCED,
        "Different deals for each participant",
        SWITCH,
        "If on, the deals of a file are used in turn.",
    ),
    "pack": Setting(
        "briscola",
        DESIGN,
        "Pack",
        one_of(briscola="40 Italian cards", tarocco="56 cards, Tarocco Piemontese", french="52 French cards"),
        "The French pack allows a comparison with published figures.",
    ),
    "draw": Setting(
        1,
        DESIGN,
        "Cards drawn at a time",
        one_value_of({1: "one card", 3: "three cards, only the top one can be played"}),
        "Cards drawn from the stock at a time.",
        unit="cards",
    ),
    "ace_on_two": Setting(
        "pack",
        DESIGN,
        "Ace on a two",
        one_of(pack="as usual with the pack: only in the French one", on="allowed", off="not allowed"),
        "Placing an ace on a two in a column.",
    ),
    "clock": Setting(
        "shown",
        DESIGN,
        "Time counts",
        one_of(shown="since the hand is shown", first_move="from the first move"),
        "Seconds that count for the score.",
    ),
    "turn_up": Setting(
        "click",
        DISPLAY,
        "Turn up uncovered cards",
        one_of(click="by a click", auto="automatically"),
        "How an uncovered card is turned up.",
    ),
    "undo": Setting(False, DESIGN, "Undo", SWITCH, "Moves can be taken back, with their points."),
    "auto_finish": Setting(
        False,
        DISPLAY,
        "Finish button",
        SWITCH,
        "Once all cards lie face up in columns, a button sends them home.",
    ),
    "ten_best": Setting(
        "numbers",
        DISPLAY,
        "Ten best hands",
        one_of(numbers="with participants' numbers", labels="with participants' labels", off="are not shown"),
        "The ten best hands of the session, at the end and behind a button on each hand's page. "
        "Participants may know each other's `labels`.",
    ),
}

solitario = declare_app(
    "solitario_app",
    "solitario",
    "Solitario",
    SETTINGS,
    about=About(
        "One player builds up the suits from the ace: Klondike with Italian or French cards.",
        "Search depth, quality of moves against a solver, persistence, and when people give up.",
        (5, 15),
        "1",
        "solitario/demo.webp",
        "Seven columns of Italian cards, a stock, and four empty foundations.",
    ),
)
