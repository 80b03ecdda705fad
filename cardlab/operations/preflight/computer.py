"""Checks this computer: its Python, disk and clock."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.database import database_file, database_url
from cardlab.operations.environment import is_installed
from cardlab.operations.preflight import ERROR, OK, WARNING, Finding
from cardlab.operations.project import COMMAND

MIN_FREE, AMPLE_FREE = 500e6, 2e9  # bytes on the disk: less is an error, less is a warning
# Network file systems, on which SQLite cannot rely on locks, and those that a restart erases.
REMOTE = (
    *("nfs*", "cifs", "smb*", "*sshfs*", "afs*", "9p", "ceph", "glusterfs"),
    *("webdav", "davfs*", "fuse.rclone"),
)
TEMPORARY = ("tmpfs", "ramfs", "overlay")
SYNCED = ("Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "iCloud", "Nextcloud", "Mobile Documents")
DRIVE_REMOTE = 4  # what GetDriveTypeW returns for a network drive


def check_python() -> Iterator[Finding]:
    """Checks the Python that runs this, and the server's packages."""
    version = platform.python_version()
    if sys.maxsize < 2**32:
        yield (
            WARNING,
            f"Python {version} is a 32-bit one: some packages are not to be had for it. Take a 64-bit one.",
        )
    if is_installed("requirements.txt"):
        yield OK, f"Python {version}; the server's packages are those of requirements.txt."
    else:
        yield (
            ERROR,
            f"The server's packages are not those of requirements.txt: {COMMAND} run installs them (from the "
            "internet, or from the folder wheels). Only then can settings and files be looked at.",
        )


def check_disk() -> Iterator[Finding]:
    """Checks the free space, which backups need too, and the kind of disk."""
    free = shutil.disk_usage(project.FOLDER).free
    size = database_file().stat().st_size if database_file().exists() else 0
    space = f"{free / 1e9:.1f} GB of the disk with {project.FOLDER} are free"
    if free < max(MIN_FREE, 3 * size):
        yield ERROR, f"Only {space}: make room, or no more moves can be written."
    elif free < max(AMPLE_FREE, 30 * size):
        yield WARNING, f"{space}: the copies of the database and the exports need room."
    else:
        yield OK, f"{space}."
    kind = file_system(project.FOLDER)
    if any(fnmatch(kind, pattern) for pattern in REMOTE) and not database_url():
        yield (
            ERROR,
            f"The folder lies on a disk of another computer ({kind}), where SQLite's locks do not hold "
            "and moves may be lost: put Card Lab on a disk of this computer, or use PostgreSQL.",
        )
    elif kind in TEMPORARY and not database_url():
        yield (
            WARNING,
            f"The folder lies on {kind}, which goes with a restart of this computer or container: put Card "
            "Lab on a disk, or use PostgreSQL.",
        )
    synced = [name for name in SYNCED if name.lower() in str(project.FOLDER).lower()]
    if synced:
        yield (
            WARNING,
            f"The folder seems to be kept in step by {synced[0]}, which may copy a database while it is "
            "written: put Card Lab elsewhere.",
        )


def file_system(folder: Path) -> str:
    """Returns the kind of file system, such as ``ext4`` or ``nfs4``; empty if it is unknown."""
    if sys.platform == "win32":
        import ctypes

        root = folder.resolve().anchor
        is_remote = root.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(root) == DRIVE_REMOTE
        return "smb" if is_remote else ""
    with contextlib.suppress(OSError):
        return file_system_in(Path("/proc/self/mountinfo").read_text("utf-8", errors="replace"), folder)
    with contextlib.suppress(OSError, subprocess.SubprocessError):  # macOS
        output = subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=10).stdout
        return _nearest_mount(re.findall(r"^.* on (/.*) \((\w+)", output, re.MULTILINE), folder)
    return ""


def file_system_in(mountinfo: str, folder: Path) -> str:
    """Returns the kind of file system of a folder, from the text of Linux's mountinfo (proc(5))."""
    mounts = []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        path = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), before.split(" ")[4])
        mounts.append((path, after.split(" ")[0]))
    return _nearest_mount(mounts, folder)


def _nearest_mount(mounts: Iterable[tuple[str, str]], folder: Path) -> str:
    """Returns the kind of the mount nearest above a folder; of two with the same path, the later."""
    above = {Path(path): kind for path, kind in mounts if folder.resolve().is_relative_to(path)}
    return above[max(above, key=lambda path: len(path.parts))] if above else ""


def check_clock() -> Iterator[Finding]:
    """Checks that the clock is not before something that has already happened."""
    now = datetime.datetime.now().astimezone()
    time_now = f"The clock says {now:%A %d %B %Y, %H:%M} (UTC{now:%z})"
    citation = (project.FOLDER / "CITATION.cff").read_text("utf-8")
    released = re.search(r"^date-released: (\S+)$", citation, re.MULTILINE)
    file, written = newest_file()
    if written > now.timestamp() + 60:
        at = datetime.datetime.fromtimestamp(written).astimezone()
        yield (
            ERROR,
            f"{time_now}, but {file.relative_to(project.FOLDER)} was written on {at:%d %B %Y at %H:%M}: "
            "set the clock.",
        )
    elif released and now.date() < datetime.date.fromisoformat(released[1]):
        yield ERROR, f"{time_now}, which is before this Card Lab was made ({released[1]}): set the clock."
    else:
        yield OK, f"{time_now}; nothing here is newer. Compare it with your watch."


def newest_file() -> tuple[Path, float]:
    """Returns the newest file of the project, its data and databases, and its time in Unix seconds."""
    ignored = (".git", ".venv*", "__pycache__", ".*_cache")
    newest = project.FOLDER / "lab.py", 0.0
    for folder, folders, names in os.walk(project.FOLDER):
        folders[:] = [name for name in folders if not any(fnmatch(name, pattern) for pattern in ignored)]
        for path in (Path(folder, name) for name in names):
            with contextlib.suppress(OSError):
                newest = max(newest, (path, path.stat().st_mtime), key=lambda pair: pair[1])
    return newest
