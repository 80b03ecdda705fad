"""What stands beside the moves of Target the Two on the page of a replay: what each cost, in expectation."""

from __future__ import annotations

from fractions import Fraction

from games.events import ABSENT
from games.hand import Course
from games.ttt import belief

SEARCHES = False


def of_actions(played: Course) -> dict[int, str]:
    """By the number of the action: ``cost 0; 3.5 moves left``, or ``cost 0.5; best: U; 4 moves left``.

    What is left is the least expected number of moves for somebody who has seen what ViewCard lets see, and
    knows the goal; where two play, what ViewCard lets see who made the move.
    """
    dealt = played.dealt.state
    layout, goal, first = dealt.layout, dealt.goal, dealt.turn
    words, sequence = {}, ""
    for step in played.steps:
        before, sequence = sequence, step.after.state.sequence
        if not step.is_action or sequence == before:
            continue
        seen = belief.view_of(dealt.options["ViewCard"], step.event.seat)
        known = belief.played(layout, first, seen, before)
        # The server's move, for somebody who stayed away or had left, was nobody's choice.
        text = "by the server" if step.by == ABSENT else _cost(known, goal, sequence[-1])
        left = belief.value(belief.played(layout, first, seen, sequence), goal)
        assert step.event.number is not None  # it was accepted
        words[step.event.number] = f"{text}; {_told(left)} moves left"
    return words


def _cost(known: belief.Belief, goal: str, move: str) -> str:
    cost = belief.cost(known, goal, move)
    best = f"; best: {belief.best_move(known, goal)}" if cost else ""
    return f"cost {_told(cost)}{best}"


def _told(moves: Fraction) -> str:
    return f"{float(moves):.3g}"
