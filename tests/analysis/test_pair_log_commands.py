"""Compares the commands' results from pairs' ck and nk logs with those from the actions table."""

import contextlib
import csv
import io
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_play import CREATED_MS, Played, Table
from test_damaged_logs import damaged
from test_hands_of_all_games import exported
from test_replay import data_of, unfolded, views

from cardlab.analysis import hands, replay, sources
from cardlab.analysis.games.ttt import logs
from cardlab.analysis.games.ttt.commands import split, transform
from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile
from cardlab.games.events import ARRIVE
from cardlab.games.record import Opening
from cardlab.games.ttt import board, rules
from cardlab.games.ttt.board import KEEPERS

import ttt_pair_app  # isort: skip - after those that keep oTree off the project's database

FILES = {
    "actions.csv": "custom_export",
    "hands.csv": "custom_export_hands",
    "ck.csv": "custom_export_ck_log",
    "nk.csv": "custom_export_nk_log",
    "transform.txt": "custom_export_transform",
}
# Columns that logs lack or measure by other clocks; also, logs do not name the robot.
NOT_IN_LOGS = {
    *("session_code", "is_demo", "session_created_utc", "participant_label", "is_bot", "hand_id"),
    *(
        "treatment",
        "practice",
        "shown_utc",
        "ended_utc",
        "seconds",
        "client_seconds",
        "reconnects",
        "settings",
    ),
    *("source", "show_file", "show_file_sha256", "notice", "card_lab_version", "first_move_ms"),
    *("partner", "own_seconds", "partner_seconds", "seconds_per_move", "seconds_per_turn"),
}


OF_THE_OWN_FILE = ("actions", "refused", "looks", "pick_ups", "aborted_drags")  # a robot has no file
HEAD = "0.000:Game begins\n"


_sent = st.sampled_from([*board.MOVES, *board.MOVES, *rules.PICKS, "look ck", "look nk", "a;b:c", "=1+1"])


@st.composite
def _played(draw, seated, number, now_ms, last):
    """Draws a hand of two players, or of one and a robot. Only a player's last hand may stay open."""
    goal = "2H"  # only one, because solving the expected moves of a goal takes long
    layout = tuple(draw(st.permutations(TTT_PACK).filter(lambda cards: cards[board.TARGET] != goal)))
    options = {
        **rules.DEFAULT_OPTIONS,
        "players": 2,
        "block": 1,
        "Path": "",
        "seed": "7",
        "ViewCard": "all",
        "MaxRounds": draw(st.integers(1, 8)),
        "turn_limit_seconds": 5,
        "gather_seconds": 10,
        "absent_after": 2,
        "robots": {seat: "always_422" for seat in KEEPERS if seat not in seated},
    }
    deal = board.format_deal(layout, goal, draw(st.sampled_from(KEEPERS)))
    table = Table(rules, Opening(deal, options, number, 3, 3), None, random.Random(number))
    table.now = now_ms  # the hand is shown when the first player arrives
    for seat in seated:
        table.note(seat, ARRIVE)
        table.now += 100
    for _ in range(draw(st.integers(0, 12))):
        table.now += draw(st.integers(400, 900))
        seat = draw(st.sampled_from([*seated]))
        if table.hand.is_over:
            break
        if draw(st.integers(0, 9)) == 0:
            table.wait(6)
        else:
            table.send_action(seat, draw(_sent))
    if not last or draw(st.booleans()):
        for seat in seated:
            table.now += 500
            table.leave(seat)
    return Played(table.record, seated), table.now


@st.composite
def sessions(draw):
    """Draws sessions of two pairs, or of a pair and a robot, with new partners and roles in each hand."""
    people, now_ms, rounds = draw(st.integers(3, 4)), CREATED_MS + 1000, [[]]
    for number in (1, 2, 3):
        drawn = draw(st.permutations([*range(1, people + 1)]))
        pairs = [dict(zip(draw(st.permutations(KEEPERS)), pair)) for pair in (drawn[:2], drawn[2:])]
        games, latest = [], now_ms
        for seated in pairs:
            hand, ended = draw(_played(seated, number, now_ms, number == 3))
            games.append(hand)
            latest = max(latest, ended)
        rounds.append(games)
        now_ms = latest + draw(st.integers(800, 2000))
    return rounds


def in_folder(check):
    """Gives each example a folder with the exports of a session, in which the commands run."""

    def run(session):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, function in FILES.items():
                (folder / file).write_text(exported(ttt_pair_app, session, function), "utf-8", newline="")
            check(folder)

    run.__name__, run.__doc__ = check.__name__, check.__doc__
    return run


def read_all_hands(folder, *names):
    said = []
    return sources.read_hands([folder / name for name in names], said.append)


def table(folder, *names):
    """Returns the table of hands."""
    file = io.StringIO()
    hands.write_table(read_all_hands(folder, *names), file)
    return list(csv.DictReader(io.StringIO(file.getvalue())))


def summary(folder, *names):
    """Returns the output of transform."""
    return "".join(f"{line}\r\n" for line in transform.lines(read_all_hands(folder, *names)))


@given(sessions())
@in_folder
def test_logs_and_actions_give_the_same_output(folder):
    as_exported = {}
    for keeper in KEEPERS:
        for part in (folder / f"{keeper}.csv").read_bytes().decode().replace("\r\n", "\n").split(HEAD)[1:]:
            name = f"{keeper}201126_{part.split()[1]}.txt"
            as_exported[name] = as_exported.get(name, "") + HEAD + part
    split.write(folder / "actions.csv", folder / "logs", lambda sentence: None)
    assert {file.name: file.read_bytes().decode() for file in (folder / "logs").iterdir()} == as_exported

    names = [f"logs/{name}" for name in sorted(as_exported)]
    from_server = (folder / "transform.txt").read_bytes().decode()
    assert summary(folder, "actions.csv") == summary(folder, *names, "actions.csv") == from_server
    assert sorted(summary(folder, "ck.csv", "nk.csv").splitlines()) == sorted(from_server.splitlines())

    from_logs, from_actions = table(folder, *names), table(folder, "actions.csv")
    rows_by_identity = {identity(row): row for row in from_actions}
    assert sorted(map(identity, from_logs)) == sorted(rows_by_identity)
    for row in from_logs:
        same = rows_by_identity[identity(row)]
        missing = {*NOT_IN_LOGS, "outcome", "score", *([] if row["participant_code"] else OF_THE_OWN_FILE)}
        compared = [name for name in row if name not in missing]
        assert [(name, row[name]) for name in compared] == [(name, same[name]) for name in compared]
        assert row["outcome"] == same["outcome"] or same["outcome"] == "advanced"
        assert row["score"] == same["score"] or same["outcome"] == "open"


def identity(row):
    return row["hand"], row["deal"], row["seat"], row["participant_code"]


# ---------------------------------------------------------------- replays


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Writes the exports of a session of one hand in which each player acts unseen by the other."""
    options = {**rules.DEFAULT_OPTIONS, "players": 2, "Path": "", "seed": "7", "turn_limit_seconds": 5}
    opening = Opening("3H 2C 2H 4C 4H 3C | 2H | ck", options, 1, 1, 1)
    play = Table(rules, opening, None, random.Random(1))
    play.now = CREATED_MS + 1000
    for seat in KEEPERS:
        play.note(seat, ARRIVE)
    for seat, action in [
        *[("ck", "look ck"), ("ck", "look nk"), ("nk", "U"), ("ck", "pick t"), ("ck", "T")],
        *[("nk", "look nk"), ("nk", "T"), ("nk", "U"), ("ck", "wait"), ("nk", "pick nk"), ("nk", "T")],
    ]:
        play.now += 700
        play.wait(6) if action == "wait" else play.send_action(seat, action)
    session = [[], [Played(play.record, {"ck": 1, "nk": 2})]]
    made = tmp_path_factory.mktemp("one hand")
    for file, function in FILES.items():
        (made / file).write_text(exported(ttt_pair_app, session, function), "utf-8", newline="")
    return made


def replayed(folder, *names, **choice):
    file = io.StringIO()
    replay.write_page(read_all_hands(folder, *names), file, **choice)
    (shown,) = data_of(file.getvalue())["hands"]
    return shown


def steps_of(replay_data):
    """Returns the action of each step with the seat's view and the state after it, without notes."""
    states = [None]
    for step in replay_data["steps"]:
        states.append(unfolded(states[-1], step.get("state")))
    steps = zip(replay_data["steps"], views(replay_data["steps"]), states[1:])
    return [
        (step.get("seat"), step.get("action"), step["kind"], step.get("by"), view, state)
        for step, view, state in steps
        if step["kind"] not in ("note", "end")
    ]


@pytest.mark.parametrize("seat", KEEPERS)
def test_replay_of_both_logs_equals_the_tables(folder, seat):
    from_logs = replayed(folder, "ck.csv", "nk.csv", hand_id="p1-p2-1", seat=seat)
    from_table = replayed(folder, "actions.csv", hand_id="ttt_pair_app-s3ss10n0-1-2", seat=seat)
    assert steps_of(from_logs) == steps_of(from_table)
    columns = ("seat", "seats", "participant", "outcome", "score", "deal", "notice")
    assert [from_logs[name] for name in columns] == [from_table[name] for name in columns]
    assert (from_logs["outcome"], [step[3] for step in steps_of(from_logs) if step[1] == "P"]) == (
        "solved",
        ["server"],
    )


@pytest.mark.parametrize(
    ("file", "seat", "other", "mine"), [("ck.csv", "ck", "nk", 3), ("nk.csv", "nk", "ck", 4)]
)
def test_single_log_shows_its_side_and_names_gaps(folder, file, seat, other, mine):
    participant, partner = {"ck": ("p1", "p2"), "nk": ("p2", "p1")}[seat]
    replay = replayed(folder, file, participant=participant)
    assert (replay["seat"], replay["participant"], replay["score"]) == (seat, participant, 800)
    assert replay["notice"] == (
        f"The log of {partner} is missing, so their looks, pick-ups and refused actions are unknown."
    )
    kinds = [(by, kind) for by, _action, kind, *_rest in steps_of(replay)]
    assert [kind for by, kind in kinds if by == other] == ["move", "move"]
    assert len([kind for by, kind in kinds if by == seat and kind != "move"]) == mine
    assert steps_of(replay)[-1][4]["cards"]["T"] == "2H"
    from_there = replayed(folder, file, hand_id="p1-p2-1", seat=other)
    assert (from_there["participant"], from_there["score"]) == (partner, 800)


def test_unknown_seat_is_refused(folder):
    with pytest.raises(BadFile, match="has no seat 'solo'; its seats are ck, nk"):
        replayed(folder, "ck.csv", hand_id="p1-p2-1", seat="solo")


def test_single_log_leaves_unknown_columns_empty(folder):
    own, partner = table(folder, "ck.csv")
    assert [own["participant_code"], partner["participant_code"]] == ["p1", "p2"]
    columns = ("sequence", "moves", "route", "outcome", "score", "own_moves", "server_passes")
    assert [own[name] for name in columns] == ["TUPT", "4", "422", "solved", "800", "1", "1"]
    assert [partner[name] for name in columns] == ["TUPT", "4", "422", "solved", "800", "2", "0"]
    assert [own[name] for name in ("looks", "pick_ups", "refused", "actions")] == ["2", "1", "0", "5"]
    assert [partner[name] for name in ("looks", "pick_ups", "refused", "actions")] == [""] * 4


def test_robots_side_can_be_replayed(tmp_path):
    options = {**rules.DEFAULT_OPTIONS, "players": 2, "Path": "", "seed": "7", "robots": {"nk": "always_422"}}
    play = Table(rules, Opening("3H 2C 2H 4C 4H 3C | 2H | ck", options, 1, 1, 1), None, random.Random(1))
    play.now = CREATED_MS + 1000
    play.note("ck", ARRIVE)
    play.send_action("ck", "T")
    log = exported(ttt_pair_app, [[], [Played(play.record, {"ck": 1})]], "custom_export_ck_log")
    (tmp_path / "ck.csv").write_text(log, "utf-8", newline="")
    replay = replayed(tmp_path, "ck.csv", hand_id="p1-robot-1")
    assert (replay["seat"], replay["settings"]["robots"], replay["notice"]) == ("ck", {"nk": "robot"}, "")
    assert [step[:2] for step in steps_of(replay)[1:]] == [("ck", "T"), ("nk", "U")]
    assert replayed(tmp_path, "ck.csv", hand_id="p1-robot-1", seat="nk")["participant"] == ""


def test_hand_without_the_partner_is_not_split(tmp_path):
    """No row of the table has the partner's code."""
    options = {**rules.DEFAULT_OPTIONS, "players": 2, "Path": "", "seed": "7"}
    play = Table(rules, Opening("3H 2C 2H 4C 4H 3C | 2H | ck", options), None, random.Random(1))
    play.note("ck", ARRIVE)
    actions = tmp_path / "actions.csv"
    session = [[], [Played(play.record, {"ck": 1, "nk": 2})]]
    actions.write_text(exported(ttt_pair_app, session, "custom_export"), "utf-8", newline="")
    assert "partner p2\n" in exported(ttt_pair_app, session, "custom_export_ck_log").replace("\r", "")
    assert exported(ttt_pair_app, session, "custom_export_nk_log") == ""
    said = []
    assert split.write(actions, tmp_path / "logs", said.append) == 0
    assert (
        said[-1]
        == "1 hand was left out, because a log names the partner, who had not yet arrived at the hand."
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_logs_have_rows_and_replays(folder, data):
    contents = [data.draw(damaged((folder / f"{keeper}.csv").read_bytes())) for keeper in KEEPERS]
    with contextlib.suppress(BadFile):
        files = [content.decode("utf-8", "replace").splitlines() for content in contents]
        parts = [one for lines in files for one in logs.read(lines, "x")[0]]
        for hand in logs.hands(parts, lambda _sentence: None):
            rows = list(hand.row_source.rows())
            assert [row["seat"] for row in rows] == list(hand.row_source.logs.codes)
            for row in rows:
                shown = hand.row_source.replay(row["seat"])
                assert (shown["seat"], shown["participant"]) == (row["seat"], row["participant_code"])
