"""Compares the number of lines of play from a deal with a plain move generator."""

import pytest

from cardlab.games.solitario import rules
from cardlab.games.solitario.deal import parse_deal
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.solver import solve
from tests.games.solitario import plain_klondike
from tests.games.solitario.plain_klondike import Klondike, Table, laid

# By pack, cards a draw and the deal's seed: the lines of one move, of two, …
COUNTS = {
    ("briscola", 1, "perft one"): [6, 33, 172, 879, 4509],
    ("briscola", 3, "perft one"): [6, 33, 175, 935],
    ("briscola", 3, "perft two"): [3, 10, 35, 123, 435, 1553],
    ("tarocco", 1, "perft two"): [4, 14, 46, 145, 448, 1354, 3859],
    ("tarocco", 3, "perft two"): [4, 15, 56, 193, 587, 1619],
    ("french", 1, "perft one"): [5, 21, 79, 284, 922, 2526],
    ("french", 3, "perft one"): [5, 20, 65, 187, 543, 1634],
    ("french", 3, "perft two"): [3, 7, 15, 31, 64, 135, 280, 612],
}


def dealt(pack, draw, seed, turn_up="auto"):
    """Returns a hand, the plain rules for it and their table."""
    options = {"pack": pack, "draw": draw, "turn_up": turn_up}
    deal = rules.deal(seed, options)
    columns, stock = parse_deal(deal, PACKS[pack])
    klondike = Klondike(PACKS[pack], draw, ace_on_two=pack == "french")
    return rules.start(deal, options), klondike, laid(columns, stock, PACKS[pack])


def counted(state, table, moves, depth):
    """Counts the lines of each length up to ``depth``, and compares moves and tables at each step."""
    counts, level = [], [(state, table)]
    for length in range(1, depth + 1):
        below = []
        for one, other in level:
            assert Table(*one.position) == other
            here, there = sorted(rules.legal_moves(one)), moves(other)
            assert here == sorted(there)
            below += [(one, move, there[move]) for move in here]
        counts.append(len(below))
        if length < depth:
            level = [(rules.apply(one, rules.SEAT, move), after) for one, move, after in below]
    return counts


@pytest.mark.parametrize("dealing", COUNTS, ids=str)
def test_rules_and_plain_rules_count_equal_lines(dealing):
    state, klondike, table = dealt(*dealing)
    assert counted(state, table, klondike.moves, len(COUNTS[dealing])) == COUNTS[dealing]


CLICKED = {
    ("briscola", 1, "perft one"): [6, 36, 213, 1235],
    ("french", 3, "perft one"): [5, 23, 99, 401, 1537],
}


@pytest.mark.parametrize("dealing", CLICKED, ids=str)
def test_turning_up_by_click_is_a_move(dealing, monkeypatch):
    state, klondike, table = dealt(*dealing, turn_up="click")
    monkeypatch.setattr(plain_klondike, "turned_up", lambda down, up: (down, up))

    def moves(table):
        legal = klondike.moves(table)
        for n, (down, up) in enumerate(table.columns):
            if down and not up:
                columns = (*table.columns[:n], (down[:-1], down[-1:]), *table.columns[n + 1 :])
                legal[f"up {n + 1}"] = table._replace(columns=columns)
        return legal

    assert counted(state, table, moves, len(CLICKED[dealing])) == CLICKED[dealing]


@pytest.mark.parametrize(
    ("dealing", "depth"),
    [(("briscola", 1, "perft one"), 3), (("tarocco", 1, "deal 4"), 3), (("french", 3, "deal 1"), 3)],
    ids=str,
)
def test_perft_agrees_in_the_middle_and_at_end(dealing, depth):
    state, klondike, table = dealt(*dealing)
    legal = solve(state.position, state.pack, draw=dealing[1], ace_on_two=state.options["ace_on_two"])
    assert legal.solvable
    for step, move in enumerate(legal.line):
        if step % 20 == 10:
            assert counted(state, table, klondike.moves, depth)[-1] > 1
        state, table = rules.apply(state, rules.SEAT, move), klondike.moves(table)[move]
    assert state.solved
    assert plain_klondike.solved(table, state.pack)
