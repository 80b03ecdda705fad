"""Replays the solver's lines by plain rules and compares its proofs with a plain search."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.games.solitario import solver as default_solver
from cardlab.games.solitario.packs import FRENCH_SUITS, PACKS, Pack
from cardlab.games.solitario.solver import Position, dealt, solve, with_clicks
from tests.compiled_modes import import_mode
from tests.games.solitario.plain_klondike import Klondike, Table, laid, solved


def shuffled(pack: Pack, seed: int, columns: int = 7):
    """Returns shuffled columns of 1, 2, … cards, and the stock."""
    cards = list(pack.cards)
    random.Random(seed).shuffle(cards)
    piles = [tuple(cards.pop() for _card in range(n + 1)) for n in range(columns)]
    return piles, tuple(cards)


def small(ranks: int) -> Pack:
    return Pack(PACKS["french"].ranks[:ranks], FRENCH_SUITS)


NO_SHORT_ATTEMPTS = ()  # the parts of the last one look for early moves


def held(table: Table, pack: Pack, draw: int, ace_on_two: bool) -> bool | None:
    """Returns the solver's answer: its lines replay, or a plain search finds none either."""
    klondike, answers = Klondike(pack, draw, ace_on_two), set()
    whole, small_part = default_solver.PART, 100
    for attempts, part in [
        (default_solver.ATTEMPTS, whole),
        (NO_SHORT_ATTEMPTS, whole),
        (NO_SHORT_ATTEMPTS, small_part),
    ]:
        with patch.multiple(default_solver, ATTEMPTS=attempts, PART=part):
            solution = solve(Position(*table), pack, draw=draw, ace_on_two=ace_on_two)
        answers.add(solution.solvable)
        if solution.solvable:
            assert solved(klondike.played(table, solution.line), pack)
        else:
            assert solution.solvable is False
            assert solution.line == ()
    (answer,) = answers
    assert answer or not klondike.solvable(table)
    return answer


@settings(max_examples=30)
@given(
    st.integers(0, 2**32),
    st.sampled_from([(3, 4), (4, 4), (4, 5), (5, 5)]),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
)
def test_the_solver_agrees_with_plain_search(seed, shape, draw, ace_on_two):
    ranks, columns = shape
    pack = small(ranks)
    held(laid(*shuffled(pack, seed, columns), pack), pack, draw, ace_on_two)


@pytest.mark.parametrize(
    ("ranks", "columns", "draw", "ace_on_two", "seed"),
    [
        (4, 4, 1, True, 662),
        (4, 5, 1, False, 1039),
        (5, 5, 1, False, 374),
        (5, 5, 1, True, 2473),
        (6, 6, 1, False, 9978),
        (6, 6, 1, True, 2969),
        (4, 4, 2, True, 984),
        (5, 5, 2, False, 631),
        (5, 5, 3, False, 5161),
        (5, 5, 3, True, 1058),
        (6, 6, 3, False, 783),
    ],
)
def test_solver_proofs_agree_with_plain_search(ranks, columns, draw, ace_on_two, seed):
    pack = small(ranks)
    table = laid(*shuffled(pack, seed, columns), pack)
    found = solve(Position(*table), pack, draw=draw, ace_on_two=ace_on_two)
    assert found.solvable is False
    assert found.nodes > 1
    assert Klondike(pack, draw, ace_on_two).solvable(table) is False


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.sampled_from([1, 3]))
def test_the_solver_agrees_in_the_middle_of_hands(seed, draw):
    pack, chance = small(4), random.Random(seed)
    klondike, table = Klondike(pack, draw, ace_on_two=True), laid(*shuffled(pack, seed, 5), pack)
    for _move in range(chance.randrange(12)):
        table = chance.choice(list(klondike.moves(table).values()) or [table])
    held(table, pack, draw, ace_on_two=True)


def test_the_solver_brings_back_two_cards_if_needed():
    """The 3S is needed on the table. The 4S above it must come back first, and a five of hearts for that."""
    columns = (
        ((), ()),
        ((), ("5C",)),
        ((), ("5S", "4D")),
        ((), ("5D", "4C", "3D")),
        (("3C", "AD"), ("2D",)),
    )
    held(Table(columns, (4, 2, 5, 0), (), ()), small(5), 1, ace_on_two=True)


@pytest.mark.parametrize(
    ("ranks", "columns", "draw", "seed"), [(3, 4, 1, 363), (4, 3, 3, 366), (3, 4, 3, 755), (3, 4, 1, 819)]
)
def test_uncovered_king_can_leave_an_empty_column(ranks, columns, draw, seed):
    """A king at the bottom of its column is uncovered and goes home, and another king takes its place."""
    pack = small(ranks)
    assert held(laid(*shuffled(pack, seed, columns), pack), pack, draw, ace_on_two=True)


@pytest.mark.parametrize(("name", "draw"), [("briscola", 1), ("tarocco", 1), ("french", 3), ("briscola", 3)])
def test_solver_lines_replay_under_the_rules(name, draw):
    pack, replayed = PACKS[name], 0
    for seed in range(12):
        table = laid(*shuffled(pack, seed), pack)
        solution = solve(Position(*table), pack, draw=draw, ace_on_two=name == "french", nodes=2000)
        if not solution.solvable:
            assert solution.line == ()
            continue
        replayed += 1
        klondike, start = Klondike(pack, draw, name == "french"), Position(*table)
        clicked = iter(with_clicks(solution.line, start))
        for action in solution.line:
            assert next(clicked) == action
            after = klondike.moves(table)[action]
            for n, (was, now) in enumerate(zip(table.columns, after.columns)):
                if len(now[0]) < len(was[0]):
                    assert next(clicked) == f"up {n + 1}"
            table = after
        assert solved(table, pack)
        assert next(clicked, None) is None
    assert replayed >= 6


def test_a_blocked_column_proves_a_deal_unsolvable():
    """The ace and both black threes lie under the red two, which nothing else can take."""
    pack = small(3)
    columns = [("AD", "3S", "3C", "2D"), ("2S", "AS"), ("2C", "AC")]
    stock = tuple(card for card in pack.cards if not any(card in column for column in columns))
    found = solve(dealt(columns, stock), pack)
    assert (found.solvable, found.line, found.nodes) == (False, (), 1)


def test_a_spent_budget_is_undecided():
    pack = PACKS["tarocco"]
    found = solve(dealt(*shuffled(pack, 1)), pack, nodes=3)
    assert (found.solvable, found.line, found.nodes) == (None, (), 3)


def test_a_face_down_card_blocks_its_column():
    pack = small(2)
    position = Position(
        ((("AS",), ()), ((), ("2S",)), ((), ("2C", "AD")), ((), ("AC",)), ((), ("2D",)), ((), ("2H",))),
        (0, 0, 0, 0),
        (),
        ("AH",),
    )
    found = solve(position, pack, ace_on_two=True)
    assert found.solvable
    assert with_clicks(found.line, position)[0] == "up 1"


@pytest.fixture(scope="module")
def modes():
    """Returns the solver in plain Python and compiled; each is bound to its own kernel."""
    solvers = {}
    for compiled in (False, True):
        names = ("cardlab.games.compiled", "cardlab.games.solitario.kernel", "cardlab.games.solitario.solver")
        *tools, solver = import_mode(compiled, *names)
        solver.import_tools = lambda tools=tools: (tools[1], tools[0].integers)
        solvers[compiled] = solver
    return solvers


def test_pruning_changes_no_answer(modes, monkeypatch):
    """No move is made early, no position is given up early, and all cards of the stock wait."""
    solver, chance = modes[False], random.Random(1)
    kernel, pack = solver.import_tools()[0], small(6)
    monkeypatch.setattr(solver, "ATTEMPTS", NO_SHORT_ATTEMPTS)

    def solve_all():
        found = [
            solver.solve(dealt(*shuffled(pack, seed, 6)), pack, draw=draw, ace_on_two=seed % 2 == 0)
            for seed, draw in deals
        ]
        return [solution.solvable for solution in found], sum(solution.nodes for solution in found)

    deals = [(chance.randrange(2**32), chance.choice([1, 2, 3])) for _deal in range(40)]
    answers, least = solve_all()
    assert {*answers} == {True, False}
    for name, pruned in (("early_moves", (0, 0)), ("is_lost", False), ("always_available", 0)):
        monkeypatch.setattr(kernel, name, lambda *_position, pruned=pruned: pruned)
        same, nodes = solve_all()
        assert same == answers
        assert nodes > least


@pytest.mark.parametrize("attempts", [default_solver.ATTEMPTS, NO_SHORT_ATTEMPTS], ids=["all", "last"])
@pytest.mark.parametrize("name", ["briscola", "tarocco", "french"])
@pytest.mark.parametrize("draw", [1, 3])
def test_compiled_and_plain_search_agree(modes, monkeypatch, name, draw, attempts):
    pack = PACKS[name]
    for solver in modes.values():
        monkeypatch.setattr(solver, "ATTEMPTS", attempts)
        monkeypatch.setattr(solver, "PART", 1000)
    for seed in range(6):
        columns, stock = shuffled(pack, seed)
        answers = [
            modes[mode].solve(dealt(columns, stock), pack, draw=draw, ace_on_two=name == "french", nodes=3000)
            for mode in (False, True)
        ]
        assert tuple(answers[0]) == tuple(answers[1])
