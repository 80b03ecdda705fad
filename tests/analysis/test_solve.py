"""Tests the table of best play for a show file: its figures, its options and its refusals."""

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from cardlab.analysis.games.ttt.commands.solve import COLUMNS, write
from cardlab.games.contract import BadFile
from cardlab.games.ttt import board, rules
from cardlab.games.ttt.belief import expected_moves
from cardlab.games.ttt.routes import route_moves
from cardlab.games.ttt.solver import least_moves

ROOT = Path(__file__).parents[2]
SHOW_FILES = sorted((ROOT / "deals" / "ttt").glob("*.txt"))
ONE = "3H 3C 2H 4C 4H 2C"  # read circularly: C 4C, Ck 4H, UP 2H, T 2C, N 3C, Nk 3H


@pytest.fixture
def show(tmp_path):
    """Writes a show file of the given lines; returns its path."""

    def show(*lines):
        path = tmp_path / "show.txt"
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return path

    return show


def table(path, **options):
    """Returns the rows of the table, and the warnings."""
    file, warnings = io.StringIO(), []
    written = write(path, file, warnings.append, **options)
    file.seek(0)
    rows = list(csv.DictReader(file))
    assert len(rows) == written
    assert all([*row] == [*COLUMNS] for row in rows)
    return rows, warnings


@pytest.mark.parametrize("view_card", ["all", "mix", "none"])
@pytest.mark.parametrize("path", SHOW_FILES, ids=lambda path: path.name)
def test_shipped_show_files_have_consistent_solutions(path, view_card):
    rows, warnings = table(path, view_card=view_card)
    assert not warnings
    assert [int(row["hand"]) for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        hand = tuple(row["layout"].split()), row["goal"], row["first"]
        assert int(row["least_moves"]) == least_moves(*hand) == len(row["shortest"])
        state = rules.start(board.format_deal(*hand), {})
        for move in row["shortest"]:
            state = rules.apply(state, board.SEAT, move)
        assert state.solved
        assert abs(float(row["expected_moves"]) - expected_moves(*hand, view_card)) < 1e-6
        for name, moves in route_moves(*hand).items():
            assert row[f"moves_{name}"] == ("" if moves is None else str(moves))


def test_known_hand_has_the_expected_row(show):
    rows, _warnings = table(show("3C 2C 4H 4C 2H 3H"), first_move="nk", view_card="none")
    assert list(rows[0].values()) == [
        *("1", "3C 2C 4H 4C 2H 3H", "2H", "nk", "3", "NTT", "4.666667"),
        *("3", "4", "critical", "practice"),  # 422 is shorter here, but longer on average
    ]


def test_kinds_of_problems_follow_from_the_familiar_route():
    rows, _warnings = table(ROOT / "deals" / "ttt" / "transfer422.txt")
    kinds = Counter((row["problem_422"], row["problem_442"]) for row in rows[16:])
    assert kinds == {
        ("critical", "practice"): 6,
        ("practice", "critical"): 5,
        ("critical", "critical"): 3,  # neither route has the least expected moves
        ("practice", "practice"): 2,
    }
    rows, _warnings = table(ROOT / "deals" / "ttt" / "practice.txt")
    assert {row[f"problem_{name}"] for row in rows for name in ("422", "442")} == {"extinction"}


def test_hidden_cards_increase_the_expected_moves():
    means = []
    for view_card in ("all", "mix", "none"):
        rows, _warnings = table(ROOT / "deals" / "ttt" / "game422.txt", view_card=view_card)
        means.append(sum(float(row["expected_moves"]) for row in rows))
    assert means[1] < means[2]
    assert len(set(means)) == 3


def test_settings_defaults_apply_without_options(show):
    (row,), warnings = table(show(ONE))
    assert (row["layout"], row["goal"], row["first"]) == (ONE, "2H", "ck")
    assert warnings == []


def test_options_apply_where_the_file_is_silent(show):
    (row,), _warnings = table(show(ONE), order="CIRCULAR", goal="4H", first_move="nk")
    assert (row["layout"], row["goal"], row["first"]) == ("4C 4H 2H 2C 3C 3H", "4H", "nk")
    (row,), _warnings = table(
        show("// order: LINEAR", f"{ONE} 3C ck"), order="CIRCULAR", goal="4H", first_move="nk"
    )
    assert (row["layout"], row["goal"], row["first"]) == (ONE, "3C", "ck")


def test_contradicting_heading_gives_a_warning(show):
    path = show("NK N UP C CK T", ONE)
    (row,), (warning,) = table(path)
    assert row["layout"] == ONE
    assert warning.startswith(
        f"{path}, line 1: the heading is in CIRCULAR order, but the rows are read in LINEAR order"
    )


def test_file_errors_name_line_and_column(show):
    path = show("// a comment", ONE, "3H 3C 2H 4C 4H 2X")
    with pytest.raises(BadFile, match="'2X' is not a card") as refusal:
        table(path)
    assert (refusal.value.file, refusal.value.line, refusal.value.column) == (str(path), 3, 16)


def test_goal_in_target_is_refused(show):
    with pytest.raises(BadFile, match="The goal card 4C is already in Target") as refusal:
        table(show(ONE), goal="4C")
    assert (refusal.value.line, refusal.value.column) == (1, 10)


def test_binary_file_is_refused(show, tmp_path):
    path = show(ONE)
    path.write_bytes(path.read_bytes() + b"\xff\n")
    with pytest.raises(BadFile, match="not text in UTF-8") as refusal:
        table(path)
    assert refusal.value.line == 2
    with pytest.raises(BadFile, match="This is a folder"):
        table(tmp_path)
    with pytest.raises(BadFile, match="There is no such file"):
        table(tmp_path / "none.txt")
