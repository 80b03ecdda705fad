"""Computes the part of a session's pay that needs no database.

The server pays by these functions, and the analysis recomputes the pay from an archive.
"""

from __future__ import annotations

import random
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from cardlab.games.dealing import Config
from cardlab.games.ledger import Terms
from cardlab.games.shared_settings import PAID

REFUSED, SCREENED_OUT, LATE, LEFT, ALONE, EXCLUDED = EARLY_STATUSES = (
    "refused",
    "screened out",
    "late",
    "left",
    "no partner",
    "excluded",
)


class Places(NamedTuple):
    """The decimal places of points and of amounts of money, which are settings of the project."""

    points: int = 0
    money: int = 2


class PlaceInSeries(NamedTuple):
    """The place of a hand among the practice hands or the paid hands of an app, as its opening has it."""

    number: int
    of: int
    practice: bool


def is_unpaid(config: Config, status: str) -> bool:
    """Returns whether a participant with this status is paid nothing."""
    if status == LEFT:
        return bool(config["leave_button"] != PAID)
    return status in EARLY_STATUSES and status != ALONE


def drawn_hand(config: Config, id_in_session: int, hands: int) -> int:
    """Returns the number of the one paid hand, drawn for each participant by the session's seed."""
    return random.Random(f"{config['seed']} paid hand {id_in_session}").randint(1, hands)


def is_paid(config: Config, place: PlaceInSeries, id_in_session: int) -> bool:
    """Returns whether a hand is paid: never practice; if one hand is drawn for payment, only that one."""
    if place.practice or config["pay_hands"] == "all":
        return not place.practice
    return place.number == drawn_hand(config, id_in_session, place.of)


def points_for_score(config: Config, score: int, places: int) -> float:
    """Returns the points for the score of a paid hand: max(floor, base + rate × score), rounded."""
    points = max(config["payoff_floor"], config["payoff_base"] + config["payoff_rate"] * score)
    return float(rounded(points, places))


def rounded(amount: float | Decimal, places: int) -> Decimal:
    """Rounds an amount to decimal places as oTree does; halves are rounded away from 0."""
    return Decimal(amount).quantize(Decimal("0.1") ** places, ROUND_HALF_UP)


def terms(config: Config, money_places: int) -> Terms:
    """Returns the payment terms of a session; ``money_places`` is the number of decimals of amounts."""
    return Terms(
        rounded(config["participation_fee"], money_places),
        Decimal(str(float(config["real_world_currency_per_point"]))),
        Decimal(str(config["pay_rounding"])),
        Decimal("0.1") ** money_places,
    )
