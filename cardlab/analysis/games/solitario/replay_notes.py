"""Writes the note in a replay of Solitario on the action that lost the hand."""

from cardlab.games.hand import History
from cardlab.games.record import compact_json
from cardlab.games.solitario import measures, performance

SEARCHES = True


def action_notes(history: History) -> dict[int, str]:
    """Returns the note by action number; empty if the hand was not lost or the search did not decide."""
    (seat,), opening = history.dealt.seats, history.opening
    row = {
        "deal": opening.deal,
        "settings": compact_json(opening.options),
        "outcome": history.hand.outcome_for(seat),
        **measures.measure_hand(history, seat),
    }
    lost_at = performance.lost_at(row)
    if lost_at is None:
        return {}
    action = list(measures.timed_actions(history))[lost_at - 1]
    return {action.event.accepted_number: "lost: after this, unsolvable even with all cards known"}
