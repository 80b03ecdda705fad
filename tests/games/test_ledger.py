"""Tests that the rows of a payment add up exactly, and how amounts are rounded."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.ledger import (
    FEE,
    OTHER,
    PART,
    ROUNDING,
    WAITING,
    Row,
    Terms,
    in_money,
    make_ledger,
    round_to_step,
)


@pytest.mark.parametrize(
    ("amount", "step", "sum_paid"),
    [
        (6.23, 0.01, 6.23),
        (6.25, 0.1, 6.3),
        (6.24, 0.1, 6.2),
        (6.25, 0.5, 6.5),
        (6.2, 1, 6),
        (0.5, 1.0, 1),
        (-0.5, 1.0, -1),
    ],
)
def test_pay_rounds_halves_up(amount, step, sum_paid):
    assert float(round_to_step(Decimal(str(amount)), Decimal(str(step)))) == sum_paid


amounts = st.decimals(-500, 500, places=2)


@given(
    fee=st.decimals(0, 50, places=2),
    per_point=st.decimals(0, 2, places=4),
    step=st.sampled_from(["0.01", "0.05", "0.1", "0.5", "1", "4.5"]),
    points=st.dictionaries(st.sampled_from(["first", "second", "third", ""]), amounts),
)
def test_rows_add_up_exactly_as_shown(fee, per_point, step, points):
    ledger = make_ledger(Terms(fee, per_point, Decimal(step)), points)
    shown = [Decimal(f"{row.amount:.2f}") for row in ledger.rows]
    assert sum(shown) == Decimal(f"{ledger.total:.2f}") == ledger.total
    assert ledger.total % Decimal(step) == 0
    exact = fee + sum(points.values()) * per_point
    assert abs(ledger.total - exact) <= Decimal(step) / 2 + len(points) * Decimal("0.005")
    assert ledger.amount("fee") + ledger.earned + ledger.amount("rounding") == ledger.total


def test_ledger_has_a_row_for_each_source():
    terms = Terms(fee=Decimal(5), per_point=Decimal("0.01"), step=Decimal("0.5"))
    ledger = make_ledger(terms, {"": Decimal(10), "triangle_app": Decimal("101.5")}, Decimal("0.251"))
    assert ledger.rows == (
        Row(FEE, Decimal(5), app="", points=Decimal(0)),
        Row(WAITING, Decimal("0.25")),
        Row(OTHER, Decimal("0.10"), "", Decimal(10)),
        Row(PART, Decimal("1.02"), "triangle_app", Decimal("101.5")),
        Row(ROUNDING, Decimal("0.13")),
    )
    assert (ledger.earned, ledger.total) == (Decimal("1.12"), Decimal("6.50"))
    assert ledger.parts == {"triangle_app": ledger.rows[3]}
    unplayed = make_ledger(terms, {})
    assert [row.kind for row in unplayed.rows] == [FEE, ROUNDING]
    assert (unplayed.earned, unplayed.total) == (0, 5)


def test_amounts_have_the_places_of_the_currency():
    yen = Terms(fee=Decimal("500.4"), per_point=Decimal("0.5"), step=Decimal(1), least=Decimal(1))
    assert in_money(yen, Decimal(5)) == 3
    assert make_ledger(yen, {}).total == 500
    assert Terms(Decimal(0), Decimal(1), Decimal(1)).least == Decimal("0.01")
