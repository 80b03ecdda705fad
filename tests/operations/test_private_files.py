"""Tests that only the user who runs Card Lab can read participants' data."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from cardlab.operations import private_files
from cardlab.operations.command_line import main
from cardlab.operations.private_files import keep_private, readable_for_others
from cardlab.operations.project import WINDOWS

pytestmark = pytest.mark.skipif(WINDOWS, reason="Windows has no such modes")

DATA = (
    *("db.sqlite3", "db.sqlite3-wal", "db.sqlite3-shm", "db-20261122-140000.sqlite3"),
    *("backups/db-20261122-140000.sqlite3", "logs/pilot/ck.txt", "exports/x8f2k1qz/payments.csv"),
    *("exports/x8f2k1qz-20261122.zip", "rehearsals/ttt_demo/exports/page_times.csv", "secrets/server.json"),
)


@pytest.fixture(autouse=True)
def umask(monkeypatch):
    """Sets the usual umask and restores it afterwards."""
    before = os.umask(0o022)
    monkeypatch.setattr(private_files, "_users_umask", None)
    yield
    os.umask(before)


def mode(path) -> int:
    """Returns the permission bits of a file or folder."""
    return stat.S_IMODE(path.stat().st_mode)


def test_existing_data_is_closed_to_others(project):
    for name in (*DATA, "settings.py", "deals/own.txt", "servers/a/settings.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("")
    keep_private()
    for name in DATA:
        assert mode(project / name) == 0o600, name
        folders = [folder for folder in (project / name).parents if project in folder.parents]
        assert all(mode(folder) == 0o700 for folder in folders), name
    assert mode(project / "servers") == 0o700
    assert mode(project / "settings.py") == mode(project / "deals/own.txt") == 0o644
    assert mode(project / "deals") == mode(project) | 0o055 == 0o755


def test_targets_of_symbolic_links_are_unchanged(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "shared.txt").write_text("")
    (project / "exports").mkdir()
    (project / "exports" / "shared").symlink_to(elsewhere)
    (project / "logs").symlink_to(project / "nowhere")
    keep_private()
    assert mode(elsewhere / "shared.txt") == 0o644


def test_files_of_another_user_are_named(project, monkeypatch, capsys):
    (project / "exports").mkdir()

    def refuse(*_arguments, **_named):
        raise PermissionError("not the owner")

    monkeypatch.setattr("pathlib.Path.chmod", refuse)
    keep_private()
    assert "exports belongs to another user" in capsys.readouterr().out


def test_new_files_are_private_also_those_of_children(project):
    keep_private()
    (project / "exports").mkdir()
    (project / "exports" / "payments.csv").write_text("")
    subprocess.run([sys.executable, "-c", "open('child.txt', 'w')"], cwd=project, check=True)
    assert mode(project / "exports") == 0o700
    assert mode(project / "exports" / "payments.csv") == mode(project / "child.txt") == 0o600


def test_packages_stay_readable_for_others(project):
    keep_private()
    with readable_for_others():
        (project / "package.py").write_text("")
    (project / "data.csv").write_text("")
    assert mode(project / "package.py") == 0o644
    assert mode(project / "data.csv") == 0o600


def test_every_command_of_lab_is_private(project, monkeypatch):
    (project / "db.sqlite3").write_text("")
    monkeypatch.setattr("sys.argv", ["lab.py", "restore"])
    assert main() == 0
    assert mode(project / "db.sqlite3") == 0o600
    assert os.umask(0o022) == 0o077
