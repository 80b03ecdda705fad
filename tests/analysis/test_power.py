"""Tests power analysis: validation of the design, and the rejection rate in the simulated repeats."""

import math
import pickle
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from benchmarks import power_check
from cardlab.analysis import design, power, simulated_models, simulated_people, simulated_tests
from cardlab.analysis.commands import main
from cardlab.analysis.exclusions import parse_rule
from cardlab.analysis.inference.comparisons import holm
from cardlab.analysis.inference.difference_test import difference_p
from cardlab.analysis.persons import PERSON
from cardlab.analysis.simulated_people import measure_people
from cardlab.analysis.simulated_tests import _TESTS, _p_of_cluster_means, check_measures, simulate_repeat
from cardlab.games.contract import BadFile
from tests.pages_of_docs import all_pages

ROOT = Path(__file__).parents[2]
HEAD = """
game = "ttt"
participants = [3, 2]
repeats = 2
measure = "repeated_sequences"
"""
ARMS = """
[control]
ShowFileName = "transfer422.txt"
hands = 6
strategy = "informed"

[habit]
ShowFileName = "transfer422.txt"
hands = 6
strategy = "routinizing=5:3,random:1"
"""
MATRIX = """
game = "matrix"
participants = 2
measure = "best_response_rate"
[one]
hands = 1
strategy = "random"
[other]
hands = 1
strategy = "best_response"
"""


@pytest.fixture
def read(tmp_path):
    def of(text=HEAD + ARMS):
        path = tmp_path / "design.toml"
        path.write_text(text, "utf-8")
        return design.read_design(path)

    return of


# ---------------------------------------------------------------- the file


def test_design_file_is_read(read):
    experiment = read()
    assert [arm.name for arm in experiment.arms] == ["control", "habit"]
    assert experiment.participants == (2, 3)
    assert (experiment.test, experiment.level, experiment.seed, experiment.table) == (
        "permutation",
        0.05,
        1,
        1,
    )
    assert {name: float(share) for name, share in experiment.arms[1].strategies.items()} == {
        "routinizing=5": 3,
        "random": 1,
    }
    assert pickle.loads(pickle.dumps(experiment)).arms == experiment.arms  # it is sent to other processes


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('game = "ttt"', 'game = "chess"', "design.toml, line 2, column 1: game must be one of challenge, "),
        (
            'game = "ttt"',
            "",
            "design.toml, line 1, column 1: game is missing. Set it before the first treatment.",
        ),
        (
            "repeats = 2",
            "repeats = 0",
            "design.toml, line 4, column 1: repeats must be a whole number from 1 to ",
        ),
        (
            "repeats = 2",
            "repeat = 2",
            "Unknown setting 'repeat' before the first treatment. Did you mean repeats?",
        ),
        ("repeats = 2", "level = 2", "design.toml, line 4, column 1: level must be a number between 0 and 1"),
        (
            "repeats = 2",
            'test = "anova"',
            "design.toml, line 4, column 1: test must be one of permutation, t, rank",
        ),
        ("repeats = 2", "seed = true", "design.toml, line 4, column 1: seed must be a whole number"),
        ("[3, 2]", "[3, 0]", "design.toml, line 3, column 1: participants must be the number per treatment"),
        ("[3, 2]", "[]", "design.toml, line 3, column 1: participants must be the number per treatment"),
        ("repeated_sequences", "moves", "design.toml, line 5, column 1: measure must be one of hands_over, "),
        (
            "repeats = 2",
            "thresholds = 3",
            "design.toml, line 4, column 1: thresholds must be a table such as { ",
        ),
        (
            "repeats = 2",
            "thresholds = { expert = 1 }",
            "design.toml thresholds, line 4, column 16: Target the Two has no",
        ),
        (
            "repeats = 2",
            'thresholds = { expert_from = "x" }',
            "design.toml thresholds, line 4, column 16: expert_from must be",
        ),
        (
            '"informed"',
            '"clever"',
            "design.toml [control], line 10, column 1: strategy: clever: Target the Two has no such",
        ),
        (
            '"informed"',
            '"informed=2"',
            "design.toml [control], line 10, column 1: strategy: informed=2: The strategy informed of Target",
        ),
        (
            '"informed"',
            "2",
            "design.toml [control], line 10, column 1: strategy must name how the participants play",
        ),
        (
            'strategy = "informed"',
            "",
            "design.toml [control], line 7, column 1: strategy must name how the participants play",
        ),
        (
            '"informed"',
            '"informed:x"',
            "design.toml [control], line 10, column 1: strategy: mix: A mix must have the form",
        ),
        ('"transfer422.txt"', '"nowhere.txt"', "nowhere.txt"),
        ("repeats = 2", "sessions = 0", "design.toml, line 4, column 1: sessions must be a whole number"),
        ("repeats = 2", "within = 2", "design.toml, line 4, column 1: within must be the name of a column"),
        ("repeats = 2", "equivalence = 2", "design.toml, line 4, column 1: equivalence must be a table"),
        ("repeats = 2", "equivalence = { hands_over = 1 }", "line 4, column 17: hands_over is not one of"),
        ("repeats = 2", "equivalence = { repeated_sequences = 0 }", "line 4, column 17: repeated_sequences"),
        ("repeats = 2", 'test = "t"\nwithin = "phase"', "line 4, column 1: test must be"),
        ('"repeated_sequences"', '["optimal_share", "moves"]', "line 5, column 1: measure must be one of"),
        ('"repeated_sequences"', "[]", "line 5, column 1: measure must name different measures"),
        ("[control]", "[con trol]", "This is not valid TOML"),
        ("[habit]", '["in two words"]', "is not a valid treatment name"),
        (
            "hands = 6",
            'hands = "six"',
            "design.toml [control], line 9, column 1: hands must be a whole number",
        ),
        (
            "hands = 6",
            'ViewCard = "some"',
            "design.toml [control], line 9, column 1: settings: ViewCard must be",
        ),
    ],
)
def test_design_errors_name_file_section_and_field(read, old, new, sentence):
    with pytest.raises(BadFile) as refused:
        read((HEAD + ARMS).replace(old, new, 1))
    assert sentence in str(refused.value)


@pytest.mark.parametrize("name", ["design.toml", "pairs.toml"])
def test_shipped_design_equals_the_documented_one(name):
    """Also checks that simulated participants have the measure."""
    path = ROOT / "docs/example" / name
    assert path.read_text("utf-8") in all_pages()
    experiment = design.read_design(path)
    check_measures(replace(experiment, participants=(2,)))


def test_pairs_keep_the_route_of_their_training():
    """Plays a small version of the shipped design of pairs, with strong habits. Both members of a pair show
    the same habit, and the pair is one observation."""
    experiment = design.read_design(ROOT / "docs/example/pairs.toml")
    arms = tuple(replace(arm, strategies={"routinizing=10": Fraction(1)}) for arm in experiment.arms)
    small = replace(experiment, arms=arms, participants=(8,), repeats=1)
    people = measure_people(small, 1, 8)
    for _arm, own in people.groupby("condition"):
        group = own["group"] - own["group"].min()
        assert group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]  # a smaller size has whole pairs
        assert (own.groupby("group")["attanasi_routinization"].nunique() == 1).all()
    (row,) = power.build_table(small, [simulate_repeat((small, 1))])
    assert row["mean_first"] > 0.5 > row["mean_second"]
    assert row["power"] == 1


def test_one_treatment_is_refused(read):
    with pytest.raises(BadFile, match="A design needs 2 to 12 treatments"):
        read(HEAD + ARMS[: ARMS.index("[habit]")])


def test_participants_must_fill_the_seats(read):
    with pytest.raises(
        BadFile, match=r"\[one\], line 3, column 1: 3 participants cannot be seated at tables of 2"
    ):
        read(MATRIX.replace("participants = 2", "participants = 3"))


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        ("mean_seconds", "mean_seconds depends on times, which are not simulated"),
        ("familiar_route", "measure must be numeric, but familiar_route is not"),
        ("excess_change", None),
        ("participant_class", "measure"),
    ],
)
def test_constant_measure_is_refused(read, measure, sentence):
    experiment = read((HEAD + ARMS).replace("repeated_sequences", measure))
    if sentence is None:
        check_measures(experiment)
        return
    with pytest.raises(BadFile, match=sentence):
        check_measures(experiment)


# ---------------------------------------------------------------- the repeats


def test_smaller_experiment_uses_the_first_participants(read):
    experiment = read()
    few, many = (measure_people(experiment, 1, size) for size in (2, 3))
    first = many[many["order"] < 2].reset_index(drop=True)
    pd.testing.assert_frame_equal(first.drop(columns="group"), few.drop(columns="group"))
    assert not measure_people(experiment, 2, 3).equals(many)
    assert repr(simulate_repeat((experiment, 1))) == repr(simulate_repeat((experiment, 1)))


def test_co_players_form_one_cluster(read):
    experiment = read(MATRIX)
    assert experiment.table == 2
    people = measure_people(experiment, 1, 4)
    assert people[people["condition"] == "one"]["group"].tolist() == [0, 0, 1, 1]


def test_identical_hands_are_measured_once(read, monkeypatch):
    experiment, messages = read(), []
    monkeypatch.setattr(simulated_people, "_rows_cache", {})
    monkeypatch.setattr(
        simulated_people,
        "_build_source_hand",
        lambda *hand, tell=simulated_people._build_source_hand: messages.append(1) or tell(*hand),
    )
    first = measure_people(experiment, 1, 3)
    once = len(messages)
    assert measure_people(experiment, 1, 3).equals(first)
    assert len(messages) == once < 2 * 3 * 6


FAST = [case for case in power_check.CASES if case.draw and not case.name.startswith("mixed")]


@pytest.mark.parametrize("case", FAST, ids=lambda case: case.name)
def test_power_equals_the_known_power(case):
    """benchmarks/power_check.py runs the same cases with more repeats for docs/results/power_check.csv."""
    repeats = 40
    (row,) = power_check.simulate(case, repeats)
    found = row[power.power_kind(row)]
    assert abs(found - case.known) < 3 * math.sqrt(case.known * (1 - case.known) / repeats)
    assert list(row) == list(power.COLUMNS)
    assert row["power_low"] <= row["power"] <= row["power_high"]


def test_power_is_that_of_the_comparison(read):
    """The rows of a repeat equal those of ``compare`` for the same people, adjusted for all rows."""
    text = (HEAD + ARMS).replace('"repeated_sequences"', '["repeated_sequences", "optimal_share"]')
    experiment = read(text.replace("[3, 2]", "6"))
    people = measure_people(experiment, 1, 6)
    (results,) = simulate_repeat((experiment, 1))
    assert {result.measure for result in results} == {"repeated_sequences", "optimal_share"}
    for result in results:
        sides = [people[people["condition"] == name][result.measure] for name in ("control", "habit")]
        assert result.p == pytest.approx(
            difference_p(np.concatenate(sides), [True] * 6 + [False] * 6, range(12))
        )
    assert [result.p_adjusted for result in results] == holm([result.p for result in results])


def test_design_within_persons_compares_their_hands(read):
    text = HEAD + ARMS[: ARMS.index("[habit]")].replace("hands = 6", "hands = 20")
    experiment = read(text.replace("[3, 2]", "3").replace("repeats = 2", 'repeats = 2\nwithin = "block"'))
    people = measure_people(experiment, 1, 3)
    assert sorted(people["condition"].unique()) == ["block 1", "block 2", "block 3"]
    assert people[PERSON].value_counts().tolist() == [3, 3, 3]
    rows = power.build_table(experiment, [simulate_repeat((experiment, number)) for number in (1, 2)])
    assert [(row["first"], row["participants_first"]) for row in rows][0] == ("block 1", 3)
    with pytest.raises(BadFile, match="within: There is no column or setting 'nothing' of hands"):
        check_measures(replace(experiment, within="nothing"))


def test_several_sessions_are_of_one_person(read):
    text = HEAD.replace("repeats = 2", "repeats = 2\nsessions = 2") + ARMS
    experiment = read(text.replace('ShowFileName = "transfer422.txt"', 'deal_file = "seed"'))
    people = measure_people(experiment, 1, 2)
    assert people[PERSON].value_counts().tolist() == [2, 2, 2, 2]
    (small, _large) = simulate_repeat((experiment, 1))
    assert small[0].mean_first == people[people["condition"] == "control"]["repeated_sequences"].mean()
    visits = measure_people(replace(experiment, within="visit"), 1, 2)
    assert visits["condition"].tolist() == ["visit 1", "visit 2"] * 4


def mates_of(people):
    """Returns the sizes of a treatment's clusters, in participants, in ascending order."""
    own = people[people["condition"] == "one"].drop_duplicates(PERSON)
    return sorted(own["group"].value_counts())


def test_people_who_met_are_one_cluster(read):
    text = MATRIX.replace("participants = 2", "participants = [8, 16]\nsessions = 3\nsession_size = {}")
    same, mixed = (read(text.format(size)) for size in (2, 8))
    assert mates_of(measure_people(same, 1, 16)) == [2] * 8
    people = measure_people(mixed, 1, 16)
    assert mates_of(people) == [8, 8]
    small = people[people["order"] < 8]
    assert mates_of(small) == [8]
    assert people[PERSON].value_counts().tolist() == [3] * 32


def test_drawn_partners_need_a_session_size(read):
    text = HEAD.replace("[3, 2]", "8{}").replace("repeated_sequences", "optimal_share")
    for name in ("one", "other"):
        text += f"[{name}]\nplayers = 2\nblocks = 'mixed.txt:2, game422.txt:2'\n"
        text += "partners = 'rematched'\nstrategy = 'random'\n"
    with pytest.raises(BadFile, match="or session_size to the number of participants who come"):
        read(text.format(""))
    people = measure_people(read(text.format("\nsession_size = 4")), 1, 8)
    assert sorted(people["group"].value_counts()) == [4, 4, 4, 4]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            MATRIX.replace("participants = 2", "participants = 2\nsessions = 2"),
            "session_size is missing: the number",
        ),
        (
            MATRIX.replace("participants = 2", "participants = 4\nsession_size = 3"),
            "session_size must be a multiple of 2",
        ),
        (
            MATRIX.replace("participants = 2", "participants = 6\nsession_size = 4"),
            "6 participants cannot be seated in sessions of 4",
        ),
        (HEAD + "session_size = 2" + ARMS, "session_size is only for participants who play"),
        (HEAD + "excluded = 1.0" + ARMS, "excluded must be a share below 1"),
    ],
)
def test_sizes_of_sessions_and_exclusions_are_checked(read, text, sentence):
    with pytest.raises(BadFile, match=sentence):
        read(text)


def test_no_share_may_be_written_as_0(read):
    assert read(HEAD + "excluded = 0" + ARMS).excluded == 0


def test_share_of_participants_is_excluded(read):
    text = (HEAD + ARMS).replace("[3, 2]", "200").replace("hands = 6", "hands = 1")
    everybody = measure_people(read(text), 1, 200)
    left = measure_people(read(text.replace("repeats = 2", "repeats = 2\nexcluded = 0.2")), 1, 200)
    assert 0.75 < len(left) / len(everybody) < 0.85
    merged = left.merge(everybody, how="left", indicator=True)
    assert (merged["_merge"] == "both").all()


def test_exclusions_are_those_of_real_data(read):
    experiment = read()
    rules = [
        parse_rule("", *rule, "")
        for rule in (
            ("hands", "moves > 5"),
            ("participants", "hands_over < 5"),
            ("hands", "client_seconds > 10"),
            ("participants", "participant_label = x"),
        )
    ]
    assert simulated_people.choose_rules(experiment, rules) == tuple(rules[:2])
    excluding = replace(experiment, exclusions=tuple(rules[:2]))
    played = {one.person: one.hands for one in simulated_people.play_experiment(experiment, 1, 3)}
    expected = {
        person: kept
        for person, hands in played.items()
        if len(kept := [row["deal"] for row in hands if row["moves"] <= 5]) >= 5
    }
    found = simulated_people.play_experiment(excluding, 1, 3)
    assert {one.person: [row["deal"] for row in one.hands] for one in found} == expected
    assert 0 < len(expected) < len(played)
    assert all([row["place"] for row in one.hands] == [*range(1, len(one.hands) + 1)] for one in found)


@pytest.mark.parametrize("test", ["t", "rank"])
def test_other_tests_compare_means_of_clusters(read, test):
    experiment = replace(read(), test=test)
    people = measure_people(experiment, 1, 3)
    ((result,),) = [simulated_tests._compare_people(experiment, people)]
    sides = [people[people["condition"] == name]["repeated_sequences"] for name in ("control", "habit")]
    expected = (
        stats.ttest_ind(*sides, equal_var=False) if test == "t" else stats.mannwhitneyu(*sides)
    ).pvalue
    assert result.p == result.p_adjusted == pytest.approx(expected)


def test_incomparable_samples_count_as_not_significant(read):
    experiment = read()
    nothing = power.TestResult("repeated_sequences", "control", "habit", *[math.nan] * 8)
    found = nothing._replace(p=0.01, p_adjusted=0.01)
    rows = power.build_table(experiment, [[[], [found]], [[], [nothing]]])
    assert [row["power"] for row in rows] == [0, 0.5]
    assert [row["without_p"] for row in rows] == [2, 1]
    assert rows[0]["mean_first"] == ""
    constant = pd.DataFrame({"condition": ["a", "a", "b", "b"], "group": range(4), "value": 1.0})
    assert np.isnan(_p_of_cluster_means(_TESTS["t"], constant, "value", ("a", "b")))


def test_command_writes_a_table_and_a_curve(tmp_path, capsys):
    path = tmp_path / "design.toml"
    path.write_text(HEAD + ARMS, "utf-8")
    assert (
        main(["power", str(path), "--out", str(tmp_path / "power"), "--jobs", "1", "--figures", "svg,png"])
        == 0
    )
    assert "Wrote power.csv and power.svg, power.png of 2 repeats" in capsys.readouterr().out
    lines = (tmp_path / "power" / "power.csv").read_text("utf-8").splitlines()
    assert lines[0].split(",") == list(power.COLUMNS)
    assert len(lines) == 3
    assert (tmp_path / "power" / "power.svg").read_text("utf-8").startswith("<")
    assert (tmp_path / "power" / "power.png").read_bytes().startswith(b"\x89PNG")


# ---------------------------------------------------------------- mixed models

MODEL = (HEAD + ARMS).replace('"repeated_sequences"', '"moves_lost"\ntest = "model"')


def test_model_is_that_of_the_script(read, tmp_path):
    """The coefficient equals that of statsmodels' mixed model for the rows of ``hands``, one per hand."""
    text = MODEL.replace("[3, 2]", "8").replace('"informed"', '"informed:1,random:1"')
    experiment = read(text)
    played = simulated_people.play_experiment(experiment, 1, 8)
    table = pd.DataFrame(
        {"lost": row["moves_lost"], "arm": one.condition, "person": one.person}
        for one in played
        for row in one.hands
        if row["moves_lost"] != ""
    ).astype({"lost": float})
    expected = smf.mixedlm("lost ~ arm", table, groups="person").fit(method="bfgs")
    ((result,),) = simulate_repeat((experiment, 1))
    assert (result.first, result.second) == ("condition[T.habit]", "")
    assert result.mean_first == pytest.approx(expected.fe_params["arm[T.habit]"], abs=1e-6)
    df = 16 - 2
    ratio = abs(expected.fe_params["arm[T.habit]"] / expected.bse_fe["arm[T.habit]"])
    assert result.p == result.p_adjusted == pytest.approx(2 * stats.t.sf(ratio, df), rel=1e-4)


def test_hand_of_two_is_one_row(read):
    text = MATRIX.replace("participants = 2", "participants = 4\nsession_size = 2\nsessions = 2")
    experiment = read(text.replace('"best_response_rate"', '"best_response_share"\ntest = "model"'))
    played = simulated_people.play_experiment(experiment, 1, 4)
    table = simulated_models.build_table(experiment, played)
    assert (len(played), len(table)) == (16, 8)
    assert table.groupby("cluster").size().tolist() == [2, 2, 2, 2]


def test_terms_of_a_model_have_a_row_each(read, tmp_path, capsys):
    path = tmp_path / "design.toml"
    path.write_text(MODEL.replace('test = "model"', 'test = "model"\nterms = "condition * place"'), "utf-8")
    assert main(["power", str(path), "--jobs", "1", "--out", str(tmp_path)]) == 0
    table = pd.read_csv(tmp_path / "power.csv", keep_default_na=False)
    names = ["condition[T.habit]", "condition[T.habit]:place", "place"]
    assert table["first"].tolist() == names * 2
    assert table["participants_first"].tolist() == [4] * 3 + [6] * 3
    assert "moves_lost, place (6): power " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("moves_lost", "routinization", "measure must be one of score"),
        (
            '"moves_lost"\ntest = "model"',
            '"mean_moves"\nterms = "condition"',
            "terms must be a formula such as",
        ),
        ('test = "model"', 'test = "model"\nwithin = "phase"', 'test must be "permutation" with within'),
        ('test = "model"', 'test = "model"\nterms = "colour"', "terms: There is no column 'colour'"),
        ("moves_lost", "client_seconds", "client_seconds depends on times"),
    ],
)
def test_errors_of_a_model_name_the_setting(read, old, new, sentence):
    with pytest.raises(BadFile, match=sentence):
        check_measures(read(MODEL.replace(old, new)))


def test_missing_statsmodels_is_named(read, monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.api", None)
    with pytest.raises(BadFile, match='test = "model" needs statsmodels: python -m pip install statsmodels'):
        check_measures(read(MODEL))
