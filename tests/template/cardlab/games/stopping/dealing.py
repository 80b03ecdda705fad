"""The settings of a session, and how its hands are dealt from them: by a deal file or the seed."""

from __future__ import annotations

from cardlab.games import deal_file, dealing
from cardlab.games.contract import BadFile
from cardlab.games.record import Opening
from cardlab.games.session_config import About, declare_app
from cardlab.games.setting import DESIGN, DISPLAY, SWITCH, Setting, check_settings, file_name, whole_number
from cardlab.games.stopping import rules

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
        (1, 1),
        "1",
    ),
)

ALLOWED_OPTIONS = {"show_left": (True, False)}  # options that a simulation may set


def read_deal_file(text: str, name: str) -> tuple[str, ...]:
    """Returns the deals of a file in their order. Raises BadFile with line and column."""
    return deal_file.read_deals(text, name, lambda line: " ".join(rules.parse_deal(line)), "row")


def openings(
    config: dealing.Config, participants: int, at_most: int, read: dealing.ReadFile
) -> dealing.DealtSession:
    """Returns the hands of a session, the same for everybody (see ``cardlab.games.dealing``)."""
    if wrong := check_settings(config, SETTINGS, hands=at_most):
        raise BadFile("session config", wrong)
    options = {key: config[key] for key in ALLOWED_OPTIONS}
    dealt = dealing.draw_or_read_deals(rules.deal, read_deal_file, config, options, read)
    hands = dealing.number_hands([], [next(dealt) for _hand in range(config["hands"])])
    return dealing.DealtSession([[hand] for hand in hands], [])


def practice_opening(_config: dealing.Config, first: Opening) -> Opening:
    """Returns the row to try, with the options of the session's hands."""
    return Opening("7S 2S QS 9S", first.options)
