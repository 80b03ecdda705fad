"""Tests the bundle for offline computers: its contents and the first start."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cardlab.operations import bundle as bundling
from cardlab.operations.bundle import bundle, parse_pythons, parse_systems
from cardlab.operations.command_line import command_line
from cardlab.operations.environment import (
    bundled_packages,
    install,
    this_python,
    this_system,
    venv_program,
)
from cardlab.operations.locked import Package
from cardlab.operations.project import ANYWHERE, AT_THE_TOP
from cardlab.operations.project import FOLDER as CARD_LAB
from cardlab.operations.terminal import Refusal

NAMES = ["otree==6.0.15", "MarkupSafe==1.1.1", "numpy==2.2.6", "tomli==2.2.1"]
PACKAGES = [Package(*name.split("=="), ("sha256:00",)) for name in NAMES]


@pytest.fixture
def registry(project, monkeypatch):
    """Provides a fake pip that records its calls. It has no wheels for ``no_wheel`` (with platform) and no
    sources for ``no_source``. Wheels that it builds suit all systems if the package is in ``pure``."""

    class Registry:
        no_wheel = {("MarkupSafe==1.1.1", "win_amd64"), ("otree==6.0.15", "win_amd64")}
        no_source: set[str] = set()
        pure = {"otree==6.0.15"}

        def run(self, command, **_options):
            assert command[1:3] == ["-m", "pip"]
            pip_arguments = list(map(str, command[3:]))
            self.pip_calls.append(pip_arguments)
            packages = []
            if "-r" in pip_arguments:
                assert "--require-hashes" in pip_arguments
                lines = Path(pip_arguments[pip_arguments.index("-r") + 1]).read_text().splitlines()
                packages = [line.split()[0] for line in lines]
            self.fetched.append(packages)
            folder = Path(
                pip_arguments[
                    pip_arguments.index("--dest" if pip_arguments[0] == "download" else "--wheel-dir") + 1
                ]
            )
            for package in packages or ["setuptools", "wheel"]:
                if "--platform" in pip_arguments:
                    platform = pip_arguments[pip_arguments.index("--platform") + 1]
                    if (package, platform) in self.no_wheel:
                        said = f"ERROR: No matching distribution found for {package}"
                        return subprocess.CompletedProcess(command, 1, "", said)
                    (folder / f"{package.replace('==', '-')}-{platform}.whl").touch()
                elif pip_arguments[0] == "wheel":
                    end = "py3-none-any" if package in self.pure else "own"
                    (folder / f"{package.replace('==', '-')}-{end}.whl").touch()
                elif package in self.no_source and "--no-binary=:all:" in pip_arguments:
                    return subprocess.CompletedProcess(command, 1, "", "ERROR: none")
                else:
                    (folder / f"{package.replace('==', '-')}.tar.gz").touch()
            return subprocess.CompletedProcess(command, 0, "", "")

    registry = Registry()
    registry.pip_calls, registry.fetched = [], []
    monkeypatch.setattr(bundling.subprocess, "run", registry.run)
    monkeypatch.setattr(bundling.environment, "install", lambda: None)
    monkeypatch.setattr(bundling.environment, "add_pip", lambda _folder: None)
    monkeypatch.setattr(bundling, "required_packages", lambda _python: PACKAGES)
    for name in ("secrets/rest_key", "db.sqlite3", "exports/a.csv", "cardlab/games/__init__.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("")
    return registry


def test_bundle_has_project_and_wheels_without_secrets(registry, project, capsys):
    assert bundle(["linux-x86_64", "windows-amd64"], ["3.11"]) == 0
    folder = project / "card-lab-bundle"
    assert (folder / "cardlab" / "games" / "__init__.py").exists()
    assert not {"secrets", "db.sqlite3", "exports"} & {path.name for path in folder.iterdir()}
    assert {path.name for path in (folder / "wheels").iterdir()} == {
        *(f"{package.replace('==', '-')}-manylinux_2_28_x86_64.whl" for package in NAMES),
        *(f"{package}-win_amd64.whl" for package in ("numpy-2.2.6", "tomli-2.2.1")),
        *("otree-6.0.15-py3-none-any.whl", "MarkupSafe-1.1.1.tar.gz", "made_for.json"),
        *("setuptools.tar.gz", "wheel.tar.gz", "3.11.txt"),
    }
    empty = "sha256:" + hashlib.sha256(b"").hexdigest()
    for line, files in zip((folder / "wheels" / "3.11.txt").read_text().splitlines(), (2, 2, 2, 2)):
        assert line.split()[1:] == [f"--hash={empty}"] * files
    said = capsys.readouterr().out
    assert "There is no wheel of MarkupSafe==1.1.1 for windows-amd64 with Python 3.11" in said
    assert "no wheel of otree" not in said
    made_for = json.loads((folder / "wheels" / "made_for.json").read_text())
    assert made_for == [["linux-x86_64", "3.11"], ["windows-amd64", "3.11"]]
    with pytest.raises(Refusal, match="already exists"):
        bundle(["linux-x86_64"], ["3.11"])


def test_unavailable_package_leaves_no_bundle(registry, project):
    registry.no_source = {"MarkupSafe==1.1.1"}
    before = sorted(project.rglob("*"))
    with pytest.raises(Refusal, match=r"nor the source of MarkupSafe==1\.1\.1 for windows-amd64 with"):
        bundle(["windows-amd64"], ["3.11"])
    assert sorted(project.rglob("*")) == before


def test_bundling_offline_is_refused(registry, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "WARNING: again\nERROR: no connection")
    monkeypatch.setattr(bundling.subprocess, "run", lambda *_command, **_options: failed)
    with pytest.raises(Refusal, match=r"could not be fetched\. pip failed: ERROR: no connection"):
        bundle(["linux-x86_64"], ["3.11"])
    failed.stderr = (
        "WARNING: Retrying (Retry(total=0) …\nERROR: No matching distribution found for otree==6.0.15"
    )
    with pytest.raises(Refusal, match="Check that this computer is online"):
        bundle(["linux-x86_64"], ["3.11"])


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (parse_systems, "beos"),
        (parse_systems, ","),
        (parse_pythons, "3"),
        (parse_pythons, "py"),
        (parse_pythons, "3.15"),
        (parse_pythons, ","),
    ],
)
def test_unknown_system_or_python_is_refused(read, text):
    with pytest.raises(argparse.ArgumentTypeError, match=f"not '{text}'"):
        read(text)
    assert parse_systems("linux-x86_64, windows-amd64") == ["linux-x86_64", "windows-amd64"]
    assert parse_pythons("3.10,3.13") == ["3.10", "3.13"]


def test_bundle_has_package_versions_for_each_python(registry, project, monkeypatch):
    needed = {"3.13": [Package("numpy", "2.2.6")], "3.14": [Package("numpy", "2.3.5")]}
    monkeypatch.setattr(bundling, "required_packages", needed.get)
    bundle(["linux-x86_64"], ["3.13", "3.14"])
    pythons = [arguments[arguments.index("--python-version") + 1] for arguments in registry.pip_calls]
    assert dict(zip(pythons, registry.fetched)) == {"3.13": ["numpy==2.2.6"], "3.14": ["numpy==2.3.5"]}


# ------------------------------------------------------------------ on the other computer


def test_a_bundle_installs_from_its_own_folder_alone(project):
    python = this_python()
    assert bundled_packages(python) == []
    (project / "wheels").mkdir()
    made_for = project / "wheels" / "made_for.json"
    made_for.write_text(json.dumps([[this_system(), python]]))
    own = ["--no-index", "--find-links", "wheels", "-r", f"wheels/{python}.txt"]
    assert bundled_packages(python) == own
    made_for.write_text(json.dumps([["beos", "3.10"]]))
    with pytest.raises(Refusal, match=rf"are for beos with Python 3\.10, but this is {this_system()}"):
        bundled_packages(python)


def test_container_uses_the_packages_of_its_python(project, monkeypatch):
    monkeypatch.setenv("CARD_LAB_VENV", "no")
    assert venv_program("python") == Path(sys.executable)
    (project / "requirements.txt").write_text("pytest==0.0.1\ntomli==2.2.1 ; python_full_version < '3.0'\n")
    with pytest.raises(
        Refusal, match=r"this Python lacks pytest==0\.0\.1\. Run: .* -m pip install -r requirements"
    ):
        install()
    (project / "requirements.txt").write_text(f"pytest=={pytest.__version__}\n")
    install()
    assert not (project / ".venv").exists()


def test_image_contains_only_what_a_copy_has():
    ignored = (CARD_LAB / ".dockerignore").read_text("utf-8").splitlines()[1:]
    assert sorted(ignored) == sorted([*AT_THE_TOP, *(f"**/{name}" for name in ANYWHERE)])


def test_image_and_procfile_serve_the_network():
    [in_image] = re.findall(r"^CMD (.*)$", (CARD_LAB / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    in_procfile = (CARD_LAB / "Procfile").read_text("utf-8").replace("$PORT", "8765").split()
    for words, port in ((json.loads(in_image), 8000), (in_procfile, 8765)):
        arguments = command_line().parse_args(words[words.index("lab.py") + 1 :])
        assert (arguments.command, arguments.host, arguments.port) == ("run", "0.0.0.0", port)
    assert "CARD_LAB_VENV=no" in in_procfile
