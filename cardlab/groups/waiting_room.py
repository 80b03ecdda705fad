"""Tracks which participants are at a waiting page, on the way to it, or disconnected; caches their status.

A waiting page polls every few seconds (``cardlab.pages.waiting_page``), because only the browser knows that
it is open. The cached result of one attempt at matching answers the polls of all other participants, without
oTree's lock and without a query.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from otree.common import get_models_module
from otree.lookup import get_min_idx_for_app

from cardlab.core.clock import now_ms, past_ms
from cardlab.games.dealing import Config
from cardlab.live.lab import LAB
from cardlab.live.presence import Presence

SILENT_MS = 75_000  # browsers slow the timers of a hidden page down to one tick a minute
RELOADING_MS = 6_000  # a page that loads or reloads is not connected for a moment
MATCH_AGAIN_MS = 2_000  # between two attempts at matching, unless somebody has waited long enough

_PARTICIPANTS = """
    SELECT id, id_in_session, code, _is_bot, _index_in_pages, _last_request_timestamp,
        _gbat_page_index, _gbat_grouped, _waitpage_is_connected
    FROM otree_participant WHERE session_id = :session_id ORDER BY id_in_session
"""
_SEEN = """
    SELECT participant_id, waiting_since_ms, seen_waiting_ms FROM {players}
    WHERE subsession_id = :subsession_id AND seen_waiting_ms IS NOT NULL
"""


class Status(NamedTuple):
    """What a waiting participant is shown; sent to the browser unchanged.

    ``ready`` members of a group of ``group_size`` are here.
    """

    ready: int
    group_size: int


class Wait(NamedTuple):
    """A participant's wait.

    It began at ``since_ms`` (Unix milliseconds) and ends after ``max_seconds`` (``inf``: no limit).
    ``missing`` has the numbers of the missing members. If nobody has come by then, ``no_shows`` applies.
    """

    since_ms: int
    missing: set[int]
    max_seconds: float
    no_shows: str


@dataclass
class Attempt:
    """A failed attempt at matching, at ``ms``: each waiting participant's status and wait, by number.

    At ``valid_until_ms`` somebody has waited long enough, so that another attempt may succeed.
    """

    ms: int
    statuses: dict[int, Status] = field(default_factory=dict)
    waits: dict[int, Wait] = field(default_factory=dict)
    valid_until_ms: float = inf


class Poll(NamedTuple):
    """A participant's last poll of a waiting page.

    ``cached`` says that it was answered from the last attempt; otherwise the player's row has its time, too.
    ``player`` is the player's number in the subsession.
    """

    ms: int
    cached: bool
    page: int
    subsession: int
    player: int


class ParticipantState(NamedTuple):
    """The participant columns that matching needs. Loading 80 full ORM objects takes 50 ms."""

    id: int
    number: int
    code: str
    is_bot: bool | None
    page: int
    requested_s: int | None
    waiting_page: int | None
    grouped: bool | None
    connected: bool | None

    @property
    def is_at_a_waiting_page(self) -> bool:
        """Whether the participant is at any waiting page, and in no group yet."""
        return self.page == self.waiting_page and not self.grouped

    def is_past(self, page: int) -> bool:
        """Returns whether the participant has left this waiting page, or is in a group there."""
        return self.page > page or (self.page == self.waiting_page == page and bool(self.grouped))


class LastSeen(NamedTuple):
    """When a player's browser was at the waiting page first and last, in Unix milliseconds."""

    since_ms: float
    ms: float


def read_people(session: Any) -> dict[int, ParticipantState]:
    """Returns the participants of a session by their numbers."""
    rows = LAB.page_records.rows(_PARTICIPANTS, session_id=session.id)
    return {person.number: person for person in map(ParticipantState._make, rows)}


def read_seen(subsession: Any) -> dict[int, LastSeen]:
    """Returns the players of a round who have been at its waiting page, by their participants' ids."""
    players = get_models_module(subsession.get_folder_name()).Player.__tablename__
    rows = LAB.page_records.rows(_SEEN.format(players=players), subsession_id=subsession.id)
    return {participant_id: LastSeen(*times) for participant_id, *times in rows}


def waiting_page(subsession: Any, pages: int) -> int:
    """Returns oTree's index of a round's waiting page, its first of ``pages`` pages."""
    first: int = get_min_idx_for_app(subsession.session.code, subsession.get_folder_name())
    round_number: int = subsession.round_number
    return first + (round_number - 1) * pages


class WaitingRoom:
    """Caches the last attempt at matching of each subsession, and the last poll of each participant.

    A restart of the server loses both; they return with the browsers' next polls.
    """

    def __init__(self, presence: Presence) -> None:
        self._presence = presence
        self._attempts: dict[int, Attempt] = {}
        self._polls: dict[str, Poll] = {}

    def record_poll(self, player: Any) -> None:
        """Records that a player's browser polls its waiting page."""
        attempt = self._attempts.get(player.subsession_id)
        if attempt and (player.participant._is_bot or player.id_in_subsession not in attempt.statuses):
            del self._attempts[player.subsession_id]  # a new player; or a bot, which polls only once
        self._polls[player.participant.code] = Poll(
            now_ms(),
            False,
            player.participant._index_in_pages,
            player.subsession_id,
            player.id_in_subsession,
        )

    def status(self, subsession_id: int, number: int) -> Status | None:
        """Returns the status of the player with this number; None if no recent attempt includes them."""
        attempt = self._new_attempt(subsession_id)
        return attempt.statuses.get(number) if attempt else None

    def cached_status(self, code: str, page: int) -> Status | None:
        """Returns :meth:`status` by participant code and page index, without a query.

        None also if the participant has not polled this page before.
        """
        poll = self._polls.get(code)
        if poll is None or poll.page != page:
            return None
        status = self.status(poll.subsession, poll.player)
        if status:
            self._polls[code] = poll._replace(ms=now_ms(), cached=True)
        return status

    def waits(self, subsession_id: int) -> dict[int, Wait]:
        """Returns the waits of the last attempt in a subsession, by participant number."""
        attempt = self._attempts.get(subsession_id)
        return attempt.waits if attempt and now_ms() - attempt.ms <= SILENT_MS else {}

    def has_new_attempt(self, subsession_id: int) -> bool:
        """Returns whether an attempt has failed within the last two seconds, and nothing changed since."""
        return self._new_attempt(subsession_id) is not None

    def _new_attempt(self, subsession_id: int) -> Attempt | None:
        # Looked up once, because the event loop answers polls while a page's thread drops attempts.
        attempt, now = self._attempts.get(subsession_id), now_ms()
        is_new = attempt and now - attempt.ms <= MATCH_AGAIN_MS and now < attempt.valid_until_ms
        return attempt if is_new else None

    def cache_attempt(self, subsession_id: int, attempt: Attempt) -> None:
        """Caches an attempt that formed no group."""
        self._attempts[subsession_id] = attempt

    def drop_expired(self, subsession_id: int, now: int) -> None:
        """Drops the attempt of a subsession, and all expired attempts and polls."""
        # In place, because the event loop answers polls concurrently.
        for attempt_id, attempt in list(self._attempts.items()):
            if attempt_id == subsession_id or now - attempt.ms > MATCH_AGAIN_MS:
                del self._attempts[attempt_id]
        for code, poll in list(self._polls.items()):
            if now - poll.ms > SILENT_MS:
                del self._polls[code]

    def is_here(self, person: ParticipantState, seen: Mapping[int, LastSeen], page: int, now: int) -> bool:
        """Returns whether a participant has this waiting page open; a hidden tab counts, unlike in oTree.

        False for one who already waits for a later game: a second match here would remove them from the
        group they have played in.
        """
        if person.id not in seen or person.page != page or not person.is_at_a_waiting_page:
            return False
        max_silence_ms = SILENT_MS if person.connected else RELOADING_MS
        silence_ms = now - max(seen[person.id].ms, self._cached_ms(person))
        # Whoever was seen in the future may be gone: the clock was set back while the server did not run.
        return bool(person.is_bot) or abs(silence_ms) < max_silence_ms

    def is_on_the_way(
        self, person: ParticipantState, seen: Mapping[int, LastSeen], page: int, now: int
    ) -> bool:
        """Returns whether a participant who has arrived may still reach the waiting page ``page``.

        True while the browser loads that page and has not polled yet. False for one who was advanced to an
        earlier waiting page and has not opened it.
        """
        requested_ms = past_ms(person.requested_s, now)
        if person.page == page and person.id not in seen:
            return not person.is_past(page) and now - requested_ms < RELOADING_MS
        if not 0 < person.page < page:
            return False
        heard_ms = max(requested_ms, self._cached_ms(person))
        return not person.is_at_a_waiting_page or now - heard_ms <= SILENT_MS

    def is_gone(self, person: ParticipantState, config: Config, page: int, now: int) -> bool:
        """Returns whether a participant at or before this page is disconnected.

        They had no socket and sent no request for ``gone_after_seconds``. False before their arrival.
        """
        if person.is_bot or not 0 < person.page <= page or person.is_past(page):
            return False
        seen_ms = max(
            self._presence.last_seen_ms(person.code),
            past_ms(person.requested_s, now),
            self._cached_ms(person),
        )
        seconds: float = config.get("gone_after_seconds", 30)  # a session made before 0.11.0 has none
        return now - seen_ms > 1000 * seconds

    def _cached_ms(self, person: ParticipantState) -> int:
        """Returns when a participant's poll was last answered from the cache, in Unix ms; 0 if never."""
        poll = self._polls.get(person.code)
        return poll.ms if poll and poll.cached and poll.page == person.page else 0
