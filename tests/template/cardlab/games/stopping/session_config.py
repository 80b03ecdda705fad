"""The session configs of Stop in Time: their settings."""

from __future__ import annotations

from cardlab.games.session_config import About, declare_app
from cardlab.games.setting import DESIGN, DISPLAY, SWITCH, Setting, file_name, whole_number

SETTINGS = {
    "hands": Setting(3, DESIGN, "Hands", whole_number(1, 20), "How many hands are played.", unit="hands"),
    "deal_file": Setting(
        "seed",
        DESIGN,
        "Deals",
        file_name("deals/stopping/"),
        "`seed` draws the deals. Otherwise the name of a deal file.",
    ),
    "show_left": Setting(
        True, DISPLAY, "Show remaining cards", SWITCH, "Shows how many cards are still to come."
    ),
}

stopping = declare_app(
    "stopping_app",
    "stopping",
    "Stop in Time",
    SETTINGS,
    about=About(
        "One player keeps a card or turns up the next one.",
        "When people stop searching.",
        "1 minute per hand",
        "1",
    ),
)
