"""Tests the levels of the computer: their order, their errors and their records."""

import json
from random import Random

import pytest

from cardlab.games.challenge import engine, levels, rules
from cardlab.games.challenge.deal import SIDES
from cardlab.games.challenge.dealing import options_in_force
from cardlab.games.challenge.levels import (
    FIRST_ADAPTIVE,
    LEVELS,
    Level,
    adapted_level,
    draw_error,
    strength_of,
)
from cardlab.games.challenge.options import DEFAULT_OPTIONS, NUMBERS, complete_options
from cardlab.games.challenge.position import legal_moves
from cardlab.games.challenge.search import best_move

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
    assert set(made) == ({"pick up"} if errors else set())
    assert {draw_error("pick up", MOVES, 100, number) for number in range(40)} == {*MOVES[:3]}


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


def play_game(participant, level, number):
    """Returns the result for S against a level; S errs by playing any other move."""
    deal = rules.deal(f"adaptive {number}", {"size": 3, "dealer": SIDES[number % 2]})
    state, chance = rules.start(deal, {"size": 3}), Random(number)
    while not rules.is_over(state):
        depth, errors = participant if state.mover == "S" else LEVELS[level]
        moves, seed = legal_moves(state.position), f"{number} {len(state.moves)}"
        best = best_move(state.position, depth=depth, seed=seed, earlier=state.positions[:-1]).move
        if state.mover == "N":
            move = draw_error(best, moves, errors, seed) or best
        else:
            move = chance.choice(moves) if chance.randrange(100) < errors else best
        state = rules.apply(state, state.mover, rules.action_of(move))
    return rules.result(state, "S", 0).outcome


@pytest.mark.parametrize("participant", [Level(0, 80), Level(0, 60), Level(2, 30), Level(6, 8)])
def test_wins_against_the_adaptive_computer_approach_half(participant):
    level, won = FIRST_ADAPTIVE, 0
    for number in range(40):
        outcome = play_game(participant, level, number)
        won += outcome == "won"
        level = adapted_level(level, outcome, number + 1)
    assert 16 <= won <= 24


def test_an_adaptive_level_stays_on_the_scale():
    assert [adapted_level(level, "won", 2) for level in (1, 9, 10)] == [2, 10, 10]
    assert [adapted_level(level, "lost", 2) for level in (1, 2, 10)] == [1, 1, 9]
    assert [adapted_level(5, outcome, 2) for outcome in ("drawn", "open")] == [4, 5]
    assert [adapted_level(5, outcome, 1) for outcome in ("won", "lost", "drawn", "open")] == [10, 1, 1, 5]
    adaptive = {"level": 0, "computer": "adaptive"}
    assert options_in_force({**DEFAULT_OPTIONS, **adaptive})["level"] == FIRST_ADAPTIVE
    assert options_in_force({**DEFAULT_OPTIONS, **adaptive, "level": 8})["level"] == 8
