"""Tests the stages of `lab.py test`, their counts, and the programs that they need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from stages import clean_environment, counts, pytest_stages, repeat_failures, report_defects, run_slow
from system_packages import find_browser, install_missing

from cardlab.operations.environment import venv_program
from cardlab.operations.project import WINDOWS
from cardlab.operations.terminal import Refusal


def write_browser_stub(folder: Path, name: str, page: str) -> str:
    """Writes a program that acts like a browser asked for an empty page."""
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{page}'\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.skipif(WINDOWS, reason="the stand-ins are shell scripts")
def test_browser_stub_is_skipped(tmp_path, monkeypatch):
    for name in ("chromium-headless-shell", "chromium", "chromium-browser"):
        write_browser_stub(tmp_path, name, "requires the snap to be installed")
    chrome = write_browser_stub(tmp_path, "google-chrome", "<html><head></head><body></body></html>")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    monkeypatch.delenv("CARD_LAB_CHROMIUM", raising=False)
    assert find_browser() == chrome


@pytest.mark.skipif(WINDOWS, reason="the stand-ins are shell scripts")
def test_missing_browser_is_an_error_with_advice(tmp_path, monkeypatch):
    monkeypatch.delenv("CARD_LAB_CHROMIUM", raising=False)
    monkeypatch.setattr(
        "system_packages.browser_candidates", lambda: [write_browser_stub(tmp_path, "chromium", "no")]
    )
    monkeypatch.setattr("system_packages.playwright_browser", list)
    monkeypatch.setattr("system_packages.subprocess.run", lambda command, **_: installed.extend(command))
    monkeypatch.setattr("system_packages.browser_starts", lambda _program: False)
    installed = []
    with pytest.raises(Refusal, match="install one, or set CARD_LAB_CHROMIUM"):
        find_browser()
    assert "chromium" in installed


@pytest.mark.parametrize(
    ("usable", "known", "expected"),
    [
        (True, {"chromium", "chromium-headless-shell"}, "chromium-headless-shell"),
        (True, {"chromium"}, "chromium"),  # an older system
        (False, {"chromium"}, None),
    ],
)
def test_missing_programs_are_installed_with_apt(monkeypatch, usable, known, expected):
    for name in ("CARD_LAB_CHROMIUM", "CARD_LAB_POSTGRES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("system_packages.browser_candidates", list)
    monkeypatch.setattr("system_packages.postgres_folder", lambda: None)
    monkeypatch.setattr("system_packages.apt_usable", lambda: usable)
    monkeypatch.setattr("system_packages.apt_known", lambda: known)
    installed = []
    monkeypatch.setattr("system_packages.apt_install", lambda *packages: installed.extend(packages))
    install_missing()
    assert installed == ([expected, "fonts-dejavu-core", "postgresql"] if expected else [])


def test_wrong_browser_variable_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("CARD_LAB_CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(Refusal, match="CARD_LAB_CHROMIUM names"):
        find_browser()


def test_environment_hides_the_users_server(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://u@h/real_data")
    monkeypatch.setenv("OTREE_ADMIN_PASSWORD", "mine")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environment = clean_environment()
    assert "DATABASE_URL" not in environment
    assert "OTREE_ADMIN_PASSWORD" not in environment
    assert "PYTHONDONTWRITEBYTECODE" not in environment  # compiled files are kept
    assert environment["PATH"].startswith(str(venv_program("otree").parent))


def test_options_reach_every_stage():
    (_, quick), (_, slow) = pytest_stages(["-k", "name"])
    assert "tests" in quick
    assert quick[-2:] == slow[-2:] == ["-k", "name"]
    rooms = {"tests/lab", "tests/system", "tests/browser"}
    assert {f"--ignore={room}" for room in rooms} < set(quick)
    assert rooms < set(slow)
    assert pytest_stages(["tests/lab/test_zip.py::test_x"]) == [
        ("named tests", ["--long", "tests/lab/test_zip.py::test_x"])
    ]


def results(folder: Path, **runs: dict[str, str]) -> None:
    """Writes pytest reports with these tests and results."""
    (folder / "test-results").mkdir(exist_ok=True)
    for run, tests in runs.items():
        cases = (f'<testcase classname="x" name="{name}">{how}</testcase>' for name, how in tests.items())
        text = f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"
        (folder / "test-results" / f"{run}.xml").write_text(text)


def test_counts_cover_all_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("cardlab.operations.project.FOLDER", tmp_path)
    results(tmp_path, a={"a": "", "b": "<failure/>", "c": "<error/>"}, b={"d": "", "e": "<skipped/>"})
    assert counts() == "2 passed, 2 failed, 1 skipped"


def rehearse(monkeypatch, folder: Path, *runs: dict[str, str]) -> tuple[bool, list[list[str]]]:
    """Runs the slow stage with a stand-in whose pytest runs leave these results, one after the other.

    Returns whether it passed, and the options of each run.
    """
    monkeypatch.setattr("cardlab.operations.project.FOLDER", folder)
    left, requested = iter(runs), []

    def run_stage(_title, _program, options, _environment):
        report = Path(next(option for option in options if option.startswith("--junit-xml="))).stem
        results(folder, **{report: (tests := next(left))})
        requested.append(options)
        return not any("failure" in how for how in tests.values())

    monkeypatch.setattr("stages.run_stage", run_stage)
    monkeypatch.setattr("stages.run_bots", lambda _environment, _long: (True, []))
    return run_slow(("slow tests", ["--numprocesses=2", "tests/browser"]), {}), requested


def test_few_failures_are_repeated_alone(monkeypatch, tmp_path):
    well, (_first, again) = rehearse(monkeypatch, tmp_path, {"a": "", "b": "<failure/>"}, {"b": ""})
    assert well
    assert {"--last-failed", "tests/browser"} < set(again)
    assert [option for option in again if "numprocesses" in option][-1] == "--numprocesses=0"
    assert counts() == "2 passed, 0 failed, 0 skipped; passed only alone: x.b"


LOG = "<failure>the server gave no answer in 60 s</failure><system-err>its log</system-err>"


def test_defect_report_has_the_first_log(monkeypatch, tmp_path, capsys):
    failed = {"b": LOG, "c": LOG.replace("60", "20"), "d": LOG}
    rehearse(monkeypatch, tmp_path, {"a": "", **failed}, {"b": "", "c": "", "d": "<failure/>"})
    report_defects()
    printed = capsys.readouterr().out
    for line in ("== 2 DEFECTS: failed among other tests, passed alone", "-- defect 1: x.b", "in 60 s"):
        assert line in printed
    for line in ("-- defect 2: x.c", "in 20 s", "its log"):
        assert line in printed
    assert "x.d" not in printed  # it also failed alone, so it is reported as a failure above
    written = (tmp_path / "test-results" / "passed-only-alone.txt").read_text("utf-8")
    assert written in printed


def test_no_repeated_test_means_no_defect_report(monkeypatch, tmp_path, capsys):
    rehearse(monkeypatch, tmp_path, {"a": ""})
    report_defects()
    assert "DEFECT" not in capsys.readouterr().out
    assert not (tmp_path / "test-results" / "passed-only-alone.txt").exists()


def test_repeated_failure_fails_the_run(monkeypatch, tmp_path):
    broken = {"b": "<failure/>"}
    well, requested = rehearse(
        monkeypatch, tmp_path, {"c": "", "d": "<failure/>", **broken}, {"d": "", **broken}
    )
    assert not well
    assert len(requested) == 2
    assert counts() == "2 passed, 1 failed, 0 skipped; passed only alone: x.d"


@pytest.mark.parametrize("many", [{}, dict.fromkeys("abcd", "<failure/>")])
def test_many_failures_are_not_repeated(monkeypatch, tmp_path, many):
    monkeypatch.setattr("cardlab.operations.project.FOLDER", tmp_path)
    results(tmp_path, **{"slow-tests": many})
    monkeypatch.setattr("stages.run_pytest", lambda *_arguments: True)
    assert not repeat_failures("slow tests", [], {})
