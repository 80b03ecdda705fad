"""Converts points into money, in the language and currency of the server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from gettext import gettext as _
from gettext import ngettext
from typing import Any

from otree.api import cu
from otree.common import get_models_module
from otree.currency import Currency, RealWorldCurrency
from otree.database import dbq

from cardlab.games.dealing import Config
from cardlab.games.number_format import plain
from cardlab.sessions.config import config_of, points_for_score

MOST_ZEROS = 6
Points = float | Decimal


def to_money(config: Config, points: Points) -> RealWorldCurrency:
    """Converts points into money, rounded as by oTree."""
    return RealWorldCurrency(Decimal(cu(points)) * _rate(config))


def points_shown(config: Config, points: Points) -> float:
    """Converts payoff points into points of the score, which participants see."""
    rate: float = abs(config["payoff_rate"] or 1)
    return float(points) / rate


def format_money(amount: RealWorldCurrency) -> str:
    """Formats an amount for the language, such as ``€3.20`` or ``3,20 €``, unbreakable and with ``−``."""
    return f"{amount}".replace("-", "−").replace(" ", "\N{NO-BREAK SPACE}")


def pay_sentences(config: Config, plays_games: bool, example: int) -> list[str]:
    """Returns sentences about the value of points, an example and the fee.

    Args:
        config: the session config.
        plays_games: whether the texts call a hand a game.
        example: a usual score.
    """
    points = next((10**zeros for zeros in range(MOST_ZEROS) if _is_whole(config, 10**zeros)), 10**MOST_ZEROS)
    rate = ngettext("{points} point is worth {money}.", "{points} points are worth {money}.", points)
    if plays_games:
        paid = _("For example, a paid game with a score of {score} earns {money}.")
    else:
        paid = _("For example, a paid hand with a score of {score} earns {money}.")
    points_paid = format_money(RealWorldCurrency(points * _worth_of_point(config)))
    earns = format_money(to_money(config, points_for_score(config, example)))
    sentences = [rate.format(points=points, money=points_paid)] if config["payoff_rate"] else []
    sentences.append(paid.format(score=example, money=earns))
    if config["participation_fee"]:
        fee = RealWorldCurrency(config["participation_fee"])
        sentences.append(_("You also receive {money} for taking part.").format(money=format_money(fee)))
    return sentences


def earnings_sentences(config: Config, player: Any) -> list[str]:
    """Returns sentences about a participant's earnings before the hand of this round.

    Call it only if all hands are paid; if one is drawn, the amount would reveal which one.
    """
    points = points_by_app(player.participant)
    points[player.get_folder_name()] -= player.payoff
    earned = format_money(money_of_apps(config, points.values()))
    sentences = [_("You have earned {money} so far.").format(money=earned)]
    if config["participation_fee"]:
        fee = RealWorldCurrency(config["participation_fee"])
        sentences.append(_("You also receive {money} for taking part.").format(money=format_money(fee)))
    return sentences


def points_by_app(participant: Any) -> dict[str, Currency]:
    """Returns a participant's points by app; under "" those that belong to no player."""
    points = {}
    for app in participant.session.config["app_sequence"]:
        player = get_models_module(app).Player
        paid = dbq(player._payoff).filter(player.participant_id == participant.id, player._payoff != 0)
        points[app] = sum((each for (each,) in paid), Currency(0))
    return {**points, "": participant.payoff - sum(points.values())}


def money_of_apps(config: Config, points_of_apps: Iterable[Points]) -> RealWorldCurrency:
    """Converts the points of several apps into money; each app's amount is rounded, as it is shown."""
    return sum((to_money(config, points) for points in points_of_apps), RealWorldCurrency(0))


def earnings_table(player: Any, games: Sequence[str], upcoming: Sequence[str]) -> list[tuple[str, str, str]]:
    """Returns the rows of the earnings table after a game: name, amount, and "total" or "".

    The total comes after the last game and includes other apps. Each row is rounded, and the total is the sum
    of the rows.

    Args:
        player: the player.
        games: the session's games, in order.
        upcoming: the apps that follow.
    """
    participant, app, config = player.participant, player.get_folder_name(), config_of(player)
    points = points_by_app(participant)
    in_money = to_money(config, points[app])
    lines = [
        (_("Points"), plain(points_shown(config, points[app])), ""),
        (_("Points in money"), format_money(in_money), ""),
    ]
    if app != games[-1]:
        return lines
    all_games = money_of_apps(config, [points[game] for game in games])
    if len(games) > 1:
        lines.append((_("All games"), format_money(all_games), ""))
    if others := money_of_apps(config, [points[one] for one in points if one not in games]):
        lines.append((_("Other tasks"), format_money(others), ""))
    fee, paid = player.session.participation_fee, participant.payoff_plus_participation_fee()
    lines.append((_("For taking part"), format_money(fee), ""))
    if rounding := paid - all_games - others - fee:
        lines.append((_("Rounding"), format_money(rounding), ""))
    total = _("Your earnings so far") if upcoming else _("Your earnings")
    return [*lines, (total, format_money(paid), "total")]


def _rate(config: Config) -> Decimal:
    return Decimal(str(float(config["real_world_currency_per_point"])))


def _worth_of_point(config: Config) -> Decimal:
    """Returns the value of a point of the score, unrounded."""
    return Decimal(str(abs(config["payoff_rate"]))) * _rate(config)


def _is_whole(config: Config, points: int) -> bool:
    """Returns whether so many points of the score are worth a positive amount in whole cents."""
    exact = points * _worth_of_point(config)
    return exact == Decimal(RealWorldCurrency(exact)) > 0
