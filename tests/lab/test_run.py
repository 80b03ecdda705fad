"""Tests `lab.py run` and `lab.py export` as real processes in a working copy."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import otree
import pytest
from server_fixture import free_port, timeout_workers, wait_for, working_copy
from stages import clean_environment

from cardlab import __version__
from cardlab.operations import project
from cardlab.operations.database import copy_database
from cardlab.operations.environment import venv_program
from cardlab.operations.project import WINDOWS

pytestmark = pytest.mark.skipif(WINDOWS, reason="these tests send POSIX signals")


class Lab:
    """`lab.py` in a working copy that shares the project's .venv."""

    def __init__(self, folder: Path) -> None:
        self.folder = working_copy(folder)
        (folder / ".venv").symlink_to(project.FOLDER / ".venv")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen | None = None
        self.group = 0

    def environment(self, extra: dict[str, str]) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("OTREE_")}
        own.pop("DATABASE_URL", None)
        return {**own, **extra}

    def call(self, *arguments: str, stdin=subprocess.DEVNULL, **environment: str):
        """Runs a command and waits for its end."""
        command = [sys.executable, "lab.py", *arguments]
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(environment),
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def refused(self, *arguments: str, **environment: str) -> str:
        """Runs a command that must be refused; returns its one-line error."""
        done = self.call(*arguments, **environment)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        return done.stderr

    def start(self, *arguments: str, stdin=subprocess.DEVNULL, **environment: str) -> Lab:
        """Starts `lab.py run` and waits until it says what to open."""
        command = [sys.executable, "lab.py", "run", "--port", str(self.port), *arguments]
        with open(self.folder / "out.txt", "wb") as out:
            self.process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment(environment),
                stdin=stdin,
                stdout=out,
                stderr=subprocess.STDOUT,
            )

        def ready() -> bool:
            assert self.process.poll() is None, self.output()
            return "Press Ctrl-C to stop it." in self.output()

        wait_for(ready, "lab.py run to be ready")
        self.group = json.loads((self.folder / "secrets" / "server.json").read_text())["pid"]
        return self

    def output(self) -> str:
        return (self.folder / "out.txt").read_text("utf-8")

    def members(self) -> list[str]:
        """Returns the command lines of the living processes in the server's group."""
        lines = subprocess.run(
            ["ps", "-A", "-ww", "-o", "pgid=,stat=,args="], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        fields = [line.split(None, 2) for line in lines]
        return [args for pgid, state, args in fields if int(pgid) == self.group and state[0] != "Z"]

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Sends the signal and waits for the end; returns the exit code."""
        self.process.send_signal(how)
        return self.process.wait(60)

    def get(self, path: str, **headers: str) -> tuple[str, str]:
        """Returns the final address of a page after redirects, and its text."""
        request = urllib.request.Request(self.url + path, headers=headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return answer.url, answer.read().decode()

    def new_session(self) -> str:
        """Creates a session of the first config through the REST interface; returns its code."""
        key = (self.folder / "secrets" / "rest_key").read_text()
        configs = json.loads(self.get("/api/session_configs", **{"otree-rest-key": key})[1])
        payload = {"session_config_name": configs[0]["name"], "num_participants": 2}
        request = urllib.request.Request(
            self.url + "/api/sessions", json.dumps(payload).encode(), headers={"otree-rest-key": key}
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return json.load(answer)["code"]

    def database(self, *statements: str) -> list[tuple]:
        """Executes statements on the database file; returns the rows of the last one."""
        with contextlib.closing(sqlite3.connect(self.folder / "db.sqlite3")) as database, database:
            for statement in statements:
                rows = database.execute(statement).fetchall()
        return rows


@pytest.fixture
def card_lab(tmp_path):
    """Provides `lab.py` in a separate folder; ends whatever it started."""
    card_lab = Lab(tmp_path / "card_lab")
    yield card_lab
    if card_lab.process and card_lab.process.poll() is None:
        card_lab.stop()
    if card_lab.group:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(card_lab.group, signal.SIGKILL)


# ------------------------------------------------------------------ start and stop


def expect_all_ended(card_lab, how: int) -> None:
    """Checks that the signal stops it and everything it started."""
    assert any("timeout_worker" in args for args in card_lab.members())
    assert card_lab.stop(how) == 0
    assert card_lab.members() == []
    assert "Traceback" not in card_lab.output()
    assert card_lab.output().strip().endswith("Card Lab has stopped.")
    assert not (card_lab.folder / "secrets" / "server.json").exists()


def test_run_serves_and_stops_with_everything_it_started(card_lab):
    card_lab.start()
    assert f"{card_lab.url}/demo" in card_lab.output()
    assert card_lab.get("/demo")[0].endswith("/demo")
    expect_all_ended(card_lab, signal.SIGINT)


def test_restart_keeps_and_restore_recovers_the_database(card_lab):
    """The database is in WAL mode; page times held in memory are written before the stop."""
    card_lab.start()
    session = card_lab.new_session()
    for name in ("db.sqlite3", "db.sqlite3-wal", "secrets/rest_key", "secrets/server.json"):
        assert stat.S_IMODE((card_lab.folder / name).stat().st_mode) == 0o600, name
    codes = [code for (code,) in card_lab.database("SELECT code FROM otree_participant")]
    card_lab.get(f"/InitializeParticipant/{codes[0]}")
    expect_all_ended(card_lab, signal.SIGTERM)
    times = "".join(text for (text,) in card_lab.database("SELECT text FROM otree_pagetimebatch"))
    assert codes[0] in times
    assert card_lab.database("PRAGMA journal_mode") == [("wal",)]
    [backup] = (card_lab.folder / "backups").glob("*.sqlite3")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700
    keys = [(card_lab.folder / "secrets" / name).read_text() for name in ("secret_key", "rest_key")]
    card_lab.start("--language", "it", "--backup-minutes", "0")
    assert '<html lang="it">' in card_lab.get("/room/typed")[1]
    assert card_lab.database("SELECT code FROM otree_session") == [(session,)]
    later = card_lab.new_session()
    assert "already running" in card_lab.refused("restore", backup.name)
    assert keys == [(card_lab.folder / "secrets" / name).read_text() for name in ("secret_key", "rest_key")]
    expect_all_ended(card_lab, signal.SIGHUP)
    assert [*(card_lab.folder / "backups").glob("*.sqlite3")] == [backup]
    assert backup.name in card_lab.call("restore").stdout

    sessions = "SELECT code FROM otree_session ORDER BY id"
    assert card_lab.call("restore", backup.name).returncode == 0
    assert card_lab.database(sessions) == [(session,)]
    [aside] = card_lab.folder.glob("db-*.sqlite3")
    assert card_lab.call("restore", aside.name).returncode == 0
    assert card_lab.database(sessions) == [(session,), (later,)]


@pytest.mark.long("starts a server of its own")
def test_dead_server_ends_its_timeout_worker(card_lab):
    card_lab.start()
    os.kill(card_lab.group, signal.SIGKILL)
    assert card_lab.process.wait(60) == 2
    assert "stopped unexpectedly" in card_lab.output()
    assert card_lab.members() == []


@pytest.mark.long("test_time_limits.py kills one too")
def test_killed_timeout_worker_is_replaced(card_lab):
    card_lab.start()
    [worker] = wait_for(lambda: timeout_workers(card_lab.port), "the timeout worker")
    os.kill(worker, signal.SIGKILL)
    wait_for(
        lambda: timeout_workers(card_lab.port) not in ([], [worker]), "another timeout worker", seconds=5
    )
    assert "The timeout worker, which enforces time limits, stopped" in card_lab.output()
    assert card_lab.stop() == 0
    assert card_lab.members() == timeout_workers(card_lab.port) == []
    assert card_lab.output().count("timeout worker") == 1


@pytest.mark.long("starts a server several times")
def test_second_server_on_one_database_is_refused(card_lab):
    card_lab.start()
    assert f"already running from this folder at {card_lab.url}" in card_lab.refused(
        "run", "--port", str(free_port())
    )
    card_lab.process.kill()
    card_lab.process.wait()
    assert "already running" in card_lab.refused("run", "--port", str(free_port()))


def test_port_in_use_is_reported_first(card_lab):
    with socket.socket() as other:
        other.bind(("127.0.0.1", card_lab.port))
        other.listen()
        assert f"Port {card_lab.port} is in use" in card_lab.refused("run", "--port", str(card_lab.port))
    assert not (card_lab.folder / "db.sqlite3").exists()
    assert not (card_lab.folder / "secrets").exists()


def changed_otree(folder: Path) -> Path:
    """Returns a folder for PYTHONPATH whose oTree differs in two views; all other files are links."""
    installed, views = Path(otree.__file__).parent, folder / "otree" / "views"
    views.mkdir(parents=True)
    for entry in [*installed.iterdir(), *(installed / "views").iterdir()]:
        link = folder / "otree" / entry.relative_to(installed)
        if entry.name not in ("views", "admin.py"):
            link.symlink_to(entry)
    source = (installed / "views" / "admin.py").read_text("utf-8")
    for line in ("def validate(self):", "del request.session[AUTH_COOKIE_NAME]"):
        assert line in source
        source = source.replace(line, f"{line}  # changed")
    (views / "admin.py").write_text(source, "utf-8")
    return folder


def test_another_otree_is_refused(card_lab, tmp_path):
    said = card_lab.refused("run", "--port", str(card_lab.port), PYTHONPATH=str(changed_otree(tmp_path)))
    assert said == (
        "Card Lab cannot start, because it replaces parts of oTree that differ in the installed version: "
        "otree.views.admin.LoginForm.validate, otree.views.admin.Logout.get. Reinstall the packages: delete "
        "the folder .venv and run lab.py, or run pip install --force-reinstall -r requirements.txt.\n"
    )


def test_network_needs_password_and_study_mode(card_lab):
    arguments = ("run", "--host", "0.0.0.0", "--port", str(card_lab.port))
    assert "OTREE_ADMIN_PASSWORD" in card_lab.refused(*arguments)
    assert not (card_lab.folder / "db.sqlite3").exists()

    card_lab.start("--host", "0.0.0.0", OTREE_ADMIN_PASSWORD="secret")
    assert "/login" in card_lab.get("/demo")[0].lower()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        card_lab.get("/api/session_configs")
    session = card_lab.new_session()
    assert card_lab.call("export", session).returncode == 0
    assert "rejected the key" in card_lab.refused("export", session, OTREE_REST_KEY="wrong")


# ------------------------------------------------------------------ the database


@pytest.fixture(scope="module")
def made_database(tmp_path_factory) -> tuple[Path, str]:
    """Provides a valid database with one session: the file, and the session's code."""
    card_lab = Lab(tmp_path_factory.mktemp("made") / "card_lab").start()
    session = card_lab.new_session()
    card_lab.stop()
    return card_lab.folder / "db.sqlite3", session


@pytest.fixture
def session(card_lab, made_database) -> str:
    """Gives ``card_lab`` a database with one session from an earlier run; returns the session's code."""
    copy_database(made_database[0], card_lab.folder / "db.sqlite3")
    return made_database[1]


OLD = {
    "another oTree": ("UPDATE card_lab_made_by SET otree = '5.11.4'", "was created by oTree 5.11.4"),
    "an older Card Lab": ("UPDATE card_lab_made_by SET card_lab = '0.0.9'", "was created by Card Lab 0.0.9"),
    "an unsigned one of another oTree": ("PRAGMA user_version = 5114", "mark is 5114"),
    "one of a newer Card Lab": (
        "UPDATE card_lab_made_by SET card_lab = '9.0.0'",
        "created by Card Lab 9.0.0",
    ),
}


@pytest.mark.long("starts a server for each")
@pytest.mark.parametrize("age", OLD)
def test_old_database_is_left_unchanged(card_lab, session, age):
    change, sentence = OLD[age]
    if "unsigned" in age:
        card_lab.database("DROP TABLE card_lab_made_by")
    card_lab.database(change)
    refusal = card_lab.refused("run", "--port", str(card_lab.port))
    assert sentence in refusal
    assert "--fresh" in refusal
    assert card_lab.database("SELECT code FROM otree_session") == [(session,)]
    assert list(card_lab.folder.glob("db-*")) == []


@pytest.mark.long("test_upgraded_sessions.py upgrades a server's database, too")
def test_start_upgrades_the_database_and_continues(card_lab, session):
    card_lab.database("ALTER TABLE otree_session DROP COLUMN comment")
    card_lab.start()
    [copy] = card_lab.folder.glob("db-*.sqlite3")
    lines = [line for line in card_lab.output().splitlines() if "upgraded" in line]
    assert lines == [
        f"db.sqlite3 (of Card Lab {__version__}) was upgraded; added: field otree_session.comment. "
        f"Backup: {copy.name}"
    ]
    assert card_lab.database("SELECT code, comment FROM otree_session") == [(session, None)]
    assert session in card_lab.get("/sessions")[1]


OWN_APP = """
from otree.api import *

class C(BaseConstants):
    NAME_IN_URL, PLAYERS_PER_GROUP, NUM_ROUNDS = "own", None, 1

class Subsession(BaseSubsession): pass
class Group(BaseGroup): pass
class Player(BasePlayer):
    choice = models.IntegerField(initial=3)

class Page1(Page): pass
page_sequence = [Page1]
"""


@pytest.mark.long("starts a server three times")
def test_reload_adopts_fields_of_own_app(card_lab):
    app, settings = card_lab.folder / "own_app", card_lab.folder / "settings.py"
    app.mkdir()
    own = 'SESSION_CONFIGS.insert(0, dict(name="own", app_sequence=["own_app"], num_demo_participants=1))'
    settings.write_text(settings.read_text("utf-8").replace("ROOMS = [", f"{own}\nROOMS = [", 1), "utf-8")
    (app / "Page1.html").write_text("{{ block content }}{{ next_button }}{{ endblock }}")
    module = app / "__init__.py"
    module.write_text(OWN_APP)
    card_lab.start("--reload")
    session = card_lab.new_session()

    field = 'mood = models.StringField(initial="fine")'
    module.write_text(OWN_APP.replace("initial=3)", f"initial=3)\n    {field}"))
    wait_for(lambda: card_lab.output().count("Press Ctrl-C") == 2, "the server with the new field")
    assert "was upgraded; added: field own_app_player.mood. Backup: db-" in card_lab.output()
    assert set(card_lab.database("SELECT choice, mood FROM own_app_player")) == {(3, "fine")}
    assert session in card_lab.get("/sessions")[1]

    module.write_text(OWN_APP.replace('NUM_ROUNDS = "own", None, 1', 'NUM_ROUNDS = "own", None, 2'))
    wait_for(lambda: "Waiting for a changed file" in card_lab.output(), "the refusal")
    [refusal] = [line for line in card_lab.output().splitlines() if "does not fit" in line]
    assert (
        f"session {session} is in progress, and the apps no longer have the field own_app_player.mood"
        in refusal
    )
    assert "NUM_ROUNDS of own_app was 1 and is now 2" in refusal
    assert "Traceback" not in card_lab.output()


def test_fresh_start_keeps_the_old_database(card_lab, session):
    card_lab.database(OLD["an older Card Lab"][0])
    card_lab.start("--fresh")
    assert card_lab.database("SELECT code FROM otree_session") == []
    card_lab.stop()
    [copy] = card_lab.folder.glob("db-*")
    assert re.fullmatch(r"db-\d{8}-\d{6}\.sqlite3", copy.name)
    with contextlib.closing(sqlite3.connect(copy)) as kept:
        assert kept.execute("SELECT code FROM otree_session").fetchall() == [(session,)]
    card_lab.start()  # the new database is valid


@pytest.mark.long("starts a server several times")
def test_intact_unsigned_database_is_accepted(card_lab, session):
    card_lab.database("DROP TABLE card_lab_made_by", "PRAGMA user_version = 0")
    card_lab.start("--language", "it")
    assert '<html lang="it">' in card_lab.get("/room/typed")[1]
    assert card_lab.database("SELECT code FROM otree_session") == [(session,)]
    assert len(card_lab.database("SELECT * FROM card_lab_made_by")) == 1


@pytest.mark.long("starts a server for each")
@pytest.mark.parametrize(("answer", "sessions"), [("y", 0), ("", 1), ("n", 1)])
@pytest.mark.usefixtures("session")
def test_interactive_start_offers_to_copy_the_database(card_lab, answer, sessions):
    card_lab.database("UPDATE card_lab_made_by SET card_lab = '0.0.9'")
    keyboard, terminal = os.openpty()
    try:
        os.write(keyboard, f"{answer}\n".encode())
        if answer == "y":
            card_lab.start(stdin=terminal)
        else:
            done = card_lab.call("run", "--port", str(card_lab.port), stdin=terminal)
            assert "start with an empty database? [y/N]" in done.stdout
            assert done.returncode == 2
    finally:
        os.close(keyboard)
        os.close(terminal)
    assert len(card_lab.database("SELECT code FROM otree_session")) == sessions


def test_invalid_database_file_is_refused_and_kept(card_lab):
    (card_lab.folder / "db.sqlite3").write_text("my precious notes\n" * 100)
    assert "cannot be opened as a database" in card_lab.refused("run", "--port", str(card_lab.port))
    assert (card_lab.folder / "db.sqlite3").read_text() == "my precious notes\n" * 100


def test_empty_database_file_offers_a_backup(card_lab, session):
    file, backup = card_lab.folder / "db.sqlite3", card_lab.folder / "backups" / "db-20261122-140000.sqlite3"
    backup.parent.mkdir()
    copy_database(file, backup)
    file.write_bytes(b"")
    refusal = card_lab.refused("run", "--port", str(card_lab.port))
    assert refusal.startswith("db.sqlite3 is empty. It is not a Card Lab database")
    assert f"restore {backup.name}" in refusal
    assert "--fresh" in refusal
    assert file.read_bytes() == b""
    assert card_lab.call("restore", backup.name).returncode == 0
    assert card_lab.database("SELECT code FROM otree_session") == [(session,)]


@pytest.mark.long("starts a server several times")
def test_damaged_database_is_refused_and_kept_on_request(card_lab, session):
    file = card_lab.folder / "db.sqlite3"
    with open(file, "r+b") as content:
        content.seek(file.stat().st_size // 2)
        content.write(b"\xa5" * 20_000)
    damaged = file.read_bytes()
    refusal = card_lab.refused("run", "--port", str(card_lab.port))
    assert "db.sqlite3 is damaged" in refusal
    assert "To restore a backup, run:" in refusal
    assert "--fresh" in refusal
    assert file.read_bytes() == damaged
    card_lab.start("--fresh")
    [kept] = card_lab.folder.glob("db-*.sqlite3")
    assert kept.read_bytes() == damaged
    assert card_lab.database("SELECT code FROM otree_session") == []


def test_unreachable_database_hides_its_password(card_lab):
    url = f"postgresql://lab:hush@127.0.0.1:{free_port()}/cards"
    refusal = card_lab.refused("run", "--port", str(card_lab.port), DATABASE_URL=url)
    assert "Cannot connect to the database" in refusal
    assert "DATABASE_URL" in refusal
    assert "hush" not in refusal


@pytest.mark.long("the same as on SQLite")
def test_postgresql_serves_unless_database_is_old(card_lab, postgres):
    url = postgres.new_database()
    card_lab.start(DATABASE_URL=url)
    card_lab.new_session()
    card_lab.stop()
    engine = pytest.importorskip("sqlalchemy").create_engine(url)
    assert engine.execute("SELECT count(*) FROM otree_session").scalar() == 1
    engine.execute("UPDATE card_lab_made_by SET card_lab = '0.0.9'")
    assert "Card Lab 0.0.9" in card_lab.refused("run", "--port", str(card_lab.port), DATABASE_URL=url)
    assert "createdb" in card_lab.refused("run", "--fresh", "--port", str(card_lab.port), DATABASE_URL=url)
    assert engine.execute("SELECT count(*) FROM otree_session").scalar() == 1
    engine.dispose()


@pytest.mark.long("starts a server several times")
@pytest.mark.usefixtures("session")
def test_otree_commands_work_with_the_project_database(card_lab):
    otree = [venv_program("otree"), "resetdb", "--noinput"]
    subprocess.run(otree, cwd=card_lab.folder, env=clean_environment(), check=True, capture_output=True)
    card_lab.start()
    card_lab.new_session()


# ------------------------------------------------------------------ export


def test_export_fetches_a_whole_session(card_lab, tmp_path):
    card_lab.start()
    session, other = card_lab.new_session(), card_lab.new_session()
    for (code,) in card_lab.database("SELECT code FROM otree_participant"):
        card_lab.get(f"/InitializeParticipant/{code}")
    done = card_lab.call("export", session)
    assert done.returncode == 0, done.stderr
    folder = card_lab.folder / "exports" / session
    names = {path.name for path in folder.iterdir()}
    assert {"ttt_solo_app_actions.csv", "all_apps_wide.csv", "page_times.csv", "README.txt"} <= names
    assert not [name for name in names if name.endswith(".part")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert session in (folder / "all_apps_wide.csv").read_text("utf-8")
    assert other not in (folder / "all_apps_wide.csv").read_text("utf-8")
    header, *rows = (folder / "page_times.csv").read_text().splitlines()
    assert header.startswith("session_code,")
    assert {row.split(",")[0] for row in rows} == {session}  # no other session
    for line in (folder / "README.txt").read_text("utf-8").split("each file:\n")[1].splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
        names.remove(name)
    assert names == {"README.txt", "seal.json"}

    elsewhere = tmp_path / "elsewhere"
    assert card_lab.call("export", session, "--out", str(elsewhere)).returncode == 0
    assert len(list(elsewhere.iterdir())) == len(list(folder.iterdir()))
    assert "no session nosuch" in card_lab.refused("export", "nosuch")
    card_lab.stop()
    assert "No Card Lab server answers" in card_lab.refused("export", session, "--url", card_lab.url)
    assert "lab.py run" in card_lab.refused("export", session, "--url", "http://127.0.0.1:99999")
