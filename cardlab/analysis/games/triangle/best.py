"""Searches a deal of Triangle Solitaire for the best possible score."""

import argparse
from typing import Any

from cardlab.games.columns import Integer, YesNo
from cardlab.games.contract import Result
from cardlab.games.triangle import oracle, rules
from cardlab.games.triangle.oracle import NODES

SEARCH_SETTINGS = ()  # no setting affects the search

COLUMNS = {
    "score": Integer("points of the hand"),
    "best_score": Integer("the highest possible score with the deck known"),
    "proved": YesNo("1 if it is proved, 0 if the search ended first"),
    "bound": Integer("an upper bound of the score"),
    "best_actions": "actions that reach `best_score`, separated by `; `",
    "nodes": Integer("searched positions"),
}


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds no arguments."""


def effort(arguments: argparse.Namespace) -> int:
    """Returns the maximum number of positions to search."""
    return arguments.nodes or NODES


def search(deal: str, options: dict[str, Any], nodes: int) -> oracle.BestPlay:
    """Finds the best play of a deal."""
    return oracle.find_best_play(rules.start(deal, options), nodes)


def cells(deal: str, options: dict[str, Any], best: oracle.BestPlay, result: Result | None) -> list[Any]:
    """Returns the values of ``COLUMNS``."""
    return [
        *(result.score if result else "", best.score, int(best.proved), best.bound),
        *("; ".join(best.actions), best.nodes),
    ]
