"""Searches a deal of Solitario for a solution with all cards known."""

import argparse
from time import perf_counter
from typing import Any, NamedTuple

from cardlab.games.columns import Integer, Number, YesNo
from cardlab.games.contract import Result
from cardlab.games.solitario import points, rules
from cardlab.games.solitario.difficulty import PLAYS, Wins, count_wins, grade
from cardlab.games.solitario.points import Best
from cardlab.games.solitario.solver import NODES, Solution, solve, with_clicks

SEARCH_SETTINGS = ("pack", "draw", "ace_on_two", "turn_up")

COLUMNS = {
    "pack": "the pack: briscola, tarocco or french",
    "draw": Integer("cards drawn from the stock at a time"),
    "ace_on_two": YesNo("1 if an ace can lie on a two, else 0"),
    "outcome": "the outcome of the hand; empty for a deal of a file",
    "score": Integer("points of the hand; empty for a deal of a file"),
    "solvable": YesNo(
        "1 if the deal can be solved with all cards known, 0 if not; empty if the search does not decide"
    ),
    "line": "actions that solve it, separated by `; `; else empty",
    "nodes": Integer("positions searched"),
    "search_seconds": Number("duration of the search"),
    "best_points": Integer(
        "the most points, without time and bonus, with which it can be solved; empty if it cannot be solved "
        f"or {points.NODES:,} positions do not prove them"
    ),
    "best_line": "actions that get them",
    "grade": Integer("with `--grades`: difficulty of a deal that can be solved, from 1 (easy) to 5 (hard)"),
    "greedy_wins": Number("with `--grades`: 1 if the greedy player solves it, else 0"),
    "careful_wins": Number(f"with `--grades`: share of {PLAYS} plays in which the careful player solves it"),
    "restart_wins": Number("with `--grades`: the same, if an eighth of the moves is random"),
}


class Found(NamedTuple):
    """The results of both searches. ``wins`` are the shares of plays that solve it, None without grading."""

    solution: Solution
    seconds: float
    best: Best
    wins: Wins | None


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--grades", action="store_true", help="Solitario: grade the deals by difficulty")


def effort(arguments: argparse.Namespace) -> tuple[int, bool]:
    """Returns the maximum number of positions, and whether to grade the deals."""
    return arguments.nodes or NODES, arguments.grades


def search(deal: str, options: dict[str, Any], effort: tuple[int, bool]) -> Found:
    """Searches a deal for a solution. ``effort`` is the value of :func:`effort`."""
    nodes, graded = effort
    began = perf_counter()
    state = rules.start(deal, options)
    draw, ace_on_two = state.options["draw"], state.options["ace_on_two"]
    solution = solve(state.position, state.pack, draw=draw, ace_on_two=ace_on_two, nodes=nodes)
    seconds = perf_counter() - began
    best = Best(None, (), 0)
    if solution.solvable:
        best = points.find_most_points(state.position, state.pack, draw=draw, ace_on_two=ace_on_two)
    if state.options["turn_up"] == "click":
        solution = solution._replace(line=with_clicks(solution.line, state.position))
        best = best._replace(line=with_clicks(best.line, state.position))
    graded &= solution.solvable is not False
    return Found(solution, seconds, best, count_wins(deal, options) if graded else None)


def cells(deal: str, options: dict[str, Any], found_result: Found, result: Result | None) -> list[Any]:
    """Returns the values of ``COLUMNS``."""
    options, solution = rules.start(deal, options).options, found_result.solution
    return [
        *(options["pack"], options["draw"], int(options["ace_on_two"])),
        *((result.outcome, result.score) if result else ("", "")),
        "" if solution.solvable is None else int(solution.solvable),
        "; ".join(solution.line),
        solution.nodes,
        f"{found_result.seconds:.2f}",
        *(
            "" if found_result.best.points is None else found_result.best.points,
            "; ".join(found_result.best.line),
        ),
        *(
            ["", "", "", ""]
            if found_result.wins is None
            else [grade(solution, found_result.wins), *found_result.wins]
        ),
    ]
