"""Plays a hand of Target the Two optimally on a layout that the player does not see."""

from __future__ import annotations

from cardlab.games.ttt import board
from cardlab.games.ttt.belief import after_deal, after_looking, after_move, best_move


def moves_of_best_play(layout: board.Layout, goal: str, first: str, view_card: str) -> int:
    """Returns the number of moves that ``best_move`` takes on this layout. Raises ValueError."""
    belief, moves = after_deal(layout, first, view_card), 0
    while layout[board.TARGET] != goal:
        move = best_move(belief, goal)
        layout = board.layout_after(layout, belief.turn, move)
        belief = after_looking(after_move(belief, move), layout)
        moves += 1
    return moves
