"""The payments of a session: the table on oTree's page, as a CSV file, and as receipts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from otree.common import get_models_module
from otree.currency import Currency, RealWorldCurrency
from otree.database import db, dbq
from otree.models import Participant, Session
from otree.templating import render
from otree.views.admin import SessionPayments
from otree.views.cbv import AdminSessionPage, BaseRESTView
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardlab.admin.csv_response import csv_response
from cardlab.core.patch import Patch
from cardlab.games.ledger import FEE, OTHER, ROUNDING, WAITING, Ledger
from cardlab.games.pay import ALONE, LEFT
from cardlab.games.registry import games_by_app
from cardlab.games.tables import guard_formula, payment_columns
from cardlab.live import personal_data
from cardlab.live.lab import LAB
from cardlab.sessions import recruiting, treatments
from cardlab.sessions.apps import games_of
from cardlab.sessions.arrival import FINISHED, WITHDRAWN, has_arrived
from cardlab.sessions.money import format_money, format_points, ledger_of, receipt

PATH = "/cardlab/payments/{code}"
NO_STORE = {"Cache-Control": "no-store"}
NOT_FINISHED = "not finished"  # in the table, where oTree's status is empty


def total_pay(participant: Any) -> RealWorldCurrency:
    """Returns a participant's payment for the session, which is the sum of their ledger."""
    return RealWorldCurrency(ledger_of(participant).total)


# ------------------------------------------------------------------ the table


class Payment(NamedTuple):
    """A participant's payment. ``points`` are the apps' points as participants see them."""

    participant: Participant
    ledger: Ledger
    points: list[str]

    @property
    def total(self) -> Decimal:
        """What the participant is paid."""
        return self.ledger.total

    @property
    def other(self) -> Decimal:
        """Pay for waiting, what rounding adds, and points of the participant that belong to no player."""
        return self.ledger.amount(WAITING, OTHER, ROUNDING)


class Payments(NamedTuple):
    """The paying apps of a session, in order, and the payments of the participants who arrived."""

    apps: list[str]
    payments: list[Payment]


def session_payments(session: Session) -> Payments:
    """Returns the table of payments of a session."""
    config, games = session.config, games_of(session.config)
    points = {app: _points_by_participant(session, app) for app in config["app_sequence"]}
    apps = [app for app in points if app in games or any(points[app].values())]
    participants = [participant for participant in session.get_participants() if has_arrived(participant)]
    return Payments(
        apps,
        [
            _payment(participant, {app: points[app][participant.id] for app in apps})
            for participant in participants
        ],
    )


def _points_by_participant(session: Session, app: str) -> dict[int, Currency]:
    players = get_models_module(app).Player
    sums: dict[int, Currency] = defaultdict(lambda: Currency(0))
    rows = dbq(players).filter_by(session=session).with_entities(players.participant_id, players._payoff)
    for row, points in rows.yield_per(1000):  # a large session has many
        sums[row] += points
    return sums


def _payment(participant: Participant, points: dict[str, Currency]) -> Payment:
    """Returns the payment for the points in each app."""
    ledger = ledger_of(participant, {**points, "": participant.payoff - sum(points.values())})
    return Payment(
        participant,
        ledger,
        [format_points(participant, app, app_points) for app, app_points in points.items()],
    )


def payment_rows(session: Session) -> list[list[Any]]:
    """Returns the table as rows of cells, the heading first."""
    table = session_payments(session)
    columns = [*payment_columns(table.apps)]
    withdrawn = personal_data.open_payments(LAB.page_records, session.id)
    return [
        columns,
        *(_cells(session, payment) for payment in table.payments),
        *(_cells_of_withdrawn(session, payment, columns) for payment in withdrawn),
    ]


def _cells_of_withdrawn(
    session: Session, payment: personal_data.Payment, columns: Iterable[str]
) -> list[Any]:
    """Returns the cells of a participant who has withdrawn: whom to pay, and the total."""
    cells = dict.fromkeys(columns, "")
    cells |= {"session_code": session.code, "status": WITHDRAWN, "total": payment.total}
    cells |= {"participant_code": payment.code, "participant_label": guard_formula(payment.label)}
    return list(cells.values())


def _cells(session: Session, payment: Payment) -> list[Any]:
    participant = payment.participant
    status = participant.status or NOT_FINISHED
    identity_cells = [
        session.code,
        participant.code,
        guard_formula(participant.label),
        treatments.treatment_of(participant),
        status,
    ]
    parts = payment.ledger.parts.values()
    amounts = [
        payment.ledger.amount(FEE),
        *(cell for row in parts for cell in (row.points, row.amount)),
        payment.other,
        payment.total,
    ]
    return [*identity_cells, *(f"{Decimal(amount):f}" for amount in amounts)]


# ------------------------------------------------------------------ its pages


def _page(view: SessionPayments) -> dict[str, Any]:
    """Returns the variables of oTree's page of payments: finished participants, then the others."""
    session = view.session
    table = session_payments(session)
    finished, others = split_by_completion(table.payments)
    totals, would_be = (
        [RealWorldCurrency(payment.total) for payment in payments] for payments in (finished, others)
    )
    return {
        "apps": [_title(app) for app in table.apps],
        "parts": [
            ("Finished", "Total", [_template_row(payment) for payment in finished]),
            ("Not finished", "Total if paid", [_template_row(payment) for payment in others]),
        ],
        "other": any(payment.other for payment in table.payments),
        "total_payments": sum(totals, RealWorldCurrency(0)),
        "mean_payment": sum(totals, RealWorldCurrency(0)) / len(totals) if totals else RealWorldCurrency(0),
        "not_finished": sum(payment.total > 0 for payment in others),
        "would_be_paid": sum(would_be, RealWorldCurrency(0)),
        "participation_fee": session.config["participation_fee"],
        "rounding": session.config["pay_rounding"],
        "withdrawn": [
            {**payment._asdict(), "total": format_money(Decimal(payment.total))}
            for payment in personal_data.open_payments(LAB.page_records, session.id)
        ],
        "path": PATH.format(code=session.code),
    }


def split_by_completion(payments: Iterable[Payment]) -> tuple[list[Payment], list[Payment]]:
    """Returns the payments of participants who finished, left or found no partner, and of the others."""
    groups: tuple[list[Payment], list[Payment]] = ([], [])
    for payment in payments:
        groups[payment.participant.status not in (FINISHED, LEFT, ALONE)].append(payment)
    return groups


def _title(app: str) -> str:
    """Returns a game's title, or another app's name."""
    return games_by_app()[app].title if app in games_by_app() else app


def _template_row(payment: Payment) -> dict[str, Any]:
    participant = payment.participant
    pages = participant._max_page_index  # of a participant who has finished, the index is one more
    return {
        "code": participant.code,
        "label": participant.label or "",
        "progress": f"{min(participant._index_in_pages, pages)}/{pages}",
        "status": participant.status or NOT_FINISHED,
        "fee": format_money(payment.ledger.amount(FEE)),
        "apps": [
            (_title(app), points, format_money(row.amount))
            for points, (app, row) in zip(payment.points, payment.ledger.parts.items())
        ],
        "other": format_money(payment.other) if payment.other else "",
        "total": format_money(payment.total),
    }


class PaymentsPage(AdminSessionPage):
    """A page that requires a login if the tab Payments does."""

    def _is_unauthorized(self) -> bool:
        return bool(SessionPayments._requires_login and not self._is_logged_in())


class PaymentsFile(PaymentsPage):
    """The table as CSV."""

    def get(self, request: Request, code: str) -> Response:
        """Returns the file."""
        return _csv(self.session)


def bonus_rows(session: Session) -> list[list[str]]:
    """Returns the ID and the bonus, without the fee, of each participant who finished and earned one.

    The ID is Prolific's, or the label. Prolific's form for bonuses takes such lines.
    """
    finished, _others = split_by_completion(session_payments(session).payments)
    bonuses = [
        (
            recruiting.stored_parameters(payment.participant).get(recruiting.LABEL)
            or payment.participant.label,
            payment.total - payment.ledger.amount(FEE),
        )
        for payment in finished
        if payment.participant.label
    ]
    fee = Decimal(RealWorldCurrency(session.config["participation_fee"]))
    bonuses += [
        (payment.label, Decimal(payment.total) - fee)
        for payment in personal_data.open_payments(LAB.page_records, session.id)
        if payment.label
    ]
    return [[label, f"{bonus:.2f}"] for label, bonus in bonuses if bonus > 0]


class BonusFile(PaymentsPage):
    """The bonuses as lines for a recruiting service."""

    def get(self, request: Request, code: str) -> Response:
        """Returns the file."""
        return csv_response(f"bonuses_{code}.csv", bonus_rows(self.session))


class Receipts(PaymentsPage):
    """A receipt on its own sheet of paper for each paid participant who finished."""

    finished = True

    def get(self, request: Request, code: str) -> Response:
        """Returns the page."""
        table = session_payments(self.session)
        finished, others = split_by_completion(table.payments)
        receipts = [
            receipt(payment.participant, payment.ledger)
            for payment in (finished if self.finished else others)
            if payment.total
        ]
        variables = {"session": self.session, "receipts": receipts, "finished": self.finished}
        page = render(
            "cardlab/Receipts.html",
            {**variables, "not_finished": sum(payment.total > 0 for payment in others)},
        )
        page.headers.update(NO_STORE)
        return page


class ReceiptsOfOthers(Receipts):
    """Receipts for participants who have not finished."""

    finished = False


class RestPayments(BaseRESTView):
    """The table as CSV through the REST interface, for ``lab.py export``."""

    def get(self) -> Response:
        """Returns the file."""
        return _csv(db.get_or_404(Session, code=self.request.path_params["code"]))


def _csv(session: Session) -> Response:
    return csv_response(f"payments_{session.code}.csv", payment_rows(session))


ROUTES = [
    Route(f"{PATH}/payments.csv", PaymentsFile, methods=["GET"]),
    Route(f"{PATH}/bonuses.csv", BonusFile, methods=["GET"]),
    Route(f"{PATH}/receipts", Receipts, methods=["GET"]),
    Route(f"{PATH}/receipts/not_finished", ReceiptsOfOthers, methods=["GET"]),
    Route("/api/payments/{code}", RestPayments, methods=["GET"]),
]


_REASON = "oTree's payments page and tables agree with our results."
PATCHES = (
    Patch(
        Participant, "payoff_plus_participation_fee", total_pay, "correctness", "153b02706f9294af", _REASON
    ),
    Patch(SessionPayments, "vars_for_template", _page, "feature", "8fe385ef339e103c", _REASON),
)
