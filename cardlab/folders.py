"""The folders of Card Lab's own files, and of the project that uses them.

In a source checkout, both are the folder with ``lab.py``. Installed as a package, Card Lab's files are in
``cardlab/shipped/`` (``tools/build.py``), and the project is the current directory, as for oTree's commands.
"""

from pathlib import Path

_LIBRARY = Path(__file__).resolve().parent
_SHIPPED = _LIBRARY / "shipped"

IS_INSTALLED = _SHIPPED.is_dir()
OWN = _SHIPPED if IS_INSTALLED else _LIBRARY.parent
PROJECT = Path.cwd() if IS_INSTALLED else _LIBRARY.parent


def both(name: str) -> list[Path]:
    """Returns the folders of this name in the project and among Card Lab's files, without duplicates.

    The project's comes first: its files replace Card Lab's of the same name. A folder may be missing.
    """
    return list(dict.fromkeys([PROJECT / name, OWN / name]))


def command(name: str) -> str:
    """Returns how the user types a command, such as ``run`` or ``analysis report``, in messages."""
    if IS_INSTALLED:
        return f"cardlab {name}"
    return f"python -m cardlab.{name}" if name.startswith("analysis") else f"python3 lab.py {name}"


def install_command(extra: str) -> str:
    """Returns how the user installs the packages of an extra, such as ``analysis``."""
    return f'pip install "card-lab[{extra}]"' if IS_INSTALLED else f"python3 lab.py install {extra}"
