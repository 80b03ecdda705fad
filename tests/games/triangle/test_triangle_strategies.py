"""Tests each strategy of Triangle Solitaire on a table that shows its decision rule."""

from dataclasses import replace
from random import Random

import pytest

from cardlab.games.triangle import rules
from cardlab.games.triangle.packs import COMPLETES, SINGLES
from cardlab.games.triangle.strategies import STRATEGIES, VIEW_POLICIES

VARIATIONS = [{}, {"doubled": 9}, {"mixed_in": 9}, {"doubled": 4, "mixed_in": 5, "highlight": True}]


def table(deck, *lying, discards=()):
    """Returns a triangle whose places all hold F, except those given as (place, content).

    ``deck`` begins with the revealed card; all other Completes were discarded.
    """
    places = ["F"] * 27
    for number, there in lying:
        places[number - 1] = there
    deck = tuple(deck.split())
    seen = {*deck, *places}
    gone = tuple(card for card in COMPLETES if card not in seen) if discards is None else discards
    state = rules.start(rules.deal("any", {}), {})
    return replace(state, places=tuple(places), deck=deck, discards=gone)


def act(name, state, seed=1):
    return STRATEGIES[name].new_policy(Random(seed))(state, "solo")


def acts(name, state):
    """Returns the actions that the strategy takes at this table over many seeds."""
    return {act(name, state, seed) for seed in range(60)}


def played(name, seed, **options):
    """Returns a whole hand as its actions, and the state at the end; every action is legal."""
    state, actions = rules.start(rules.deal(f"deal {seed}", options), options), []
    player = STRATEGIES[name].new_policy(Random(seed))
    while not rules.is_over(state):
        action = player(state, "solo")
        assert action in rules.legal_actions(state, "solo")
        state = rules.apply(state, "solo", action)
        actions.append(action)
    return actions, state


def mean(name, **options):
    return sum(played(name, seed, **options)[1].score.total for seed in range(25)) / 25


def test_every_strategy_has_a_description():
    assert (
        list(STRATEGIES) == list(VIEW_POLICIES) == ["random", "first_match", "most_neighbours", "look_ahead"]
    )
    assert all(strategy.description.endswith(".") for strategy in STRATEGIES.values())


# Choices

# The source's example: the hollow Single between a circle and a blue one is the best place for HBC.
SOURCE = table("HBC", (3, "B"), (8, "C"), (9, "H"), (10, "B"), (20, "H"))


def test_random_chooses_any_place_that_fits():
    assert acts("random", SOURCE) == {f"place {number}" for number in (3, 8, 9, 10, 20)}


def test_first_match_goes_clockwise_from_the_upper_left():
    assert acts("first_match", SOURCE) == {"place 3"}


def test_most_neighbours_follows_the_sources_advice():
    assert acts("most_neighbours", SOURCE) == {"place 9"}


def test_most_neighbours_counts_singles_and_completes_alike():
    state = table("HBC", (3, "H"), (4, "HRS"), (9, "H"), (10, "B"))
    assert acts("most_neighbours", state) == {"place 3", "place 9", "place 10"}


def test_most_neighbours_avoids_discontinuities_first():
    state = table("HBC", (3, "H"), (2, "HRS"), (4, "PRS"), (9, "H"))
    assert acts("most_neighbours", state) == {"place 9"}


def test_look_ahead_avoids_a_cards_only_place():
    """HBC may go to H or to C, but the later PRC needs the C."""
    state = table("HBC PRC", (3, "H"), (20, "C"), discards=None)
    assert acts("look_ahead", state) == {"place 3"}


def test_look_ahead_keeps_places_fillable():
    """FGC, the last card, cannot lie next to HBS; it fits next to places 2 and 4, but not next to 20."""
    state = table("HBS FGC", (2, "H"), (4, "H"), (19, "R"), (20, "B"), (21, "R"), discards=None)
    assert acts("look_ahead", state) == {"place 20"}


def test_look_ahead_keeps_the_scarcest_cards_place():
    """H and C can each take one later card; PGC has only the C, but HRS could go to the R too."""
    state = table("HBC HRS PGC", (3, "H"), (10, "R"), (20, "C"), discards=None)
    assert acts("look_ahead", state) == {"place 3"}


def test_look_ahead_keeps_the_place_that_takes_most():
    """B can take two later cards that also fit two P; H can take one that also fits the R."""
    lying = (3, "H"), (6, "R"), (10, "B"), (14, "P"), (18, "P")
    assert acts("look_ahead", table("HBC HRS PBT PBS", *lying, discards=None)) == {"place 3"}


@pytest.mark.parametrize("name", ["most_neighbours", "look_ahead"])
def test_a_deck_single_goes_where_risk_is_least(name):
    state = table("H HBC PRS", (3, "B"), (20, "R"), discards=None)
    chosen = acts(name, state)
    assert chosen <= {"place 3", "place 20"}
    if name == "look_ahead":  # HBC can still go to a hollow blue place, PRS not to a hollow red one
        assert chosen == {"place 3"}


@pytest.mark.parametrize("name", STRATEGIES)
def test_unplaceable_cards_are_discarded(name):
    assert acts(name, table("HBC FRS", (1, "HB"), (2, "S"), (3, "P"))) == {"place 1"}
    assert acts(name, table("HBC FRS", (2, "S"), (3, "P"))) == {"discard"}


# Whole hands


@pytest.mark.parametrize("options", VARIATIONS, ids=str)
@pytest.mark.parametrize("name", STRATEGIES)
def test_every_action_of_a_whole_hand_is_legal(name, options):
    for seed in range(5):
        _actions, state = played(name, seed, **options)
        assert rules.result(state, "solo", 0).outcome == "completed"


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_same_seed_plays_the_same_hand(name):
    assert played(name, 3)[0] == played(name, 3)[0]


@pytest.mark.parametrize("name", STRATEGIES)
def test_players_act_on_the_view_alone(name):
    actions, _state = played(name, 7)
    state, chance = rules.start(rules.deal("deal 7", {}), {}), Random(7)
    for action in actions:
        assert VIEW_POLICIES[name](rules.view(state, "solo"), chance) == action
        state = rules.apply(state, "solo", action)


def test_another_seed_plays_another_hand():
    assert played("random", 3)[0] != played("random", 4)[0]


@pytest.mark.parametrize("options", VARIATIONS, ids=str)
def test_better_informed_strategies_score_more(options):
    assert mean("look_ahead", **options) > mean("most_neighbours", **options) + 2
    assert mean("most_neighbours", **options) > mean("random", **options) + 2


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategies_ignore_the_decks_order(name):
    state = rules.start(rules.deal("order", {"mixed_in": 3}), {})
    other = replace(state, deck=(state.deck[0], *reversed(state.deck[1:])))
    assert acts(name, state) == acts(name, other)


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategies_ignore_hints_and_keep_the_view_unchanged(name):
    dealt = rules.deal("help", {})
    plain, helped = (
        rules.view(rules.start(dealt, {"highlight": shown, "show_left": shown}), "solo")
        for shown in (False, True)
    )
    before = repr(plain)
    assert VIEW_POLICIES[name](plain, Random(1)) == VIEW_POLICIES[name](helped, Random(1))
    assert repr(plain) == before


def test_strategies_ignore_reminders():
    state = rules.start(rules.deal("marks", {}), {})
    spare = next(single for single in SINGLES if single in state.spares)
    marked = rules.apply(state, "solo", f"mark {spare} 5")
    for name in STRATEGIES:
        assert acts(name, state) == acts(name, marked)
