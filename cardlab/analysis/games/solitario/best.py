"""Whether a deal of Solitario can be solved with all cards known, and how."""

import argparse
from time import perf_counter
from typing import Any, NamedTuple

from cardlab.analysis import cli
from cardlab.games.contract import Result
from cardlab.games.solitario import rules
from cardlab.games.solitario.solver import NODES, solve, with_clicks

MATTER = ("pack", "draw", "ace_on_two", "turn_up")

COLUMNS = {
    "pack": "the pack: briscola, tarocco or french",
    "draw": "cards drawn from the stock at a time",
    "ace_on_two": "1 if an ace can lie on a two, else 0",
    "outcome": "the outcome of the hand; empty for a deal of a file",
    "score": "points of the hand; empty for a deal of a file",
    "solvable": (
        "1 if the deal can be solved with all cards known, 0 if not; empty if the search does not decide"
    ),
    "line": "actions that solve it, separated by `; `; else empty",
    "nodes": "positions searched",
    "search_seconds": "duration of the search",
}


class Found(NamedTuple):
    """The result of a search; ``solvable`` is None if it ended undecided."""

    solvable: bool | None
    line: tuple[str, ...]
    nodes: int
    seconds: float


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    cli.add_budget_argument(parser, "--nodes", NODES, "Solitario: the most positions to search for each deal")


def effort(arguments: argparse.Namespace) -> int:
    """Returns the budget in positions."""
    nodes: int = arguments.nodes
    return nodes


def search(deal: str, options: dict[str, Any], nodes: int) -> Found:
    """Searches a deal for a solution."""
    began = perf_counter()
    state = rules.start(deal, options)
    draw, ace_on_two = state.options["draw"], state.options["ace_on_two"]
    found = solve(state.position, state.pack, draw=draw, ace_on_two=ace_on_two, nodes=nodes)
    line = with_clicks(found.line, state.position) if state.options["turn_up"] == "click" else found.line
    return Found(found.solvable, line, found.nodes, perf_counter() - began)


def cells(deal: str, options: dict[str, Any], found: Found, result: Result | None) -> list[Any]:
    """Returns the values of ``COLUMNS``."""
    options = rules.start(deal, options).options
    return [
        *(options["pack"], options["draw"], int(options["ace_on_two"])),
        *((result.outcome, result.score) if result else ("", "")),
        "" if found.solvable is None else int(found.solvable),
        "; ".join(found.line),
        found.nodes,
        f"{found.seconds:.2f}",
    ]
