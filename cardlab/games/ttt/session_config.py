"""Declares the settings of the session configs of Target the Two, for one player and for two."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cardlab.games.cards import TTT_PACK
from cardlab.games.session_config import About, declare_app
from cardlab.games.setting import (
    ADVANCED,
    DESIGN,
    DISPLAY,
    GROUPS,
    PAY,
    Choice,
    Setting,
    Text,
    file_name,
    number,
    one_of,
    whole_number,
)
from cardlab.games.shared_settings import GROUP
from cardlab.games.ttt.settings_file import AS_THE_FILE_SAYS, KEYS, parse_value


@dataclass(frozen=True)
class KeyValues(Choice):
    """The values of a key of the settings file; ``ini`` leaves it to the file."""

    key: str = ""

    def problem(self, value: Any) -> str | None:
        """Returns what the value must be if it is invalid, else None. settings.py may have 20 or True."""
        text = str(value).strip()
        if text.lower() == AS_THE_FILE_SAYS:
            return None
        try:
            parse_value(self.key, text)
        except ValueError:
            return f"must be {KEYS[self.key].allowed}, or {AS_THE_FILE_SAYS} for the settings file's value"
        return None


def _key(
    name: str, heading: str, label: str, meanings: Mapping[str, str] | None = None, unit: str = ""
) -> Setting:
    """Returns the setting for a key of the settings file."""
    key = KEYS[name]
    as_file = {AS_THE_FILE_SAYS: "as the settings file says"}
    values = KeyValues(
        f"{AS_THE_FILE_SAYS} or {key.allowed}",
        "select" if meanings else "text",
        {**as_file, **meanings} if meanings else {},
        name,
    )
    return Setting(AS_THE_FILE_SAYS, heading, label, values, key.meaning, unit=unit)


_FROM_THE_FILE = {
    "Path": _key("Path", ADVANCED, "Folder of the keeper logs"),
    "ShowFileName": _key("ShowFileName", DESIGN, "Show file"),
    "MaxRounds": _key("MaxRounds", DESIGN, "Maximum moves per hand", unit="moves"),
    "ViewCard": _key(
        "ViewCard",
        DISPLAY,
        "Visible keepers",
        {
            "all": "both",
            "mix": "one, then both after the first exchange",
            "none": "only the keeper whose turn it is",
        },
    ),
    "DragCkNk": _key(
        "DragCkNk", DISPLAY, "Drag keepers' cards", {"TRUE": "allowed", "FALSE": "only the other card"}
    ),
    "CardsBackFile": _key("CardsBackFile", DISPLAY, "Card back"),
    "ViewTarget": _key("ViewTarget", DISPLAY, "Goal card", {"TRUE": "face up", "FALSE": "a card back"}),
    "ViewCkNk": _key(
        "ViewCkNk", DISPLAY, "Keepers' cards", {"TRUE": "face up", "FALSE": "face down until looked at"}
    ),
    "syntaxinput": _key(
        "syntaxinput",
        ADVANCED,
        "Card order of the show file",
        {"LINEAR": "C Ck UP T N Nk", "CIRCULAR": "Nk N UP C Ck T"},
    ),
    "Goal": _key("Goal", DESIGN, "Goal card by default", {card: card for card in TTT_PACK}),
    "FirstMove": _key(
        "FirstMove", DESIGN, "First mover by default", {"ck": "colour keeper", "nk": "number keeper"}
    ),
}

SOLO_SETTINGS = {
    "settings_file": Setting(
        *("CardLab.ini", DESIGN, "Settings file", file_name("deals/ttt/")),
        "A file in the original program's format. It decides settings with the value `ini`.",
    ),
    **_FROM_THE_FILE,
    "click_exchanges": Setting(
        "",
        DISPLAY,
        "Clicks that exchange a card",
        one_of(**{"": "two if a click looks (`ViewCkNk` FALSE), else one", "once": "one", "twice": "two"}),
        "How many clicks or taps exchange a card. A drag, a key, and tap and hold need no second one.",
    ),
    "practice_file": Setting(
        *("practice.txt", DESIGN, "Practice show file", file_name("deals/ttt/")),
        "The show file with the practice hands.",
    ),
    "practice_hands": Setting(
        *(2, DESIGN, "Practice hands", whole_number(0, 60)),
        "Unpaid hands of the practice file, played first.",
        unit="hands",
    ),
    "pay_by": Setting(
        "moves",
        PAY,
        "Score by",
        one_of(moves="1000 × (1 − moves / MaxRounds)", time="1000 × (1 − seconds / time_scale_seconds)"),
        "The score of a solved hand. Other hands score 0.",
    ),
    "time_scale_seconds": Setting(
        *(60, PAY, "Time that scores 0", number("a number more than 0", 0, above=True)),
        "A hand paid by time scores 0 if it takes this long or longer.",
        unit="seconds",
    ),
    "learning_hands": Setting(
        *(0, ADVANCED, "Learning hands", whole_number(0, 60)),
        "For the analysis: the number of first hands, without practice, in which a route becomes "
        "familiar. 0: as the show file says.",
        unit="hands",
    ),
    "familiar_route": Setting(
        "",
        ADVANCED,
        "Familiar route",
        one_of(**{"": "as the show file says", "422": "route 422", "442": "route 442"}),
        "For the analysis: the route that becomes familiar.",
    ),
}

PAIR_SETTINGS = {
    **SOLO_SETTINGS,
    "ViewCard": SOLO_SETTINGS["ViewCard"].with_default(
        "none", "For two, `none` shows each player their own."
    ),
    "group_size": Setting(
        *(2, GROUPS, "Participants in a pair", whole_number(1, 2)),
        "2: two participants play together; their number must be even. 1: each plays with a robot.",
        unit="participants",
    ),
    "robot": Setting(
        "informed",
        GROUPS,
        "Robot",
        one_of(
            informed="best play for what its seat sees",
            always_422="route 422 wherever possible",
            always_442="route 442 wherever possible",
            routinizing="the habit of a player trained on the earlier hands",
        ),
        "The robot for a seat without a participant. `always_…` takes its route when both routes compete "
        "and its seat can see how.",
    ),
    "robot_seat": Setting(
        *("nk", GROUPS, "Keeper of the robot", one_of(ck="colour keeper", nk="number keeper")),
        "The keeper of a robot that is the partner from the beginning; with `roles` exchanged, in the "
        "first block.",
    ),
    "blocks": Setting(
        *("", DESIGN, "Blocks of show files", Text("a text that names show files")),
        "The show files of the blocks, separated by commas. `/` separates alternatives, of which each "
        "pair gets one. A number after a colon limits the hands of each file: "
        "`transfer422.txt/familiar442.txt:16, mixed.txt`. Empty: one block with `ShowFileName`.",
    ),
    "partners": Setting(
        "kept",
        GROUPS,
        "Partners",
        one_of(
            kept="stay together",
            rematched="change before each further block",
            mixed="change to one trained with other show files",
        ),
        "Who plays with whom in later blocks. Players who were Ck in the first block are matched with "
        "those who were Nk.",
    ),
    "roles": Setting(
        "kept",
        GROUPS,
        "Roles",
        one_of(kept="one keeper for the whole session", exchanged="the other keeper in every second block"),
        "A participant's keeper from block to block.",
    ),
    **GROUP,
    "turn_limit_seconds": GROUP["turn_limit_seconds"].with_default(0, "Here it passes."),
}

_MEASURES = "How routines form, transfer to new problems, and when people let go of them."
ttt_solo = declare_app(
    "ttt_solo_app",
    "ttt",
    "Target the Two",
    SOLO_SETTINGS,
    demo_participants=4,
    about=About(
        "One player moves two keepers, who exchange cards until the goal card lies in Target.",
        _MEASURES,
        (1, 1),
        "1",
        "ttt/demo.webp",
        "The goal card above six places: two keepers, Target, and three cards between them.",
    ),
)
ttt_pair = declare_app(
    "ttt_pair_app",
    "ttt_pair",
    "Target the Two for two",
    PAIR_SETTINGS,
    about=About(
        "Two players who cannot talk move one keeper each until the goal card lies in Target.",
        "How pairs form joint routines, coordinate by moves alone, and adapt to a new partner.",
        (1, 1),
        "2, or 1 with a robot",
        "ttt/demo_pair.webp",
        "The same board with one keeper for each player; the partner's card is face down.",
    ),
)
