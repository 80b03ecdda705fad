"""Tests the strategies of Challenge on single tables and in whole sessions."""

import csv
import io
import json
from random import Random

import pytest

from cardlab.analysis.simulation import plan, sessions
from cardlab.games.challenge import engine, planning, rules
from cardlab.games.challenge.search import EXACT_DEPTH, scores
from cardlab.games.challenge.strategies import NODES, STRATEGIES
from cardlab.games.challenge.tablebase import exact_scores
from cardlab.games.contract import BadFile

OPTIONS = {"size": 3, "robots": {"N": "computer"}, "depth": 2}
DEAL = rules.deal("any", OPTIONS)


def acts(name, state, seat="S", seeds=30):
    """Returns the actions that the strategy takes here over many seeds."""
    return {STRATEGIES[name].new_policy(Random(seed))(state, seat) for seed in range(seeds)}


def played(*actions, **options):
    state = rules.start(DEAL, {**OPTIONS, **options})
    for action in actions:
        state = rules.apply(state, rules.waiting_for(state)[0], action)
    return state


def moves(state):
    asks = (rules.OFFER, rules.CLAIM, rules.CONSULT, rules.RESIGN)
    return {
        action for action in rules.legal_actions(state, rules.waiting_for(state)[0]) if action not in asks
    }


def test_every_strategy_has_a_description():
    softmax = [f"softmax_depth_{depth}" for depth in range(9)]
    assert list(STRATEGIES) == ["random", "greedy", "hoarding", "recency", "depth_1", "depth_4", *softmax]
    assert all(strategy.description.endswith(".") for strategy in STRATEGIES.values())


def test_random_makes_every_move_without_offers():
    state = played()
    seat = rules.waiting_for(state)[0]
    assert acts("random", state, seat, 200) == moves(state)


@pytest.mark.parametrize("question", [rules.OFFER, rules.CLAIM])
@pytest.mark.parametrize("name", STRATEGIES)
def test_offers_are_answered(name, question):
    state = played(question)
    seat = rules.waiting_for(state)[0]
    expected = {rules.ACCEPT, rules.DECLINE} if name == "random" else {rules.DECLINE}
    assert acts(name, state, seat, 20) == expected


@pytest.mark.parametrize("depth", [1, 4])
def test_a_search_plays_a_best_move(depth):
    state, chance = played(claims=False), Random(3)
    player = STRATEGIES[f"depth_{depth}"].new_policy(chance)
    for _move in range(20):
        if rules.is_over(state):
            break
        seat, earlier = rules.waiting_for(state)[0], state.positions[:-1]
        action = player(state, seat)
        known = scores(state.position, depth=depth, nodes=NODES, earlier=earlier)
        if depth >= EXACT_DEPTH:
            known = exact_scores(state.position)
            assert known[action.removeprefix("play ")] == max(known.values())
        elif max(known.values()) < planning.CERTAIN:  # of forced wins the first found is taken
            assert known[action.removeprefix("play ")] == max(known.values())
        state = rules.apply(state, seat, action)


def test_depth_4_claims_a_visible_win():
    deal = "9S | AH | participant"
    state = rules.start(deal, {**OPTIONS, "size": 6})
    assert acts("depth_4", state, seeds=3) == {rules.CLAIM}
    assert acts("depth_4", rules.start(deal, {**OPTIONS, "size": 6, "claims": False}), seeds=3) == {"play AH"}


def test_softmax_chooses_moves_by_their_value():
    state = played()
    position = state.position
    known = planning.bounded(scores(position, depth=2, nodes=planning.NODES))
    chance, drawn = Random(1), 600
    moves_drawn = [planning.softmax_move(position, (), 2, chance, noise=50) for _draw in range(drawn)]
    weight = {move: 2.718281828 ** (worth / 50) for move, worth in known.items()}
    for move in known:
        share = weight[move] / sum(weight.values())
        assert moves_drawn.count(move) / drawn == pytest.approx(share, abs=0.07)


# Sessions


def simulated(**options):
    file = io.StringIO(newline="")
    sessions.write_table(
        plan.plan_simulation("challenge", **{"participants": 2, "hands": 2, **options}), file
    )
    return list(csv.DictReader(io.StringIO(file.getvalue(), newline="")))


def hands_of(rows):
    hands = {}
    for row in rows:
        hands.setdefault(row["hand_id"], []).append(row)
    return hands


def test_simulated_computer_plays_the_engines_answers():
    rows = simulated(strategy="greedy", settings={"size": "3", "depth": "2"})
    assert {row["seat"] for row in rows if row["participant_code"]} <= {"", "S"}
    for hand in hands_of(rows).values():
        deal, arrive, *others, end = hand
        assert (arrive["action"], arrive["seat"]) == ("arrive", "S")
        state = rules.start(deal["action"].removeprefix("deal "), options_of(deal))
        noted = ""
        for row in others:
            if row["action"].startswith("searched "):
                noted = row["action"].removeprefix("searched ")
                continue
            if row["seat"] == "N":
                seed = state.options["seed"]
                question = rules.engine_question(state, "N", "computer", seed)
                assert (row["action"], noted) == engine.answer(question)
                assert (row["client_ms"], row["participant_code"]) == ("", "")
            state = rules.apply(state, row["seat"], row["action"])
        assert end["action"] == f"end {rules.result(state, 'S', 0).outcome}"
        assert end["participant_code"] == deal["participant_code"] != ""


def options_of(deal_row):
    return json.loads(deal_row["settings"])


def test_two_people_play_without_the_computer():
    rows = simulated(strategy="depth_1", hands=1, settings={"size": "3", "players": "2", "show": "own"})
    (hand,) = hands_of(rows).values()
    assert {row["seat"] for row in hand if row["client_ms"]} >= {"N", "S"}
    assert options_of(hand[0])["robots"] == {}
    assert len({row["participant_code"] for row in hand if row["seat"]}) == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"settings": {"size": "14"}}, "size must be "),
        ({"settings": {"analysing": "True"}}, "Unknown setting 'analysing'"),
        ({"settings": {"players": "2"}, "participants": 3}, "3 participants cannot be seated at tables of 2"),
        ({"settings": {"after_pickup": "picker"}}, "after_pickup picker needs after_better lead"),
    ],
)
def test_invalid_simulation_is_refused(options, sentence):
    with pytest.raises(BadFile, match=sentence):
        simulated(**options)
