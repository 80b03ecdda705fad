"""Tests each robot of the matrix card game on a table that shows its decision rule."""

from random import Random

import pytest

from cardlab.games.contract import IllegalAction
from cardlab.games.matrix import rules
from cardlab.games.matrix.packs import PACKS
from cardlab.games.matrix.robots import ROBOTS

# S sees these crosses in front of it (own card, then the other's):
#     NW 10S 2H | NE 6C 3H
#     SW 9D  4S | SE 5S 2C      left: 10 or -9; right: 6 or 5
TABLE = "9D 4S | 10S 2H | 6C 3H | 5S 2C"
HAND_S, HAND_W = "3S 8H QS 7C JD 2S 4D", "AS AC AH AD 3C 4C 5C"


def table(hand_s=HAND_S, hand_w=HAND_W, crosses=TABLE, **options):
    """Returns a two-player hand with these cards dealt, the rest of the pack in the stock."""
    dealt = f"{hand_s} | {hand_w} | {crosses}"
    stock = " ".join(card for card in PACKS["standard"] if card not in dealt.split())
    return rules.start(f"{dealt} | {stock}", options)


def act(name, state, seat="S", seed=1):
    return ROBOTS[name].act(rules.view(state, seat), Random(seed))


def acts(name, state, seat="S"):
    """Returns the actions that the robot takes at this table over many seeds."""
    return {act(name, state, seat, seed) for seed in range(60)}


def played(names, seed, **options):
    """Returns a whole hand as its (seat, action) pairs, and the state at the end; every action is legal."""
    state = rules.start(rules.deal(f"deal {seed}", options), options)
    robots = dict(zip(rules.seats(state), names))
    chances = {seat: Random(f"{seed} {seat}") for seat in robots}
    record = []
    while not rules.is_over(state):
        for seat in rules.waiting_for(state):
            action = ROBOTS[robots[seat]].act(rules.view(state, seat), chances[seat])
            assert action in rules.legal_actions(state, seat)
            state = rules.apply(state, seat, action)
            record.append((seat, action))
    return record, state


def test_index_names_every_robot_and_its_source():
    assert list(ROBOTS) == ["random", "greedy", "best_response", "minimax"]
    assert all(robot.source.endswith(".") for robot in ROBOTS.values())


# Choices of cards


def test_greedy_takes_the_highest_card_before_it():
    assert acts("greedy", table()) == {"play QS"}  # left, for the 10


def test_best_response_weighs_both_cards_of_a_column():
    assert acts("best_response", table()) == {"play 7C"}  # right: 6 and 5 are more than 10 and -9


def test_minimax_plays_the_column_with_better_worst_card():
    assert acts("minimax", table()) == {"play 7C"}  # right: 5 at least, and that is more than left's -9


def test_minimax_mixes_when_no_column_is_safe():
    state = table(crosses="9D 4S | 10S 2H | 6H 3H | 5S 2C")  # left 10 or -9, right -6 or 5
    assert acts("minimax", state) == {"play QS", "play 7C"}


def test_random_plays_any_card_of_its_hand():
    assert acts("random", table()) == {f"play {card}" for card in HAND_S.split()}


@pytest.mark.parametrize("name", ["greedy", "best_response", "minimax"])
def test_robot_with_one_column_lays_its_highest_card(name):
    assert acts(name, table(hand_s="3S 8H QS 7S JH 2S 4H", hand_w="AS AC AH AD 3C 4C 5C")) == {"play QS"}


@pytest.mark.parametrize("name", ["greedy", "best_response", "minimax"])
def test_robot_plays_either_of_two_equal_columns(name):
    state = table(crosses="6S 4S | 9S 2H | 6C 3H | 9C 2C")  # left 9 or 6, right 6 or 9
    assert acts(name, state) == {"play QS", "play 7C"}


def test_robot_sees_the_table_from_its_side():
    # W's left is north, its cards lie across: NW 2H, NE 3H; right is south: SW 4S, SE 2C.
    assert {act(name, table(), "W") for name in ("greedy", "best_response", "minimax")} == {"play 5C"}


# Rotations


def after(*actions, state=None):
    """Returns the table, or another state, after actions like "S play 7C"."""
    state = state or table()
    for action in actions:
        seat, action = action.split(" ", 1)
        state = rules.apply(state, seat, action)
    return state


@pytest.mark.parametrize(
    ("name", "rotation"),
    [
        ("greedy", "rotate NW"),  # left is then 10 and 1
        ("best_response", "rotate NW"),
        ("minimax", "rotate SE"),  # right is then 5 and 4
    ],
)
def test_robot_rotates_better_card_to_its_side(name, rotation):
    state = after("S play JD", "W play AS")  # W gets -3 in NE for S's 6, and lays its ace there
    assert state.rotator == "W"
    # W's left (north) is 1 and -2, its right (south) 2 and 4.
    assert acts(name, state, "W") == {rotation}


@pytest.mark.parametrize(("name", "rotation"), [("greedy", "rotate SE"), ("minimax", "keep")])
def test_robot_with_one_column_rotates_for_that_column(name, rotation):
    state = table(hand_s="3S 8H QS KC JD 2S 4D", hand_w="AC AD 3C 4C 5C 6D 7D")
    state = after("S play KC", "W play 5C", state=state)  # W gets 2 in SE for S's 5; the king lies there
    # W can go right (south) only, for 5 and 4; with SE turned, for 10 and 4.
    assert acts(name, state, "W") == {rotation}


@pytest.mark.parametrize("name", ["greedy", "best_response", "minimax"])
def test_robot_keeps_when_no_rotation_helps(name):
    state = after("S play QS", "W play 5C")  # S gets -9 in SW for W's 4, and lays its queen there
    assert state.rotator == "S"
    # S's left is 10 and 10, its right 6 and 5; W has the lower card of every cross.
    assert acts(name, state) == {"keep"}


def test_random_rotates_any_cross_or_keeps():
    state = after("S play QS", "W play 5C")
    assert acts("random", state) == {"rotate NW", "rotate NE", "rotate SW", "rotate SE", "keep"}


# Whole hands


@pytest.mark.parametrize("options", [{}, {"pack": "special"}, {"court": "ladder"}, {"players": 4}], ids=str)
@pytest.mark.parametrize("name", ROBOTS)
def test_every_action_of_a_whole_hand_is_legal(name, options):
    for seed in range(5):
        _record, state = played([name] * 4, seed, **options)
        assert rules.result(state, "S", 0).outcome == "completed"


@pytest.mark.parametrize("name", ROBOTS)
def test_the_same_seed_plays_the_same_hand(name):
    assert played([name, "random"], 3)[0] == played([name, "random"], 3)[0]


def test_another_seed_plays_another_hand():
    assert played(["random", "random"], 3)[0] != played(["random", "random"], 4)[0]


@pytest.mark.parametrize("name", ["greedy", "best_response", "minimax"])
def test_informed_robots_beat_the_random_robot(name):
    ends = [played([name, "random"], seed)[1] for seed in range(30)]
    assert sum(state.score("S") for state in ends) > sum(state.score("W") for state in ends)


def test_best_response_earns_most_against_random():
    def earned(name):
        return sum(played([name, "random"], seed)[1].score("S") for seed in range(30))

    assert earned("best_response") > max(earned("greedy"), earned("random"))


def test_robots_ignore_hidden_cards():
    state, other = table(), table(hand_w="6D 7S 8S 9S 10C JC QC")
    assert state.hand("W") != other.hand("W")
    for name in ROBOTS:
        assert acts(name, state) == acts(name, other)


def test_robot_does_not_change_its_view():
    view = rules.view(after("S play JD", "W play AS"), "W")
    before = repr(view)
    for robot in ROBOTS.values():
        robot.act(view, Random(1))
    assert repr(view) == before


def test_robot_action_out_of_turn_is_refused():
    state = after("S play QS")
    with pytest.raises(IllegalAction, match="already chosen"):
        rules.apply(state, "S", act("greedy", state))
