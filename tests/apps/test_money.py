"""Points in money: the sentences of the instructions, and what a hand is worth."""

from __future__ import annotations

import pytest

import settings
from experiment import money
from experiment.config import earned, payoff
from games.contract import Result
from games.record import Opening
from games.ttt import rules
from matrix_game_app.words import of_earned
from ttt_solo_app import words


def config(**fields):
    return {**settings.SESSION_CONFIG_DEFAULTS, **fields}


@pytest.mark.parametrize(
    ("rate", "sentence"),
    [
        (0.0005, "100 points are worth €0.05."),
        (0.05, "1 point is worth €0.05."),
        (1, "1 point is worth €1.00."),
        (1 / 3, "1000000 points are worth €333333.33."),
    ],
)
def test_the_rate_is_told_for_so_many_points_as_make_whole_cents(rate, sentence):
    told, *_others = money.of_pay(config(real_world_currency_per_point=rate), "hand", 850)
    assert told.replace(",", "") == sentence


def test_an_example_is_reckoned_as_hands_are_paid():
    fields = {"payoff_base": 50.0, "payoff_rate": 2.0, "real_world_currency_per_point": 0.05}
    _rate, example, fee = money.of_pay(config(**fields), "game", 12)
    assert example == "For example, a paid game with the score 12 earns €3.70."
    assert fee == "For taking part you receive €5.00 besides."


@pytest.mark.parametrize(
    ("base", "rate", "floor", "score", "points"),
    [
        (0.0, 1.0, 0.0, 850, 850),
        (50.0, 2.0, 0.0, 12, 74),
        (50.0, -2.0, 0.0, 12, 26),
        (50.0, 2.0, 0.0, -100, 0),  # base + rate × score is −150: the floor counts
        (50.0, 2.0, -20.0, -100, -20),
        (50.0, 2.0, -200.0, -100, -150),
        (0.0, 1.0, 30.0, 12, 30),
        (0.0, 1.0, 30.0, 31, 31),
        (10.0, 0.5, 0.0, 7, 13.5),
    ],
)
def test_a_paid_hand_earns_base_and_rate_times_score_but_never_less_than_the_floor(
    base, rate, floor, score, points
):
    fields = {"payoff_base": base, "payoff_rate": rate, "payoff_floor": floor}
    assert earned(config(**fields), score) == points
    for practice, told in ((False, points), (True, 0)):
        opening = Opening("a deal", {}, practice=practice)
        assert payoff(config(pay_hands="all", **fields), opening, 1, score) == told


def test_where_one_hand_is_paid_the_others_earn_nothing_not_even_the_floor():
    fields = config(pay_hands="one", payoff_base=50.0, payoff_floor=30.0, seed="x")
    hands = [Opening("a deal", {}, number=number, of=4) for number in range(1, 5)]
    assert sorted(payoff(fields, hand, 1, 12) for hand in hands) == [0, 0, 0, 62]


def test_without_a_fee_none_is_told():
    assert len(money.of_pay(config(participation_fee=0), "hand", 850)) == 2


def test_a_hand_of_target_the_two_says_what_is_otherwise():
    def hand(goal, first, shown=True):
        return Opening(
            f"3H 2C 2H 4C 4H 3C | {goal} | {first}", {**rules.DEFAULT_OPTIONS, "ViewTarget": shown}
        )

    same, other = hand("2H", "ck"), hand("4H", "nk")
    assert words.of_news(same, same) == ""
    assert words.of_news(other, same) == (
        "The goal card is another one now: 4♥. In this hand Nk moves first."
    )
    assert words.of_news(hand("4H", "ck", shown=False), same) == ""  # a goal that is not shown is not told


def row(number, score, points, money):
    return number, Result(score, {}, "completed"), f"{score}", points, money


@pytest.mark.parametrize(
    ("points", "rows", "drawn", "sentence"),
    [
        (43.0, [row(1, -7, "43", "€2.15")], 0, "Your score was −7: it earned you 43 points, €2.15."),
        (
            100.5,
            [row(1, -7, "43", "€2.15"), row(2, 7, "57.5", "€2.88")],
            0,
            "Your 2 games earned you 100.5 points, €5.03.",
        ),
        (
            57.0,
            [row(1, -7, "0", "€0.00"), row(2, 7, "57", "€2.85")],
            2,
            "Game 2 was drawn to be paid: it earned you 57 points, €2.85.",
        ),
    ],
)
def test_the_debriefing_says_what_the_games_earned(points, rows, drawn, sentence):
    told = of_earned(config(real_world_currency_per_point=0.05), points, rows, drawn)
    assert told["sentences"] == [sentence, "The next page adds what you receive for taking part."]
    assert [game[:2] for game in told["games"]] == ([(1, "−7"), (2, "+7")] if len(rows) > 1 else [])
    free = of_earned(config(participation_fee=0), points, rows, drawn)
    assert len(free["sentences"]) == 1
