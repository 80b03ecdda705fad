"""The tables of the durability report."""

from __future__ import annotations

import csv
from pathlib import Path

from history import Summary

COLUMNS = (
    *("Fault", "System", "Faults", "Acknowledged", "Lost", "Clients with a loss", "Other errors"),
    *("Unknown, kept", "Restarts needed"),
)
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}  # of databases
BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def table(summaries: list[Summary]) -> str:
    """Returns the results as a Markdown table.

    Other errors are values that are duplicated, were never sent, are out of order, or are missing in a later
    read. Unknown values had no answer.
    """
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---|---|" + "---:|" * (len(COLUMNS) - 2)]
    for one in summaries:
        counts = (one.faults, one.acknowledged, one.lost, one.clients_with_loss, one.broken - one.lost)
        cells = [f"{one.fault}, {NAMES[one.database]}", one.system, *(f"{count:,}" for count in counts)]
        cells += [f"{one.unknown:,}, {one.kept:,}", str(one.restarts)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_summaries(path: Path, summaries: list[Summary]) -> None:
    """Writes the counts as CSV."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Summary._fields)
        writer.writerows(summaries)


def write_report(path: Path, summaries: list[Summary], ran_with: str) -> None:
    """Replaces the results in the report, with the line of versions that they were measured with."""
    before, _, rest = path.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n\n{ran_with}\n\n{table(summaries)}\n\n{END}{after}", encoding="utf-8")
