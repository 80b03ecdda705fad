"""``lab.py rehearse``: simulated participants play a session on a separate server with an empty database."""

import argparse
import contextlib
import datetime
import json
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cardlab.operations import export, project
from cardlab.operations.database import open_sqlite
from cardlab.operations.environment import install, module_command
from cardlab.operations.server import end_server, server_paths, start_server, wait_until_listening
from cardlab.operations.terminal import Commands, Refusal, say

FOLDER = "rehearsals"  # in the project's folder


def add_command(commands: Commands) -> None:
    """Adds ``lab.py rehearse``."""
    command = commands.add_parser("rehearse", help="play a session with simulated participants")
    command.add_argument("config", metavar="CONFIG", help="the name of a session config, such as ttt_demo")
    command.add_argument("--participants", type=positive_number, default=30, metavar="N", help="default 30")
    command.add_argument(
        "--pace",
        choices=("fast", "human"),
        default="fast",
        help="human: one action in about 3 seconds; fast (the default): as fast as the server answers",
    )
    command.add_argument(
        "--field",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a session field, as in Configure session; repeat the option for several fields",
    )
    command.add_argument(
        "--online",
        action="store_true",
        help="participants of a recruiting service come one by one, leave and are replaced, in accelerated "
        "time; checks that the study keeps its promises",
    )
    command.add_argument(
        "--speed",
        type=positive_number,
        default=20,
        metavar="N",
        help="with --online: speed-up of time; default 20",
    )
    command.add_argument(
        "--minutes",
        type=positive_number,
        default=30,
        metavar="N",
        help="with --online: within how many minutes all places are taken first; default 30",
    )
    command.add_argument("--seed", default="1", help="the seed of the participants' decisions; default 1")
    command.set_defaults(do=rehearse)


def positive_number(text: str) -> int:
    """Parses a whole number, 1 or more, from the command line."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"enter a whole number, 1 or more, not '{text}'")
    return int(text)


def rehearse(options: argparse.Namespace) -> int:
    """Plays a session and writes figures, exports and reports. Returns 1 if anything failed, else 0."""
    if options.online and project.WINDOWS:
        raise Refusal("Time cannot be accelerated on Windows. Rehearse online studies on Linux or macOS.")
    install()
    folder, code = new_folder(options.config), 0
    clock = fast_clock(options.speed) if options.online else {}
    try:
        with separate_server(folder, clock) as (server, url):
            say(f"Rehearsing {options.config} with {options.participants} participants …")
            code = play(options, folder, url, server.pid, clock)
            if code == 2:  # it has printed why
                return code
            say("", "Exports:")
            for session in json.loads((folder / "figures.json").read_text("utf-8"))["sessions"]:
                code = export.export(session["code"], str(folder / "exports"), url) or code
    finally:
        shutil.rmtree(folder if code == 2 else folder / "server", ignore_errors=True)
    make_reports(folder)
    say("", f"All results are in {folder}")
    return code


def fast_clock(speed: int) -> dict[str, str]:
    """Returns the environment in which a process's clocks run ``speed`` times as fast, from now on."""
    now_ns, steady_ns = time.time_ns(), time.monotonic_ns()
    return {
        "PYTHONPATH": str(Path(__file__).parents[1] / "rehearsal" / "fast_time"),
        "CARD_LAB_FAST_TIME": f"{speed} {now_ns / 1e9}",
        "CARD_LAB_CLOCK": str(now_ns - speed * steady_ns),  # of cardlab.core.clock
    }


def new_folder(config: str) -> Path:
    """Creates a folder for one rehearsal, named after config and time."""
    name = "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in config)
    when = datetime.datetime.now().astimezone()
    folder = project.FOLDER / FOLDER / f"{name}-{when:%Y-%m-%d-%H%M%S}"
    while folder.exists():
        folder = folder.with_name(f"{folder.name}x")
    folder.mkdir(parents=True)
    return folder


@contextlib.contextmanager
def separate_server(
    folder: Path, clock: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[subprocess.Popen[Any], str]]:
    """Runs a server within the block, in a copy of the project and on a free port; yields it and its URL.

    ``clock`` is the environment of an accelerated clock.
    """
    copy, port = project.copy_project(folder / "server"), free_port()
    # It must not use the password, keys and database of this installation.
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("OTREE_", "DATABASE_URL"))
    }
    os.environ["OTREE_REST_KEY"] = key = secrets.token_urlsafe(30)  # the exports are fetched with it, too
    keys = {"OTREE_PRODUCTION": "1", "OTREE_REST_KEY": key, "OTREE_SECRET_KEY": secrets.token_urlsafe(30)}
    environment = {**inherited, **keys, **server_paths(), **clock}
    open_sqlite(copy / "db.sqlite3")
    messages = folder / "server.txt"
    with messages.open("ab") as file:
        server = start_server("127.0.0.1", port, copy, environment, stdout=subprocess.DEVNULL, stderr=file)
    try:
        try:
            wait_until_listening(server, port)
        except Refusal:
            raise Refusal(
                f"The server for the rehearsal did not start. The reason is in {messages}"
            ) from None
        yield server, f"http://127.0.0.1:{port}"
    finally:
        end_server(server)


def free_port() -> int:
    """Returns a TCP port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def play(options: argparse.Namespace, folder: Path, url: str, pid: int, clock: Mapping[str, str]) -> int:
    """Runs the participants; returns 1 if one had an error or a promise was broken, 2 if none could play."""
    command = module_command("cardlab.rehearsal", "--url", url, "--config", options.config)
    command += ["--participants", str(options.participants), "--pace", options.pace, "--seed", options.seed]
    command += [part for field in options.field for part in ("--field", field)]
    command += ["--pid", str(pid), "--out", str(folder / "figures.json")]
    if options.online:
        command += ["--online", "--minutes", str(options.minutes)]
    return subprocess.run(command, cwd=project.FOLDER, env={**os.environ, **clock}).returncode


def make_reports(folder: Path) -> None:
    """Draws a report of each app's actions, or prints the error."""
    for table in sorted((folder / "exports").glob("*_actions.csv")):
        out = folder / "reports" / table.stem.removesuffix("_actions")
        command = module_command("cardlab.analysis", "report", str(table), "--out", str(out))
        if not subprocess.run(command, cwd=project.FOLDER, stdout=subprocess.DEVNULL).returncode:
            say(f"Report: {out / 'report.html'}")
