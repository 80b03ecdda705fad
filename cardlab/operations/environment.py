"""The project's Python environments and their packages."""

import collections
import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

from cardlab.operations import pip_errors, project
from cardlab.operations.locked import (
    LOCK,
    REQUIREMENTS,
    locked_package,
    missing_requirements,
    normalized,
    required_packages,
)
from cardlab.operations.private_files import readable_for_others
from cardlab.operations.project import COMMAND, WINDOWS
from cardlab.operations.supported_python import is_supported
from cardlab.operations.terminal import Refusal, say

WHEELS = "wheels"  # a bundle's folder with all packages
ERROR_LINES = 1000  # the last lines of pip's errors, which are searched for the cause
PIP_OPTIONS = ("--disable-pip-version-check", "--no-compile")  # modules are compiled when they are first used
# uv trusts this computer's certificates, as pip does, and downloads no Python. The second is for older uv.
UV_SETTINGS = {"UV_SYSTEM_CERTS": "true", "UV_NATIVE_TLS": "true", "UV_PYTHON_DOWNLOADS": "never"}
# Extras of pyproject.toml outside .venv, because oTree requires older versions of their packages.
OWN_ENVIRONMENTS = {name: f".venv-{name}" for name in ("docs", "dask", "validators", "mutation")}
INCLUDED_EXTRAS = {"analysis": ("engine",), "dev": ("analysis", "engine", "bots")}  # by extra
NO_ENVIRONMENT = (
    "Python could not create the environment {folder} ({error}). On Debian and Ubuntu, run: sudo apt install "
    "python3-venv. On other systems, install Python from python.org."
)


def environment_of(extra: str) -> str:
    """Returns the folder of the environment with an extra's packages."""
    return OWN_ENVIRONMENTS.get(extra, ".venv")


def this_system() -> str:
    """Returns this system's name in bundles, such as ``linux-x86_64`` or ``macos-arm64``."""
    systems = {"win32": "windows", "darwin": "macos"}
    return f"{systems.get(sys.platform, sys.platform)}-{platform.machine().lower()}"


def this_python() -> str:
    """Returns the version of the Python that runs this, such as ``3.11``."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def uses_this_python() -> bool:
    """Returns whether this Python replaces ``.venv``: ``CARD_LAB_VENV=no``, as in a container, or a wheel."""
    return project.IS_INSTALLED or os.environ.get("CARD_LAB_VENV", "").strip().lower() == "no"


def venv_program(name: str, folder: str = ".venv") -> Path:
    """Returns the path of a program of a virtual environment, such as ``python`` or ``otree``."""
    if uses_this_python() and folder == ".venv":
        return Path(sys.executable) if name == "python" else Path(sysconfig.get_path("scripts"), name)
    return project.FOLDER / folder / ("Scripts" if WINDOWS else "bin") / (name + (".exe" if WINDOWS else ""))


def server_python() -> Path:
    """Returns the server's Python if it is installed, otherwise the current one."""
    return venv_program("python") if is_installed() else Path(sys.executable)


def module_command(module: str, *arguments: str, folder: str = ".venv") -> list[str]:
    """Returns the command that runs a module with the Python of a virtual environment."""
    return [str(venv_program("python", folder)), "-m", module, *arguments]


def venv_python_version(folder: str) -> str | None:
    """Returns a version such as ``3.11``; None if the environment does not exist or is broken."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    command = [str(venv_program("python", folder)), "-c", code]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def expected_stamp(python: str, extra: str) -> dict[str, str]:
    """Returns the inputs of an environment: Python, hashes, and folder, because it cannot be moved."""
    folder = environment_of(extra)
    extras = {extra, *INCLUDED_EXTRAS.get(extra, ())} | ({"server"} if folder == ".venv" else set())
    files = {name: REQUIREMENTS if name == "server" else LOCK for name in sorted(extras)}
    hashes = {
        name: hashlib.sha256((project.FOLDER / file).read_bytes()).hexdigest() for name, file in files.items()
    }
    return {"python": python, "folder": str((project.FOLDER / folder).resolve()), **hashes}


def read_stamp(folder: str) -> dict[str, str]:
    """Returns the inputs from which an environment was made; empty if the installation was not finished."""
    with contextlib.suppress(OSError, ValueError):
        stamp: dict[str, str] = json.loads((project.FOLDER / folder / "card-lab.json").read_text("utf-8"))
        return stamp
    return {}


def is_installed(extra: str = "server") -> bool:
    """Returns whether the environment of an extra of pyproject.toml has its packages."""
    folder = environment_of(extra)
    if uses_this_python() and folder == ".venv":
        return not missing_packages()
    python = venv_python_version(folder)
    return bool(python) and expected_stamp(python or "", extra).items() <= read_stamp(folder).items()


def missing_packages() -> list[str]:
    """Returns the server's packages that this Python lacks, as ``name==version``."""
    if project.IS_INSTALLED:
        return missing_requirements("server", this_python(), installed_packages())
    installed, required = installed_packages(), required_packages(this_python())
    return [
        str(package) for package in required if installed.get(normalized(package.name)) != package.version
    ]


def installed_packages() -> dict[str, str]:
    """Returns the versions of this Python's packages by normalized name."""
    packages = importlib.metadata.distributions()
    return {normalized(package.metadata["Name"]): package.version for package in packages}


def check_installed(needed: str, extra: str, any_version: bool = False) -> None:
    """Raises Refusal if this Python lacks a package of the extra ``needed``, which ``extra`` contains."""
    installed = installed_packages()
    missing = missing_requirements(needed, this_python(), installed)
    if any_version:
        missing = [line for line in missing if normalized(line.partition("==")[0]) not in installed]
    if missing:
        raise Refusal(
            f"This Python lacks {', '.join(missing)}. Run: {sys.executable} -m pip install "
            f'"card-lab[{extra}]"'
        )


@readable_for_others()
def install(extra: str = "server") -> None:
    """Installs the packages of an extra of pyproject.toml, unless they are installed already.

    uv installs them if it is on this computer or in the package index, otherwise pip.
    """
    folder = environment_of(extra)
    if uses_this_python() and folder == ".venv":
        if project.IS_INSTALLED:
            check_installed(extra, extra)
        elif extra == "server" and (missing := missing_packages()):
            raise Refusal(
                f"CARD_LAB_VENV is no, and this Python lacks {', '.join(missing)}. Run: "
                f"{sys.executable} -m pip install -r {REQUIREMENTS}"
            )
        return
    python, stamp = venv_python_version(folder), read_stamp(folder)
    expected = expected_stamp(python or "", extra)
    if python and expected.items() <= stamp.items():
        return
    has_moved = any(stamp.get(key, expected[key]) != expected[key] for key in ("python", "folder"))
    if has_moved or not python or not is_supported(tuple(int(part) for part in python.split("."))):
        say(f"Creating the Python environment {folder} …")
        make_venv(folder)
        stamp, expected = {}, expected_stamp(venv_python_version(folder) or "", extra)
    say("Installing the packages. The first time, this takes up to a minute …")
    stamp_file = project.FOLDER / folder / "card-lab.json"
    stamp_file.unlink(missing_ok=True)  # an interrupted installation must not look like a finished one
    bundled = bundled_packages(expected["python"]) if extra == "server" else []
    if bundled or not install_with_uv(extra, folder):
        install_with_pip(extra, expected["python"], folder, bundled)
    stamp_file.write_text(json.dumps({**stamp, **expected}, indent=1), "utf-8")


def install_with_uv(extra: str, folder: str) -> bool:
    """Installs the packages of an extra with uv; returns False if that is not possible."""
    uv = find_uv(folder)
    if not uv:
        return False
    python = str(venv_program("python", folder))
    with tempfile.TemporaryDirectory() as scratch:
        file = REQUIREMENTS
        if extra != "server":
            file = str(Path(scratch, "exported.txt"))
            export = ["export", "--quiet", "--frozen", "--no-emit-project", "--python", python, "-o", file]
            extras = [extra, *(["server"] if folder == ".venv" else [])]
            if run_installer([uv, *export, *(part for name in extras for part in ("--extra", name))])[0]:
                return False
        pip_arguments = ["pip", "install", "--python", python, "--require-hashes", "-r", file]
        return run_installer([uv, *pip_arguments])[0] == 0


def find_uv(folder: str) -> str | None:
    """Returns the path of uv: this computer's, or the environment's, into which pip installs it."""
    uv_of_folder = venv_program("uv", folder)
    if uv := shutil.which("uv") or (uv_of_folder.is_file() and str(uv_of_folder)):
        return uv
    add_pip(folder)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "uv.txt")
        file.write_text(locked_package("uv").requirement + "\n", "utf-8")
        options = ["--quiet", *PIP_OPTIONS, "--only-binary=:all:", "--require-hashes", "-r", str(file)]
        subprocess.run(module_command("pip", "install", *options, folder=folder), stderr=subprocess.DEVNULL)
    return str(uv_of_folder) if uv_of_folder.is_file() else None


def install_with_pip(extra: str, python: str, folder: str, bundled: list[str]) -> None:
    """Installs the server's packages with pip; raises Refusal with the cause if that fails."""
    if extra != "server":
        raise Refusal(
            f"The packages for {extra!r} are installed by uv, which failed or could not be installed. Check "
            f"that this computer is online, or install uv first."
        )
    add_pip(folder)
    options = [*PIP_OPTIONS, "--require-hashes", *(bundled or ["-r", REQUIREMENTS])]
    exit_code, errors = run_installer(module_command("pip", "install", *options, folder=folder))
    if exit_code:
        cause = pip_errors.explain(errors, python, this_system())
        source = f" The packages came from the folder {WHEELS}. Create a new bundle." if bundled else ""
        raise Refusal(f"The packages could not be installed. {cause}{source}")


def run_installer(command: list[str]) -> tuple[int, str]:
    """Runs uv or pip with its messages on the terminal; returns its exit code and the end of its errors."""
    last_lines: collections.deque[str] = collections.deque(maxlen=ERROR_LINES)
    environment = {**UV_SETTINGS, **os.environ, "PYTHONIOENCODING": "utf-8"}
    if index := os.environ.get("PIP_INDEX_URL"):
        environment.setdefault("UV_DEFAULT_INDEX", index)
    with subprocess.Popen(
        command,
        cwd=project.FOLDER,
        env=environment,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    ) as installer:
        for line in installer.stderr or ():
            print(line, end="", file=sys.stderr, flush=True)
            last_lines.append(line)
    return installer.returncode, "".join(last_lines)


def bundled_packages(python: str) -> list[str]:
    """Returns options that make pip use only the bundle's packages; none if this is not a bundle.

    Raises Refusal if the bundle is for another system or Python.
    """
    wheels = project.FOLDER / WHEELS
    if not wheels.is_dir():
        return []
    with contextlib.suppress(OSError, ValueError):
        made_for = json.loads((wheels / "made_for.json").read_text("utf-8"))
        if [this_system(), python] not in made_for:
            targets = ", ".join(f"{system} with Python {version}" for system, version in made_for)
            raise Refusal(
                f"The packages in the folder {WHEELS} are for {targets}, but this is "
                f"{this_system()} with Python {python}. Use one of these systems, or "
                f"create a bundle for this one: {COMMAND} bundle --for {this_system()} --python "
                f"{python}. With internet access, delete the folder {WHEELS} instead."
            )
    return ["--no-index", "--find-links", WHEELS, "-r", f"{WHEELS}/{python}.txt"]


def make_venv(folder: str) -> None:
    """Creates an environment without pip, which takes seconds; :func:`add_pip` adds it where it is needed."""
    try:
        venv.create(project.FOLDER / folder, clear=True, symlinks=not WINDOWS)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Refusal(NO_ENVIRONMENT.format(folder=folder, error=error)) from error


def add_pip(folder: str) -> None:
    """Installs Python's own pip into an environment, unless it is there."""
    if subprocess.run(module_command("pip", "--version", folder=folder), capture_output=True).returncode:
        try:
            command = module_command("ensurepip", "--default-pip", folder=folder)
            subprocess.run(command, capture_output=True, check=True)
        except subprocess.CalledProcessError as error:
            raise Refusal(NO_ENVIRONMENT.format(folder=folder, error="it has no ensurepip")) from error
