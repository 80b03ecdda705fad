"""Tests the strategies of Solitario on single tables and in whole hands."""

from dataclasses import replace
from random import Random

import pytest

from cardlab.games.solitario import rules
from cardlab.games.solitario.rules import Column
from cardlab.games.solitario.strategies import MAX_ACTIONS, MAX_RANDOM_MOVES, STRATEGIES

KINDS = [
    {"pack": "briscola"},
    {"pack": "tarocco", "turn_up": "auto"},
    {"pack": "french", "draw": 3},
    {"pack": "briscola", "draw": 3, "ace_on_two": True, "undo": True},
]
BLIND = ("random", "greedy", "careful")


def table(*columns, home=(0, 0, 0, 0), stock="", waste="", **options):
    """Returns a table of Briscola: each column as ``face-down cards / face-up cards``."""
    state = rules.start(rules.deal("any", options), options)
    parts = [column.partition("/") for column in columns] + [("", "", "")] * (7 - len(columns))
    lying = tuple(Column(tuple(down.split()), tuple(up.split())) for down, _bar, up in parts)
    suits = tuple(suit if count else "" for suit, count in zip("sbcd", home))
    return replace(
        state,
        columns=lying,
        foundations=suits,
        home=home,
        stock=tuple(stock.split()),
        waste=tuple(waste.split()),
    )


def acts(name, state):
    """Returns the actions that the strategy takes at this table over many seeds."""
    return {STRATEGIES[name].new_policy(Random(seed))(state, "solo") for seed in range(30)}


def played(name, seed, options, player=None):
    """Returns a hand's actions and its last state; every action is legal and none is an undo."""
    state, actions = rules.start(rules.deal(f"deal {seed}", options), options), []
    player = player or STRATEGIES[name].new_policy(Random(seed))
    while not rules.is_over(state):
        action = player(state, "solo")
        assert action in rules.legal_actions(state, "solo") != "undo"
        state = rules.apply(state, "solo", action)
        actions.append(action)
        assert len(actions) <= 1 + max(MAX_ACTIONS, MAX_RANDOM_MOVES)
    return actions, state


def test_every_strategy_has_a_description():
    assert list(STRATEGIES) == ["random", "greedy", "careful", "solver"]
    assert all(strategy.description.endswith(".") for strategy in STRATEGIES.values())
    assert "it knows all cards" in STRATEGIES["solver"].description
    assert "Yan" in STRATEGIES["careful"].source


# Choices

FULL = table("/ 1s", "Rd 7s / 5d", "4d 4c / 6b", "/ 2b 1c", stock="3s 3b")


def test_random_plays_every_move_of_cards():
    assert acts("random", FULL) == {*rules.legal_moves(FULL)}
    nothing = table("/ 3s", "/ 5s")
    assert acts("random", nothing) == {"give up"}


def test_greedy_sends_home_before_it_uncovers():
    assert acts("greedy", FULL) == {"home 1"}
    assert acts("greedy", replace(FULL, columns=(Column((), ()), *FULL.columns[1:3]))) == {"move 2 3 1"}


def test_greedy_uncovers_where_most_lie_face_down():
    state = table("1s / 4d", "3s 2s 1c / 4c", "/ 5b", waste="4s", stock="7b")
    assert acts("greedy", state) == {"move 2 3 1"}


def test_greedy_turns_up_first_and_draws_last():
    assert acts("greedy", table("1s / ", "/ 1b")) == {"up 1"}
    assert acts("greedy", table("/ 5b", waste="4c", stock="7b")) == {"move w 1"}
    assert acts("greedy", table("/ 5b", waste="4b", stock="7b")) == {"draw"}


def test_careful_takes_points_before_priorities():
    """A card of the waste to a column, then one home, then the run with most under it, then drawing."""
    state = table("/ 1s", "Rd 7s / 5d", "4d / 6b", "/ 6s", waste="5c", stock="7b")
    assert acts("careful", state) == {"move w 3", "move w 4"}
    assert acts("careful", replace(state, waste=("Rs",))) == {
        "home 1",
        "move w 5",
        "move w 6",
        "move w 7",
    } - {"home 1"}
    assert acts("careful", replace(state, waste=("2c",))) == {"home 1"}
    without = replace(state, waste=("2c",), home=(1, 0, 0, 0), columns=(Column((), ()), *state.columns[1:]))
    assert acts("careful", without) == {"move 2 3 1", "move 2 4 1"}


def test_careful_breaks_runs_only_after_the_stock():
    state = table("/ 7s 6d", "/ 7b", stock="3s")
    assert acts("careful", state) == {"draw"}
    player = STRATEGIES["careful"].new_policy(Random(1))
    drawn = rules.apply(state, "solo", player(state, "solo"))
    assert player(drawn, "solo") == "move 1 2 1"


def test_careful_brings_back_before_giving_up():
    assert acts("careful", table("/ 3s", home=(0, 0, 2, 0))) == {"back c 1"}


def test_careful_holds_a_king_with_hidden_knight():
    state = table("", "Cs 7s / 1d", stock="", waste="Rs")
    (chosen,) = acts("careful", state)
    assert chosen == "home 2"
    unknown = replace(state, stock=("5s",))  # where the knight may be
    assert acts("careful", unknown) <= {f"move w {n}" for n in (1, 3, 4, 5, 6, 7)}


def test_the_solver_plays_a_line_that_solves():
    found = [played("solver", seed, {"pack": "briscola"})[1].solved for seed in range(8)]
    assert sum(found) >= 5


# Whole hands


@pytest.mark.parametrize("options", KINDS, ids=str)
@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_ends_hands_with_legal_actions(name, options):
    _actions, state = played(name, 1, options)
    assert state.solved or state.gave_up


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_seed_determines_each_strategys_play(name):
    options = {"pack": "briscola"}
    player = STRATEGIES[name].new_policy(Random(3))
    once = played(name, 1, options, player)[0]
    assert once == played(name, 1, options, STRATEGIES[name].new_policy(Random(3)))[0]
    if name in ("greedy", "solver"):  # they use no random numbers
        assert once == played(name, 1, options, player)[0]


@pytest.mark.parametrize("name", BLIND)
def test_strategies_ignore_face_down_cards(name):
    """Plays two deals that differ only in hidden cards, until one of them is uncovered or drawn."""
    for seed in range(3):
        state = rules.start(rules.deal(f"blind {seed}", {}), {})
        other = replace(
            state,
            stock=(*state.stock[:1], *reversed(state.stock[1:])),
            columns=tuple(Column(tuple(reversed(down)), up) for down, up in state.columns),
        )
        one, two = (STRATEGIES[name].new_policy(Random(seed)) for _time in range(2))
        for _action in range(40):
            assert rules.view(state, "solo") == rules.view(other, "solo")
            action = one(state, "solo")
            assert action == two(other, "solo")
            state, other = (rules.apply(each, "solo", action) for each in (state, other))
            if rules.view(state, "solo") != rules.view(other, "solo") or rules.is_over(state):
                break


def test_better_informed_strategies_solve_more():
    solved = {
        name: sum(played(name, seed, {"pack": "briscola"})[1].solved for seed in range(6))
        for name in ("greedy", "careful", "solver")
    }
    assert solved["greedy"] < solved["careful"] <= solved["solver"]
