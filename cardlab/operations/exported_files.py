"""The files of an export: their names, the check for missing hands, and the README."""

import csv
import datetime
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from cardlab import __version__

HAND_PAGE = "Hand"  # the name of the hand page in every app


def export_file(app: str, function: str) -> str:
    """Returns the file of an export: ``ttt_solo_app_actions.csv`` for ``custom_export``, logs as text."""
    name = function[len("custom_export") :].strip("_") or "actions"
    return f"{app}_{name}{'.txt' if name.endswith(('log', 'transform')) else '.csv'}"


def report_missing_hands(folder: Path, names: Iterable[str]) -> int:
    """Prints the hands that are missing in the exports of these names; returns 1 if there are any, else 0."""
    apps = [name.removesuffix("_hands.csv") for name in names if name.endswith("_hands.csv")]
    missing = [hand for app in apps for hand in missing_hands(folder, app)]
    if missing:
        listed_hands = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if missing[5:] else "")
        print(
            "These hands were played, but are missing from the table of hands or have a "
            f"different payment there: {listed_hands}. Keep the database, and contact the person who "
            "maintains Card Lab.",
            file=sys.stderr,
        )
    return 1 if missing else 0


_PAYMENTS = """
    CREATE TABLE hand (
        participant TEXT, round TEXT, paid REAL, recorded REAL, PRIMARY KEY (participant, round)
    )
"""
_PLAYED = "INSERT OR IGNORE INTO hand (participant, round, paid) VALUES (?, ?, 0)"
_PAID = """
    INSERT INTO hand (participant, round, paid) VALUES (?, ?, ?)
    ON CONFLICT (participant, round) DO UPDATE SET paid = excluded.paid
"""
_PAID_NOTHING = "UPDATE hand SET paid = 0 WHERE participant = ? AND round = ?"
_RECORDED = "UPDATE hand SET recorded = ? WHERE participant = ? AND round = ?"
_MISSING = """
    SELECT participant, round FROM hand
    WHERE recorded IS NULL OR abs(recorded - paid) > 0.005 ORDER BY participant, round
"""


def missing_hands(folder: Path, app: str) -> list[str]:
    """Returns the hands that the table of hands lacks or pays differently, as "CODE in round 2 of APP".

    oTree's page times and its table of the app show independently which hands were played and paid. They are
    fetched before the table of hands, which therefore includes these hands even during play.
    """
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    with closing(sqlite3.connect("")) as database:  # in a temporary file
        database.execute(_PAYMENTS)
        database.executemany(_PLAYED, _played_hands(folder, app))
        for row in read_rows(folder / f"{app}.csv"):
            hand = row["participant.code"], row["subsession.round_number"]
            points = float(row["player.payoff"] or 0)
            database.execute(*((_PAID, (*hand, points)) if points else (_PAID_NOTHING, hand)))
        database.executemany(_RECORDED, _recorded_hands(folder, app))
        return [f"{code} in round {number} of {app}" for code, number in database.execute(_MISSING)]


def _played_hands(folder: Path, app: str) -> Iterator[tuple[str, str]]:
    """Yields participant and round of the hand pages in the page times."""
    for row in read_rows(folder / "page_times.csv"):
        if (row["app_name"], row["page_name"]) == (app, HAND_PAGE):
            yield row["participant_code"], row["round_number"]


def _recorded_hands(folder: Path, app: str) -> Iterator[tuple[float, str, str]]:
    """Yields payoff, participant and round of the finished hands in the table of hands."""
    for row in read_rows(folder / f"{app}_hands.csv"):
        if row["participant_code"] and row["outcome"] != "open":
            yield float(row["payoff"]), row["participant_code"], row["hand_id"].rsplit("-", 1)[1]


def read_rows(file: Path) -> Iterator[dict[str, str]]:
    """Yields the rows of a fetched table."""
    with file.open(encoding="utf-8", newline="") as text:
        yield from csv.DictReader(text)


def write_readme(file: Path, session: str, url: str, hashes: dict[str, str]) -> None:
    """Writes a description of the folder's contents, with the server and the time."""
    now = datetime.datetime.now(datetime.timezone.utc)
    lines = [
        f"Exports of session {session}",
        f"downloaded {now:%Y-%m-%d %H:%M:%S} UTC from {url}",
        f"by Card Lab {__version__}",
        "",
        "Every file and column is explained in docs/reference/data-dictionary.md of Card Lab.",
        "",
        "SHA-256 of each file:",
        *(f"{sha256}  {name}" for name, sha256 in hashes.items()),
    ]
    file.write_text("\n".join(lines) + "\n", "utf-8")
