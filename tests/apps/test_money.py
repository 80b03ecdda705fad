"""Tests the conversion of points into money: the sentences of the instructions and the payoff of a hand."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

import settings
from cardlab.games.contract import Result, ScoreGuide
from cardlab.games.record import Opening
from cardlab.games.ttt import rules, texts
from cardlab.pages import texts as common_words
from cardlab.sessions import money
from cardlab.sessions.config import payoff, points_for_score
from cardlab.sessions.estimate import bounds_of_points
from matrix_game_app.pages import earned_vars

GUIDE = ScoreGuide(-inf, -30, 12, inf)


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
def test_rate_is_given_for_whole_cents(rate, sentence):
    first_sentence, *_others = money.pay_sentences(config(real_world_currency_per_point=rate), False, GUIDE)
    assert first_sentence.replace(",", "") == sentence


def test_example_uses_the_payoff_formula():
    fields = {"payoff_base": 50.0, "payoff_rate": 2.0, "real_world_currency_per_point": 0.05}
    _rate, good, bad, fee = money.pay_sentences(config(**fields), True, GUIDE)
    assert good == "A good game, such as a score of 12, earns €3.70."
    assert bad == "A bad game, such as a score of −30, earns €0.00."
    assert fee == "You also receive €5.00 for taking part."


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
def test_payoff_is_linear_in_score_above_floor(base, rate, floor, score, points):
    fields = {"payoff_base": base, "payoff_rate": rate, "payoff_floor": floor}
    assert points_for_score(config(**fields), score) == points
    for practice, expected_points in ((False, points), (True, 0)):
        opening = Opening("a deal", {}, practice=practice)
        assert payoff(config(pay_hands="all", **fields), opening, 1, score) == expected_points


def test_only_the_drawn_hand_earns_anything():
    fields = config(pay_hands="one", payoff_base=50.0, payoff_floor=30.0, seed="x")
    hands = [Opening("a deal", {}, number=number, of=4) for number in range(1, 5)]
    assert sorted(payoff(fields, hand, 1, 12) for hand in hands) == [0, 0, 0, 62]


def test_no_fee_sentence_without_fee():
    assert len(money.pay_sentences(config(participation_fee=0), False, GUIDE)) == 3


LOSSES = {
    "a negative score": ({}, -inf, ["A negative score earns nothing."]),
    "a game without negative scores": ({}, 0, []),
    "a base": (
        {"payoff_base": 50},
        -inf,
        ["A paid game earns its score plus 50 points.", "A score of −50 or less earns nothing."],
    ),
    "a base that is out of reach": (
        {"payoff_base": 50},
        -49,
        ["A paid game earns its score plus 50 points."],
    ),
    "something to begin with": (
        {"payoff_base": -20},
        0,
        ["A paid game earns its score minus 20 points.", "A score of 20 or less earns nothing."],
    ),
    "a floor": ({"payoff_floor": 5}, -inf, ["A paid game earns at least 5 points."]),
    "a loss": ({"payoff_floor": -5}, -inf, ["A paid game can cost you points, but at most 5."]),
    "the fewer the better": (
        {"payoff_rate": -1, "payoff_base": 30},
        0,
        ["A paid game earns 30 points minus its score.", "A score of 30 or more earns nothing."],
    ),
    "the same for all": ({"payoff_rate": 0, "payoff_base": 30}, -inf, []),
}


@pytest.mark.parametrize(("fields", "lowest", "lines"), LOSSES.values(), ids=LOSSES)
def test_instructions_name_scores_that_earn_nothing(fields, lowest, lines):
    sentences = common_words.pay_sentences(config(**fields), True, lowest)
    assert sentences[:-1] == lines
    for score in range(-100, 101):  # the displayed payoff equals the paid one
        if score >= lowest and lines[-1:] == ["A negative score earns nothing."]:
            assert (money.points_for_score(config(**fields), score) == 0) is (score <= 0)


@pytest.mark.parametrize("scaled", [1, 200, 0.5, -2])
def test_points_on_screen_are_points_of_the_score(scaled):
    """Rates, bases and sums of points are expressed in points of the score."""
    fields = {"payoff_rate": scaled, "payoff_base": 30 * abs(scaled), "payoff_floor": 6 * abs(scaled)}
    chosen = config(**fields, real_world_currency_per_point=0.1 / abs(scaled))
    sentences = [*common_words.pay_sentences(chosen, False), *money.pay_sentences(chosen, False, GUIDE)]
    assert not any("×" in sentence for sentence in sentences)
    assert sentences[0].endswith("score plus 30 points." if scaled > 0 else "30 points minus its score.")
    assert "A paid hand earns at least 6 points." in sentences
    assert "1 point is worth €0.10." in sentences
    points = 42 if scaled > 0 else 18
    assert money.points_as_score(chosen, money.points_for_score(chosen, 12)) == pytest.approx(points)
    assert f"A good hand, such as a score of 12, earns €{points / 10:.2f}." in sentences


def test_news_name_changed_goal_and_first_mover():
    def hand(goal, first, shown=True):
        return Opening(
            f"3H 2C 2H 4C 4H 3C | {goal} | {first}", {**rules.DEFAULT_OPTIONS, "ViewTarget": shown}
        )

    same, other = hand("2H", "ck"), hand("4H", "nk")
    assert texts.news(same, same) == ""
    assert texts.news(other, same) == ("There is a new goal card: 4♥. In this hand the number keeper begins.")
    assert texts.news(hand("4H", "ck", shown=False), same) == ""  # a hidden goal is not announced


def row(number, score, points):
    return number, Result(score, {}, "completed"), f"{score}", points


@pytest.mark.parametrize(
    ("points", "rows", "drawn", "sentence"),
    [
        (43.0, [row(1, -7, "43")], 0, "Your score was −7. You earned 43 points: €2.15."),
        (
            100.5,
            [row(1, -7, "43"), row(2, 7, "57.5")],
            0,
            "In 2 games you earned 100.5 points: €5.03.",
        ),
        (
            57.0,
            [row(1, -7, "0"), row(2, 7, "57")],
            2,
            "Game 2 was drawn for payment. You earned 57 points: €2.85.",
        ),
    ],
)
def test_debriefing_gives_what_the_games_earned(points, rows, drawn, sentence):
    shown = earned_vars(config(real_world_currency_per_point=0.05), points, rows, drawn)
    assert shown["sentences"] == [sentence, "The next page adds what you receive for taking part."]
    each = [(1, "−7", rows[0][-1]), (2, "+7", rows[-1][-1])]
    assert shown["games"] == (each if len(rows) > 1 else [])
    free = earned_vars(config(participation_fee=0), points, rows, drawn)
    assert len(free["sentences"]) == 1


@given(
    rate=st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0]),
    base=st.integers(-50, 50),
    floor=st.integers(-50, 50),
    score=st.integers(-100, 18),
)
def test_every_score_earns_between_the_bounds(rate, base, floor, score):
    fields = config(payoff_rate=rate, payoff_base=base, payoff_floor=floor)
    low, high = bounds_of_points(fields, ScoreGuide(-inf, -12, 9, 18))
    assert low <= points_for_score(fields, score) <= high
    assert low >= floor


def test_bounds_are_those_of_the_scores():
    low, high = bounds_of_points(config(payoff_base=5.0, payoff_rate=2.0), ScoreGuide(-1, 0, 2, 3))
    assert (low, high) == (3, 11)
    assert bounds_of_points(config(), ScoreGuide(-inf, -30, 12, inf)) == (0, inf)
