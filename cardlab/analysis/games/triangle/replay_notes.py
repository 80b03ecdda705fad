"""What stands beside the cards of Triangle Solitaire on the page of a replay: what was still possible."""

from __future__ import annotations

from cardlab.analysis.games.triangle.losses import cells
from cardlab.games.hand import History
from cardlab.games.triangle import hindsight, measures
from cardlab.games.triangle.oracle import SolverNotInstalled

SEARCHES = True
SECONDS = 5.0  # of each search; most take some hundredths


def of_actions(played: History) -> dict[int, str]:
    """By the number of the action; nothing where the library that searches is not installed."""
    acts = list(measures.card_actions(played))
    states = [played.dealt.state, *(act.after for act in acts)]
    try:
        found = hindsight.find_reachable_scores(states, SECONDS)
    except SolverNotInstalled:
        return {}
    words = {}
    for card, act in enumerate(acts, 1):
        told = cells(found, card)
        assert act.event.number is not None  # it was accepted
        lost = f"lost {told['loss']}; " if told["loss"] else ""
        least = "" if told["proved"] else "at least "
        words[act.event.number] = f"{lost}still possible: {least}{told['possible_after']}"
    return words
