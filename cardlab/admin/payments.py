"""What a session pays: the sum for each participant; the table of it as oTree's page, as CSV, as receipts."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from otree.common import get_models_module
from otree.currency import Currency, RealWorldCurrency
from otree.database import db, dbq
from otree.models import Participant, Session
from otree.templating import render
from otree.views.admin import SessionPayments
from otree.views.cbv import AdminSessionPage, BaseRESTView
from starlette.responses import Response
from starlette.routing import Route

from cardlab.core.number_format import plain
from cardlab.core.patch import Patch
from cardlab.games.registry import games_by_app
from cardlab.games.tables import guard_formula, payment_columns
from cardlab.sessions import treatments
from cardlab.sessions.apps import games_of
from cardlab.sessions.arrival import came
from cardlab.sessions.completion import FINISHED, ended_early
from cardlab.sessions.money import points_by_app, shown, sum_of, worth, written

PATH = "/cardlab/payments/{code}"
NO_STORE = {"Cache-Control": "no-store"}
NOT_FINISHED = "not finished"  # in the table, where oTree's status is empty


def paid(participant: Any) -> RealWorldCurrency:
    """What a participant is paid for the whole session: the fee and each app's points in money, rounded;
    nothing where it has ended early, or nobody came."""
    return _paid_for(participant, points_by_app(participant).values())


def _paid_for(participant: Any, points_of_apps: Iterable[Currency]) -> RealWorldCurrency:
    """The same for so many points in each app."""
    if ended_early(participant) or not came(participant):
        return RealWorldCurrency(0)
    config = participant.session.config
    return rounded(config["participation_fee"] + sum_of(config, points_of_apps), config["pay_rounding"])


def rounded(amount: Decimal, step: float) -> RealWorldCurrency:
    """The nearest multiple of ``step``, halves upwards."""
    unit = Decimal(str(step))
    return RealWorldCurrency((Decimal(amount) / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit)


# ------------------------------------------------------------------ the table


class Earned(NamedTuple):
    """What somebody has earned in an app."""

    points: Currency
    money: RealWorldCurrency


class Payment(NamedTuple):
    """What somebody is paid. ``points`` are those of the apps as participants read them. ``other`` is what
    the sum is more than fee and apps: by rounding, and by points that a program has given to the participant
    and not to a player."""

    participant: Participant
    fee: RealWorldCurrency
    apps: list[Earned]
    points: list[str]
    other: RealWorldCurrency
    total: RealWorldCurrency


class Payments(NamedTuple):
    """Of a session: the apps that pay, in their order, and what each is paid who came."""

    apps: list[str]
    each: list[Payment]


def of_session(session: Session) -> Payments:
    """The table of payments of a session."""
    config, games = session.config, games_of(session.config)
    points = {app: _points(session, app) for app in config["app_sequence"]}
    apps = [app for app in points if app in games or any(points[app].values())]
    people = [participant for participant in session.get_participants() if came(participant)]
    return Payments(
        apps, [_payment(one, {app: points[app][one.id] for app in apps}, games) for one in people]
    )


def _points(session: Session, app: str) -> dict[int, Currency]:
    """The points of an app by the participant's row."""
    players = get_models_module(app).Player
    sums: dict[int, Currency] = defaultdict(lambda: Currency(0))
    for row, points in (
        dbq(players).filter_by(session=session).with_entities(players.participant_id, players._payoff)
    ):
        sums[row] += points
    return sums


def _payment(participant: Participant, points: dict[str, Currency], games: list[str]) -> Payment:
    """The payment for the points of each app, of which these are games."""
    session, treatment = participant.session, treatments.of(participant)
    config, counts = session.config, not ended_early(participant)
    fee = config["participation_fee"] if counts else RealWorldCurrency(0)
    apps = [Earned(each, worth(config, each) if counts else RealWorldCurrency(0)) for each in points.values()]
    read = [
        plain(shown(treatments.config_in(session, app, treatment), each) if app in games else each)
        for app, each in points.items()
    ]
    total = _paid_for(participant, [*points.values(), participant.payoff - sum(points.values())])
    return Payment(participant, fee, apps, read, total - fee - sum(each.money for each in apps), total)


def rows(session: Session) -> list[list[Any]]:
    """The table as rows of cells, the heading first."""
    table = of_session(session)
    return [[*payment_columns(table.apps)], *(_cells(session, payment) for payment in table.each)]


def _cells(session: Session, payment: Payment) -> list[Any]:
    one = payment.participant
    status = one.status or NOT_FINISHED
    who = [session.code, one.code, guard_formula(one.label), treatments.of(one), status]
    amounts = [
        payment.fee,
        *(cell for earned in payment.apps for cell in earned),
        payment.other,
        payment.total,
    ]
    return [*who, *(f"{Decimal(amount):f}" for amount in amounts)]


# ------------------------------------------------------------------ its pages


def _page(view: SessionPayments) -> dict[str, Any]:
    """oTree's page of payments: of those who finished, then of those who came and did not, app by app."""
    session = view.session
    table = of_session(session)
    finished, others = parted(table.each)
    totals, would_be = ([payment.total for payment in part] for part in (finished, others))
    return {
        "apps": [_title(app) for app in table.apps],
        "parts": [
            ("Finished", "Total", [_told(payment) for payment in finished]),
            ("Not finished", "Would be paid", [_told(payment) for payment in others]),
        ],
        "other": any(payment.other for payment in table.each),
        "total_payments": sum(totals, RealWorldCurrency(0)),
        "mean_payment": sum(totals, RealWorldCurrency(0)) / len(totals) if totals else RealWorldCurrency(0),
        "not_finished": sum(payment.total > 0 for payment in others),
        "would_be_paid": sum(would_be, RealWorldCurrency(0)),
        "participation_fee": session.config["participation_fee"],
        "rounding": session.config["pay_rounding"],
        "path": PATH.format(code=session.code),
    }


def parted(payments: Iterable[Payment]) -> tuple[list[Payment], list[Payment]]:
    """The payments of those who finished, and of the others."""
    parts: tuple[list[Payment], list[Payment]] = ([], [])
    for payment in payments:
        parts[payment.participant.status != FINISHED].append(payment)
    return parts


def _title(app: str) -> str:
    """What a receipt calls an app: a game by its title."""
    return games_by_app()[app].title if app in games_by_app() else app


def _told(payment: Payment) -> dict[str, Any]:
    """A payment as the pages write it."""
    return {
        "code": payment.participant.code,
        "label": payment.participant.label or "",
        "number": payment.participant.id_in_session,
        "progress": payment.participant.current_page_(),
        "status": payment.participant.status or NOT_FINISHED,
        "fee": written(payment.fee),
        "apps": [(points, written(earned.money)) for points, earned in zip(payment.points, payment.apps)],
        "other": written(payment.other) if payment.other else "",
        "total": written(payment.total),
    }


class OurPage(AdminSessionPage):
    """A page beside the tab Payments, which asks for the login where that does."""

    def _is_unauthorized(self) -> bool:
        return SessionPayments._requires_login and not self._is_logged_in()


class PaymentsFile(OurPage):
    """The table as CSV."""

    def get(self, request, code: str) -> Response:
        return _csv(self.session)


class Receipts(OurPage):
    """A receipt for each participant who finished and is paid something, one on a page of paper."""

    finished = True

    def get(self, request, code: str) -> Response:
        table = of_session(self.session)
        finished, others = parted(table.each)
        receipts = [
            {**_told(payment), "parts": list(zip(map(_title, table.apps), _told(payment)["apps"]))}
            for payment in (finished if self.finished else others)
            if payment.total
        ]
        told = {"session": self.session, "receipts": receipts, "finished": self.finished}
        page = render(
            "experiment/Receipts.html", {**told, "not_finished": sum(payment.total > 0 for payment in others)}
        )
        page.headers.update(NO_STORE)
        return page


class ReceiptsOfOthers(Receipts):
    """The same for those who have not finished, where the researcher pays them all the same."""

    finished = False


class PaymentsForPrograms(BaseRESTView):
    """The table as CSV for ``lab.py export``, which shows the key of the REST interface."""

    def get(self) -> Response:
        return _csv(db.get_or_404(Session, code=self.request.path_params["code"]))


def _csv(session: Session) -> Response:
    text = io.StringIO()
    csv.writer(text).writerows(rows(session))
    name = f"payments_{session.code}.csv"
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


ROUTES = [
    Route(f"{PATH}/payments.csv", PaymentsFile, methods=["GET"]),
    Route(f"{PATH}/receipts", Receipts, methods=["GET"]),
    Route(f"{PATH}/receipts/not_finished", ReceiptsOfOthers, methods=["GET"]),
    Route("/api/payments/{code}", PaymentsForPrograms, methods=["GET"]),
]


_REASON = "oTree's page of payments, its tables and our results give the same sum."
PATCHES = (
    Patch(Participant, "payoff_plus_participation_fee", paid, "correctness", "153b02706f9294af", _REASON),
    Patch(SessionPayments, "vars_for_template", _page, "feature", "8fe385ef339e103c", _REASON),
)
