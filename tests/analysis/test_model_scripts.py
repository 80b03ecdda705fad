"""Tests the scripts that fit mixed models to the table of ``model``."""

import re
import runpy
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from cardlab.analysis.commands import main
from cardlab.analysis.model_scripts import Model, choose_model, write_scripts
from cardlab.games.contract import BadFile

EFFECT = 1.0


@pytest.fixture(scope="module")
def actions(tmp_path_factory):
    """Provides the actions of twelve participants in two treatments."""
    file = tmp_path_factory.mktemp("model") / "actions.csv"
    design = ["--treatments", "familiar_422_442.toml", "--strategy", "routinizing", "--seed", "2026"]
    assert main(["simulate", "ttt", *design, "--participants", "12", "-o", str(file)]) == 0
    return file


@pytest.fixture
def studied(tmp_path):
    """Provides a table of 60 participants whose condition has the ``EFFECT`` on each kind of outcome."""
    rng = np.random.default_rng(3)
    number = np.repeat(np.arange(60), 20)
    mean = np.where(number % 2, EFFECT, 0) + 0.5 * rng.normal(size=60)[number]
    value = mean + rng.normal(size=len(number))
    binary = rng.random(len(number)) < 1 / (1 + np.exp(-mean))
    columns = {"cluster": number, "condition": np.where(number % 2, "b", "a")}
    counts = rng.negative_binomial(2, 2 / (2 + np.exp(mean)))
    outcomes = {"points": value, "seconds": np.exp(value), "right": binary.astype(int), "moves": counts}
    table = pd.DataFrame({**columns, **outcomes, "deal": np.tile(np.arange(20), 60)})
    table.to_csv(tmp_path / "model.csv", index=False)
    return tmp_path / "model.csv"


@pytest.fixture
def fit(monkeypatch, capsys):
    """Provides a function that runs a Python script in this process, which has loaded its packages."""

    def in_this_process(script):
        monkeypatch.chdir(script.parent)
        capsys.readouterr()
        runpy.run_path(str(script), run_name="__main__")
        return capsys.readouterr().out

    return in_this_process


def run(program, script):
    done = subprocess.run([program, script.name], cwd=script.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def estimate(output, name):
    return float(re.search(rf"^{re.escape(name)}\s+(\S+)", output, re.MULTILINE)[1])


OUTCOMES = pytest.mark.parametrize(
    ("outcome", "kind"),
    [("points", "number"), ("seconds", "time"), ("right", "binary"), ("moves", "count")],
)


@OUTCOMES
def test_python_script_finds_the_effect(studied, fit, outcome, kind):
    script, _r = write_scripts(studied, Model(outcome, kind, "condition", ("condition",)), ["condition"])
    output = fit(script)
    assert estimate(output, "condition[T.b]") == pytest.approx(EFFECT, abs=0.35)
    assert "1200 hands of 60 units" in output


def r_with(package):
    """Returns the program of R; skips the test if the package is not installed."""
    program = shutil.which("Rscript")
    if not program or subprocess.run([program, "-e", f"library({package})"], capture_output=True).returncode:
        pytest.skip(f"R with {package} is not on this machine")
    return program


@pytest.fixture(scope="module")
def r_with_lme4():
    return r_with("lme4")


@pytest.mark.long("the same model as with random slopes", only=("points-number", "seconds-time"))
@OUTCOMES
def test_r_script_finds_the_effect(r_with_lme4, studied, outcome, kind):
    if kind == "count":
        r_with("glmmTMB")
    _python, script = write_scripts(studied, Model(outcome, kind, "condition", ("condition",)), [])
    assert estimate(run(r_with_lme4, script), "conditionb") == pytest.approx(EFFECT, abs=0.35)


def test_only_counts_have_a_model_of_counts(studied):
    table = pd.read_csv(studied)
    chosen = choose_model(table, ["moves"], "moves", "condition", counts=True)
    assert chosen == Model("moves", "count", "condition", ("condition",))
    with pytest.raises(BadFile, match="contains .*, which is not a count. Choose another --outcome"):
        choose_model(table, ["seconds"], "seconds", "condition", counts=True)


def test_model_that_cannot_be_mixed_is_fitted_robustly(studied, fit):
    """The participants do not differ, and their values follow from condition and deal."""
    table = pd.read_csv(studied)
    table["points"] = (table["condition"] == "b").astype(float) + table["deal"] % 2
    table.to_csv(studied, index=False)
    script, _r = write_scripts(studied, Model("points", "number", "condition", ("condition",)), [])
    assert estimate(fit(script), "condition[T.b]") == pytest.approx(EFFECT)


def study_within(path, studies, persons=12):
    """Writes the scripts of a term that varies within units and has no effect on average.

    Returns a table of each study, in which units differ in the effect of the term.
    """
    rng = np.random.default_rng(5)
    unit, term = np.repeat(np.arange(persons), 16), np.tile([0, 1], persons * 8)
    tables = []
    for _study in range(studies):
        points = term * rng.normal(size=persons)[unit] + rng.normal(size=len(unit))
        tables.append(pd.DataFrame({"cluster": unit, "term": term, "points": points, "deal": 0}))
    return tables, write_scripts(path, Model("points", "number", "term", ("term",)), [])


def test_effects_that_differ_between_units_are_allowed(tmp_path):
    """A mixed model without random slopes finds an effect in 30 of 100 studies without one."""
    tables, (script, _r) = study_within(tmp_path / "model.csv", 100)
    fitted = runpy.run_path(str(script))["fit"]
    ps = [fitted(table)[0]["p"]["term"] for table in tables]
    assert np.mean(np.array(ps) < 0.05) <= 0.1


def test_r_script_has_random_slopes(r_with_lme4, tmp_path):
    (table,), (_python, script) = study_within(tmp_path / "model.csv", 1)
    table.to_csv(tmp_path / "model.csv", index=False)
    output = run(r_with_lme4, script)
    assert float(re.search(r"slope_1 +(\S+)", output)[1]) == pytest.approx(1, abs=0.4)


def test_term_that_separates_is_reported(studied, fit):
    table = pd.read_csv(studied)
    table["right"] = (table["condition"] == "b").astype(int)
    table.to_csv(studied, index=False)
    script, _r = write_scripts(studied, Model("right", "binary", "condition", ("condition",)), [])
    assert "Do not use these results" in fit(script)


def test_equal_hands_of_a_unit_have_estimates(tmp_path, fit):
    """The correlation of hands cannot be estimated, because each unit has only zeros or only ones."""
    unit = np.repeat(np.arange(10), 3)
    columns = {"cluster": unit, "place": np.tile([1, 2, 3], 10), "right": (unit > 6).astype(int), "deal": 0}
    pd.DataFrame(columns).to_csv(tmp_path / "model.csv", index=False)
    script, _r = write_scripts(tmp_path / "model.csv", Model("right", "binary", "place", ("place",)), [])
    assert estimate(fit(script), "Intercept") == pytest.approx(np.log(3 / 7), abs=0.01)


def test_command_writes_scripts_for_its_data(actions, tmp_path, capsys):
    out = tmp_path / "hands.csv"
    assert main(["model", str(actions), "-o", str(out), "--outcome", "moves_lost"]) == 0
    assert "hands.py and " in (said := capsys.readouterr().out)
    assert "moves_lost ~ condition" in said
    output = run(sys.executable, tmp_path / "hands.py")
    table = pd.read_csv(out)
    means = table[table["moves_lost"].notna()].groupby("condition")["moves_lost"].mean()
    (name,) = re.findall(r"^(condition\S+)", output, re.MULTILINE)
    assert estimate(output, name) == pytest.approx(means.iloc[1] - means.iloc[0], abs=0.05)
    assert table.groupby("deal")["moves_422"].nunique().max() == 1  # equal deals have the same number


def test_default_model_does_not_explain_the_deals(tmp_path, capsys):
    """Per participant, hands for two have no score, and the next measure was that of the deal."""
    source, out = str(tmp_path / "actions.csv"), str(tmp_path / "model.csv")
    assert main(["simulate", "ttt", "--set", "players=2", "--participants", "4", "-o", source]) == 0
    assert main(["model", source, "--per", "participant", "-o", out]) == 0
    assert "excess_over_expected ~ place" in capsys.readouterr().out


def test_file_of_somebody_else_is_kept(actions, tmp_path, capsys):
    own = tmp_path / "hands.py"
    own.write_text("print('mine')", "utf-8")
    out = tmp_path / "hands.csv"
    assert main(["model", str(actions), "-o", str(out)]) == 2
    assert "This file is not a script of this command." in capsys.readouterr().err
    assert own.read_text("utf-8") == "print('mine')"


def test_table_without_a_possible_model_is_written(tmp_path):
    file, out = tmp_path / "one.csv", tmp_path / "model.csv"
    assert main(["simulate", "ttt", "--participants", "1", "--hands", "1", "-o", str(file)]) == 0
    assert main(["model", str(file), "-o", str(out)]) == 0
    assert len(pd.read_csv(out)) == 1
    assert not out.with_suffix(".py").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--outcome", "moves_lots"], "'moves_lots' is not a measure. Choose one of: score, "),
        (["--outcome", "forced_passes"], "The column 'forced_passes' does not vary."),
        (["--terms", "condition * bloc"], "There is no column 'bloc'. Choose a column of the table."),
        (["--terms", "condition + seat"], "The column 'seat' does not vary."),
        (["--terms", "1"], "'1' names no column."),
        (["--terms", "condition +"], "'condition +' is not a formula such as 'condition * block'."),
        (["--terms", "C(block"], "'C(block' is not a formula such as"),
    ],
)
def test_wrong_model_is_refused(actions, tmp_path, capsys, options, sentence):
    out = tmp_path / "model.csv"
    assert main(["model", str(actions), "-o", str(out), *options]) == 2
    assert sentence in capsys.readouterr().err
    assert not out.exists()
