"""Session configs: the fields that all games share, and their validation."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

from otree.api import cu

from cardlab.games.dealing import Config, check_choices
from cardlab.games.record import Opening
from cardlab.games.text_file import shorten
from cardlab.games.treatments import ENDING_FIELDS
from cardlab.sessions.treatments import config_in_treatment, row_treatment

TUTORIAL = REQUIRED, FREE = ("required", "free")  # whether the steps of the instructions have to be done
SECOND_TAB = TELL, REFUSE = ("tell", "refuse")  # what may be done about a second page at a seat
BEGIN_SIGNALS = ("title", "sound", "none")  # in the window's title, by a sound as well, not at all
# Amounts of money that oTree itself keeps.
MONEY_FIELDS = ("participation_fee", "real_world_currency_per_point")
# What the config of every game has, in addition to oTree's own fields.
COMMON_FIELDS = frozenset(
    ("seed", "treatments", "tutorial", "check", "feedback", "light_up", "rules_at_hand", "earnings_so_far")
    + ("time_limit_seconds", "second_tab", "begin_signal", "pay_hands", "show_earnings")
    + ("one_browser_per_seat",)
    + ("payoff_base", "payoff_rate", "payoff_floor")
)
OFF = "off"  # in the place of a text that there is not
# What holds for a session as a whole, so that no app of it can have its own; and what there is instead.
SESSION_WIDE_REASONS = {
    "seed": "one seed draws everything in a session: set seed",
    "participation_fee": "it is paid once for the whole session: set participation_fee",
    "real_world_currency_per_point": "a point is worth the same in the whole session: set payoff_rate and "
    "payoff_base of the app, which say what a score is in points",
    "treatments": "participants have one treatment for the whole session: set treatments",
    "pay_rounding": "what is paid is rounded once, at the end: set pay_rounding",
    "show_earnings": "earnings are shown in the whole session or nowhere: set show_earnings",
    "one_browser_per_seat": "a seat is the same in the whole session: set one_browser_per_seat",
    **{key: f"a session has one end: set {key}" for key in ENDING_FIELDS},
}
DRAWN = "drawn"  # as the config's seed: one is drawn when the session is made
MAX_SEED_LENGTH = 100


def config_of(row: Any) -> Config:
    """Returns the session's config as it holds for a player, group or subsession of an app.

    For a player or a group it is that of their treatment.
    """
    return config_in_treatment(row.session, row.get_folder_name(), row_treatment(row))


def check_amount(key: str, value: Any) -> str | None:
    """Returns what is wrong with an amount of money that oTree keeps, as a sentence; None if nothing is."""
    number = type(value) is not bool and isinstance(value, (int, float, Decimal))
    endless = isinstance(value, Decimal) and not value.is_finite()  # a nan of these cannot be compared
    if number and not endless and 0 <= value < 1_000_000_000:
        return None
    plain = Decimal.__str__(value) if isinstance(value, Decimal) else value  # without a sign of currency
    return f"{key} must be a number, 0 or more, not '{shorten(plain)}'."


def check_common(config: Config) -> str | None:
    """Returns what is wrong with the settings that all games share, as a sentence; None if nothing is."""
    if config["pay_hands"] not in ("all", "one"):
        return f"pay_hands must be all or one, not '{shorten(config['pay_hands'])}'."
    for key in ("payoff_base", "payoff_rate", "payoff_floor", "time_limit_seconds"):
        if type(config[key]) not in (int, float) or not abs(config[key]) < 1e9:  # nor nan, nor inf
            return f"{key} must be a number, not '{shorten(config[key])}'."
    if config["time_limit_seconds"] < 0:
        return "time_limit_seconds must be 0 (no limit) or more."
    booleans = ("check", "feedback", "light_up", "rules_at_hand", "earnings_so_far", "show_earnings")
    for key in (*booleans, "one_browser_per_seat"):
        if type(config[key]) is not bool:
            return f"{key} must be True or False, not '{shorten(config[key])}'."
    if config["earnings_so_far"] and not config["show_earnings"]:
        return "earnings_so_far must be False where show_earnings is False."
    choices = {"tutorial": TUTORIAL, "second_tab": SECOND_TAB, "begin_signal": BEGIN_SIGNALS}
    return check_choices(config, choices) or _check_seed(config["seed"])


def check_rounding(config: Config) -> str | None:
    """Returns what is wrong with the sum of which the pay is a multiple: 0.01 to 1000, in hundredths."""
    step = config["pay_rounding"]
    if type(step) in (int, float) and 0.01 <= step <= 1000 and round(step, 2) == step:
        return None
    return (
        f"pay_rounding must be a number from 0.01 to 1000 with at most two decimals, not '{shorten(step)}'."
    )


def _check_seed(seed: Any) -> str | None:
    if type(seed) in (int, str) and 0 < len(str(seed)) <= MAX_SEED_LENGTH and str(seed).isprintable():
        return None
    return (
        f"seed must be the word {DRAWN}, or a text or whole number of at most {MAX_SEED_LENGTH} characters, "
        f"not '{shorten(seed)}'."
    )


def drawn_hand(config: Config, id_in_session: int, hands: int) -> int:
    """Returns the number of the one hand that is paid, drawn from the session's seed for each participant."""
    return random.Random(f"{config['seed']} paid hand {id_in_session}").randint(1, hands)


def is_paid(config: Config, opening: Opening, id_in_session: int) -> bool:
    """Returns whether a hand is paid: practice never; where one hand is drawn, only that one."""
    if opening.practice or config["pay_hands"] == "all":
        return not opening.practice
    return opening.number == drawn_hand(config, id_in_session, opening.of)


def payoff(config: Config, opening: Opening, id_in_session: int, score: int) -> float:
    """Returns the points for a hand: max(floor, base + rate × score), rounded as by oTree; 0 if not paid."""
    return points_for_score(config, score) if is_paid(config, opening, id_in_session) else 0


def points_for_score(config: Config, score: int) -> float:
    """Returns the points for the score of a hand that is paid."""
    return float(cu(max(config["payoff_floor"], config["payoff_base"] + config["payoff_rate"] * score)))
