"""A hand of a table of actions played again, by the rules of its game."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from analysis.actions_table import TableHand
from games.contract import IllegalAction


def state_of(hand: TableHand, app: str, rules: ModuleType) -> Any:
    """The state after the hand's last action. BadFile if it is a hand of another app than ``app``, or if
    the rules do not allow what the table tells."""
    if hand.cells["app"] != app:
        raise hand.bad(f"This is a hand of {hand.cells['app']}; only hands of {app} can be read here.")
    try:
        state = rules.start(hand.deal, hand.options)
    except ValueError as error:
        raise hand.bad(str(error)) from None
    end = hand.end
    for event in hand.events:
        if not event.accepted or event is end:
            continue
        try:
            state = rules.apply(state, event.seat, event.action)
        except IllegalAction as error:
            raise hand.bad(
                f"Action {event.number} of the hand dealt here, {event.action}, cannot be played: {error}"
            ) from None
    return state
