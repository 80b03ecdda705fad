"""Makes participants' data readable only for the user who runs Card Lab. Does nothing on Windows."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.project import WINDOWS
from cardlab.operations.terminal import say

PRIVATE = 0o077  # a umask: files get the mode 0600, folders 0700
FILES = ("db.sqlite3*", "db-*.sqlite3*")
FOLDERS = ("backups", "exports", "journal", "logs", "rehearsals", "secrets")

_users_umask: int | None = None  # the umask before keep_private()


def keep_private() -> None:
    """Makes the existing data private, and all files that this process and its children create."""
    global _users_umask
    _users_umask = os.umask(PRIVATE)
    if WINDOWS:
        return
    # servers/ has complete copies of the project; each server tightens its own.
    paths = [project.FOLDER / "servers"]
    for pattern in FILES:
        paths += project.FOLDER.glob(pattern)
    for name in FOLDERS:
        paths += [project.FOLDER / name, *(project.FOLDER / name).rglob("*")]
    open_to_others = [path for path in paths if not make_private(path)]
    if open_to_others:
        say(
            f"{open_to_others[0]} belongs to another user, and all users of this computer can "
            f"read it ({len(open_to_others)} such files or folders). Ask its owner to run: chmod "
            "-R go= on it."
        )


def make_private(path: Path) -> bool:
    """Removes other users' permissions on a file or folder; returns whether that succeeded."""
    try:
        if path.is_symlink() or not path.stat().st_mode & PRIVATE:
            return True
        path.chmod(path.stat().st_mode & ~PRIVATE)
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True


@contextlib.contextmanager
def readable_for_others() -> Iterator[None]:
    """Restores the user's umask within the block, for files without data, such as packages."""
    if _users_umask is None:
        yield
        return
    os.umask(_users_umask)
    try:
        yield
    finally:
        os.umask(PRIVATE)
