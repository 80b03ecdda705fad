"""What stands beside the moves of Target the Two on the page of a replay: what each cost, in expectation."""

from __future__ import annotations

from fractions import Fraction

from games.hand import Course
from games.ttt import belief

SEARCHES = False


def of_actions(played: Course) -> dict[int, str]:
    """By the number of the action: ``cost 0; 3.5 moves left``, or ``cost 0.5; best: U; 4 moves left``.

    What is left is the least expected number of moves for somebody who has seen what ViewCard lets see, and
    knows the goal.
    """
    dealt = played.dealt.state
    layout, goal, first, view_card = dealt.layout, dealt.goal, dealt.turn, dealt.options["ViewCard"]
    words, sequence = {}, ""
    for step in played.steps:
        before, sequence = sequence, step.after.state.sequence
        if not step.is_action or sequence == before:
            continue
        known = belief.played(layout, first, view_card, before)
        cost = belief.cost(known, goal, sequence[-1])
        text = f"cost {_told(cost)}"
        if cost:
            text += f"; best: {belief.best_move(known, goal)}"
        left = belief.value(belief.played(layout, first, view_card, sequence), goal)
        assert step.event.number is not None  # it was accepted
        words[step.event.number] = f"{text}; {_told(left)} moves left"
    return words


def _told(moves: Fraction) -> str:
    return f"{float(moves):.3g}"
