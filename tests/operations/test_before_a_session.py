"""What ``lab.py check`` finds, and that it says it in words."""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from cardlab.operations import check as checking
from cardlab.operations.check import (
    LOOK,
    OK,
    WRONG,
    check,
    clock_findings,
    database_findings,
    disk_findings,
    kind_of_mount,
    network_findings,
    password_findings,
    python_findings,
    why,
)
from cardlab.operations.database import open_sqlite


@pytest.fixture(autouse=True)
def laboratory(project, monkeypatch):
    """A project folder of its own, without database server and without password."""
    (project / "CITATION.cff").write_text("date-released: 2026-11-22\n")
    (project / "lab.py").write_text("")
    for name in ("DATABASE_URL", "OTREE_ADMIN_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    return project


def kinds(findings) -> list[str]:
    return [kind for kind, _sentence in findings]


def only(findings) -> str:
    """The one finding, as it is said."""
    [(kind, sentence)] = findings
    return f"{kind} {sentence}"


# ------------------------------------------------------------------ this computer


def test_packages_that_are_not_installed_are_wrong():
    assert only(python_findings()).startswith("Wrong The server's packages are not those of requirements.txt")


@pytest.mark.parametrize(("free", "kind"), [(10e9, OK), (1e9, LOOK), (100e6, WRONG)])
def test_room_on_the_disk(free, kind, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=free))
    monkeypatch.setattr(checking, "file_system", lambda _folder: "ext4")
    assert kinds(disk_findings()) == [kind]


@pytest.mark.parametrize(
    ("kind", "found"),
    [("nfs4", WRONG), ("fuse.sshfs", WRONG), ("cifs", WRONG), ("tmpfs", LOOK), ("overlay", LOOK)],
)
def test_a_disk_on_which_sqlite_is_not_safe(kind, found, monkeypatch):
    monkeypatch.setattr(checking, "file_system", lambda _folder: kind)
    assert found in kinds(disk_findings())
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@h/d")
    assert found not in kinds(disk_findings())


def test_the_nearest_mount_tells_the_kind(tmp_path):
    home = tmp_path.resolve()
    mountinfo = (
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        f"40 22 0:44 / {str(home.parent).replace(' ', chr(92) + '040')} rw - nfs4 server:/home rw\n"
        "41 22 0:45 / /elsewhere rw - tmpfs tmpfs rw\n"
    )
    assert kind_of_mount(mountinfo, home / "card lab") == "nfs4"
    assert kind_of_mount(mountinfo, Path("/usr")) == "ext4"
    assert kind_of_mount("", home) == ""


def test_a_clock_behind_a_file_or_the_release_is_wrong(project):
    assert kinds(clock_findings()) == [OK]
    file = project / "backups" / "db-20990101-120000.sqlite3"
    file.parent.mkdir()
    file.touch()
    os.utime(file, (time.time() + 7200,) * 2)
    assert "db-20990101-120000.sqlite3 was written on" in only(clock_findings())
    file.unlink()
    (project / "CITATION.cff").write_text("date-released: 2099-01-01\n")
    assert "before this Card Lab was made" in only(clock_findings())


# ------------------------------------------------------------------ the database


def test_a_database_is_looked_at_and_left_as_it_is(project):
    assert only(database_findings()).startswith("OK A database can be written here (there is none yet)")
    file = project / "db.sqlite3"
    open_sqlite(file)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE played (a)")
    there = sorted(path.name for path in project.iterdir())
    assert only(database_findings()).startswith(
        "OK db.sqlite3 is whole and can be written; a move is on disk"
    )
    assert sorted(path.name for path in project.iterdir()) == there


def test_a_database_that_is_damaged_or_locked_is_wrong(project):
    file = project / "db.sqlite3"
    open_sqlite(file)
    with contextlib.closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE played (a)")
        other.execute("BEGIN EXCLUSIVE")
        assert "Wrong db.sqlite3 cannot be written (database is locked)" in only(database_findings())
    file.write_bytes(b"nonsense" * 1000)
    assert "Wrong db.sqlite3 is damaged" in only(database_findings())
    file.write_bytes(b"")
    (project / "secrets").mkdir(exist_ok=True)
    (project / "secrets" / "rest_key").touch()
    assert only(database_findings()).startswith("Wrong db.sqlite3 is empty: this is not a Card Lab database")
    assert file.read_bytes() == b""


# ------------------------------------------------------------------ password and network


@pytest.mark.parametrize(
    ("password", "host", "found"),
    [
        ("", "127.0.0.1", [OK]),
        ("choose one", "0.0.0.0", [LOOK]),
        ("short", "0.0.0.0", [LOOK]),
        ("seven boring parrots", "0.0.0.0", [OK]),
    ],
)
def test_the_password(password, host, found, monkeypatch):
    monkeypatch.setenv("OTREE_ADMIN_PASSWORD", password)
    assert kinds(password_findings(host)) == found


@pytest.fixture
def port() -> int:
    """One that is free."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_the_network_address_is_tried(port, monkeypatch):
    monkeypatch.setattr(checking, "network_address", lambda: "127.0.0.1")
    found = list(network_findings("0.0.0.0", port))
    assert kinds(found) == [OK, OK, LOOK]
    assert f"http://127.0.0.1:{port}" in found[1][1]
    assert "firewall" in found[2][1]
    monkeypatch.setattr(checking, "network_address", lambda: None)
    assert "in no network" in list(network_findings("0.0.0.0", port))[1][1]
    monkeypatch.setattr(checking, "network_address", lambda: "127.0.0.1")
    monkeypatch.setattr(checking, "answers", lambda *_where: False)
    assert kinds(network_findings("0.0.0.0", port)) == [OK, WRONG]
    assert kinds(network_findings("127.0.0.1", port)) == [OK, LOOK]


def test_the_port_may_be_that_of_this_folders_own_server(port, monkeypatch):
    monkeypatch.setattr(checking, "network_address", lambda: "127.0.0.1")
    monkeypatch.setattr(checking, "read_server_state", lambda: {"url": f"http://127.0.0.1:{port}"})
    with socket.create_server(("127.0.0.1", port)):
        assert kinds(network_findings("0.0.0.0", port)) == [OK, OK, LOOK]
    assert kinds(network_findings("0.0.0.0", port)) == [OK, OK, LOOK]  # it was killed


# ------------------------------------------------------------------ in all


def test_settings_that_cannot_be_loaded_are_told_with_their_place():
    errors = (
        'Traceback (most recent call last):\n  File "/lab/.venv/lib/otree/main.py", line 8, in <module>\n'
        "  File \"/lab/settings.py\", line 12\n    ROOMS = [\nSyntaxError: '[' was never closed\n"
    )
    assert why(errors) == "settings.py, line 12: SyntaxError: '[' was never closed"
    assert why("") == "no reason was given"


def test_whatever_cannot_be_looked_at_is_said_in_a_sentence(monkeypatch, capsys):
    def cannot(*_where):
        raise PermissionError(13, "Permission denied", "somewhere")

    for name in ("disk_usage", "_unused"):
        monkeypatch.setattr(f"shutil.{name}", cannot, raising=False)
    monkeypatch.setattr(checking, "newest_file", cannot)
    assert check("0.0.0.0", 8000, []) == 1
    said = capsys.readouterr().out
    assert said.count("Wrong: This could not be looked at") == 2
    assert "Wrong: With --host 0.0.0.0 everyone" in said
    assert "4 wrong" in said
