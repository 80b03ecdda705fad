"""The project's folder, and what in it belongs to one installation alone."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent
WINDOWS = os.name == "nt"
COMMAND = "py lab.py" if WINDOWS else "python3 lab.py"

# What belongs to one installation and not to the project: a working copy leaves it behind.
AT_THE_TOP = (
    *("secrets", "logs", "exports", "backups", "rehearsals", "test-results"),
    *("servers", "servers.toml"),  # of several behind one address: their data, and the database's password
    *(".check-*", "card-lab-bundle*", "wheels"),
)
ANYWHERE = (
    *(".git", ".venv", ".venv-dask", "node_modules", "*.sqlite3*", "*.otreezip", "*.mo"),
    *(".env", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".hypothesis", "__temp_bots_*"),
)
NOT_PROJECT = (*AT_THE_TOP, *ANYWHERE)


def version() -> str:
    """The version of Card Lab in this folder."""
    return re.search(r'__version__ = "(.+?)"', (FOLDER / "cardlab" / "__init__.py").read_text("utf-8"))[1]


def copy_project(folder: Path) -> Path:
    """A working copy of the project without what belongs to this installation; returns ``folder``."""
    return Path(shutil.copytree(FOLDER, folder, ignore=leave_out(AT_THE_TOP, ANYWHERE), dirs_exist_ok=True))


def leave_out(at_the_top: Iterable[str], anywhere: Iterable[str]) -> Callable[[str, list[str]], set[str]]:
    """The ``ignore`` of :func:`shutil.copytree` for a copy of the project: patterns of names at its top level
    and patterns of names in every folder. (``exports`` is data at the top and a package below.)"""
    top, everywhere = shutil.ignore_patterns(*at_the_top), shutil.ignore_patterns(*anywhere)

    def ignored(folder: str, names: list[str]) -> set[str]:
        return everywhere(folder, names) | (top(folder, names) if Path(folder) == FOLDER else set())

    return ignored


def is_of_installation(name: str) -> bool:
    """Whether what has this name in the folder belongs to one installation and not to the project."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in NOT_PROJECT)
