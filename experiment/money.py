"""Points in money, in the language and currency of the server."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from gettext import gettext as _
from typing import Any

from otree.api import cu
from otree.currency import RealWorldCurrency

from experiment.config import earned
from experiment.numbers import plain

MOST_ZEROS = 6


def worth(config: dict[str, Any], points: float) -> RealWorldCurrency:
    """What so many points are in money, rounded as oTree pays them."""
    return RealWorldCurrency(Decimal(cu(points)) * _rate(config))


def written(amount: RealWorldCurrency) -> str:
    """A sum in the language's form, ``€3.20`` or ``3,20 €``, on one line and with a real minus sign."""
    return f"{amount}".replace("-", "−").replace(" ", "\N{NO-BREAK SPACE}")


def of_pay(config: dict[str, Any], hand: str, example: int) -> list[str]:
    """What points are worth, a worked example and the fee, a sentence each.

    ``hand`` is what participants know a hand as, ``example`` a usual score.
    """
    points = next((10**zeros for zeros in range(MOST_ZEROS) if _is_whole(config, 10**zeros)), 10**MOST_ZEROS)
    rate = _("1 point is worth {money}.") if points == 1 else _("{points} points are worth {money}.")
    paid = _("For example, a paid {hand} with the score {score} earns {money}.")
    sentences = [
        rate.format(points=points, money=written(worth(config, points))),
        paid.format(hand=hand, score=example, money=written(worth(config, earned(config, example)))),
    ]
    if config["participation_fee"]:
        fee = RealWorldCurrency(config["participation_fee"])
        sentences.append(_("For taking part you receive {money} besides.").format(money=written(fee)))
    return sentences


def so_far(config: dict[str, Any], player: Any, hand: str) -> list[str]:
    """What a player's participant has earned before the hand of this round, a sentence each.

    ``hand`` is what participants know a hand as.
    Where one hand is drawn at the end nothing is: the sum would tell which.
    """
    if config["pay_hands"] == "one":
        return [_("One {hand} will be drawn at the end, and only that one is paid.").format(hand=hand)]
    points = player.participant.payoff - player.payoff
    told = _("Before this {hand} you have earned {points} points, which are worth {money}.")
    sentences = [told.format(hand=hand, points=plain(points), money=written(worth(config, points)))]
    if config["participation_fee"]:
        fee = RealWorldCurrency(config["participation_fee"])
        sentences.append(_("For taking part you receive {money} besides.").format(money=written(fee)))
    return sentences


def earned_in(
    app: str, played: Sequence[Any], games: Sequence[str], upcoming: Sequence[str]
) -> list[tuple[str, str, str]]:
    """What a participant is told to have earned after the last hand of a game: name, amount, and "total" for
    the sum of all.

    ``played`` are the rows of their rounds there, ``games`` the games of the session in their order and
    ``upcoming`` the apps that follow. The sum of all is not told before another game; with it goes what
    apps of the researcher's own have paid, so that the lines add up to it.
    """
    participant, session = played[0].participant, played[0].session
    points = sum(each.payoff for each in played)
    in_money = worth(session.config, points)
    told = [(_("Points"), plain(points), ""), (_("Points in money"), written(in_money), "")]
    if app != games[-1]:
        return told
    if len(games) > 1:
        points = sum(each.payoff for each in participant.get_players() if each.get_folder_name() in games)
        in_money = worth(session.config, points)
        told.append((_("All games"), written(in_money), ""))
    if others := worth(session.config, participant.payoff - points):
        told.append((_("Other tasks"), written(others), ""))
    fee, paid = session.participation_fee, participant.payoff_plus_participation_fee()
    told.append((_("For taking part"), written(fee), ""))
    if rounding := paid - in_money - others - fee:
        told.append((_("Rounding"), written(rounding), ""))
    total = _("Your earnings so far") if upcoming else _("Your earnings")
    return [*told, (total, written(paid), "total")]


def _rate(config: dict[str, Any]) -> Decimal:
    return Decimal(str(float(config["real_world_currency_per_point"])))


def _is_whole(config: dict[str, Any], points: int) -> bool:
    """Whether so many points are a sum that can be paid out to the cent."""
    return points * _rate(config) == Decimal(worth(config, points)) > 0
