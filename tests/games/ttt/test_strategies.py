"""Tests the strategies of Target the Two: their moves, their knowledge, and that hands end."""

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from random import Random

import pytest
from best_play import moves_of_best_play
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.contract import Strategy
from cardlab.games.ttt import board, rules, strategies
from cardlab.games.ttt.belief import after_deal, value
from cardlab.games.ttt.routes import ROUTES, route, route_moves
from cardlab.games.ttt.show_file import read
from cardlab.games.ttt.solver import shortest
from cardlab.games.ttt.strategies import STRATEGIES

CARDS = ("2H", "3H", "4H", "2C", "3C", "4C")
LAYOUTS = list(permutations(CARDS))
UNSOLVED = [layout for layout in LAYOUTS if layout[3] != "2H"]
COMPETING = [layout for layout in LAYOUTS if layout[3] == "4C"]
VIEWS = ("all", "mix", "none")
SHOW_FILES = Path(__file__).parents[3] / "deals" / "ttt"
SEES_NO_MORE = ("random", "informed", "routinizing")


def hand(player, layout, goal="2H", first="ck", **options):
    """Returns a whole hand as its actions, and the state at the end."""
    state, actions = rules.start(board.format_deal(layout, goal, first), options), []
    while not rules.is_over(state):
        actions.append(player(state, board.SEAT))
        state = rules.apply(state, board.SEAT, actions[-1])
    return actions, state


def hands_of(show_file):
    text = (SHOW_FILES / show_file).read_text("utf-8")
    return [board.parse_deal(deal)[0] for deal in read(text, show_file).hands]


def test_index_describes_every_strategy():
    assert list(STRATEGIES) == ["random", "always_422", "always_442", "optimal", "informed", "routinizing"]
    for name, strategy in STRATEGIES.items():
        assert isinstance(strategy, Strategy)
        assert strategy.description.endswith(".")
        assert ("knows all cards" in strategy.description) == (name not in SEES_NO_MORE)


# ---------------------------------------------------------------- whole hands


@pytest.mark.parametrize("name", STRATEGIES)
@given(
    cards=st.permutations(CARDS),
    goal=st.sampled_from(CARDS),
    first=st.sampled_from(board.KEEPERS),
    options=st.fixed_dictionaries(
        {
            "ViewCard": st.sampled_from(VIEWS),
            "ViewCkNk": st.booleans(),
            "ViewTarget": st.booleans(),
            "MaxRounds": st.sampled_from([1, 3, 20]),
        }
    ),
    seed=st.integers(0, 9),
)
def test_every_action_is_accepted_and_hands_end(name, cards, goal, first, options, seed):
    player = STRATEGIES[name].new_policy(Random(seed))
    for _ in range(2):
        actions, state = hand(player, tuple(cards), goal, first, **options)
        assert state.solved or state.moves == options["MaxRounds"]
        assert state.solved or name == "random" or options["MaxRounds"] < 20
        if options["ViewCkNk"] or name not in ("informed", "routinizing"):
            assert not any(action.startswith("look") for action in actions)


@pytest.mark.parametrize("name", STRATEGIES)
def test_same_seed_plays_the_same_hands(name):
    def some_hands():
        player = STRATEGIES[name].new_policy(Random(5))
        return [hand(player, layout, ViewCard="mix")[0] for layout in hands_of("transfer422.txt")]

    assert some_hands() == some_hands()


def test_random_plays_allowed_moves_about_equally_often():
    state = rules.start("3H 2C 2H 4C 4H 3C | 2H | nk", {})
    player = STRATEGIES["random"].new_policy(Random(1))
    drawn = [player(state, board.SEAT) for _ in range(400)]
    assert set(drawn) == set("UCNP")  # 3C may not go onto 4C from Nk
    assert all(75 < drawn.count(move) < 125 for move in "UCNP")


def test_optimal_plays_the_shortest_sequence():
    player = STRATEGIES["optimal"].new_policy(Random(1))
    for first in board.KEEPERS:
        for layout in UNSOLVED:
            assert "".join(hand(player, layout, first=first)[0]) == shortest(layout, "2H", first)


@pytest.mark.parametrize("name", ["422", "442"])
@pytest.mark.parametrize("first", board.KEEPERS)
def test_always_takes_its_route_in_the_fewest_moves(name, first):
    player = STRATEGIES[f"always_{name}"].new_policy(Random(1))
    for layout in COMPETING:
        sequence = hand(player, layout, first=first)[1].sequence
        assert route(board.format_deal(layout, "2H", first), sequence) == name
        assert len(sequence) == route_moves(layout, "2H", first)[name]


@pytest.mark.parametrize("name", ["422", "442"])
@pytest.mark.parametrize("goal", ["2H", "3C"])
def test_always_is_optimal_without_competing_routes(name, goal):
    player = STRATEGIES[f"always_{name}"].new_policy(Random(1))
    for layout in LAYOUTS:
        if layout[3] not in (goal, "4C" if goal == "2H" else goal):
            assert "".join(hand(player, layout, goal)[0]) == shortest(layout, goal, "ck")


# ---------------------------------------------------------------- use of visible information only


@pytest.mark.parametrize("view_card", VIEWS)
@pytest.mark.parametrize("first", board.KEEPERS)
def test_informed_plays_best_under_the_hands_view(view_card, first):
    player = STRATEGIES["informed"].new_policy(Random(1))
    for layout in UNSOLVED:
        state = hand(player, layout, first=first, ViewCard=view_card)[1]
        assert state.solved
        assert state.moves == moves_of_best_play(layout, "2H", first, view_card)


@pytest.mark.parametrize(
    ("view_card", "looked"),
    [
        ("all", [["ck", "nk"], ["ck", "nk"], ["ck", "nk"]]),
        ("mix", [["ck"], ["ck", "nk"], ["ck", "nk"]]),
        ("none", [["ck"], ["nk"], ["ck"]]),
    ],
)
def test_informed_looks_at_every_card_before_moving(view_card, looked):
    player, turns = STRATEGIES["informed"].new_policy(Random(1)), [[]]
    for action in hand(player, ("2C", "3C", "4H", "4C", "2H", "3H"), ViewCard=view_card)[0]:
        if action.startswith("look "):
            turns[-1].append(action[-2:])
        else:
            turns.append([])
    assert turns[:3] == looked
    assert turns[0][0] == "ck"


def test_informed_ignores_how_cards_become_visible():
    player = STRATEGIES["informed"].new_policy(Random(1))
    for layout in UNSOLVED[::7]:
        for view_card in VIEWS:
            ends = [hand(player, layout, ViewCard=view_card, ViewCkNk=up)[1] for up in (True, False)]
            assert ends[0].sequence == ends[1].sequence


@pytest.mark.parametrize("view_card", VIEWS)
@pytest.mark.parametrize("name", ["informed", "routinizing"])
def test_same_views_give_the_same_action(name, view_card):
    """Over all layouts, the action is the same whenever all views so far were the same."""
    done, questions = defaultdict(set), 0
    for layout in UNSOLVED:
        player, shown = STRATEGIES[name].new_policy(Random(1)), []
        state = rules.start(board.format_deal(layout, "2H", "ck"), {"ViewCard": view_card})
        while not rules.is_over(state):
            shown.append(repr(rules.view(state, board.SEAT)))
            action = player(state, board.SEAT)
            done[tuple(shown)].add(action)
            questions += 1
            state = rules.apply(state, board.SEAT, action)
    assert all(len(actions) == 1 for actions in done.values())
    assert len(done) < 0.8 * questions  # many hands did look alike for a while


def test_informed_repeats_its_answer_to_the_same_question():
    for view_card in VIEWS:
        once, again = (STRATEGIES["informed"].new_policy(Random(1)) for _ in range(2))

        def twice(state, seat, player=again):
            assert player(state, seat) == player(state, seat)
            return player(state, seat)

        for layout in UNSOLVED[::7]:
            assert hand(once, layout, ViewCard=view_card) == hand(twice, layout, ViewCard=view_card)


# ---------------------------------------------------------------- the learner


def test_learner_begins_as_the_informed_player():
    for seed in range(5):
        for layout in COMPETING[::11]:
            actions = [
                hand(STRATEGIES[name].new_policy(Random(seed)), layout)[0]
                for name in ("informed", "routinizing")
            ]
            assert actions[0] == actions[1]


def test_learner_stays_informed_without_competing_routes(monkeypatch):
    """This holds even for a habit that would decide every other hand."""
    monkeypatch.setattr(strategies, "INITIAL_STRENGTH", 1e-9)
    learner, informed = (STRATEGIES[name].new_policy(Random(1)) for name in ("routinizing", "informed"))
    for layout in COMPETING[::6]:
        hand(learner, layout)
    for layout in UNSOLVED:
        if layout[3] != "4C":
            assert hand(learner, layout)[0] == hand(informed, layout)[0]
    for layout in COMPETING[:30]:
        assert hand(learner, layout, "3H")[0] == hand(informed, layout, "3H")[0]


@pytest.mark.parametrize("view_card", VIEWS)
def test_learner_keeps_the_route_of_its_training(view_card):
    """Plays 16 hands that favour one route, then hands of both kinds, as in the transfer design."""

    def share_of_422(trained_on):
        taken = []
        for seed in range(20):
            player = STRATEGIES["routinizing"].new_policy(Random(seed))
            for layout in hands_of(f"transfer{trained_on}.txt")[:16]:
                hand(player, layout, ViewCard=view_card)
            for layout in COMPETING[::10]:
                sequence = hand(player, layout, ViewCard=view_card)[1].sequence
                taken.append(route(board.format_deal(layout, "2H", "ck"), sequence))
        return taken.count("422") / len(taken)

    assert share_of_422("422") > share_of_422("442") + 0.1


def test_habit_costs_moves_where_other_route_is_better():
    test = hands_of("transfer422.txt")
    longer = 0
    for seed in range(20):
        player = STRATEGIES["routinizing"].new_policy(Random(seed))
        moves = [hand(player, layout)[1].moves for layout in test]
        fresh = [moves_of_best_play(layout, "2H", "ck", "all") for layout in test]
        assert moves[0] == fresh[0]
        longer += sum(moves[16:]) - sum(fresh[16:])
    assert longer > 20


TWO_MOVES = {"422": ("3H", "2C", "3C", "4C", "4H", "2H"), "442": ("3H", "2H", "3C", "4C", "2C", "4H")}


@pytest.mark.parametrize("view_card", VIEWS)
@pytest.mark.parametrize("name", ["422", "442"])
def test_habit_is_played_with_fewest_expected_moves(name, view_card, monkeypatch):
    """A learner that never searches after the first hand plays its route in the least expected moves."""
    monkeypatch.setattr(strategies, "INITIAL_STRENGTH", 1e-9)
    first = {"422": "ck", "442": "nk"}[name]
    exchanges = frozenset(pairwise(ROUTES[name]))
    groups = defaultdict(list)
    for layout in COMPETING:
        player = STRATEGIES["routinizing"].new_policy(Random(2))
        assert hand(player, TWO_MOVES[name], first=first, ViewCard=view_card)[1].sequence == "TT"
        state = hand(player, layout, ViewCard=view_card)[1]
        assert route(board.format_deal(layout, "2H", "ck"), state.sequence) == name
        groups[after_deal(layout, "ck", view_card)].append(state.moves)
    for belief, moves in groups.items():
        assert Fraction(sum(moves), len(moves)) == value(belief, "2H", exchanges)


def test_failed_hands_and_other_routes_form_no_habit(monkeypatch):
    monkeypatch.setattr(strategies, "INITIAL_STRENGTH", 1e-9)
    player, informed = (STRATEGIES[name].new_policy(Random(1)) for name in ("routinizing", "informed"))
    for layout in COMPETING[::5]:
        assert not hand(player, layout, MaxRounds=1)[1].solved
    for layout in UNSOLVED:
        if layout[3] != "4C":
            hand(player, layout)
    some = COMPETING[7]
    assert hand(player, some)[0] == hand(informed, some)[0]
