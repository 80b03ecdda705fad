"""A hand of a table of actions played again, by the one fold (``cardlab.games.hand``) and the rules of its
game.

What cannot be true is said here: rows that contradict each other, or the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType
from typing import Any

from cardlab.analysis.source_hand import ODD_SETTINGS, SourceHand
from cardlab.games.contract import OPEN, OUTCOMES, IllegalAction
from cardlab.games.events import ABSENT, ARRIVE, Event
from cardlab.games.hand import Hand, History, Step
from cardlab.games.record import Opening
from cardlab.games.registry import games_by_app
from cardlab.games.text_file import quote

BROKEN_OFF = tuple(name for name, outcome in OUTCOMES.items() if not outcome.is_regular and name != OPEN)
"""How a hand can end that the rules do not call over."""


@contextmanager
def catch_odd_settings(hand: SourceHand) -> Iterator[None]:
    """Where rules and measures use the settings of a hand, which may be any JSON: BadFile if they are of
    another kind than the server writes. Only the errors are caught that come of this."""
    try:
        yield
    except (TypeError, KeyError, ValueError, ArithmeticError) as error:
        raise hand.error_at(ODD_SETTINGS) from error


def check_hand(hand: SourceHand) -> None:
    """Play a hand again; Damaged if its rows contradict each other or the rules.

    A hand of a game that there is not passes: whoever reads it says what it can read.
    """
    if hand.damage:
        raise hand.damage_error(hand.damage)
    game = games_by_app().get(hand.cells["app"])
    if hand.damage is None and game:
        history(hand, game.rules)


@lru_cache(maxsize=1)  # what was checked is read next
def history(hand: SourceHand, rules: ModuleType) -> History:
    """A hand folded, with all its steps. Damaged if the rules do not allow what the table tells."""
    with catch_odd_settings(hand):
        return _fold(hand, rules)


def _fold(hand: SourceHand, rules: ModuleType) -> History:
    options = hand.options
    try:
        dealt = played = Hand(rules, Opening(hand.deal, options, shown_ms=hand.shown_ms))
    except ValueError as error:
        raise hand.damage_error(str(error)) from None
    several, steps = len(played.seats) > 1, []
    absent: set[str] = set()  # the seats for which the server plays next
    for event in hand.events:
        if event.accepted:
            if event.number != played.next_number:
                raise hand.damage_error(_describe_misplaced(event, played.next_number))
            if played.is_over:
                raise hand.damage_error(f"The hand dealt here goes on after its row end {played.outcome}.")
            if several and event.seat:
                _check_note(hand, played, event, absent)
        elif event.is_note(ABSENT):
            absent.add(event.seat)
        before = played
        try:
            played = before.after(event)
        except IllegalAction as error:
            raise hand.damage_error(
                f"Action {event.number} of the hand dealt here, {event.action}, cannot be played: {error}"
            ) from None
        steps.append(Step(before, event, played))
    _check_end(hand, played)
    return History(dealt, tuple(steps))


def _describe_misplaced(event: Event, number: int) -> str:
    found = "a row without a number" if event.number is None else f"row {event.number}"
    return (
        f"In the hand dealt here {found} stands where row {number} belongs: rows are missing, doubled or "
        "out of order."
    )


def _check_note(hand: SourceHand, played: Hand, event: Event, absent: set[str]) -> None:
    """Where several play: Damaged if an action wants a note before it that is not there."""
    if event.seat in played.robots or event.seat not in played.seats:
        return
    place, by_server = played.seats[event.seat], event.client_ms is None
    noted = event.seat in absent or place.away if by_server else place.arrived_ms is not None
    if not noted:
        raise hand.damage_error(
            f"Action {event.number} of the hand dealt here, {event.action}, has no note "
            f"{ABSENT if by_server else ARRIVE} before it."
        )
    absent.discard(event.seat)


def _check_end(hand: SourceHand, played: Hand) -> None:
    """Damaged unless the hand ends as the rules say."""
    if wrong := _describe_wrong_end(played.rules, played.state, played.outcome if hand.end else None):
        raise hand.damage_error(wrong)


def _describe_wrong_end(rules: ModuleType, state: Any, outcome: str | None) -> str:
    """What is wrong with the end of a hand, in a sentence; empty if nothing is. ``outcome`` is of its row
    ``end``, None if it has none."""
    if not rules.is_over(state):
        if outcome in (None, *BROKEN_OFF):
            return ""
        return f"The hand dealt here ends with {quote(outcome)}, but by the rules it is not over."
    by_the_rules = rules.result(state, rules.seats(state)[0], 0).outcome
    if outcome == by_the_rules:
        return ""
    told = "has no row end" if outcome is None else f"ends with {quote(outcome)}"
    return f"The hand dealt here {told}, but by the rules it is over: {by_the_rules}."


def final_state(hand: SourceHand, apps: Sequence[str], rules: ModuleType) -> Any:
    """The state after the hand's last action. BadFile if it is a hand of another app than ``apps``, Damaged
    if the rules do not allow what the table tells."""
    if hand.cells["app"] not in apps:
        known = " or ".join(apps)
        raise hand.error_at(f"This is a hand of {hand.cells['app']}; only hands of {known} can be read here.")
    return history(hand, rules).hand.state
