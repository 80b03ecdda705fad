"""The server's process: one at a time, started, watched, and ended with everything it started."""

from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from cardlab.operations import backups, languages, project, servers_file
from cardlab.operations.addresses import (
    add_host_names,
    check_port,
    host_name,
    listening_address,
    network_address,
    port_number,
)
from cardlab.operations.database import prepare_database
from cardlab.operations.environment import install, venv_program
from cardlab.operations.keys import secret
from cardlab.operations.one_server import only_server, server_state
from cardlab.operations.project import WINDOWS
from cardlab.operations.rest import fetch
from cardlab.operations.terminal import Refusal, say


def add_command(commands) -> None:
    """``lab.py run``."""
    command = commands.add_parser("run", help="start the server", allow_abbrev=False)
    command.add_argument("--port", type=port_number, default=8000, help="default 8000")
    command.add_argument(
        "--host", default="127.0.0.1", help="0.0.0.0 for the whole network; default 127.0.0.1"
    )
    command.add_argument(
        "--host-name",
        type=host_name,
        action="append",
        default=[],
        metavar="NAME",
        help="a further name under which browsers reach the server, such as lab.example.org; repeatable",
    )
    command.add_argument(
        "--fresh", action="store_true", help="keep a copy of the database, start with an empty one"
    )
    command.add_argument("--language", help="what participants read, such as it; default en (English)")
    command.add_argument(
        "--backup-minutes",
        type=minutes,
        default=backups.MINUTES,
        metavar="N",
        help=f"between two copies of the database, 0 for none; default {backups.MINUTES}",
    )
    command.add_argument(
        "--servers", type=Path, metavar="FILE", help="start several servers behind one address, as it says"
    )
    command.set_defaults(do=run_as_asked)


def run_as_asked(asked: argparse.Namespace) -> int:
    """One server, or the several of a file, which then says what else the options say."""
    add_host_names(asked.host_name, os.environ.get("OTREE_ADMIN_PASSWORD"))
    if asked.servers is None:
        return run(asked.host, asked.port, asked.fresh, asked.language, asked.backup_minutes)
    if (asked.host, asked.port, asked.fresh, asked.language) != ("127.0.0.1", 8000, False, None):
        raise Refusal("With --servers the file says host, port and language, and --fresh is for one server.")
    from cardlab.operations import several_servers  # which starts each as this module does

    return several_servers.run(asked.servers, asked.backup_minutes)


def minutes(text: str) -> int:
    """A number of minutes from the command line."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a whole number of minutes, 0 or more, not '{text}'")
    return int(text)


def run(host: str, port: int, fresh: bool, language: str | None, backup_minutes: int) -> int:
    """Serve until Ctrl-C or SIGTERM; the exit code."""
    language = languages.known(language or os.environ.get(languages.VARIABLE) or languages.ENGLISH)
    address = listening_address(host, os.environ.get("OTREE_ADMIN_PASSWORD"))
    check_port(address, port)
    install("requirements.txt")
    with only_server() as lock:
        prepare_database(fresh)
        try:
            with backups.made_meanwhile(backup_minutes):
                return serve(address, port, language, lock)
        finally:
            say("Card Lab has stopped.")


def serve(address: str, port: int, language: str, lock) -> int:
    """Start the server, say where it is, and stop it with everything it started."""
    # The server's stdout has a line for every request; what needs attention comes on stderr.
    streams = {"stdout": subprocess.DEVNULL} | ({} if WINDOWS else {"pass_fds": [lock.fileno()]})
    environment = {**server_environment(address), languages.VARIABLE: language}
    server = start_server(address, port, project.FOLDER, environment, **streams)
    try:
        wait_until_listening(server, port)
        with server_state(f"http://127.0.0.1:{port}", server.pid):
            if servers_file.LETTER not in os.environ:  # who starts several says where they are
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


def server_environment(address: str) -> dict[str, str]:
    """The environment of the server; keys that the user has set win over those of the installation."""
    environment = {
        "OTREE_PRODUCTION": "1",  # without it every page carries a panel with its variables
        "OTREE_SECRET_KEY": os.environ.get("OTREE_SECRET_KEY") or secret("secret_key"),
        "OTREE_REST_KEY": os.environ.get("OTREE_REST_KEY") or secret("rest_key"),
    }
    own = dict(os.environ)
    if has_password():
        own.setdefault("OTREE_AUTH_LEVEL", "STUDY")  # also behind a proxy on this computer
    else:
        own.pop("OTREE_ADMIN_PASSWORD", None)  # a blank one is none, and oTree would take it for one
    if address != "127.0.0.1":
        environment["OTREE_AUTH_LEVEL"] = "STUDY"
    return {**own, **environment, **server_paths()}


def has_password() -> bool:
    """Whether there is a password for the admin pages."""
    return bool(os.environ.get("OTREE_ADMIN_PASSWORD", "").strip())


def server_paths() -> dict[str, str]:
    """``otree`` is found by its name, and the timeout worker must reach 127.0.0.1 past any proxy."""
    path = os.pathsep.join([str(venv_program("otree").parent), os.environ.get("PATH", "")])
    no_proxy = ",".join(filter(None, [os.environ.get("no_proxy"), "127.0.0.1,localhost"]))
    return {"PATH": path, "no_proxy": no_proxy}


def start_server(address: str, port: int, folder: Path, environment: dict[str, str], **streams):
    """Start the server in ``folder``, as the head of a group that can be ended together."""
    command = [venv_program("python"), "-m", "cardlab.server.run", f"{address}:{port}"]
    group = {"creationflags": 0x200} if WINDOWS else {"start_new_session": True}  # CREATE_NEW_PROCESS_GROUP
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, **group, **streams
    )


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
        say(f"    participants open       http://{there}:{port}/room/… (links: on the page of the room)")
    if has_password():
        say("    the admin pages ask for the user admin and the password in OTREE_ADMIN_PASSWORD")
    say("Stop it with Ctrl-C.", "")


def keep_page_times(port: int) -> None:
    """oTree holds the last page times in memory until they are exported: have them written."""
    with contextlib.suppress(OSError, http.client.HTTPException):  # by HEAD, so that no export is made
        fetch(f"http://127.0.0.1:{port}", "/api/export_page_times", timeout=5, method="HEAD").close()


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


def stop_signals() -> list[int]:
    """The signals that mean "stop" on this system."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]
