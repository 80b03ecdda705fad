"""Returns participants' ledgers, and the pages' texts about pay, in the server's language and currency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from gettext import gettext as _
from gettext import ngettext
from typing import Any

from otree.api import cu
from otree.common import get_models_module
from otree.currency import Currency, RealWorldCurrency
from otree.database import dbq

from cardlab.games.contract import ScoreGuide
from cardlab.games.dealing import Config
from cardlab.games.ledger import (
    FEE,
    OTHER,
    PART,
    ROUNDING,
    WAITING,
    Ledger,
    Terms,
    in_money,
    make_ledger,
    round_to_step,
)
from cardlab.games.number_format import plain
from cardlab.games.pay import ALONE, is_unpaid, terms
from cardlab.sessions import treatments
from cardlab.sessions.apps import games_of
from cardlab.sessions.arrival import has_arrived
from cardlab.sessions.config import config_of, points_for_score

MOST_ZEROS = 6
WAITING_FEE = "waiting_fee"  # in the participant's vars: an amount of money
Points = float | Decimal


def to_money(config: Config, points: Points) -> RealWorldCurrency:
    """Converts points into money, rounded as by oTree."""
    return RealWorldCurrency(in_money(_terms(config), Decimal(cu(points))))


def points_as_score(config: Config, points: Points) -> float:
    """Converts payoff points into points of the score, which participants see."""
    rate: float = abs(config["payoff_rate"] or 1)
    return float(points) / rate


def format_money(amount: Decimal) -> str:
    """Formats an amount for the language, such as ``€3.20`` or ``3,20 €``, unbreakable and with ``−``."""
    return f"{RealWorldCurrency(amount)}".replace("-", "−").replace(" ", "\N{NO-BREAK SPACE}")


def pay_sentences(config: Config, plays_games: bool, guide: ScoreGuide) -> list[str]:
    """Returns sentences about the value of points, the pay of a good and a bad hand, and the fee.

    Args:
        config: the session config.
        plays_games: whether the texts call a hand a game.
        guide: the scores of the examples.
    """
    points = next((10**zeros for zeros in range(MOST_ZEROS) if _is_whole(config, 10**zeros)), 10**MOST_ZEROS)
    rate = ngettext("{points} point is worth {money}.", "{points} points are worth {money}.", points)
    if plays_games:
        examples = [
            (_("A good game, such as a score of {score}, earns {money}."), guide.good),
            (_("A bad game, such as a score of {score}, earns {money}."), guide.bad),
        ]
    else:
        examples = [
            (_("A good hand, such as a score of {score}, earns {money}."), guide.good),
            (_("A bad hand, such as a score of {score}, earns {money}."), guide.bad),
        ]
    points_paid = format_money(RealWorldCurrency(points * _worth_of_point(config)))
    sentences = [rate.format(points=points, money=points_paid)] if config["payoff_rate"] else []
    for sentence, score in examples:
        earns = format_money(to_money(config, points_for_score(config, score)))
        sentences.append(sentence.format(score=plain(score), money=earns))
    if config["participation_fee"]:
        fee = RealWorldCurrency(config["participation_fee"])
        sentences.append(_("You also receive {money} for taking part.").format(money=format_money(fee)))
    return sentences


def ledger_of(participant: Any, points: Mapping[str, Points] | None = None) -> Ledger:
    """Returns a participant's ledger for points in each app, by default those in the database.

    All amounts are 0 for a participant who is not paid or has not arrived.
    """
    config = participant.session.config
    is_counted = has_arrived(participant) and not is_unpaid(config, participant.status)
    all_points = points_by_app(participant) if points is None else points
    if participant.status == ALONE:
        return ledger_for(config, all_points, is_counted, Decimal(participant._vars.get(WAITING_FEE, "0")))
    return ledger_for(config, all_points, is_counted)


def ledger_for(
    config: Config, points: Mapping[str, Points], counts: bool = True, waiting: Decimal | None = None
) -> Ledger:
    """Returns the ledger for points in each app of a session; with ``counts`` False all amounts are 0.

    ``waiting`` is the pay, instead of the fee, of a participant who has left without finding a partner.
    """
    terms = _terms(config)
    if not counts:
        terms = terms._replace(fee=Decimal(0), per_point=Decimal(0))
    if waiting is not None:
        terms = terms._replace(fee=Decimal(0))
    return make_ledger(
        terms, {app: Decimal(app_points) for app, app_points in points.items()}, waiting or Decimal(0)
    )


def keep_waiting_fee(participant: Any, minutes: float) -> None:
    """Stores the pay for waiting of a participant who leaves without finding a partner."""
    config = participant.session.config
    fee = Decimal(str(config.get("waiting_fee_per_minute", 0))) * Decimal(str(minutes))
    participant.vars[WAITING_FEE] = str(round_to_step(fee, _terms(config).least))


def points_by_app(participant: Any) -> dict[str, Currency]:
    """Returns a participant's points by app; under "" those that belong to no player."""
    points = {}
    for app in participant.session.config["app_sequence"]:
        player = get_models_module(app).Player
        payoffs = dbq(player._payoff).filter(player.participant_id == participant.id, player._payoff != 0)
        points[app] = sum((payoff for (payoff,) in payoffs), Currency(0))
    return {**points, "": participant.payoff - sum(points.values())}


def earnings_sentences(config: Config, player: Any) -> list[str]:
    """Returns sentences about a participant's earnings before the hand of this round.

    Call it only if all hands are paid; if one is drawn, the amount would reveal which one.
    """
    points = points_by_app(player.participant)
    points[player.get_folder_name()] -= player.payoff
    ledger = ledger_of(player.participant, points)
    sentences = [_("You have earned {money} so far.").format(money=format_money(ledger.earned))]
    if fee := ledger.amount(FEE):
        sentences.append(_("You also receive {money} for taking part.").format(money=format_money(fee)))
    return sentences


def earnings_table(player: Any, games: Sequence[str], upcoming: Sequence[str]) -> list[tuple[str, str, str]]:
    """Returns the rows of the earnings table after a game: name, amount, and "total" or "".

    The total comes after the last game and includes other apps.

    Args:
        player: the player.
        games: the session's games, in order.
        upcoming: the apps that follow.
    """
    app, config, ledger = player.get_folder_name(), config_of(player), ledger_of(player.participant)
    parts = ledger.parts
    lines = [
        (_("Points"), plain(points_as_score(config, parts[app].points)), ""),
        (_("Points in money"), format_money(parts[app].amount), ""),
    ]
    if app != games[-1]:
        return lines
    all_games = sum((parts[game].amount for game in games), Decimal(0))
    if len(games) > 1:
        lines.append((_("All games"), format_money(all_games), ""))
    if other_earnings := ledger.earned - all_games:
        lines.append((_("Other tasks"), format_money(other_earnings), ""))
    lines.append((_("For taking part"), format_money(ledger.amount(FEE)), ""))
    if rounding := ledger.amount(ROUNDING):
        lines.append((_("Rounding"), format_money(rounding), ""))
    total = _("Your earnings so far") if upcoming else _("Your earnings")
    return [*lines, (total, format_money(ledger.total), "total")]


def receipt(participant: Any, ledger: Ledger | None = None) -> dict[str, Any]:
    """Returns the variables of ``cardlab/Receipt.html``: the payee, the ledger's rows, their sum."""
    ledger, session = ledger or ledger_of(participant), participant.session
    games = games_of(session.config)
    parts = [row for row in ledger.parts.values() if row.points or row.app in games]
    numbers = {row.app: number for number, row in enumerate(parts, 1)}
    names = {
        FEE: _("For taking part"),
        WAITING: _("For waiting"),
        OTHER: _("Other amounts"),
        ROUNDING: _("Rounding"),
    }
    rows = []
    for row in ledger.rows:
        if row.kind != PART:
            if row.amount or (row.kind == FEE and participant.status != ALONE):
                rows.append((names[row.kind], "", format_money(row.amount)))
        elif row.app in numbers:
            label = _("Part {number}").format(number=numbers[row.app])
            name = label if len(parts) > 1 else _("Earned by playing")
            rows.append((name, format_points(participant, row.app, row.points), format_money(row.amount)))
    return {
        "label": participant.label or "",
        "number": participant.id_in_session,
        "code": participant.code,
        "session": session.code,
        "rows": rows,
        "total": format_money(ledger.total),
    }


def format_points(participant: Any, app: str, points: Points) -> str:
    """Returns points in an app as its participant sees them."""
    if app not in games_of(participant.session.config):
        return plain(float(points))
    treatment = treatments.treatment_of(participant)
    return plain(points_as_score(treatments.config_in_treatment(participant.session, app, treatment), points))


def _terms(config: Config) -> Terms:
    return terms(config, RealWorldCurrency.get_num_decimal_places())


def _worth_of_point(config: Config) -> Decimal:
    """Returns the value of a point of the score, unrounded."""
    return Decimal(str(abs(config["payoff_rate"]))) * _terms(config).per_point


def _is_whole(config: Config, points: int) -> bool:
    """Returns whether these points of the score are worth whole cents."""
    exact = points * _worth_of_point(config)
    return exact == Decimal(RealWorldCurrency(exact))
