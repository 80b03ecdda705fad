"""Tests which participants and hands are paid, and the points for a score."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest

from cardlab.games import pay
from cardlab.games.pay import PlaceInSeries, Places
from cardlab.games.shared_settings import PAID, UNPAID

CONFIG = {"payoff_floor": 0.0, "payoff_base": 50.0, "payoff_rate": 2.0, "pay_hands": "all", "seed": "x"}


def test_participants_who_end_early_are_unpaid():
    config = {"leave_button": PAID}
    unpaid = {status for status in ("", "finished", *pay.EARLY_STATUSES) if pay.is_unpaid(config, status)}
    assert unpaid == {*pay.EARLY_STATUSES} - {pay.ALONE, pay.LEFT}


def test_leaving_is_paid_as_the_session_says():
    assert not pay.is_unpaid({"leave_button": PAID}, pay.LEFT)
    assert pay.is_unpaid({"leave_button": UNPAID}, pay.LEFT)


def test_each_participant_draws_any_hand_equally():
    drawn = [pay.drawn_hand(CONFIG, number, 4) for number in range(1, 401)]
    assert drawn == [pay.drawn_hand(CONFIG, number, 4) for number in range(1, 401)]
    assert {*drawn} == {1, 2, 3, 4}
    assert min(Counter(drawn).values()) > 70
    other_seed = [pay.drawn_hand({**CONFIG, "seed": "y"}, number, 4) for number in range(1, 401)]
    assert 200 < sum(one != other for one, other in zip(drawn, other_seed)) < 400


@pytest.mark.parametrize("pay_hands", ["all", "one"])
def test_practice_is_never_paid(pay_hands):
    config = {**CONFIG, "pay_hands": pay_hands}
    assert not any(pay.is_paid(config, PlaceInSeries(number, 3, True), 1) for number in (1, 2, 3))


def test_all_hands_or_the_drawn_one_are_paid():
    hands = [PlaceInSeries(number, 5, False) for number in range(1, 6)]
    assert all(pay.is_paid(CONFIG, hand, 7) for hand in hands)
    paid = [hand.number for hand in hands if pay.is_paid({**CONFIG, "pay_hands": "one"}, hand, 7)]
    assert paid == [pay.drawn_hand(CONFIG, 7, 5)]


@pytest.mark.parametrize(
    ("fields", "score", "points"),
    [
        ({}, 12, 74),
        ({}, -25, 0),
        ({}, -100, 0),  # the floor: base + rate × score is −150
        ({"payoff_floor": -20}, -100, -20),
        ({"payoff_rate": -2}, 12, 26),
        ({"payoff_base": 0, "payoff_rate": 0.5}, 5, 3),  # a half is rounded away from 0
        ({"payoff_base": 0, "payoff_rate": 0.5, "payoff_floor": -9}, -5, -3),
    ],
)
def test_points_are_linear_in_score_above_floor(fields, score, points):
    assert pay.points_for_score({**CONFIG, **fields}, score, Places().points) == points


def test_amounts_are_rounded_as_by_otree():
    assert pay.points_for_score({**CONFIG, "payoff_base": 0, "payoff_rate": 0.25}, 1, places=1) == 0.3
    assert pay.rounded(Decimal("2.345"), Places().money) == Decimal("2.35")
    assert str(pay.rounded(2.5, 0)) == "3"


def test_terms_are_read_from_the_session_config():
    config = {"participation_fee": 4.999, "real_world_currency_per_point": 0.0005, "pay_rounding": 0.5}
    assert pay.terms(config, 2) == (Decimal("5.00"), Decimal("0.0005"), Decimal("0.5"), Decimal("0.01"))
    assert pay.terms({**config, "participation_fee": 0.5}, 0) == (1, Decimal("0.0005"), Decimal("0.5"), 1)
