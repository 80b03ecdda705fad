"""Tests sequences of games in one session: their config, its refusals, and participants' sentences."""

import re
from contextlib import ExitStack
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from golden_session import APPS  # noqa: F401 - oTree, without a database
from otree.currency import Currency

import settings
from cardlab.admin import payments
from cardlab.games.contract import BadFile
from cardlab.games.dealing import config_for_app
from cardlab.games.ledger import Ledger
from cardlab.games.shared_settings import SESSION_WIDE
from cardlab.games.tables import payment_columns
from cardlab.games.treatments import SESSION_WIDE_FIELDS
from cardlab.sessions import money
from cardlab.sessions.config import check_common
from cardlab.sessions.config_check import SessionRefused, check_config


def config(*parts, **fields):
    made = settings.sequence("two", "two games", "", *parts, **fields)
    return {**settings.SESSION_CONFIG_DEFAULTS, **made}


def two_games(**fields):
    return config(
        settings.ttt_solo(ShowFileName="demo.txt", practice_hands=0, tutorial="free"),
        settings.triangle(hands=2),
        **fields,
    )


def test_sequence_merges_equal_fields_of_games():
    both = config(settings.triangle(hands=2), settings.solitario(hands=2, own_deals=True))
    assert both["app_sequence"] == ["triangle_app", "solitario_app"]
    assert (both["hands"], both["deal_file"]) == (2, "seed")
    assert "own_deals" not in both
    assert [config_for_app(both, app)["own_deals"] for app in both["app_sequence"]] == [False, True]
    check_config(both, 2)


def test_sequence_merges_equal_fields_that_differ_from_defaults():
    study = config(
        settings.consent(), settings.triangle(check=False), settings.solitario(check=False), "risk_app"
    )
    assert study["check"] is False
    assert not [key for key in study if key.endswith(".check")]


def test_game_earns_the_same_in_a_sequence():
    sequence, alone = two_games(), settings.SESSION_CONFIG_DEFAULTS
    assert sequence["real_world_currency_per_point"] == alone["real_world_currency_per_point"]
    for app, own in (("ttt_solo_app", settings.ttt_solo()), ("triangle_app", settings.triangle())):
        for score in (-40, 0, 12, 850):
            pays = [
                money.to_money(of, money.points_for_score(config_for_app(of, app), score))
                for of in (sequence, {**alone, **own})
            ]
            assert pays[0] == pays[1]


def test_shipped_sequence_passes_the_check():
    check_config(two_games(), 2)


REFUSED = {
    "an app that is not there": (
        {"solitario_app.hands": 3},
        "solitario_app is not in the app_sequence of two",
    ),
    "a misspelt app": ({"triangel_app.hands": 3}, "Did you mean triangle_app?"),
    "a misspelt field": (
        {"triangle_app.hand": 3},
        "triangle_app has no field 'hand'. Did you mean hands?",
    ),
    "a field of the other game": ({"triangle_app.ShowFileName": "demo.txt"}, "has no field 'ShowFileName'"),
    "the rate": (
        {"triangle_app.real_world_currency_per_point": 0.1},
        "a point is worth the same in the whole session: set payoff_rate and payoff_base of the app",
    ),
    "the fee": ({"triangle_app.participation_fee": 1}, "it is paid once for the whole session"),
    "the seed": ({"triangle_app.seed": 1}, "one seed draws everything in a session: set seed."),
    "the treatments": ({"triangle_app.treatments": "pay.toml"}, "one treatment for the whole session"),
    "the link at the end": (
        {"triangle_app.completion_url": "off"},
        "a session has one end: set completion_url.",
    ),
    "oTree's own": (
        {"triangle_app.doc": "x"},
        "doc applies to the whole session and cannot be set for one app.",
    ),
    "a value": (
        {"triangle_app.payoff_base": "much"},
        "triangle_app.payoff_base must be a number, not 'much'.",
    ),
    "a value of the game": ({"triangle_app.hands": 50}, "hands"),
    "a step of nothing": ({"pay_rounding": 0}, "pay_rounding must be a number from 0.01 to 1000"),
    "a step of half a cent": ({"pay_rounding": 0.005}, "pay_rounding must be"),
}


@pytest.mark.parametrize(("fields", "sentence"), REFUSED.values(), ids=REFUSED)
def test_field_of_one_app_is_validated(fields, sentence):
    with pytest.raises((SessionRefused, BadFile)) as refused:
        check_config({**two_games(), **fields}, 2)
    assert sentence in str(refused.value)
    assert not re.search(r"\n|[.?]\.", str(refused.value))


def test_field_without_effect_is_refused():
    both = config(settings.triangle(hands=2), settings.solitario(hands=3))
    changed = {"hands": 4}
    with pytest.raises(SessionRefused, match=r"Set triangle_app\.hands or solitario_app\.hands"):
        check_config({**both, **changed}, 2, changed)
    check_config({**two_games(), "payoff_base": 10.0}, 2, {"payoff_base": 10.0})  # Target the Two has it


def test_session_wide_fields_cannot_be_treatments():
    assert {*SESSION_WIDE} <= SESSION_WIDE_FIELDS


def test_earnings_so_far_need_shown_earnings():
    fields = {"earnings_so_far": True, "show_earnings": False}
    assert "earnings_so_far must be False" in check_common({**settings.SESSION_CONFIG_DEFAULTS, **fields})
    fields = {"purse": True, "pay_hands": "one"}  # the purse would tell which one
    assert "purse must be False" in check_common({**settings.SESSION_CONFIG_DEFAULTS, **fields})


def upcoming_sentences(app, upcoming, games=("first_app", "second_app"), points=None, **fields):
    """Returns the (name, amount) rows of the earnings after a game; ``points`` are those of each app."""
    points = points or {"first_app": 5000, "second_app": 1000}
    config = {**settings.SESSION_CONFIG_DEFAULTS, "app_sequence": [*points], **fields}
    session = SimpleNamespace(config=config)
    participant = SimpleNamespace(
        session=session, status="", time_started_utc="2026-11-20 14:03:07.4", payoff=sum(points.values())
    )
    participant.payoff_plus_participation_fee = lambda: payments.total_pay(participant)
    player = SimpleNamespace(participant=participant, session=session, get_folder_name=lambda: app)
    points_by_app = {**points, "": 0}
    with ExitStack() as patched:
        patched.enter_context(patch.object(money, "points_by_app", lambda _participant: points_by_app))
        patched.enter_context(patch.object(money, "config_of", lambda _player: config_for_app(config, app)))
        return [(name, amount) for name, amount, _kind in money.earnings_table(player, games, upcoming)]


OF_THE_GAME = [("Points", "1000"), ("Points in money", "€0.50")]
ALL = ("All games", "€3.00")
FEE = ("For taking part", "€5.00")


def test_total_is_shown_only_after_the_last_game():
    first = [("Points", "5000"), ("Points in money", "€2.50")]
    assert upcoming_sentences("first_app", ["second_app"]) == first
    assert upcoming_sentences("second_app", []) == [*OF_THE_GAME, ALL, FEE, ("Your earnings", "€8.00")]
    assert upcoming_sentences("second_app", ["other"]) == [
        *OF_THE_GAME,
        ALL,
        FEE,
        ("Your earnings so far", "€8.00"),
    ]
    one = {"second_app": 1000}
    assert upcoming_sentences("second_app", [], ["second_app"], one) == [
        *OF_THE_GAME,
        FEE,
        ("Your earnings", "€5.50"),
    ]


def test_rounding_has_a_line_of_its_own():
    last = [ALL, FEE, ("Rounding", "€1.00"), ("Your earnings", "€9.00")]
    assert upcoming_sentences("second_app", [], pay_rounding=4.5) == [*OF_THE_GAME, *last]
    assert upcoming_sentences("second_app", [], pay_rounding=7.0)[-2] == ("Rounding", "−€1.00")


def test_pay_of_other_apps_has_a_line():
    games = {"first_app": 5000, "second_app": 1000}
    apps = list(games.items())
    for place in range(3):
        points = dict([*apps[:place], ("risk_app", 4000), *apps[place:]])
        others = ("Other tasks", "€2.00")
        sentences_shown = upcoming_sentences("second_app", [], points=points)
        assert sentences_shown == [*OF_THE_GAME, ALL, others, FEE, ("Your earnings", "€10.00")]
    alone = upcoming_sentences("second_app", [], ["second_app"], {"risk_app": 4000, "second_app": 1000})
    assert alone == [*OF_THE_GAME, others, FEE, ("Your earnings", "€7.50")]


def test_total_is_the_sum_of_rounded_lines():
    points = {"second_app": 1010, "risk_app": 1010, "third_app": 850}  # 0.505, 0.505 and 0.425
    last = upcoming_sentences("second_app", [], ["second_app"], points)
    assert [amount for _name, amount in last] == ["1010", "€0.51", "€0.94", "€5.00", "€6.45"]
    assert upcoming_sentences("second_app", [], ["third_app", "second_app"], points)[2] == (
        "All games",
        "€0.94",
    )


def test_points_are_shown_as_points_of_the_score():
    fields = {"second_app.payoff_rate": 200.0, "second_app.payoff_base": 6000.0}
    points = {"first_app": 5000, "second_app": 8400}
    last = upcoming_sentences("second_app", [], points=points, **fields)
    assert last[:3] == [("Points", "42"), ("Points in money", "€4.20"), ("All games", "€6.70")]


def finished_participant(came=True, status="", treatment=""):
    """Returns a participant of a session with treatments who has earned 2.00."""
    session = SimpleNamespace(code="s", config={**two_games(pay_rounding=0.5), "treatments": "pay.toml"})
    session.config["participation_fee"] = 5
    return SimpleNamespace(
        session=session,
        code="p",
        label="=1",
        status=status,
        time_started_utc="2026-11-20 14:03:07.4" if came else None,
        payoff=Currency(4400),
        _vars={"treatment": treatment},
    )


def test_no_shows_and_early_ends_are_paid_nothing(monkeypatch):
    monkeypatch.setattr(money, "points_by_app", lambda participant: {"": participant.payoff})
    people = finished_participant(), finished_participant(came=False), finished_participant(status="refused")
    assert [float(payments.total_pay(one)) for one in people] == [7, 0, 0]


def test_payments_table_has_the_treatment():
    one = finished_participant(treatment="high")
    cells = payments._cells(one.session, payments.Payment(one, Ledger(()), []))
    row = dict(zip(payment_columns([]), cells))
    assert (row["participant_label"], row["treatment"], row["status"]) == ("'=1", "high", "not finished")


def test_unfinished_participants_are_listed_apart():
    statuses = ("finished", "", "dropped out", "refused", "left")
    each = [payments.Payment(finished_participant(status=status), Ledger(()), []) for status in statuses]
    finished, others = payments.split_by_completion(each)
    assert [payment.participant.status for payment in finished] == ["finished", "left"]
    assert [payment.participant.status for payment in others] == ["", "dropped out", "refused"]
