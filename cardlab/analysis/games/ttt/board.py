"""Computes the expected number of moves after each move of Target the Two for the analysis board."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from cardlab.analysis.board.move_value import MoveValue
from cardlab.games.ttt import belief, board, rules
from cardlab.games.ttt.board import PLACES, State
from cardlab.games.ttt.solver import least_moves

SOURCE = "by what the seat has seen"


def move_values(state: State, seat: str) -> Iterator[MoveValue]:
    """Yields for each move the least expected number of moves from this position on, including this move.

    It assumes a player with perfect memory who looks at all visible cards. The detail is the number with all
    cards known.
    """
    known_cards = belief.belief_of(state, seat)
    best_value = belief.value(known_cards, state.goal)
    for move in rules.legal_actions(state, seat):
        layout_after = board.layout_after(state.layout, state.turn, move)
        open_moves = 1 + least_moves(layout_after, state.goal, board.other(state.turn))
        detail = f"{open_moves} with all cards known"
        try:
            expected_moves = best_value + belief.cost(known_cards, state.goal, move)
        except KeyError:  # an exchange with Target that needs a card unknown to the seat
            yield MoveValue(move, "–", "not known to be allowed", None, detail)
            continue
        yield MoveValue(move, _format_moves(expected_moves), SOURCE, -float(expected_moves), detail)


def _format_moves(moves: Fraction) -> str:
    return f"{float(moves):.3g} move{'' if moves == 1 else 's'}"


def open_view(state: State, seat: str) -> dict[str, Any]:
    """Returns the view with all cards face up."""
    return {**rules.view(state, seat), "cards": dict(zip(PLACES, state.layout)), "goal": state.goal}


def facts(state: State) -> dict[str, str]:
    """Returns the card in each place, and the moves so far."""
    return {**dict(zip(PLACES, state.layout)), "goal": state.goal, "moves": state.sequence}


def deal_of(state: State) -> str | None:
    """Returns the deal that begins with this position."""
    return None if state.solved else board.format_deal(state.layout, state.goal, state.turn)
