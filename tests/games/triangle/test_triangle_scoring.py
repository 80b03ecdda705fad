"""Tests the score of ruling 17: the source's example, its parts, and its symmetries."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.triangle import rules
from cardlab.games.triangle.packs import COMPLETES, SINGLES
from cardlab.games.triangle.scoring import BEST, POINTS, score

# The source's example as it describes it: a left side that matches throughout; on the top side HBS next to
# FGC, and FRT between PGC and PBC; on the right side two open places, one of them at the corner, and
# FBS between FBT and PRS; the left corner does not match, the lower one does; PRT and PGT are discarded.
EXAMPLE = " | ".join(
    [
        "C R B G F C C R B H P F B P T S B H S T F G P H H T G",
        "P F R R G C S S T",
        "HGC FBC FGC PGC HBS HRT FRS PBS PBC PRS FGT PRC HRC HGT FRT FGS HBC HBT PGS FRC PBT HRS FBS FBT HGS "
        "PRT PGT",
    ]
)
PLAYED = (22, 6, 4, 7, 3, 15, 19, 11, 9, 14, 20, 23, 1, 25, 8, 21, 24, 17, 27, 5, 26, 2, 13, 12, 18)
TOP = ("HRC", "HRS", "HBS", "FGC", "FRC", "FBC", "PGC", "FRT", "PBC")


def example():
    state = rules.start(EXAMPLE, {})
    for action in [*(f"place {number}" for number in PLAYED), "discard", "discard"]:
        state = rules.apply(state, "solo", action)
    return state


def scored_again(places, discarded):
    """Implements ruling 17 a second time: goes round the loop card by card, then checks each side."""
    total = -3 * discarded
    for n, (one, other) in enumerate(zip(places, [*places[1:], places[0]])):
        if len(one) < 3 or len(other) < 3:
            continue
        same = any(a == b for a, b in zip(one, other))
        if not same:
            total -= 2
        elif n in (8, 17, 26):
            total += 1
    for cut in (0, 9, 18):
        side = places[cut : cut + 9]
        if all(len(card) == 3 for card in side) and all(
            any(a == b for a, b in zip(one, other)) for one, other in zip(side, side[1:])
        ):
            total += 5
    return total


# The source's example


def test_the_sources_example_scores_minus_8():
    """The source's own sum is −7, because it deducts 1 for a corner that it counts as −2 (ruling 17)."""
    state = example()
    assert rules.is_over(state)
    assert state.score.total == 5 + 1 - 6 - 6 - 2 == -8
    assert state.score.points == {"sides": 5, "corners": 1, "discontinuities": -8, "discarded": -6}


def test_the_sources_example_matches_its_description():
    state = example()
    assert state.places[:9] == TOP
    assert state.score.sides == {"top": "mismatch", "right": "open", "left": "match"}
    assert state.score.corners == {"right": "open", "lower": "match", "left": "mismatch"}
    assert [n for n, joint in enumerate(state.score.joints, 1) if joint == "mismatch"] == [3, 7, 8, 27]
    assert state.discards == ("PRT", "PGT")
    assert [number for number, there in enumerate(state.places, 1) if len(there) < 3] == [10, 16]


# The parts

# A loop in which every card shares a feature with the next, but the last shares none with the first.
SIDES = (
    "HBC HBS HBT HRT HRS HRC HGC HGS HGT",
    "PGT PGS PGC PRC PRS PRT PBT PBS PBC",
    "FBC FBS FBT FRT FRS FRC FGC FGS FGT",
)
LOOP = " ".join(SIDES).split()


def replaced(*changes):
    """Returns the loop with other contents in some places."""
    places = list(LOOP)
    for number, there in changes:
        places[number - 1] = there
    return tuple(places)


def test_a_perfect_loop_is_worth_18():
    assert BEST == 18
    found = score(replaced((9, "FGT"), (27, "HGT")), 0)  # the last cards of two sides change places
    assert (found.total, set(found.joints)) == (18, {"match"})
    assert found.counts == {"sides": 3, "corners": 3, "discontinuities": 0, "discarded": 0}


def test_a_corner_that_does_not_match_costs_two():
    assert score(replaced(), 0).points == {"sides": 15, "corners": 2, "discontinuities": -2, "discarded": 0}


@pytest.mark.parametrize("number", range(1, 28))
def test_open_joints_score_nothing(number):
    whole, with_open_joint = score(replaced(), 0), score(replaced((number, "HB")), 0)
    around = {number, (number - 2) % 27 + 1}
    for n, (before, after) in enumerate(zip(whole.joints, with_open_joint.joints), 1):
        assert after == ("open" if n in around else before)
    side = ("top", "right", "left")[(number - 1) // 9]
    assert with_open_joint.sides == {**dict.fromkeys(("top", "right", "left"), "match"), side: "open"}


def test_a_discontinuity_loses_an_open_side():
    found = score(replaced((2, "PRS"), (5, "S")), 0)
    assert found.sides["top"] == "mismatch"
    assert found.counts["discontinuities"] == 2 + 1  # HBC–PRS, PRS–HBT and the left corner


def test_each_discarded_complete_costs_three():
    assert [score(replaced(), discarded).total for discarded in (0, 1, 5)] == [15, 12, 0]


def test_board_without_completes_scores_zero():
    assert score(tuple(SINGLES) * 3, 0).total == 0


# Any triangle, finished or not

chances = st.randoms(use_true_random=True)


@st.composite
def triangles(draw):
    """Draws places with Completes, some of them empty, and a number of discards."""
    chance, cards = draw(chances), list(COMPLETES)
    chance.shuffle(cards)
    for number in chance.sample(range(27), draw(st.integers(0, 27))):
        cards[number] = chance.choice([*SINGLES, "HB", "RT", "PS"])
    return tuple(cards), draw(st.integers(0, 9))


@given(triangles())
def test_the_score_agrees_with_a_second_scorer(triangle):
    places, discarded = triangle
    assert score(places, discarded).total == scored_again(places, discarded)


@given(chances, st.sampled_from([{}, {"doubled": 9}, {"mixed_in": 9}, {"doubled": 3, "mixed_in": 4}]))
def test_a_finished_game_agrees_with_a_second_scorer(chance, options):
    state = rules.start(rules.deal(str(chance.random()), options), options)
    while not rules.is_over(state):
        state = rules.apply(state, "solo", chance.choice(rules.legal_actions(state, "solo")))
    result = rules.result(state, "solo", 0)
    assert result.score == scored_again(state.places, len(state.discards))
    assert result.score == sum(POINTS[part] * result.parts[part] for part in POINTS)
    assert result.score <= 18


@given(triangles())
def test_rotating_by_a_side_keeps_the_score(triangle):
    places, discarded = triangle
    for cut in (9, 18):
        turned = places[cut:] + places[:cut]
        assert score(turned, discarded).counts == score(places, discarded).counts


@given(triangles())
def test_mirroring_the_sides_keeps_the_score(triangle):
    places, discarded = triangle
    assert score(places[::-1], discarded).counts == score(places, discarded).counts


@given(triangles(), st.permutations("HPF"), st.permutations("BRG"), st.permutations("CST"))
def test_all_characteristics_count_alike(triangle, fills, colours, shapes):
    places, discarded = triangle
    names = str.maketrans("HPFBRGCST", "".join([*fills, *colours, *shapes]))
    renamed = tuple(there.translate(names) for there in places)
    assert score(renamed, discarded) == score(places, discarded)


def test_no_arrangement_exceeds_18_points():
    chance = random.Random(1)
    for _ in range(300):
        assert score(tuple(chance.sample(COMPLETES, 27)), 0).total <= 18
