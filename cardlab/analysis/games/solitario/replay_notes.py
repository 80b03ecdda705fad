"""What stands beside the actions of Solitario on the page of a replay: with which one the hand was lost."""

from __future__ import annotations

from cardlab.games.hand import History
from cardlab.games.record import compact_json
from cardlab.games.solitario import measures, performance

SEARCHES = True  # seconds for a hand


def of_actions(played: History) -> dict[int, str]:
    """By the number of the action; nothing of a hand that was not lost, or if the search does not tell."""
    (seat,), opening = played.dealt.seats, played.opening
    row = {
        "deal": opening.deal,
        "settings": compact_json(opening.options),
        "outcome": played.hand.outcome_for(seat),
        **measures.measure_hand(played, seat),
    }
    lost_at = performance.lost_at(row)
    if lost_at is None:
        return {}
    act = list(measures.timed_actions(played))[lost_at - 1]
    assert act.event.number is not None  # it was accepted
    return {act.event.number: "lost: from here on not even who knows all cards could solve it"}
