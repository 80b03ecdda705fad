"""Writes the notes on the moves of a replay of Target the Two: the expected cost of each."""

from fractions import Fraction

from cardlab.games.events import ABSENT
from cardlab.games.hand import History
from cardlab.games.ttt import belief

SEARCHES = False


def action_notes(history: History) -> dict[int, str]:
    """Returns the notes by action number: ``cost 0; 3.5 moves left``, ``cost 0.5; best: U; 4 moves left``.

    The moves left are the least expected number for the player who made the move, who knows the goal and has
    seen the cards that ViewCard shows.
    """
    goal, notes = history.dealt.state.goal, {}
    for step in history.steps:
        state_before, state_after = step.before.state, step.after.state
        if not step.is_action or state_before.sequence == state_after.sequence:
            continue
        seat, move = step.event.seat, state_after.sequence[-1]
        known_cards = belief.belief_of(state_before, seat)
        cost = belief.cost(known_cards, goal, move)
        text = f"cost {_format_moves(cost)}"
        if step.actor == ABSENT:
            text = "by the server"  # for an absent participant, so the cost is nobody's
        elif cost:
            text += f"; best: {belief.best_move(known_cards, goal)}"
        expected_left = belief.value_after(
            belief.belief_of(state_after, seat), goal, belief.value(known_cards, goal) + cost - 1
        )
        notes[step.event.accepted_number] = f"{text}; {_format_moves(expected_left)} moves left"
    return notes


def _format_moves(moves: Fraction) -> str:
    return f"{float(moves):.3g}"
