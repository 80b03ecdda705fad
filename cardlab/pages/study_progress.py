"""Tells participants how much of the study is behind them, and about how long the games still take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from gettext import gettext as _
from gettext import ngettext
from statistics import median
from typing import Any, NamedTuple

from otree.common import get_models_module, get_pages_module
from otree.database import dbq
from otree.models import Session

from cardlab.core.clock import now_ms
from cardlab.sessions.apps import is_game
from cardlab.sessions.dealing import lines_by_round
from cardlab.sessions.estimate import minutes_of_hand

MINUTE_MS = 60_000


class Part(NamedTuple):
    """An app of a session. Its ``minutes`` for a hand are None where nobody declares them."""

    app: str
    hands: int = 0
    first_round: int = 1  # the round of the first hand
    minutes: float | None = None


class StudyProgress(NamedTuple):
    """What a page shows; the time left is "" where it is unknown or no hand is left.

    ``short`` is for small windows.
    """

    percent: int
    sentence: str
    short: str


def percent_done(parts: Sequence[Part], number: int, steps: float) -> int:
    """Returns the percentage of a study that is done.

    Each app has one step for each hand, and one for all pages before its hands. ``steps`` are those done in
    the app with this ``number``, from 0.
    """
    all_steps = [1 + part.hands for part in parts]
    return int(100 * (sum(all_steps[:number]) + steps) / sum(all_steps))


def minutes_left(parts: Sequence[Part], hands_done: int, own_minutes_per_hand: float | None) -> float | None:
    """Returns how long the hands of the rest of a study take; None if unknown.

    Args:
        parts: the app of the page, and those that follow.
        hands_done: the hands done in the first.
        own_minutes_per_hand: the participant's own minutes for a hand of the first, if known.
    """
    current_part, *later_parts = parts
    total = 0.0
    for hands, minutes in [
        (
            current_part.hands - hands_done,
            current_part.minutes if own_minutes_per_hand is None else own_minutes_per_hand,
        ),
        *((part.hands, part.minutes) for part in later_parts),
    ]:
        if hands and minutes is None:
            return None
        total += hands * (minutes or 0)
    return total


def own_minutes(begins_ms: Mapping[int, float]) -> float | None:
    """Returns the median minutes from hand to hand, given when each began; None before two are done."""
    durations_ms = [
        begins_ms[hand + 1] - start_ms for hand, start_ms in begins_ms.items() if hand + 1 in begins_ms
    ]
    return median(durations_ms) / MINUTE_MS if len(durations_ms) > 1 else None


def time_sentence(minutes: float | None) -> str:
    """Returns the time left in words; "" if none is known or left."""
    if not minutes:
        return ""
    count = rounded_minutes(minutes)
    text = ngettext("About {count} minute of play left", "About {count} minutes of play left", count)
    return text.format(count=count)


def rounded_minutes(minutes: float) -> int:
    """Returns the time left to 1 minute below 10 and to 5 above."""
    return max(1, round(minutes)) if minutes < 10 else 5 * round(minutes / 5)


def progress_at(page: Any, treatment: str) -> StudyProgress:
    """Returns the progress of the participant at a page of a game."""
    app, participant = page.player.get_folder_name(), page.participant
    parts = _parts(participant._session_code, treatment)
    number = [part.app for part in parts].index(app)
    part, sequence = parts[number], get_pages_module(app).page_sequence
    place = sequence.index(type(page))
    hand_place = sequence.index(get_models_module(app).Hand)
    round_number = page.player.round_number
    hand = round_number - part.first_round + 1  # 0 in a round of instructions alone
    begins_ms = _begins_ms(participant.code, app)
    if place == hand_place:
        begins_ms.setdefault(hand, now_ms())
    hands_done = max(0, hand - 1) if place <= hand_place else hand
    if page.ends_app:
        hands_done = part.hands
    is_preceding = round_number == 1 and place < hand_place
    steps = place / hand_place if is_preceding else 1 + hands_done
    remaining_minutes = minutes_left(parts[number:], hands_done, own_minutes(begins_ms))
    short = _("{count} min").format(count=rounded_minutes(remaining_minutes)) if remaining_minutes else ""
    return StudyProgress(percent_done(parts, number, steps), time_sentence(remaining_minutes), short)


@lru_cache(maxsize=4096)
def _begins_ms(_participant_code: str, _app: str) -> dict[int, float]:
    """Returns a kept dictionary of when this server first showed each hand, which the caller fills.

    A query for each page would cost too much.
    """
    return {}


@lru_cache(maxsize=64)
def _parts(session_code: str, treatment: str) -> tuple[Part, ...]:
    """Returns the apps of a session. They and their numbers of hands never change."""
    session = dbq(Session).filter_by(code=session_code).one()
    return tuple(_part(session, app, treatment) for app in session.config["app_sequence"])


def _part(session: Any, app: str, treatment: str) -> Part:
    if not is_game(app):
        return Part(app)
    rounds = [number for number, lines in enumerate(lines_by_round(app, session.code, treatment), 1) if lines]
    minutes = minutes_of_hand(session, app, treatment)
    return Part(app, len(rounds), min(rounds, default=1), sum(minutes) / 2 if minutes else None)
