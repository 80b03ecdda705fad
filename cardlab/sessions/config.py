"""Session configs: the fields that all games share, and their validation."""

from __future__ import annotations

from typing import Any

from otree.currency import Currency

from cardlab.games import pay
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


def is_paid(config: Config, opening: Opening, id_in_session: int) -> bool:
    """Returns whether a hand is paid (:func:`cardlab.games.pay.is_paid`)."""
    place = pay.PlaceInSeries(opening.number, opening.of, opening.practice)
    return pay.is_paid(config, place, id_in_session)


def payoff(config: Config, opening: Opening, id_in_session: int, score: int) -> float:
    """Returns the points for a hand; 0 if it is not paid."""
    return points_for_score(config, score) if is_paid(config, opening, id_in_session) else 0


def points_for_score(config: Config, score: int) -> float:
    """Returns the points for the score of a paid hand: max(floor, base + rate × score), rounded."""
    return pay.points_for_score(config, score, Currency.get_num_decimal_places())
