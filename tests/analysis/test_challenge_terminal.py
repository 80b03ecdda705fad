"""Tests the analysis mode of Challenge in the terminal on recorded sessions.

The files ``tests/data/challenge/said_*.txt`` contain the terminal's text. A line that begins with ``>`` was
typed. To regenerate a file, enter those lines, without the ``>``, and save the output.
"""

import io
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.analysis.commands import main
from cardlab.analysis.games.challenge.terminal import Session, start_at_end, start_set_up
from cardlab.games.challenge import log
from cardlab.games.challenge.commands import SPELLINGS

DATA = Path(__file__).parents[1] / "data" / "challenge"


@pytest.fixture
def challenge(tmp_path, monkeypatch, capsys):
    """Runs the command in a folder with the log; returns exit code, stdout and lines of stderr."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(DATA / "challenge.log", tmp_path)

    def run(*arguments, typed=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = main(["challenge", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err.splitlines()

    return run


@pytest.mark.parametrize(
    ("name", "arguments"), [("log", ["challenge.log"]), ("setup", ["--size", "2", "--depth", "3"])]
)
def test_session_output_equals_the_recorded_output(challenge, name, arguments):
    text = (DATA / f"said_{name}.txt").read_text(encoding="utf-8")
    typed = "".join(line[2:] for line in text.splitlines(keepends=True) if re.match("> .", line))
    code, output, errors = challenge(*arguments, typed=typed)
    assert (code, errors) == (0, [])
    assert output.splitlines() == text.splitlines()


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        (None, ["none.log"], "none.log: No such file"),
        ("Challenge log 1\nsize: 99\n", [], "own.log, line 2, column 7: This must be a whole number"),
        ("", [], "own.log, line 1, column 1: This file has no games"),
        (
            b"Challenge log 1\n\xff",
            [],
            "own.log, line 2: This line is not text in UTF-8. Save the file as UTF-8.",
        ),
        ("Challenge log 1\n", ["--size", "3"], "own.log: Do not use --size with a log"),
    ],
)
def test_unreadable_log_is_explained_in_one_line(challenge, text, arguments, sentence):
    if text is not None:
        Path("own.log").write_bytes(text if isinstance(text, bytes) else text.encode())
        arguments = ["own.log", *arguments]
    code, out, (error,) = challenge(*arguments)
    assert (code, out) == (2, "")
    assert error.startswith(f"error: {sentence}")


@pytest.mark.parametrize("arguments", [["--depth", "21"], ["--size", "0"], ["--size", "x"]])
def test_invalid_options_are_explained(challenge, capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        challenge(*arguments)
    assert ended.value.code == 2
    assert "must be a whole number from" in capsys.readouterr().err


typed = st.lists(st.one_of(st.sampled_from([*SPELLINGS]), st.text(max_size=5)), max_size=25)


@given(typed, st.booleans())
def test_any_input_is_answered(lines, setting_up):
    games = log.read((DATA / "challenge.log").read_text("utf-8"), "challenge.log")
    starts = [start_set_up(2)] if setting_up else [start_at_end(game, "A game") for game in games]
    answers = []
    session = Session(starts, 1, answers.append, again=setting_up)
    for line in lines:
        before = len(answers)
        session.handle_line(line)
        assert len(answers) > before
        if session.over:
            break
