"""Tests measures of Solitario against hand-computed examples and the solver after every action."""

from __future__ import annotations

import json
from functools import partial
from itertools import chain, repeat
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from performance_measures import add_hand_measures, participant_measures

from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.record import Opening
from cardlab.games.solitario import measures, performance, rules
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.points import find_most_points
from cardlab.games.solitario.solver import solve, with_clicks
from cardlab.games.solitario.strategies import STRATEGIES
from cardlab.games.statistics import Row

measures_of_hand, measures_of_participant = (
    partial(add_hand_measures, performance.MEASURES),
    partial(participant_measures, performance.MEASURES),
)

CELLS = (
    "outcome",
    "score",
    "client_seconds",
    "moves",
    "cards_home",
    "turn_overs",
    "home_left",
    "led_nowhere",
)


def hand(**cells: Any) -> Row:
    """Returns a row of the table of hands, as far as the measures need it."""
    row = dict(zip(CELLS, ("gave_up", 300, 200, 100, 10, 2, 5, 4)))
    return measures_of_hand({**row, **cells})


def test_hand_has_the_expected_measures():
    row = hand()
    assert (row["solved"], row["seconds_per_move"]) == (0, 2)
    assert (row["home_left_share"], row["led_nowhere_share"]) == (0.05, 0.04)
    assert [row[name] for name in ("solvable", "lost", "best_points")] == ["", "", ""]  # without a deal
    assert [hand(outcome="solved")[name] for name in ("solved", "solvable", "lost")] == [1, 1, 0]
    assert hand(outcome="open")["solved"] == ""
    assert hand(moves=0)["seconds_per_move"] == ""


def test_four_hands_give_the_participants_measures():
    hands = [
        hand(score=100, client_seconds=800),
        hand(score=200, client_seconds=400, outcome="timeout"),
        hand(score=900, client_seconds=""),
        hand(score=2000, outcome="solved", cards_home=40),
    ]
    hands[0]["solvable"], hands[0]["lost"] = 1, 1
    hands[1]["solvable"] = 0
    assert measures_of_participant(hands) == {
        **{"hands_over": 4, "solved_share": 1 / 4, "solvable_hands": 2, "solved_share_of_solvable": 1 / 2},
        **{
            "lost_share": 1 / 2,
            "given_up_share": 1 / 2,
            "mean_score": 800,
            "highest_score": 2000,
            "score_change": 1300,
        },
        **{"mean_seconds": pytest.approx(1400 / 3), "mean_moves": 100, "mean_cards_home": 17.5},
        **{"mean_turn_overs": 2, "mean_home_left": 5, "mean_led_nowhere": 4},
        "learning_rate": pytest.approx(-1),  # 8, 4 and 2 seconds a move in hands 1, 2 and 4
    }


@given(st.data())
def test_missing_and_empty_cells_never_crash(data):
    hands = []
    for _hand in range(data.draw(st.integers(0, 5))):
        row = hand()
        for name in data.draw(st.sets(st.sampled_from([*row]))):
            del row[name]
        for name in data.draw(st.sets(st.sampled_from([*row])) if row else st.just(())):
            row[name] = ""
        assert not any(measure(row) == "" for measure in performance.MEASURES.hand_measures)
        hands.append(measures_of_hand(row) if data.draw(st.booleans()) else row)
    assert not any(value == "" for value in measures_of_participant(hands).values())


@pytest.mark.parametrize("empty", [{}, dict.fromkeys(CELLS, ""), dict.fromkeys(CELLS)])
def test_rows_of_empty_cells_are_only_counted(empty):
    assert {measure(empty) for measure in performance.MEASURES.hand_measures} == {None}
    assert {name: value for name, value in measures_of_participant([empty] * 3).items() if value} == {
        "hands_over": 3
    }


# Where a hand was lost


def played(strategy: str, seed: int, options: dict[str, Any], takes_back: bool) -> Row:
    """Returns the row of a hand played by a strategy that sometimes undoes two moves."""
    deal, chance = rules.deal(f"to lose {seed}", options), Random(seed)
    state, actions = rules.start(deal, options), []
    player = STRATEGIES[strategy].new_policy(chance)
    while not rules.is_over(state) and len(actions) < 80:
        chosen = [player(state, rules.SEAT)]
        if takes_back and state.before is not None and state.before.before is not None:
            chosen = ["undo", "undo"] if chance.random() < 0.1 else chosen
        for action in chosen:
            state = rules.apply(state, rules.SEAT, action)
            actions.append(action)
    return row_of(deal, options, actions)


def row_of(deal: str, options: dict[str, Any], actions: list[str]) -> Row:
    """Returns the row of a hand in which these were the actions."""
    events = [Event(number, rules.SEAT, action, number, number) for number, action in enumerate(actions, 1)]
    history = History.replay(rules, Opening(deal, options, shown_ms=0), events)
    state = history.hand.state
    cells = {"deal": deal, "settings": json.dumps(options), **measures.measure_hand(history, rules.SEAT)}
    return measures_of_hand({**cells, "outcome": rules.result(state, rules.SEAT, 0).outcome})


def losing_action_by_linear_search(row: Row) -> tuple[Any, Any]:
    """Returns ``lost`` and ``lost_at`` of a solvable hand; None where the solver is undecided."""
    options = json.loads(row["settings"])
    line = [(0, rules.start(row["deal"], options))]
    state = line[0][1]
    for number, action in enumerate(row["sequence"].split("; "), 1):
        state = rules.apply(state, rules.SEAT, action)
        line = line[:-1] if action == "undo" else [*line, (number, state)]
    for place, (number, state) in enumerate(line):
        can = solvable(state)
        if can is None:
            return None, None
        if not can:
            assert not any(solvable(later) for _number, later in line[place + 1 : place + 4])
            return 1, number
    return 0, ""


def solvable(state: rules.State) -> bool | None:
    draw, ace_on_two = state.options["draw"], state.options["ace_on_two"]
    found = solve(state.position, state.pack, draw=draw, ace_on_two=ace_on_two, nodes=100_000)
    return found.solvable


OPTIONS = {"pack": "briscola", "draw": 1, "ace_on_two": False, "turn_up": "click", "undo": False}


@pytest.mark.parametrize(
    ("strategy", "changed", "takes_back"),
    [
        ("random", {"undo": True}, True),
        ("greedy", {"draw": 3, "turn_up": "auto"}, False),
        ("careful", {}, False),
    ],
)
def test_bisection_finds_the_losing_action(strategy, changed, takes_back):
    rows = [played(strategy, seed, {**OPTIONS, **changed}, takes_back) for seed in range(5)]
    seen = set()
    for row in rows:
        if row["solvable"] != 1 or row["outcome"] == "solved":
            continue
        lost, at = losing_action_by_linear_search(row)
        if lost is not None:
            seen.add(lost)
            assert (row["lost"], row["lost_at"]) == (lost, at)
    assert 1 in seen


def test_undone_actions_lose_nothing():
    rows = (played("greedy", seed, {**OPTIONS, "undo": True}, False) for seed in range(20))
    lost = next(row for row in rows if row["lost_at"] != "")
    actions = lost["sequence"].removesuffix("; give up").split("; ")
    saved = [*actions, *["undo"] * (len(actions) - lost["lost_at"] + 1)]
    row = row_of(lost["deal"], {**OPTIONS, "undo": True}, saved)
    assert (row["lost"], row["lost_at"]) == (0, "")


def test_solved_hands_have_at_most_the_best_points():
    solved = 0
    for seed in range(6):
        deal = rules.deal(f"points {seed}", OPTIONS)
        position = rules.start(deal, OPTIONS).position
        line = solve(position, PACKS["briscola"]).line
        row = row_of(deal, OPTIONS, [*(with_clicks(line, position) or ["give up"])])
        solved += row["solved"]
        assert row["best_points"] == "" if not line else row["points_of_events"] <= row["best_points"]
        best = find_most_points(position, PACKS["briscola"])
        if line:
            row = row_of(deal, OPTIONS, [*with_clicks(best.line, position)])
            assert (row["solved"], row["points_of_events"]) == (1, row["best_points"])
    assert solved


def test_an_unsolvable_deal_cannot_be_lost():
    row = next(row for seed in range(20) if (row := played("greedy", seed, OPTIONS, False))["solvable"] == 0)
    assert (row["lost"], row["lost_at"]) == ("", "")


@pytest.mark.parametrize(
    ("can", "undecided"),
    [
        ((None,), "solvable lost lost_at"),
        ((False,), ""),
        ((True, None), "lost lost_at"),
        ((True, True), ""),
        ((True, False, None), "lost_at"),
        ((True, False), ""),
    ],
)
def test_undecided_cells_are_named(monkeypatch, can, undecided):
    """The search evaluates the deal, the end of the hand, and then positions in between."""
    row = played("greedy", 1, OPTIONS, takes_back=False)
    answers = chain(can, repeat(True))
    performance._deal_solvable.cache_clear()
    monkeypatch.setattr(performance, "_solvable", lambda _state: next(answers))
    told = {name: row[name] for name in ("deal", "settings", "line", "outcome")}
    assert (performance.undecided(told) or "") == undecided
    performance._deal_solvable.cache_clear()
