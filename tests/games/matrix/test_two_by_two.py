"""Tests the names of 2×2 games (Robinson & Goforth; Bruns 2015) and their equilibria."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import nashpy
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardlab.games.matrix import board
from cardlab.games.matrix.two_by_two import (
    FIVE_AND_EIGHT,
    TWO_SUSPECTS,
    Dominance,
    Equilibria,
    Game,
    Security,
    best_responses,
    classify,
    describe,
    dominant,
    equilibria,
    game_from_cells,
    label,
    order_names,
    own_payoffs,
    security,
    strict_neighbours,
    symmetric,
)


def square(four):
    """Four payoffs as ((a, b), (c, d))."""
    return tuple(four[:2]), tuple(four[2:])


STRICT = [square(ranks) for ranks in permutations((1, 2, 3, 4))]
WEAK = [square(ranks) for ranks in product(range(4), repeat=4) if set(ranks) == set(range(max(ranks) + 1))]

payoffs = st.lists(st.integers(-13, 13), min_size=4, max_size=4).map(square)
tied = st.lists(st.integers(0, 2), min_size=4, max_size=4).map(square)
games = st.builds(Game, payoffs, payoffs) | st.builds(Game, tied, tied)

ALL_EQUAL = symmetric(((5, 5), (5, 5)))
MATCHING_PENNIES = Game(((1, -1), (-1, 1)), ((-1, 1), (1, -1)))
BATTLE_WITH_TIES = Game(((2, 0), (0, 1)), ((1, 0), (0, 2)))


def same_games(game):
    """Yields the game with the choices of either player, of both or of none exchanged."""
    for rows, columns in product((1, -1), repeat=2):
        yield Game(*(tuple(line[::columns] for line in each[::rows]) for each in (game.row, game.column)))


def players_exchanged(game):
    return Game(own_payoffs(game, "column"), tuple(zip(*own_payoffs(game, "row"))))


# Names


@pytest.mark.parametrize(
    ("name", "own"),  # own payoff by own choice (C, D) and the other's (C, D)
    [
        ("prisoner's dilemma", ((3, 1), (4, 2))),
        ("chicken", ((3, 2), (4, 1))),
        ("stag hunt", ((4, 1), (3, 2))),
        ("assurance", ((4, 1), (2, 3))),
        ("coordination", ((4, 2), (1, 3))),
        ("peace", ((4, 3), (1, 2))),
        ("harmony", ((4, 3), (2, 1))),
        ("concord", ((4, 2), (3, 1))),
        ("deadlock", ((2, 1), (4, 3))),
        ("compromise", ((1, 2), (4, 3))),
        ("hero", ((1, 3), (4, 2))),
        ("battle of the sexes", ((2, 3), (4, 1))),
    ],
)
def test_twelve_symmetric_games_have_their_names(name, own):
    assert [label(classify(game)) for game in same_games(symmetric(own))] == [name] * 4


def test_144_strict_games_pair_the_twelve_orders():
    met = Counter(classify(Game(row, column)) for row, column in product(STRICT, STRICT))
    assert set(met) == set(product(order_names(), repeat=2))
    assert set(met.values()) == {4}  # the same game with choices exchanged
    assert len({label(kind) for kind in met}) == 144


def test_exchanging_players_leaves_78_strict_and_648_tied():
    kinds = {classify(Game(row, column)) for row, column in product(WEAK, WEAK)}
    strict, ties = (
        {frozenset(kind) for kind in kinds if kind.ties == with_ties} for with_ties in (False, True)
    )
    assert (len(strict), len(ties)) == (78, 648)  # Rapoport & Guyer 1966; Kilgour & Fraser 1988: 726


@pytest.mark.parametrize(
    ("game", "name"),
    [
        (TWO_SUSPECTS, "prisoner's dilemma"),
        (FIVE_AND_EIGHT, "prisoner's dilemma"),
        (Game(((3, 2), (4, 1)), ((4, 3), (1, 2))), "chicken / stag hunt"),
        (Game(((4, 1), (3, 2)), ((3, 4), (2, 1))), "stag hunt / chicken"),
        (symmetric(((3, 1), (4, 1))), "with ties: TRP=S"),
        (Game(((3, 1), (4, 1)), ((4, 3), (1, 2))), "with ties: TRP=S / stag hunt"),
        (BATTLE_WITH_TIES, "with ties: TSR=P"),
        (MATCHING_PENNIES, "with ties: R=PT=S / T=SR=P"),
        (ALL_EQUAL, "with ties: T=R=P=S"),
    ],
)
def test_known_games_have_the_expected_label(game, name):
    assert label(classify(game)) == name


@given(games)
def test_name_ignores_the_order_of_choices_and_players(game):
    kind = classify(game)
    assert {classify(same) for same in same_games(game)} == {kind}
    assert sorted(classify(players_exchanged(game))) == sorted(kind)


@given(games, st.integers(1, 9), st.integers(-9, 9))
def test_name_depends_only_on_the_payoff_order(game, scale, shift):
    row = tuple(tuple(scale * payoff + shift for payoff in line) for line in game.row)
    assert classify(Game(row, game.column)) == classify(game)


def neighbours(game):
    return [label(kind) for kind in strict_neighbours(game)]


def test_game_with_ties_lies_between_strict_games():
    assert neighbours(Game(((3, 1), (4, 1)), ((4, 3), (1, 2)))) == [
        "prisoner's dilemma / stag hunt",
        "chicken / stag hunt",
    ]
    assert len(neighbours(ALL_EQUAL)) == 144


@given(games)
def test_strict_neighbours_of_any_game_are_strict(game):
    kinds = strict_neighbours(game)
    assert not any(kind.ties for kind in kinds)
    if classify(game).ties:
        assert len(kinds) > 1
    else:
        assert kinds == (classify(game),)


def test_names_are_translated_on_pages_only():
    kind = classify(symmetric(((3, 1), (4, 1))))
    assert label(kind, {"with ties: {orders}": "mit Gleichen: {orders}"}.get) == "mit Gleichen: TRP=S"
    german = {"chicken": "Feigling"}
    assert label(classify(symmetric(((3, 2), (4, 1)))), lambda word: german.get(word, word)) == "Feigling"


def test_table_game_is_the_one_the_pair_plays():
    crosses = (("KS", "2D"), ("3S", "4H"), ("5C", "6S"), ("7D", "8C"))  # SW NW NE SE
    cells = board.matrix(crosses, ("S", "W"), {"court": "10"})
    game = game_from_cells(cells)
    for i, j in product((0, 1), repeat=2):
        assert (game.row[i][j], game.column[i][j]) == cells[i][j]
    assert sorted(sum(game.row, ())) == [-7, 3, 5, 10]  # the cards along S's axis


# Best responses, dominance, security


def test_confessing_dominates_in_the_prisoners_dilemma():
    for player in ("row", "column"):
        assert best_responses(TWO_SUSPECTS, player) == ((1,), (1,))
        assert dominant(TWO_SUSPECTS, player) == Dominance(1, strict=True)


def test_equal_choices_are_both_best_responses():
    assert best_responses(Game(((1, 2), (1, 0)), ((0, 1), (2, 3))), "row") == ((0, 1), (0,))
    assert best_responses(Game(((1, 2), (1, 0)), ((0, 1), (2, 3))), "column") == ((1,), (1,))


@pytest.mark.parametrize(
    ("own", "dominance"),
    [
        (((3, 2), (1, 1)), Dominance(0, strict=True)),
        (((3, 1), (3, 2)), Dominance(1, strict=False)),
        (((3, 1), (3, 1)), None),
        (((3, 1), (2, 4)), None),
    ],
)
def test_dominant_choice_is_never_worse_and_sometimes_better(own, dominance):
    assert dominant(symmetric(own), "row") == dominant(symmetric(own), "column") == dominance


@pytest.mark.parametrize(
    ("own", "sure"),
    [
        (((5, -5), (8, -3)), Security(-3, -3, Fraction(-3), Fraction(0))),
        (((1, -1), (-1, 1)), Security(-1, 1, Fraction(0), Fraction(1, 2))),
        (((2, 0), (0, 1)), Security(0, 1, Fraction(2, 3), Fraction(1, 3))),
        (((0, 0), (0, 5)), Security(0, 0, Fraction(0), Fraction(0))),  # both are sure of 0, one of more
    ],
)
def test_security_level_is_known(own, sure):
    assert security(own) == sure


@given(payoffs | tied)
def test_security_mix_guarantees_the_highest_level(own):
    sure = security(own)
    (a, b), (c, d) = own
    p = sure.first
    assert min(p * a + (1 - p) * c, p * b + (1 - p) * d) == sure.level
    # The other holds the player to that level with one of its own mixes: 0, 1 or the indifferent one.
    weight = a - b - c + d
    others = {0, 1, *([Fraction(d - b, weight)] if weight else [])}
    held = min(max(q * a + (1 - q) * b, q * c + (1 - q) * d) for q in others if 0 <= q <= 1)
    assert held == sure.level
    assert sure.pure <= sure.level <= sure.minimax


# Equilibria


def intersection(one, other):
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else None


def answers(gain_0, gain_1):
    """Yields a player's best responses: intervals of probabilities of choice 0, own and the other's.

    ``gain_0`` and ``gain_1`` are the advantage of choice 0 over 1 against the other's choice 0 and 1.
    """
    good = [q for q in (Fraction(0), Fraction(1)) if q * gain_0 + (1 - q) * gain_1 >= 0]
    bad = [q for q in (Fraction(0), Fraction(1)) if q * gain_0 + (1 - q) * gain_1 <= 0]
    if gain_0 * gain_1 < 0:
        even = Fraction(gain_1, gain_1 - gain_0)
        good, bad = [*good, even], [*bad, even]
    both = set(good) & set(bad)
    for mine, others in (((1, 1), good), ((0, 0), bad), ((0, 1), both)):
        if others:
            yield mine, (min(others), max(others))


def enumerated(game):
    """Returns the maximal blocks of equilibria, where the best responses of row and column intersect."""
    (a, b), (c, d) = game.row
    (e, f), (g, h) = game.column
    meetings = {
        (intersection(own_p, p), intersection(q, own_q))
        for own_p, q in answers(a - c, b - d)
        for own_q, p in answers(e - f, g - h)
    }
    blocks = {block for block in meetings if None not in block}
    return {
        block
        for block in blocks
        if not any(
            block != larger and all(intersection(x, y) == x for x, y in zip(block, larger))
            for larger in blocks
        )
    }


def blocks_of(solution):
    """Returns all equilibria as blocks: the single points outside all continua, and the continua."""
    points = [tuple(Fraction(1 - choice) for choice in cell) for cell in solution.pure] + [*solution.mixed]
    blocks = {
        ((p, p), (q, q)) for p, q in points if not any(inside(p, q, each) for each in solution.continua)
    }
    return blocks | set(solution.continua)


def inside(p, q, block):
    return all(low <= each <= high for each, (low, high) in zip((p, q), block))


@settings(max_examples=400)
@given(games)
@example(ALL_EQUAL)
@example(MATCHING_PENNIES)
def test_equilibria_are_where_best_responses_meet(game):
    found = equilibria.__wrapped__(game)
    assert blocks_of(found) == enumerated(game)
    assert found.pure == tuple(
        (i, j)
        for i, j in product((0, 1), repeat=2)
        if i in best_responses(game, "row")[j] and j in best_responses(game, "column")[i]
    )


def by_nashpy(game):
    """Returns the equilibria by nashpy, which may miss some in degenerate games."""
    found = nashpy.Game(game.row, game.column).support_enumeration(non_degenerate=True)
    points = [tuple(Fraction(mix[0]).limit_denominator(1000) for mix in mixes) for mixes in found]
    pure = [point for point in points if set(point) <= {0, 1}]
    return Equilibria(
        pure=tuple(sorted((int(1 - p), int(1 - q)) for p, q in pure)),
        mixed=tuple(sorted(set(points) - set(pure))),
        continua=(),
    )


def indifferent(game):
    """Returns whether a player is indifferent against a choice of the other (a degenerate game)."""
    return any(len(best) == 2 for player in ("row", "column") for best in best_responses(game, player))


@given(games.filter(lambda game: not indifferent(game)))
@example(MATCHING_PENNIES)
@example(symmetric(((3, 2), (4, 1))))
@example(Game(((-10, 13), (13, -10)), ((13, -10), (-9, 13))))
def test_equilibria_agree_with_nashpy(game):
    assert equilibria.__wrapped__(game) == by_nashpy(game)


def test_equilibria_of_strict_games_agree_with_nashpy():
    for row, column in product(STRICT[:6], STRICT):  # rows whose worst payoff comes first
        game = Game(row, column)
        assert equilibria(game) == by_nashpy(game)


def test_large_payoffs_have_exact_equilibria():
    million = 10**6
    (mixed,) = equilibria(Game(((million, -1), (-1, 1)), ((-1, million), (1, -1)))).mixed
    assert mixed == (Fraction(2, million + 3), Fraction(2, million + 3))


def test_games_with_three_payoffs_have_their_equilibria():
    three = [square(four) for four in product(range(3), repeat=4)]
    for row, column in product(three[::2], three[::3]):
        game = Game(row, column)
        assert blocks_of(equilibria(game)) == enumerated(game)


@given(games, st.fractions(0, 1, max_denominator=12), st.fractions(0, 1, max_denominator=12))
def test_mixes_are_equilibria_exactly_without_gainful_deviation(game, p, q):
    def worth(own, mine, others):
        (a, b), (c, d) = own
        return mine * (others * a + (1 - others) * b) + (1 - mine) * (others * c + (1 - others) * d)

    row, column = own_payoffs(game, "row"), own_payoffs(game, "column")
    is_equilibrium = all(
        worth(row, p, q) >= worth(row, other, q) and worth(column, q, p) >= worth(column, other, p)
        for other in (0, 1)
    )
    assert any(inside(p, q, block) for block in blocks_of(equilibria(game))) == is_equilibrium


def test_strict_games_have_known_numbers_of_equilibria():
    counts = {}
    for row, column in product(STRICT, STRICT):
        game = Game(row, column)
        counts[classify(game)] = len(equilibria(game).pure), len(equilibria(game).mixed)
    assert Counter(counts.values()) == {(1, 0): 108, (2, 1): 18, (0, 1): 18}


@pytest.mark.parametrize(
    ("game", "sentences"),
    [
        (FIVE_AND_EIGHT, ["Pure equilibrium: South right, West right."]),
        (
            symmetric(((3, 2), (4, 1))),
            [
                "Pure equilibrium: South left, West right.",
                "Pure equilibrium: South right, West left.",
                "Mixed equilibrium: South left with probability 1/2, West left with probability 1/2.",
            ],
        ),
        (
            BATTLE_WITH_TIES,
            [
                "Pure equilibrium: South left, West left.",
                "Pure equilibrium: South right, West right.",
                "Mixed equilibrium: South left with probability 2/3, West left with probability 1/3.",
            ],
        ),
        (
            Game(((-3, 3), (-3, 5)), ((2, 7), (4, 2))),
            [
                "Pure equilibrium: South right, West left.",
                "A continuum of equilibria: South left with any probability from 0 to 2/7, West left.",
            ],
        ),
        (
            Game(((1, 1), (0, 0)), ((2, 2), (0, 1))),
            [
                "Pure equilibrium: South left, West left.",
                "Pure equilibrium: South left, West right.",
                "A continuum of equilibria: South left, West in any way.",
            ],
        ),
    ],
)
def test_equilibria_are_described_in_words(game, sentences):
    assert describe(equilibria(game), players=("South", "West")) == sentences


def test_tie_against_an_unplayed_choice_gives_no_continuum():
    game = Game(((1, 3), (1, 2)), ((0, 1), (0, 1)))  # row is indifferent only against column's worse choice
    assert equilibria(game) == ((((0, 1),)), (), ())


def test_equilibrium_is_described_with_given_names():
    words = describe(equilibria(TWO_SUSPECTS), ("A", "B"), ("keeps silent", "confesses"))
    assert words == ["Pure equilibrium: A confesses, B confesses."]
