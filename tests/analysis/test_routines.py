"""Tests the routines table: sequences compared with memoryless players, changes and automaticity."""

import csv
from pathlib import Path
from random import Random

import numpy as np
import pytest

from cardlab.analysis import automaticity, sources
from cardlab.analysis.codebook.columns import describe_columns
from cardlab.analysis.commands import main
from cardlab.analysis.games.ttt import routines, sequences
from cardlab.games.ttt import belief

EXAMPLE = Path(__file__).parents[2] / "docs" / "example" / "actions.csv"


@pytest.fixture(scope="module")
def people():
    """Provides the participants of the example: two informed, four routinizing."""
    return routines.gather_people(sources.read_hands([EXAMPLE], print))


def forgetful(hands, noise, seed):
    chance, weights = Random(seed), sequences.Weights(noise)
    return [hand._replace(sequence=sequences.play_hand(hand, weights, chance)) for hand in hands]


# Sequences


def test_entropy_is_that_after_each_move():
    assert sequences.transition_entropy(["TU", "TU"]) == 0
    # The first move is T or U, one bit for half of the four moves; the second is certain.
    assert sequences.transition_entropy(["TU", "UT"]) == pytest.approx(0.5)


def test_chunks_repeat_only_from_earlier_hands():
    assert sequences.repeated_chunks(["TUTUT"]) == 0
    assert sequences.repeated_chunks(["TUPT", "UPTT", "TU"]) == 1 / 4
    assert sequences.repeated_sequences(["TU", "TU", "T", "TU"]) == 0.5


@pytest.mark.parametrize("noise", [0.2, 0.5, 1.5])
def test_noise_is_recovered(people, noise):
    hands = forgetful(people[0].hands * 5, noise, seed=1)
    assert sequences.fit_noise(hands) == pytest.approx(noise, rel=0.25)


def test_player_without_noise_loses_no_move(people):
    for hand in forgetful(people[0].hands, sequences.MIN_NOISE, seed=2):
        deal = hand.layout, hand.goal, hand.first, hand.view_card
        assert belief.moves_lost(*deal, hand.sequence) == 0
        costs = [moment.costs[move] for move, moment in zip(hand.sequence, hand.moments())]
        assert not any(costs)


def test_only_routines_exceed_chance(people):
    compared = {True: [], False: []}
    for person in people:
        if person.identity["participant_label"] == "routinizing":
            hands_by_habit = {True: person.hands, False: forgetful(person.hands, 0.4, seed=3)}
            for has_habit, hands in hands_by_habit.items():
                noise = sequences.fit_noise(hands)
                found = sequences.compare_with_chance(hands, noise, "seed", players=60)
                compared[has_habit].append(found["repeated_chunks"])
    assert all(each.p < 0.05 and each.observed > each.chance for each in compared[True])
    assert np.mean([each.p for each in compared[False]]) > 0.2


# Times


def test_sudden_change_is_found_where_it_happened():
    chance = np.random.default_rng(1)
    noise = chance.normal(0, 0.1, 32)
    change = automaticity.find_change(np.exp(noise + np.log(0.5) * (np.arange(32) >= 12)))
    assert change.before == 12
    assert change.ratio == pytest.approx(0.5, rel=0.2)
    assert change.p < 0.01


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_practice_is_rarely_a_sudden_change(correlation, monkeypatch):
    monkeypatch.setattr(automaticity, "REPETITIONS", 99)
    chance, places, found = np.random.default_rng(2), np.arange(1, 33), []
    for _series in range(40):
        errors = automaticity.correlate_errors(chance.normal(0, 0.3, (1, 32)), correlation)[0]
        found.append(automaticity.find_change(np.exp(errors) * places**-0.3).p)
    assert np.mean(np.array(found) < 0.05) <= 0.15
    assert 0.3 < np.mean(found) < 0.7


def test_few_or_equal_times_have_no_change():
    assert automaticity.find_change([1.0] * 40) is None
    assert automaticity.find_change([1.0, 2.0] * 7) is None


def test_ex_gaussian_is_recovered():
    chance = np.random.default_rng(3)
    times = chance.normal(500, 60, 4000) + chance.exponential(300, 4000)
    assert automaticity.fit_ex_gaussian(times) == pytest.approx((500, 60, 300), rel=0.1)
    in_seconds = automaticity.fit_ex_gaussian(times / 1000)
    assert in_seconds.tau == pytest.approx(0.3, rel=0.1)
    assert automaticity.fit_ex_gaussian(times[:10]) is None


def test_only_restructuring_lowers_the_cv():
    chance = np.random.default_rng(4)

    def hands(mean, spread):
        return [mean * np.exp(chance.normal(0, spread, 4)) for _hand in range(16)]

    early = hands(900, 0.6)
    assert automaticity.permute_restructuring(early, hands(500, 0.6)) > 0.1
    assert automaticity.permute_restructuring(early, hands(500, 0.25)) < 0.01
    assert automaticity.permute_restructuring(early[:2], early) is None


# Command


def test_command_writes_one_described_row_each(people, tmp_path, capsys):
    out = tmp_path / "routines.csv"
    assert main(["routines", str(EXAMPLE), "--jobs", "1", "-o", str(out)]) == 0
    assert "Wrote 6 participants" in capsys.readouterr().out
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["participant_code"] for row in rows] == [
        person.identity["participant_code"] for person in people
    ]
    assert all(row["hands"] == "32" and all(row.values()) for row in rows if row.pop("treatment") == "")
    described = describe_columns("routines.csv", list(routines.COLUMNS), [])
    assert all(column.meaning for column in described)
    assert [row["noise"] for row in rows if row["participant_label"] == "informed"] == ["0.02"] * 2


def test_latencies_equal_those_of_the_moves(people, tmp_path):
    out = tmp_path / "moves.csv"
    assert main(["moves", str(EXAMPLE), "-o", str(out)]) == 0
    with out.open(encoding="utf-8", newline="") as file:
        later_moves = [row for row in csv.DictReader(file) if row["move_number"] != "1"]
    for person in people:
        code = person.identity["participant_code"]
        latencies = [int(row["latency_ms"]) for row in later_moves if row["participant_code"] == code]
        assert [latency for hand in person.latencies for latency in hand] == latencies


def test_few_hands_are_rejected_with_a_sentence(tmp_path, capsys):
    short, out = tmp_path / "short.csv", str(tmp_path / "routines.csv")
    assert main(["simulate", "ttt", "--participants", "1", "--hands", "3", "-o", str(short)]) == 0
    assert main(["routines", str(short), "-o", out]) == 2
    assert "No participant has 8 hands of the game for one that are over." in capsys.readouterr().err
