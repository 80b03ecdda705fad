"""Tests points in money: the instructions, the payoff of a hand, earnings, and receipts."""

from decimal import Decimal
from math import inf
from types import SimpleNamespace

import pytest
import without_database  # noqa: F401
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine
from sqlalchemy.orm import sessionmaker

import settings
from cardlab.games.contract import Result, ScoreGuide
from cardlab.games.ledger import FEE, WAITING
from cardlab.games.pay import ALONE
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
        (0, "1 point is worth €0.00."),
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
    "the fewer the better, below a limit": (
        {"payoff_rate": -1, "payoff_base": -30},
        -inf,
        ["A paid game earns −30 points minus its score.", "A score of −30 or more earns nothing."],
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


GAMES = ["triangle_app", "solitario_app"]


def participant(apps=GAMES, status="", came=True, **fields):
    session = SimpleNamespace(code="s1", config=config(**fields, app_sequence=[*apps, "questionnaire_app"]))
    return SimpleNamespace(
        session=session,
        id_in_session=7,
        code="p7",
        label="PC 7",
        status=status,
        time_started_utc="2026-11-20 14:03:07.4" if came else None,
        _vars={},
        vars={},
    )


def test_ledger_has_points_and_fee():
    ledger = money.ledger_of(participant(), {"triangle_app": 1000, "solitario_app": 0, "": 20})
    assert (ledger.earned, ledger.amount(FEE), ledger.total) == (Decimal("0.51"), 5, Decimal("5.51"))
    assert money.ledger_for(config(), {"triangle_app": 1000, "": 20}).total == ledger.total


@pytest.mark.parametrize(
    ("fields", "fee", "earned"),
    [
        ({"came": False}, 0, 0),
        ({"status": "late"}, 0, 0),
        ({"status": "left", "leave_button": "unpaid"}, 0, 0),
        ({"status": "left", "leave_button": "paid"}, 5, 1),
        ({"status": "finished"}, 5, 1),
    ],
)
def test_only_those_who_are_paid_have_amounts(fields, fee, earned):
    ledger = money.ledger_of(participant(**fields), {"triangle_app": 2000})
    assert [row.amount for row in ledger.rows] == [fee, earned, 0]


def test_waiting_without_a_partner_replaces_the_fee():
    alone = participant(status=ALONE, waiting_fee_per_minute=0.1)
    assert money.ledger_of(alone, {}).total == 0
    money.keep_waiting_fee(alone, 12.34)
    assert alone.vars == {money.WAITING_FEE: "1.23"}
    alone._vars = alone.vars
    ledger = money.ledger_of(alone, {"triangle_app": 100})
    assert [(row.kind, row.amount) for row in ledger.rows[:2]] == [(FEE, 0), (WAITING, Decimal("1.23"))]
    assert ledger.total == Decimal("1.28")
    alone.status = "finished"  # what was kept counts only for those without a partner
    assert money.ledger_of(alone, {}).total == 5


def test_waiting_is_paid_nothing_by_default():
    alone = participant(status=ALONE)
    del alone.session.config["waiting_fee_per_minute"]  # a session of an earlier version
    money.keep_waiting_fee(alone, 30)
    assert alone.vars == {money.WAITING_FEE: "0.00"}


def test_points_of_apps_are_those_of_players(monkeypatch):
    engine, payee = create_engine("sqlite://"), participant(GAMES)
    payee.session.config["app_sequence"] = GAMES
    payee.id, payee.payoff = 70, 100
    played = [(70, 1, 40), (70, 2, 2.5), (70, 3, 1), (71, 1, 900)], [(71, 1, 7), (70, 1, 0)]
    for app, payoffs in zip(GAMES, played):
        table = money.get_models_module(app).Player.__table__
        table.create(engine)
        for row in payoffs:
            fields = dict(zip(("participant_id", "round_number", "_payoff"), row))
            engine.execute(table.insert().values(**fields, session_id=1, subsession_id=1))
    monkeypatch.setattr(money, "dbq", sessionmaker(engine)().query)
    points = money.points_by_app(payee)
    assert points == {"triangle_app": 43.5, "solitario_app": 0, "": 56.5}


def test_earnings_before_a_hand_leave_its_points_out(monkeypatch):
    monkeypatch.setattr(money, "points_by_app", lambda _participant: {"triangle_app": 1000, "": 500})
    player = SimpleNamespace(
        participant=participant(), payoff=200, get_folder_name=lambda: "triangle_app", session=None
    )
    earned, fee = money.earnings_sentences({}, player)
    assert (earned, fee) == ("You have earned €0.65 so far.", "You also receive €5.00 for taking part.")
    player.participant.session.config["participation_fee"] = 0
    assert len(money.earnings_sentences({}, player)) == 1


def table_after(app, monkeypatch, points, games=GAMES, **fields):
    """Returns the earnings table after a game, with no other app to come."""
    payee = participant(**fields)
    monkeypatch.setattr(money, "points_by_app", lambda _participant: points)
    monkeypatch.setattr(money, "config_of", lambda _player: payee.session.config)
    player = SimpleNamespace(participant=payee, get_folder_name=lambda: app)
    return money.earnings_table(player, games, [])


def test_earnings_table_adds_up_all_apps(monkeypatch):
    points = {"triangle_app": 1000, "solitario_app": 200, "questionnaire_app": 40, "": 20}
    assert [name for name, *_ in table_after("triangle_app", monkeypatch, points)] == [
        "Points",
        "Points in money",
    ]
    assert table_after("solitario_app", monkeypatch, points, pay_rounding=0.5) == [
        ("Points", "200", ""),
        ("Points in money", "€0.10", ""),
        ("All games", "€0.60", ""),
        ("Other tasks", "€0.03", ""),
        ("For taking part", "€5.00", ""),
        ("Rounding", "−€0.13", ""),
        ("Your earnings", "€5.50", "total"),
    ]


def test_one_game_has_no_sum_of_games(monkeypatch):
    points = {"triangle_app": 1000, "": 0}
    table = table_after("triangle_app", monkeypatch, points, ["triangle_app"])
    assert [name for name, *_ in table] == ["Points", "Points in money", "For taking part", "Your earnings"]


def receipt_rows(payee, points):
    return money.receipt(payee, money.ledger_of(payee, points))["rows"]


def test_receipt_names_the_payee_and_all_amounts():
    payee = participant(pay_rounding=0.5)
    points = {"triangle_app": 1000, "solitario_app": 0, "questionnaire_app": 30, "": 20}
    assert money.receipt(payee, money.ledger_of(payee, points)) == {
        "label": "PC 7",
        "number": 7,
        "code": "p7",
        "session": "s1",
        "rows": [
            ("For taking part", "", "€5.00"),
            ("Part 1", "1000", "€0.50"),
            ("Part 2", "0", "€0.00"),  # a game that earned nothing, unlike another app
            ("Part 3", "30", "€0.02"),
            ("Other amounts", "", "€0.01"),
            ("Rounding", "", "−€0.03"),
        ],
        "total": "€5.50",
    }
    payee.label = None
    assert money.receipt(payee, money.ledger_of(payee, points))["label"] == ""


def test_receipt_has_only_rows_that_count():
    points = {"triangle_app": 1000, "questionnaire_app": 0, "": 0}
    of_one = [("For taking part", "", "€5.00"), ("Earned by playing", "1000", "€0.50")]
    assert receipt_rows(participant(["triangle_app"]), points) == of_one
    two = receipt_rows(participant(), {**points, "solitario_app": 0})
    assert [name for name, *_ in two] == ["For taking part", "Part 1", "Part 2"]
    free = participant(["triangle_app"], participation_fee=0)
    assert receipt_rows(free, points) == [("For taking part", "", "€0.00"), of_one[1]]
    alone = participant(["triangle_app"], status=ALONE)
    alone._vars = {money.WAITING_FEE: "1.20"}
    assert receipt_rows(alone, points)[0] == ("For waiting", "", "€1.20")


def test_receipt_is_of_the_points_by_default(monkeypatch):
    monkeypatch.setattr(money, "points_by_app", lambda _participant: {"triangle_app": 2000})
    assert money.receipt(participant(["triangle_app"]))["total"] == "€6.00"


def test_points_of_games_are_those_on_screen():
    payee = participant(payoff_rate=200.0)
    assert money.format_points(payee, "triangle_app", 8400) == "42"
    assert money.format_points(payee, "questionnaire_app", 8400) == "8400"
    same_for_all = participant(payoff_rate=0)
    assert money.format_points(same_for_all, "triangle_app", 30) == "30"
