"""Tests the single source of the values of moves: exact values, proofs and searches, and its callers."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.challenge import engine, rules
from cardlab.games.challenge import values as values_module
from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.position import (
    CAMBRIDGE,
    DEFAULT_FORM,
    Form,
    Position,
    apply,
    legal_moves,
    start,
)
from cardlab.games.challenge.tablebase import exact_scores
from cardlab.games.challenge.values import CERTAIN, Value, is_won, values, values_with

BUDGET = {"depth": 2, "nodes": 2000}
COMPUTER = {"robots": {"N": "computer"}}


def reached(seed, size, form=DEFAULT_FORM, steps=30):
    """Returns a position of a random game that is not over, and the positions before it."""
    chance = random.Random(seed)
    positions = [start(draw_deal(f"{seed}", size, chance.randrange(2)), form=form)]
    for _step in range(chance.randrange(steps)):
        after = apply(positions[-1], chance.choice(legal_moves(positions[-1])))
        if after.winner is not None:
            break
        positions.append(after)
    return positions[-1], tuple(positions[:-1])


games = st.builds(
    reached,
    st.integers(0, 10**6),
    st.sampled_from([1, 2, 3, 4]),
    st.sampled_from([DEFAULT_FORM, CAMBRIDGE, Form("opponent", "lead")]),
).filter(lambda game: exact_scores(game[0]))


def sign(number):
    return (number > 0) - (number < 0)


def may_draw_by_repetition(game):
    keys = [one.key for one in (*game[1], game[0])]
    return any(keys.count(key) >= 2 for key in keys)


simple_games = games.filter(lambda game: not may_draw_by_repetition(game))
small_games = simple_games.filter(lambda game: len(game[0].cards) <= 12)  # a proof takes longer


@given(simple_games)
def test_small_packs_have_exact_values(game):
    position, earlier = game
    found, scores = values(position, earlier, **BUDGET), exact_scores(position)
    for move, value in found.moves.items():
        score = sign(scores[move])
        assert value == Value(CERTAIN * score, ("drawn", "won", "lost")[score], "exact")
    assert found.nodes == 0
    assert found.moves[found.best()].worth == max(value.worth for value in found.moves.values())


@given(small_games)
def test_proofs_never_contradict_the_exact_values(game):
    """The solver is switched off, as for larger packs, and used only for the comparison."""
    position, earlier = game
    exact = values(position, earlier, **BUDGET)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(values_module, "exact_scores", lambda _position: None)
        for move in legal_moves(position):
            found = values_with(move, position, earlier, **BUDGET)
            assert found.position.result in ("", exact.position.result)
            assert found.moves[move].result in ("", exact.moves[move].result)
            for value in found.moves.values():
                assert (value.result == "") == value.source.startswith("searched depth ")
                assert (abs(value.worth) == CERTAIN) == (value.result in ("won", "lost"))


def test_exact_wins_allow_for_a_draw_by_repetition():
    """After AD, picking up leads to a position that has occurred twice."""
    position, earlier = reached(2013, 1, CAMBRIDGE)
    assert exact_scores(position)["AD"] > 0
    assert values(position, earlier, **BUDGET).moves["AD"].result != "won"
    assert values_with("AD", position, earlier, **BUDGET).moves["AD"].result == "drawn"


def test_a_third_occurrence_is_a_draw():
    deal = "KS QS AC | KD AD | participant"
    around = "KD KS p QS KS p "
    state = rules.start(deal, {"size": 3, "moves": around * 2 + "KD KS"})
    assert values(state.position, state.positions[:-1], **BUDGET).moves["pick up"] == Value(
        0, "drawn", "exact"
    )
    assert values(state.position, (), **BUDGET).moves["pick up"].worth != 0


def test_a_draw_among_unknown_moves_proves_nothing():
    unknown, drawn = Value(-20, "", "searched depth 4"), Value(0, "drawn", "exact")
    found = values_module.Values({"AS": unknown, "pick up": drawn}, 0, ("AS",))
    assert found.position == Value(0, "", "searched depth 4")
    assert found.best() == "pick up"


def advice(state):
    asked = rules.apply(state, "S", "consult")
    question = rules.engine_question(asked, "N", "computer", "seed")
    return rules.apply(asked, "N", engine.answer(question).action).advice


@given(st.integers(0, 10**6))
def test_advice_has_the_sign_of_the_exact_value(seed):
    state = rules.start(
        rules.deal(f"{seed}", {"size": 3}), {"size": 3, "hints": True, "depth": 0, **COMPUTER}
    )
    chance = random.Random(seed)
    for _step in range(chance.randrange(20)):
        after = rules.apply(state, state.mover, rules.action_of(chance.choice(legal_moves(state.position))))
        if after.ended:
            break
        state = after
    if state.mover != "S" or may_draw_by_repetition((state.position, state.positions[:-1])):
        return
    scores, given_advice = exact_scores(state.position), advice(state)
    assert sign(given_advice.worth) == sign(max(scores.values())) == sign(scores[given_advice.move])
    assert given_advice.standing in ("won", "lost", "drawn")


@given(games)
def test_every_exact_win_can_be_claimed(game):
    """With few actions left, or after repetitions, only wins proved by the search can be claimed."""
    position, _earlier = game
    won = max(exact_scores(position).values()) > 0
    assert is_won(position, nodes=1, within=10**4) == won
    assert is_won(position, nodes=1000, within=1) <= any(
        apply(position, move).winner is not None for move in legal_moves(position)
    )


def test_unproved_values_are_less_than_a_win():
    """This holds however many cards one side is ahead."""
    cards = frozenset(
        f"{rank}{suit}" for rank in ("A", "K", "Q", "J", "10", "9", "8", "7") for suit in "SHCD"
    )
    few = frozenset(("7S", "7H", "7D", "8C", "8D"))
    found = values(Position((cards - few, few), mover=1), depth=0, nodes=50)
    assert {value.source for value in found.moves.values() if not value.result} == {"searched depth 0"}
    assert all(abs(value.worth) < CERTAIN for value in found.moves.values() if not value.result)


def test_every_deal_of_size_4_can_be_claimed():
    """The leader wins each of them with best play."""
    for number in range(20):
        options = {"size": 4, "dealer": "computer", **COMPUTER}
        state = rules.start(rules.deal(f"{number}", options), options)
        question = rules.engine_question(rules.apply(state, "S", "claim win"), "N", "computer", "seed")
        assert engine.answer(question).action == "accept"
