"""Rebuilds the tables of a dataset from the actions in it, and compares them byte by byte.

The tables of hands and of their parts follow from the table of actions and the rules, except ``paid`` and
``payoff``, which follow from the session's config and are taken as they are. The tables of a report are drawn
again. Other tables are records themselves, such as page times and answers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.analysis import sources
from cardlab.analysis.codebook.table_names import table_name
from cardlab.analysis.folding import history
from cardlab.analysis.hands import find_game, measure_hand
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.factors import COLUMN
from cardlab.games.tables import PART_COLUMNS, guard_formula
from cardlab.row_chain import rechain

ACTIONS = "_actions"  # how the names of the tables end
GIVEN = ("paid", "payoff")


class Comparison(NamedTuple):
    """A rebuilt table: its file in the dataset, the number of rows, and the first difference or ""."""

    file: str
    rows: int
    difference: str


def compare_tables(folder: Path, warn: sources.Warn) -> Iterator[Comparison]:
    """Yields a comparison for every table of hands and of their parts in a folder. Raises BadFile."""
    files = {table_name(path.as_posix()): path for path in sorted(folder.rglob("*.csv"))}
    for name, path in files.items():
        if not name.endswith(ACTIONS):
            continue
        hands = list(sources.read_hands([path], warn))
        for table, file in files.items():
            if hands and table.startswith(app := name.removesuffix(ACTIONS)) and table != name:
                rebuilt = _rebuild(hands, table.removeprefix(f"{app}_"), file)
                if rebuilt is not None:
                    yield compare_file(file.relative_to(folder).as_posix(), file, rebuilt)


def _rebuild(hands: Sequence[SourceHand], kind: str, file: Path) -> str | None:
    """Returns the text of a table of a game; None if it does not follow from the actions."""
    game = find_game(hands[0])
    heading = _read_rows(file)[0]
    if kind == "hands":
        rows: Iterable[Mapping[str, Any]] = _hand_rows(hands, file)
    elif kind in game.measures.PARTS:
        rows = _part_rows(hands, *game.measures.PARTS[kind])
    else:
        return None
    table = [[_cell(row.get(column, "")) for column in heading] for row in rows]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rechain([heading, *table]))
    return text.getvalue()


def _hand_rows(hands: Iterable[SourceHand], file: Path) -> Iterator[dict[str, Any]]:
    """Yields the rows of the table of hands; ``GIVEN`` cells are those of the file."""
    heading, *rows = _read_rows(file)
    given = {(row[heading.index("hand_id")], row[heading.index("seat")]): row for row in rows}
    best: dict[str, int] = {}  # each participant's best score so far
    for hand in hands:
        for row in measure_hand(hand, find_game(hand)):
            code, known = row["participant_code"], given.get((row["hand_id"], row["seat"]), [])
            row |= {name: known[heading.index(name)] for name in GIVEN if known}
            row["participant_label"] = guard_formula(row["participant_label"])
            row["best_earlier_score"] = best.get(code, "")
            yield row
            if code and row["ended_utc"] and row["practice"] != "1":
                best[code] = max(row["score"], best.get(code, row["score"]))


def _part_rows(
    hands: Iterable[SourceHand], columns: Mapping[str, str], parts_of: Any
) -> Iterator[dict[str, Any]]:
    """Yields the rows of a table of the parts of hands."""
    for hand in hands:
        shared = {
            name: cell for name, cell in hand.cells.items() if name in PART_COLUMNS or name.startswith(COLUMN)
        }
        for part in parts_of(history(hand, find_game(hand).rules)):
            yield {**shared, **{name: part[name] for name in columns}}


def _cell(value: Any) -> str:
    """Returns a cell as oTree's export writes it."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else str(value)


def compare_file(name: str, file: Path, rebuilt: str) -> Comparison:
    """Compares a table with its rebuilt text, but for the ends of lines."""
    if file.read_text("utf-8") == rebuilt:
        return Comparison(name, rebuilt.count("\n") - 1, "")
    rows = list(csv.reader(io.StringIO(rebuilt)))
    return Comparison(name, len(rows) - 1, _first_difference(_read_rows(file), rows))


def _first_difference(rows: Sequence[Sequence[str]], rebuilt: Sequence[Sequence[str]]) -> str:
    for number, (row, other) in enumerate(zip(rows, rebuilt), 1):
        for name, cell, expected in zip(rows[0], row, other):
            if cell != expected:
                return f"row {number}, {name}: {cell!r} in the dataset, {expected!r} from the actions"
    if len(rows) != len(rebuilt):
        return f"{len(rows) - 1} rows in the dataset, {len(rebuilt) - 1} from the actions"
    return "another format of cells or lines"


def _read_rows(file: Path) -> list[list[str]]:
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    with file.open(encoding="utf-8-sig", newline="") as text:
        return list(csv.reader(text))
