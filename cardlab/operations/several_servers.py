"""Runs several servers behind one address: ``lab.py run --servers FILE`` (docs/how-to/several-servers.md).

Each is a ``lab.py run`` in its own folder, ``servers/LETTER``: a copy of the project that is updated at each
start and keeps its data. nginx, which must be installed, is the reverse proxy. A process that ends
unexpectedly is restarted; all are stopped together.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, NoReturn, TextIO

from cardlab.operations import languages, project
from cardlab.operations.addresses import check_port, listening_address, network_address
from cardlab.operations.environment import install, venv_program
from cardlab.operations.keys import secrets_folder, server_keys
from cardlab.operations.nginx import nginx_config
from cardlab.operations.project import WINDOWS
from cardlab.operations.running_server import server_lock, server_state
from cardlab.operations.server import ignore_stop_signals, wait_until_listening
from cardlab.operations.servers_file import LETTER, ROOMS, Server, Servers, database_url, read_file
from cardlab.operations.terminal import Refusal, say

LOGOUTS = "CARD_LAB_LOGOUTS"  # names the file of revoked logins (cardlab.guard.logins)
RESTART_PAUSE = 3  # seconds

CREATE_DATABASE = """
import sys, psycopg2
url, name = sys.argv[1].rsplit("/", 1)
try:
    psycopg2.connect(sys.argv[1]).close()
except psycopg2.OperationalError as error:
    if "does not exist" not in str(error):
        sys.exit(str(error))
    connection = psycopg2.connect(url + "/postgres")
    connection.autocommit = True
    connection.cursor().execute(f'CREATE DATABASE "{name}"')
"""


def run(file: Path, backup_minutes: int) -> int:
    """Serves until Ctrl-C or SIGTERM; returns the exit code."""
    if WINDOWS:
        raise Refusal("Running several servers behind one address needs Linux or macOS.")
    servers = read_file(file)
    for language in {servers.language, *(server.language for server in servers.servers)} - {None}:
        languages.check_language(str(language))
    address = listening_address(servers.host, os.environ.get("OTREE_ADMIN_PASSWORD"))
    nginx = nginx_program()
    for port in (servers.port, *(server.port for server in servers.servers)):
        check_port(address, port)
    install()
    with server_lock() as lock:
        folder = project.FOLDER / "servers"
        folder.mkdir(mode=0o700, exist_ok=True)
        processes = [
            server_process(servers, server, address, backup_minutes, lock) for server in servers.servers
        ]
        config = folder / "nginx.conf"
        config.write_text(nginx_config(servers, folder), "utf-8")
        proxy = SupervisedProcess("nginx", [nginx, "-c", str(config)], folder, dict(os.environ), lock)
        try:
            supervise(servers, processes, proxy, address)
        except KeyboardInterrupt:
            say("", "Stopping all servers …")
            return 0
        finally:
            ignore_stop_signals()
            for process in (proxy, *processes):
                process.terminate()
            for process in (proxy, *processes):
                process.wait()
            say("All servers have stopped.")


def server_process(
    servers: Servers, server: Server, address: str, backup_minutes: int, lock: TextIO
) -> SupervisedProcess:
    """Prepares a server's database and folder; returns its process, not yet started."""
    if url := database_url(servers, server):
        create_database(url, server.letter)
    folder = project.FOLDER / "servers" / server.letter
    renew_copy(folder)
    program = ["-m", "cardlab"] if project.IS_INSTALLED else ["lab.py"]
    command = [sys.executable, *program, "run", "--host", address, "--port", str(server.port)]
    command += ["--backup-minutes", str(backup_minutes)]
    return SupervisedProcess(f"server {server.letter}", command, folder, environment(servers, server), lock)


def supervise(
    servers: Servers, processes: list[SupervisedProcess], proxy: SupervisedProcess, address: str
) -> NoReturn:
    """Starts the servers, then the proxy, and restarts any that ends, until it is interrupted."""
    for process in processes:
        process.start()
    for process, server in zip(processes, servers.servers):
        process.wait_until_listening(server.port)
    proxy.start()
    proxy.wait_until_listening(servers.port)
    urls = {server.letter: f"http://127.0.0.1:{server.port}" for server in servers.servers}
    with server_state(f"http://127.0.0.1:{servers.port}", os.getpid(), urls):
        print_addresses(servers, address)
        while True:
            for process in (*processes, proxy):
                process.restart_if_ended()
            time.sleep(0.5)


def print_addresses(servers: Servers, address: str) -> None:
    """Prints the addresses to open in a browser."""
    public = "127.0.0.1" if address == "127.0.0.1" else network_address() or "THIS-COMPUTER'S-ADDRESS"
    url = f"http://{public}:{servers.port}"
    say("", f"{len(servers.servers)} Card Lab servers are running behind {url}")
    for server in servers.servers:
        direct_url = f"http://{public}:{server.port}/rooms"
        say(f"    server {server.letter}: admin pages {url}/server/{server.letter} (or {direct_url})")
        say(*(f"        room {room}: {url}/room/{room}" for room in server.rooms))
    say("Press Ctrl-C to stop them all.", "")


def nginx_program() -> str:
    """Returns the path of nginx. Raises Refusal if it is not installed."""
    folders = [os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]
    program = shutil.which("nginx", path=os.pathsep.join(folders))
    if program is None:
        raise Refusal(
            "nginx is not installed. Install it with: sudo apt install nginx-light (Debian, "
            "Ubuntu) or brew install nginx (macOS)."
        )
    return program


def renew_copy(folder: Path) -> None:
    """Updates ``folder`` to a copy of the current project; keeps its data and secrets."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if not project.is_installation_data(path.name):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    project.copy_project(folder)
    if not project.IS_INSTALLED and not (folder / ".venv").is_symlink():
        (folder / ".venv").symlink_to(project.FOLDER / ".venv")


def create_database(url: str, letter: str) -> None:
    """Creates the server's database if it does not exist. Raises Refusal."""
    command = [str(venv_program("python")), "-c", CREATE_DATABASE, url]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if result.returncode:
        reason = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Refusal(f"Cannot connect to or create the database of server {letter}: {reason}")


def environment(servers: Servers, server: Server) -> dict[str, str]:
    """Returns the environment of a server.

    All servers have the keys of this folder, so that a login, a label's link and ``lab.py export`` are valid
    on each of them. They share the file of revoked logins.
    """
    variables = {
        **server_keys(),
        LOGOUTS: os.environ.get(LOGOUTS) or str(secrets_folder() / "logged_out"),
        LETTER: server.letter,
        ROOMS: " ".join(server.rooms),
    }
    if language := server.language or servers.language:
        variables[languages.VARIABLE] = language
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    if url := database_url(servers, server):
        variables["DATABASE_URL"] = url
    return {**inherited, **variables}


class SupervisedProcess:
    """A process whose lines are printed with its name, and which can be restarted."""

    def __init__(
        self, name: str, command: list[str], folder: Path, environment: dict[str, str], lock: TextIO
    ) -> None:
        self.name = name
        self._command, self._folder, self._environment, self._lock = command, folder, environment, lock
        self._process: subprocess.Popen[str] | None = None
        self._restart_at = 0.0  # on the monotonic clock; 0 if no restart is due

    def start(self) -> None:
        """Starts the process. It inherits the lock, so that no other server starts while it runs."""
        process = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # Ctrl-C reaches this program alone, which stops the others in order
            pass_fds=[self._lock.fileno()],
        )
        threading.Thread(target=self._print_lines, args=(process.stdout,), daemon=True).start()
        self._process = process

    def _print_lines(self, lines: IO[str]) -> None:
        for line in lines:
            if line.strip():
                say(f"[{self.name}] {line.rstrip()}")

    def wait_until_listening(self, port: int) -> None:
        """Returns when it accepts connections. Raises Refusal if it ends before."""
        if self._process:
            wait_until_listening(self._process, port)

    def restart_if_ended(self) -> None:
        """Restarts the process after a pause if it has ended."""
        if self._process is None or self._process.poll() is None:
            return
        if not self._restart_at:
            say(f"The {self.name} stopped (exit code {self._process.returncode}) and is being restarted.")
            self._restart_at = time.monotonic() + RESTART_PAUSE
        elif time.monotonic() > self._restart_at:
            self._restart_at = 0.0
            self.start()

    def terminate(self) -> None:
        """Asks the process to stop."""
        if self._process and self._process.poll() is None:
            self._process.terminate()

    def wait(self) -> None:
        """Waits until the process has stopped; kills it after 30 seconds."""
        if self._process is None:
            return
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
