"""The commands of Card Lab, with Python's standard library alone.

    python3 lab.py run                  start the server, then open the address it prints
    python3 lab.py export SESSION       fetch every export of a session from the running server
    python3 lab.py zip                  pack the project, without data and secrets, to give it away
    python3 lab.py test                 run all the tests

On Windows: ``py lab.py run``. The first start makes ``.venv`` and installs the packages into it.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import csv
import datetime
import hashlib
import http.client
import json
import math
import os
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import time
import urllib.error
import urllib.request
import venv
import xml.etree.ElementTree as ElementTree
from pathlib import Path

PROJECT = Path(__file__).resolve().parent
WINDOWS = os.name == "nt"
COMMAND = "py lab.py" if WINDOWS else "python3 lab.py"

# What belongs to one installation and not to the project: a working copy leaves it behind.
NOT_PROJECT = (
    *(
        ".git",
        ".venv",
        ".venv-dask",
        "secrets",
        "logs",
        "exports",
        "test-results",
        "*.sqlite3*",
        "*.otreezip",
    ),
    *(".env", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".hypothesis", "__temp_bots_*"),
)


class Refusal(Exception):
    """One plain sentence for the person at the keyboard: what is wrong, and what to do."""


def say(*lines: str) -> None:
    """Print at once, also into a pipe."""
    print(*lines, sep="\n", flush=True)


# ------------------------------------------------------------------ the packages, in .venv


def venv_program(name: str, folder: str = ".venv") -> Path:
    """The path of a program of a virtual environment, ``python`` or ``otree``."""
    return PROJECT / folder / ("Scripts" if WINDOWS else "bin") / (name + (".exe" if WINDOWS else ""))


def venv_python_version(folder: str) -> str | None:
    """``3.11`` for an environment whose Python starts; None where there is none or it is broken."""
    question = [
        venv_program("python", folder),
        "-c",
        "import pip, sys; print('%d.%d' % sys.version_info[:2])",
    ]
    try:
        return subprocess.run(question, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def wanted_stamp(python: str, requirements: list[str], folder: str) -> dict[str, str]:
    """What an environment must have been made from; its programs hold its folder, so it may not move."""
    files = [*requirements, *sorted(path.name for path in PROJECT.glob("constraints*.txt"))]
    hashes = {name: hashlib.sha256((PROJECT / name).read_bytes()).hexdigest() for name in files}
    return {"python": python, "folder": str((PROJECT / folder).resolve()), **hashes}


def read_stamp(folder: str) -> dict[str, str]:
    """What the environment was made from; empty if an installation never came to its end."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads((PROJECT / folder / "card-lab.json").read_text("utf-8"))
    return {}


def install(*requirements: str, folder: str = ".venv") -> None:
    """Bring an environment to what the requirements files ask; done in no time if it is there already."""
    python, stamp = venv_python_version(folder), read_stamp(folder)
    wanted = wanted_stamp(python or "", list(requirements), folder)
    if python and wanted.items() <= stamp.items():
        return
    if not python or any(stamp.get(key, wanted[key]) != wanted[key] for key in ("python", "folder")):
        say(f"Making the Python environment {folder} …")
        make_venv(folder)
        stamp, wanted = {}, wanted_stamp(venv_python_version(folder) or "", list(requirements), folder)
    say("Installing the packages Card Lab needs; the first time this takes a minute or two …")
    stamp_file = PROJECT / folder / "card-lab.json"
    stamp_file.unlink(missing_ok=True)  # an interrupted installation must not look like a finished one
    files = [part for name in requirements for part in ("-r", name)]
    pip = [venv_program("python", folder), "-m", "pip", "install", "--disable-pip-version-check", *files]
    if subprocess.run(pip, cwd=PROJECT).returncode:
        raise Refusal(
            "The packages could not be installed: pip says why above. "
            f"Check that this computer is online, then run {COMMAND} again."
        )
    stamp_file.write_text(json.dumps({**stamp, **wanted}, indent=1), "utf-8")


def make_venv(folder: str) -> None:
    """A new environment, in place of a broken one if there is one."""
    try:
        venv.create(PROJECT / folder, clear=True, with_pip=True, symlinks=not WINDOWS)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Refusal(
            f"Python could not make the environment {folder} ({error}). On Debian and Ubuntu, "
            "install python3-venv (sudo apt install python3-venv); elsewhere, Python from python.org."
        ) from error


# ------------------------------------------------------------------ the address to listen on


def listening_address(host: str, password: str | None) -> str:
    """The IPv4 address to listen on; refuses an open address without a password.

    oTree's timeout worker posts to 127.0.0.1, so a server that does not hear that address would
    let page time limits pass by without a word.
    """
    try:
        address = socket.getaddrinfo(host, None, socket.AF_INET)[0][4][0]
    except OSError as error:
        raise Refusal(f"--host {host} is not an IPv4 address or a name of this computer.") from error
    if not address.startswith("127.") and not (password or "").strip():
        raise Refusal(
            f"With --host {host} everyone on the network can reach the server, so its admin pages need "
            "a password. Set one and run again: export OTREE_ADMIN_PASSWORD=… (Linux, macOS), "
            "set OTREE_ADMIN_PASSWORD=… (Windows) or $env:OTREE_ADMIN_PASSWORD='…' (PowerShell)."
        )
    if address not in ("127.0.0.1", "0.0.0.0"):
        raise Refusal(
            f"A server that listens on {address} alone does not hear 127.0.0.1, where page time limits "
            "come from: use --host 0.0.0.0 (the whole network) or leave --host out (this computer only)."
        )
    return address


def check_port(address: str, port: int) -> None:
    """Refuse a port that cannot be had, before anything is started."""
    # On Windows SO_REUSEADDR would let two servers share a port; elsewhere it frees one just left.
    option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    for place in ("127.0.0.1", address):  # some systems let 0.0.0.0 join another server's 127.0.0.1
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, option, 1)
            try:
                probe.bind((place, port))
            except PermissionError as error:
                raise Refusal(
                    f"Port {port} is not allowed here; choose one above 1023, such as --port 8000."
                ) from error
            except OSError as error:
                raise Refusal(
                    f"Port {port} is in use, perhaps by a Card Lab that is still running: stop that, "
                    f"or choose another port, such as --port {port + 1 if port < 65535 else 8000}."
                ) from error


def network_address() -> str | None:
    """This computer's address on its network, as far as it can be told without sending anything."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.255.255.255", 9))  # a datagram socket only looks up the route
        address = probe.getsockname()[0]
        return None if address.startswith(("127.", "0.")) else address
    return None


# ------------------------------------------------------------------ secrets, and one server at a time


def secrets_folder() -> Path:
    """``secrets/``, which only the owner can open."""
    folder = PROJECT / "secrets"
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    return folder


def secret(name: str) -> str:
    """A secret of this installation, made when first asked for; its file is for the owner only."""
    file = secrets_folder() / name
    if not file.exists() or not file.read_text("utf-8").strip():
        descriptor, temporary = tempfile.mkstemp(dir=file.parent)  # 0600, and never half a key
        with open(descriptor, "w", encoding="utf-8") as new:
            new.write(secrets.token_urlsafe(40))
        os.replace(temporary, file)
    file.chmod(0o600)
    return file.read_text("utf-8").strip()


@contextlib.contextmanager
def only_server():
    """Hold a lock while the server runs: two on one database would overwrite each other's data.

    The server inherits the lock, so that it stays locked even if this program is killed.
    """
    with open(secrets_folder() / "running.lock", "a", encoding="utf-8") as lock:
        try:
            if WINDOWS:
                import msvcrt

                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            where = read_server_state()
            at = f" at {where['url']} (process {where['pid']})" if where else ""
            raise Refusal(
                f"Card Lab is already running from this folder{at}: use that, or stop it."
            ) from error
        yield lock


def read_server_state() -> dict[str, str]:
    """Address and process number of the server that ``run`` started last; empty if it was stopped."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads((PROJECT / "secrets" / "server.json").read_text("utf-8"))
    return {}


# ------------------------------------------------------------------ the database


def database_url() -> str | None:
    """The PostgreSQL address in DATABASE_URL; None where db.sqlite3 is the database."""
    url = os.environ.get("DATABASE_URL", "").strip()
    if url in ("", "sqlite:///db.sqlite3"):
        return None
    if not re.match(r"postgres(ql)?(\+psycopg2)?://", url):
        raise Refusal(
            "DATABASE_URL must look like postgresql://user:password@host:5432/name; "
            "without it Card Lab keeps its data in db.sqlite3."
        )
    return url


def check_database(url: str | None) -> str | None:
    """What is wrong with the database, to follow "The database …"; refuses one that cannot be reached."""
    command = [venv_program("python"), "-m", "experiment.database_check", url or "sqlite:///db.sqlite3"]
    in_memory = {"OTREE_IN_MEMORY": "1", "OTREE_EPHEMERAL": "1", "OTREE_SECRET_KEY": "unused"}
    environment = {**os.environ, **in_memory}
    answer = subprocess.run(command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, text=True)
    if answer.returncode:
        raise Refusal("The project's settings or apps cannot be loaded; the lines above say why.")
    found = json.loads(answer.stdout.splitlines()[-1])
    if "unreachable" in found:
        raise Refusal(
            f"The database cannot be reached: {found['unreachable']}. Check DATABASE_URL and that the "
            "database server is running; without DATABASE_URL Card Lab keeps its data in db.sqlite3."
        )
    return found["fault"]


def open_sqlite(file: Path) -> None:
    """Make sure of a SQLite database in WAL mode, which commits faster and loses nothing either."""
    try:
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA journal_mode=WAL")
    except sqlite3.Error as error:
        raise Refusal(
            f"{file.name} cannot be opened as a database ({error}): close what else uses it, put a backup in "
            "its place, or move the file elsewhere, and run again to start with a new one."
        ) from error


def damage(file: Path) -> str | None:
    """What is broken in a SQLite database, in SQLite's words; None if it is whole. Reads the whole file."""
    size = file.stat().st_size / 1e9
    if size > 0.5:
        say(f"Checking {file.name}: {size:.1f} GB take about {4 * size:.0f} seconds …")
    try:
        with contextlib.closing(sqlite3.connect(file)) as database:
            found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        found = str(error)
    return None if found == "ok" else found.splitlines()[-1]


def copy_database(file: Path, copy: Path) -> None:
    """A complete copy by SQLite's own means; a plain file copy would miss what stands in the WAL."""
    unfinished = copy.with_suffix(".part")
    try:
        with contextlib.closing(sqlite3.connect(file)) as old:  # noqa: SIM117 Python 3.7 must parse this
            with contextlib.closing(sqlite3.connect(unfinished)) as new:
                old.backup(new)
        os.replace(unfinished, copy)
    except (sqlite3.Error, OSError) as error:
        unfinished.unlink(missing_ok=True)
        raise Refusal(f"{file.name} could not be copied ({error}); nothing was changed.") from error


def start_afresh(file: Path, damaged: bool) -> None:
    """Keep the database beside it under another name, then put an empty one in its place."""
    now = datetime.datetime.now().astimezone()
    copy = file.with_name(f"db-{now:%Y%m%d-%H%M%S}.sqlite3")
    parts = [(Path(f"{file}{ending}"), Path(f"{copy}{ending}")) for ending in ("", "-wal", "-shm")]
    if damaged:  # kept as it is, to the last byte: SQLite's own means may stumble over it
        for part, kept in parts:
            if part.exists():
                part.replace(kept)
    else:
        copy_database(file, copy)
        for part, _kept in parts:
            part.unlink(missing_ok=True)
    open_sqlite(file)
    say(f"The old database is kept as {copy.name}; starting with an empty one.")


def prepare_database(fresh: bool) -> None:
    """A database that serves this installation, or a refusal; nothing is ever deleted unasked."""
    url, file = database_url(), PROJECT / "db.sqlite3"
    if url:
        fault = check_database(url)
        if fault or fresh:
            raise Refusal(
                f"The database in DATABASE_URL {fault or 'is left as it is'}: to start afresh make a "
                "new one, for instance with createdb, and put its name into DATABASE_URL. The old one stays."
            )
        return
    old = file.exists() and file.stat().st_size > 0
    open_sqlite(file)
    damaged = damage(file) if old else None
    if damaged and not fresh:
        raise Refusal(
            f"The database {file.name} is damaged ({damaged}); nothing was changed. Put a backup in its "
            "place, or keep it under another name and start with an empty one: "
            f"{COMMAND} run --fresh. How to get out what can still be read: docs/running-a-session.md, "
            '"A damaged database".'
        )
    fault = None if fresh and old else check_database(None)
    if fault and not fresh:
        question = f"The database {file.name} {fault}."
        if not sys.stdin.isatty() or not agreed(f"{question} Keep a copy of it and start afresh?"):
            raise Refusal(
                f"{question} Nothing was changed. "
                f"To keep a copy of it and start afresh: {COMMAND} run --fresh"
            )
    if fault or (fresh and old):
        start_afresh(file, bool(damaged))
        check_database(None)


def agreed(question: str) -> bool:
    """Ask at the terminal; anything but yes is no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


# ------------------------------------------------------------------ run


def server_environment(address: str) -> dict[str, str]:
    """The environment of the server; keys that the user has set win over those of the installation."""
    environment = {
        "OTREE_PRODUCTION": "1",  # without it every page carries a panel with its variables
        "OTREE_SECRET_KEY": os.environ.get("OTREE_SECRET_KEY") or secret("secret_key"),
        "OTREE_REST_KEY": os.environ.get("OTREE_REST_KEY") or secret("rest_key"),
    }
    if address != "127.0.0.1":
        environment["OTREE_AUTH_LEVEL"] = "STUDY"
    own = dict(os.environ)
    if not own.get("OTREE_ADMIN_PASSWORD", "").strip():
        own.pop("OTREE_ADMIN_PASSWORD", None)  # a blank one is none, and oTree would take it for one
    return {**own, **environment, **server_paths()}


def server_paths() -> dict[str, str]:
    """The timeout worker is ``otree``, started by name, and must reach 127.0.0.1 past any proxy."""
    path = os.pathsep.join([str(venv_program("otree").parent), os.environ.get("PATH", "")])
    no_proxy = ",".join(filter(None, [os.environ.get("no_proxy"), "127.0.0.1,localhost"]))
    return {"PATH": path, "no_proxy": no_proxy}


def start_server(address: str, port: int, folder: Path, environment: dict[str, str], **streams):
    """Start the server in ``folder``, as the head of a group that can be ended together."""
    command = [venv_program("python"), "-m", "experiment.prodserver", f"{address}:{port}"]
    group = {"creationflags": 0x200} if WINDOWS else {"start_new_session": True}  # CREATE_NEW_PROCESS_GROUP
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, **group, **streams
    )


def end_server(server: subprocess.Popen, patience: float = 10) -> None:
    """End a server and the timeout worker it started, which would live on by itself."""
    if WINDOWS:
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(server.pid)], capture_output=True)
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(patience)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def wait_until_listening(server: subprocess.Popen, port: int) -> None:
    """Return when the server takes connections; refuse if it ends before."""
    while server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise Refusal("The server ended before it was ready; the lines above say why.")


def welcome(address: str, port: int) -> None:
    """Say what to open."""
    here = f"http://127.0.0.1:{port}"
    say(
        "",
        f"Card Lab is running at {here}",
        f"    to try the games        {here}/demo",
        f"    to run a session        {here}/rooms and {here}/sessions",
    )
    if address == "0.0.0.0":
        there = network_address() or "THIS-COMPUTER'S-ADDRESS"
        say(
            f"    participants open       http://{there}:{port}/room/… (links: on the page of the room)",
            "    the admin pages ask for the user admin and the password in OTREE_ADMIN_PASSWORD",
        )
    say("Stop it with Ctrl-C.", "")


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    address = listening_address(arguments.host, os.environ.get("OTREE_ADMIN_PASSWORD"))
    check_port(address, arguments.port)
    install("requirements.txt")
    with only_server() as lock:
        prepare_database(arguments.fresh)
        return serve(address, arguments.port, lock)


def serve(address: str, port: int, lock) -> int:
    """Start the server, say where it is, and stop it with everything it started."""
    # The server's stdout has a line for every request; what needs attention comes on stderr.
    streams = {"stdout": subprocess.DEVNULL} | ({} if WINDOWS else {"pass_fds": [lock.fileno()]})
    state_file = PROJECT / "secrets" / "server.json"
    server = start_server(address, port, PROJECT, server_environment(address), **streams)
    try:
        wait_until_listening(server, port)
        state_file.write_text(json.dumps({"url": f"http://127.0.0.1:{port}", "pid": server.pid}), "utf-8")
        welcome(address, port)
        while server.poll() is None:
            time.sleep(0.5)
        raise Refusal(f"The server ended by itself (exit code {server.returncode}); the lines above say why.")
    except KeyboardInterrupt:
        say("", "Stopping Card Lab …")
        return 0
    finally:
        for stop in stop_signals():
            signal.signal(stop, signal.SIG_IGN)  # a second Ctrl-C must not leave half of it running
        keep_page_times(port)
        end_server(server)
        state_file.unlink(missing_ok=True)
        say("Card Lab has stopped.")


def keep_page_times(port: int) -> None:
    """oTree holds the last page times in memory until they are exported: have them written."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        fetch(f"http://127.0.0.1:{port}", "/api/export_page_times", timeout=5).read()


def stop_signals() -> list[int]:
    """The signals that mean "stop" on this system."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


# ------------------------------------------------------------------ export

HAND_PAGE = "Hand"  # what every app calls the page on which a hand is played


def fetch(url: str, path: str, timeout: float = 600):
    """Ask the server's REST interface; an open response. Never by way of a proxy."""
    key = os.environ.get("OTREE_REST_KEY") or secret("rest_key")
    request = urllib.request.Request(url.rstrip("/") + path, headers={"otree-rest-key": key})
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=timeout)


def session_apps(url: str, session: str) -> list[str]:
    """The apps that a session runs, in their order."""
    try:
        with fetch(url, f"/api/sessions/{session}") as answer:
            return json.load(answer)["config"]["app_sequence"]
    except urllib.error.HTTPError as error:
        if error.code == 404:
            raise Refusal(
                f"There is no session {session} at {url}; its code stands on {url}/sessions."
            ) from error
        if error.code == 403:
            raise Refusal(
                f"The server at {url} refuses the key of this folder: export from the folder that "
                "started it, or set OTREE_REST_KEY to that server's key."
            ) from error
        raise Refusal(f"The server at {url} failed ({error}); its own messages say why.") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refusal(
            f"No Card Lab server answers at {url}: start it with {COMMAND} run, "
            "or name its address with --url."
        ) from error


def export_functions(source: str) -> list[str]:
    """The names at the top of an app's source that oTree offers as exports, defined there or imported."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            names.update(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return sorted(name for name in names if name.startswith("custom_export"))


def export_file(app: str, function: str) -> str:
    """``ttt_solo_app_actions.csv`` for ``custom_export``; logs and summaries are text files."""
    name = function[len("custom_export") :].strip("_") or "actions"
    return f"{app}_{name}{'.txt' if name.endswith(('log', 'transform')) else '.csv'}"


def session_exports(url: str, session: str) -> dict[str, str]:
    """What there is to fetch of a session, file name -> path at the server, in the order of fetching."""
    exports = {"page_times.csv": "/api/export_page_times"}
    for app in session_apps(url, session):
        source = PROJECT / app / "__init__.py"
        if not source.exists():
            raise Refusal(
                f"Session {session} runs {app}, which this folder does not have: export from the server's."
            )
        query = f"app={app}&session_code={session}"
        exports[f"{app}.csv"] = f"/api/export_app?{query}"
        for function in export_functions(source.read_text("utf-8")):
            path = f"/api/export_app_custom?{query}&function_name={function}"
            exports[export_file(app, function)] = path
    exports["all_apps_wide.csv"] = f"/api/export_wide?session_code={session}"
    return exports


def fetch_file(url: str, path: str, file: Path, session: str) -> str:
    """Write one export, complete or not at all; its SHA-256. Page times come for all sessions."""
    unfinished = file.with_name(file.name + ".part")
    try:
        with fetch(url, path) as answer:
            content = answer.read()  # all at once: reading by lines would not notice a broken-off answer
        if file.name == "page_times.csv":
            header, *rows = content.splitlines(keepends=True)
            content = b"".join([header, *(row for row in rows if row.startswith(f"{session},".encode()))])
        unfinished.write_bytes(content)
        os.replace(unfinished, file)
    except (OSError, http.client.HTTPException) as error:
        raise Refusal(
            f"{file.name} could not be fetched ({error}); the server's own messages may say why."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return hashlib.sha256(content).hexdigest()


def export(arguments: argparse.Namespace) -> int:
    """Fetch all exports of a session. The long ones take no lock that participants would wait for."""
    session = arguments.session
    if not re.fullmatch(r"\w+", session, re.ASCII):
        raise Refusal(f"'{session}' is not a session code: it has letters and digits only, such as x8f2k1qz.")
    url = arguments.url or read_server_state().get("url", "http://127.0.0.1:8000")
    exports = session_exports(url, session)
    folder = Path(arguments.out) if arguments.out else PROJECT / "exports" / session
    folder.mkdir(parents=True, exist_ok=True)
    hashes = {}
    for name, path in exports.items():
        hashes[name] = fetch_file(url, path, folder / name, session)
        say(f"    {name}")
    write_readme(folder / "README.txt", session, url, hashes)
    say(f"{len(hashes)} exports of session {session} are in {folder}")
    apps = [name[: -len("_hands.csv")] for name in exports if name.endswith("_hands.csv")]
    missing = [hand for app in apps for hand in missing_hands(folder, app)]
    if missing:
        named = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if missing[5:] else "")
        print(
            f"Played, but missing from the table of hands, or paid otherwise than it says: {named}. "
            "Keep the database, and tell who looks after Card Lab.",
            file=sys.stderr,
        )
    return 1 if missing else 0


def missing_hands(folder: Path, app: str) -> list[str]:
    """The hands of an app that participants have left or were paid for, if the table of hands lacks them or
    has another payoff, as "CODE in round 2 of APP".

    oTree's page times and its own table of the app tell of a hand by themselves, not by its record. They are
    fetched before the table of hands, which then has at least what they have, also while play goes on.
    """
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    paid = collections.defaultdict(float)  # by participant and round
    for row in read_table(folder / "page_times.csv"):
        if (row["app_name"], row["page_name"]) == (app, HAND_PAGE):
            paid[row["participant_code"], row["round_number"]] = 0.0
    for row in read_table(folder / f"{app}.csv"):
        where = row["participant.code"], row["subsession.round_number"]
        points = float(row["player.payoff"] or 0)
        if where in paid or points:
            paid[where] = points
    recorded = {
        (row["participant_code"], row["hand_id"].rsplit("-", 1)[1]): float(row["payoff"])
        for row in read_table(folder / f"{app}_hands.csv")
        if row["participant_code"] and row["outcome"] != "open"
    }
    return [
        f"{participant} in round {number} of {app}"
        for (participant, number), points in sorted(paid.items())
        if abs(recorded.get((participant, number), math.inf) - points) > 0.005
    ]


def read_table(file: Path) -> list[dict[str, str]]:
    """A fetched table, by column."""
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def write_readme(file: Path, session: str, url: str, hashes: dict[str, str]) -> None:
    """What lies in the folder, from where and when."""
    version = re.search(r'__version__ = "(.+?)"', (PROJECT / "games" / "__init__.py").read_text("utf-8"))[1]
    now = datetime.datetime.now(datetime.timezone.utc)
    lines = [
        f"Exports of session {session}",
        f"fetched {now:%Y-%m-%d %H:%M:%S} UTC from {url}",
        f"by Card Lab {version}",
        "",
        "What every file and column means: docs/data-dictionary.md of Card Lab.",
        "",
        "SHA-256 of each file:",
        *(f"{digest}  {name}" for name, digest in hashes.items()),
    ]
    file.write_text("\n".join(lines) + "\n", "utf-8")


# ------------------------------------------------------------------ zip


def copy_project(folder: Path) -> Path:
    """A working copy of the project without what belongs to this installation; returns ``folder``."""
    return Path(shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns(*NOT_PROJECT)))


def pack(_arguments: argparse.Namespace) -> int:
    """What ``otree zip`` is for, as oTree unpacks it, but nothing of this installation is in it."""
    file = PROJECT / f"{PROJECT.name}.otreezip"
    try:
        with tempfile.TemporaryDirectory() as folder:
            copy = copy_project(Path(folder, "project"))
            with tarfile.open(Path(folder, file.name), "w:gz") as archive:
                archive.add(copy, arcname="")
            names = sorted(path.name for path in copy.iterdir())
            shutil.move(archive.name, file)
    except OSError as error:
        raise Refusal(f"The project could not be packed ({error}).") from error
    say(
        f"The project is packed in {file}:",
        textwrap.fill(", ".join(names), initial_indent="    ", subsequent_indent="    "),
        "Data, logs and secrets of this folder are not in it. Look whether the rest may go out.",
    )
    return 0


# ------------------------------------------------------------------ test


def browser_candidates() -> list[str]:
    """Where Chromium or Chrome may be, the likeliest first."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
    places = [shutil.which(name) for name in names]
    places.append("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
    places.append("/Applications/Chromium.app/Contents/MacOS/Chromium")
    for base in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        if base in os.environ:
            places.append(os.path.join(os.environ[base], "Google", "Chrome", "Application", "chrome.exe"))
    return [place for place in places if place and os.path.exists(place)]


def browser_starts(program: str) -> bool:
    """Whether a browser shows an empty page; some that are found are only a hint how to install one."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        command = [program, *options, "--dump-dom", "about:blank"]
        try:
            page = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            return False
        return "<html" in page.stdout


def playwright_browser() -> list[str]:
    """The browser that Playwright would download for itself, if it is there."""
    code = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as browsers: print(browsers.chromium.executable_path)"
    )
    found = subprocess.run([venv_program("python"), "-c", code], capture_output=True, text=True)
    place = found.stdout.strip()
    return [place] if place and os.path.exists(place) else []


def find_browser() -> str:
    """A Chromium or Chrome that starts, found or installed; a machine without one cannot be tested."""
    chosen = os.environ.get("CARD_LAB_CHROMIUM")
    if chosen:
        if browser_starts(chosen):
            return chosen
        raise Refusal(
            f"CARD_LAB_CHROMIUM names {chosen}, which does not start as a browser: correct or unset it."
        )
    for program in (*browser_candidates(), *playwright_browser()):
        if browser_starts(program):
            return program
    say("No Chromium or Chrome was found; installing one for the browser tests …")
    if apt_usable():
        apt_install("chromium", "fonts-dejavu-core")
    else:
        subprocess.run([venv_program("python"), "-m", "playwright", "install", "chromium"])
    for program in (*browser_candidates(), *playwright_browser()):
        if browser_starts(program):
            return program
    raise Refusal(
        "The browser tests need Chromium or Chrome, and none could be installed: "
        "install one, or set CARD_LAB_CHROMIUM to its program."
    )


def find_postgres() -> str | None:
    """The folder of PostgreSQL's programs, installed if that is simple; None leaves its tests out."""
    found = postgres_folder()
    if not found and apt_usable():
        say("Installing PostgreSQL for its tests …")
        apt_install("postgresql")
        found = postgres_folder()
    if not found:
        say("PostgreSQL is not on this machine (no initdb): its tests will be skipped.")
    return found


def postgres_folder() -> str | None:
    """The newest installation that has both programs its tests start."""
    on_path = [Path(program).resolve().parent for program in [shutil.which("initdb")] if program]
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: folder.parent.name, reverse=True
    )
    for folder in (*on_path, *debian):
        if all(shutil.which(program, path=str(folder)) for program in ("initdb", "postgres")):
            return str(folder)
    return None


def apt_usable() -> bool:
    """Whether packages of the system can be installed without asking: Debian's kin, as root."""
    return bool(shutil.which("apt-get")) and os.geteuid() == 0


def apt_install(*packages: str) -> None:
    """Install packages of the system; whoever needs them looks whether they came."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-q"], env=environment)
    subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages], env=environment)


def test_environment() -> dict[str, str]:
    """The environment of the tests: nothing of the user's own server or database."""
    own = ("OTREE_", "DATABASE_URL")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {**kept, **server_paths(), "OTREE_SECRET_KEY": "only for tests"}


def pytest_stages(options: list[str]) -> list[tuple[str, list[str]]]:
    """The quick tests, then those with servers and browsers; if ``options`` name files, those alone."""
    if any((PROJECT / option.split("::")[0]).exists() for option in options):
        return [("named tests", options)]
    slow = [f"tests/{room}" for room in ("lab", "server", "browser") if (PROJECT / "tests" / room).is_dir()]
    # Both on all cores, file by file; more than two servers with browsers would be in each other's way.
    quick = ["--numprocesses=auto", "--dist=loadfile", "tests", *(f"--ignore={room}" for room in slow)]
    slow = ["--numprocesses=2", "--dist=loadfile", *slow]
    return [("unit and property tests", [*quick, *options]), ("server and browser tests", [*slow, *options])]


def run_stage(title: str, program: str, arguments: list[str], environment: dict[str, str]) -> bool:
    """Run one stage under a header line; whether it went well. Nothing selected is well."""
    say("", f"== {title}")
    done = subprocess.run([venv_program(program), *arguments], cwd=PROJECT, env=environment)
    return done.returncode in ((0, 5) if "pytest" in arguments else (0,))


def run_pytest(title: str, options: list[str], environment: dict[str, str]) -> bool:
    """Run pytest, leaving its counts for ``counts``."""
    report = PROJECT / "test-results" / f"{title.replace(' ', '-')}.xml"
    return run_stage(title, "python", ["-m", "pytest", f"--junit-xml={report}", *options], environment)


def run_bots(environment: dict[str, str]) -> bool:
    """oTree's bots, in a working copy: oTree opens the database of the folder it runs in."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = copy_project(Path(folder, "card_lab"))
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
        say("", "== oTree's bots")
        bots = subprocess.Popen([venv_program("otree"), "test"], cwd=copy, env=environment, **streams)
        last = collections.deque(maxlen=60)  # the bots name every page they submit
        try:
            for line in bots.stdout:
                last.append(line)
                if line.startswith("Creating"):
                    say(line.rstrip())
            well = bots.wait() == 0
        finally:
            bots.kill()
        say("all bots came through" if well else "".join(last))
        return well


def counts() -> str:
    """``N passed, N failed, N skipped`` of all pytest runs so far."""
    tests = failed = skipped = 0
    for report in (PROJECT / "test-results").glob("*.xml"):
        for suite in ElementTree.parse(report).iter("testsuite"):
            tests += int(suite.get("tests", 0))
            failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            skipped += int(suite.get("skipped", 0))
    return f"{tests - failed - skipped} passed, {failed} failed, {skipped} skipped"


def test(arguments: argparse.Namespace) -> int:
    """Run everything that checks Card Lab, the quick first; stop at the first stage that fails."""
    install("requirements.txt", "requirements-analysis.txt", "requirements-dev.txt")
    install("requirements-dask.txt", folder=".venv-dask")  # whose packages oTree's do not suffer
    environment = {**test_environment(), "CARD_LAB_CHROMIUM": find_browser()}
    postgres = find_postgres()
    if postgres:
        environment["CARD_LAB_POSTGRES"] = postgres
    for report in (PROJECT / "test-results").glob("*.xml"):
        report.unlink()
    quick, *slow = pytest_stages(arguments.pytest)
    well = (
        run_stage("ruff check", "ruff", ["check", "."], environment)
        and run_stage("ruff format", "ruff", ["format", "--check", "."], environment)
        and run_pytest(*quick, environment)
        and run_bots(environment)
        and all(run_pytest(*stage, environment) for stage in slow)
    )
    say("", f"== {'everything is in order' if well else 'stopped at the failure above'}: {counts()}")
    return 0 if well else 1


# ------------------------------------------------------------------ the command line


def command_line() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(
        prog=COMMAND, description="Card Lab: run a lab server, export, zip, test."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="run | export | zip | test")
    serve_it = commands.add_parser("run", help="start the server", allow_abbrev=False)
    serve_it.add_argument("--port", type=port_number, default=8000, help="default 8000")
    serve_it.add_argument(
        "--host", default="127.0.0.1", help="0.0.0.0 for the whole network; default 127.0.0.1"
    )
    serve_it.add_argument(
        "--fresh", action="store_true", help="keep a copy of the database, start with an empty one"
    )
    serve_it.set_defaults(do=run)
    fetch_it = commands.add_parser("export", help="fetch every export of a session", allow_abbrev=False)
    fetch_it.add_argument("session", metavar="SESSION", help="the session's code")
    fetch_it.add_argument("--out", metavar="DIR", help="where to write; default exports/SESSION")
    fetch_it.add_argument("--url", help="the server's address; default: the one running from this folder")
    fetch_it.set_defaults(do=export)
    pack_it = commands.add_parser("zip", help="pack the project without data and secrets", allow_abbrev=False)
    pack_it.set_defaults(do=pack)
    test_it = commands.add_parser(
        "test", help="run all tests; further options go to pytest", allow_abbrev=False
    )
    test_it.set_defaults(do=test)
    return parser


def port_number(text: str) -> int:
    """A TCP port from the command line."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not '{text}'")
    return int(text)


def interrupt(*_signal) -> None:
    """Let every way of stopping be as Ctrl-C."""
    raise KeyboardInterrupt


def main() -> int:
    """Run the command; the exit code: 2 for what the person at the keyboard can put right."""
    if sys.version_info < (3, 10):  # noqa: UP036 an older Python gets here, too
        say(f"Card Lab needs Python 3.10 or newer, and this is {sys.version.split()[0]}: see python.org.")
        return 2
    parser = command_line()
    arguments, further = parser.parse_known_args()
    if further and arguments.do is not test:
        parser.error(f"unknown: {' '.join(further)}")
    arguments.pytest = further
    for stop in stop_signals():
        if stop != getattr(signal, "SIGHUP", None) or signal.getsignal(stop) != signal.SIG_IGN:  # nohup
            signal.signal(stop, interrupt)
    try:
        return arguments.do(arguments)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("", "Stopped.")
        return 130


if __name__ == "__main__":
    sys.exit(main())
