"""The project's Python environments and their packages."""

import collections
import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from cardlab.operations import pip_errors, project
from cardlab.operations.private_files import readable_for_others
from cardlab.operations.project import COMMAND, WINDOWS
from cardlab.operations.supported_python import is_supported
from cardlab.operations.terminal import Refusal, say

WHEELS = "wheels"  # a bundle's folder with all packages
ERROR_LINES = 1000  # the last lines of pip's errors, which are searched for the cause


def this_system() -> str:
    """Returns this system's name in bundles, such as ``linux-x86_64`` or ``macos-arm64``."""
    systems = {"win32": "windows", "darwin": "macos"}
    return f"{systems.get(sys.platform, sys.platform)}-{platform.machine().lower()}"


def this_python() -> str:
    """Returns the version of the Python that runs this, such as ``3.11``."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def uses_this_python() -> bool:
    """Returns whether ``CARD_LAB_VENV=no`` replaces ``.venv`` by this Python, as in a container."""
    return os.environ.get("CARD_LAB_VENV", "").strip().lower() == "no"


def venv_program(name: str, folder: str = ".venv") -> Path:
    """Returns the path of a program of a virtual environment, such as ``python`` or ``otree``."""
    if uses_this_python() and folder == ".venv":
        return Path(sys.executable) if name == "python" else Path(sysconfig.get_path("scripts"), name)
    return project.FOLDER / folder / ("Scripts" if WINDOWS else "bin") / (name + (".exe" if WINDOWS else ""))


def module_command(module: str, *arguments: str, folder: str = ".venv") -> list[str]:
    """Returns the command that runs a module with the Python of a virtual environment."""
    return [str(venv_program("python", folder)), "-m", module, *arguments]


def venv_python_version(folder: str) -> str | None:
    """Returns a version such as ``3.11``; None if the environment does not exist or is broken."""
    code = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
    command = [str(venv_program("python", folder)), "-c", code]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def wanted_stamp(python: str, requirements: list[str], folder: str) -> dict[str, str]:
    """Returns the inputs of an environment: Python, hashes, and folder, because it cannot be moved."""
    files = [*requirements, *sorted(path.name for path in project.FOLDER.glob("constraints*.txt"))]
    hashes = {name: hashlib.sha256((project.FOLDER / name).read_bytes()).hexdigest() for name in files}
    return {"python": python, "folder": str((project.FOLDER / folder).resolve()), **hashes}


def read_stamp(folder: str) -> dict[str, str]:
    """Returns the inputs from which an environment was made; empty if the installation was not finished."""
    with contextlib.suppress(OSError, ValueError):
        stamp: dict[str, str] = json.loads((project.FOLDER / folder / "card-lab.json").read_text("utf-8"))
        return stamp
    return {}


def is_installed(*requirements: str, folder: str = ".venv") -> bool:
    """Returns whether an environment has what the requirements files demand."""
    if uses_this_python() and folder == ".venv":
        return not missing_packages(*requirements)
    python = venv_python_version(folder)
    if not python:
        return False
    return wanted_stamp(python, list(requirements), folder).items() <= read_stamp(folder).items()


def missing_packages(*requirements: str) -> list[str]:
    """Returns the packages of requirements files that this Python lacks, as ``name==version``."""
    found = {each.metadata["Name"].lower(): each.version for each in importlib.metadata.distributions()}
    pinned = [pin for name in requirements for pin in pins(name, this_python()).items()]
    return [f"{name}=={version}" for name, version in pinned if found.get(name.lower()) != version]


def pins(file: str, python: str) -> dict[str, str]:
    """Returns the exact versions in a requirements file for a Python such as ``3.11``, by package."""
    text = (project.FOLDER / file).read_text("utf-8")
    lines = re.findall(r"^([\w.-]+)==([^\s;]+)[ \t]*(?:;[ \t]*(.*?))?[ \t]*$", text, re.MULTILINE)
    return {name: version for name, version, marker in lines if marker_holds(marker, python)}


def marker_holds(marker: str, python: str) -> bool:
    """Returns whether an environment marker, ``python_version < "3.11"`` or with ``>=``, holds for a Python.

    Raises Refusal for any other marker.
    """
    if not marker:
        return True
    found = re.fullmatch(r'python_version (<|>=) "3\.(\d+)"', marker)
    if not found:
        raise Refusal(
            f"A requirements file has the marker {marker}. Only markers such as python_version < "
            '"3.11" are supported.'
        )
    older = int(python.partition(".")[2]) < int(found[2])
    return older if found[1] == "<" else not older


@readable_for_others()
def install(*requirements: str, folder: str = ".venv", compiled: bool = True) -> None:
    """Installs the packages of requirements files, unless they are installed already.

    Args:
        requirements: Names of requirements files in the project's folder.
        folder: The virtual environment.
        compiled: Whether to compile all modules now instead of at their first import.
    """
    if uses_this_python() and folder == ".venv":
        if missing := missing_packages(*requirements):
            raise Refusal(
                f"CARD_LAB_VENV is no, and this Python lacks {', '.join(missing)}. Run: "
                f"{sys.executable} -m pip install "
                f"{' '.join(f'-r {name}' for name in requirements)}"
            )
        return
    python, stamp = venv_python_version(folder), read_stamp(folder)
    wanted = wanted_stamp(python or "", list(requirements), folder)
    if python and wanted.items() <= stamp.items():
        return
    moved = any(stamp.get(key, wanted[key]) != wanted[key] for key in ("python", "folder"))
    if moved or not python or not is_supported(tuple(int(part) for part in python.split("."))):
        say(f"Creating the Python environment {folder} …")
        make_venv(folder)
        stamp, wanted = {}, wanted_stamp(venv_python_version(folder) or "", list(requirements), folder)
    say("Installing the packages. The first time, this takes a minute or two …")
    stamp_file = project.FOLDER / folder / "card-lab.json"
    stamp_file.unlink(missing_ok=True)  # an interrupted installation must not look like a finished one
    files = [part for name in requirements for part in ("-r", name)]
    bundled = bundled_packages(requirements)
    options = ["--disable-pip-version-check", "--no-compile", *bundled]
    exit_code, errors = run_pip(module_command("pip", "install", *options, *files, folder=folder))
    if exit_code:
        cause = pip_errors.explain(errors, wanted["python"], this_system())
        source = f" The packages came from the folder {WHEELS}. Create a new bundle." if bundled else ""
        raise Refusal(f"The packages could not be installed. {cause}{source}")
    if compiled:  # on all cores, unlike pip; modules for another Python fail, which does no harm
        program, compile_all = str(venv_program("python", folder)), ["-m", "compileall", "-qq", "-j", "0"]
        subprocess.run([program, "-W", "ignore", *compile_all, str(project.FOLDER / folder)])
    stamp_file.write_text(json.dumps({**stamp, **wanted}, indent=1), "utf-8")


def run_pip(command: list[str]) -> tuple[int, str]:
    """Runs pip with its messages on the terminal; returns its exit code and the end of its standard error."""
    last: collections.deque[str] = collections.deque(maxlen=ERROR_LINES)
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        command,
        cwd=project.FOLDER,
        env=environment,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    ) as pip:
        for line in pip.stderr or ():
            print(line, end="", file=sys.stderr, flush=True)
            last.append(line)
    return pip.returncode, "".join(last)


def bundled_packages(requirements: tuple[str, ...]) -> list[str]:
    """Returns options that make pip use only the bundle's packages; none if this is not a bundle.

    Raises Refusal if the bundle is for another system or Python.
    """
    wheels = project.FOLDER / WHEELS
    if not wheels.is_dir() or requirements != ("requirements.txt",):
        return []
    with contextlib.suppress(OSError, ValueError):
        made_for = json.loads((wheels / "made_for.json").read_text("utf-8"))
        if [this_system(), this_python()] not in made_for:
            named = ", ".join(f"{system} with Python {python}" for system, python in made_for)
            raise Refusal(
                f"The packages in the folder {WHEELS} are for {named}, but this is "
                f"{this_system()} with Python {this_python()}. Use one of these systems, or "
                f"create a bundle for this one: {COMMAND} bundle --for {this_system()} --python "
                f"{this_python()}. With internet access, delete the folder {WHEELS} instead."
            )
    return ["--no-index", "--find-links", WHEELS]


def make_venv(folder: str) -> None:
    """Creates an environment with the pip of requirements-pip.txt or, if that fails, Python's own pip."""
    try:
        venv.create(project.FOLDER / folder, clear=True, with_pip=True, symlinks=not WINDOWS)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Refusal(
            f"Python could not create the environment {folder} ({error}). On Debian and Ubuntu, "
            "run: sudo apt install python3-venv. On other systems, install Python from "
            "python.org."
        ) from error
    if not (project.FOLDER / WHEELS).is_dir():
        options = ["-q", "--disable-pip-version-check", "--no-compile", "-r", "requirements-pip.txt"]
        command = module_command("pip", "install", *options, folder=folder)
        subprocess.run(command, cwd=project.FOLDER, stderr=subprocess.DEVNULL)
