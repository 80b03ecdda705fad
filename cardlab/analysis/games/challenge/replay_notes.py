"""What stands beside the moves of Challenge on the page of a replay: what the search says they were worth."""

from __future__ import annotations

from cardlab.analysis.games.challenge import searched
from cardlab.games.challenge.measures import moves_of
from cardlab.games.challenge.planning import CERTAIN
from cardlab.games.hand import History

DEPTH, NODES, MOST = 4, 10_000, 400  # a game of 400 moves takes some seconds
SEARCHES = False  # so shallow that all hands may be told


def of_actions(played: History) -> dict[int, str]:
    """By the number of the action: ``best: +35``, or ``−20; best: 10S +35``, as the mover has it."""
    if played.dealt.state.options["analysing"]:
        return {}
    moves = moves_of(played)[:MOST]
    found = searched.worths(searched.task(played, range(len(moves)), DEPTH, NODES))
    words = {}
    for move, worth in zip(moves, found):
        assert move.event.number is not None  # it was accepted
        text = f"best: {_told(worth.before)}"
        if worth.loss:
            text = f"{_told(worth.after)}; best: {worth.best} {_told(worth.before)}"
        words[move.event.number] = text
    return words


def _told(worth: int) -> str:
    if abs(worth) >= CERTAIN:
        return "a forced win" if worth > 0 else "a forced loss"
    return f"{worth:+d}".replace("-", "−")
