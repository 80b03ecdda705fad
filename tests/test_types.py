"""Runs mypy strictly over the whole product, for the oldest supported Python (pyproject.toml)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
APPS = [folder.name for folder in ROOT.glob("*_app")]
MOST_IGNORED = 20  # in the whole product

PLANTED = """\
import numba


def cross(pair: tuple[str, ...]) -> tuple[str, str]:
    return pair


def points(card):
    return card
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def run_mypy(cache, *files):
    """Returns mypy's error lines for these files, or for all files that it checks if none is named."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context"]
    run = subprocess.run(
        [*command, "--cache-dir", cache, *files], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert not run.stderr, run.stderr
    return [line for line in run.stdout.replace("\\", "/").splitlines() if ": error: " in line]


def test_product_has_no_type_errors(cache):
    errors = run_mypy(cache)
    assert not errors, "\n".join(errors)


def test_wrong_and_missing_types_are_found(cache, tmp_path):
    planted = tmp_path / "planted.py"
    planted.write_text(PLANTED, encoding="utf-8")
    errors = run_mypy(cache, planted)
    assert [line.rsplit("  ", 1)[1] for line in errors] == ["[return-value]", "[no-untyped-def]"]


def test_ignored_type_errors_are_few_and_explained():
    product = [
        *(ROOT / "cardlab").rglob("*.py"),
        *(file for app in APPS for file in (ROOT / app).rglob("*.py")),
        ROOT / "settings.py",
        ROOT / "lab.py",
    ]
    comments = [
        (file.relative_to(ROOT).as_posix(), comment)
        for file in product
        for comment in re.findall("# type: ignore.*", file.read_text("utf-8"))
    ]
    unexplained = [each for each in comments if not re.match(r"# type: ignore\[[\w, -]+\]  # \w", each[1])]
    assert not unexplained
    assert len(comments) <= MOST_IGNORED, comments
