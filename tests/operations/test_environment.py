"""Tests the installation of packages: which packages, where, and when nothing has to be done."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cardlab.operations.environment import (
    add_pip,
    find_uv,
    install,
    run_installer,
    venv_program,
    venv_python_version,
)
from cardlab.operations.terminal import Refusal


@pytest.fixture
def installer(project, monkeypatch):
    """Provides a fake installer that records the steps "venv", "uv" and "pip", and returns set exit codes."""

    class Installer:
        done: list[str] = []
        uv: str | None = "uv"
        exit_codes: dict[str, int] = {}
        errors = ""
        python: str | None = None
        commands: list[list[str]] = []

        def make_venv(self, folder):
            self.done.append("venv")
            venv_program("python", folder).parent.mkdir(parents=True, exist_ok=True)
            self.python = "3.11"

        def run(self, command):
            program = "uv" if command[0] == "uv" else "pip"
            assert "install" in command[1:4] or command[1] == "export"
            self.commands.append(command)
            if "export" not in command:
                assert "--require-hashes" in command
                self.done.append(program)
            return self.exit_codes.get(program, 0), self.errors

        def calls(self, extra="server"):
            self.done = []
            install(extra)
            return self.done

    installer = Installer()
    environment = "cardlab.operations.environment"
    monkeypatch.setattr(f"{environment}.make_venv", installer.make_venv)
    monkeypatch.setattr(f"{environment}.venv_python_version", lambda _folder: installer.python)
    monkeypatch.setattr(f"{environment}.run_installer", installer.run)
    monkeypatch.setattr(f"{environment}.find_uv", lambda _folder: installer.uv)
    monkeypatch.setattr(f"{environment}.add_pip", lambda _folder: None)
    return installer


def test_environment_is_made_once(installer):
    assert installer.calls() == ["venv", "uv"]
    assert installer.calls() == []


def test_changed_requirements_are_installed(installer, project):
    installer.calls()
    (project / "requirements.txt").write_text("otree==6.0.16\n")
    assert installer.calls() == ["uv"]
    assert installer.calls() == []


def test_test_packages_include_the_servers(installer, project):
    assert installer.calls("dev") == ["venv", "uv"]
    assert [installer.calls(), installer.calls("engine"), installer.calls("dev")] == [[], [], []]
    assert installer.commands[0][-4:] == ["--extra", "dev", "--extra", "server"]
    (project / "uv.lock").write_text("")
    assert installer.calls() == []  # the server's packages come from requirements.txt
    assert installer.calls("dev") == ["uv"]


def test_second_environment_is_independent(installer, project):
    installer.calls()
    installer.python = None
    assert installer.calls("dask") == ["venv", "uv"]
    assert installer.commands[-2][-2:] == ["--extra", "dask"]
    assert installer.calls("dask") == []
    assert venv_program("python", ".venv-dask").parent.is_dir()


def test_pip_installs_where_uv_cannot(installer):
    installer.uv = None
    assert installer.calls() == ["venv", "pip"]
    (installer.uv, installer.python) = ("uv", None)
    installer.exit_codes = {"uv": 2}
    assert installer.calls() == ["venv", "uv", "pip"]
    with pytest.raises(Refusal, match="The packages for 'dev' are installed by uv"):
        installer.calls("dev")


def test_interrupted_installation_is_repeated(installer, project):
    installer.calls()
    before = (project / "requirements.txt").read_text()
    (project / "requirements.txt").write_text("otree==6.0.16\n")
    installer.exit_codes = {"uv": 2, "pip": 1}
    with pytest.raises(Refusal, match="could not be installed"):
        installer.calls()
    (project / "requirements.txt").write_text(before)  # equal to the stamp again
    installer.exit_codes = {}
    assert installer.calls() == ["uv"]


def test_failed_installation_names_the_cause(installer, project):
    installer.exit_codes = {"uv": 2, "pip": 1}
    installer.errors = "ERROR: No matching distribution found for numpy==2.2.6\n"
    with pytest.raises(Refusal, match=r"has no wheel of numpy==2\.2\.6 for Python 3\.11") as refusal:
        installer.calls()
    assert "online" not in str(refusal.value)
    (project / "wheels").mkdir()
    with pytest.raises(Refusal, match="came from the folder wheels. Create a new bundle"):
        installer.calls()


def test_a_bundle_is_installed_by_pip_alone(installer, project):
    (project / "wheels").mkdir()
    assert installer.calls() == ["venv", "pip"]
    assert installer.commands[-1][-5:] == ["--no-index", "--find-links", "wheels", "-r", "wheels/3.11.txt"]


def test_the_installers_errors_are_shown_and_kept(project, capfd):
    story = "import sys; print('Collecting'); print('ERROR: ✗ disk', file=sys.stderr); sys.exit(3)"
    assert run_installer([sys.executable, "-c", story]) == (3, "ERROR: ✗ disk\n")
    assert capfd.readouterr() == ("Collecting\n", "ERROR: ✗ disk\n")


def test_uv_uses_pips_index(project, monkeypatch, capfd):
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example")
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    run_installer([sys.executable, "-c", "import os; print(os.environ['UV_DEFAULT_INDEX'])"])
    assert capfd.readouterr().out == "https://index.example\n"


def test_uv_is_found_or_installed_with_hashes(project, monkeypatch):
    commands = []
    monkeypatch.setattr("cardlab.operations.environment.shutil.which", lambda _name: None)

    def run(command, **_options):
        if "-r" in command:
            commands.append(Path(command[-1]).read_text())
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr("cardlab.operations.environment.subprocess.run", run)
    assert find_uv(".venv") is None
    assert commands == ["uv==0.1 --hash=sha256:11\n"]
    own = venv_program("uv")
    own.parent.mkdir(parents=True)
    own.touch()
    assert find_uv(".venv") == str(own)
    monkeypatch.setattr("cardlab.operations.environment.shutil.which", lambda _name: "/usr/bin/uv")
    assert find_uv(".venv") == "/usr/bin/uv"


@pytest.mark.parametrize("python", ["3.9", "3.15"])
def test_environment_with_unsupported_python_is_replaced(installer, project, python):
    installer.calls()
    (project / ".venv" / "card-lab.json").unlink()  # the installation failed
    installer.python = python
    assert installer.calls() == ["venv", "uv"]


@pytest.mark.parametrize("python", [None, "3.12"])
def test_environment_with_other_python_is_replaced(installer, python):
    installer.calls()
    installer.python = python
    assert installer.calls() == ["venv", "uv"]


def test_moved_environment_is_replaced(installer, project, monkeypatch):
    installer.calls()
    moved = project.with_name("moved")
    project.rename(moved)
    monkeypatch.setattr("cardlab.operations.project.FOLDER", moved)
    assert installer.calls() == ["venv", "uv"]


def test_pip_is_added_to_an_environment(project, monkeypatch):
    done, lacking = [], set()

    def run(command, **options):
        done.append(command[2])
        if options.get("check") and "ensurepip" in lacking:
            raise subprocess.CalledProcessError(1, command)
        return subprocess.CompletedProcess(command, command[2] in lacking)

    monkeypatch.setattr("cardlab.operations.environment.subprocess.run", run)
    add_pip(".venv")
    assert done == ["pip"]
    lacking.add("pip")
    add_pip(".venv")
    assert done == ["pip", "pip", "ensurepip"]
    lacking.add("ensurepip")
    with pytest.raises(Refusal, match="sudo apt install python3-venv"):
        add_pip(".venv")


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
    installer.calls()
    stamp = json.loads((project / ".venv" / "card-lab.json").read_text("utf-8"))
    assert set(stamp) == {"python", "folder", "server"}
