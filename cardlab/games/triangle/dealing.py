"""Deals the hands of a session of Triangle Solitaire from its config and a deal file or its seed."""

from __future__ import annotations

from dataclasses import replace

from cardlab.games.contract import BadFile
from cardlab.games.dealing import (
    Config,
    DealtSession,
    ReadFile,
    check_solo_config,
    deal_solo_session,
    draw_or_read_deals,
)
from cardlab.games.record import Opening
from cardlab.games.triangle import rules
from cardlab.games.triangle.deal import ALLOWED_OPTIONS, SPARES, parse_deal, read_deal_file
from cardlab.games.triangle.session_config import SETTINGS


def openings(config: Config, participants: int, at_most: int, read: ReadFile) -> DealtSession:
    """Returns the hands of a session, practice first (see ``cardlab.games.dealing``). Raises BadFile."""
    wrong = check_solo_config(config, SETTINGS, at_most)
    if not wrong and config["doubled"] + config["mixed_in"] > SPARES:
        wrong = "doubled and mixed_in together must be at most 9, because there are nine spare Singles."
    if wrong:
        raise BadFile("session config", wrong)
    options = {key: config[key] for key in ALLOWED_OPTIONS}
    dealt = draw_or_read_deals(rules.deal, read_deal_file, config, options, read)
    return deal_solo_session(map(_with_variation_of_deal, dealt), config, participants)


def _with_variation_of_deal(hand: Opening) -> Opening:
    """Returns the hand with the options of its deal's variation, which may differ in a deal file."""
    deal = parse_deal(hand.deal)
    return replace(hand, options={**hand.options, "doubled": deal.doubled, "mixed_in": deal.mixed_in})


def practice_opening(_config: Config, opening: Opening) -> Opening:
    """Returns the practice board of the instructions, the same for everybody with the same options."""
    return Opening(rules.deal("a triangle to try", opening.options), opening.options)
