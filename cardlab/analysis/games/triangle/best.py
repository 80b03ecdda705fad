"""The best score that a deal of Triangle Solitaire allows."""

import argparse
from typing import Any

from cardlab.analysis.cli import argument_type
from cardlab.games.contract import Result
from cardlab.games.triangle import oracle, rules

MATTER = ()  # no setting affects the search

SECONDS = argument_type(float, lambda number: 0 < number < 1e6, "a number of seconds above 0, at most 999999")

COLUMNS = {
    "score": "points of the hand",
    "best_score": "the highest possible score with the deck known",
    "proved": "1 if it is proved, 0 if the time limit came first",
    "bound": "an upper bound of the score",
    "best_actions": "actions that reach `best_score`, separated by `; `",
    "search_seconds": "duration of the search",
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=SECONDS,
        default=60,
        help="Triangle Solitaire: the time limit for each deal; 60",
    )


def effort(arguments: argparse.Namespace) -> float:
    """Returns the time limit in seconds."""
    limit: float = arguments.time_limit
    return limit


def search(deal: str, options: dict[str, Any], time_limit: float) -> oracle.BestPlay:
    """Finds the best play of a deal. Raises SolverNotInstalled."""
    return oracle.find_best_play(rules.start(deal, options), time_limit)


def cells(deal: str, options: dict[str, Any], best: oracle.BestPlay, result: Result | None) -> list[Any]:
    """Returns the values of ``COLUMNS``."""
    return [
        *(result.score if result else "", best.score, int(best.proved), best.bound),
        *("; ".join(best.actions), f"{best.seconds:.2f}"),
    ]
