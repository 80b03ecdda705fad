"""Tests the choices that models of planning are fitted to: values by depth, ranks and features."""

from random import Random

import pytest

from cardlab.games.challenge import heuristics, planning
from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.heuristics import HEURISTICS, heuristic_move
from cardlab.games.challenge.opponents import greedy_move
from cardlab.games.challenge.position import PICK_UP, Position, apply, legal_moves, start
from cardlab.games.challenge.search import scores


def position(seed=5, size=3, moves=6):
    """Returns a position somewhere in a game, and those before it."""
    chance, now, earlier = Random(seed), start(draw_deal(f"{seed}", size, 0)), []
    while len(earlier) < moves:
        earlier.append(now)
        now = apply(now, chance.choice(legal_moves(now)))
    return now, earlier


def test_values_by_depth_agree_with_the_search():
    now, earlier = position()
    for depth, found in zip(planning.DEPTHS, planning.scores_by_depth(now, earlier), strict=True):
        assert found == planning.bounded(scores(now, depth=depth, nodes=10**6, earlier=earlier))


def test_last_finished_depth_replaces_an_unfinished_one():
    now, earlier = position(size=6)
    values = list(planning.scores_by_depth(now, earlier, nodes=2_000))
    whole = [
        planning.bounded(scores(now, depth=depth, nodes=10**7, earlier=earlier)) for depth in planning.DEPTHS
    ]
    reached = whole.index(values[-1])
    assert 0 < reached < planning.DEPTHS[-1]
    assert values == [whole[min(depth, reached)] for depth in planning.DEPTHS]


@pytest.mark.parametrize(("count", "most"), [(0, 3), (2, 3), (3, 3), (10, 3), (100, 7)])
def test_a_sample_is_spread_evenly(count, most):
    sample = planning.spread(range(count), most)
    assert sample == sorted(set(sample))
    assert len(sample) == min(count, most)
    gaps = {later - sooner for sooner, later in zip(sample, sample[1:])}
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_choice_describes_each_legal_move():
    now, earlier = position()
    moves = sorted(legal_moves(now))
    one = planning.choice(now, earlier, moves[1], range(3), 3_000)
    assert one.chosen == 1
    for depth, known in enumerate(planning.scores_by_depth(now, earlier, range(3), 3_000)):
        assert one.scores[depth] == tuple(known[move] for move in moves)
    assert one.ranks[[*HEURISTICS].index("greedy")][moves.index(greedy_move(now))] == 0
    suit = heuristics.previous_suit(now, earlier)
    assert one.features == tuple(heuristics.features(now, move, suit) for move in moves)


# The mover has spades as trumps; the seven of clubs is on the table.
TOP = Position((frozenset({"AS", "8C", "9C", "KD"}), frozenset({"8S"})), ("7C",), 0, False)


@pytest.mark.parametrize(
    ("heuristic", "order"),
    [
        ("greedy", ["8C", "9C", "AS", PICK_UP]),
        ("hoarding", ["8C", "9C", PICK_UP, "AS"]),
        ("recency", ["AS", "8C", "9C", PICK_UP]),
    ],
)
def test_heuristics_rank_moves_as_described(heuristic, order):
    before = Position((TOP.hands[0] | {"KS"}, frozenset({"8S", "7C"})), mover=0)
    led = apply(before, "KS")
    picked_up = apply(led, PICK_UP)
    earlier = [before, led, picked_up]
    assert heuristics.previous_suit(TOP, earlier) == "S"
    assert heuristics.ranks(heuristic, TOP, earlier, order) == [0, 1, 2, 3]
    assert heuristic_move(heuristic, TOP, earlier, Random(1)) == order[0]


def test_equal_moves_have_equal_ranks():
    lead = Position((frozenset({"7C", "7D", "7S", "8C"}), frozenset({"8S"})))
    assert heuristics.previous_suit(lead, []) == ""
    assert heuristics.ranks("greedy", lead, [], ["7C", "7D", "7S", "8C"]) == [0, 0, 2, 1]
    drawn = {heuristic_move("greedy", lead, [], Random(seed)) for seed in range(20)}
    assert drawn == {"7C", "7D"}


def test_features_of_cards_and_pick_ups():
    names = heuristics.FEATURES
    assert dict(zip(names, heuristics.features(TOP, PICK_UP, "C"))) == {
        **dict.fromkeys(names, 0),
        **{"pick-up": 1, "cards picked up": 1},
    }
    card = dict(zip(names, heuristics.features(TOP, "AS", "S")))
    assert (card["own trump"], card["other's trump"], card["height"]) == (1, 0, 13)
    assert card["suit of previous card"] == 1
