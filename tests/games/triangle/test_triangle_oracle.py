"""Compares the oracle with exhaustive search near the end of a game and with the rules throughout."""

import random
from dataclasses import replace

import pytest
from compiled_modes import import_mode

from cardlab.games.triangle import oracle, rules
from cardlab.games.triangle.strategies import VIEW_POLICIES

VARIATIONS = [{}, {"doubled": 9}, {"mixed_in": 9}, {"doubled": 4, "mixed_in": 5}]


def partly_played(seed, left, how="random", **options):
    """Returns a hand played by the strategy ``how`` until so many cards are left in the deck."""
    state, chance = rules.start(rules.deal(f"oracle {seed}", options), options), random.Random(seed)
    while len(state.deck) > left:
        state = rules.apply(state, "solo", VIEW_POLICIES[how](rules.view(state, "solo"), chance))
    return state


def by_trying_everything(state):
    """Returns the best score over all continuations of the hand."""
    if rules.is_over(state):
        return state.score.total
    after = (rules.apply(state, "solo", action) for action in rules.legal_actions(state, "solo"))
    return max(by_trying_everything(each) for each in after)


def replayed(state, actions):
    for action in actions:
        assert action in rules.legal_actions(state, "solo")
        state = rules.apply(state, "solo", action)
    assert rules.is_over(state)
    return state.score.total


@pytest.mark.parametrize("options", VARIATIONS, ids=str)
@pytest.mark.parametrize("how", ["random", "most_neighbours"])
def test_the_oracle_agrees_with_brute_force(how, options):
    for seed in range(6):
        state = partly_played(seed, 6, how, **options)
        best = oracle.find_best_play(state)
        assert best.score == by_trying_everything(state) == replayed(state, best.actions)
        assert best.proved


def test_the_oracle_obeys_the_discard_rule():
    """The oracle plays a fitting card even if discarding it would score more (ruling 16)."""
    lower_scores = 0
    for seed in range(40):
        state = partly_played(seed, 5)
        free = max(by_trying_everything(state), *(free_to_discard(state, kept) for kept in range(5)))
        best = oracle.find_best_play(state)
        assert best.score == by_trying_everything(state) <= free
        lower_scores += best.score < free
    assert lower_scores  # otherwise the rule was not tested


def free_to_discard(state, kept):
    """Returns the best score if the numbered card of the deck could be discarded freely, for three points."""
    card = state.deck[kept]
    without = replace(
        state, deck=state.deck[:kept] + state.deck[kept + 1 :], discards=(*state.discards, card)
    )
    return by_trying_everything(without)


@pytest.mark.parametrize("options", VARIATIONS, ids=str)
def test_the_oracle_finds_a_perfect_game(options):
    state = rules.start(rules.deal("perfect", options), options)
    best = oracle.find_best_play(state)
    assert best.score == best.bound == 18 == replayed(state, best.actions)
    assert best.proved


@pytest.mark.parametrize("options", VARIATIONS, ids=str)
def test_no_strategy_exceeds_the_oracle(options):
    for seed, left in enumerate((20, 14, 9)):
        state = partly_played(seed, left, **options)
        best = oracle.find_best_play(state)
        assert best.proved
        assert best.score == replayed(state, best.actions) <= best.bound
        for act in VIEW_POLICIES.values():
            after, chance = state, random.Random(seed)
            while not rules.is_over(after):
                after = rules.apply(after, "solo", act(rules.view(after, "solo"), chance))
            assert after.score.total <= best.score


def test_the_same_state_gives_the_same_line():
    state = partly_played(1, 18)
    assert oracle.find_best_play(state) == oracle.find_best_play(state)


@pytest.mark.parametrize("options", VARIATIONS, ids=str)
def test_without_positions_a_strategys_play_is_returned(options):
    state = partly_played(2, 24, **options)
    best = oracle.find_best_play(state, nodes=1)
    assert best.score == replayed(state, best.actions)
    assert not best.proved
    assert best.score < best.bound


def test_finished_hand_has_its_own_score():
    state = partly_played(1, 0)
    score = state.score.total
    assert oracle.find_best_play(state) == (score, (), True, score, 0)


def test_oracle_ignores_reminders():
    state = partly_played(1, 12)
    spare = state.spares[0]
    open_place = next(n for n, there in enumerate(state.places, 1) if len(there) < 3)
    marked = rules.apply(state, "solo", f"mark {spare} {open_place}")
    assert oracle.find_best_play(marked) == oracle.find_best_play(state)


def test_compiled_and_plain_search_are_the_same():
    """They give the same scores, actions and numbers of positions."""
    modes = [import_mode(compiled, "cardlab.games.triangle.search")[0] for compiled in (True, False)]
    for seed, left in enumerate((27, 20, 18, 15, 14, 12, 9, 6)):
        state = partly_played(seed, left, **VARIATIONS[seed % 4])
        compiled, plain = searches = [mode.Search(state) for mode in modes]
        results = [search.run(-99, 18, 3000) for search in searches]
        assert results[0] == results[1]
        assert compiled.actions() == plain.actions()
        assert compiled.nodes == plain.nodes > 0
