"""What `lab.py test` runs, with what, and how it counts; and what it needs of the machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from machine import find_browser, install_missing
from stages import clean_environment, counts, pytest_stages

from laboratory.environment import venv_program
from laboratory.project import WINDOWS
from laboratory.terminal import Refusal


def a_browser(folder: Path, name: str, page: str) -> str:
    """A program that answers as a browser would when asked for an empty page."""
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{page}'\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.skipif(WINDOWS, reason="the stand-ins are shell scripts")
def test_a_browser_that_only_says_how_to_get_it_is_passed_over(tmp_path, monkeypatch):
    a_browser(tmp_path, "chromium", "requires the snap to be installed")
    chrome = a_browser(tmp_path, "google-chrome", "<html><head></head><body></body></html>")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    monkeypatch.delenv("CARD_LAB_CHROMIUM", raising=False)
    assert find_browser() == chrome


@pytest.mark.skipif(WINDOWS, reason="the stand-ins are shell scripts")
def test_a_machine_without_a_browser_fails_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.delenv("CARD_LAB_CHROMIUM", raising=False)
    monkeypatch.setattr("machine.browser_candidates", lambda: [a_browser(tmp_path, "chromium", "no")])
    monkeypatch.setattr("machine.playwright_browser", list)
    monkeypatch.setattr("machine.subprocess.run", lambda command, **_: installed.extend(command))
    monkeypatch.setattr("machine.browser_starts", lambda _program: False)
    installed = []
    with pytest.raises(Refusal, match="install one, or set CARD_LAB_CHROMIUM"):
        find_browser()
    assert "chromium" in installed


@pytest.mark.parametrize("usable", [True, False])
def test_what_the_machine_lacks_is_installed_where_that_needs_no_question(monkeypatch, usable):
    for name in ("CARD_LAB_CHROMIUM", "CARD_LAB_POSTGRES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("machine.browser_candidates", list)
    monkeypatch.setattr("machine.postgres_folder", lambda: None)
    monkeypatch.setattr("machine.apt_usable", lambda: usable)
    installed = []
    monkeypatch.setattr("machine.apt_install", lambda *packages: installed.extend(packages))
    install_missing()
    assert installed == (["chromium", "fonts-dejavu-core", "postgresql"] if usable else [])


def test_a_wrong_browser_in_the_environment_is_not_replaced_silently(tmp_path, monkeypatch):
    monkeypatch.setenv("CARD_LAB_CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(Refusal, match="CARD_LAB_CHROMIUM names"):
        find_browser()


def test_the_tests_see_nothing_of_the_users_own_server(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@h/real_data")
    monkeypatch.setenv("OTREE_ADMIN_PASSWORD", "mine")
    environment = clean_environment()
    assert "DATABASE_URL" not in environment
    assert "OTREE_ADMIN_PASSWORD" not in environment
    assert environment["PATH"].startswith(str(venv_program("otree").parent))


def test_options_go_to_every_stage_of_pytest_and_files_are_run_alone():
    (_, quick), (_, slow) = pytest_stages(["-k", "name"])
    assert "tests" in quick
    assert quick[-2:] == slow[-2:] == ["-k", "name"]
    assert "--ignore=tests/lab" in quick
    assert "tests/lab" in slow
    assert pytest_stages(["tests/lab/test_zip.py::test_x"]) == [
        ("named tests", ["tests/lab/test_zip.py::test_x"])
    ]


def test_the_counts_are_of_all_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("laboratory.project.FOLDER", tmp_path)
    (tmp_path / "test-results").mkdir()
    for name, suite in {
        "a": '<testsuite tests="5" failures="1" errors="1" skipped="1"/>',
        "b": '<testsuite tests="2" failures="0" errors="0" skipped="0"/>',
    }.items():
        (tmp_path / "test-results" / f"{name}.xml").write_text(f"<testsuites>{suite}</testsuites>")
    assert counts() == "4 passed, 2 failed, 1 skipped"
