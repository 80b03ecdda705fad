"""Estimates how long a session takes and what it pays, from its config, for the consent."""

from __future__ import annotations

from decimal import Decimal
from gettext import gettext as _
from gettext import ngettext
from math import inf, isfinite

from otree.common import get_models_module
from otree.models import Session

from cardlab.games.contract import ScoreGuide
from cardlab.games.dealing import Config
from cardlab.games.record import Opening, read_opening
from cardlab.games.session_config import APPS
from cardlab.sessions import money
from cardlab.sessions.apps import games_of
from cardlab.sessions.dealing import lines_by_round
from cardlab.sessions.treatments import config_in_treatment


def duration_sentence(session: Session, treatment: str) -> str:
    """Returns a sentence with the duration of the games; "" if a game does not declare it."""
    low = high = 0.0
    for app in games_of(session.config):
        minutes = minutes_of_hand(session, app, treatment)
        if minutes is None:
            return ""
        hands = len(_hands(session, app, treatment))
        low, high = low + hands * minutes[0], high + hands * minutes[1]
    min_minutes, max_minutes = max(1, round(low)), max(1, round(high))
    if not high:
        return ""
    if min_minutes < max_minutes:
        text = _("Playing takes about {low} to {high} minutes. You read instructions first.")
        return text.format(low=min_minutes, high=max_minutes)
    return ngettext(
        "Playing takes about {count} minute. You read instructions first.",
        "Playing takes about {count} minutes. You read instructions first.",
        max_minutes,
    ).format(count=max_minutes)


def minutes_of_hand(session: Session, app: str, treatment: str) -> tuple[float, float] | None:
    """Returns the usual minimum and maximum duration of a hand, in minutes; None if not declared."""
    about = APPS[app].about if app in APPS else None
    if about is None:
        return None
    limit = config_in_treatment(session, app, treatment)["time_limit_seconds"] / 60 or inf
    low, high = about.minutes
    return min(low, limit), min(high, limit)


def pay_sentence(session: Session, treatment: str) -> str:
    """Returns a sentence with the minimum pay of a participant who finishes, and the maximum if known."""
    if not session.config["show_earnings"]:
        return ""
    min_by_app: dict[str, Decimal] = {}
    max_by_app: dict[str, Decimal] | None = {}
    for app in games_of(session.config):
        low, high = _points(session, app, treatment)
        min_by_app[app] = Decimal(str(low))
        max_by_app = (
            {**max_by_app, app: Decimal(str(high))} if max_by_app is not None and isfinite(high) else None
        )
    if not all(app in APPS for app in session.config["app_sequence"]):
        max_by_app = None  # the researcher's own apps may pay, too
    low_paid = money.ledger_for(session.config, min_by_app).total
    values = {"low": money.format_money(low_paid)}
    if max_by_app is None:
        text = _("If you finish, you are paid at least {low}. You can earn more by playing well.")
    elif (high_paid := money.ledger_for(session.config, max_by_app).total) == low_paid:
        text = _("If you finish, you are paid {low}.")
    else:
        text = _("If you finish, you are paid between {low} and {high}.")
        values["high"] = money.format_money(high_paid)
    return text.format(**values)


def bounds_of_points(config: Config, guide: ScoreGuide) -> tuple[float, float]:
    """Returns the minimum and maximum points for a paid hand."""
    rate, base, floor = config["payoff_rate"], config["payoff_base"], config["payoff_floor"]
    bounds = [max(floor, base + rate * score) if rate else max(floor, base) for score in guide[::3]]
    return min(bounds), max(bounds)


def _points(session: Session, app: str, treatment: str) -> tuple[float, float]:
    """Returns the minimum and maximum points that a participant can earn in a game."""
    hands, config = _hands(session, app, treatment), config_in_treatment(session, app, treatment)
    if not hands:
        return 0, 0
    guide = get_models_module(app).Hand.texts.score_guide({**config, **hands[0].options})
    low, high = bounds_of_points(config, guide)
    paid_hands = 1 if config["pay_hands"] == "one" else sum(not hand.practice for hand in hands)
    may_play_no_hand = config.get("group_size", 1) > 1  # a participant without a partner plays no hand
    return min(0, paid_hands * low) if may_play_no_hand else paid_hands * low, paid_hands * high


def _hands(session: Session, app: str, treatment: str) -> list[Opening]:
    """Returns one hand of each round that has any."""
    return [read_opening(lines[0]) for lines in lines_by_round(app, session.code, treatment) if lines]
