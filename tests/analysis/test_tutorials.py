"""Tests the tutorials: runs their commands and the Python of the analysis in order."""

from __future__ import annotations

import shlex
from pathlib import Path

import matplotlib as mpl
import pytest

from cardlab.analysis.commands import main
from tests.pages_of_docs import ROOT, blocks, page

COMMAND = "python -m cardlab.analysis "


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Provides a folder with the example data, as the current one."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg/>")
    monkeypatch.setattr("cardlab.analysis.baselines.MAX_REPETITIONS", 2)
    mpl.use("svg")
    return tmp_path


def follow(name: str, **replaced: str) -> dict:
    """Runs the analysis of a page in order and returns the names that its Python defines."""
    names: dict = {}
    for block in blocks(page(name)):
        code = block.code
        for placeholder, value in replaced.items():
            code = code.replace(placeholder, value)
        if block.language == "python":
            exec(compile(code, name, "exec"), names)
        for line in code.splitlines() if block.language == "bash" else []:
            if line.startswith(COMMAND):
                assert main(shlex.split(line.removeprefix(COMMAND))) == 0, line
    return names


def test_example_data_give_the_answer_of_the_page(folder):
    names = follow("analyse-example-data.md")
    kept = {label: round(share, 5) for label, share in names["kept"].items()}
    assert all(f"{label:14s}{share:8.5f}" in page("analyse-example-data.md") for label, share in kept.items())
    for file in ("report/report.html", "routines.svg", "replay.html"):
        assert (folder / file).stat().st_size > 0


def test_first_session_ends_with_a_figure(folder):
    session = folder / "exports" / "x8f2k1qz"
    session.mkdir(parents=True)
    example = (ROOT / "docs" / "example" / "actions.csv").read_text("utf-8")
    (session / "ttt_solo_app_actions.csv").write_text(example, "utf-8")
    follow("first-session.md", SESSION="x8f2k1qz")
    assert (folder / "report" / "report.html").exists()
    assert (folder / "moves.png").stat().st_size > 0
