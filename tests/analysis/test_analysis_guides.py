"""Tests the guides for analysts: runs the commands of a page, then its Python and its R."""

from __future__ import annotations

import runpy
import shlex
import shutil
import subprocess
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest

from cardlab.analysis.choice_models import MODELS
from cardlab.analysis.commands import main
from tests.pages_of_docs import Block, blocks, paths

ROOT = Path(__file__).parents[2]
PROGRAM = "python -m cardlab.analysis "
NOT_RUN = "<!-- not run: "
GUIDES = {
    path.stem: path for path in paths() if path.stem.startswith(("analyse-", "preregister", "replicate"))
}
NEEDS = {
    "analyse-large-data": "pyarrow",
    "analyse-mixed-models": "statsmodels",
}


def blocks_of(guide: str, *languages: str) -> list[Block]:
    """Returns the blocks of a guide in these languages that are to be run."""
    found = blocks(GUIDES[guide].read_text("utf-8"))
    return [block for block in found if block.language in languages and not block.marker.startswith(NOT_RUN)]


def commands(guide: str) -> list[list[str]]:
    lines = [line for block in blocks_of(guide, "bash", "console") for line in block.code.splitlines()]
    return [shlex.split(line.removeprefix(PROGRAM)) for line in lines if line.startswith(PROGRAM)]


def expanded(arguments: list[str]) -> list[str]:
    """Returns the arguments with file name patterns expanded, as by a shell."""
    files = {one: sorted(map(str, Path().glob(one))) for one in arguments if "*" in one}
    return [name for one in arguments for name in files.get(one) or [one]]


@pytest.fixture(scope="module", params=GUIDES)
def guide(request):
    if request.param in NEEDS:
        pytest.importorskip(NEEDS[request.param])
    return request.param


@pytest.fixture(scope="module")
def folder(guide, tmp_path_factory):
    """Provides a folder in which all commands of the guide were run, as from the project's folder."""
    folder = tmp_path_factory.mktemp("guide")
    (folder / "docs").symlink_to(ROOT / "docs")
    (folder / "deals").symlink_to(ROOT / "deals")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        # Other tests draw plots and fit all models. Nothing here needs a steady mean or worker processes.
        patch.setattr("cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg/>")
        patch.setattr("cardlab.analysis.baselines.MAX_REPETITIONS", 2)
        patch.setattr("cardlab.analysis.games.matrix.choice_fits.MODELS", MODELS[:3])
        patch.setattr("cardlab.analysis.choice_models.checks.SIMULATIONS", 20)
        patch.setattr("cardlab.analysis.choice_models.checks.FOLDS", 2)
        patch.setattr("cardlab.analysis.choice_models.fitting.EM_STEPS", 2)
        patch.setattr("os.cpu_count", lambda: 1)
        for arguments in commands(guide):
            assert main(expanded(arguments)) == 0, arguments
    return folder


def example_is_what_it_says(folder: Path, _names: dict) -> None:
    """Fails after a change of version or strategies until the example is written again by the command."""
    assert (folder / "actions.csv").read_bytes() == (ROOT / "docs/example/actions.csv").read_bytes()


def routines_differ(_folder: Path, names: dict) -> None:
    means = names["people"].groupby("condition")["routinization"].mean()
    assert round(means["routinizing"], 2) == 0.5
    assert means["informed"] == 0


def comparison_is_as_stated(folder: Path, _names: dict) -> None:
    row = pd.read_csv(folder / "compare.csv").set_index("measure").loc["routinization"]
    assert [round(row[name], 2) for name in ("estimate", "low", "high")] == [-0.5, -0.81, -0.19]
    assert round(row["p"], 3) == 0.014


def models_find_the_habit(folder: Path, names: dict) -> None:
    script = runpy.run_path(str(folder / "model.py"))
    coefficients, _method = script["fit"](script["read"]())
    assert coefficients.loc["tempting", "estimate"] > 0
    assert names["habit"].converged
    assert names["habit"].params["habit"] > 0


def depths_are_as_stated(_folder: Path, names: dict) -> None:
    verdicts = names["depth"].set_index("participant_label")["verdict"]
    assert {*verdicts["softmax_depth_0"]} == {"no evidence of search"}
    assert {*verdicts["softmax_depth_4"]} == {"search"}
    loss = names["chosen"].groupby("participant_label")["loss"].mean()
    assert loss["softmax_depth_4"] < loss["softmax_depth_0"]


def figure_is_drawn(folder: Path, names: dict) -> None:
    assert "<svg" in (folder / "routines.svg").read_text("utf-8")
    assert names["kept"]["routinizing"] > names["kept"]["informed"]


RESULTS = {
    "analyse-simulate": example_is_what_it_says,
    "analyse-routines": routines_differ,
    "analyse-compare-treatments": comparison_is_as_stated,
    "analyse-mixed-models": models_find_the_habit,
    "analyse-planning": depths_are_as_stated,
    "analyse-example-data": figure_is_drawn,
}


def test_python_finds_what_the_guide_says(guide, folder, monkeypatch):
    monkeypatch.chdir(folder)
    mpl.use("svg")
    names: dict = {}
    for block in blocks_of(guide, "python"):
        exec(compile(block.code, f"{guide}.md", "exec"), names)
    if guide in RESULTS:
        RESULTS[guide](folder, names)


def test_r_of_a_guide_runs(guide, folder):
    program = shutil.which("Rscript")
    if not program:
        pytest.skip("R is not on this machine")
    code = "\n".join(block.code for block in blocks_of(guide, "r"))
    (folder / "guide.R").write_text(code, "utf-8")
    done = subprocess.run([program, "--vanilla", "guide.R"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_guide_is_run():
    assert len(GUIDES) > 11
    assert {*RESULTS} - {*GUIDES} <= {"analyse-example-data"}
