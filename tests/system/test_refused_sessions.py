"""Tests sessions that cannot be created: refused before anything is stored, or rolled back.

The server has two additional apps that are not part of Card Lab: one that declares no fields, and one whose
``creating_session`` fails.
"""

import csv
import io
import json
import re
import urllib.error

import pytest
import requests
from server_fixture import LabServer, wait_for
from tabs import Socket, create_by_form, creation_error, open_first_hand

APP = """
from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page


class C(BaseConstants):
    NAME_IN_URL = "{name}"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 3


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    pass


class Question(Page):
    pass


page_sequence = [Question]
"""
FAILING = """

def creating_session(subsession):
    if subsession.round_number < 3:
        return
    if subsession.session.config["fail"] == "database":
        from otree.database import db
        db.execute("INSERT INTO otree_session (code) VALUES (NULL)")
    if subsession.session.config["fail"] == "type":
        None + 1
    raise KeyError(f"no such thing {'x' * 300}")
"""
CONFIGS = """

SESSION_CONFIGS += [
    triangle("lacking", "lacking", "", app_sequence=["triangle_app", "matrix_game_app"]),
    {"name": "bare", "app_sequence": ["ttt_solo_app"], "num_demo_participants": 2},
    ttt_solo("misspelt", "misspelt", "", practise_hands=1),
    triangle("with_other", "with an app that says nothing", "", app_sequence=["triangle_app", "other_app"]),
    triangle("failing", "failing", "", app_sequence=["triangle_app", "failing_app"], fail="key"),
]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = LabServer(tmp_path_factory.mktemp("server") / "card_lab")
    for name, more in (("other_app", ""), ("failing_app", FAILING)):
        (server.folder / name).mkdir()
        (server.folder / name / "__init__.py").write_text(APP.replace("{name}", name) + more, "utf-8")
        (server.folder / name / "Question.html").write_text("{{ block content }}{{ endblock }}", "utf-8")
    with open(server.folder / "settings.py", "a", encoding="utf-8") as settings:
        settings.write(CONFIGS)
    with server:
        yield server


def answer(server, config, participants=2, request=None, **fields):
    """Returns the REST status and text; ``request`` changes fields outside the config."""
    body = {"session_config_name": config, "num_participants": participants}
    try:
        message = server.api(
            "/api/sessions", {**body, "modified_session_config_fields": fields, **(request or {})}
        )
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    return 200, message.decode()


def wide(server):
    return list(csv.DictReader(io.StringIO(server.api("/api/export_wide").decode())))


# ---------------------------------------------------------------- an error in an app


@pytest.mark.parametrize("fail", ["key", "type", "database"])
def test_an_error_in_any_app_leaves_nothing(server, fail):
    kept = server.create_session("triangle_standard", 1)
    before = server.row_counts()
    code, _words = answer(server, "triangle_failing", 2, fail=fail)
    assert code == 500
    assert server.row_counts() == before
    assert kept.participants[0] in {row["participant.code"] for row in wide(server)}
    message = creation_error(server, "triangle_failing", fail=fail)
    assert message["error"].startswith("Failed to create session: an unexpected error, not a wrong setting (")
    assert len(message["error"]) < 400
    assert "Traceback" not in message["traceback"]
    assert 'File "' not in message["traceback"]
    assert server.row_counts() == before
    server.create_session("triangle_standard", 1)
    wide(server)
    assert server.take_log().count("a session of triangle_failing could not be created\nTraceback") == 2


def test_app_errors_reach_the_server_log(server):
    answer(server, "triangle_failing", 2)
    wait_for(lambda: "KeyError: 'no such thing" in server.stderr_text(), "the traceback")
    assert "a session of triangle_failing could not be created\nTraceback" in server.take_log()


def test_demo_page_receives_the_error_message(server):
    before = server.row_counts()
    with Socket(server, "/create_demo_session") as admin:
        admin.send(json.dumps({"session_config": "triangle_lacking"}))
        message = admin.receive()
    assert "triangle_lacking lacks fields that matrix_game_app needs" in message["error"]
    assert server.row_counts() == before


# ---------------------------------------------------------------- fields

REFUSED = {
    "keys that the second app needs": (
        "triangle_lacking",
        {},
        "session config: triangle_lacking lacks fields that matrix_game_app needs: "
        "absent_after, change_choice, court, drawn_seconds, games, gather_seconds, gone_after_seconds, "
        "group_size, no_shows, pack, partner_away_seconds, partners, players, robot, ",
    ),
    "no key of the app": (
        "bare",
        {},
        "bare lacks fields that ttt_solo_app needs: CardsBackFile, DragCkNk, FirstMove, Goal, ",
    ),
    "a typing error in settings.py": (
        "ttt_misspelt",
        {},
        "session config: ttt_misspelt has no field 'practise_hands'. Did you mean practice_hands?",
    ),
    "a typing error": (
        "triangle_standard",
        {"hihglight": False},
        "session config: triangle_standard has no field 'hihglight'. Did you mean highlight?",
    ),
    "a field of another game": ("triangle_standard", {"pay_by": "time"}, "has no field 'pay_by'."),
    "an endless name": ("triangle_standard", {"x" * 300: 1}, "has no field 'xxxxxxxxx...xxxxxxxxxx'."),
    "a field that must not change": (
        "triangle_standard",
        {"app_sequence": []},
        "You cannot change app_sequence of a session config for one session.",
    ),
    "a wrong value for the second app": (
        "triangle_with_other",
        {"hands": 30},
        "session config: hands must be a whole number from 1 to 20, not '30'.",
    ),
    "a long value": ("triangle_standard", {"hands": "9" * 300}, f"not '{'9' * 79}…'."),
    "check as text": ("triangle_standard", {"check": "no"}, "check must be True or False, not 'no'."),
    "no seed": (
        "triangle_standard",
        {"seed": ""},
        "seed must be the word drawn, or a text or whole number",
    ),
    "an endless seed": ("triangle_standard", {"seed": "1" * 101}, "of at most 100 characters, not '111"),
    "a seed that is no number": ("triangle_standard", {"seed": float("nan")}, "not 'nan'."),
}


@pytest.mark.parametrize(("config", "fields", "sentence"), REFUSED.values(), ids=REFUSED)
def test_unusable_field_values_are_refused(server, config, fields, sentence):
    before = server.row_counts()
    code, words = answer(server, config, 2, **fields)
    assert (code, words.count("\n")) == (400, 0)
    assert sentence in words
    assert len(words) < 400
    assert server.row_counts() == before


def test_wrong_file_is_answered_with_400(server):
    code, words = answer(server, "triangle_standard", 2, deal_file="nowhere.txt")
    assert (code, words[:58]) == (400, "nowhere.txt: there is no such deal file in deals/triangle/")


def test_undeclared_fields_accept_any_value(server):
    assert answer(server, "triangle_with_other", 2, colour="red")[0] == 200
    message = create_by_form(server, "triangle_with_other", 1, check=True)
    assert message.keys() == {"session_url"}


# ---------------------------------------------------------------- other requests


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"num_participants": "2"}, "num_participants must be a whole number, 1 or more, not '2'."),
        ({"num_participants": 0}, "num_participants must be "),
        ({"num_participants": -3}, "num_participants must be "),
        ({"num_participants": True}, "num_participants must be "),
        ({"label": "x" * 300}, "label must be a string of at most 100 characters, not 'xxxx"),
        ({"label": 5}, "label must be a string"),
        ({"room_name": "cellar"}, "Unknown room 'cellar'. The rooms are lab, typed, open."),
        ({"modified_session_config_fields": ["seed"]}, "modified_session_config_fields must be"),
    ],
)
def test_invalid_request_is_refused(server, request_, sentence):
    before = server.row_counts()
    code, words = answer(server, "triangle_standard", request=request_)
    assert code == 400
    assert sentence in words
    assert len(words) < 200
    assert server.row_counts() == before


def test_unknown_request_field_is_refused(server):
    before = server.row_counts()
    code, words = answer(server, "triangle_standard", request={"modified_fields": {}})
    assert (code, "modified_fields" in words) == (400, True)
    assert server.row_counts() == before


# ---------------------------------------------------------------- money

NO_AMOUNTS = [float("nan"), float("inf"), -float("inf"), -1, 1e300, 10**400, "nan", "much", None, True, [1]]


@pytest.mark.parametrize("field", ["participation_fee", "real_world_currency_per_point"])
def test_invalid_amount_of_money_is_refused(server, field):
    before = server.row_counts()
    for value in NO_AMOUNTS:
        code, words = answer(server, "triangle_standard", 2, **{field: value})
        assert (code, words[:90].split(", not")[0]) == (
            400,
            f"session config: {field} must be a number, 0 or more",
        ), value
    for written in ("nan", "inf", "-inf", "1e999999", "much"):
        message = creation_error(server, "triangle_standard", **{field: written})
        assert message["error"].startswith(
            f"Failed to create session: session config: {field} must be a number"
        )
    assert server.row_counts() == before


@pytest.mark.parametrize("written", ["nan", "inf", "1e999", "two"])
def test_invalid_number_in_the_form_is_refused(server, written):
    message = creation_error(server, "triangle_standard", hands=written)
    sentence = f"hands must be a whole number from 1 to 20, not '{written}'."
    assert message["error"] == f"Failed to create session: session config: {sentence}"
    assert message["fields"] == {"triangle_standard.hands": sentence}
    message = creation_error(server, "triangle_standard", payoff_base=written)
    assert "payoff_base must be a number, not " in message["error"]


def test_edit_tab_refuses_invalid_amounts(server):
    session = server.create_session("triangle_standard", 1)
    address = f"{server.url}/SessionEditProperties/{session.code}"
    with requests.Session() as admin:
        admin.trust_env = False
        token = dict(re.findall(r'name="(\w+)" value="(\d+)"', admin.get(address).text))
        form = {**token, "participation_fee": "3", "real_world_currency_per_point": "0.5", "label": "a"}
        wrong = [("participation_fee", "nan"), ("real_world_currency_per_point", "inf"), ("label", "x" * 300)]
        for field, value in wrong:
            page = admin.post(address, data={**form, field: value, "comment": "changed"})
            assert f"{field} must be " in page.text
            assert page.status_code == 200
        assert comment(server, session) == ""
        admin.post(address, data={**form, "comment": "changed"})
        assert comment(server, session) == "changed"
    (row,) = [row for row in wide(server) if row["session.code"] == session.code]
    assert float(row["session.config.real_world_currency_per_point"]) == 0.5


def comment(server, session):
    return server.query("SELECT comment FROM otree_session WHERE code = ?", session.code)[0][0] or ""


# ---------------------------------------------------------------- the seed and the deals


def dealt(server, session):
    """Returns the deals of each round as a list of lists."""
    rows = server.query(
        "SELECT opening FROM triangle_app_subsession AS sub JOIN otree_session AS s ON s.id = sub.session_id "
        "WHERE s.code = ? AND opening != '' ORDER BY round_number",
        session.code,
    )
    return [[json.loads(line)["deal"] for line in text.splitlines()] for (text,) in rows]


def test_drawn_seed_is_shown_and_recorded(server):
    sessions = [server.create_session("triangle_standard", 1, seed="drawn") for _ in range(2)]
    rows = {row["session.code"]: row for row in wide(server)}
    seeds = [rows[session.code]["session.config.seed"] for session in sessions]
    assert all(re.fullmatch("[0-9a-f]{32}", seed) for seed in seeds)
    assert len({*seeds}) == 2
    for session, seed in zip(sessions, seeds):
        assert comment(server, session) == f"Seed of this session (drawn at random): {seed}"
    assert dealt(server, sessions[0]) != dealt(server, sessions[1])
    again = server.create_session("triangle_standard", 1, seed=seeds[0])
    assert dealt(server, again) == dealt(server, sessions[0])
    assert comment(server, again) == ""


def test_each_participant_plays_their_own_deals(server):
    session = server.create_session("triangle_standard", 2, own_deals=True, check=False)
    for code in session.participants:
        open_first_hand(server, code)
    rows = server.query(
        "SELECT text FROM card_lab_line JOIN otree_participant AS p "
        "ON hand = 'triangle_app-' || p._session_code || '-' || p.code || '-1' "
        "WHERE p._session_code = ? AND number = 1 ORDER BY p.id_in_session",
        session.code,
    )
    assert [json.loads(text)["deal"] for (text,) in rows] == dealt(server, session)[0]
