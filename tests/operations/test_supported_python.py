"""Tests starting ``lab.py`` with a Python that oTree does not support."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from cardlab.operations import project, supported_python
from cardlab.operations.project import WINDOWS

HERE = "3.%d" % sys.version_info[1]  # noqa: UP031 as the module writes it


@pytest.mark.parametrize(
    ("version", "supported"),
    [((3, 9, 18), False), ((3, 10, 0), True), ((3, 14, 2), True), ((3, 15, 0), False)],
)
def test_python_3_10_to_3_14_is_supported(version, supported):
    assert supported_python.is_supported(version) is supported


def test_old_pythons_can_parse_the_launcher():
    for name in ("lab.py", "cardlab/operations/__init__.py", "cardlab/operations/supported_python.py"):
        source = (project.FOLDER / name).read_text("ascii")
        nodes = list(ast.walk(ast.parse(source, feature_version=(3, 4))))
        assert not any(isinstance(node, (ast.JoinedStr, ast.AnnAssign)) for node in nodes), name


# ------------------------------------------------------------------ starting


def start_with(version: str, path: object, **environment: str):
    """Runs ``lab.py zip --help`` as under a Python of this version, with ``path`` as the PATH."""
    story = (
        "import runpy, sys; sys.argv = ['lab.py', 'zip', '--help']; "
        f"sys.version_info = ({version.replace('.', ', ')}, 0); runpy.run_path('lab.py', run_name='__main__')"
    )
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-c", story],
        cwd=project.FOLDER,
        env={"PATH": str(path), **environment},
        capture_output=True,
        text=True,
    )


def program(folder, name: str, version: str) -> None:
    """Writes a program that reports this version of Python, and otherwise runs the current Python."""
    file = folder / name
    answer = (
        f'case "$*" in *_base_executable*) echo {version}; echo "$0";; *) exec {sys.executable} "$@";; esac'
    )
    file.write_text(f"#!/bin/sh\n{answer}\n")
    file.chmod(0o755)


@pytest.fixture
def without_venv(monkeypatch, tmp_path):
    """Provides a folder without an environment."""
    monkeypatch.setattr(supported_python, "FOLDER", str(tmp_path))


@pytest.mark.skipif(WINDOWS, reason="the programs are shell scripts")
@pytest.mark.parametrize("version", ["3.9", "3.15"])
def test_another_python_is_used_and_named(version, tmp_path):
    program(tmp_path, "python3.12", "3.12")
    done = start_with(version, tmp_path)
    assert done.returncode == 0
    [sentence] = [line for line in done.stderr.splitlines() if not line.startswith("import time:")]
    assert sentence.startswith(
        f"Card Lab needs Python 3.10 to 3.14, because oTree does not install on Python "
        f"{version}. Using Python 3."
    )
    assert done.stdout.startswith("usage: python3 lab.py zip")


def test_without_supported_python_the_error_names_one(tmp_path):
    done = start_with("3.15", tmp_path, CARD_LAB_VENV="no")
    assert done.returncode == 2
    [sentence] = [line for line in done.stderr.splitlines() if not line.startswith("import time:")]
    assert sentence == (
        "Card Lab needs Python 3.10 to 3.14, because oTree does not install on Python 3.15. "
        "Install Python 3.14 from python.org, then try again."
    )
    assert done.stdout == ""
    assert "cardlab.operations.command_line" not in done.stderr  # an old Python could not parse it


# ------------------------------------------------------------------ choice of the Python


@pytest.mark.skipif(WINDOWS, reason="the programs are shell scripts")
@pytest.mark.usefixtures("without_venv")
def test_the_newest_supported_python_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    monkeypatch.delenv("CARD_LAB_VENV", raising=False)
    for name, version in (("python3.11", "3.11"), ("python3.13", "3.13"), ("python3.14", "3.15")):
        program(tmp_path, name, version)  # python3.14 is in fact 3.15
    assert supported_python.find_python() == (str(tmp_path / "python3.13"), "3.13")
    (tmp_path / "python3.13").write_text("#!/bin/sh\nexit 1\n")  # as pyenv's shim for a version not chosen
    assert supported_python.find_python() == (str(tmp_path / "python3.11"), "3.11")
    (tmp_path / "python3.11").unlink()
    (tmp_path / "python3.12").write_text("not a program")
    assert (supported_python.find_python() or [None])[0] != str(tmp_path / "python3.12")


@pytest.mark.skipif(WINDOWS, reason="the programs are shell scripts")
@pytest.mark.usefixtures("without_venv")
def test_the_python_of_the_environment_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    monkeypatch.delenv("CARD_LAB_VENV", raising=False)
    program(tmp_path, "python3.14", "3.14")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    program(tmp_path / ".venv" / "bin", "python", "3.11")
    assert supported_python.find_python() == (str(tmp_path / ".venv" / "bin" / "python"), "3.11")
    program(tmp_path / ".venv" / "bin", "python", "3.15")  # from a start that failed
    assert supported_python.find_python() == (str(tmp_path / "python3.14"), "3.14")


def test_environment_leads_to_its_base_python(tmp_path, monkeypatch):
    command = [sys.executable, "-c", supported_python.QUESTION]
    version, path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert version == HERE
    assert os.path.dirname(path) != os.path.dirname(sys.executable) or sys.prefix == sys.base_prefix


# ------------------------------------------------------------------ on Windows


class Windows:
    """Simulates ``subprocess`` on a Windows computer with these versions of Python."""

    def __init__(self, *versions: str) -> None:
        self.versions = versions
        self.started: list[list[str]] = []
        self.interrupts = 1

    def check_output(self, command, stderr):
        if command[0] != "py":
            raise OSError("there is no such program")
        version = command[1].lstrip("-")
        if version not in self.versions:
            raise subprocess.CalledProcessError(103, command)
        return f"{version}\r\nC:\\Python\\{version}\\python.exe\r\n".encode()

    def popen(self, command):
        self.started.append(command)
        return self

    def wait(self) -> int:
        if self.interrupts:
            self.interrupts -= 1
            raise KeyboardInterrupt
        return 7


@pytest.fixture
def windows(monkeypatch):
    """Provides a Windows computer with Python 3.15, 3.13 and 3.9, on which Ctrl-C is pressed once."""
    windows = Windows("3.15", "3.13", "3.9")
    monkeypatch.delenv("CARD_LAB_VENV", raising=False)
    monkeypatch.setattr(supported_python, "is_windows", lambda: True)
    monkeypatch.setattr("cardlab.operations.supported_python.subprocess.check_output", windows.check_output)
    monkeypatch.setattr("cardlab.operations.supported_python.subprocess.Popen", windows.popen)
    return windows


def test_windows_launcher_starts_newest_supported_python(windows, capsys):
    assert supported_python.restart_lab(["run", "--port", "8001"]) == 7  # after Ctrl-C, too
    lab = os.path.join(supported_python.FOLDER, "lab.py")
    assert windows.started == [["C:\\Python\\3.13\\python.exe", lab, "run", "--port", "8001"]]
    assert "Using Python 3.13 instead" in capsys.readouterr().err


def test_windows_without_supported_python_starts_nothing(windows, capsys):
    windows.versions = ("3.15", "3.9")
    assert supported_python.restart_lab(["run"]) == 2
    assert windows.started == []
    assert "Install Python 3.14 from python.org" in capsys.readouterr().err
