"""A rehearsal: a session played by simulated participants, on a server of its own with an empty database."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

from cardlab.operations import export, project
from cardlab.operations.database import open_sqlite
from cardlab.operations.environment import install, venv_program
from cardlab.operations.server import end_server, server_paths, start_server, wait_until_listening
from cardlab.operations.terminal import Refusal, say

FOLDER = "rehearsals"  # in the project's


def add_command(commands) -> None:
    """``lab.py rehearse``."""
    command = commands.add_parser(
        "rehearse", help="play a session with simulated participants", allow_abbrev=False
    )
    command.add_argument("config", metavar="CONFIG", help="the name of a session config, such as ttt_demo")
    command.add_argument("--participants", type=people, default=30, metavar="N", help="default 30")
    command.add_argument(
        "--pace",
        choices=("fast", "human"),
        default="fast",
        help="human: an action in about 3 seconds; default fast, as fast as the server answers",
    )
    command.add_argument(
        "--field",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a field of the session, as under Configure session; may be given several times",
    )
    command.add_argument("--seed", default="1", help="of what the participants do; default 1")
    command.set_defaults(do=rehearse)


def people(text: str) -> int:
    """A number of participants from the command line."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"a number of participants, 1 or more, not '{text}'")
    return int(text)


def rehearse(asked: argparse.Namespace) -> int:
    """Play a whole session; leave figures, exports and reports. 1 if anything went wrong in it, else 0."""
    install("requirements.txt")
    folder = new_folder(asked.config)
    try:
        with own_server(folder) as (server, url):
            say(f"Rehearsing {asked.config} with {asked.participants} participants …")
            done = play(asked, folder, url, server.pid)
            if done == 2:  # it has said why
                shutil.rmtree(folder)
                return 2
            say("", "Exports:")
            for session in json.loads((folder / "figures.json").read_text("utf-8"))["sessions"]:
                done = export.export(session["code"], str(folder / "exports"), url) or done
    finally:
        shutil.rmtree(folder / "server", ignore_errors=True)
    make_reports(folder)
    say("", f"Everything lies in {folder}")
    return done


def new_folder(config: str) -> Path:
    """A folder for one rehearsal, named by config and time."""
    name = "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in config)
    when = datetime.datetime.now().astimezone()
    folder = project.FOLDER / FOLDER / f"{name}-{when:%Y-%m-%d-%H%M%S}"
    while folder.exists():
        folder = folder.with_name(f"{folder.name}x")
    folder.mkdir(parents=True)
    return folder


@contextlib.contextmanager
def own_server(folder: Path) -> Iterator[tuple[subprocess.Popen, str]]:
    """A server with a working copy of the project, on a free port of this computer; ended by its process."""
    place, port = project.copy_project(folder / "server"), free_port()
    # The password, keys and database of the installation are none of its business.
    own = {
        name: value for name, value in os.environ.items() if not name.startswith(("OTREE_", "DATABASE_URL"))
    }
    os.environ["OTREE_REST_KEY"] = key = secrets.token_urlsafe(30)  # which the exports are fetched with, too
    keys = {"OTREE_PRODUCTION": "1", "OTREE_REST_KEY": key, "OTREE_SECRET_KEY": secrets.token_urlsafe(30)}
    open_sqlite(place / "db.sqlite3")
    messages = folder / "server.txt"
    with messages.open("ab") as file:
        server = start_server(
            "127.0.0.1",
            port,
            place,
            {**own, **keys, **server_paths()},
            stdout=subprocess.DEVNULL,
            stderr=file,
        )
    try:
        try:
            wait_until_listening(server, port)
        except Refusal:
            raise Refusal(f"The server of the rehearsal did not start; {messages} says why.") from None
        yield server, f"http://127.0.0.1:{port}"
    finally:
        end_server(server)


def free_port() -> int:
    """A TCP port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def play(asked: argparse.Namespace, folder: Path, url: str, pid: int) -> int:
    """Have the participants play; 1 if anything went wrong for one, 2 if nobody could."""
    command = [venv_program("python"), "-m", "cardlab.rehearsal", "--url", url, "--config", asked.config]
    command += ["--participants", str(asked.participants), "--pace", asked.pace, "--seed", asked.seed]
    command += [part for field in asked.field for part in ("--field", field)]
    command += ["--pid", str(pid), "--out", folder / "figures.json"]
    return subprocess.run(command, cwd=project.FOLDER).returncode


def make_reports(folder: Path) -> None:
    """The report of each app's actions; one that cannot be made says why by itself."""
    for table in sorted((folder / "exports").glob("*_actions.csv")):
        out = folder / "reports" / table.stem.removesuffix("_actions")
        command = [venv_program("python"), "-m", "cardlab.analysis", "report", table, "--out", out]
        if not subprocess.run(command, cwd=project.FOLDER, stdout=subprocess.DEVNULL).returncode:
            say(f"Report: {out / 'report.html'}")
