"""``lab.py bundle``: copies the project with all its packages, for computers without the internet.

The packages are in ``wheels/`` of the copy, where ``environment.install`` looks for them.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from cardlab.operations import environment, project
from cardlab.operations.documentation import missing_notice
from cardlab.operations.locked import Package, normalized, required_packages
from cardlab.operations.pip_errors import explain
from cardlab.operations.project import COMMAND, copy_project
from cardlab.operations.supported_python import NEWEST, OLDEST
from cardlab.operations.terminal import Commands, Refusal, say

# By system, the platforms whose wheels run on it, as pip calls them. Linux: glibc 2.28 or newer (2018).
GLIBC = (28, 27, 26, 25, 24, 17, 12, 5)
SYSTEMS = {
    "linux-x86_64": [*(f"manylinux_2_{minor}_x86_64" for minor in GLIBC), "manylinux2014_x86_64"],
    "linux-aarch64": [*(f"manylinux_2_{minor}_aarch64" for minor in GLIBC), "manylinux2014_aarch64"],
    "windows-amd64": ["win_amd64"],
    "macos-arm64": ["macosx_12_0_arm64"],
    "macos-x86_64": ["macosx_12_0_x86_64"],
}
BUILD_TOOLS = ("setuptools", "wheel")  # for a package that exists only as source


def add_command(commands: Commands) -> None:
    """Adds ``lab.py bundle``."""
    command = commands.add_parser(
        "bundle", help="copy the project with all its packages, for computers without internet"
    )
    command.add_argument(
        "--for",
        dest="systems",
        type=parse_systems,
        default=[environment.this_system()],
        metavar="SYSTEM,…",
        help=f"target systems: {', '.join(SYSTEMS)}; default: this system",
    )
    command.add_argument(
        "--python",
        dest="pythons",
        type=parse_pythons,
        default=[environment.this_python()],
        metavar="VERSION,…",
        help="target Python versions, such as 3.11,3.12; default: this Python",
    )
    command.add_argument("--out", metavar="DIR", help="the folder to create; default card-lab-bundle")
    command.set_defaults(do=lambda options: bundle(options.systems, options.pythons, options.out))


def parse_systems(text: str) -> list[str]:
    """Parses systems from the command line."""
    names = text.replace(",", " ").split()
    if not names or not set(names) <= SYSTEMS.keys():
        raise argparse.ArgumentTypeError(f"a system is one of {', '.join(SYSTEMS)}, not '{text}'")
    return names


def parse_pythons(text: str) -> list[str]:
    """Parses versions of Python from the command line."""
    names = text.replace(",", " ").split()
    supported = [f"3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    if not names or not set(names) <= set(supported):
        raise argparse.ArgumentTypeError(f"a Python version is one of {', '.join(supported)}, not '{text}'")
    return names


def bundle(for_systems: list[str], for_pythons: list[str], out: str | None = None) -> int:
    """Makes the folder, complete or not at all."""
    folder = Path(out).resolve() if out else project.FOLDER / "card-lab-bundle"
    if folder.exists():
        raise Refusal(f"{folder} already exists. Delete it, or choose another folder with --out.")
    if unknown := [name for name in for_systems if name not in SYSTEMS]:
        raise Refusal(f"Unknown system {unknown[0]}. Use one of these with --for: {', '.join(SYSTEMS)}.")
    environment.install()
    environment.add_pip(".venv")
    unfinished = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        wheels = copy_project(unfinished) / environment.WHEELS
        wheels.mkdir()
        packages = {python: required_packages(python) for python in for_pythons}
        notices = fetch_packages(packages, for_systems, wheels)
        for python, required in packages.items():
            lines = [replace(package, hashes=hashes_in(wheels, package)).requirement for package in required]
            (wheels / f"{python}.txt").write_text("\n".join(lines) + "\n", "utf-8")
        made_for = [[system, python] for system in for_systems for python in for_pythons]
        (wheels / "made_for.json").write_text(json.dumps(made_for) + "\n", "utf-8")
        unfinished.rename(folder)
    except (OSError, subprocess.SubprocessError) as error:
        raise Refusal(f"The bundle could not be created ({error}).") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    say(
        *(f"Warning: {sentence}" for sentence in notices),
        f"The bundle is in {folder} ({size / 1e6:.0f} MB), for {' and '.join(for_systems)} with "
        f"Python {' and '.join(for_pythons)}. It does not contain the data and secrets of this "
        "folder.",
        *missing_notice(),
        "Copy the folder to the other computer, which needs the same Python version. Then run "
        f"there: {COMMAND} run",
    )
    return 0


def hashes_in(wheels: Path, package: Package) -> tuple[str, ...]:
    """Returns the hashes of a package's files: of its wheels for several systems, or of its source."""
    return tuple(
        f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(wheels.iterdir())
        if normalized(path.name).startswith(f"{normalized(str(package).replace('==', '-'))}-")
    )


def fetch_packages(packages: dict[str, list[Package]], for_systems: list[str], wheels: Path) -> list[str]:
    """Fetches the packages of each Python for each system: wheels, or else the source.

    Returns a sentence for each package without a wheel. Raises Refusal for one that has neither.
    """
    built: set[Package] = set()  # packages whose universal wheel was built here
    unsupported: dict[Package, list[str]] = {}  # by package, the systems and Pythons without a wheel
    for system in for_systems:
        for python, required in packages.items():
            say(f"Fetching packages for {system} with Python {python} …")
            remaining = [package for package in required if package not in built]
            for package in fetch_wheels(remaining, system, python, wheels):
                if package not in unsupported and build_universal_wheel(package, wheels):
                    built.add(package)
                else:
                    unsupported.setdefault(package, []).append(f"{system} with Python {python}")
    unavailable = [
        package for package in unsupported if pip("download", [package], "--no-binary=:all:", folder=wheels)
    ]
    if unavailable:
        lines = [f"{package} for {' and '.join(unsupported[package])}" for package in unavailable]
        raise Refusal(
            f"The package index has neither a wheel nor the source of {'; '.join(lines)}. Nothing "
            "was written."
        )
    if unsupported and pip("download", [], "--only-binary=:all:", *BUILD_TOOLS, folder=wheels):
        raise Refusal(f"{' and '.join(BUILD_TOOLS)} could not be fetched. Nothing was written.")
    return [
        (
            f"There is no wheel of {package} for {', '.join(systems)}. The bundle contains its source, "
            "which the first start builds there. If that fails, install a C compiler."
        )
        for package, systems in unsupported.items()
    ]


def fetch_wheels(packages: list[Package], system: str, python: str, wheels: Path) -> list[Package]:
    """Fetches the wheels of the packages for a system; returns the packages without one."""
    options = [
        "--only-binary=:all:",
        *(part for platform in SYSTEMS[system] for part in ("--platform", platform)),
        *("--python-version", python, "--implementation", "cp"),
        *(part for abi in (f"cp{python.replace('.', '')}", "abi3", "none") for part in ("--abi", abi)),
    ]
    missing_packages, remaining = [], {str(package): package for package in packages}
    while remaining and (errors := pip("download", [*remaining.values()], *options, folder=wheels)):
        missing = re.search(r"No matching distribution found for (\S+)", errors)
        if not missing or missing[1] not in remaining or "Retry(total=0" in errors:
            raise Refusal(f"The packages could not be fetched. {explain(errors, python, system)}")
        missing_packages.append(remaining.pop(missing[1]))
    return missing_packages


def build_universal_wheel(package: Package, wheels: Path) -> bool:
    """Builds a wheel of a source package; returns whether it suits every system."""
    with tempfile.TemporaryDirectory() as folder:
        if pip("wheel", [package], folder=Path(folder)):
            return False
        for wheel in Path(folder).glob("*-none-any.whl"):
            shutil.move(wheel, wheels / wheel.name)
            return True
    return False


def pip(command: str, packages: list[Package], *arguments: str, folder: Path) -> str:
    """Fetches or builds packages, without their requirements, into a folder; returns pip's errors, or "".

    Only files with the packages' hashes are accepted.
    """
    target = "--dest" if command == "download" else "--wheel-dir"
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", target, str(folder)]
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary, "packages.txt")
        file.write_text("".join(f"{package.requirement}\n" for package in packages), "utf-8")
        requirements = ["--require-hashes", "-r", str(file)] if packages else []
        result = subprocess.run(
            environment.module_command("pip", command, *options, *requirements, *arguments),
            cwd=project.FOLDER,
            capture_output=True,
            text=True,
        )
    return "" if result.returncode == 0 else result.stderr.strip() or "no reason given"
