"""Tests the levels of the computer: their order, their errors, and what the record says."""

import json

import pytest

from cardlab.games.challenge import engine, levels, rules
from cardlab.games.challenge.levels import LEVELS, Level, draw_error, strength_of
from cardlab.games.challenge.options import NUMBERS, complete_options

COMPUTER = {"robots": {"N": "computer"}}
MOVES = ("AS", "KH", "9C", "pick up")


def test_levels_go_from_weak_to_strong():
    assert [*LEVELS] == [*range(1, NUMBERS["level"][1] + 1)]
    steps = [*LEVELS.values()]
    for weaker, stronger in zip(steps, steps[1:], strict=False):
        assert stronger.depth >= weaker.depth
        assert stronger.errors < weaker.errors
    assert steps[-1].errors == 0


def test_without_a_level_the_depth_decides():
    assert strength_of(complete_options({"depth": 7})) == Level(7, 0)
    assert strength_of(complete_options({"depth": 7, "level": 10})) == LEVELS[10]


@pytest.mark.parametrize("errors", [0, 25, 100])
def test_errors_come_at_the_known_rate(errors):
    drawn = [draw_error("KH", MOVES, errors, f"move {number}") for number in range(4000)]
    assert drawn == [draw_error("KH", MOVES, errors, f"move {number}") for number in range(4000)]
    made = [move for move in drawn if move]
    assert 100 * len(made) / len(drawn) == pytest.approx(errors, abs=2.5)
    assert set(made) == ({"AS", "9C", "pick up"} if errors else set())


def test_a_forced_move_is_no_error():
    assert draw_error("pick up", ("pick up",), 100, "seed") == ""


def question(state):
    return rules.engine_question(state, "N", "computer", "seed")


def test_errors_are_noted_and_only_in_moves(monkeypatch):
    monkeypatch.setitem(levels.LEVELS, 3, Level(2, 100))
    deal = "AS KC QD | KH AC KD | computer"
    options = {"size": 3, "level": 3, "depth": 4, "hints": True, "draw_offers": True, **COMPUTER}
    state = rules.start(deal, options)
    best = engine.answer(json.dumps({**json.loads(question(state)), "errors": 0}))
    erred = engine.answer(question(state))
    assert erred.action != best.action
    assert erred.action in rules.legal_actions(state, "N")
    assert erred.searched == f"{best.searched} error"
    assert best.searched.startswith("depth 2 nodes ")
    asked = rules.apply(rules.apply(state, "N", best.action), "S", "consult")
    assert json.loads(question(asked))["depth"] == 4
    assert not engine.answer(question(asked)).searched.endswith("error")


def test_the_easiest_level_asks_the_engine():
    """Its record names the errors, too."""
    state = rules.start("AS KC | KH AC | computer", {"size": 2, "level": 1, **COMPUTER})
    assert json.loads(question(state))["errors"] == LEVELS[1].errors
