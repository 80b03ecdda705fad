"""Tests that `lab.py zip` and `otree zip` pack no private files of the installation."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from cardlab.operations.environment import venv_program
from cardlab.operations.project import copy_project

PRIVATE = (
    *(
        "secrets/rest_key",
        "secrets/server.json",
        "exports/x8f2k1qz/ttt_solo_app_hands.csv",
        "logs/ck211126_a.txt",
    ),
    *("db.sqlite3", "db.sqlite3-wal", "db.sqlite3-shm", "db-20261121-101500.sqlite3", "copy.sqlite3"),
    *("backups/db-20261122-101500.sqlite3", "backups/db-20261122-102000.sqlite3.part"),
    *(".env", "test-results/a.xml", "an-earlier-one.otreezip"),
)


@pytest.fixture
def project(tmp_path) -> Path:
    """Provides a working copy that contains all private files of an installation."""
    folder = copy_project(tmp_path / "card_lab")
    for name in PRIVATE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("for nobody else")
    return folder


def test_lab_zip_leaves_out_private_files(project, tmp_path):
    before = {path.relative_to(project).as_posix() for path in project.rglob("*")}
    done = subprocess.run([sys.executable, "lab.py", "zip"], cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cardlab" in done.stdout
    with tarfile.open(project / "card_lab.otreezip") as archive:
        names = set(archive.getnames()) - {""}
    private = {*PRIVATE, "secrets", "exports", "exports/x8f2k1qz", "logs", "backups", "test-results"}
    assert names == before - private

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    otree = [venv_program("otree"), "unzip", project / "card_lab.otreezip"]
    subprocess.run(otree, cwd=elsewhere, check=True, capture_output=True)
    assert (elsewhere / "card_lab" / "settings.py").read_bytes() == (project / "settings.py").read_bytes()


@pytest.mark.parametrize("answer", ["y\n", "n\n", ""])
def test_otree_zip_packs_nothing_and_changes_nothing(project, answer):
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    done = subprocess.run(
        [venv_program("otree"), "zip"], cwd=project, input=answer, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "is listed more than once in your" in done.stderr  # requirements_base.txt explains it
    assert "Traceback" not in done.stderr
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
