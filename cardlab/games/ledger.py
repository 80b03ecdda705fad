"""Computes a participant's payment as a ledger: rows of money that add up exactly.

The purse, the results page, the receipts, the payments page and the exports take their numbers from a ledger.
Amounts and points are ``Decimal``.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

FEE, WAITING, PART, OTHER, ROUNDING = "fee", "waiting", "part", "other", "rounding"  # kinds of rows, in order


class Terms(NamedTuple):
    """The fee, the value of a point, the step to which the total is rounded, and the smallest amount."""

    fee: Decimal
    per_point: Decimal
    step: Decimal
    least: Decimal = Decimal("0.01")


class Row(NamedTuple):
    """An amount of money. In a row of an app (``PART``) or of no app (``OTHER``) it comes from points."""

    kind: str
    amount: Decimal
    app: str = ""
    points: Decimal = Decimal(0)


class Ledger(NamedTuple):
    """All rows of a participant's payment."""

    rows: tuple[Row, ...]

    @property
    def total(self) -> Decimal:
        """The payment: the sum of all rows."""
        return sum((row.amount for row in self.rows), Decimal(0))

    @property
    def earned(self) -> Decimal:
        """The amount earned with points, without fee, waiting and rounding."""
        return self.amount(PART, OTHER)

    def amount(self, *kinds: str) -> Decimal:
        """Returns the sum of the rows of some kinds."""
        return sum((row.amount for row in self.rows if row.kind in kinds), Decimal(0))

    @property
    def parts(self) -> dict[str, Row]:
        """The rows of the apps, by app."""
        return {row.app: row for row in self.rows if row.kind == PART}


def make_ledger(terms: Terms, points: Mapping[str, Decimal], waiting: Decimal = Decimal(0)) -> Ledger:
    """Returns a participant's ledger.

    Rounds the amount of each app as it is shown, then the total to ``terms.step``. Halves are rounded away
    from 0.

    Args:
        terms: the payment terms of the session.
        points: the points in each app; "" has those that belong to no app.
        waiting: the amount for waiting without finding a partner.
    """
    rows = [Row(FEE, round_to_step(terms.fee, terms.least))]
    rows += [Row(WAITING, round_to_step(waiting, terms.least))] if waiting else []
    rows += [
        Row(PART if app else OTHER, in_money(terms, app_points), app, app_points)
        for app, app_points in points.items()
    ]
    exact = sum((row.amount for row in rows), Decimal(0))
    return Ledger((*rows, Row(ROUNDING, round_to_step(exact, terms.step) - exact)))


def in_money(terms: Terms, points: Decimal) -> Decimal:
    """Converts points into money."""
    return round_to_step(Decimal(points) * terms.per_point, terms.least)


def round_to_step(amount: Decimal, step: Decimal) -> Decimal:
    """Returns the nearest multiple of a step; halves are rounded away from 0."""
    return (Decimal(amount) / step).quantize(Decimal(1), ROUND_HALF_UP) * step
