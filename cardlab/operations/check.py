"""``lab.py check``: what would hinder a session, told before anybody has come."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import platform
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from statistics import median

from cardlab.operations import project
from cardlab.operations.addresses import check_port, listening_address, network_address, port_number
from cardlab.operations.database import (
    damage,
    database_file,
    database_url,
    has_content,
    lost_data,
    without_server,
)
from cardlab.operations.environment import installed, venv_python_version
from cardlab.operations.one_server import read_server_state
from cardlab.operations.project import COMMAND, WINDOWS
from cardlab.operations.terminal import Refusal, say

OK, LOOK, WRONG = "OK", "Look", "Wrong"
Finding = tuple[str, str]  # one of these, and a sentence

NEEDED, WANTED = 500e6, 2e9  # bytes free: without these nothing is begun; with these nobody need look
COMMITS = 20  # of which the middle one is told
SLOW = 0.05  # seconds; a commit that takes longer is felt at each move
# File systems of other computers, on which SQLite cannot rely on locks, and those that end with this one.
REMOTE = (
    "nfs*",
    "cifs",
    "smb*",
    "*sshfs*",
    "afs*",
    "9p",
    "ceph",
    "glusterfs",
    "webdav",
    "davfs*",
    "fuse.rclone",
)
FLEETING = ("tmpfs", "ramfs", "overlay")
SYNCED = ("Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "iCloud", "Nextcloud", "Mobile Documents")
EXAMPLES = ("choose one", "choose-one", "password", "admin", "secret")  # passwords that anybody tries first


def add_command(commands) -> None:
    """``lab.py check``."""
    command = commands.add_parser("check", help="look whether a session can be run", allow_abbrev=False)
    command.add_argument("--port", type=port_number, default=8000, help="as for run; default 8000")
    command.add_argument(
        "--host", default="0.0.0.0", help="as for run, but by default 0.0.0.0, the whole network"
    )
    command.add_argument(
        "--session-config",
        action="append",
        default=[],
        metavar="NAME",
        help="deal this one; without it, all that settings.py has",
    )
    command.set_defaults(do=lambda asked: check(asked.host, asked.port, asked.session_config))


def check(host: str, port: int, configs: list[str]) -> int:
    """Say what was found, a line each; 1 if anything is wrong, else 0."""
    said = dict.fromkeys((OK, LOOK, WRONG), 0)
    for kind, sentence in findings(host, port, configs):
        said[kind] += 1
        say(f"{kind + (':' if kind == WRONG else ''):6} {sentence}")
    look = f"{said[LOOK]} to look at"
    if said[WRONG]:
        say("", f"{said[WRONG]} wrong, {look}: put right what is wrong before anybody comes.")
    else:
        say("", f"Nothing hinders a session; {look}." if said[LOOK] else "Nothing hinders a session.")
    return 1 if said[WRONG] else 0


def findings(host: str, port: int, configs: list[str]) -> Iterator[Finding]:
    """Everything that is looked at, in order; what cannot be looked at is wrong too."""
    looks = (
        python_findings,
        disk_findings,
        clock_findings,
        database_findings,
        lambda: password_findings(host),
        lambda: network_findings(host, port),
        lambda: project_findings(configs),
    )
    for look in looks:
        try:
            yield from look()
        except Refusal as refusal:
            yield WRONG, str(refusal)
        except (OSError, sqlite3.Error, subprocess.SubprocessError) as error:
            yield WRONG, f"This could not be looked at: {error}."


# ------------------------------------------------------------------ this computer


def python_findings() -> Iterator[Finding]:
    """The Python that runs this, and the one of the server."""
    here = platform.python_version()
    if sys.maxsize < 2**32:
        yield (
            LOOK,
            f"Python {here} is a 32-bit one: some packages are not to be had for it. Take a 64-bit one.",
        )
    if not installed("requirements.txt"):
        yield (
            WRONG,
            f"The server's packages are not those of requirements.txt: {COMMAND} run installs them (from the "
            "internet, or from the folder wheels). Only then can settings and files be looked at.",
        )
    else:
        yield OK, f"Python {here}; the server's packages are those of requirements.txt."


def disk_findings() -> Iterator[Finding]:
    """Room on the disk, for the copies of the database too; and what kind of disk it is."""
    free = shutil.disk_usage(project.FOLDER).free
    size = database_file().stat().st_size if database_file().exists() else 0
    where = f"{free / 1e9:.1f} GB of the disk with {project.FOLDER} are free"
    if free < max(NEEDED, 3 * size):
        yield WRONG, f"Only {where}: make room, or no more moves can be written."
    elif free < max(WANTED, 30 * size):
        yield LOOK, f"{where}: the copies of the database and the exports need room."
    else:
        yield OK, f"{where}."
    kind = file_system(project.FOLDER)
    if any(fnmatch(kind, each) for each in REMOTE):
        if not database_url():
            yield (
                WRONG,
                f"The folder lies on a disk of another computer ({kind}), where SQLite's locks do not hold "
                "and moves may be lost: put Card Lab on a disk of this computer, or use PostgreSQL.",
            )
    elif kind in FLEETING and not database_url():
        yield (
            LOOK,
            f"The folder lies on {kind}, which goes with a restart of this computer or container: put Card "
            "Lab on a disk, or use PostgreSQL.",
        )
    synced = [name for name in SYNCED if name.lower() in str(project.FOLDER).lower()]
    if synced:
        yield (
            LOOK,
            f"The folder seems to be kept in step by {synced[0]}, which may copy a database while it is "
            "written: put Card Lab elsewhere.",
        )


def file_system(folder: Path) -> str:
    """The kind of file system, such as ``ext4`` or ``nfs4``; nothing where it cannot be told."""
    if WINDOWS:
        import ctypes

        remote = 4  # DRIVE_REMOTE
        root = folder.resolve().anchor
        return (
            "smb" if root.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(root) == remote else ""
        )
    with contextlib.suppress(OSError):
        return kind_of_mount(Path("/proc/self/mountinfo").read_text("utf-8", errors="replace"), folder)
    with contextlib.suppress(OSError, subprocess.SubprocessError):  # macOS
        told = subprocess.run(["mount"], capture_output=True, text=True, timeout=10).stdout
        lines = re.findall(r"^.* on (/.*) \((\w+)", told, re.MULTILINE)
        return kind_at(lines, folder)
    return ""


def kind_of_mount(mountinfo: str, folder: Path) -> str:
    """The kind of file system that a folder is on, from what Linux tells (proc(5))."""
    mounts = []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        place = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), before.split(" ")[4])
        mounts.append((place, after.split(" ")[0]))
    return kind_at(mounts, folder)


def kind_at(mounts: list[tuple[str, str]], folder: Path) -> str:
    """Of places and kinds the kind of the place nearest above a folder; of two at one place the later."""
    above = {Path(place): kind for place, kind in mounts if folder.resolve().is_relative_to(place)}
    return above[max(above, key=lambda place: len(place.parts))] if above else ""


def clock_findings() -> Iterator[Finding]:
    """Whether the clock can be right: not before what has happened already."""
    now = datetime.datetime.now().astimezone()
    says = f"The clock says {now:%A %d %B %Y, %H:%M} (UTC{now:%z})"
    released = re.search(
        r"^date-released: (\S+)$", (project.FOLDER / "CITATION.cff").read_text("utf-8"), re.MULTILINE
    )
    file, written = newest_file()
    if written > now.timestamp() + 60:
        at = datetime.datetime.fromtimestamp(written).astimezone()
        yield (
            WRONG,
            f"{says}, but {file.relative_to(project.FOLDER)} was written on {at:%d %B %Y at %H:%M}: "
            "set the clock.",
        )
    elif released and now.date() < datetime.date.fromisoformat(released[1]):
        yield WRONG, f"{says}, which is before this Card Lab was made ({released[1]}): set the clock."
    else:
        yield OK, f"{says}; nothing here is newer. Compare it with your watch."


def newest_file() -> tuple[Path, float]:
    """The file of the project, its data and databases that was written last, and when, in Unix seconds."""
    environments = (".git", ".venv*", "__pycache__", ".*_cache")
    newest = project.FOLDER / "lab.py", 0.0
    for folder, folders, names in os.walk(project.FOLDER):
        folders[:] = [name for name in folders if not any(fnmatch(name, each) for each in environments)]
        for path in (Path(folder, name) for name in names):
            with contextlib.suppress(OSError):
                newest = max(newest, (path, path.stat().st_mtime), key=lambda pair: pair[1])
    return newest


# ------------------------------------------------------------------ the database


def database_findings() -> Iterator[Finding]:
    """Whether SQLite's database is whole, and whether what is written into its folder is on disk. (What
    PostgreSQL is, its own program must tell: ``project_findings``.)"""
    if database_url():
        return
    file = database_file()
    if lost := lost_data(file):
        yield WRONG, lost
        return
    there = has_content(file)
    if there:
        if found := damage(file):
            yield WRONG, f"{file.name} is damaged ({found}): {COMMAND} restore goes back to a copy."
            return
        try:
            with contextlib.closing(sqlite3.connect(file, timeout=2, isolation_level=None)) as database:
                database.execute("BEGIN IMMEDIATE")
                database.execute("ROLLBACK")
        except sqlite3.Error as error:
            yield (
                WRONG,
                f"{file.name} cannot be written ({error}): close what else uses it; look at its rights.",
            )
            return
    yield written_into(project.FOLDER, f"{file.name} is whole and can be written" if there else "")


def written_into(folder: Path, well: str = "") -> Finding:
    """A finding on a database of a moment's duration in a folder: written as the server's is."""
    try:
        with (
            tempfile.TemporaryDirectory(prefix=".check-", dir=folder) as place,
            contextlib.closing(sqlite3.connect(Path(place, "db.sqlite3"), isolation_level=None)) as made,
        ):
            mode = made.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            made.execute("CREATE TABLE written (number INTEGER)")
            seconds = []
            for number in range(COMMITS):
                begun = time.perf_counter()
                made.execute("INSERT INTO written VALUES (?)", [number])
                seconds.append(time.perf_counter() - begun)
    except (sqlite3.Error, OSError) as error:
        return WRONG, f"No database can be written in {folder} ({error}): look at its rights and its disk."
    if mode != "wal":
        return WRONG, f"The disk of {folder} cannot keep SQLite's write-ahead log: put Card Lab on another."
    well = well or "A database can be written here (there is none yet)"
    if median(seconds) > SLOW:
        return (
            LOOK,
            f"{well}, but a move takes {1000 * median(seconds):.0f} ms until it is on disk: a slow disk.",
        )
    return OK, f"{well}; a move is on disk within {1000 * median(seconds):.1f} ms."


# ------------------------------------------------------------------ password, port, network


def password_findings(host: str) -> Iterator[Finding]:
    """The password of the admin pages."""
    password = (os.environ.get("OTREE_ADMIN_PASSWORD") or "").strip()
    if not password:
        if host.startswith("127.") or host == "localhost":
            yield OK, "No password is needed: the server will hear this computer alone."
        else:
            listening_address(host, None)  # which refuses it in words
        return
    if password.lower() in EXAMPLES or len(password) < 8:
        why = "one that anybody tries first" if password.lower() in EXAMPLES else "short"
        yield LOOK, f"The password in OTREE_ADMIN_PASSWORD is {why}: take another, of 8 letters or more."
    else:
        yield OK, "A password is set."


def network_findings(host: str, port: int) -> Iterator[Finding]:
    """Whether the port is free, and whether this computer answers at its address on the network."""
    address = listening_address(host, "whatever it is")  # of the password is told above
    there = network_address()
    running = read_server_state().get("url", "")
    if running and answers("127.0.0.1", int(running.rsplit(":", 1)[1])):
        yield OK, f"Card Lab is running from this folder at {running}."
        if running.endswith(f":{port}"):
            yield from reached(address, there, port)
            return
        yield LOOK, f"It has another port than {port}: use that one, or stop it first."
    check_port(address, port)
    yield OK, f"Port {port} is free."
    with socket.create_server((address, port)):
        yield from reached(address, there, port)


def reached(address: str, there: str | None, port: int) -> Iterator[Finding]:
    """Whether a connection by the network address comes in where somebody listens."""
    if address.startswith("127."):
        yield LOOK, "With this --host no other computer can reach the server: leave it out, or use 0.0.0.0."
    elif not there:
        yield LOOK, "This computer is in no network: look at its cable or Wi-Fi."
    elif not answers(there, port):
        yield (
            WRONG,
            f"This computer does not answer itself at {there}, port {port}: a firewall on it may forbid it. "
            "Allow incoming connections for Python or for the port.",
        )
    else:
        yield OK, f"This computer answers at http://{there}:{port}, its address on the network."
        yield (
            LOOK,
            "A firewall may still keep others out, which cannot be seen from here: when the server runs, "
            f"open http://{there}:{port} on one of the participants' computers.",
        )


def answers(address: str, port: int) -> bool:
    """Whether somebody takes connections there."""
    with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=3):
        return True
    return False


# ------------------------------------------------------------------ what the project holds


def project_findings(configs: list[str]) -> Iterator[Finding]:
    """Session configs, rooms and the database, as a process in the server's environment finds them."""
    if not installed("requirements.txt") or not venv_python_version(".venv"):
        return  # python_findings says so
    file = database_file()
    url = database_url() or ("sqlite:///db.sqlite3" if file.exists() and file.stat().st_size else "")
    command, environment = without_server("cardlab.server.preflight", url, *configs)
    child = subprocess.Popen(
        command,
        cwd=project.FOLDER,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    told, errors = child.communicate()
    for line in told.splitlines():
        with contextlib.suppress(ValueError):
            kind, sentence = json.loads(line)
            yield kind, sentence
    if child.returncode:
        yield WRONG, f"The project's settings or apps cannot be loaded: {why(errors)}"


def why(errors: str) -> str:
    """The end of a traceback in one line: where it happened, and what."""
    last = (errors.strip() or "no reason was given").splitlines()[-1]
    places = re.findall(r'File "(.+)", line (\d+)', errors)
    own = [f"{Path(file).name}, line {line}: " for file, line in places if ".venv" not in Path(file).parts]
    return (own[-1] if own else "") + last
