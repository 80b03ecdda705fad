"""The commands at the terminal: what they say, what they refuse, and that nothing is left half-written."""

import csv
import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from server_tables import CREATED_MS, DEAL, OPTIONS, Opening, Session, played, small_session

from analysis.commands import main
from games import __version__ as VERSION

ROOT = Path(__file__).parents[2]
SEED_LOG = ROOT / "tests" / "data" / "ttt" / "seed_log_nk.txt"
LAYOUT = "3H\t2C\t2H\t4C\t4H\t3C"
SUMMARY = [LAYOUT, "TUPT", LAYOUT, "PPPPP", LAYOUT, "PNN", LAYOUT, "TU"]
OPEN = "warning: 1 hand was not over when exported: the outcome is open, the score that of the moment."
EXPORTS = {
    "actions.csv": "custom_export",
    "server_hands.csv": "custom_export_hands",
    "ck.txt": "custom_export_ck_log",
    "nk.txt": "custom_export_nk_log",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with the exports of the small session."""
    monkeypatch.chdir(tmp_path)
    for name, function in EXPORTS.items():
        Path(name).write_text(small_session().export(function), encoding="utf-8", newline="")
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    """Run a command; exit code, lines of stdout, lines of stderr."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return code, said.out.splitlines(), said.err.splitlines()

    return run


def rows_of(name):
    with open(name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def changed(old, new, line=None):
    """actions.csv with ``old`` replaced, in one line (from 1) or wherever it is first."""
    lines = Path("actions.csv").read_bytes().decode().split("\r\n")
    place = line - 1 if line else next(n for n, text in enumerate(lines) if old in text)
    assert old in lines[place]
    lines[place] = lines[place].replace(old, new, 1)
    Path("changed.csv").write_text("\r\n".join(lines), encoding="utf-8", newline="")


# ---------------------------------------------------------------- what they say


def test_alone_it_lists_the_commands(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    assert all(command in said for command in ("split", "transform", "hands"))


def test_the_source_s_log_at_the_terminal(tmp_path):
    """In a process of its own, as people run it."""
    done = subprocess.run(
        [sys.executable, "-m", "analysis", "transform", str(SEED_LOG)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.splitlines()) == (0, [LAYOUT, "TUPT"])
    warning, wrote = done.stderr.splitlines()
    assert warning.startswith(f"warning: {SEED_LOG}, line 20: ")
    assert wrote == "Wrote the layout and sequence of 1 hand to the standard output"


def test_each_command_ends_with_what_it_wrote_and_where(run):
    assert run("split", "actions.csv", "--out", "new/logs") == (0, ["Wrote 4 log files to new/logs"], [])
    names = sorted(file.name for file in Path("new/logs").iterdir())
    assert names == [f"{keeper}201126_s3ss10n0_{n}.txt" for keeper in ("ck", "nk") for n in (1, 2)]
    assert run("transform", "actions.csv", "-o", "summary.txt") == (
        0,
        ["Wrote the layout and sequence of 4 hands to summary.txt"],
        [],
    )
    assert Path("summary.txt").read_text().splitlines() == SUMMARY
    assert run("hands", "actions.csv", "-o", "hands.csv") == (0, ["Wrote 4 hands to hands.csv"], [OPEN])
    assert [row["participant_label"] for row in rows_of("hands.csv")] == ["'=PC_01", "", "'=PC_01", ""]


def test_writing_again_replaces(run):
    for _ in range(2):
        assert run("split", "actions.csv", "--out", "logs")[0] == 0
        assert run("hands", "actions.csv", "-o", "hands.csv")[0] == 0
    assert len(list(Path("logs").iterdir())) == 4
    assert len(rows_of("hands.csv")) == 4


def test_patterns_are_resolved_where_the_shell_does_not(run):
    run("split", "actions.csv", "--out", "logs")
    _code, lines, _said = run("transform", "logs/ck*.txt")
    assert lines == SUMMARY
    assert run("transform", "logs/xy*.txt") == (2, [], ["error: logs/xy*.txt: No file has a name like this."])


# ---------------------------------------------------------------- each hand once


def test_ck_and_nk_logs_are_merged_and_that_is_said(run):
    code, _out, said = run("hands", "ck.txt", "nk.txt", "-o", "hands.csv")
    open_hand = "Hand 2, dealt here, has no end: the log is cut off or the hand still open."
    assert code == 0
    assert [line.split(": ", 2)[2] for line in said[:2]] == [open_hand] * 2
    assert said[2:] == [
        "warning: 4 hands were merged: told more than once, by the ck and the nk log of a participant or by "
        "sources that overlap, and taken once."
    ]
    rows = rows_of("hands.csv")
    assert [row["sequence"] for row in rows] == ["TUPT", "PPPPP", "PNN", "TU"]
    assert [row["outcome"] for row in rows] == ["solved", "failed", "", "open"]
    assert {row["source"] for row in rows} == {"ck.txt; nk.txt"}
    assert {row["session_code"] for row in rows} == {""}


def test_one_log_twice_is_not_both_logs(run):
    Path("again.txt").write_bytes(Path("ck.txt").read_bytes())
    run("hands", "ck.txt", "again.txt", "-o", "hands.csv")
    assert [row["looks"] for row in rows_of("hands.csv")] == [""] * 4


def test_of_two_exports_of_a_session_the_later_state_counts(run):
    later = Path("actions.csv").read_text(encoding="utf-8")
    assert later.count("\n") > 20
    cut = later.splitlines(keepends=True)[:-1]  # the open hand had one action less
    Path("earlier.csv").write_text("".join(cut), encoding="utf-8", newline="")
    for sources in (["earlier.csv", "actions.csv"], ["actions.csv", "earlier.csv"]):
        code, _out, said = run("hands", *sources, "-o", "hands.csv")
        rows = rows_of("hands.csv")
        assert sorted(row["sequence"] for row in rows) == ["PNN", "PPPPP", "TU", "TUPT"]
        assert (code, said[0].split(":")[1]) == (0, " 4 hands were merged")


def test_exports_of_two_servers_are_both_there(run):
    other = replace(small_session(), code="another0")
    Path("other.csv").write_text(other.export(), encoding="utf-8", newline="")
    code, _out, said = run("hands", "actions.csv", "other.csv", "-o", "hands.csv")
    assert (code, said, len(rows_of("hands.csv"))) == (0, [OPEN.replace("1 hand was", "2 hands were")], 8)


def test_logs_that_differ_are_told_apart(run):
    lines = Path("nk.txt").read_text(encoding="utf-8").splitlines()
    passes = [n for n, line in enumerate(lines) if ":PP:" in line]
    del lines[passes[0]]  # the second pass of the hand PPPPP
    Path("nk.txt").write_text("\n".join(lines), encoding="utf-8")
    code, _out, said = run("hands", "ck.txt", "nk.txt", "-o", "hands.csv")
    assert code == 0
    assert any(f"nk.txt, line {n}" in line for line in said for n in range(len(lines)))
    assert [row["sequence"] for row in rows_of("hands.csv")] == ["TUPT", "PPPPP", "PNN", "TU"]


# ---------------------------------------------------------------- what is read all the same


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\r\n", "\n"),
        lambda text: text + "\r\n\r\n",
        lambda text: _saved_again(text, ";"),
        lambda text: _saved_again(text, "\t"),
        lambda text: _as_pandas_saves(text),
    ],
    ids=["byte order mark", "LF", "blank lines", "semicolons", "tabs", "pandas"],
)
def test_a_table_that_went_through_other_programs(run, spoil):
    run("hands", "actions.csv", "-o", "hands.csv")
    Path("spoilt.csv").write_text(
        spoil(Path("actions.csv").read_bytes().decode()), encoding="utf-8", newline=""
    )
    assert run("hands", "spoilt.csv", "-o", "spoilt_hands.csv")[0] == 0
    whole, spoilt = rows_of("hands.csv"), rows_of("spoilt_hands.csv")
    assert [{**row, "source": "", "practice": ""} for row in spoilt] == [
        {**row, "source": "", "practice": ""} for row in whole
    ]


def _saved_again(text, separator):
    table = io.StringIO()
    csv.writer(table, delimiter=separator).writerows(csv.reader(io.StringIO(text)))
    return table.getvalue()


def _as_pandas_saves(text):
    pandas = pytest.importorskip("pandas")
    return pandas.read_csv(io.StringIO(text)).to_csv(index=False)


def test_a_log_with_a_mark_mixed_separators_an_unknown_kind_and_no_end(run):
    lines = SEED_LOG.read_text().splitlines()[:16]
    lines[12] = lines[12].replace(":", ";")
    lines.insert(13, "11903.000:11903.000:ZZ:something:new")
    Path("log.txt").write_text("\ufeff" + "\r\n".join(lines) + "\r\n11905.4", encoding="utf-8", newline="")
    code, out, said = run("transform", "log.txt")
    assert (code, out) == (0, [LAYOUT, "TUP"])
    places = [line.split(": ")[1] for line in said[:-1]]
    assert places == ["log.txt, line 5", "log.txt, line 14", "log.txt, line 18"]


def test_a_log_that_a_power_cut_has_ended_with_zeros(run):
    Path("log.txt").write_bytes(SEED_LOG.read_bytes()[:900] + b"\0" * 500 + b"\xff\xfe")
    code, out, _said = run("transform", "log.txt")
    assert (code, out[0]) == (0, LAYOUT)


def test_a_log_without_goal_tells_what_it_can(run):
    run("hands", SEED_LOG, "-o", "hands.csv")
    (row,) = rows_of("hands.csv")
    assert {name: cell for name, cell in row.items() if cell and name != "source"} == {
        "participant_code": "seeee",
        "hand": "1",
        "seat": "solo",
        "sequence": "TUPT",
        "score": "800",
        "client_seconds": "14.5",
        "layout": "3H 2C 2H 4C 4H 3C",
        "first": "ck",
        "moves": "4",
        "first_move_ms": "2999",
        "seconds_per_move": "3.625",
    }


@pytest.mark.parametrize("command", ["hands", "transform"])
def test_an_export_before_anybody_played_is_refused(run, command):
    Path("none.csv").write_text(Session().export(), encoding="utf-8", newline="")
    sentence = "There is no hand in it: nobody had begun to play when it was written."
    assert run(command, "none.csv", "-o", "out.txt") == (2, [], [f"error: none.csv: {sentence}"])
    assert not Path("out.txt").exists()
    assert run("split", "none.csv", "--out", "logs") == (0, ["Wrote 0 log files to logs"], [])


def test_tables_of_two_games_are_refused(run):
    lines = Path("actions.csv").read_text("utf-8").splitlines(keepends=True)
    deal = next(n for n, line in enumerate(lines) if "deal" in line and ",2,ttt" in line)
    lines[deal] = lines[deal].replace("ttt_solo_app,", "triangle_app,", 1)
    Path("mixed.csv").write_text("".join(lines), "utf-8", newline="")
    code, _out, said = run("hands", "mixed.csv", "-o", "out.csv")
    assert code == 2
    assert said[-1].endswith("This is a hand of triangle_app, those before are of ttt_solo_app; "
                             "take one game at a time.")  # fmt: skip


def test_what_a_reader_of_the_hands_should_know_is_counted(run):
    table = Path("actions.csv").read_text("utf-8")
    before, after = table.rsplit(f",{VERSION},", 1)
    Path("actions.csv").write_text(f"{before},9.9.9,{after}", "utf-8", newline="")
    code, _out, said = run("hands", "actions.csv", "-o", "hands.csv")
    assert code == 0
    assert said == [
        OPEN,
        f"warning: The hands were dealt by different versions of Card Lab ({VERSION}, 9.9.9); the changelog "
        "says what has changed.",
    ]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("command", ["split", "transform", "hands"])
@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("none.csv", None, "none.csv: There is no such file."),
        ("", None, ".: This is a folder; name the files in it."),
        ("empty.csv", b"", "empty.csv: The file is empty."),
        ("blank.csv", b"\r\n \n", "blank.csv: The file is empty."),
        (
            "server_hands.csv",
            None,
            "server_hands.csv, line 1: Needed is a table of actions (custom_export); ",
        ),
        ("page.csv", b"session_code,participant_code\r\n", "page.csv, line 1: Needed is a table of actions"),
        (
            "wide.csv",
            b"participant.id,participant.code\r\n",
            "wide.csv, line 1: Needed is a table of actions",
        ),
        ("notes.txt", b"Dear diary: today\nwas; fine\n", "notes.txt: This is "),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 40, "picture.png: This is "),
        ("utf16.csv", "session_code,hand\r\n".encode("utf-16"), "utf16.csv: This is "),
    ],
)
def test_wrong_files_are_refused_in_one_line(run, folder, command, name, content, sentence):
    if content is not None:
        Path(name).write_bytes(content)
    before = sorted(folder.rglob("*"))
    code, out, said = run(command, name, *(["--out", "logs"] if command == "split" else ["-o", "out.txt"]))
    assert (code, out, len(said)) == (2, [], 1)
    assert said[0].startswith(f"error: {sentence}")
    assert sorted(folder.rglob("*")) == before


def test_split_wants_no_log(run):
    code, _out, said = run("split", "ck.txt", "--out", "logs")
    assert (code, said) == (2, ["error: ck.txt: This is no table of actions (custom_export)."])


@pytest.mark.parametrize("command", ["split", "transform", "hands"])
@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),  # `line` where to change, if it is not the first that has `old`
    [
        ("deal 3H", "deal 3C", None, "changed.csv, line 2: The layout must hold each of"),
        (
            ",deal 3H",
            ",dealt 3H",
            2,
            "changed.csv, line 2: The hand 'ttt_solo_app-s3ss10n0-s3ss10n0_1-1' begins",
        ),
        (",T,1,", ",X,1,", None, "changed.csv, line 2: Action 2 of the hand dealt"),
        (",T,1,", ",T,yes,", None, "changed.csv, line 4: accepted must be 1, 0 or empty, not 'yes'."),
        (",4,U,", ",four,U,", None, "changed.csv, line 6: action_number must be a whole number, not 'four'."),
        (",1000,", ",1s,", None, "changed.csv, line 3: client_ms must be a whole number, not '1s'."),
        ("T14:00:11.", "T14h00:11.", 3, "changed.csv, line 3: server_time_utc must be a time like"),
        ('"{', '"', 2, "changed.csv, line 2: The cell settings is no JSON object."),
        (",T,1,,", ",T,1", None, "changed.csv, line 4: This row has "),
        (
            "ttt_solo_app,",
            "chess_app,",
            2,
            "changed.csv, line 2: This is a hand of chess_app; only ",
        ),
        ("action_number", "number", 1, "changed.csv, line 1: Needed is a table of actions (custom_export);"),
        ("look ck", "look \udcff", 3, "changed.csv, line 3: This line is no text in UTF-8."),
    ],
)
def test_a_damaged_table_is_refused_where_it_is_damaged(run, folder, command, old, new, line, sentence):
    if "\udcff" in new:
        Path("changed.csv").write_bytes(Path("actions.csv").read_bytes().replace(b"look ck", b"look \xff"))
    else:
        changed(old, new, line)
    before = sorted(folder.rglob("*"))
    code, out, said = run(
        command, "changed.csv", *(["--out", "new/logs"] if command == "split" else ["-o", "out.txt"])
    )
    assert (code, out, len(said)) == (2, [], 1)
    assert said[0].startswith(f"error: {sentence}")
    assert sorted(folder.rglob("*")) == before


def test_hands_that_do_not_stand_together_or_stand_twice(run):
    heading, *rows = Path("actions.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    for lines, sentence in [
        ([heading, *rows[:2], *rows[-2:], *rows[2:-2]], "begins without its deal"),
        ([heading, *rows, *rows], "is dealt a second time in this table"),
    ]:
        Path("changed.csv").write_text("".join(lines), encoding="utf-8", newline="")
        code, _out, said = run("hands", "changed.csv", "-o", "hands.csv")
        assert (code, len(said)) == (2, 1)
        assert sentence in said[0]
        assert not Path("hands.csv").exists()


def test_split_wants_the_hands_of_a_participant_in_their_order(run):
    table = rows_of("actions.csv")
    table.sort(key=lambda row: -int(row["hand"]))
    with open("changed.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, table[0].keys())
        rows.writeheader()
        rows.writerows(table)
    code, _out, said = run("split", "changed.csv", "--out", "logs")
    assert (code, len(said)) == (2, 1)
    assert "Hand 1 of s3ss10n0_1 comes after their hand 2" in said[0]
    assert run("hands", "changed.csv", "-o", "hands.csv")[0] == 0


def test_split_needs_the_clock_and_the_head_of_a_log(run):
    changed(",2026", ",on 2026", 2)
    assert (
        "changed.csv, line 2: session_created_utc must be a time like"
        in run("split", "changed.csv", "--out", "logs")[2][0]
    )
    changed("id_in_session", "number", 1)
    assert run("split", "changed.csv", "--out", "logs")[2][0].endswith("has no column id_in_session.")


def test_split_writes_nowhere_else(run, folder):
    text = Path("actions.csv").read_text(encoding="utf-8")
    Path("changed.csv").write_text(text.replace(",s3ss10n0_1,", ",../../out,"), encoding="utf-8")
    code, _out, said = run("split", "changed.csv", "--out", "logs")
    assert (code, len(said)) == (2, 1)
    assert "cannot be a participant's code" in said[0]
    assert not Path("logs").exists()


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        ("actions.csv", "actions.csv: This is one of the files to be read; write to another name."),
        ("nowhere/hands.csv", "nowhere/hands.csv: There is no folder nowhere to write to."),
        (".", ".: A folder or device has this name; give the name of a file to write."),
    ],
)
def test_where_nothing_can_be_written(run, folder, out, sentence):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for command in ("transform", "hands"):
        assert run(command, "actions.csv", "-o", out) == (2, [], [f"error: {sentence}"])
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_split_into_a_file_is_refused(run):
    assert run("split", "actions.csv", "--out", "ck.txt") == (
        2,
        [],
        ["error: ck.txt: This is no folder; give the name of a folder to write to."],
    )


def test_what_was_there_stays_when_a_command_fails(run):
    run("hands", "actions.csv", "-o", "hands.csv")
    run("split", "actions.csv", "--out", "logs")
    before = {path: path.read_bytes() for path in [Path("hands.csv"), *Path("logs").iterdir()]}
    changed(",T,1,", ",X,1,")
    assert run("hands", "changed.csv", "-o", "hands.csv")[0] == 2
    assert run("split", "changed.csv", "--out", "logs")[0] == 2
    assert {path: path.read_bytes() for path in [Path("hands.csv"), *Path("logs").iterdir()]} == before


def test_a_command_without_its_arguments_says_what_it_needs(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["hands", "actions.csv"])
    assert ended.value.code == 2
    assert "-o" in capsys.readouterr().err


# ---------------------------------------------------------------- long tables


def test_a_long_table_is_not_held_in_memory():
    """Hands are yielded while the table is being read, and its heading is all that is read ahead."""
    from analysis import actions_table

    opening = Opening(DEAL, {**OPTIONS, "MaxRounds": 1000}, 1, 60)
    session = Session(labels=["one"], records=[[played(opening, ["P"] * 30, CREATED_MS)] * 60])
    lines = session.export().splitlines(keepends=True)
    taken = 0

    def watched():
        nonlocal taken
        for line in lines:
            taken += 1
            yield line

    for number, hand in enumerate(actions_table.read(watched(), "x"), start=1):
        assert len(hand.events) == 30
        assert taken <= 1 + 31 * number + 1
    assert number == 60
