"""The project's folder, and its files that belong to one installation."""

import fnmatch
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from cardlab import folders

FOLDER = folders.PROJECT
IS_INSTALLED = folders.IS_INSTALLED
WINDOWS = os.name == "nt"
COMMAND = "py lab.py" if WINDOWS else "python3 lab.py"
if IS_INSTALLED:
    COMMAND = "cardlab"

# Patterns of files that belong to one installation, which copies leave out.
AT_THE_TOP = (
    *("secrets", "logs", "exports", "backups", "journal", "rehearsals", "test-results"),
    *("servers", "servers.toml"),  # of several behind one address: their data, and the database's password
    *(".check-*", "card-lab-bundle*", "wheels"),
)
ANYWHERE = (
    *(".git", ".venv", ".venv-dask", ".venv-docs", ".venv-validators", ".venv-mutation", "node_modules"),
    *("*.sqlite3*", "*.otreezip", "*.mo", ".env", "__pycache__", ".pytest_cache", ".ruff_cache"),
    *(".mypy_cache", ".hypothesis", "__temp_bots_*"),
)


def own_files() -> Path:
    """Returns the folder of Card Lab's own files, such as its translations: in a checkout, the project's."""
    return folders.OWN if IS_INSTALLED else FOLDER


def all_paths(pattern: str) -> list[Path]:
    """Returns the paths that match a pattern in the project, then those among Card Lab's own files."""
    places = dict.fromkeys([FOLDER, own_files()])
    return [path for place in places for path in place.glob(pattern)]


def relative_path(path: Path) -> Path:
    """Returns a path relative to the project, or to Card Lab's own files."""
    return path.relative_to(FOLDER if path.is_relative_to(FOLDER) else own_files())


def copy_project(folder: Path) -> Path:
    """Copies the project without the files of this installation; returns ``folder``."""
    return Path(shutil.copytree(FOLDER, folder, ignore=leave_out(AT_THE_TOP, ANYWHERE), dirs_exist_ok=True))


def leave_out(at_the_top: Iterable[str], anywhere: Iterable[str]) -> Callable[[str, list[str]], set[str]]:
    """Returns the ``ignore`` of :func:`shutil.copytree` for a copy of the project.

    The arguments are patterns of names: at the top level, and in every folder.
    """
    top, everywhere = shutil.ignore_patterns(*at_the_top), shutil.ignore_patterns(*anywhere)

    def ignore(folder: str, names: list[str]) -> set[str]:
        environments = {name for name in names if is_environment(Path(folder, name))}
        at_top = top(folder, names) if Path(folder) == FOLDER else set()
        return everywhere(folder, names) | at_top | environments

    return ignore


def is_environment(folder: Path) -> bool:
    """Returns whether a folder is a virtual environment, of any name."""
    return (folder / "pyvenv.cfg").is_file()


def is_installation_data(name: str) -> bool:
    """Returns whether an entry of the project's folder belongs to one installation."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in (*AT_THE_TOP, *ANYWHERE))
