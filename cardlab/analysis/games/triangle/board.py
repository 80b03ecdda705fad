"""Triangle Solitaire on the analysis board: the best score that each placement leaves, the deck known."""

from collections.abc import Iterator

from cardlab.analysis.board.move_value import MoveValue
from cardlab.games.triangle import rules
from cardlab.games.triangle.oracle import BestPlay, find_best_play
from cardlab.games.triangle.rules import State

FIRST_SECONDS, SECONDS = 0.5, 5.0  # time limits of a search, on the first and on the second look


def move_values(state: State, seat: str) -> Iterator[MoveValue]:
    """Yields for each placement the best score that is still reachable. Raises SolverNotInstalled."""
    moves, unproved = rules.legal_actions(state, seat), []
    for move in moves:
        found = find_best_play(rules.apply(state, seat, move), FIRST_SECONDS)
        yield _value(move, found)
        if not found.proved:
            unproved.append(move)
    for move in unproved:
        yield _value(move, find_best_play(rules.apply(state, seat, move), SECONDS))


def facts(state: State) -> dict[str, str]:
    """Returns the cards to come, the next first, and those that are laid aside."""
    return {
        "revealed": state.card or "",
        "deck": " ".join(state.deck[1:]),
        "spares": " ".join(state.spares),
        "discards": " ".join(state.discards),
    }


def _value(move: str, found: BestPlay) -> MoveValue:
    if found.proved:
        return MoveValue(move, f"{found.score} possible", "proved, deck known", found.score)
    text = f"at least {found.score} possible"
    return MoveValue(move, text, f"searched, at most {found.bound}", found.score)
