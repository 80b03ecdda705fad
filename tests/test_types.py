"""mypy checks the types of the rules as pyproject.toml says: strictly, for the oldest Python they run on."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

PLANTED = """\
import ortools.sat.python.cp_model


def cross(pair: tuple[str, ...]) -> tuple[str, str]:
    return pair


def points(card):
    return card
"""


def mypy(cache, *files):
    """What mypy says, and whether it found nothing wrong."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", cache, *files]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return run.stdout + run.stderr, run.returncode == 0


def test_the_types_of_the_rules_hold_and_wrong_or_missing_ones_are_found(tmp_path):
    cache, planted = tmp_path / "cache", tmp_path / "planted.py"
    said, well = mypy(cache)
    assert well, said
    planted.write_text(PLANTED, encoding="utf-8")
    said, well = mypy(cache, planted)
    assert not well
    assert [line.rsplit("  ", 1)[1] for line in said.splitlines()] == ["[return-value]", "[no-untyped-def]"]
