"""lab.py's decisions: what to install, where to listen, what an export is called."""

from __future__ import annotations

import argparse
import contextlib
import http.server
import json
import os
import random
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import lab


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project folder that lab.py works on."""
    (tmp_path / "requirements.txt").write_text("otree==6.0.15\n")
    (tmp_path / "constraints.txt").write_text("click==7.1.2\n")
    (tmp_path / "requirements-dev.txt").write_text("pytest==9.2.0\n")
    monkeypatch.setattr(lab, "PROJECT", tmp_path)
    return tmp_path


# ------------------------------------------------------------------ the packages


@pytest.fixture
def installer(project, monkeypatch):
    """Count what ``install`` does instead of doing it: a list of "venv" and "pip", pip's exit code."""

    class Installer:
        done: list[str] = []
        pip_exit_code = 0
        python: str | None = None

        def make_venv(self, folder):
            self.done.append("venv")
            (lab.PROJECT / folder).mkdir(exist_ok=True)
            self.python = "3.11"

        def pip(self, command, **_options):
            assert command[1:4] == ["-m", "pip", "install"]
            self.done.append("pip")
            return subprocess.CompletedProcess(command, self.pip_exit_code)

        def calls(self, *requirements, **folder):
            self.done = []
            lab.install(*requirements, **folder)
            return self.done

    installer = Installer()
    monkeypatch.setattr(lab, "make_venv", installer.make_venv)
    monkeypatch.setattr(lab, "venv_python_version", lambda _folder: installer.python)
    monkeypatch.setattr(lab.subprocess, "run", installer.pip)
    return installer


def test_the_first_start_makes_the_environment_and_the_second_does_nothing(installer):
    assert installer.calls("requirements.txt") == ["venv", "pip"]
    assert installer.calls("requirements.txt") == []


def test_changed_requirements_are_installed_into_the_same_environment(installer, project):
    installer.calls("requirements.txt")
    (project / "requirements.txt").write_text("otree==6.0.16\n")
    assert installer.calls("requirements.txt") == ["pip"]
    assert installer.calls("requirements.txt") == []


def test_the_tests_packages_are_installed_once_and_run_does_not_forget_them(installer):
    installer.calls("requirements.txt")
    assert installer.calls("requirements.txt", "requirements-dev.txt") == ["pip"]
    assert installer.calls("requirements.txt") == []
    assert installer.calls("requirements.txt", "requirements-dev.txt") == []


def test_an_environment_of_its_own_is_made_beside_the_first(installer, project):
    installer.calls("requirements.txt")
    (project / "requirements-dask.txt").write_text("dask==2026.8.0\n")
    (project / "constraints-dask.txt").write_text("click==8.5.1\n")
    installer.python = None
    assert installer.calls("requirements-dask.txt", folder=".venv-dask") == ["venv", "pip"]
    assert installer.calls("requirements-dask.txt", folder=".venv-dask") == []
    (project / "constraints-dask.txt").write_text("click==8.5.2\n")
    assert installer.calls("requirements-dask.txt", folder=".venv-dask") == ["pip"]


def test_an_interrupted_installation_is_done_again(installer):
    installer.calls("requirements.txt")
    (lab.PROJECT / "requirements.txt").write_text("otree==6.0.16\n")
    installer.pip_exit_code = 1
    with pytest.raises(lab.Refusal, match="could not be installed"):
        installer.calls("requirements.txt")
    (lab.PROJECT / "requirements.txt").write_text("otree==6.0.15\n")  # as the stamp had it before
    installer.pip_exit_code = 0
    assert installer.calls("requirements.txt") == ["pip"]


@pytest.mark.parametrize("python", [None, "3.12"])
def test_an_environment_whose_python_is_gone_or_another_is_made_anew(installer, python):
    installer.calls("requirements.txt")
    installer.python = python
    assert installer.calls("requirements.txt") == ["venv", "pip"]


def test_an_environment_that_was_moved_is_made_anew(installer, project, monkeypatch):
    installer.calls("requirements.txt")
    moved = project.with_name("moved")
    project.rename(moved)
    monkeypatch.setattr(lab, "PROJECT", moved)
    assert installer.calls("requirements.txt") == ["venv", "pip"]


def test_a_broken_environment_has_no_version(project):
    python = lab.venv_program("python")
    assert lab.venv_python_version(".venv") is None
    python.parent.mkdir(parents=True)
    python.write_text("not a program")
    assert lab.venv_python_version(".venv") is None


def test_the_programs_stand_where_the_system_has_them(project, monkeypatch):
    monkeypatch.setattr(lab, "WINDOWS", False)
    assert lab.venv_program("otree") == project / ".venv" / "bin" / "otree"
    monkeypatch.setattr(lab, "WINDOWS", True)
    assert lab.venv_program("otree") == project / ".venv" / "Scripts" / "otree.exe"


def test_lab_needs_nothing_but_the_standard_library():
    source = Path(lab.__file__).read_text("utf-8")
    modules = {node.split()[1].split(".")[0] for node in source.splitlines() if node.startswith("import ")}
    modules |= {node.split()[1].split(".")[0] for node in source.splitlines() if node.startswith("from ")}
    assert {"argparse", "pathlib", "venv"} <= modules
    assert modules <= sys.stdlib_module_names


def test_an_older_python_is_told_so(monkeypatch, capsys):
    monkeypatch.setattr(lab.sys, "version_info", (3, 9, 18))
    assert lab.main() == 2
    assert "Python 3.10 or newer" in capsys.readouterr().out


# ------------------------------------------------------------------ the address


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_needs_no_password(host):
    assert lab.listening_address(host, None) == "127.0.0.1"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7"])
@pytest.mark.parametrize("password", [None, "", "  ", "\t"])
def test_an_open_address_without_password_is_refused_with_the_remedy(host, password):
    with pytest.raises(lab.Refusal, match="OTREE_ADMIN_PASSWORD") as refusal:
        lab.listening_address(host, password)
    assert "everyone on the network" in str(refusal.value)


@pytest.mark.parametrize(("password", "passed_on"), [("", None), (" \t", None), ("secret ", "secret ")])
def test_a_blank_password_is_none(project, monkeypatch, password, passed_on):
    monkeypatch.setenv("OTREE_ADMIN_PASSWORD", password)
    assert lab.server_environment("127.0.0.1").get("OTREE_ADMIN_PASSWORD") == passed_on


def test_an_open_address_with_a_password_is_taken():
    assert lab.listening_address("0.0.0.0", "secret") == "0.0.0.0"


@pytest.mark.parametrize("host", ["192.0.2.7", "127.0.0.2"])
def test_an_address_that_excludes_the_timeout_worker_is_refused(host):
    with pytest.raises(lab.Refusal, match=r"--host 0\.0\.0\.0"):
        lab.listening_address(host, "secret")


@pytest.mark.parametrize("host", ["::1", "no.such.host.invalid"])
def test_what_is_no_ipv4_address_is_refused(host):
    with pytest.raises(lab.Refusal, match="--host"):
        lab.listening_address(host, "secret")


def test_a_port_in_use_is_refused_and_a_free_one_is_not():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(lab.Refusal, match=f"Port {port} is in use.*--port {port + 1}"):
            lab.check_port("127.0.0.1", port)
    lab.check_port("127.0.0.1", port)


@pytest.mark.parametrize("text", ["0", "65536", "-1", "eight", "80.5", ""])
def test_what_is_no_port_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="1 to 65535"):
        lab.port_number(text)


@pytest.mark.parametrize(
    ("address", "own_level", "level"),
    [
        ("127.0.0.1", None, None),
        ("127.0.0.1", "DEMO", "DEMO"),
        ("0.0.0.0", None, "STUDY"),
        ("0.0.0.0", "DEMO", "STUDY"),
    ],
)
def test_an_open_address_switches_to_study_mode(project, monkeypatch, address, own_level, level):
    monkeypatch.delenv("OTREE_AUTH_LEVEL", raising=False)
    if own_level:
        monkeypatch.setenv("OTREE_AUTH_LEVEL", own_level)
    assert lab.server_environment(address).get("OTREE_AUTH_LEVEL") == level


# ------------------------------------------------------------------ secrets


def test_secrets_are_made_once_and_are_the_users_own_if_set(project, monkeypatch):
    monkeypatch.delenv("OTREE_SECRET_KEY", raising=False)
    monkeypatch.delenv("OTREE_REST_KEY", raising=False)
    first = lab.server_environment("127.0.0.1")
    assert len(first["OTREE_SECRET_KEY"]) >= 40
    assert first["OTREE_SECRET_KEY"] != first["OTREE_REST_KEY"]
    assert lab.server_environment("127.0.0.1") == first
    monkeypatch.setenv("OTREE_REST_KEY", "mine")
    assert lab.server_environment("127.0.0.1")["OTREE_REST_KEY"] == "mine"


@pytest.mark.skipif(lab.WINDOWS, reason="Windows has no such permission bits")
def test_secrets_are_for_the_owner_only_even_if_the_folder_was_open(project):
    (project / "secrets").mkdir(mode=0o755)
    lab.secret("rest_key")
    os.chmod(project / "secrets" / "rest_key", 0o644)
    lab.secret("rest_key")
    modes = [
        stat.S_IMODE(path.stat().st_mode) for path in (project / "secrets", project / "secrets/rest_key")
    ]
    assert modes == [0o700, 0o600]


def test_an_empty_secret_is_made_anew(project):
    (project / "secrets").mkdir()
    (project / "secrets" / "secret_key").write_text("")
    assert len(lab.secret("secret_key")) >= 40


def test_git_leaves_out_what_belongs_to_one_installation():
    ignored = (lab.PROJECT / ".gitignore").read_text("utf-8").split()
    assert {".venv/", ".venv-dask/", "/secrets/", "/logs/", "/exports/", "*.sqlite3*"} <= set(ignored)
    assert "*.otreezip" in ignored


# ------------------------------------------------------------------ DATABASE_URL


@pytest.mark.parametrize("url", ["", "sqlite:///db.sqlite3"])
def test_without_postgresql_the_database_is_the_file(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    assert lab.database_url() is None


@pytest.mark.parametrize(
    "url", ["postgres://u@h/d", "postgresql://u:p@h:5432/d", "postgresql+psycopg2://h/d"]
)
def test_a_postgresql_address_is_taken(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    assert lab.database_url() == url


@pytest.mark.parametrize("url", ["mysql://u:hush@h/d", "sqlite:///other.db", "hush"])
def test_another_address_is_refused_without_repeating_it(monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(lab.Refusal, match="postgresql://user:password@host") as refusal:
        lab.database_url()
    assert "hush" not in str(refusal.value)


# ------------------------------------------------------------------ damage


@pytest.fixture
def database(tmp_path) -> Path:
    """A SQLite database of a hundred pages."""
    file = tmp_path / "db.sqlite3"
    lab.open_sqlite(file)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE played (id INTEGER PRIMARY KEY, record TEXT)")
        database.executemany("INSERT INTO played (record) VALUES (?)", [("UTCN" * 100,) for _ in range(1000)])
    return file


def overwrite(file: Path, begin: int, length: int) -> None:
    """Put nonsense in the place of bytes of a file."""
    with open(file, "r+b") as content:
        content.seek(begin)
        content.write(random.Random(1).randbytes(length))


def test_a_whole_database_has_no_damage(database):
    assert lab.damage(database) is None


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_database_that_was_written_over_is_damaged(database, part):
    overwrite(database, int(database.stat().st_size * part), 10_000)
    found = lab.damage(database)
    assert found
    assert "\n" not in found


def test_a_database_that_was_cut_off_is_damaged(database):
    os.truncate(database, database.stat().st_size // 2)
    assert "malformed" in lab.damage(database)


def test_a_damaged_database_is_kept_to_the_last_byte(database, capsys):
    overwrite(database, 100_000, 50_000)
    damaged = database.read_bytes()
    lab.start_afresh(database, damaged=True)
    [kept] = database.parent.glob("db-*.sqlite3")
    assert kept.read_bytes() == damaged
    assert lab.damage(database) is None
    assert kept.name in capsys.readouterr().out


# ------------------------------------------------------------------ open files


# ------------------------------------------------------------------ exports


def test_export_functions_are_found_however_they_come_into_the_app():
    source = """
from experiment.exports import custom_export, participants as custom_export_participants, other
import custom_export_module as something
custom_export_hands = make(custom_table)
custom_export_a, custom_export_b = pair()
def custom_export_ck_log(players): yield []
class Player:
    def custom_export_not_this(self): pass
def helper():
    custom_export_nor_this = 1
"""
    assert lab.export_functions(source) == [
        "custom_export",
        "custom_export_a",
        "custom_export_b",
        "custom_export_ck_log",
        "custom_export_hands",
        "custom_export_participants",
    ]


@pytest.mark.parametrize(
    ("function", "file"),
    [
        ("custom_export", "ttt_solo_app_actions.csv"),
        ("custom_export_hands", "ttt_solo_app_hands.csv"),
        ("custom_export_participants", "ttt_solo_app_participants.csv"),
        ("custom_export_ck_log", "ttt_solo_app_ck_log.txt"),
        ("custom_export_nk_log", "ttt_solo_app_nk_log.txt"),
        ("custom_export_transform", "ttt_solo_app_transform.txt"),
    ],
)
def test_an_export_has_the_name_of_what_is_in_it(function, file):
    assert lab.export_file("ttt_solo_app", function) == file


@pytest.mark.parametrize("session", ["../secrets", "a/b", "", "a b", "é"])
def test_what_is_no_session_code_is_refused(project, session):
    with pytest.raises(lab.Refusal, match="not a session code"):
        lab.export(argparse.Namespace(session=session, out=None, url=None))


def test_a_broken_off_answer_leaves_the_earlier_file(project):
    """The server says it sends 1000 bytes, and ends after a few."""

    class BreaksOff(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"a,b\r\n1,2\r\n")

        def log_message(self, *_arguments):
            pass

    file = project / "ttt_solo_app_actions.csv"
    file.write_text("complete")
    with http.server.HTTPServer(("127.0.0.1", 0), BreaksOff) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        with pytest.raises(lab.Refusal, match="could not be fetched"):
            lab.fetch_file(f"http://127.0.0.1:{server.server_port}", "/", file, "code")
    assert file.read_text() == "complete"
    assert not list(project.glob("*.part"))


# ------------------------------------------------------------------ test


def a_browser(folder: Path, name: str, page: str) -> str:
    """A program that answers as a browser would when asked for an empty page."""
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{page}'\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.skipif(lab.WINDOWS, reason="the stand-ins are shell scripts")
def test_a_browser_that_only_says_how_to_get_it_is_passed_over(tmp_path, monkeypatch):
    a_browser(tmp_path, "chromium", "requires the snap to be installed")
    chrome = a_browser(tmp_path, "google-chrome", "<html><head></head><body></body></html>")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    monkeypatch.delenv("CARD_LAB_CHROMIUM", raising=False)
    assert lab.find_browser() == chrome


@pytest.mark.skipif(lab.WINDOWS, reason="the stand-ins are shell scripts")
def test_a_machine_without_a_browser_fails_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.delenv("CARD_LAB_CHROMIUM", raising=False)
    monkeypatch.setattr(lab, "browser_candidates", lambda: [a_browser(tmp_path, "chromium", "no")])
    monkeypatch.setattr(lab, "playwright_browser", list)
    monkeypatch.setattr(lab, "apt_usable", lambda: True)
    installed = []
    monkeypatch.setattr(lab, "apt_install", lambda *packages: installed.extend(packages))
    with pytest.raises(lab.Refusal, match="install one, or set CARD_LAB_CHROMIUM"):
        lab.find_browser()
    assert "chromium" in installed


def test_a_wrong_browser_in_the_environment_is_not_replaced_silently(tmp_path, monkeypatch):
    monkeypatch.setenv("CARD_LAB_CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(lab.Refusal, match="CARD_LAB_CHROMIUM names"):
        lab.find_browser()


def test_the_tests_see_nothing_of_the_users_own_server(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@h/real_data")
    monkeypatch.setenv("OTREE_ADMIN_PASSWORD", "mine")
    environment = lab.test_environment()
    assert "DATABASE_URL" not in environment
    assert "OTREE_ADMIN_PASSWORD" not in environment
    assert environment["PATH"].startswith(str(lab.venv_program("otree").parent))


def test_options_go_to_every_stage_of_pytest_and_files_are_run_alone():
    (_, quick), (_, slow) = lab.pytest_stages(["-k", "name"])
    assert "tests" in quick
    assert quick[-2:] == slow[-2:] == ["-k", "name"]
    assert "--ignore=tests/lab" in quick
    assert "tests/lab" in slow
    assert lab.pytest_stages(["tests/lab/test_lab.py::test_x"]) == [
        ("named tests", ["tests/lab/test_lab.py::test_x"])
    ]


def test_the_counts_are_of_all_runs(project):
    (project / "test-results").mkdir()
    for name, suite in {
        "a": '<testsuite tests="5" failures="1" errors="1" skipped="1"/>',
        "b": '<testsuite tests="2" failures="0" errors="0" skipped="0"/>',
    }.items():
        (project / "test-results" / f"{name}.xml").write_text(f"<testsuites>{suite}</testsuites>")
    assert lab.counts() == "4 passed, 2 failed, 1 skipped"


def test_a_working_copy_leaves_the_installation_behind(project, tmp_path_factory):
    for name in (".venv", ".venv-dask", "secrets", "logs", "exports", "games/__pycache__"):
        (project / name).mkdir(parents=True)
    for name in ("db.sqlite3", "db.sqlite3-wal", "games/rules.py"):
        (project / name).write_text("x")
    copy = lab.copy_project(tmp_path_factory.mktemp("copy") / "card_lab")
    kept = sorted(path.relative_to(copy).as_posix() for path in copy.rglob("*"))
    assert kept == ["constraints.txt", "games", "games/rules.py", "requirements-dev.txt", "requirements.txt"]


def test_unknown_options_are_refused_except_for_test(monkeypatch, capsys):
    monkeypatch.setattr(lab.sys, "argv", ["lab.py", "run", "--prot", "8001"])
    with pytest.raises(SystemExit) as stop:
        lab.main()
    assert stop.value.code == 2
    assert "--prot" in capsys.readouterr().err


def test_the_stamp_is_readable_json(installer, project):
    installer.calls("requirements.txt")
    stamp = json.loads((project / ".venv" / "card-lab.json").read_text("utf-8"))
    assert set(stamp) == {"python", "folder", "requirements.txt", "constraints.txt"}
