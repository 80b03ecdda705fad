"""Tests the numbered report, its methods and the Quarto document for a paper's supplement."""

import ast
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cardlab.analysis import actions_table
from cardlab.analysis.commands import main
from cardlab.analysis.report.data import gather_data
from cardlab.analysis.report.methods import Command, build_methods_section

EXAMPLE = Path(__file__).parents[2] / "docs/example/actions.csv"
OPTIONS = ["--by", "participant_label", "--threshold", "expert_from=0.8", "--no-search"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("supplement") / "report"
    assert main(["report", str(EXAMPLE), *OPTIONS, "--out", str(folder)]) == 0
    return folder


def code_of(document):
    """Returns the code of the document's cells, in order."""
    return re.findall(r"```\{python\}\n(.*?)```", document, flags=re.S)


def test_figures_and_tables_are_numbered(folder):
    page = (folder / "report.html").read_text("utf-8")
    for noun in ("Figure", "Table"):
        numbers = [int(number) for number in re.findall(rf"<h3>{noun} (\d+)<br>", page)]
        assert len(numbers) > 3
        assert numbers == [*range(1, len(numbers) + 1)]


def test_document_has_each_figure_and_shown_table(folder):
    page, document = ((folder / name).read_text("utf-8") for name in ("report.html", "supplement.qmd"))
    drawn = re.findall(r"\]\((\w+\.svg)\)\{#fig-[a-z0-9-]+\}", document)
    assert drawn == [*dict.fromkeys(re.findall(r'href="(\w+\.svg)"', page))]
    shown = re.findall(r'show\("(\w+\.csv)"', document)
    assert len(shown) == page.count("<h3>Table ")
    assert all((folder / name).is_file() for name in (*drawn, *shown))


def test_cells_of_the_document_print_its_tables(folder):
    document = (folder / "supplement.qmd").read_text("utf-8")
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(code_of(document))], cwd=folder, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("| condition | participants | hands | hands\\_that\\_count |\n| --- | ---")
    widths = {line.count(" | ") for line in run.stdout.splitlines()}
    assert max(widths) < 9
    assert "This table has" in run.stdout
    assert "\n| informed | 2 | 64 | 64 |\n" in run.stdout


def test_document_computes_the_report_again(folder):
    begin = code_of((folder / "supplement.qmd").read_text("utf-8"))[0]
    (arguments,) = re.findall(r"^ARGUMENTS = (\[.*\])", begin, flags=re.M)
    command, source, *options = ast.literal_eval(arguments)
    assert (command, options) == ("report", OPTIONS)
    assert (folder / source).resolve() == EXAMPLE.resolve()
    assert "REBUILD = False" in begin


def test_methods_describe_tests_within_persons():
    """A preregistration may compare within persons where there is only one condition."""
    data = gather_data(actions_table.read_hands(EXAMPLE.open(newline=""), "example.csv"), {})
    plain, planned = (
        build_methods_section(data, Command(preregistration=plan)).text for plan in (None, Path("plan.md"))
    )
    assert ("the paired t" in plain, "the paired t" in planned) == (False, True)


def test_methods_name_software_and_files(folder):
    page = (folder / "report.html").read_text("utf-8")
    methods = page[page.index("<h2>Methods</h2>") :]
    assert f"actions.csv (SHA-256 {hashlib.sha256(EXAMPLE.read_bytes()).hexdigest()})" in methods
    assert "report actions.csv --by participant_label --threshold expert_from=0.8 --no-search" in methods
    assert "expert_from = 0.8" in methods
    assert "The independent observations are the participants." in methods
    assert "or each observation as one value if all agree or there are fewer than 6." in methods
    assert "a share that varies in neither condition is Newcombe’s (1998)" in methods
    assert re.search(r"Python 3\.\d+\.\d+, NumPy \d", methods)
