"""Computes for the analysis board whether a hand of Solitario can still be solved after each move."""

from collections.abc import Iterator

from cardlab.analysis.board.move_value import BestLine, MoveValue
from cardlab.games.solitario import points, rules
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.rules import State
from cardlab.games.solitario.solver import NODES, Solution, solve, with_clicks

DEAL_SETTINGS = tuple({"pack": name} for name in PACKS)
FIRST_NODES = NODES // 10  # the budget of the first search of each move
BEST_NODES = {True: 150_000, False: 4_000}  # for the most points, compiled or not: about a second

_TEXTS = {True: ("can be solved", 1.0), False: ("cannot be solved", -1.0), None: ("undecided", 0.0)}


def move_values(state: State, seat: str) -> Iterator[MoveValue]:
    """Yields for each move of a card whether the hand can still be solved, with all cards known."""
    moves = list(rules.legal_moves(state))
    current = _solve(state, NODES)
    if current.solvable is False:
        yield from (_value(move, Solution(False, (), current.nodes)) for move in moves)
        return
    if current.solvable:
        first_action = (with_clicks(current.line, state.position) or [""])[0]
        if first_action in moves:
            moves.remove(first_action)
            yield _value(first_action, current)
    undecided = []
    for move in moves:
        solution = _solve(rules.apply(state, seat, move), FIRST_NODES)
        yield _value(move, solution)
        if solution.solvable is None:
            undecided.append(move)
    for move in undecided:
        yield _value(move, _solve(rules.apply(state, seat, move), NODES))


def best_line(state: State) -> BestLine | None:
    """Returns the most points of the hand, all cards known, with their actions; None if not proved."""
    from cardlab.games.compiled import COMPILED

    options, position = state.options, state.position
    draw, ace_on_two, nodes = options["draw"], options["ace_on_two"], BEST_NODES[COMPILED]
    best = points.find_most_points(position, state.pack, draw=draw, ace_on_two=ace_on_two, nodes=nodes)
    if best.points is None:
        return None
    line = with_clicks(best.line, position) if options["turn_up"] == "click" else best.line
    text = f"Most points without time and bonus: {state.counts.points + best.points:,}"
    return BestLine(text, line)


def facts(state: State) -> dict[str, str]:
    """Returns the face-down cards of each column, the stock and the waste, with the next card first."""
    columns = {
        f"under column {number}": " ".join(reversed(column.down))
        for number, column in enumerate(state.columns, 1)
    }
    stock = {"stock": " ".join(state.stock), "waste": " ".join(reversed(state.waste))}
    return {**columns, **stock}


def _solve(state: State, nodes: int) -> Solution:
    options = state.options
    return solve(
        state.position, state.pack, draw=options["draw"], ace_on_two=options["ace_on_two"], nodes=nodes
    )


def _value(move: str, solution: Solution) -> MoveValue:
    text, key = _TEXTS[solution.solvable]
    decided = solution.solvable is not None
    source = "proved" if decided else f"searched {solution.nodes:,} positions"
    detail = f"{len(solution.line)} actions are enough" if solution.line else ""
    return MoveValue(move, text, source, key, detail)
