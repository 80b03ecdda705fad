"""Dealing a session: config and deal file, or the seed, made into openings."""

from __future__ import annotations

from cardlab.games import deal_file
from cardlab.games.contract import BadFile
from cardlab.games.dealing import (
    Config,
    DealtSession,
    ReadFile,
    draw_or_read_deals,
    number_hands,
)
from cardlab.games.record import Opening
from cardlab.games.setting import check_settings
from cardlab.games.stopping import rules
from cardlab.games.stopping.session_config import SETTINGS

ALLOWED_OPTIONS = {"show_left": (True, False)}  # what a simulation may set


def read_deal_file(text: str, name: str) -> tuple[str, ...]:
    """Returns the deals of a file in their order. Raises BadFile with line and column."""
    return deal_file.read_deals(text, name, lambda line: " ".join(rules.parse_deal(line)), "row")


def openings(config: Config, participants: int, at_most: int, read_file: ReadFile) -> DealtSession:
    """Returns the hands of a session, the same for everybody (see ``cardlab.games.dealing``)."""
    if wrong := check_settings(config, SETTINGS, hands=at_most):
        raise BadFile("session config", wrong)
    options = {key: config[key] for key in ALLOWED_OPTIONS}
    dealt = draw_or_read_deals(rules.deal, read_deal_file, config, options, read_file)
    return DealtSession(
        [[hand] for hand in number_hands([], [next(dealt) for _hand in range(config["hands"])])], []
    )


def practice_opening(_config: Config, first: Opening) -> Opening:
    """Returns the row to try, with the options of the session's hands."""
    return Opening("7S 2S QS 9S", first.options)
