"""Session configs: the fields that all games share, and their validation."""

from __future__ import annotations

import random
from typing import Any

from otree.api import cu

from cardlab.games.dealing import Config
from cardlab.games.record import Opening
from cardlab.games.seating import KEPT
from cardlab.games.setting import check_settings
from cardlab.games.shared_settings import OFF, SHARED
from cardlab.sessions.treatments import config_in_treatment, row_treatment

# Amounts of money among oTree's own fields.
MONEY_FIELDS = ("participation_fee", "real_world_currency_per_point")


def config_of(row: Any) -> Config:
    """Returns the session config for an app's player, group or subsession, with their treatment applied."""
    return config_in_treatment(row.session, row.get_folder_name(), row_treatment(row))


def check_common(config: Config) -> str | None:
    """Returns an error message about the settings that all games share; None if they are valid."""
    if problem := check_settings(config, SHARED):
        return problem
    if config["earnings_so_far"] and not config["show_earnings"]:
        return "earnings_so_far must be False where show_earnings is False."
    if config["purse"] and not (config["show_earnings"] and config["pay_hands"] == "all"):
        return "purse must be False where show_earnings is False or pay_hands is one."
    if config.get("same_partner") and (config["continues"] == OFF or config.get("partners", KEPT) != KEPT):
        return "same_partner must be False where continues is off or partners change."
    if config.get("continues_after_hours") and config["continues"] == OFF:
        return "continues_after_hours must be 0 where continues is off."
    if "{code}" in config["completion_url"] and config["completion_code"] == OFF:
        return "completion_url has {code}, so completion_code must be set."
    return None


def drawn_hand(config: Config, id_in_session: int, hands: int) -> int:
    """Returns the number of the one paid hand, drawn for each participant by the session's seed."""
    return random.Random(f"{config['seed']} paid hand {id_in_session}").randint(1, hands)


def is_paid(config: Config, opening: Opening, id_in_session: int) -> bool:
    """Returns whether a hand is paid: never practice; if one hand is drawn for payment, only that one."""
    if opening.practice or config["pay_hands"] == "all":
        return not opening.practice
    return opening.number == drawn_hand(config, id_in_session, opening.of)


def payoff(config: Config, opening: Opening, id_in_session: int, score: int) -> float:
    """Returns the points for a hand: max(floor, base + rate × score), rounded as by oTree; 0 if not paid."""
    return points_for_score(config, score) if is_paid(config, opening, id_in_session) else 0


def points_for_score(config: Config, score: int) -> float:
    """Returns the points for the score of a paid hand."""
    return float(cu(max(config["payoff_floor"], config["payoff_base"] + config["payoff_rate"] * score)))
