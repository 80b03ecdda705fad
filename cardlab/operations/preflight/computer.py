"""Checks this computer: its Python, disk and clock."""

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
from cardlab.operations.preflight import Finding, ok, problem, warning
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
    wanted = "card-lab[server]" if project.IS_INSTALLED else "requirements.txt"
    if sys.maxsize < 2**32:
        yield warning(
            f"Python {version} is a 32-bit version, for which some packages are not available. "
            "Install a 64-bit Python."
        )
    if is_installed():
        yield ok(f"Python {version}; the installed packages match {wanted}.")
    elif project.IS_INSTALLED:
        yield problem(
            f"The installed packages do not match {wanted}. Run: {sys.executable} -m pip install "
            f'"{wanted}". Settings and files were not checked.'
        )
    else:
        yield problem(
            "The installed packages do not match requirements.txt. To install them, run: "
            f"{COMMAND} run (it uses the internet or the folder wheels). Settings and files were "
            "not checked."
        )


def check_disk() -> Iterator[Finding]:
    """Checks the free space, which backups need too, and the kind of disk."""
    free = shutil.disk_usage(project.FOLDER).free
    size = database_file().stat().st_size if database_file().exists() else 0
    space = f"{free / 1e9:.1f} GB are free on the disk of {project.FOLDER}"
    if free < max(MIN_FREE, 3 * size):
        yield problem(f"Only {space}. Free some space, or moves can no longer be saved.")
    elif free < max(AMPLE_FREE, 30 * size):
        yield warning(f"{space}. Backups and exports may need more space.")
    else:
        yield ok(f"{space}.")
    kind = file_system(project.FOLDER)
    if any(fnmatch(kind, pattern) for pattern in REMOTE) and not database_url():
        yield problem(
            f"The folder is on a network disk ({kind}), where SQLite's locks are unreliable and "
            "moves may be lost. Move Card Lab to a local disk, or use PostgreSQL."
        )
    elif kind in TEMPORARY and not database_url():
        yield warning(
            f"The folder is on {kind}, which is erased when the computer or container restarts. "
            "Move Card Lab to a disk, or use PostgreSQL."
        )
    synced = [name for name in SYNCED if name.lower() in str(project.FOLDER).lower()]
    if synced:
        yield warning(
            f"The folder seems to be synchronized by {synced[0]}, which may copy the database "
            "while it is being written. Move Card Lab to another folder."
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
    """Returns the kind of a folder's nearest mount point; the later one, if two have the same path."""
    above = {Path(path): kind for path, kind in mounts if folder.resolve().is_relative_to(path)}
    return above[max(above, key=lambda path: len(path.parts))] if above else ""


def check_clock() -> Iterator[Finding]:
    """Checks that the clock is not behind existing files and rows."""
    now = datetime.datetime.now().astimezone()
    time_now = f"The clock shows {now:%A %d %B %Y, %H:%M} (UTC{now:%z})"
    citation = (project.own_files() / "CITATION.cff").read_text("utf-8")
    released = re.search(r"^date-released: (\S+)$", citation, re.MULTILINE)
    file, written = newest_file()
    if written > now.timestamp() + 60:
        at = datetime.datetime.fromtimestamp(written).astimezone()
        yield problem(
            f"{time_now}, but {file.relative_to(project.FOLDER)} was written on "
            f"{at:%d %B %Y at %H:%M}. Set the clock."
        )
    elif released and now.date() < datetime.date.fromisoformat(released[1]):
        yield problem(
            f"{time_now}, which is before the release of this Card Lab ({released[1]}). Set the clock."
        )
    else:
        yield ok(f"{time_now}. No file is newer. Compare the clock with your watch.")


def newest_file() -> tuple[Path, float]:
    """Returns the newest file of the project, its data and databases, and its time in Unix seconds."""
    ignored = (".git", ".venv*", "__pycache__", ".*_cache")
    newest = project.FOLDER, 0.0
    for folder, folders, names in os.walk(project.FOLDER):
        folders[:] = [
            name
            for name in folders
            if not any(fnmatch(name, pattern) for pattern in ignored)
            and not project.is_environment(Path(folder, name))
        ]
        for path in (Path(folder, name) for name in names):
            with contextlib.suppress(OSError):
                newest = max(newest, (path, path.stat().st_mtime), key=lambda pair: pair[1])
    return newest
