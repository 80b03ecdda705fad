"""What stands beside the choices of the matrix card game on the page of a replay: what each cost."""

from __future__ import annotations

from cardlab.games.hand import History
from cardlab.games.matrix import measures
from cardlab.games.matrix.board import matrix
from cardlab.games.matrix.measures import columns_of

SEARCHES = False


def of_actions(played: History) -> dict[int, str]:
    """By the number of the choice that stood, of a seat that had two columns to choose from: ``cost 0``, or
    ``cost 3; best: the other column``, in the points of the turn's 2×2 game against what the other played."""
    steps = [step for step in played.steps if step.is_action]
    stood = {act.decides: step.event.number for act, step in zip(measures.acts_of(played), steps)}
    words = {}
    for turn in played.hand.state.turns:
        cells = matrix(turn.crosses, turn.pair, played.hand.state.options)
        first, second = columns_of(turn)
        instead = cells[1 - first][second][0], cells[first][1 - second][1]
        for own, other, seat, free in zip(cells[first][second], instead, turn.pair, turn.free):
            number = stood[turn.number, seat, True]
            if free and number is not None:
                words[number] = f"cost {other - own}; best: the other column" if other > own else "cost 0"
    return words
