"""The page on analysing data does what it says: its commands, its Python and its R, one after the other."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import matplotlib as mpl
import pytest

from cardlab.analysis.commands import main
from tests.pages_of_docs import page

ROOT = Path(__file__).parents[2]
TEXT = page("analyse-data.md", "analysing-data.md")
COMMAND = "    python -m cardlab.analysis "

# Commands that name files of a lab's own, or take minutes.
OWN_FILES = (
    "_app_actions.csv",
    "_app_log.txt",
    "logs/ck",
    "--engine dask",
    "docs/example/design.toml",
    "docs/example/pairs.toml",
)


def commands() -> list[list[str]]:
    commands = [line.removeprefix(COMMAND) for line in TEXT.splitlines() if line.startswith(COMMAND)]
    return [shlex.split(line) for line in commands if not any(name in line for name in OWN_FILES)]


def blocks(language: str) -> str:
    return "\n".join(re.findall(rf"```{language}\n(.*?)```", TEXT, re.S))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which all commands of the document were run, as its reader does, from the project's own."""
    folder = tmp_path_factory.mktemp("analysing")
    (folder / "docs").symlink_to(ROOT / "docs")
    (folder / "deals").symlink_to(ROOT / "deals")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(
            "cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg/>"
        )  # tests of the report draw theirs
        patch.setattr("cardlab.analysis.baselines.MAX_REPETITIONS", 2)  # nothing here needs a steady mean
        patch.setattr(
            "os.cpu_count", lambda: 1
        )  # no process has to be started; `--jobs` has tests of its own
        for arguments in commands():
            assert main(arguments) == 0, arguments
    return folder


def test_commands_of_the_document_run(folder):
    assert {"hands.csv", "report", "solve.csv", "power_hands.csv", "matrix", "triangle", "best.csv"} <= {
        file.name for file in folder.iterdir()
    }


def test_example_equals_its_simulation(folder):
    """Byte for byte; after a change of version or of strategies write it anew with the command."""
    assert (folder / "actions.csv").read_bytes() == (ROOT / "docs" / "example" / "actions.csv").read_bytes()


def test_the_python_of_the_document_runs(folder, monkeypatch):
    monkeypatch.chdir(folder)
    mpl.use("svg")
    names: dict = {}
    exec(compile(blocks("python"), "analysing-data.md", "exec"), names)
    assert "<svg" in (folder / "routines.svg").read_text("utf-8")
    assert set(names["kept"].index) == {"routinizing", "informed"}
    assert names["kept"]["routinizing"] > names["kept"]["informed"]
    assert 0 <= names["power"] <= 1
    assert len(names["solved"]) == 32
    assert names["habit"].converged
    assert names["habit"].params["habit"] > 0  # the more the route has served, the more it is kept to
    assert names["cost"].params["tempting"] > 0


def test_the_r_of_the_document_runs(folder):
    program = shutil.which("Rscript")
    if not program:
        pytest.skip("R is not on this machine")
    (folder / "document.R").write_text(blocks("r"), "utf-8")
    done = subprocess.run([program, "--vanilla", "document.R"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "<svg" in (folder / "routines_r.svg").read_text("utf-8")
