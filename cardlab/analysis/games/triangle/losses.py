"""Computes the loss of each placement of Triangle Solitaire. Each hand is a search task."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from cardlab.games.columns import Integer, YesNo
from cardlab.games.triangle import hindsight
from cardlab.games.triangle.hindsight import ReachableScore

NODES = 1_000_000  # the limit of a search; most need only some thousands

COLUMNS = {
    "possible_before": Integer("best possible score before it, with the deck known"),
    "possible_after": Integer("best possible score after it"),
    "loss": Integer("`possible_before` minus `possible_after`"),
    "proved": YesNo("1 if both are proved; 0 if the search ended first: then the best scores found"),
}


class Task(NamedTuple):
    """A hand to search: its deal, the actions on its cards, and the maximum positions of each search."""

    deal: str
    actions: tuple[str, ...]
    nodes: int


@lru_cache(maxsize=1024)  # equal hands are searched once
def find_reachable_scores(task: Task) -> list[ReachableScore]:
    """Returns the best reachable scores at the deal and after each card."""
    return hindsight.find_reachable_scores(hindsight.replay_actions(task.deal, task.actions), task.nodes)


def cells(scores: Sequence[ReachableScore], number: int) -> dict[str, Any]:
    """Returns the values of ``COLUMNS`` for a card, by its number from 1."""
    score_before, score_after = scores[number - 1], scores[number]
    return {
        "possible_before": score_before.score,
        "possible_after": score_after.score,
        "loss": score_before.score - score_after.score,
        "proved": int(score_before.proved and score_after.proved),
    }
