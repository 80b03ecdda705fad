"""Folds the hands of tables of actions by the rules of their game, and finds contradictions in their rows.

Uses the same fold as the server (``cardlab.games.hand``).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType
from typing import Any

from cardlab.analysis.source_hand import ODD_SETTINGS, SourceHand
from cardlab.games.contract import OPEN, OUTCOMES, IllegalAction, Rules
from cardlab.games.events import ABSENT, ARRIVE, Event
from cardlab.games.hand import Hand, History, Step
from cardlab.games.record import Opening
from cardlab.games.registry import games_by_app
from cardlab.games.text_file import quote

IRREGULAR_OUTCOMES = tuple(
    name for name, outcome in OUTCOMES.items() if not outcome.is_regular and name != OPEN
)
"""The outcomes of hands that ended before they were over by the rules."""


@contextmanager
def reject_malformed_settings(hand: SourceHand) -> Iterator[None]:
    """Raises BadFile if the rules or measures fail because the settings of a hand have unexpected types.

    The settings come from a file and may be any JSON.
    """
    try:
        yield
    except (TypeError, KeyError, ValueError, ArithmeticError) as error:
        raise hand.error_at(ODD_SETTINGS) from error


def check_hand(hand: SourceHand) -> None:
    """Folds a hand. Raises DamagedHand if its rows contradict each other or the rules.

    A hand of an unknown game passes, because the caller raises the error.
    """
    damage = hand.find_damage()
    if damage:
        raise hand.damage_error(damage)
    game = games_by_app().get(hand.cells["app"])
    if damage is None and game:
        history(hand, game.rules)


@lru_cache(maxsize=1)  # a hand is checked first and measured next
def history(hand: SourceHand, rules: ModuleType) -> History:
    """Returns a hand with all its steps. Raises DamagedHand if the rules do not allow its actions."""
    with reject_malformed_settings(hand):
        return _fold(hand, rules)


def _fold(hand: SourceHand, rules: ModuleType) -> History:
    options = hand.options
    try:
        dealt_hand = hand_state = Hand(rules, Opening(hand.deal, options, shown_ms=hand.shown_ms))
    except ValueError as error:
        raise hand.damage_error(str(error)) from None
    several, steps = len(hand_state.seats) > 1, []
    absent: set[str] = set()  # the seats for which the server plays next
    for event in hand.events:
        if event.accepted:
            if event.number != hand_state.next_number:
                raise hand.damage_error(_describe_misplaced(event, hand_state.next_number))
            if hand_state.is_over:
                raise hand.damage_error(
                    f"The hand dealt here continues after its row end {hand_state.outcome}."
                )
            if several and event.seat:
                _check_note(hand, hand_state, event, absent)
        elif event.is_note(ABSENT):
            absent.add(event.seat)
        previous_hand = hand_state
        try:
            hand_state = previous_hand.after(event)
        except IllegalAction as error:
            raise hand.damage_error(
                f"Action {event.number} of the hand dealt here, {event.action}, is not allowed: {error}"
            ) from None
        steps.append(Step(previous_hand, event, hand_state))
    _check_end(hand, hand_state)
    return History(dealt_hand, tuple(steps))


def _describe_misplaced(event: Event, number: int) -> str:
    row_name = "a row without a number" if event.number is None else f"row {event.number}"
    return (
        f"The hand dealt here has {row_name} where row {number} should be. Rows are missing, "
        "repeated or out of order."
    )


def _check_note(hand: SourceHand, hand_state: Hand, event: Event, absent: set[str]) -> None:
    """Raises DamagedHand if an action lacks the note that must precede it, in a hand with several seats."""
    if event.seat in hand_state.robots or event.seat not in hand_state.seats:
        return
    place, by_server = hand_state.seats[event.seat], event.client_ms is None
    noted = event.seat in absent or place.away if by_server else place.arrived_ms is not None
    if not noted:
        raise hand.damage_error(
            f"Action {event.number} of the hand dealt here, {event.action}, must have a note "
            f"{ABSENT if by_server else ARRIVE} before it."
        )
    absent.discard(event.seat)


def _check_end(hand: SourceHand, hand_state: Hand) -> None:
    """Raises DamagedHand unless the hand ends according to the rules."""
    if problem := _describe_wrong_end(
        hand_state.rules, hand_state.state, hand_state.outcome if hand.end else None
    ):
        raise hand.damage_error(problem)


def _describe_wrong_end(rules: Rules, state: Any, outcome: str | None) -> str:
    """Returns a sentence that says what is wrong with the end of a hand, "" if it is right.

    ``outcome`` is that of the row ``end``, None if there is no such row.
    """
    if not rules.is_over(state):
        if outcome is None or outcome in IRREGULAR_OUTCOMES:
            return ""
        return f"The hand dealt here ends with {quote(outcome)}, but according to the rules it is not over."
    by_the_rules = rules.result(state, rules.seats(state)[0], 0).outcome
    if outcome == by_the_rules:
        return ""
    end = "has no row end" if outcome is None else f"ends with {quote(outcome)}"
    return f"The hand dealt here {end}, but according to the rules it is over: {by_the_rules}."


def final_state(hand: SourceHand, apps: Sequence[str], rules: ModuleType) -> Any:
    """Returns the state after the hand's last action.

    Raises BadFile if the hand is not of one of ``apps``, and DamagedHand like :func:`history`.
    """
    hand.check_app(apps)
    return history(hand, rules).hand.state
