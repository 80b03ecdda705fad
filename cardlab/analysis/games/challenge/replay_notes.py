"""Writes the notes on the moves of a replay of Challenge: their values by search."""

from cardlab.analysis.games.challenge import move_search
from cardlab.games.challenge.measures import moves_of
from cardlab.games.challenge.values import Value
from cardlab.games.hand import History

DEPTH, NODES, MAX_MOVES = 4, 10_000, 400  # a game of 400 moves takes some seconds
SEARCHES = False  # the search is shallow enough for all hands of a replay


def action_notes(history: History) -> dict[int, str]:
    """Returns the notes by action number: ``best: +35``, or ``−20; best: 10S +35``, for the mover."""
    if history.dealt.state.options["analysing"]:
        return {}
    moves = moves_of(history)[:MAX_MOVES]
    scores = move_search.value_moves(move_search.make_task(history, range(len(moves)), DEPTH, NODES))
    notes = {}
    for move, worth in zip(moves, scores):
        text = f"best: {_format_value(worth.before)}"
        if worth.loss:
            text = f"{_format_value(worth.after)}; best: {worth.best} {_format_value(worth.before)}"
        notes[move.event.accepted_number] = text
    return notes


def _format_value(value: Value) -> str:
    if value.result in ("won", "lost"):
        return "a forced win" if value.result == "won" else "a forced loss"
    return value.result or f"{value.worth:+d}".replace("-", "−")
