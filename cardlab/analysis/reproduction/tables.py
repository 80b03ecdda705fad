"""Rebuilds the tables and logs in a folder, and names those that are records."""

from __future__ import annotations

import csv
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.analysis import games, sources
from cardlab.analysis.codebook import bids
from cardlab.analysis.codebook.book import read_book
from cardlab.analysis.codebook.table_names import table_name
from cardlab.analysis.folding import history
from cardlab.analysis.hands import find_game, measure_hand
from cardlab.analysis.reproduction.comparison import Comparison, compare_lines, compare_rows, read_rows
from cardlab.analysis.reproduction.pay_tables import FROM_HANDS, participant_rows, payment_rows
from cardlab.analysis.reproduction.session_pay import Row, SessionPay, read_places, read_sessions
from cardlab.analysis.source_hand import PARTICIPANT_CELLS, SourceHand
from cardlab.games.factors import COLUMN
from cardlab.games.registry import games_by_app
from cardlab.games.tables import PART_COLUMNS, guard_formula, unguard

ACTIONS, HANDS = "_actions", "_hands"  # how the names of the tables end
REPORTS = "results"  # the folder with the tables of reports
PAID = ("paid", "payoff")  # the columns of the table of hands that need the session's config


class Dataset(NamedTuple):
    """The hands of a dataset by app, and the pay for them."""

    hands: Mapping[str, Sequence[SourceHand]]
    pay: SessionPay

    def has_config(self, rows: Iterable[Row]) -> bool:
        """Whether the archive has the configs of the sessions of these rows."""
        return all(row["session_code"] in self.pay.sessions for row in rows)


def compare_tables(folder: Path, warn: sources.Warn) -> Iterator[Comparison]:
    """Yields a comparison for every table and log of a folder, except those of reports. Raises BadFile."""
    tables = [(file, table_name(file.as_posix())) for file in sorted(folder.rglob("*.csv"))]
    tables = [(file, name) for file, name in tables if REPORTS not in file.relative_to(folder).parts]
    dataset = _read_dataset(folder, tables, warn)
    for file, name in tables:
        yield _compare_table(file.relative_to(folder).as_posix(), file, name, dataset)
    for file in sorted(folder.rglob("*.txt")):
        if app := _app_of(file.stem, games_by_app()):
            kind = file.stem.removeprefix(f"{app}_")
            yield _compare_log(file.relative_to(folder).as_posix(), file, app, kind, dataset)


def compare_copies(folder: Path) -> Iterator[Comparison]:
    """Yields a comparison for each table of BIDS, which has rows of the tables in ``sourcedata/``."""
    for source in sorted(path for path in folder.rglob(bids.SOURCE) if path.is_dir()):
        with tempfile.TemporaryDirectory(prefix="card-lab-") as new:
            bids.write_tables(Path(new), source, read_book(source, {}))
            for file in sorted(source.parent.rglob("*.tsv")):
                rebuilt = Path(new, file.relative_to(source.parent))
                lines = rebuilt.read_text("utf-8").splitlines() if rebuilt.is_file() else []
                yield compare_lines(file.relative_to(folder).as_posix(), file, lines)


def _read_dataset(folder: Path, tables: Iterable[tuple[Path, str]], warn: sources.Warn) -> Dataset:
    hands: dict[str, list[SourceHand]] = {}
    wide: list[Row] = []
    for file, name in tables:
        if name.endswith(ACTIONS) and is_played(file):
            hands[name.removesuffix(ACTIONS)] = list(sources.read_hands([file], warn))
        elif name == "all_apps_wide":
            wide += _read_dicts(file)
    for file, name in tables:
        if name.endswith(HANDS) and (app := name.removesuffix(HANDS)) in hands:
            _add_people_without_rows(hands[app], _read_dicts(file))
    return Dataset(hands, SessionPay(read_sessions(folder), read_places(folder), hands, wide))


def _add_people_without_rows(hands: Iterable[SourceHand], rows: Iterable[Row]) -> None:
    """Adds to hands with several seats the participants whom only the table of hands names.

    A participant has no row in the table of actions if the hand ended before they came.
    """
    people: dict[str, dict[str, Sequence[str]]] = defaultdict(dict)
    for row in rows:
        if row["participant_code"]:
            people[row["hand_id"]][row["seat"]] = [unguard(row[name]) for name in PARTICIPANT_CELLS]
    for hand in hands:
        if not hand.participant:
            hand.people = {**people[hand.hand_id], **hand.people}


def is_played(actions: Path) -> bool:
    """Whether a table has the actions of a game, and a hand. A table of a researcher's own app may not."""
    heading, *rows = read_rows(actions)
    return "action_number" in heading and bool(rows)


def _app_of(name: str, apps: Iterable[str]) -> str:
    return max((app for app in apps if name.startswith(f"{app}_")), key=len, default="")


def _compare_table(name: str, file: Path, table: str, dataset: Dataset) -> Comparison:
    """Rebuilds and compares a table, or says that it is a record."""
    app = _app_of(table, dataset.hands)
    kind, hands = table.removeprefix(f"{app}_"), dataset.hands.get(app, ())
    heading, rows = read_rows(file)[0], _read_dicts(file)
    if kind == "hands" and hands:
        table_rows = [heading, *_hand_rows(hands, heading, rows, dataset.pay)]
        return compare_rows(name, file, table_rows, () if dataset.has_config(rows) else PAID)
    if hands and kind in (parts := find_game(hands[0]).measures.PARTS):
        return compare_rows(name, file, [heading, *_part_rows(hands, heading, *parts[kind])])
    if not dataset.pay.sessions or not dataset.has_config(rows if "session_code" in heading else ()):
        return Comparison(name)
    if kind == "participants" and hands:
        records = tuple(column for column in heading if column not in FROM_HANDS)
        return compare_rows(name, file, participant_rows(heading, rows, hands, dataset.pay), records)
    if table == "payments":
        return compare_rows(name, file, payment_rows(heading, rows, dataset.pay))
    return Comparison(name)


def _hand_rows(
    hands: Iterable[SourceHand], heading: Sequence[str], rows: Iterable[Row], pay: SessionPay
) -> Iterator[list[Any]]:
    """Yields the rows of the table of hands; ``PAID`` cells without a config are those of the file."""
    given = {(row["hand_id"], row["seat"]): row for row in rows}
    best: dict[str, int] = {}  # each participant's best score so far
    for hand in hands:
        for row in measure_hand(hand, find_game(hand)):
            code, known = row["participant_code"], given.get((row["hand_id"], row["seat"]), {})
            row |= {name: known.get(name, "") for name in PAID}
            row |= pay.cells(hand, row["seat"], row["score"], row["ended_utc"] != "")
            row["participant_label"] = guard_formula(row["participant_label"])
            row["best_earlier_score"] = best.get(code, "")
            yield [row.get(name, "") for name in heading]
            if code and row["ended_utc"] and row["practice"] != "1":
                best[code] = max(row["score"], best.get(code, row["score"]))


def _part_rows(
    hands: Iterable[SourceHand],
    heading: Sequence[str],
    columns: Mapping[str, str],
    parts_of: Callable[..., Iterable[Mapping[str, Any]]],
) -> Iterator[list[Any]]:
    """Yields the rows of a table of the parts of hands."""
    for hand in hands:
        shared = {
            name: cell for name, cell in hand.cells.items() if name in PART_COLUMNS or name.startswith(COLUMN)
        }
        for part in parts_of(history(hand, find_game(hand).rules)):
            row = {**shared, **{name: part[name] for name in columns}}
            yield [row.get(name, "") for name in heading]


def _compare_log(name: str, file: Path, app: str, kind: str, dataset: Dataset) -> Comparison:
    """Rebuilds and compares a log; those of several sessions are in folders with their codes."""
    written = games.module(games_by_app()[app].name, "written_logs")
    sessions = dataset.pay.sessions
    code = file.parent.name if file.parent.name in sessions else next(iter(sessions), "")
    if written is None or kind not in written.LINES or not code:
        return Comparison(name)
    hands = [hand for hand in dataset.hands.get(app, ()) if hand.cells["session_code"] == code]
    return compare_lines(name, file, written.LINES[kind](hands, sessions[code].numbers))


def _read_dicts(file: Path) -> list[Row]:
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    with file.open(encoding="utf-8-sig", newline="") as text:
        return list(csv.DictReader(text))
