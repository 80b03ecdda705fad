"""Compares the analysis of the actions table with the server's exports, on random play."""

import contextlib
import csv
import datetime
import io
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from server_tables import CREATED_MS, sessions, small_session

from cardlab.analysis.commands import main
from cardlab.games.ttt import keeper_log
from cardlab.games.ttt.board import KEEPERS

any_clock = st.integers(-2000, 5000)  # a participant's clock may be set back
even_clock = st.integers(10, 5000)

# Columns of the server's hands table that need the session's config, which actions do not contain.
NOT_IN_ACTIONS = {"best_earlier_score", "paid", "payoff", "record_lines", "record_digest", "digest"}
# Columns that only one source has, or that are measured by another clock.
NOT_IN_LOGS = {
    *("session_code", "is_demo", "session_created_utc", "participant_label", "is_bot", "app", "hand_id"),
    *("practice", "shown_utc", "ended_utc", "seconds", "reconnects", "settings", "source"),
    *("show_file", "show_file_sha256", "notice", "card_lab_version"),
}


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


class Folder:
    """A folder with the exports of a session, in which the commands run."""

    def __init__(self, folder, session):
        self.path = Path(folder)
        self.session = session
        for name, function in [
            ("actions.csv", "custom_export"),
            ("ck.csv", "custom_export_ck_log"),
            ("nk.csv", "custom_export_nk_log"),
        ]:
            (self.path / name).write_text(session.export(function), encoding="utf-8", newline="")

    def run(self, command, *names, out):
        flag = "--out" if command == "split" else "-o"
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = main([command, *[str(self.path / name) for name in names], flag, str(self.path / out)])
        assert code == 0, output.getvalue()
        return self.path / out

    def hands(self, *names):
        return table(self.run("hands", *names, out="hands.csv").read_text(encoding="utf-8"))

    def transform(self, *names):
        return self.run("transform", *names, out="summary.txt").read_text(encoding="utf-8")


def with_folder(check):
    """Gives each example of a hypothesis test a new folder."""

    def run(session):
        with tempfile.TemporaryDirectory() as folder:
            check(Folder(folder, session))

    run.__name__ = check.__name__
    run.__doc__ = check.__doc__
    return run


def logs_by_participant(text, keeper):
    """Splits a combined log export; returns each participant's log by file name."""
    day = datetime.datetime.fromtimestamp(CREATED_MS / 1000, datetime.timezone.utc).date()
    files = {}
    for line in text.splitlines():
        if line.endswith(":Game begins"):
            head = []
        if ":userName " in line:
            code = line.split(":userName ")[1].split()[0]
            head = files[keeper_log.file_name(keeper, day, code)] = head
        head.append(line)
    return {name: "".join(f"{line}\n" for line in lines) for name, lines in files.items()}


@given(sessions(any_clock))
@with_folder
def test_split_writes_the_servers_logs(folder):
    out = folder.run("split", "actions.csv", out="logs")
    written = {file.name: file.read_bytes().decode("utf-8") for file in out.iterdir()}
    as_exported = {}
    for keeper in KEEPERS:
        as_exported |= logs_by_participant(folder.session.export(f"custom_export_{keeper}_log"), keeper)
    assert written == as_exported
    assert [file for file in folder.path.iterdir() if file.name.startswith(".")] == []


@given(sessions(any_clock))
@with_folder
def test_transform_of_any_source_equals_the_servers(folder):
    as_exported = folder.session.export("custom_export_transform").replace("\r\n", "\n")
    assert folder.transform("actions.csv") == as_exported
    if as_exported:
        for sources in (["ck.csv"], ["nk.csv"], ["nk.csv", "ck.csv"], ["ck.csv", "actions.csv", "nk.csv"]):
            assert folder.transform(*sources) == as_exported
        logs = sorted(folder.run("split", "actions.csv", out="logs").iterdir())
        codes = sorted({log.stem.split("_", 1)[1] for log in logs})
        for keeper in KEEPERS:
            keeper_rows = [next(log for log in logs if log.name.startswith(keeper) and code in log.name)
                         for code in codes]  # fmt: skip
            assert folder.transform(*(f"logs/{log.name}" for log in keeper_rows)) == as_exported


@given(sessions(any_clock))
@with_folder
def test_hands_from_actions_equal_the_servers_hands(folder):
    rows = folder.hands("actions.csv")
    exported = table(folder.session.export("custom_export_hands"))
    assert len(rows) == len(exported)
    for row, as_exported in zip(rows, exported):
        assert {name: row[name] for name in as_exported if name not in NOT_IN_ACTIONS} == {
            name: cell for name, cell in as_exported.items() if name not in NOT_IN_ACTIONS
        }


@given(sessions(even_clock))
@with_folder
def test_hands_from_logs_agree_with_hands_from_actions(folder):
    action_rows = {(row["participant_code"], row["hand"]): row for row in folder.hands("actions.csv")}
    if not action_rows:
        return
    log_rows = folder.hands("ck.csv", "nk.csv")
    assert [(row["participant_code"], row["hand"]) for row in log_rows] == sorted(action_rows)
    for row in log_rows:
        same = action_rows[row["participant_code"], row["hand"]]
        ended = same["outcome"] != "open"
        for name in set(row) - NOT_IN_LOGS:
            if row[name] or ended and name in ("score", "moves", "deal", "sequence", "client_seconds"):
                expected = same[name]
                if name == "client_seconds" and float(expected) < 0.006:
                    expected = "0.0"  # a log deals the six cards 1 ms apart, its smallest difference
                assert (name, row[name]) == (name, expected)
        assert row["outcome"] or same["outcome"] in ("timeout", "gave_up", "advanced")
    expected = {row["participant_code"] for row in log_rows if row["looks"]}
    moved = {row["participant_code"] for row in log_rows if row["sequence"]}
    assert moved <= expected  # logs without moves do not identify their participant
    assert folder.hands("ck.csv", "actions.csv", "nk.csv") == folder.hands("actions.csv")


@given(sessions(even_clock))
@with_folder
def test_single_log_gives_moves_but_not_looks(folder):
    both = {(row["participant_code"], row["hand"]): row for row in folder.hands("actions.csv")}
    for log in ("ck.csv", "nk.csv") if both else ():
        for row in folder.hands(log):
            same = both[row["participant_code"], row["hand"]]
            assert [row[name] for name in ("looks", "pick_ups", "actions", "refused")] == [""] * 4
            for name in ("deal", "sequence", "moves", "least_moves", "route", "first_move_ms"):
                assert row[name] == same[name]


def test_small_session_contains_hands_to_compare(tmp_path):
    """Ensures that the comparisons above are not empty."""
    folder = Folder(tmp_path, small_session())
    rows = folder.hands("actions.csv")
    assert [(row["participant_label"], row["sequence"], row["outcome"]) for row in rows] == [
        ("'=PC_01", "TUPT", "solved"),
        ("", "PNN", "gave_up"),
        ("'=PC_01", "PPPPP", "failed"),
        ("", "TU", "open"),
    ]
    names = ("score", "seconds", "client_seconds", "actions", "looks", "pick_ups", "refused", "route")
    assert [rows[0][name] for name in names] == ["200", "6.0", "6.0", "6", "1", "1", "0", "422"]
    assert [rows[1][name] for name in names] == ["0", "60.0", "60.0", "5", "2", "0", "1", "4"]
    assert [row["looks"] for row in folder.hands("ck.csv", "nk.csv")] == ["1", "0", "2", "0"]
    assert len(list(folder.run("split", "actions.csv", out="logs").iterdir())) == 4
