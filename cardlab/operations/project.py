"""The project's folder, and what in it belongs to one installation alone."""

import fnmatch
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent
WINDOWS = os.name == "nt"
COMMAND = "py lab.py" if WINDOWS else "python3 lab.py"

# Patterns of names that belong to one installation and not to the project: a copy leaves them out.
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
    """Copies the project without what belongs to this installation; returns ``folder``."""
    return Path(shutil.copytree(FOLDER, folder, ignore=leave_out(AT_THE_TOP, ANYWHERE), dirs_exist_ok=True))


def leave_out(at_the_top: Iterable[str], anywhere: Iterable[str]) -> Callable[[str, list[str]], set[str]]:
    """Returns the ``ignore`` of :func:`shutil.copytree` for a copy of the project.

    Both are patterns of names: at its top level, and in every folder. (``exports`` is data at the top and a
    package below.)
    """
    top, everywhere = shutil.ignore_patterns(*at_the_top), shutil.ignore_patterns(*anywhere)

    def ignore(folder: str, names: list[str]) -> set[str]:
        return everywhere(folder, names) | (top(folder, names) if Path(folder) == FOLDER else set())

    return ignore


def is_installation_data(name: str) -> bool:
    """Returns whether an entry of the project's folder belongs to one installation."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in (*AT_THE_TOP, *ANYWHERE))
