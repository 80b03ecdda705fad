"""The Python environments of the project, and the packages in them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import venv
from pathlib import Path

from laboratory import project
from laboratory.project import COMMAND, WINDOWS
from laboratory.terminal import Refusal, say


def venv_program(name: str, folder: str = ".venv") -> Path:
    """The path of a program of a virtual environment, ``python`` or ``otree``."""
    return project.FOLDER / folder / ("Scripts" if WINDOWS else "bin") / (name + (".exe" if WINDOWS else ""))


def venv_python_version(folder: str) -> str | None:
    """``3.11`` for an environment whose Python starts; None where there is none or it is broken."""
    question = [
        venv_program("python", folder),
        "-c",
        "import pip, sys; print('%d.%d' % sys.version_info[:2])",
    ]
    try:
        return subprocess.run(question, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def wanted_stamp(python: str, requirements: list[str], folder: str) -> dict[str, str]:
    """What an environment must have been made from; its programs hold its folder, so it may not move."""
    files = [*requirements, *sorted(path.name for path in project.FOLDER.glob("constraints*.txt"))]
    hashes = {name: hashlib.sha256((project.FOLDER / name).read_bytes()).hexdigest() for name in files}
    return {"python": python, "folder": str((project.FOLDER / folder).resolve()), **hashes}


def read_stamp(folder: str) -> dict[str, str]:
    """What the environment was made from; empty if an installation never came to its end."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads((project.FOLDER / folder / "card-lab.json").read_text("utf-8"))
    return {}


def installed(*requirements: str, folder: str = ".venv") -> bool:
    """Whether an environment is what the requirements files ask."""
    python = venv_python_version(folder)
    return (
        bool(python)
        and wanted_stamp(python, list(requirements), folder).items() <= read_stamp(folder).items()
    )


def install(*requirements: str, folder: str = ".venv", compiled: bool = True) -> None:
    """Bring an environment to what the requirements files ask; done in no time if it is there already.

    If not ``compiled``, each module is when it is first used: for who uses few of them.
    """
    python, stamp = venv_python_version(folder), read_stamp(folder)
    wanted = wanted_stamp(python or "", list(requirements), folder)
    if python and wanted.items() <= stamp.items():
        return
    if not python or any(stamp.get(key, wanted[key]) != wanted[key] for key in ("python", "folder")):
        say(f"Making the Python environment {folder} …")
        make_venv(folder)
        stamp, wanted = {}, wanted_stamp(venv_python_version(folder) or "", list(requirements), folder)
    say("Installing the packages Card Lab needs; the first time this takes a minute or two …")
    stamp_file = project.FOLDER / folder / "card-lab.json"
    stamp_file.unlink(missing_ok=True)  # an interrupted installation must not look like a finished one
    files = [part for name in requirements for part in ("-r", name)]
    program = venv_program("python", folder)
    options = ["--disable-pip-version-check", "--no-compile"]
    if subprocess.run([program, "-m", "pip", "install", *options, *files], cwd=project.FOLDER).returncode:
        raise Refusal(
            "The packages could not be installed: pip says why above. "
            f"Check that this computer is online, then run {COMMAND} again."
        )
    # pip would do it on one core. What is written for another Python cannot be compiled, and that is well.
    if compiled:
        subprocess.run([program, "-m", "compileall", "-qq", "-j", "0", project.FOLDER / folder])
    stamp_file.write_text(json.dumps({**stamp, **wanted}, indent=1), "utf-8")


def make_venv(folder: str) -> None:
    """A new environment, in place of a broken one if there is one."""
    try:
        venv.create(project.FOLDER / folder, clear=True, with_pip=True, symlinks=not WINDOWS)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Refusal(
            f"Python could not make the environment {folder} ({error}). On Debian and Ubuntu, "
            "install python3-venv (sudo apt install python3-venv); elsewhere, Python from python.org."
        ) from error
