"""Compares the most points of solved hands with an exhaustive search, and with all lines that are found."""

from __future__ import annotations

import heapq
import random
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.games.solitario import rules
from cardlab.games.solitario.packs import PACKS, Pack
from cardlab.games.solitario.points import find_most_points
from cardlab.games.solitario.solver import Position, dealt, solve
from cardlab.games.solitario.strategies import STRATEGIES
from tests.compiled_modes import import_mode
from tests.games.solitario.plain_klondike import Klondike, Table, laid, solved
from tests.games.solitario.test_solitario_solver import shuffled, small


def points_of(table: Table, action: str, after: Table) -> int:
    """Returns the points of a move by ruling 24."""
    kind, source, *_rest = f"{action} .".split()
    turned_up = sum(len(was[0]) - len(now[0]) for was, now in zip(table.columns, after.columns))
    own = {"home": 60, "back": -75, "turn": -175, "move": 45 if source == "w" else 0, "draw": 0}
    return 25 * turned_up + own[kind]


def value(table: Table) -> int:
    """Returns a potential: no move earns more points than it adds to this value."""
    hidden = sum(len(down) for down, _up in table.columns)
    return 60 * sum(table.home) - 25 * hidden - 45 * len(table.waste + table.stock)


def most_points_by_exhaustion(table: Table, klondike: Klondike) -> int | None:
    """Returns the most points of all lines that solve a table, by Dijkstra's algorithm; None if none does."""
    number, lost = count(), {in_any_order(table): 0}
    waiting = [(0, next(number), table)]
    while waiting:
        loss, _number, here = heapq.heappop(waiting)
        if solved(here, klondike.pack):
            return value(here) - value(table) - loss
        if loss > lost[in_any_order(here)]:
            continue
        for action, after in klondike.moves(here).items():
            more = value(after) - value(here) - points_of(here, action, after)
            assert more >= 0
            key = in_any_order(after)
            if loss + more < lost.get(key, 1 << 30):
                lost[key] = loss + more
                heapq.heappush(waiting, (loss + more, next(number), after))
    return None


def in_any_order(table: Table) -> Table:
    """Returns the table with its columns sorted, as their order does not matter."""
    return table._replace(columns=tuple(sorted(table.columns)))


def check(table: Table, pack: Pack, draw: int, ace_on_two: bool) -> int | None:
    """Returns the most points, which are those of the line and of an exhaustive search."""
    klondike = Klondike(pack, draw, ace_on_two)
    best = find_most_points(Position(*table), pack, draw=draw, ace_on_two=ace_on_two)
    assert best.points == most_points_by_exhaustion(table, klondike)
    if best.points is not None:
        had, here = 0, table
        for action in best.line:
            after = klondike.moves(here)[action]
            had, here = had + points_of(here, action, after), after
        assert solved(here, pack)
        assert had == best.points
    return best.points


@settings(max_examples=15)
@given(
    st.integers(0, 2**32),
    st.sampled_from([(3, 3), (3, 4)]),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
)
def test_most_points_agree_with_exhaustive_search(seed, shape, draw, ace_on_two):
    ranks, columns = shape
    pack = small(ranks)
    check(laid(*shuffled(pack, seed, columns), pack), pack, draw, ace_on_two)


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.sampled_from([1, 3]), st.booleans())
def test_most_points_agree_in_the_middle(seed, draw, ace_on_two):
    pack, chance = small(3), random.Random(seed)
    klondike, table = Klondike(pack, draw, ace_on_two), laid(*shuffled(pack, seed, 3), pack)
    for _move in range(chance.randrange(12)):
        table = chance.choice(list(klondike.moves(table).values()) or [table])
    check(table, pack, draw, ace_on_two)


@pytest.mark.parametrize(
    ("ranks", "draw", "ace_on_two", "seed", "loss"),
    [
        (3, 3, True, 17, 75),
        (3, 3, True, 32, 190),
        (3, 3, False, 34, 220),
        (3, 3, True, 159, 395),
        (4, 1, False, 27, 150),
        (4, 1, False, 114, 285),
    ],
)
def test_all_kinds_of_loss_are_weighed(ranks, draw, ace_on_two, seed, loss):
    """In these deals cards have to come back, or the stock to be turned over, or stock cards to go home."""
    pack = small(ranks)
    table = laid(*shuffled(pack, seed, 3), pack)
    most = 60 * len(pack.cards) + 25 * 3 + 45 * len(table.stock)
    assert check(table, pack, draw, ace_on_two) == most - loss


def played(state: rules.State, line: tuple[str, ...]) -> rules.State:
    for action in line:
        state = rules.apply(state, rules.SEAT, action)
    return state


@pytest.mark.parametrize(("pack", "draw"), [("briscola", 1), ("briscola", 3), ("french", 3)])
def test_no_solution_beats_the_proved_points(pack, draw):
    options = {"pack": pack, "draw": draw, "ace_on_two": pack == "french", "turn_up": "auto", "undo": False}
    proved = 0
    for seed in range(10):
        start = rules.start(rules.deal(f"points {seed}", options), options)
        search = {"draw": draw, "ace_on_two": options["ace_on_two"]}
        best = find_most_points(start.position, start.pack, **search, nodes=50_000)
        if best.points is None:
            continue
        proved += 1
        end = played(start, best.line)
        assert (end.solved, end.counts.points) == (True, best.points)
        lines = [solve(start.position, start.pack, **search).line, *lines_of_players(start)]
        assert all(played(start, line).counts.points <= best.points for line in lines)
    assert proved >= 3


def lines_of_players(start: rules.State):
    """Yields the solutions of simulated players."""
    for name in ("greedy", "careful"):
        policy, state, line = STRATEGIES[name].new_policy(random.Random(1)), start, list[str]()
        while not rules.is_over(state):
            line.append(policy(state, rules.SEAT))
            state = rules.apply(state, rules.SEAT, line[-1])
        if state.solved:
            yield tuple(line)


def test_spent_budget_proves_nothing():
    pack = PACKS["tarocco"]
    best = find_most_points(dealt(*shuffled(pack, 1)), pack, nodes=3)
    assert (best.points, best.line, best.nodes) == (None, (), 3)


@pytest.fixture(scope="module")
def modes():
    """Returns the search in plain Python and compiled; each is bound to its own kernels."""
    names = (
        "compiled",
        "solitario.kernel",
        "solitario.points_kernel",
        "solitario.solver",
        "solitario.points",
    )
    searches = {}
    for mode in (False, True):
        tools, kernel, points_kernel, solver, points = import_mode(
            mode, *(f"cardlab.games.{name}" for name in names)
        )
        solver.import_tools = lambda kernel=kernel, tools=tools: (kernel, tools.integers)
        points.import_kernel = lambda points_kernel=points_kernel: points_kernel
        searches[mode] = points
    return searches


def test_pruning_changes_no_points(modes, monkeypatch):
    """Without pruning, the search foresees no loss and forces no card home."""
    kernel, pack, chance = modes[False].import_kernel(), small(4), random.Random(1)

    def find_all():
        return [
            modes[False]
            .find_most_points(dealt(*shuffled(pack, seed, 3)), pack, draw=draw, ace_on_two=seed % 2 == 0)
            .points
            for seed, draw in deals
        ]

    deals = [(chance.randrange(2**32), chance.choice([1, 2, 3])) for _deal in range(12)]
    points = find_all()
    assert len({*points}) > 3
    monkeypatch.setattr(kernel, "least_loss", lambda *_position: 0)
    assert find_all() == points
    monkeypatch.setattr(kernel, "unneeded", lambda *_position: 0)
    assert find_all() == points


@pytest.mark.parametrize(("name", "draw"), [("briscola", 1), ("tarocco", 3), ("french", 3)])
def test_compiled_and_plain_points_agree(modes, name, draw):
    pack = PACKS[name]
    for seed in range(4):
        position = dealt(*shuffled(pack, seed))
        plain, compiled = (
            modes[mode].find_most_points(position, pack, draw=draw, ace_on_two=name == "french", nodes=2000)
            for mode in (False, True)
        )
        assert tuple(plain) == tuple(compiled)
