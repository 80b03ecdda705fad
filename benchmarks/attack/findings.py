"""The findings of attacks on a server, and the CSV file that collects them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

BAR = 3.0  # p99 of the others during an attack ÷ p99 in quiet, at most


class Findings(NamedTuple):
    """The findings of one attack.

    ``attempts`` counts kills, races, messages, pages, or the moves and pages during a flood. ``leaks`` counts
    texts that differ between twins. ``losses`` counts acknowledged data that are missing, changed or
    duplicated. ``p99_ratio`` is how many times longer others wait; None where nobody else plays.
    """

    attack: str
    attempts: int
    tracebacks: int = 0
    leaks: int = 0
    losses: int = 0
    p99_ratio: float | None = None

    @property
    def is_repelled(self) -> bool:
        return not (self.tracebacks or self.leaks or self.losses) and (self.p99_ratio or 0.0) <= BAR


COLUMNS = ("version", "date", "database", *Findings._fields)


def add_findings(path: Path, version: str, date: str, database: str, found: list[Findings]) -> None:
    """Adds findings to a CSV file; replaces those of the same version, database and attack."""
    rows = []
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            rows = [*csv.DictReader(file)]
    new = [
        dict(zip(COLUMNS, (version, date, database, *one._replace(p99_ratio=_rounded(one.p99_ratio)))))
        for one in found
    ]

    def key(row: dict[str, object]) -> tuple[object, ...]:
        return row["version"], row["database"], row["attack"]

    replaced = {key(row) for row in new}
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*(row for row in rows if key(row) not in replaced), *new])


def _rounded(ratio: float | None) -> float | None:
    return None if ratio is None else round(ratio, 2)
