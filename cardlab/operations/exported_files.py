"""The files of an export: their names, the check for missing hands, and the README."""

import collections
import csv
import datetime
import math
import sys
from collections.abc import Iterable
from pathlib import Path

from cardlab import __version__

HAND_PAGE = "Hand"  # the name of the hand page in every app


def export_file(app: str, function: str) -> str:
    """Returns the file of an export: ``ttt_solo_app_actions.csv`` for ``custom_export``, logs as text."""
    name = function[len("custom_export") :].strip("_") or "actions"
    return f"{app}_{name}{'.txt' if name.endswith(('log', 'transform')) else '.csv'}"


def rows_of_session(page_times: bytes, session: str) -> bytes:
    """Returns the heading and the rows of one session."""
    header, *rows = page_times.splitlines(keepends=True)
    return b"".join([header, *(row for row in rows if row.startswith(f"{session},".encode()))])


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


def missing_hands(folder: Path, app: str) -> list[str]:
    """Returns the hands that the table of hands lacks or pays differently, as "CODE in round 2 of APP".

    oTree's page times and its table of the app show independently which hands were played and paid. They are
    fetched before the table of hands, which therefore includes these hands even during play.
    """
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    paid: dict[tuple[str, str], float] = collections.defaultdict(float)  # by participant and round
    for row in read_table(folder / "page_times.csv"):
        if (row["app_name"], row["page_name"]) == (app, HAND_PAGE):
            paid[row["participant_code"], row["round_number"]] = 0.0
    for row in read_table(folder / f"{app}.csv"):
        key = row["participant.code"], row["subsession.round_number"]
        points = float(row["player.payoff"] or 0)
        if key in paid or points:
            paid[key] = points
    recorded = {
        (row["participant_code"], row["hand_id"].rsplit("-", 1)[1]): float(row["payoff"])
        for row in read_table(folder / f"{app}_hands.csv")
        if row["participant_code"] and row["outcome"] != "open"
    }
    return [
        f"{participant} in round {number} of {app}"
        for (participant, number), points in sorted(paid.items())
        if abs(recorded.get((participant, number), math.inf) - points) > 0.005
    ]


def read_table(file: Path) -> list[dict[str, str]]:
    """Returns the rows of a fetched table."""
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


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
