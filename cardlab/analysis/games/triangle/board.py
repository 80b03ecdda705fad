"""Computes for the analysis board the best score of Triangle Solitaire after each placement, deck known."""

from collections.abc import Iterator

from cardlab.analysis.board.move_value import MoveValue
from cardlab.games.triangle import oracle, rules
from cardlab.games.triangle.oracle import BestPlay
from cardlab.games.triangle.rules import State

FIRST_NODES, NODES = 20_000, 2_000_000  # budgets of the first and of the second search


def move_values(state: State, seat: str) -> Iterator[MoveValue]:
    """Yields for each placement the best score that is still reachable."""
    moves, unproved = rules.legal_actions(state, seat), []
    for move in moves:
        best_play = oracle.find_best_play(rules.apply(state, seat, move), FIRST_NODES)
        yield _value(move, best_play)
        if not best_play.proved:
            unproved.append(move)
    for move in unproved:
        yield _value(move, oracle.find_best_play(rules.apply(state, seat, move), NODES))


def facts(state: State) -> dict[str, str]:
    """Returns the revealed card, the deck with the next card first, the spares and the discards."""
    return {
        "revealed": state.card or "",
        "deck": " ".join(state.deck[1:]),
        "spares": " ".join(state.spares),
        "discards": " ".join(state.discards),
    }


def _value(move: str, best_play: BestPlay) -> MoveValue:
    if best_play.proved:
        return MoveValue(move, f"{best_play.score} possible", "proved, deck known", best_play.score)
    text = f"at least {best_play.score} possible"
    return MoveValue(move, text, f"searched, at most {best_play.bound}", best_play.score)
