"""Several servers behind one address: ``lab.py run --servers FILE`` (docs/several-servers.md).

Each is what ``lab.py run`` starts in a folder of its own, ``servers/LETTER``, a copy of the project that is
made anew at each start; its data stay there. nginx, which has to be installed, stands before them. Whichever
process ends by itself is started again; all are ended together.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from cardlab.operations import languages, nginx, project
from cardlab.operations.addresses import check_port, listening_address, network_address
from cardlab.operations.environment import install, venv_program
from cardlab.operations.keys import secret, secrets_folder
from cardlab.operations.one_server import only_server, server_state
from cardlab.operations.project import WINDOWS
from cardlab.operations.server import stop_signals, wait_until_listening
from cardlab.operations.servers_file import LETTER, ROOMS, OneServer, Servers, database_url, read_file
from cardlab.operations.terminal import Refusal, say

LOGOUTS = "CARD_LAB_LOGOUTS"  # the file of ended logins, as cardlab.guard.logins reads it
PAUSE = 3  # seconds before what has ended by itself is started again

CREATE = """
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
    """Serve until Ctrl-C or SIGTERM; the exit code."""
    if WINDOWS:
        raise Refusal("Several servers behind one address need Linux or macOS.")
    servers = read_file(file)
    for language in {servers.language, *(one.language for one in servers.servers)} - {None}:
        languages.known(language)
    address = listening_address(servers.host, os.environ.get("OTREE_ADMIN_PASSWORD"))
    program = nginx_program()
    for port in (servers.port, *(one.port for one in servers.servers)):
        check_port(address, port)
    install("requirements.txt")
    with only_server() as lock:
        folder = project.FOLDER / "servers"
        folder.mkdir(mode=0o700, exist_ok=True)
        kept = []
        for one in servers.servers:
            if url := database_url(servers, one):
                create_database(url, one.letter)
            renew(folder / one.letter)
            kept.append(
                Kept(
                    f"server {one.letter}",
                    [sys.executable, "lab.py", "run", "--host", address, "--port", str(one.port)]
                    + ["--backup-minutes", str(backup_minutes)],
                    folder / one.letter,
                    environment(servers, one),
                    lock,
                )
            )
        config = folder / "nginx.conf"
        config.write_text(nginx.config(servers, folder), "utf-8")
        before = Kept("nginx", [program, "-c", str(config)], folder, dict(os.environ), lock)
        try:
            for process in kept:
                process.start()
            for process, one in zip(kept, servers.servers):
                process.wait_until_listening(one.port)
            before.start()
            before.wait_until_listening(servers.port)
            addresses = {one.letter: f"http://127.0.0.1:{one.port}" for one in servers.servers}
            with server_state(f"http://127.0.0.1:{servers.port}", os.getpid(), addresses):
                welcome(servers, address)
                while True:
                    for process in (*kept, before):
                        process.look_after()
                    time.sleep(0.5)
        except KeyboardInterrupt:
            say("", "Stopping all servers …")
            return 0
        finally:
            for stop in stop_signals():
                signal.signal(stop, signal.SIG_IGN)  # a second Ctrl-C must not leave half of them running
            for process in (before, *kept):
                process.end()
            for process in (before, *kept):
                process.wait()
            say("All servers have stopped.")


def welcome(servers: Servers, address: str) -> None:
    """Say what to open."""
    there = "127.0.0.1" if address == "127.0.0.1" else network_address() or "THIS-COMPUTER'S-ADDRESS"
    at = f"http://{there}:{servers.port}"
    say("", f"{len(servers.servers)} servers of Card Lab are running behind {at}")
    for one in servers.servers:
        own = f"http://{there}:{one.port}/rooms"
        say(f"    server {one.letter}: admin pages {at}/server/{one.letter} (or {own})")
        say(*(f"        room {room}: {at}/room/{room}" for room in one.rooms))
    say("Stop them all with Ctrl-C.", "")


def nginx_program() -> str:
    """Where nginx is."""
    found = shutil.which(
        "nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    )
    if found is None:
        raise Refusal(
            "nginx is not installed: sudo apt install nginx-light (Debian, Ubuntu), brew install nginx."
        )
    return found


def renew(folder: Path) -> None:
    """Make ``folder`` a copy of the project as it is now; what belongs to its installation stays."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if not project.is_of_installation(path.name):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    project.copy_project(folder)
    environment = folder / ".venv"
    if not environment.is_symlink():
        environment.symlink_to(project.FOLDER / ".venv")


def create_database(url: str, letter: str) -> None:
    """Make the server's database if it is not there."""
    done = subprocess.run(
        [venv_program("python"), "-c", CREATE, url], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Refusal(f"The database of server {letter} can be neither reached nor made: {why}")


def environment(servers: Servers, one: OneServer) -> dict[str, str]:
    """What the program of a server is told. All have the keys of this folder: so a login, a label's link and
    ``lab.py export`` hold for every one of them. They share the file of ended logins."""
    told = {
        "OTREE_SECRET_KEY": os.environ.get("OTREE_SECRET_KEY") or secret("secret_key"),
        "OTREE_REST_KEY": os.environ.get("OTREE_REST_KEY") or secret("rest_key"),
        LOGOUTS: os.environ.get(LOGOUTS) or str(secrets_folder() / "logged_out"),
        LETTER: one.letter,
        ROOMS: " ".join(one.rooms),
    }
    if language := one.language or servers.language:
        told[languages.VARIABLE] = language
    own = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    if url := database_url(servers, one):
        told["DATABASE_URL"] = url
    return {**own, **told}


class Kept:
    """A process that is to run: its lines come out with its name, and it is started again if it ends."""

    def __init__(
        self, name: str, command: list[str], folder: Path, environment: dict[str, str], lock
    ) -> None:
        self.name = name
        self._command, self._folder, self._environment, self._lock = command, folder, environment, lock
        self._process: subprocess.Popen | None = None
        self._again = 0.0

    def start(self) -> None:
        """It inherits the lock, so that nothing else starts here while one of them is left."""
        self._process = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # Ctrl-C reaches this program alone, which ends them in their order
            pass_fds=[self._lock.fileno()],
        )
        threading.Thread(target=self._tell, args=(self._process.stdout,), daemon=True).start()

    def _tell(self, lines) -> None:
        for line in lines:
            if line.strip():
                say(f"[{self.name}] {line.rstrip()}")

    def wait_until_listening(self, port: int) -> None:
        """Return when it takes connections; refuse if it ends before."""
        wait_until_listening(self._process, port)

    def look_after(self) -> None:
        """Start it again, after a pause, if it has ended."""
        if self._process.poll() is None:
            return
        if not self._again:
            say(f"The {self.name} has ended (exit code {self._process.returncode}); it is started again.")
            self._again = time.monotonic() + PAUSE
        elif time.monotonic() > self._again:
            self._again = 0.0
            self.start()

    def end(self) -> None:
        """Tell it to stop."""
        if self._process and self._process.poll() is None:
            self._process.terminate()

    def wait(self) -> None:
        """Until it has stopped."""
        if self._process is None:
            return
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
