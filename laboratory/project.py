"""The project's folder, and what in it belongs to one installation alone."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
WINDOWS = os.name == "nt"
COMMAND = "py lab.py" if WINDOWS else "python3 lab.py"

# What belongs to one installation and not to the project: a working copy leaves it behind.
NOT_PROJECT = (
    *(".git", ".venv", ".venv-dask", "secrets", "logs", "exports", "backups", "rehearsals", "test-results"),
    *("servers", "servers.toml"),  # of several behind one address: their data, and the database's password
    *("*.sqlite3*", "*.otreezip", "*.mo"),
    *(".env", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".hypothesis", "__temp_bots_*"),
    *(".check-*", "card-lab-bundle*", "wheels"),
)


def version() -> str:
    """The version of Card Lab in this folder."""
    return re.search(r'__version__ = "(.+?)"', (FOLDER / "games" / "__init__.py").read_text("utf-8"))[1]


def copy_project(folder: Path) -> Path:
    """A working copy of the project without what belongs to this installation; returns ``folder``."""
    ignored = shutil.ignore_patterns(*NOT_PROJECT)
    return Path(shutil.copytree(FOLDER, folder, ignore=ignored, dirs_exist_ok=True))


def is_of_installation(name: str) -> bool:
    """Whether what has this name in the folder belongs to one installation and not to the project."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in NOT_PROJECT)
