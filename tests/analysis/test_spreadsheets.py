"""Tests that tables saved by spreadsheets and scripts give the hands of the export, or a clear message."""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server_tables import small_session  # first: it keeps oTree off the project's database
from test_damage import with_absences

from cardlab.analysis import hands, sources, spreadsheets
from cardlab.analysis.commands import main
from cardlab.analysis.spreadsheet_cells import restore_time, restore_whole
from cardlab.games.columns import column_type
from cardlab.games.contract import BadFile
from cardlab.games.tables import ACTION_COLUMNS

GOLDEN = Path(__file__).parents[1] / "golden"
COLUMNS = list(ACTION_COLUMNS)
GAMES = ("ttt", "ttt_pair", "matrix", "triangle", "solitario", "challenge")

Table = list[list[str]]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Provides the rows of a table of each game, of a server's table, and of one with absent players."""
    found: dict[str, Table] = {}
    for game in GAMES:
        with (GOLDEN / game / "simulated" / "actions.csv").open(encoding="utf-8", newline="") as file:
            found[game] = list(csv.reader(file))
    found["server"] = list(csv.reader(io.StringIO(small_session().export(), newline="")))
    found["absences"] = [COLUMNS, *([row[name] for name in COLUMNS] for row in with_absences())]
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Provides the table's path, whose name appears in the table of hands."""
    return tmp_path_factory.mktemp("sheets") / "table.csv"


def measure(path: Path) -> tuple[str, list[str]]:
    """Returns the table of hands and the warnings."""
    out, sentences = io.StringIO(), []
    hands.write_table(sources.read_hands([path], sentences.append), out)
    return out.getvalue(), sentences


def save(path: Path, table: Table, *, encoding="utf-8", sep_line=False, **dialect) -> Path:
    text = io.StringIO(newline="")
    csv.writer(text, **dialect).writerows(table)
    first = f"sep={dialect['delimiter']}\r\n" if sep_line else ""
    path.write_bytes((first + text.getvalue()).encode(encoding))
    return path


def change(table: Table, kind: str, rewrite: Callable[[str], str]) -> Table:
    """Returns the table with the filled cells of one type rewritten."""
    places = [
        place for place, name in enumerate(table[0]) if column_type(ACTION_COLUMNS.get(name, "")) == kind
    ]
    return [
        table[0],
        *(
            [rewrite(cell) if cell and place in places else cell for place, cell in enumerate(row)]
            for row in table[1:]
        ),
    ]


def local_time(cell: str) -> str:
    year, month, day = cell[:10].split("-")
    return f"{day}.{month}.{year} {cell[11:23]}".replace(".", ",").replace(",", ".", 2)


YES_NO = {
    "kept": str,
    "English": {"1": "TRUE", "0": "FALSE"}.__getitem__,
    "German": {"1": "WAHR", "0": "FALSCH"}.__getitem__,
    "Italian": {"1": "VERO", "0": "FALSO"}.__getitem__,
    "pandas": {"1": "1.0", "0": "0.0"}.__getitem__,
}
TIMES = {
    "kept": str,
    "blank": lambda cell: cell.replace("T", " ").removesuffix("Z"),
    "comma": lambda cell: cell.replace("T", " ").replace(".", ",").removesuffix("Z"),
    "zone": lambda cell: cell.replace("Z", "+00:00"),
    "microseconds": lambda cell: cell.replace("Z", "000 UTC"),
    "local": local_time,
}
WHOLES = {"kept": str, "point": lambda cell: f"{cell}.0", "comma": lambda cell: f"{cell},0"}


def without_empty_ends(table: Table) -> Table:
    """Returns the table without trailing empty cells, which Excel omits."""
    return [table[0], *(re.sub("\0+$", "", "\0".join(row)).split("\0") for row in table[1:])]


@given(data=st.data())
def test_every_variant_gives_the_hands_of_the_export(tables, path, data):
    table = tables[data.draw(st.sampled_from([*tables]))]
    expected, _warnings = measure(save(path, table))
    for kind, forms in (("logical", YES_NO), ("time", TIMES), ("integer", WHOLES)):
        table = change(table, kind, forms[data.draw(st.sampled_from([*forms]))])
    if order := data.draw(st.integers(0, 999)):
        table = [table[0], *random.Random(order).sample(table[1:], len(table) - 1)]
    if data.draw(st.booleans()):
        table = without_empty_ends(table)
    delimiter = data.draw(st.sampled_from(",;\t"))
    save(
        path,
        table,
        encoding=data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])),
        sep_line=data.draw(st.booleans()),
        delimiter=delimiter,
        lineterminator=data.draw(st.sampled_from(["\n", "\r\n"])),
        quoting=data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])),
    )
    assert measure(path)[0] == expected


@pytest.mark.parametrize("name", [*GAMES, "server", "absences"])
def test_sorted_table_has_the_same_hands(tables, path, name):
    table = tables[name]
    expected = sorted(measure(save(path, table))[0].splitlines())
    for place in range(len(COLUMNS)):
        for reverse in (False, True):
            rows = sorted(table[1:], key=lambda row: row[place], reverse=reverse)
            assert sorted(measure(save(path, [table[0], *rows]))[0].splitlines()) == expected


@pytest.mark.parametrize("name", [*GAMES, "server", "absences"])
def test_table_as_exported_is_read_directly(tables, path, name):
    for delimiter in ",;\t":
        save(path, tables[name], encoding="utf-8-sig", delimiter=delimiter)
        with spreadsheets.restore_tables([path], pytest.fail) as found:
            assert not found[0].is_restored
    save(path, tables[name], encoding="utf-16")
    with spreadsheets.restore_tables([path], pytest.fail) as found:
        assert found[0].is_restored
    assert not found[0].path.exists()


def test_large_table_is_checked_by_samples(tables, path, monkeypatch):
    monkeypatch.setattr(spreadsheets, "CHECKED_BYTES", 1000)
    monkeypatch.setattr(spreadsheets, "SAMPLE_BYTES", 2000)
    monkeypatch.setattr(spreadsheets._Restoration, "write", pytest.fail)
    with spreadsheets.restore_tables([save(path, tables["ttt"])], pytest.fail) as found:
        assert not found[0].is_restored
    monkeypatch.undo()
    monkeypatch.setattr(spreadsheets, "CHECKED_BYTES", 1000)
    rows = sorted(tables["ttt"][1:], key=lambda row: row[COLUMNS.index("server_time_utc")])
    save(path, [tables["ttt"][0], *rows])
    warnings: list[str] = []
    with spreadsheets.restore_tables([path], warnings.append) as found:
        assert found[0].is_restored
    assert warnings == [f"{path}: The rows were not in the order of the export, and have been sorted."]


def test_messages_name_the_lines_of_the_original(tables, path):
    table = [list(row) for row in tables["ttt"]]
    table[9][COLUMNS.index("action")] = "X"
    expected = measure(save(path, table))[1]
    save(path, table, encoding="utf-16", delimiter="\t")
    assert measure(path)[1] == expected
    save(path, table, delimiter=";", sep_line=True)
    assert measure(path)[1] == [re.sub(r"line (\d+)", lambda m: f"line {int(m[1]) + 1}", expected[0])]


def test_overlapping_tables_are_merged_across_variants(tables, path):
    exported = save(path.with_name("exported.csv"), tables["matrix"])
    save(path, change(tables["matrix"], "logical", YES_NO["English"]), delimiter=";", encoding="utf-16")
    sentences: list[str] = []
    found = list(sources.read_hands([exported, path], sentences.append))
    assert len(found) == 2
    assert len(sentences) == 1
    assert "2 hands were merged" in sentences[0]


LOST = {
    "minutes": ("server_time_utc", "03:07.4", "a spreadsheet has kept only minutes and seconds"),
    "days": ("server_time_utc", "46354,58550", "a spreadsheet has replaced the time with a number of days"),
    "no seconds": ("server_time_utc", "28.11.2026 14:03", "a spreadsheet has removed the seconds"),
    "ambiguous": ("shown_utc", "11/28/2026 14:03:07", "it does not say which number is the day"),
    "rounded": ("client_ms", "1,23E+15", "a spreadsheet has rounded the number"),
}


@pytest.mark.parametrize("name", LOST)
def test_destroyed_cell_is_refused_with_its_line(tables, path, name):
    column, cell, reason = LOST[name]
    table = [list(row) for row in tables["ttt"]]
    table[1][COLUMNS.index(column)] = cell
    with pytest.raises(BadFile, match=reason) as raised:
        measure(save(path, table, delimiter=";"))
    assert raised.value.line == 2
    assert raised.value.message.startswith(f"{column} is '{cell}': ")


def test_destroyed_code_leaves_the_hand_out(tables, path):
    table = [list(row) for row in tables["ttt"]]
    code = table[1][COLUMNS.index("participant_code")]
    table = [[cell.replace(code, "1.23E+71") if cell == code else cell for cell in row] for row in table]
    lost = sum(row[COLUMNS.index("action_number")] == "0" and "1.23E+71" in row for row in table)
    written, warnings = measure(save(path, table))
    assert "1.23E+71" not in written
    assert len(warnings) == lost
    assert "participant_code of the hand dealt here is 1.23E+71" in warnings[0]


@pytest.mark.parametrize("label", ["1.23E+15", "02. Jan", "2-Jan", "Jan-02", "01.02.2026"])
def test_destroyed_label_is_reported(tables, path, label):
    table = [list(row) for row in tables["ttt"]]
    for row in table[1:]:
        row[COLUMNS.index("participant_label")] = label
    warnings = measure(save(path, table))[1]
    altered, lost = warnings
    assert "hands were altered or lack rows" in altered
    assert f"table.csv, line 2: participant_label is {label}." in lost


def test_missing_milliseconds_are_reported(tables, path):
    table = change(tables["ttt"], "time", lambda cell: cell[:19].replace("T", " "))
    *warnings, altered = measure(save(path, table))[1]
    assert "hands were altered or lack rows" in altered
    assert [re.sub(r".*line 2: |\(.*", "", sentence) for sentence in warnings] == [
        "server_time_utc has no milliseconds ",
        "shown_utc has no milliseconds ",
    ]


def test_log_and_damaged_text_are_explained(tables, tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_bytes("session_code,ü".encode("utf-16")[:-1])
    assert main(["hands", str(path), "-o", str(tmp_path / "hands.csv")]) == 2
    assert "This file is not text in UTF-16. Save it as UTF-8." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("cell", "restored"),
    [
        ("2026-11-28 14:03:07", "2026-11-28T14:03:07.000Z"),
        ("2026-11-28T14:03:07.412999Z", "2026-11-28T14:03:07.412Z"),
        ("2026-11-28 00:03:07,4+01:00", "2026-11-27T23:03:07.400Z"),
        ("28.11.2026 14:03:07", "2026-11-28T14:03:07.000Z"),
        ("2026-13-28 14:03:07", "2026-13-28 14:03:07"),
        ("soon", "soon"),
        ("", ""),
    ],
)
def test_times_are_restored(cell, restored):
    assert restore_time(cell) == restored


def test_whole_numbers_are_restored():
    assert [restore_whole(cell) for cell in ("3", "3.0", "-3,00", "3.5", "")] == ["3", "3", "-3", "3.5", ""]
