"""A hand of a table of actions played again, by the rules of its game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple

from analysis.actions_table import ODD_SETTINGS, TableHand
from games.contract import IllegalAction

_LEAVE = "leave "


class Left(NamedTuple):
    """How a hand ended for a participant who went on before its end, when, and how it stood then."""

    outcome: str
    ms: int
    state: Any


class Folded(NamedTuple):
    """The state after a hand's last action, and the seats that were left before its end."""

    state: Any
    left: dict[str, Left]


@contextmanager
def settings_in_force(hand: TableHand) -> Iterator[None]:
    """Where rules and measures use the settings of a hand, which may be any JSON: BadFile if they are of
    another kind than the server writes. Only the errors are caught that come of this."""
    try:
        yield
    except (TypeError, KeyError, ValueError, ArithmeticError) as error:
        raise hand.bad(ODD_SETTINGS) from error


def start(hand: TableHand, rules: ModuleType) -> Any:
    """The state before the first action. BadFile if there is no such deal, or none with these settings."""
    options = hand.options
    try:
        return rules.start(hand.deal, options)
    except ValueError as error:
        raise hand.bad(str(error)) from None


def folded(hand: TableHand, rules: ModuleType) -> Folded:
    """The fold of a hand. BadFile if the rules do not allow what the table tells."""
    with settings_in_force(hand):
        return _folded(hand, rules)


def _folded(hand: TableHand, rules: ModuleType) -> Folded:
    state = start(hand, rules)
    left: dict[str, Left] = {}
    end = hand.end
    for event in hand.events:
        if not event.accepted or event is end:
            if event.accepted is None and event.action.startswith(_LEAVE):
                left[event.seat] = Left(event.action.removeprefix(_LEAVE), event.server_ms, state)
            continue
        try:
            state = rules.apply(state, event.seat, event.action)
        except IllegalAction as error:
            raise hand.bad(
                f"Action {event.number} of the hand dealt here, {event.action}, cannot be played: {error}"
            ) from None
    return Folded(state, left)


def state_of(hand: TableHand, app: str, rules: ModuleType) -> Any:
    """The state after the hand's last action. BadFile if it is a hand of another app than ``app``, or if
    the rules do not allow what the table tells."""
    if hand.cells["app"] != app:
        raise hand.bad(f"This is a hand of {hand.cells['app']}; only hands of {app} can be read here.")
    return folded(hand, rules).state
