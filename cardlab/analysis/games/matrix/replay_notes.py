"""Writes the notes on the choices of a replay of the matrix card game: the cost of each."""

from cardlab.games.hand import History
from cardlab.games.matrix import measures
from cardlab.games.matrix.board import matrix
from cardlab.games.matrix.measures import chosen_columns

SEARCHES = False


def action_notes(history: History) -> dict[int, str]:
    """Returns the notes by action number, for each final choice between two columns.

    A note is ``cost 0``, or ``cost 3; best: the other column``, in points of the turn's 2×2 game given the
    other player's choice.
    """
    steps = [step for step in history.steps if step.is_action]
    numbers = {act.decides: step.event.number for act, step in zip(measures.find_acts(history), steps)}
    notes = {}
    for turn in history.hand.state.turns:
        cells = matrix(turn.crosses, turn.pair, history.hand.state.options)
        first_column, second_column = chosen_columns(turn)
        instead = cells[1 - first_column][second_column][0], cells[first_column][1 - second_column][1]
        for own_points, other_points, seat, is_free in zip(
            cells[first_column][second_column], instead, turn.pair, turn.free
        ):
            number = numbers[turn.number, seat, True]
            if is_free and number is not None:
                notes[number] = (
                    f"cost {other_points - own_points}; best: the other column"
                    if other_points > own_points
                    else "cost 0"
                )
    return notes
