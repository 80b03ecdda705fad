"""Tests the attack benchmark's findings: which attacks count as repelled, and the file of all versions."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks" / "attack"))

from findings import BAR, COLUMNS, Findings, add_findings


@pytest.mark.parametrize(
    ("found", "is_repelled"),
    [
        (Findings("kills", 12), True),
        (Findings("flood: tabs", 900, p99_ratio=BAR), True),
        (Findings("flood: tabs", 900, p99_ratio=BAR + 0.01), False),
        (Findings("fuzz", 12, tracebacks=1), False),
        (Findings("twins", 12, leaks=1), False),
        (Findings("races", 12, losses=1), False),
    ],
)
def test_any_damage_means_not_repelled(found, is_repelled):
    assert found.is_repelled == is_repelled


def test_file_keeps_findings_of_other_versions(tmp_path):
    file = tmp_path / "attacks.csv"
    add_findings(file, "1.0", "2026-01-01", "sqlite", [Findings("kills", 5), Findings("races", 6)])
    add_findings(file, "1.1", "2026-02-01", "sqlite", [Findings("kills", 7, losses=1)])
    add_findings(file, "1.1", "2026-02-02", "sqlite", [Findings("kills", 8, p99_ratio=1.2345)])
    with open(file, newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        rows = [*reader]
    assert reader.fieldnames == [*COLUMNS]
    assert [(row["version"], row["attack"], row["attempts"]) for row in rows] == [
        ("1.0", "kills", "5"),
        ("1.0", "races", "6"),
        ("1.1", "kills", "8"),
    ]
    assert (rows[2]["date"], rows[2]["losses"], rows[2]["p99_ratio"]) == ("2026-02-02", "0", "1.23")
