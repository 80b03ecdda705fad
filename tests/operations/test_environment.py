"""Tests the installation of packages: which, where, and when nothing has to be done."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from cardlab.operations.environment import (
    install,
    make_venv,
    marker_holds,
    pins,
    run_pip,
    venv_program,
    venv_python_version,
)
from cardlab.operations.project import FOLDER as CARD_LAB
from cardlab.operations.supported_python import NEWEST, OLDEST
from cardlab.operations.terminal import Refusal

PYTHONS = [f"3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
# These versions exist only as source. Their C extensions are optional, so they install without a compiler.
SOURCE_ONLY = {"otree", "markupsafe", "python-multipart", "sqlalchemy", "websockets"}


@pytest.fixture
def installer(project, monkeypatch):
    """Counts what ``install`` does instead of doing it: a list of "venv" and "pip", pip's exit code."""

    class Installer:
        done: list[str] = []
        compiled = 0  # times
        pip_exit_code = 0
        pip_errors = ""
        python: str | None = None

        def make_venv(self, folder):
            self.done.append("venv")
            venv_program("python", folder).parent.mkdir(parents=True, exist_ok=True)
            self.python = "3.11"

        def pip(self, command):
            assert command[1:4] == ["-m", "pip", "install"]
            self.done.append("pip")
            return self.pip_exit_code, self.pip_errors

        def compile(self, command, **_options):
            assert "compileall" in command
            self.compiled += 1
            return subprocess.CompletedProcess(command, 0)

        def calls(self, *requirements, **how):
            self.done = []
            install(*requirements, **how)
            return self.done

    installer = Installer()
    monkeypatch.setattr("cardlab.operations.environment.make_venv", installer.make_venv)
    monkeypatch.setattr(
        "cardlab.operations.environment.venv_python_version", lambda _folder: installer.python
    )
    monkeypatch.setattr("cardlab.operations.environment.run_pip", installer.pip)
    monkeypatch.setattr("cardlab.operations.environment.subprocess.run", installer.compile)
    return installer


def test_environment_is_made_once(installer):
    assert installer.calls("requirements.txt") == ["venv", "pip"]
    assert installer.calls("requirements.txt") == []


def test_packages_are_compiled_by_default(installer):
    installer.calls("requirements.txt")
    assert installer.compiled == 1
    assert installer.calls("requirements.txt", "requirements-dev.txt", compiled=False) == ["pip"]
    assert installer.compiled == 1


def test_changed_requirements_are_installed(installer, project):
    installer.calls("requirements.txt")
    (project / "requirements.txt").write_text("otree==6.0.16\n")
    assert installer.calls("requirements.txt") == ["pip"]
    assert installer.calls("requirements.txt") == []


def test_test_packages_are_installed_once(installer):
    installer.calls("requirements.txt")
    assert installer.calls("requirements.txt", "requirements-dev.txt") == ["pip"]
    assert installer.calls("requirements.txt") == []
    assert installer.calls("requirements.txt", "requirements-dev.txt") == []


def test_second_environment_is_independent(installer, project):
    installer.calls("requirements.txt")
    (project / "requirements-dask.txt").write_text("dask==2026.8.0\n")
    (project / "constraints-dask.txt").write_text("click==8.5.1\n")
    installer.python = None
    assert installer.calls("requirements-dask.txt", folder=".venv-dask") == ["venv", "pip"]
    assert installer.calls("requirements-dask.txt", folder=".venv-dask") == []
    (project / "constraints-dask.txt").write_text("click==8.5.2\n")
    assert installer.calls("requirements-dask.txt", folder=".venv-dask") == ["pip"]


def test_interrupted_installation_is_repeated(installer, project):
    installer.calls("requirements.txt")
    (project / "requirements.txt").write_text("otree==6.0.16\n")
    installer.pip_exit_code = 1
    with pytest.raises(Refusal, match="could not be installed"):
        installer.calls("requirements.txt")
    (project / "requirements.txt").write_text("otree==6.0.15\n")  # as the stamp had it before
    installer.pip_exit_code = 0
    assert installer.calls("requirements.txt") == ["pip"]


def test_failed_installation_names_the_cause(installer, project):
    installer.pip_exit_code = 1
    installer.pip_errors = "ERROR: No matching distribution found for numpy==2.2.6\n"
    with pytest.raises(Refusal, match=r"has no wheel of numpy==2\.2\.6 for Python 3\.11") as refusal:
        installer.calls("requirements.txt")
    assert "online" not in str(refusal.value)
    (project / "wheels").mkdir()
    with pytest.raises(Refusal, match="came from the folder wheels. Create a new bundle"):
        installer.calls("requirements.txt")


def test_pips_errors_are_shown_and_kept(project, capfd):
    story = "import sys; print('Collecting'); print('ERROR: ✗ disk', file=sys.stderr); sys.exit(3)"
    assert run_pip([sys.executable, "-c", story]) == (3, "ERROR: ✗ disk\n")
    assert capfd.readouterr() == ("Collecting\n", "ERROR: ✗ disk\n")


@pytest.mark.parametrize("python", ["3.9", "3.15"])
def test_environment_with_unsupported_python_is_replaced(installer, project, python):
    installer.calls("requirements.txt")
    (project / ".venv" / "card-lab.json").unlink()  # the installation failed
    installer.python = python
    assert installer.calls("requirements.txt") == ["venv", "pip"]


@pytest.mark.parametrize("python", [None, "3.12"])
def test_environment_with_other_python_is_replaced(installer, python):
    installer.calls("requirements.txt")
    installer.python = python
    assert installer.calls("requirements.txt") == ["venv", "pip"]


def test_moved_environment_is_replaced(installer, project, monkeypatch):
    installer.calls("requirements.txt")
    moved = project.with_name("moved")
    project.rename(moved)
    monkeypatch.setattr("cardlab.operations.project.FOLDER", moved)
    assert installer.calls("requirements.txt") == ["venv", "pip"]


@pytest.mark.parametrize("offline", [False, True])
def test_new_environment_gets_pinned_pip_unless_bundled(project, monkeypatch, offline):
    commands = []
    monkeypatch.setattr("cardlab.operations.environment.venv.create", lambda *_arguments, **_options: None)
    monkeypatch.setattr(
        "cardlab.operations.environment.subprocess.run", lambda command, **_options: commands.append(command)
    )
    if offline:
        (project / "wheels").mkdir()
    make_venv(".venv")
    assert [command[-2:] for command in commands] == ([] if offline else [["-r", "requirements-pip.txt"]])


def test_a_broken_environment_has_no_version(project):
    python = venv_program("python")
    assert venv_python_version(".venv") is None
    python.parent.mkdir(parents=True)
    python.write_text("not a program")
    assert venv_python_version(".venv") is None


def test_venv_programs_have_the_systems_paths(project, monkeypatch):
    monkeypatch.setattr("cardlab.operations.environment.WINDOWS", False)
    assert venv_program("otree") == project / ".venv" / "bin" / "otree"
    monkeypatch.setattr("cardlab.operations.environment.WINDOWS", True)
    assert venv_program("otree") == project / ".venv" / "Scripts" / "otree.exe"


def test_the_stamp_is_readable_json(installer, project):
    installer.calls("requirements.txt")
    stamp = json.loads((project / ".venv" / "card-lab.json").read_text("utf-8"))
    assert set(stamp) == {"python", "folder", "requirements.txt", "constraints.txt"}


# ------------------------------------------------------------------ versions


def test_a_version_may_depend_on_the_python(project):
    (project / "requirements.txt").write_text(
        '# numpy==1.0\n--only-binary=numpy\nnumpy==2.2.6; python_version < "3.14"\n'
        'numpy==2.3.5; python_version >= "3.14"\notree==6.0.15  \ntomli==2.2.1; python_version < "3.11"\n'
    )
    assert pins("requirements.txt", "3.10") == {"numpy": "2.2.6", "otree": "6.0.15", "tomli": "2.2.1"}
    assert pins("requirements.txt", "3.13") == {"numpy": "2.2.6", "otree": "6.0.15"}
    assert pins("requirements.txt", "3.14") == {"numpy": "2.3.5", "otree": "6.0.15"}
    (project / "requirements.txt").write_text('otree==6.0.15; sys_platform == "win32"\n')
    with pytest.raises(Refusal, match="has the marker sys_platform"):
        pins("requirements.txt", "3.14")


def test_each_python_has_one_pin_per_package():
    for file in sorted(CARD_LAB.glob("requirements*.txt")) + sorted(CARD_LAB.glob("constraints*.txt")):
        lines = [line.partition(";") for line in file.read_text("utf-8").splitlines() if "==" in line]
        for python in PYTHONS:
            here = [pin for pin, _, marker in lines if marker_holds(marker.strip(), python)]
            assert all(re.fullmatch(r"[\w.\[\]-]+==[\w.]+", pin) for pin in here), file.name
            names = [pin.partition("==")[0].lower() for pin in here]
            expected = {pin.partition("==")[0].lower() for pin, _, _ in lines} - ({"tomli"} - set(names))
            assert sorted(names) == sorted(expected), f"{file.name} on Python {python}"


def test_packages_with_a_wheel_are_never_compiled():
    """A list, because ``:all:`` would also forbid the wheels that a bundle has of the others."""
    files = [path for path in CARD_LAB.glob("*s*.txt") if re.match(r"(requirements|constraints)", path.name)]
    apart = ("dask", "docs", "_base")  # environments of their own, and a file that is not for pip
    files = [path for path in files if not any(part in path.name for part in apart)]
    pinned = {name.lower() for path in files for python in PYTHONS for name in pins(str(path), python)}
    constraints = (CARD_LAB / "constraints.txt").read_text("utf-8")
    listed = ",".join(re.findall(r"^--only-binary=(.+)$", constraints, re.MULTILINE)).split(",")
    assert sorted(name.lower() for name in listed) == sorted(pinned - SOURCE_ONLY - {"pip"})
    for name in ("constraints-dask.txt", "constraints-docs.txt"):
        assert "--only-binary=:all:" in (CARD_LAB / name).read_text("utf-8")
