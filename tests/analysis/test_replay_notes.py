"""Tests that the notes on the actions of a replay add up to the values in the hands table."""

import io
import re

import pytest

from cardlab.analysis import actions_table
from cardlab.analysis.folding import history
from cardlab.analysis.games.matrix.replay_notes import action_notes as matrix_notes
from cardlab.analysis.games.solitario.replay_notes import action_notes as solitario_notes
from cardlab.analysis.games.triangle.replay_notes import action_notes as triangle_notes
from cardlab.analysis.games.ttt.replay_notes import action_notes as ttt_notes
from cardlab.analysis.hands import measure_hand
from cardlab.analysis.simulation import plan, sessions
from cardlab.games.matrix.measures import measure_turns
from cardlab.games.registry import games_by_name


def played(game, **options):
    """Returns the hands of a simulated session, each with its row of the hands table."""
    file = io.StringIO(newline="")
    sessions.write_table(plan.plan_simulation(game, participants=1, **options), file)
    for hand in actions_table.read_hands(io.StringIO(file.getvalue(), newline=""), "simulated.csv"):
        (row,) = measure_hand(hand, games_by_name()[game])
        yield history(hand, games_by_name()[game].rules), row


@pytest.mark.parametrize("view_card", ["all", "none"])
def test_move_costs_add_up_to_moves_lost(view_card):
    """Compares to two decimals per move. The last move of a solved hand leaves 0 moves."""
    settings = {"ViewCard": view_card}
    for hand, row in played("ttt", strategy="random", hands=4, settings=settings):
        words = ttt_notes(hand)
        assert list(words) == [step.event.number for step in hand.steps if step.event.action in "UCNTP"]
        costs = [float(re.match(r"cost ([\d.]+)", text)[1]) for text in words.values()]
        assert sum(costs) == pytest.approx(row["moves_lost"], abs=0.01 * len(costs))
        assert sum("best: " in text for text in words.values()) == sum(cost > 0 for cost in costs)
        assert words[max(words)].endswith("; 0 moves left") == (row["outcome"] == "solved")


def test_solitario_replay_marks_the_losing_action():
    hands = [(solitario_notes(hand), row) for hand, row in played("solitario", strategy="greedy", hands=3)]
    assert any(words for words, _row in hands)
    for words, row in hands:
        assert len(words) == (row["lost_at"] != "")


def test_best_responses_in_a_matrix_hand_cost_nothing():
    """Compares the number of free choices without cost with the best responses in the turns table."""
    file = io.StringIO(newline="")
    sessions.write_table(
        plan.plan_simulation("matrix", mix="random:1,greedy:1", participants=2, hands=2), file
    )
    for table_hand in actions_table.read_hands(io.StringIO(file.getvalue(), newline=""), "simulated.csv"):
        hand = history(table_hand, games_by_name()["matrix"].rules)
        turns, words = list(measure_turns(hand)), matrix_notes(hand)
        free = [turn[f"{who}_best"] for turn in turns for who in ("first", "second") if turn[f"{who}_free"]]
        costs = [int(re.match(r"cost (\d+)", text)[1]) for text in words.values()]
        assert len(costs) == len(free) > 0
        assert costs.count(0) == sum(free)


def test_possible_triangle_score_falls_to_the_final_score():
    ((hand, row),) = played("triangle", strategy="random", hands=1)
    words = list(triangle_notes(hand).values())
    assert len(words) == len(row["sequence"].split())
    possible = [int(re.search(r"possible: (?:at least )?(-?\d+)$", text)[1]) for text in words]
    lost = [int(found[1]) if (found := re.match(r"lost (\d+)", text)) else 0 for text in words]
    assert possible == sorted(possible, reverse=True)
    assert possible[-1] == row["score"]
    assert possible[0] - sum(lost[1:]) == row["score"]
