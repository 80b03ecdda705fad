"""Tests the findings of ``lab.py check``."""

from __future__ import annotations

import contextlib
import os
import socket
import sqlite3
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from server_fixture import free_port

from cardlab.operations.check import check
from cardlab.operations.database import open_sqlite
from cardlab.operations.preflight import ERROR, OK, WARNING, computer, network
from cardlab.operations.preflight import engine as preflight_engine
from cardlab.operations.preflight.computer import check_clock, check_disk, check_python, file_system_in
from cardlab.operations.preflight.database import check_settings, check_sqlite
from cardlab.operations.preflight.engine import check_engines, describe_capacity
from cardlab.operations.preflight.network import check_network, check_password
from cardlab.operations.preflight.project_files import check_rooms, last_error

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def laboratory(project, monkeypatch):
    """Provides a new project folder, without a database server or a password."""
    (project / "CITATION.cff").write_text("date-released: 2026-11-22\n")
    (project / "lab.py").write_text("")
    for name in ("DATABASE_URL", "OTREE_ADMIN_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    return project


def kinds(findings) -> list[str]:
    return [kind for kind, _sentence in findings]


def only(findings) -> str:
    """Returns the text of the only finding."""
    [(kind, sentence)] = findings
    return f"{kind} {sentence}"


# ------------------------------------------------------------------ this computer


def test_missing_packages_are_an_error():
    assert only(check_python()).startswith("Error The installed packages do not match requirements.txt")


@pytest.mark.parametrize(("free", "kind"), [(10e9, OK), (1e9, WARNING), (100e6, ERROR)])
def test_free_disk_space_decides_the_finding(free, kind, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=free))
    monkeypatch.setattr(computer, "file_system", lambda _folder: "ext4")
    assert kinds(check_disk()) == [kind]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("nfs4", ERROR), ("fuse.sshfs", ERROR), ("cifs", ERROR), ("tmpfs", WARNING), ("overlay", WARNING)],
)
def test_disk_unsafe_for_sqlite_is_reported(kind, expected, monkeypatch):
    monkeypatch.setattr(computer, "file_system", lambda _folder: kind)
    assert expected in kinds(check_disk())
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@h/d")
    assert expected not in kinds(check_disk())


def test_nearest_mount_decides_the_file_system(tmp_path):
    home = tmp_path.resolve()
    mountinfo = (
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        f"40 22 0:44 / {str(home.parent).replace(' ', chr(92) + '040')} rw - nfs4 server:/home rw\n"
        "41 22 0:45 / /elsewhere rw - tmpfs tmpfs rw\n"
    )
    assert file_system_in(mountinfo, home / "card lab") == "nfs4"
    assert file_system_in(mountinfo, Path("/usr")) == "ext4"
    assert file_system_in("", home) == ""


def test_clock_behind_files_is_an_error(project):
    assert kinds(check_clock()) == [OK]
    file = project / "backups" / "db-20990101-120000.sqlite3"
    file.parent.mkdir()
    file.touch()
    os.utime(file, (time.time() + 7200,) * 2)
    assert "db-20990101-120000.sqlite3 was written on" in only(check_clock())
    file.unlink()
    (project / "CITATION.cff").write_text("date-released: 2099-01-01\n")
    assert "before the release of this Card Lab" in only(check_clock())


# ------------------------------------------------------------------ the database


def test_checking_leaves_the_database_unchanged(project):
    assert only(check_sqlite()).startswith("OK There is no database yet; one can be written here")
    file = project / "db.sqlite3"
    open_sqlite(file)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE played (a)")
    there = sorted(path.name for path in project.iterdir())
    assert only(check_sqlite()).startswith("OK db.sqlite3 is intact and writable; saving a move takes")
    assert sorted(path.name for path in project.iterdir()) == there


def test_damaged_or_locked_database_is_an_error(project):
    file = project / "db.sqlite3"
    open_sqlite(file)
    with contextlib.closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE played (a)")
        other.execute("BEGIN EXCLUSIVE")
        assert "Error db.sqlite3 cannot be written (database is locked)" in only(check_sqlite())
    file.write_bytes(b"nonsense" * 1000)
    assert "Error db.sqlite3 is damaged" in only(check_sqlite())
    file.write_bytes(b"")
    (project / "secrets").mkdir(exist_ok=True)
    (project / "secrets" / "rest_key").touch()
    assert only(check_sqlite()).startswith("Error db.sqlite3 is empty. It is not a Card Lab database")
    assert file.read_bytes() == b""


# ------------------------------------------------------------------ password and network


@pytest.mark.parametrize(
    ("password", "host", "found"),
    [
        ("", "127.0.0.1", [OK]),
        ("choose one", "0.0.0.0", [WARNING]),
        ("short", "0.0.0.0", [WARNING]),
        ("seven boring parrots", "0.0.0.0", [OK]),
    ],
)
def test_weak_password_gives_a_warning(password, host, found, monkeypatch):
    monkeypatch.setenv("OTREE_ADMIN_PASSWORD", password)
    assert kinds(check_password(host)) == found


@pytest.fixture
def port() -> int:
    """Provides a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_network_address_is_tested(port, monkeypatch):
    monkeypatch.setattr(network, "network_address", lambda: "127.0.0.1")
    findings = list(check_network("0.0.0.0", port))
    assert kinds(findings) == [OK, OK, WARNING]
    assert f"http://127.0.0.1:{port}" in findings[1][1]
    assert "firewall" in findings[2][1]
    monkeypatch.setattr(network, "network_address", lambda: None)
    assert "not connected to a network" in list(check_network("0.0.0.0", port))[1][1]
    monkeypatch.setattr(network, "network_address", lambda: "127.0.0.1")
    monkeypatch.setattr(network, "accepts_connections", lambda *_where: False)
    assert kinds(check_network("0.0.0.0", port)) == [OK, ERROR]
    assert kinds(check_network("127.0.0.1", port)) == [OK, WARNING]


def test_port_may_belong_to_the_own_server(port, monkeypatch):
    monkeypatch.setattr(network, "network_address", lambda: "127.0.0.1")
    monkeypatch.setattr(network, "read_server_state", lambda: {"url": f"http://127.0.0.1:{port}"})
    with socket.create_server(("127.0.0.1", port)):
        assert kinds(check_network("0.0.0.0", port)) == [OK, OK, WARNING]
    assert kinds(check_network("0.0.0.0", port)) == [OK, OK, WARNING]  # the server was killed


# ------------------------------------------------------------------ labels and settings


def test_label_files_of_rooms_are_judged():
    files = [
        {"file": "one.txt", "labels": ["PC01"], "faults": []},
        {"file": "two.txt", "labels": ["pc1", "PC1"], "faults": []},
        {"file": "bad.txt", "labels": ["PC01"], "faults": ["bad.txt, line 3: first", "bad.txt: second"]},
    ]
    assert list(check_rooms(files)) == [
        (OK, "one.txt has 1 label, without duplicates."),
        (
            WARNING,
            "two.txt has pc1 and PC1, which differ only in capital letters. Participants may confuse them "
            "when typing.",
        ),
        (OK, "two.txt has 2 labels, without duplicates."),
        (ERROR, "bad.txt, line 3: first"),
        (ERROR, "bad.txt: second"),
    ]


def test_unsafe_postgresql_settings_are_errors():
    durable = dict.fromkeys(("fsync", "full_page_writes", "synchronous_commit"), "on")
    durable["default_transaction_read_only"] = "off"
    assert list(check_settings(durable)) == []
    [(kind, sentence)] = check_settings({**durable, "synchronous_commit": "off"})
    assert kind == ERROR
    assert sentence.startswith("PostgreSQL has synchronous_commit = off, so moves already shown")
    assert len(list(check_settings(dict.fromkeys(durable, "?")))) == 4


# ------------------------------------------------------------------ whole check


def test_load_error_names_file_and_line():
    errors = (
        'Traceback (most recent call last):\n  File "/lab/.venv/lib/otree/main.py", line 8, in <module>\n'
        "  File \"/lab/settings.py\", line 12\n    ROOMS = [\nSyntaxError: '[' was never closed\n"
    )
    assert last_error(errors) == "settings.py, line 12: SyntaxError: '[' was never closed"
    assert last_error("") == "no reason given"


def test_failing_check_is_reported_as_error(monkeypatch, capsys):
    def cannot(*_where):
        raise PermissionError(13, "Permission denied", "somewhere")

    for name in ("disk_usage", "_unused"):
        monkeypatch.setattr(f"shutil.{name}", cannot, raising=False)
    monkeypatch.setattr(computer, "newest_file", cannot)
    assert check("0.0.0.0", free_port(), []) == 1
    output = capsys.readouterr().out
    assert output.count("Error    This check failed") == 2
    assert "Error    With --host 0.0.0.0 anyone" in output
    assert "4 errors, " in output


# ------------------------------------------------------------------ the computer's moves


@pytest.mark.parametrize(
    ("seconds", "workers", "kind", "words"),
    [
        (0.05, 1, OK, "40 participants against the computer at depth 8: yes; about 42 with"),
        (0.1, 1, WARNING, "40 participants against the computer at depth 8: no; about 21 with"),
        (0.1, 3, OK, "40 participants against the computer at depth 8: yes; about 63 with"),
    ],
)
def test_capacity_says_how_many_can_play(seconds, workers, kind, words):
    measured = {"title": "Challenge", "strength": "depth 8", "compiled": False}
    found, sentence = describe_capacity({**measured, "workers": workers, "seconds": seconds})
    assert found == kind
    assert words in sentence
    assert "install engine" in sentence
    assert (
        "numba is installed."
        in describe_capacity({**measured, "compiled": True, "workers": 1, "seconds": 1})[1]
    )


def test_engines_are_measured_in_a_second(monkeypatch):
    monkeypatch.setattr(preflight_engine, "is_installed", lambda: True)
    monkeypatch.setattr(preflight_engine.project, "FOLDER", ROOT)
    assert "Challenge: 40 participants against the computer at depth 8: " in only(check_engines())
