"""Tests the analysis commands: their messages, the input they refuse, and that output files are complete."""

import csv
import io
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from server_tables import CREATED_MS, DEAL, OPTIONS, Opening, Session, played, small_session

from cardlab import __version__ as VERSION
from cardlab.analysis import actions_table
from cardlab.analysis.commands import main
from cardlab.analysis.output import atomic_file
from cardlab.analysis.simulation import source_files
from cardlab.games.contract import BadFile
from cardlab.row_chain import rechain

ROOT = Path(__file__).parents[2]
SEED_LOG = ROOT / "tests" / "data" / "ttt" / "seed_log_nk.txt"
LAYOUT = "3H\t2C\t2H\t4C\t4H\t3C"
SUMMARY = [LAYOUT, "TUPT", LAYOUT, "PPPPP", LAYOUT, "PNN", LAYOUT, "TU"]
OPEN = "warning: 1 hand was not over when exported: the outcome is open, and the score is the current one."
EXPORTS = {
    "actions.csv": "custom_export",
    "server_hands.csv": "custom_export_hands",
    "ck.txt": "custom_export_ck_log",
    "nk.txt": "custom_export_nk_log",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Provides the current folder, with the exports of the small session."""
    monkeypatch.chdir(tmp_path)
    for name, function in EXPORTS.items():
        Path(name).write_text(small_session().export(function), encoding="utf-8", newline="")
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    """Runs a command; returns exit code, lines of stdout and lines of stderr."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out.splitlines(), captured.err.splitlines()

    return run


def rows_of(name):
    with open(name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def changed(old, new, line=None):
    """Writes changed.csv: actions.csv with ``old`` replaced in a line (from 1), or where it comes first."""
    lines = Path("actions.csv").read_bytes().decode().split("\r\n")
    place = line - 1 if line else next(n for n, text in enumerate(lines) if old in text)
    assert old in lines[place]
    lines[place] = lines[place].replace(old, new, 1)
    Path("changed.csv").write_text("\r\n".join(lines), encoding="utf-8", newline="")


# ---------------------------------------------------------------- messages


def test_module_without_arguments_lists_the_commands(capsys):
    assert main([]) == 0
    output = capsys.readouterr().out
    assert all(command in output for command in ("split", "transform", "hands"))


@pytest.mark.parametrize(
    ("line", "output"),
    [
        (["--version"], f"Card Lab {VERSION}\n"),
        (
            ["simulate", "--help"],
            "  ttt        random, always_422, always_442, optimal, informed, routinizing,\n",
        ),
    ],
)
def test_version_and_strategies_are_printed(capsys, line, output):
    with pytest.raises(SystemExit) as done:
        main(line)
    assert done.value.code == 0
    assert output in capsys.readouterr().out


def test_source_log_is_converted_at_the_terminal(tmp_path):
    """Runs the command in a subprocess, as a user does."""
    done = subprocess.run(
        [sys.executable, "-m", "cardlab.analysis", "transform", str(SEED_LOG)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.splitlines()) == (0, [LAYOUT, "TUPT"])
    warning, wrote = done.stderr.splitlines()
    assert warning.startswith(f"warning: {SEED_LOG}, line 20: ")
    assert wrote == "Wrote the layout and sequence of 1 hand to the standard output"


def test_each_command_reports_the_files_it_wrote(run):
    still_open = OPEN.partition(": the outcome")[0]
    assert run("split", "actions.csv", "--out", "new/logs") == (
        0,
        ["Wrote 4 log files to new/logs"],
        [f"{still_open}: the logs have no end of the hand."],
    )
    names = sorted(file.name for file in Path("new/logs").iterdir())
    assert names == [f"{keeper}201126_s3ss10n0_{n}.txt" for keeper in ("ck", "nk") for n in (1, 2)]
    assert run("transform", "actions.csv", "-o", "summary.txt") == (
        0,
        ["Wrote the layout and sequence of 4 hands to summary.txt"],
        [f"{still_open}: the sequence is the current one."],
    )
    assert Path("summary.txt").read_text().splitlines() == SUMMARY
    assert run("hands", "actions.csv", "-o", "hands.csv") == (0, ["Wrote 4 rows to hands.csv"], [OPEN])
    assert [row["participant_label"] for row in rows_of("hands.csv")] == ["'=PC_01", "", "'=PC_01", ""]


def test_second_run_replaces_the_output(run):
    for _ in range(2):
        assert run("split", "actions.csv", "--out", "logs")[0] == 0
        assert run("hands", "actions.csv", "-o", "hands.csv")[0] == 0
    assert len(list(Path("logs").iterdir())) == 4
    assert len(rows_of("hands.csv")) == 4


def test_patterns_are_expanded_without_a_shell(run):
    run("split", "actions.csv", "--out", "logs")
    _code, lines, _messages = run("transform", "logs/ck*.txt")
    assert lines == SUMMARY
    for names in (["logs/xy*.txt"], ["logs/ck*.txt", "logs/xy*.txt"]):
        assert run("transform", *names) == (2, [], ["error: logs/xy*.txt: No file matches this name."])


# ---------------------------------------------------------------- merging


def test_merging_of_ck_and_nk_logs_is_reported(run):
    code, _out, messages = run("hands", "ck.txt", "nk.txt", "-o", "hands.csv")
    open_hand = "Hand 2, dealt here, has no end: the log was cut off, or the hand is still open."
    assert code == 0
    assert [line.split(": ", 2)[2] for line in messages[:2]] == [open_hand] * 2
    assert messages[2:] == [
        "warning: 4 hands were merged: found in both logs of a participant, or in overlapping sources."
    ]
    rows = rows_of("hands.csv")
    assert [row["sequence"] for row in rows] == ["TUPT", "PPPPP", "PNN", "TU"]
    assert [row["outcome"] for row in rows] == ["solved", "failed", "", "open"]
    assert {row["source"] for row in rows} == {"ck.txt; nk.txt"}
    assert {row["session_code"] for row in rows} == {""}


def test_same_log_twice_is_not_a_pair(run):
    Path("again.txt").write_bytes(Path("ck.txt").read_bytes())
    run("hands", "ck.txt", "again.txt", "-o", "hands.csv")
    assert [row["looks"] for row in rows_of("hands.csv")] == [""] * 4


def test_later_of_two_exports_of_a_session_counts(run):
    later = Path("actions.csv").read_text(encoding="utf-8")
    assert later.count("\n") > 20
    cut = later.splitlines(keepends=True)[:-1]  # the open hand had one action fewer
    Path("earlier.csv").write_text("".join(cut), encoding="utf-8", newline="")
    for sources in (["earlier.csv", "actions.csv"], ["actions.csv", "earlier.csv"]):
        code, _out, messages = run("hands", *sources, "-o", "hands.csv")
        rows = rows_of("hands.csv")
        assert sorted(row["sequence"] for row in rows) == ["PNN", "PPPPP", "TU", "TUPT"]
        assert (code, messages[0].split(":")[1]) == (0, " 4 hands were merged")


def test_exports_of_two_servers_are_combined(run):
    other = replace(small_session(), code="another0")
    Path("other.csv").write_text(other.export(), encoding="utf-8", newline="")
    code, _out, messages = run("hands", "actions.csv", "other.csv", "-o", "hands.csv")
    assert (code, messages, len(rows_of("hands.csv"))) == (0, [OPEN.replace("1 hand was", "2 hands were")], 8)


def test_folder_argument_includes_all_tables_below_it(run, folder):
    code, _out, messages = run("hands", ".", "-o", "hands.csv")
    assert (code, messages) == (2, ["error: .: This folder has no table of actions (…_actions.csv)."])
    assert run("split", ".", "--out", "logs")[2] == ["error: .: This is a folder. Name the files in it."]
    for name, code in (("one", "onesessi"), ("other", "another0")):
        Path("all", name).mkdir(parents=True)
        file = Path("all", name, "ttt_solo_app_actions.csv")
        file.write_text(replace(small_session(), code=code).export(), encoding="utf-8", newline="")
    code, _out, messages = run("hands", "all", "-o", "hands.csv")
    assert (code, len(rows_of("hands.csv"))) == (0, 8)
    assert {row["session_code"] for row in rows_of("hands.csv")} == {"onesessi", "another0"}


def test_different_logs_are_distinguished(run):
    lines = Path("nk.txt").read_text(encoding="utf-8").splitlines()
    passes = [n for n, line in enumerate(lines) if ":PP:" in line]
    del lines[passes[0]]  # the second pass of the hand PPPPP
    Path("nk.txt").write_text("\n".join(lines), encoding="utf-8")
    code, _out, messages = run("hands", "ck.txt", "nk.txt", "-o", "hands.csv")
    assert code == 0
    assert any(f"nk.txt, line {n}" in line for line in messages for n in range(len(lines)))
    assert [row["sequence"] for row in rows_of("hands.csv")] == ["TUPT", "PPPPP", "PNN", "TU"]


# ---------------------------------------------------------------- tolerated input


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
def test_table_saved_by_other_programs_is_read(run, spoil):
    run("hands", "actions.csv", "-o", "hands.csv")
    Path("spoilt.csv").write_text(
        spoil(Path("actions.csv").read_bytes().decode()), encoding="utf-8", newline=""
    )
    assert run("hands", "spoilt.csv", "-o", "spoilt_hands.csv")[0] == 0
    whole, spoilt = rows_of("hands.csv"), rows_of("spoilt_hands.csv")
    assert [{**row, "source": ""} for row in spoilt] == [{**row, "source": ""} for row in whole]
    assert {row["practice"] for row in whole} == {"0"}


def _saved_again(text, separator):
    table = io.StringIO()
    csv.writer(table, delimiter=separator).writerows(csv.reader(io.StringIO(text)))
    return table.getvalue()


def _as_pandas_saves(text):
    pandas = pytest.importorskip("pandas")
    return pandas.read_csv(io.StringIO(text)).to_csv(index=False)


def test_irregular_log_is_read_with_warnings(run):
    lines = SEED_LOG.read_text().splitlines()[:16]
    lines[12] = lines[12].replace(":", ";")
    lines.insert(13, "11903.000:11903.000:ZZ:something:new")
    Path("log.txt").write_text("\ufeff" + "\r\n".join(lines) + "\r\n11905.4", encoding="utf-8", newline="")
    code, out, messages = run("transform", "log.txt")
    assert (code, out) == (0, [LAYOUT, "TUP"])
    places = [line.split(": ")[1] for line in messages[:-1]]
    assert places == ["log.txt, line 5", "log.txt, line 14", "log.txt, line 18"]


def test_log_ending_in_zeros_is_read(run):
    Path("log.txt").write_bytes(SEED_LOG.read_bytes()[:900] + b"\0" * 500 + b"\xff\xfe")
    code, out, _messages = run("transform", "log.txt")
    assert (code, out[0]) == (0, LAYOUT)


def test_log_without_goal_gives_the_remaining_columns(run):
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


@pytest.mark.parametrize("command", ["split", "transform", "hands", "replay", "best"])
def test_export_without_hands_is_refused(run, folder, command):
    Path("none.csv").write_text(Session().export(), encoding="utf-8", newline="")
    before = sorted(folder.rglob("*"))
    where = ["--out" if command == "split" else "-o", "out"]
    which = ["--participant", "Anna"] if command == "replay" else []
    sentence = "This file has no hands: nobody had started to play when it was written."
    assert run(command, "none.csv", *where, *which) == (2, [], [f"error: none.csv: {sentence}"])
    assert sorted(folder.rglob("*")) == before


def test_tables_of_two_games_are_refused(run):
    run("simulate", "triangle", "--participants", 1, "--hands", 1, "-o", "triangle.csv")
    _heading, *others = Path("triangle.csv").read_text("utf-8").splitlines(keepends=True)
    lines = Path("actions.csv").read_text("utf-8").splitlines(keepends=True) + others
    Path("mixed.csv").write_text("".join(lines), "utf-8", newline="")
    code, _out, messages = run("hands", "mixed.csv", "-o", "out.csv")
    assert code == 2
    assert messages[-1].endswith("This is a hand of triangle_app, but the earlier hands are of ttt_solo_app. "
                             "Analyse one game at a time.")  # fmt: skip


def test_hands_command_counts_open_and_foreign_hands(run):
    table = Path("actions.csv").read_text("utf-8")
    before, after = table.rsplit(f",{VERSION},", 1)
    rows = csv.reader(io.StringIO(f"{before},9.9.9,{after}"))
    with Path("actions.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rechain(rows))
    code, _out, messages = run("hands", "actions.csv", "-o", "hands.csv")
    assert code == 0
    assert messages == [
        OPEN,
        f"warning: The hands were dealt by different versions of Card Lab ({VERSION}, 9.9.9). "
        "See the changelog for the differences.",
    ]


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("command", ["split", "transform", "hands"])
@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("none.csv", None, "none.csv: There is no such file."),
        ("empty.csv", b"", "empty.csv: The file is empty."),
        ("blank.csv", b"\r\n \n", "blank.csv: The file is empty."),
        (
            "server_hands.csv",
            None,
            "server_hands.csv, line 1: This is not a table of actions (custom_export): ",
        ),
        (
            "page.csv",
            b"session_code,participant_code\r\n",
            "page.csv, line 1: This is not a table of actions",
        ),
        (
            "wide.csv",
            b"participant.id,participant.code\r\n",
            "wide.csv, line 1: This is not a table of actions",
        ),
        ("notes.txt", b"Dear diary: today\nwas; fine\n", "notes.txt: This is "),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 40, "picture.png: This is "),
        ("utf16.csv", "session_code,hand\r\n".encode("utf-16"), "utf16.csv, line 1: This is "),
    ],
)
def test_wrong_files_are_refused_in_one_line(run, folder, command, name, content, sentence):
    if content is not None:
        Path(name).write_bytes(content)
    before = sorted(folder.rglob("*"))
    code, out, messages = run(
        command, name, *(["--out", "logs"] if command == "split" else ["-o", "out.txt"])
    )
    assert (code, out, len(messages)) == (2, [], 1)
    assert messages[0].startswith(f"error: {sentence}")
    assert sorted(folder.rglob("*")) == before


def test_split_refuses_a_log(run):
    code, _out, messages = run("split", "ck.txt", "--out", "logs")
    assert (code, messages) == (2, ["error: ck.txt: This is not a table of actions (custom_export)."])


@pytest.mark.parametrize("command", ["split", "transform", "hands"])
@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),  # `line`: the line to change, if not the first with `old`
    [
        ("deal 3H", "deal 3C", None, "changed.csv, line 2: The layout must hold each of"),
        (
            ",deal 3H",
            ",dealt 3H",
            2,
            "changed.csv, line 2: This hand begins without its deal. ",
        ),
        (",T,1,", ",X,1,", None, "changed.csv, line 2: Action 2 of the hand dealt"),
        (",T,1,", ",T,yes,", None, "changed.csv, line 4: accepted must be 1, 0 or empty, not 'yes'."),
        (",4,U,", ",four,U,", None, "changed.csv, line 6: action_number must be a whole number, not 'four'."),
        (",1000,", ",1s,", None, "changed.csv, line 3: client_ms must be a whole number, not '1s'."),
        ("T14:00:11.", "T14h00:11.", 3, "changed.csv, line 3: server_time_utc must be a time such as"),
        ('"{', '"', 2, "changed.csv, line 2: The cell settings is not a JSON object."),
        (",T,1,,", ",T,1", None, "changed.csv, line 4: This row has "),
        (
            "ttt_solo_app,",
            "chess_app,",
            2,
            "changed.csv, line 2: This is a hand of chess_app. Only ",
        ),
        (
            "action_number",
            "number",
            1,
            "changed.csv, line 1: This is not a table of actions (custom_export):",
        ),
        (
            "look ck",
            "look \udcff",
            3,
            "changed.csv, line 3: This line is not text in UTF-8. Save the file as UTF-8.",
        ),
    ],
)
def test_damaged_table_error_names_the_line(run, folder, command, old, new, line, sentence):
    if "\udcff" in new:
        Path("changed.csv").write_bytes(Path("actions.csv").read_bytes().replace(b"look ck", b"look \xff"))
    else:
        changed(old, new, line)
    before = sorted(folder.rglob("*"))
    where = ["--out", "new/logs"] if command == "split" else ["-o", "out.txt"]
    code, out, messages = run(command, "changed.csv", "--strict", *where)
    assert (code, out, len(messages)) == (2, [], 1)
    assert messages[0].startswith(f"error: {sentence}")
    assert sorted(folder.rglob("*")) == before


def test_separated_rows_of_a_hand_are_joined(run):
    heading, *rows = Path("actions.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    lines = [heading, *rows[:2], *rows[-2:], *rows[2:-2]]
    Path("changed.csv").write_text("".join(lines), encoding="utf-8", newline="")
    run("hands", "actions.csv", "-o", "expected.csv")
    code, _out, messages = run("hands", "changed.csv", "-o", "hands.csv")
    assert (code, messages[0]) == (
        0,
        "warning: changed.csv: The rows were not in the order of the export, and have been sorted.",
    )
    expected = Path("expected.csv").read_text("utf-8").replace("actions.csv", "changed.csv")
    assert Path("hands.csv").read_text("utf-8") == expected


def test_duplicate_hands_of_a_table_are_merged(run):
    heading, *rows = Path("actions.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("changed.csv").write_text("".join([heading, *rows, *rows]), encoding="utf-8", newline="")
    code, out, messages = run("hands", "changed.csv", "-o", "hands.csv")
    assert (code, out) == (0, ["Wrote 4 rows to hands.csv"])
    assert messages[0].startswith("warning: 4 hands were merged")


def test_split_refuses_hands_out_of_order(run):
    table = rows_of("actions.csv")
    table.sort(key=lambda row: -int(row["hand"]))
    with open("changed.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, table[0].keys())
        rows.writeheader()
        rows.writerows(table)
    code, _out, messages = run("split", "changed.csv", "--out", "logs")
    assert (code, len(messages)) == (2, 1)
    assert "Hand 1 of s3ss10n0_1 comes after hand 2" in messages[0]
    assert run("hands", "changed.csv", "-o", "hands.csv")[0] == 0


def test_split_needs_creation_time_and_participant_number(run):
    changed(",2026", ",on 2026", 2)
    assert (
        "changed.csv, line 2: session_created_utc must be a time such as"
        in run("split", "changed.csv", "--out", "logs")[2][0]
    )
    changed("id_in_session", "number", 1)
    assert run("split", "changed.csv", "--out", "logs")[2][0].endswith("has no column id_in_session.")


def test_split_writes_only_into_its_folder(run, folder):
    text = Path("actions.csv").read_text(encoding="utf-8")
    Path("changed.csv").write_text(text.replace(",s3ss10n0_1,", ",../../out,"), encoding="utf-8")
    code, _out, messages = run("split", "changed.csv", "--out", "logs")
    assert (code, len(messages)) == (2, 1)
    assert "is not a valid participant code" in messages[0]
    assert not Path("logs").exists()


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        ("actions.csv", "actions.csv: This is also an input file. Choose another name for the output."),
        ("nowhere/hands.csv", "nowhere/hands.csv: The folder nowhere does not exist."),
        (".", ".: A folder or device has this name. Name a file to write."),
        ("hands.xlsx", "hands.xlsx: Spreadsheets are not written. Name a .csv file, which they open."),
    ],
)
def test_unwritable_output_is_refused(run, folder, out, sentence):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for command in ("transform", "hands"):
        assert run(command, "actions.csv", "-o", out) == (2, [], [f"error: {sentence}"])
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_split_into_a_file_is_refused(run):
    assert run("split", "actions.csv", "--out", "ck.txt") == (
        2,
        [],
        ["error: ck.txt: This is not a folder. Name a folder to write to."],
    )


def test_failed_command_keeps_existing_files(run):
    run("hands", "actions.csv", "-o", "hands.csv")
    run("split", "actions.csv", "--out", "logs")
    before = {path: path.read_bytes() for path in [Path("hands.csv"), *Path("logs").iterdir()]}
    changed(",T,1,", ",X,1,")
    assert run("hands", "changed.csv", "--strict", "-o", "hands.csv")[0] == 2
    assert run("split", "changed.csv", "--strict", "--out", "logs")[0] == 2
    assert {path: path.read_bytes() for path in [Path("hands.csv"), *Path("logs").iterdir()]} == before


NO_NAME = "must be a name, not ''"
NO_THRESHOLD = "must be a threshold's NAME=NUMBER, not "
ARGUMENTS = {
    "hands actions.csv": "the following arguments are required: -o",
    "replay actions.csv -o out": "one of the arguments --hand --participant is required",
    "best actions.csv -o out --nodes 0": "argument --nodes: must be a whole number from 1 to 999999999, "
    "not '0'",
    "report actions.csv --out out --threshold x": f"argument --threshold: {NO_THRESHOLD}'x'",
    "report actions.csv --out out --threshold x=inf": f"argument --threshold: {NO_THRESHOLD}'x=inf'",
    "simulate ttt -o out --participants x": "argument --participants: must be a whole number "
    "from 1 to 999999, not 'x'",
    "simulate ttt -o out --seed 1.5": "argument --seed: must be a whole number, not '1.5'",
    "simulate ttt -o out --deals ": f"argument --deals: {NO_NAME}",
    "transform actions.csv -o ": f"argument -o: {NO_NAME}",
    "hands actions.csv -o ": f"argument -o: {NO_NAME}",
    "simulate ttt -o ": f"argument -o: {NO_NAME}",
    "solve deals.txt -o ": f"argument -o: {NO_NAME}",
    "replay actions.csv --hand 1 -o ": f"argument -o: {NO_NAME}",
    "best actions.csv -o ": f"argument -o: {NO_NAME}",
    "split actions.csv --out ": f"argument --out: {NO_NAME}",
    "report actions.csv --out ": f"argument --out: {NO_NAME}",
}


@pytest.mark.parametrize("line", ARGUMENTS)
def test_invalid_arguments_are_explained_in_one_line(folder, capsys, line):
    before = sorted(folder.rglob("*"))
    command, *_ = arguments = line.split(" ")
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    message = f"error: {ARGUMENTS[line]} (for help: python -m cardlab.analysis {command} --help)\n"
    assert capsys.readouterr() == ("", message)
    assert sorted(folder.rglob("*")) == before


def test_unknown_command_is_refused_with_the_known_ones(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["hnads\n"])
    errors = capsys.readouterr().err
    assert (ended.value.code, errors.count("\n")) == (2, 1)
    assert "'split', 'transform'" in errors or "split, transform" in errors
    assert errors.endswith("(for help: python -m cardlab.analysis --help)\n")


# ---------------------------------------------------------------- odd settings and cells


ODD = "The settings of this hand differ from the format that the server writes."


@pytest.mark.parametrize("command", ["split", "transform", "hands", "replay"])
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ('{"MaxRounds":"x"}', ODD),
        ('{"MaxRounds":1e999}', ODD),
        ('{"MaxRounds":NaN}', ODD),
        ('{"MaxRounds":null}', ODD),
        ('{"ViewCard":' + "[" * 100_000 + "}", "The cell settings is not a JSON object."),
    ],
    ids=["text", "too large", "no number", "nothing", "deep"],
)
def test_invalid_settings_are_refused(run, folder, command, settings, sentence):
    with_settings("actions.csv", "odd.csv", lambda _settings: settings)
    before = sorted(folder.rglob("*"))
    where = ["--out" if command == "split" else "-o", "out"]
    which = ["--participant", "s3ss10n0_1"] if command == "replay" else []
    assert run(command, "odd.csv", *where, *which) == (2, [], [f"error: odd.csv, line 2: {sentence}"])
    assert sorted(folder.rglob("*")) == before


def with_settings(name, new_name, change):
    """Writes the table with other settings in its deal rows."""
    table = rows_of(name)
    for row in table:
        row["settings"] = change(row["settings"]) if row["settings"] else ""
    columns = [name for name in table[0] if name != "digest"]  # it no longer matches
    with open(new_name, "w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, columns, extrasaction="ignore")
        rows.writeheader()
        rows.writerows(table)


def test_invalid_robots_do_not_stop_the_command(run):
    run("simulate", "matrix", "--participants", 2, "--hands", 1, "-o", "matrix.csv")
    assert run("hands", "matrix.csv", "-o", "hands.csv")[0] == 0
    code = rows_of("hands.csv")[0]["participant_code"]
    for value, expected in (("null", 0), ("5", 2), ('["N"]', 2)):
        robots = f'"robots":{value}'
        with_settings(
            "matrix.csv", "odd.csv", lambda text, robots=robots: text.replace('"robots":{}', robots)
        )
        for command in (["hands"], ["replay", "--participant", code]):
            got, _out, messages = run(*command, "odd.csv", "-o", "out")
            assert (got, messages) == (expected, [f"error: odd.csv, line 2: {ODD}"] if expected else [])


@pytest.mark.parametrize("outcome", ["won", "", "open", "solved "])
def test_unknown_outcome_is_refused(run, outcome):
    changed(",end solved,", f",end {outcome},")
    code, _out, messages = run("hands", "changed.csv", "--strict", "-o", "out.csv")
    assert code == 2
    assert messages == [
        f"error: changed.csv, line 2: The hand dealt here ends with {outcome!r}, "
        "but according to the rules it is over: solved."
    ]


def test_practice_accepts_only_yes_or_no_values(run):
    table = rows_of("actions.csv")
    for cell, meant in (("1", "1"), ("1.0", "1"), ("0.0", "0"), ("True", "1"), ("", "")):
        _with_practice(table, cell)
        assert run("hands", "changed.csv", "-o", "hands.csv")[0] == 0
        assert {row["practice"] for row in rows_of("hands.csv")} == {meant}
    for cell in ("no", "2", "1.5"):
        _with_practice(table, cell)
        assert run("hands", "changed.csv", "-o", "hands.csv") == (
            2,
            [],
            [f"error: changed.csv, line 2: practice must be 1, 0 or empty, not '{cell}'."],
        )


def _with_practice(table, cell):
    with open("changed.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, table[0].keys())
        rows.writeheader()
        rows.writerows({**row, "practice": cell if row["practice"] else ""} for row in table)


def test_cells_saved_by_pandas_keep_their_meaning(run):
    Path("saved.csv").write_text(
        _as_pandas_saves(Path("actions.csv").read_bytes().decode()).replace(",0,ttt", ",0.0,ttt"), "utf-8"
    )
    with open("saved.csv", encoding="utf-8", newline="") as file:
        for hand in actions_table.read_hands(file, "saved.csv"):
            assert (hand.cells["practice"], hand.cells["is_bot"]) == ("0", "0")
            assert {is_bot for _code, _label, is_bot in hand.people.values()} == {"0"}


def test_split_reports_the_wrong_game_first(run):
    run("simulate", "matrix", "--participants", 2, "--hands", 1, "-o", "matrix.csv")
    sentence = "Only hands of ttt_solo_app or ttt_pair_app can be read here."
    message = f"error: matrix.csv, line 2: This is a hand of matrix_game_app. {sentence}"
    assert run("split", "matrix.csv", "--out", "logs") == (2, [], [message])
    assert not Path("logs").exists()


# ---------------------------------------------------------------- the other commands


def test_simulate_solve_and_replay_report_their_output(run):
    assert run("simulate", "ttt", "--participants", 1, "--repeat", 2, "--hands", 3, "-o", "made.csv") == (
        0,
        ["Wrote 6 hands of 2 participants in 2 sessions to made.csv"],
        [],
    )
    made = rows_of("made.csv")
    assert run("replay", "made.csv", "--participant", made[0]["participant_code"]) == (
        0,
        ["Wrote 3 hands to replay.html"],
        [],
    )
    assert run("replay", "made.csv", "--hand", made[0]["hand_id"], "-o", "one.html") == (
        0,
        ["Wrote 1 hand to one.html"],
        [],
    )
    assert made[0]["hand_id"] in Path("one.html").read_text("utf-8")
    Path("show.txt").write_text("C Ck UP T N Nk\n3H 2C 2H 4C 4H 3C\n", "utf-8")
    code, out, _messages = run("solve", "show.txt", "-o", "solved.csv")
    assert (code, out) == (0, ["Wrote 1 hand to solved.csv"])
    assert [row["least_moves"] for row in rows_of("solved.csv")] == ["4"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["simulate", "chess"], "chess: Unknown game. The games are "),
        (
            ["simulate", "ttt", "--strategy", ""],
            "--strategy: No strategy is named. The strategies of Target the Two are ",
        ),
        (
            ["simulate", "ttt", "--mix", ""],
            "--mix: No strategy is named. The strategies of Target the Two are ",
        ),
        (
            ["simulate", "ttt", "--mix", " "],
            "--mix: No strategy is named. The strategies of Target the Two are ",
        ),
        (["solve", "none.txt"], "none.txt: There is no such file."),
        (
            ["solve", "picture.png"],
            "picture.png, line 1: This line is not text in UTF-8. Save the file as UTF-8.",
        ),
        (
            ["replay", "actions.csv", "--hand", "x"],
            "hand x: The sources have no hand of this name. They have ",
        ),
        (["replay", "two\nlines.csv", "--hand", "x"], "two lines.csv: There is no such file."),
        (["best", "actions.csv"], "actions.csv, line 2: This is a hand of ttt_solo_app. Only "),
    ],
)
def test_every_error_is_one_line(run, folder, arguments, sentence):
    Path("picture.png").write_bytes(b"\x89PNG\r\n")
    before = sorted(folder.rglob("*"))
    code, out, messages = run(*arguments, "-o", "out")
    assert (code, out, len(messages)) == (2, [], 1)
    assert messages[0].startswith(f"error: {sentence}")
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("way", ["deals", "settings_file", "default"])
def test_simulate_never_overwrites_its_input(run, monkeypatch, tmp_path, way):
    """Bare names mean files in deals/ttt/, where researchers may keep their own files."""
    shutil.copytree(ROOT / "deals" / "ttt", tmp_path / "deals" / "ttt")
    monkeypatch.setattr(source_files, "DEALS", [tmp_path / "deals"])
    name, arguments = {
        "deals": ("transfer422.txt", ["--deals", "transfer422.txt"]),
        "settings_file": ("TTT_Solo.ini", ["--set", "settings_file=TTT_Solo.ini", "--deals", "seed"]),
        "default": ("game422.txt", []),
    }[way]
    target = Path("deals/ttt", name)
    before = target.read_bytes()
    sentence = f"{target}: This is also an input file. Choose another name for the output."
    assert run("simulate", "ttt", *arguments, "-o", target) == (2, [], [f"error: {sentence}"])
    assert target.read_bytes() == before
    assert run("simulate", "ttt", *arguments, "--hands", 1, "-o", name)[0] == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("command", ["split", "transform", "hands"])
def test_pipe_is_refused(run, command):
    os.mkfifo("pipe")
    sentence = "This file cannot be read twice. Save it to disk first."
    where = "--out" if command == "split" else "-o"
    assert run(command, "pipe", where, "out") == (2, [], [f"error: pipe: {sentence}"])


# ---------------------------------------------------------------- complete output files


def test_concurrent_writers_of_a_file_do_not_mix(folder):
    with atomic_file(Path("out.txt")) as first, atomic_file(Path("out.txt")) as second:
        for _ in range(3):
            first.write("first\n")
            first.flush()
            second.write("second\n")
            second.flush()
    assert Path("out.txt").read_text() == "first\n" * 3


def test_foreign_part_file_is_kept(folder):
    before = {path.name for path in folder.iterdir()}
    Path("out.txt.part").write_text("mine")
    with atomic_file(Path("out.txt")) as file:
        file.write("theirs")
    assert Path("out.txt.part").read_text() == "mine"
    assert {path.name for path in folder.iterdir()} == before | {"out.txt", "out.txt.part"}


def test_longest_possible_file_name_works(folder):
    name = "ö" * 125 + ".csv"
    with atomic_file(Path(name)) as file:
        file.write("whole")
    assert Path(name).read_text() == "whole"


@pytest.mark.parametrize("error", [KeyboardInterrupt, BadFile("x", "y"), OSError])
def test_unfinished_output_is_removed(run, folder, monkeypatch, error):
    def half(_hands, file):
        file.write("half")
        raise error

    monkeypatch.setattr("cardlab.analysis.hands.write_table", half)
    before = sorted(folder.iterdir())
    assert run("hands", "actions.csv", "-o", "out.csv")[0] in (2, 130)
    assert sorted(folder.iterdir()) == before


def test_link_to_an_input_is_refused_as_output(run):
    for link in (os.symlink, os.link):
        link("actions.csv", link.__name__)
        code, _out, messages = run("hands", "actions.csv", "-o", link.__name__)
        assert (code, messages) == (
            2,
            [f"error: {link.__name__}: This is also an input file. Choose another name for the output."],
        )


@pytest.mark.skipif(os.name == "nt", reason="SIGTERM ends a process at once there")
def test_terminated_command_leaves_no_unfinished_file(tmp_path):
    """Runs the command in a subprocess and terminates it while it writes its file."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cardlab.analysis", "simulate", "ttt", "--repeat", "999999", "-o", "made.csv"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not any(file.stat().st_size for file in tmp_path.iterdir()):
            assert process.poll() is None
        process.terminate()
        errors = process.communicate(timeout=30)[1]
    finally:
        process.kill()
    assert (process.returncode, errors) == (130, "Stopped. No unfinished file is left.\n")
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- long tables


def test_long_table_is_not_loaded_into_memory():
    """Hands are yielded while the table is read, and only its heading is read ahead."""
    opening = Opening(DEAL, {**OPTIONS, "MaxRounds": 1000}, 1, 60)
    session = Session(labels=["one"], records=[[played(opening, ["P"] * 30, CREATED_MS)] * 60])
    lines = session.export().splitlines(keepends=True)
    taken = 0

    def watched():
        nonlocal taken
        for line in lines:
            taken += 1
            yield line

    for number, hand in enumerate(actions_table.read_hands(watched(), "x"), start=1):
        assert len(hand.events) == 30
        assert taken <= 1 + 31 * number + 1
    assert number == 60
