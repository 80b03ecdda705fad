"""The tables of the durability report."""

from __future__ import annotations

import csv
from pathlib import Path

from history import Summary

TABLE = {
    "System": "system",
    "Database": "database",
    "Fault": "fault",
    "Faults": "faults",
    "Acknowledged": "acknowledged",
    "Unknown": "unknown",
    "Lost": "lost",
    "Clients with a loss": "clients_with_loss",
    "Repeated": "repeated",
    "Invented": "invented",
    "Out of order": "out_of_order",
    "Went back": "went_back",
    "Kept, never acknowledged": "kept",
}
BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def table(summaries: list[Summary]) -> str:
    """Returns the results as a Markdown table."""
    lines = ["| " + " | ".join(TABLE) + " |", "|---|---|---|" + "---:|" * (len(TABLE) - 3)]
    for one in summaries:
        cells = [getattr(one, name) for name in TABLE.values()]
        lines.append(
            "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |"
        )
    return "\n".join(lines)


def write_summaries(path: Path, summaries: list[Summary]) -> None:
    """Writes the counts as CSV."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Summary._fields)
        writer.writerows(summaries)


def write_report(path: Path, summaries: list[Summary], ran_with: str) -> None:
    """Puts the results, and with what they were measured, into the report in place of the earlier ones."""
    before, _, rest = path.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n\n{ran_with}\n\n{table(summaries)}\n\n{END}{after}", encoding="utf-8")
