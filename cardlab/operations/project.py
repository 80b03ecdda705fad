"""The project's folder, and its files that belong to one installation."""

import fnmatch
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent
WINDOWS = os.name == "nt"
COMMAND = "py lab.py" if WINDOWS else "python3 lab.py"

# Patterns of files that belong to one installation, which copies leave out.
AT_THE_TOP = (
    *("secrets", "logs", "exports", "backups", "rehearsals", "test-results"),
    *("servers", "servers.toml"),  # of several behind one address: their data, and the database's password
    *(".check-*", "card-lab-bundle*", "wheels"),
)
ANYWHERE = (
    *(".git", ".venv", ".venv-dask", ".venv-docs", "node_modules", "*.sqlite3*", "*.otreezip", "*.mo"),
    *(".env", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".hypothesis", "__temp_bots_*"),
)


def copy_project(folder: Path) -> Path:
    """Copies the project without the files of this installation; returns ``folder``."""
    return Path(shutil.copytree(FOLDER, folder, ignore=leave_out(AT_THE_TOP, ANYWHERE), dirs_exist_ok=True))


def leave_out(at_the_top: Iterable[str], anywhere: Iterable[str]) -> Callable[[str, list[str]], set[str]]:
    """Returns the ``ignore`` of :func:`shutil.copytree` for a copy of the project.

    The arguments are patterns of names: at the top level, and in every folder.
    """
    top, everywhere = shutil.ignore_patterns(*at_the_top), shutil.ignore_patterns(*anywhere)

    def ignore(folder: str, names: list[str]) -> set[str]:
        return everywhere(folder, names) | (top(folder, names) if Path(folder) == FOLDER else set())

    return ignore


def is_installation_data(name: str) -> bool:
    """Returns whether an entry of the project's folder belongs to one installation."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in (*AT_THE_TOP, *ANYWHERE))
