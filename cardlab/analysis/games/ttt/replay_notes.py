"""What stands beside the moves of Target the Two on the page of a replay: what each cost, in expectation."""

from __future__ import annotations

from fractions import Fraction

from cardlab.games.events import ABSENT
from cardlab.games.hand import History
from cardlab.games.ttt import belief

SEARCHES = False


def of_actions(played: History) -> dict[int, str]:
    """By the number of the action: ``cost 0; 3.5 moves left``, or ``cost 0.5; best: U; 4 moves left``.

    What is left is the least expected number of moves for somebody who has seen what ViewCard lets see, and
    knows the goal; where two play, what ViewCard lets see who made the move.
    """
    goal, words = played.dealt.state.goal, {}
    for step in played.steps:
        before, after = step.before.state, step.after.state
        if not step.is_action or before.sequence == after.sequence:
            continue
        seat, move = step.event.seat, after.sequence[-1]
        known = belief.known(before, seat)
        cost = belief.cost(known, goal, move)
        text = f"cost {_told(cost)}"
        if step.actor == ABSENT:
            text = "by the server"  # for somebody who stayed away or had left: nobody's choice
        elif cost:
            text += f"; best: {belief.best_move(known, goal)}"
        left = belief.value_after(belief.known(after, seat), goal, belief.value(known, goal) + cost - 1)
        assert step.event.number is not None  # it was accepted
        words[step.event.number] = f"{text}; {_told(left)} moves left"
    return words


def _told(moves: Fraction) -> str:
    return f"{float(moves):.3g}"
