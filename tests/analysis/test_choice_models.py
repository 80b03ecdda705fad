"""Tests the models of choice in the matrix game: their formulas, their recovery, and the two tables."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.analysis.choice_models import MODELS, checks, fehr_schmidt, fitting, learning, level_k, qre
from cardlab.analysis.choice_models.data import Choices, make_choices
from cardlab.analysis.choice_models.model import RANDOM, advantage_of_right, logistic, other_view
from cardlab.analysis.commands import main
from cardlab.analysis.games.matrix import choice_fits, choices

points = st.integers(-10, 10)


def make(own, other, chosen, others) -> Choices:
    count = len(chosen)
    return Choices(
        np.array(own, float),
        np.array(other, float),
        np.array(chosen),
        np.array(others),
        np.ones(count, bool),
        np.zeros(count, int),
    )


def random_turns(count: int, seed: int = 1) -> Choices:
    rng = np.random.default_rng(seed)
    own, other = rng.integers(-10, 11, (2, count, 2, 2))
    return make(own, other, rng.integers(0, 2, count), rng.integers(0, 2, count))


DILEMMA = make([[[3, 0], [5, 1]]] * 4, [[[3, 5], [0, 1]]] * 4, [0, 1, 1, 0], [0, 1, 0, 1])


def sigmoid(gain: float) -> float:
    return 1 / (1 + math.exp(-gain))


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Provides a simulated table of actions and its table of choices."""
    path = tmp_path_factory.mktemp("choices") / "matrix.csv"
    asked = ["simulate", "matrix", "--participants", "4", "--hands", "2", "--mix", "random:1,best_response:1"]
    assert main([*asked, "-o", str(path)]) == 0
    assert main(["choices", str(path), "-o", str(path.with_name("choices.csv"))]) == 0
    with path.with_name("choices.csv").open(encoding="utf-8", newline="") as file:
        return path, list(csv.DictReader(file))


# ---------------------------------------------------------------- formulas


def test_levels_respond_to_the_level_below():
    first, second, third = (model.respond((0.5,), DILEMMA)[0] for model in level_k.LEVELS)
    assert first == pytest.approx(sigmoid(0.5 * 1.5))  # 5 and 1 against 3 and 0, equally likely
    assert second == pytest.approx(sigmoid(0.5 * (2 * (1 - first) + first)))  # the game is symmetric
    assert third == pytest.approx(sigmoid(0.5 * (2 * (1 - second) + second)))


def test_hierarchy_has_random_choice_and_levels_as_limits():
    turns = random_turns(50)
    assert level_k.COGNITIVE_HIERARCHY.respond((1, 0.01), turns) == pytest.approx(0.5, abs=0.01)
    tau, first = 0.1, level_k.LEVELS[0].respond((1,), turns)
    mixed = level_k.COGNITIVE_HIERARCHY.respond((1, tau), turns)
    # With few steps, nearly all are of level 0 or 1.
    assert mixed == pytest.approx((0.5 + tau * first) / (1 + tau), abs=0.01)


@given(st.lists(points, min_size=8, max_size=8), st.floats(0.01, 3))
def test_qre_is_a_fixed_point(cells, precision):
    turns = make([np.reshape(cells[:4], (2, 2))], [np.reshape(cells[4:], (2, 2))], [0], [0])
    mirrored = make(other_view(turns), turns.own.transpose(0, 2, 1), [0], [0])
    step = int(np.searchsorted(np.geomspace(0.01, 10, qre.STEPS), precision))
    precision = float(np.geomspace(0.01, 10, qre.STEPS)[step])
    own, other = (qre.MODEL.respond((precision,), each) for each in (turns, mirrored))
    assert logistic(precision * advantage_of_right(turns.own, other)) == pytest.approx(own, abs=0.02)


def test_qre_approaches_the_equilibrium_of_matching_pennies():
    # In the limit, the participant's own payoffs do not matter: the choices make the other indifferent.
    turns = make([[[90, 0], [0, 10]]], [[[0, 10], [10, 0]]], [0], [0])
    assert qre.MODEL.respond((10,), turns)[0] == pytest.approx(0.5, abs=0.02)
    assert qre.MODEL.respond((10,), DILEMMA)[0] > 0.99


def test_beliefs_count_the_other_players_columns():
    assert learning.find_beliefs(1, DILEMMA) == pytest.approx([1 / 2, 1 / 3, 2 / 4, 2 / 5])
    assert learning.find_beliefs(0, DILEMMA) == pytest.approx([1 / 2, 0, 1, 0])


def test_ewa_updates_attractions_by_its_formula():
    precision, phi, delta, kappa = 0.3, 0.8, 0.4, 0.5
    attraction, experience, expected = [0.0, 0.0], 1.0, []
    for turn in range(4):
        expected.append(sigmoid(precision * (attraction[1] - attraction[0])))
        old, experience = experience, phi * (1 - kappa) * experience + 1
        for column in (0, 1):
            weight = delta + (1 - delta) * (DILEMMA.chosen[turn] == column)
            earned = DILEMMA.own[turn, column, DILEMMA.others[turn]]
            attraction[column] = (phi * old * attraction[column] + weight * earned) / experience
    assert learning.EWA.respond((precision, phi, delta, kappa), DILEMMA) == pytest.approx(expected)
    special = learning.EWA.respond((precision, phi, 0, 1), DILEMMA)
    assert learning.REINFORCEMENT.respond((precision, phi), DILEMMA) == pytest.approx(special)


def test_inequality_lowers_utility():
    utilities = fehr_schmidt.find_utilities(2, 0.5, DILEMMA)[0]
    assert utilities.tolist() == [[3, 0 - 2 * 5], [5 - 0.5 * 5, 1]]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_probabilities_depend_on_earlier_turns_only(model):
    turns, rng = random_turns(30), np.random.default_rng(2)
    for _ in range(5):
        values = fitting.values_at(model, rng.normal(size=len(model.parameters)))
        chances = model.respond(values, turns)
        assert ((chances >= 0) & (chances <= 1)).all()
        later = make(turns.own, turns.other, 1 - turns.chosen, 1 - turns.others)
        changed = make(
            turns.own,
            turns.other,
            np.where(np.arange(30) < 20, turns.chosen, later.chosen),
            np.where(np.arange(30) < 20, turns.others, later.others),
        )
        assert model.respond(values, changed)[:21] == pytest.approx(chances[:21])


@pytest.mark.parametrize("parameter", choice_fits.PARAMETERS.values(), ids=lambda each: each.name)
def test_scale_without_bounds_is_reversible(parameter):
    for position in (-4.0, 0.0, 2.5):
        value = parameter.from_unbounded(position)
        assert parameter.low < value < parameter.high
        assert parameter.to_unbounded(value) == pytest.approx(position)


# ---------------------------------------------------------------- estimates


@pytest.mark.parametrize("model", [level_k.LEVELS[0], learning.EWA], ids=lambda model: model.name)
def test_simulated_choices_have_the_models_probabilities(model):
    turns, values = random_turns(12), fitting.values_at(model, np.zeros(len(model.parameters)))
    rng = np.random.default_rng(3)
    drawn = [model.draw(values, turns, rng) for _ in range(2000)]
    surplus = np.mean([each.chosen - model.respond(values, each) for each in drawn], axis=0)
    assert np.abs(surplus).max() < 0.05


def test_parameters_of_inequality_aversion_are_recovered():
    model, rng = fehr_schmidt.MODEL, np.random.default_rng(4)
    truth = rng.normal(size=(12, 3))
    people = [
        model.draw(fitting.values_at(model, position), random_turns(300, seed), rng)
        for seed, position in enumerate(truth)
    ]
    fits, prior = fitting.fit_people(model, people)
    found = np.array([fit.positions for fit in fits])
    for place in range(3):
        assert np.corrcoef(truth[:, place], found[:, place])[0, 1] > 0.7
    assert np.abs(prior.mean - truth.mean(0)).max() < 0.5


def test_few_choices_shrink_towards_the_mean():
    model, rng = level_k.LEVELS[0], np.random.default_rng(5)
    people = [model.draw((0.3,), random_turns(15, seed), rng) for seed in range(10)]
    alone = [fitting.fit_person(model, each).positions[0] for each in people]
    together = [fit.positions[0] for fit in fitting.fit_people(model, people)[0]]
    assert np.var(together) < np.var(alone) / 4


def test_true_model_is_preferred_and_passes_checks():
    model, rng = level_k.LEVELS[1], np.random.default_rng(6)
    turns = model.draw((0.5,), random_turns(200), rng)
    fits = {each.name: fitting.fit_person(each, turns) for each in MODELS}
    scores = {
        each.name: checks.aicc(fits[each.name].log_likelihood, len(each.parameters), 200) for each in MODELS
    }
    assert min(scores, key=scores.__getitem__) == "level_2"
    validated = {each.name: checks.cross_validate(each, turns) for each in (model, RANDOM)}
    assert validated["level_2"] > validated["random"] + 20
    assert min(checks.check_predictions(model, fits["level_2"].values, turns).values()) > 0.05
    assert checks.check_predictions(RANDOM, (), turns)["best"] < 0.05


def test_criteria_have_their_formulas():
    assert checks.aicc(-50, 2, 40) == pytest.approx(104 + 12 / 37)
    assert checks.aicc(-5, 4, 5) is None
    assert checks.bic(-50, 2, 40) == pytest.approx(2 * math.log(40) + 100)


# ---------------------------------------------------------------- tables


def test_choices_agree_with_the_table_of_turns(table, tmp_path):
    path, rows = table
    assert list(rows[0]) == list(choices.COLUMNS)
    assert main(["moves", str(path), "-o", str(tmp_path / "turns.csv")]) == 0
    with (tmp_path / "turns.csv").open(encoding="utf-8", newline="") as file:
        turns = {(row["hand_id"], row["turn"]): row for row in csv.DictReader(file)}
    assert len(rows) == 2 * len(turns)
    for row in rows:
        turn = turns[row["hand_id"], row["turn"]]
        place = "first" if turn["first_seat"] == row["seat"] else "second"
        cell = row["choice"][0].upper() + row["other_choice"][0].upper()
        assert row["choice"] == turn[f"{place}_column"]
        assert row[f"own_{cell}"] == turn[f"{place}_collected"]
        assert (row["best_to_other"], row["free"]) == (turn[f"{place}_best"], turn[f"{place}_free"])
        assert (row["response_ms"], row["by"]) == (turn[f"{place}_response_ms"], turn[f"{place}_by"])


def test_history_and_beliefs_restart_with_each_hand(table):
    earlier: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in table[1]:
        own = earlier.setdefault((row["hand_id"], row["participant_code"]), [])
        left = sum(each["other_choice"] == "left" for each in own)
        assert float(row["belief_left"]) == pytest.approx((1 + left) / (2 + len(own)), abs=1e-6)
        assert row["previous_choice"] == (own[-1]["choice"] if own else "")
        if own:
            cell = own[-1]["choice"][0].upper() + own[-1]["other_choice"][0].upper()
            assert row["previous_collected"] == own[-1][f"own_{cell}"]
        own.append(row)


def test_level_one_player_gives_best_responses_to_uniform(table):
    found = {row["participant_label"]: set() for row in table[1]}
    for row in table[1]:
        if row["free"] == "1":
            found[row["participant_label"]].add(row["best_to_uniform"])
    assert found == {"best_response": {"1"}, "random": {"0", "1"}}


def test_each_participant_has_a_row_per_model(table, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(checks, "SIMULATIONS", 20)
    monkeypatch.setattr(checks, "FOLDS", 2)
    monkeypatch.setattr(fitting, "EM_STEPS", 2)
    out = tmp_path / "models.csv"
    assert main(["choice_models", str(table[0]), "--jobs", "1", "-o", str(out)]) == 0
    assert "Wrote 4 participants with 10 models" in capsys.readouterr().out
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["model"] for row in rows] == [model.name for model in MODELS] * 4
    for number in range(0, 40, 10):
        assert sum(float(row["weight"]) for row in rows[number : number + 10]) == pytest.approx(1)
    for row in rows:
        free = [
            each
            for each in table[1]
            if each["participant_code"] == row["participant_code"] and each["free"] == "1"
        ]
        assert int(row["choices"]) == len(free)
        if row["model"] == "random":
            assert float(row["log_likelihood"]) == pytest.approx(len(free) * math.log(0.5), rel=1e-5)
        if row["model"] == "level_1" and row["participant_label"] == "best_response":
            assert float(row["log_likelihood"]) > -1  # this robot is of level 1 without noise


def test_other_games_and_few_choices_are_refused(table, tmp_path, capsys):
    example = str(Path(__file__).parents[2] / "docs" / "example" / "actions.csv")
    out = str(tmp_path / "out.csv")
    assert main(["choices", example, "-o", out]) == 2
    assert "Only hands of matrix_game_app can be read here." in capsys.readouterr().err
    rows = [{**row, "by": "random"} for row in table[1]]
    assert not choice_fits.group_people(rows)
    assert not make_choices(rows).counted.any()
