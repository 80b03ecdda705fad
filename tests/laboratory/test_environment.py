"""Which packages are installed, and where; when nothing has to be done."""

from __future__ import annotations

import json
import subprocess

import pytest

from laboratory.environment import install, make_venv, venv_program, venv_python_version
from laboratory.terminal import Refusal


@pytest.fixture
def installer(project, monkeypatch):
    """Count what ``install`` does instead of doing it: a list of "venv" and "pip", pip's exit code."""

    class Installer:
        done: list[str] = []
        compiled = 0  # times
        pip_exit_code = 0
        python: str | None = None

        def make_venv(self, folder):
            self.done.append("venv")
            venv_program("python", folder).parent.mkdir(parents=True, exist_ok=True)
            self.python = "3.11"

        def pip(self, command, **_options):
            if command[2] == "pip":
                assert command[3] == "install"
                self.done.append("pip")
            else:
                assert command[2] == "compileall"
                self.compiled += 1
            return subprocess.CompletedProcess(command, self.pip_exit_code)

        def calls(self, *requirements, **how):
            self.done = []
            install(*requirements, **how)
            return self.done

    installer = Installer()
    monkeypatch.setattr("laboratory.environment.make_venv", installer.make_venv)
    monkeypatch.setattr("laboratory.environment.venv_python_version", lambda _folder: installer.python)
    monkeypatch.setattr("laboratory.environment.subprocess.run", installer.pip)
    return installer


def test_the_first_start_makes_the_environment_and_the_second_does_nothing(installer):
    assert installer.calls("requirements.txt") == ["venv", "pip"]
    assert installer.calls("requirements.txt") == []


def test_packages_are_compiled_unless_it_is_said_otherwise(installer):
    installer.calls("requirements.txt")
    assert installer.compiled == 1
    assert installer.calls("requirements.txt", "requirements-dev.txt", compiled=False) == ["pip"]
    assert installer.compiled == 1


def test_changed_requirements_are_installed_into_the_same_environment(installer, project):
    installer.calls("requirements.txt")
    (project / "requirements.txt").write_text("otree==6.0.16\n")
    assert installer.calls("requirements.txt") == ["pip"]
    assert installer.calls("requirements.txt") == []


def test_the_tests_packages_are_installed_once_and_run_does_not_forget_them(installer):
    installer.calls("requirements.txt")
    assert installer.calls("requirements.txt", "requirements-dev.txt") == ["pip"]
    assert installer.calls("requirements.txt") == []
    assert installer.calls("requirements.txt", "requirements-dev.txt") == []


def test_an_environment_of_its_own_is_made_beside_the_first(installer, project):
    installer.calls("requirements.txt")
    (project / "requirements-dask.txt").write_text("dask==2026.8.0\n")
    (project / "constraints-dask.txt").write_text("click==8.5.1\n")
    installer.python = None
    assert installer.calls("requirements-dask.txt", folder=".venv-dask") == ["venv", "pip"]
    assert installer.calls("requirements-dask.txt", folder=".venv-dask") == []
    (project / "constraints-dask.txt").write_text("click==8.5.2\n")
    assert installer.calls("requirements-dask.txt", folder=".venv-dask") == ["pip"]


def test_an_interrupted_installation_is_done_again(installer, project):
    installer.calls("requirements.txt")
    (project / "requirements.txt").write_text("otree==6.0.16\n")
    installer.pip_exit_code = 1
    with pytest.raises(Refusal, match="could not be installed"):
        installer.calls("requirements.txt")
    (project / "requirements.txt").write_text("otree==6.0.15\n")  # as the stamp had it before
    installer.pip_exit_code = 0
    assert installer.calls("requirements.txt") == ["pip"]


@pytest.mark.parametrize("python", [None, "3.12"])
def test_an_environment_whose_python_is_gone_or_another_is_made_anew(installer, python):
    installer.calls("requirements.txt")
    installer.python = python
    assert installer.calls("requirements.txt") == ["venv", "pip"]


def test_an_environment_that_was_moved_is_made_anew(installer, project, monkeypatch):
    installer.calls("requirements.txt")
    moved = project.with_name("moved")
    project.rename(moved)
    monkeypatch.setattr("laboratory.project.FOLDER", moved)
    assert installer.calls("requirements.txt") == ["venv", "pip"]


@pytest.mark.parametrize("offline", [False, True])
def test_a_new_environment_gets_the_projects_pip_but_not_where_all_packages_lie_at_hand(
    project, monkeypatch, offline
):
    asked = []
    monkeypatch.setattr("laboratory.environment.venv.create", lambda *_arguments, **_options: None)
    monkeypatch.setattr(
        "laboratory.environment.subprocess.run", lambda command, **_options: asked.append(command)
    )
    if offline:
        (project / "wheels").mkdir()
    make_venv(".venv")
    assert [command[-2:] for command in asked] == ([] if offline else [["-r", "requirements-pip.txt"]])


def test_a_broken_environment_has_no_version(project):
    python = venv_program("python")
    assert venv_python_version(".venv") is None
    python.parent.mkdir(parents=True)
    python.write_text("not a program")
    assert venv_python_version(".venv") is None


def test_the_programs_stand_where_the_system_has_them(project, monkeypatch):
    monkeypatch.setattr("laboratory.environment.WINDOWS", False)
    assert venv_program("otree") == project / ".venv" / "bin" / "otree"
    monkeypatch.setattr("laboratory.environment.WINDOWS", True)
    assert venv_program("otree") == project / ".venv" / "Scripts" / "otree.exe"


def test_the_stamp_is_readable_json(installer, project):
    installer.calls("requirements.txt")
    stamp = json.loads((project / ".venv" / "card-lab.json").read_text("utf-8"))
    assert set(stamp) == {"python", "folder", "requirements.txt", "constraints.txt"}
