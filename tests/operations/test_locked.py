"""Tests the packages in requirements.txt and uv.lock, and that both agree with pyproject.toml."""

import json
import os
import re
import runpy
from types import SimpleNamespace

import pytest

from cardlab import __version__
from cardlab.operations import environment, packages
from cardlab.operations.environment import environment_of, venv_program
from cardlab.operations.locked import (
    locked_package,
    marker_holds,
    missing_requirements,
    normalized,
    required_packages,
)
from cardlab.operations.packages import EXTRAS
from cardlab.operations.project import FOLDER as CARD_LAB
from cardlab.operations.supported_python import NEWEST, OLDEST
from cardlab.operations.terminal import Refusal

PYTHONS = [f"3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]


def test_a_version_may_depend_on_the_python(project):
    (project / "requirements.txt").write_text(
        "# numpy==1.0\n--only-binary :all:\nnumpy==2.2.6 ; python_full_version < '3.14' \\\n"
        "    --hash=sha256:aa \\\n    --hash=sha256:bb\nnumpy==2.3.5 ; python_full_version >= '3.14' \\\n"
        "    --hash=sha256:cc\notree==6.0.15 \\\n    --hash=sha256:dd\n"
    )
    assert [package.requirement for package in required_packages("3.10")] == [
        "numpy==2.2.6 --hash=sha256:aa --hash=sha256:bb",
        "otree==6.0.15 --hash=sha256:dd",
    ]
    assert [str(package) for package in required_packages("3.14")] == ["numpy==2.3.5", "otree==6.0.15"]
    (project / "requirements.txt").write_text("otree==6.0.15 ; sys_platform == 'win32' --hash=sha256:aa\n")
    with pytest.raises(Refusal, match="has the marker sys_platform"):
        required_packages("3.14")


@pytest.mark.parametrize("python", PYTHONS)
def test_each_python_has_one_hashed_version(python):
    packages = required_packages(python)
    names = [package.name for package in packages]
    assert len(names) == len(set(names))
    assert {"otree", "pandas", "numpy", "sqlalchemy"} <= set(names)
    assert all(package.hashes for package in packages)
    assert ("tomli" in names) == (python == "3.10")


def test_uv_is_in_the_lock():
    assert locked_package("uv").version.count(".") == 2
    assert len(locked_package("uv").hashes) > 5


def test_requirements_are_exported_from_the_lock(monkeypatch):
    monkeypatch.setenv("PATH", f"{venv_program('uv').parent}{os.pathsep}{os.environ['PATH']}")
    exported = runpy.run_path(str(CARD_LAB / "tools" / "lock.py"))["export"]()
    assert (CARD_LAB / "requirements.txt").read_text("utf-8") == exported, "run tools/lock.py"


def test_the_lock_has_the_projects_requirements():
    stated = (CARD_LAB / "pyproject.toml").read_text("utf-8").partition("[project.optional-dependencies]")[2]
    stated = re.findall(r'"([\w.-]+==[\w.]+)', stated.partition("\n[tool.hatch")[0])
    [metadata] = re.findall(
        r"^\[package\.metadata\]\nrequires-dist = \[\n(.*?)^\]",
        (CARD_LAB / "uv.lock").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    locked = re.findall(r'name = "([\w.-]+)".*?specifier = "==([\w.]+)"', metadata)
    assert {*locked} == {
        (normalized(name), version) for name, _, version in (each.partition("==") for each in stated)
    }


def test_extras_are_those_of_the_project():
    text = (CARD_LAB / "pyproject.toml").read_text("utf-8").partition("[project.optional-dependencies]")[2]
    extras = set(re.findall(r"^(\w+) = \[", text.partition("\n[tool.")[0], re.MULTILINE))
    assert extras == {*EXTRAS, "server", "tables"}
    assert {environment_of(extra) for extra in extras} == {
        ".venv",
        ".venv-docs",
        ".venv-dask",
        ".venv-validators",
        ".venv-mutation",
    }


@pytest.mark.parametrize(
    ("marker", "python", "holds"),
    [
        ("", "3.10", True),
        ("python_full_version < '3.11'", "3.10", True),
        ("python_full_version < '3.11'", "3.11", False),
        ("python_full_version >= '3.14'", "3.14", True),
    ],
)
def test_markers_compare_versions(marker, python, holds):
    assert marker_holds(marker, python) is holds


REQUIRES = [
    "otree==6.0.15; extra == 'server'",
    "numpy==2.2.6; (python_version < '3.14') and extra == 'server'",
    "numpy==2.3.5; (python_version >= '3.14') and extra == 'server'",
    "psycopg2-binary==2.9.13; extra == 'server'",
    "pyarrow==26.0.1; (python_version >= '3.11') and extra == 'analysis'",
]


@pytest.mark.parametrize(("python", "numpy"), [("3.13", "numpy==2.2.6"), ("3.14", "numpy==2.3.5")])
def test_package_names_what_this_python_lacks(monkeypatch, python, numpy):
    monkeypatch.setattr("importlib.metadata.requires", lambda _name: REQUIRES)
    installed = {"otree": "5.10.0", "psycopg2-binary": "2.9.13"}
    assert missing_requirements("server", python, installed) == ["otree==6.0.15", numpy]


def test_analysis_accepts_other_versions_of_packages(monkeypatch):
    monkeypatch.setattr("importlib.metadata.requires", lambda _name: REQUIRES)
    monkeypatch.setattr(environment, "installed_packages", lambda: {"pyarrow": "27.0.0"})
    monkeypatch.setattr(environment, "this_python", lambda: "3.13")
    environment.check_installed("analysis", "analysis", any_version=True)
    with pytest.raises(
        Refusal, match=r'lacks pyarrow==26\.0\.1\. Run: .* -m pip install "card-lab\[analysis\]"'
    ):
        environment.check_installed("analysis", "analysis")


def test_bill_of_materials_has_the_version(project, monkeypatch):
    def export(command, **_options):
        file = project / command[command.index("--output-file") + 1]
        file.write_text('{"metadata": {"component": {"name": "card-lab"}}}', "utf-8")
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(environment, "install", lambda: None)
    monkeypatch.setattr(environment, "find_uv", lambda _folder: "uv")
    monkeypatch.setattr("subprocess.run", export)
    assert packages.write_bill(SimpleNamespace(out="bill.json")) == 0
    assert (
        json.loads((project / "bill.json").read_text("utf-8"))["metadata"]["component"]["version"]
        == __version__
    )
