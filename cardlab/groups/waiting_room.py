"""Which participants are at a waiting page, on the way to it, or gone, and the status that they are shown.

Only a participant's browser knows whether they are at the waiting page, so it polls every few seconds
(``cardlab.pages.waiting_page``). The result of one attempt at matching is kept for a moment and answers the
polls of all others, without oTree's lock and without the database.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from otree.common import get_models_module
from otree.lookup import get_min_idx_for_app

from cardlab.core.clock import now_ms
from cardlab.games.dealing import Config
from cardlab.live.lab import LAB
from cardlab.live.presence import Presence

SILENT_MS = 75_000  # a browser slows the clock of a hidden page down to one tick a minute
RELOADING_MS = 6_000  # while a page loads again, it is not connected for a moment
MATCH_AGAIN_MS = 2_000  # a participant who has waited long enough is matched so late at most

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

    How many of their group are ready, of how many, and whether participants who are still on the way are
    waited for.
    """

    ready: int
    group_size: int
    others_come: bool


class Wait(NamedTuple):
    """Since when a participant waits, in Unix milliseconds, and the numbers of those whom they wait for."""

    since_ms: int
    missing: set[int]


class Attempt(NamedTuple):
    """An attempt at matching that formed no group: when, and what it found, by the participants' numbers."""

    ms: int
    statuses: dict[int, Status]
    waits: dict[int, Wait]


class Poll(NamedTuple):
    """The last poll of a participant's browser at a waiting page.

    ``cached`` says that it was answered from the last attempt (else the player's row has the time, too).
    ``player`` is the number of the player in the subsession.
    """

    ms: int
    cached: bool
    page: int
    subsession: int
    player: int


class ParticipantState(NamedTuple):
    """The columns of a participant that tell whether they wait.

    Loading 80 full ORM objects takes 50 ms, and every poll may lead here; this query does not.
    """

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
        """Returns whether they wait at this page no more; also if they are in a group, but not yet led on."""
        return self.page > page or (self.page == self.waiting_page == page and bool(self.grouped))


class LastSeen(NamedTuple):
    """Since when, and when last, a player's browser was at the waiting page, in Unix milliseconds."""

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
    """Returns oTree's index of the waiting page of a round, its first; a round has so many ``pages``."""
    first: int = get_min_idx_for_app(subsession.session.code, subsession.get_folder_name())
    round_number: int = subsession.round_number
    return first + (round_number - 1) * pages


class WaitingRoom:
    """The last attempts at matching, by subsession, and the polls, by participant code.

    Both are lost with the server, but every browser soon polls again.
    """

    def __init__(self, presence: Presence) -> None:
        """Keeps ``presence``, which knows when a participant was last connected."""
        self._presence = presence
        self._attempts: dict[int, Attempt] = {}
        self._polls: dict[str, Poll] = {}

    def poll(self, player: Any) -> None:
        """Takes note that the browser of a player polls at its waiting page."""
        attempt = self._attempts.get(player.subsession_id)
        if attempt and (player.participant._is_bot or player.id_in_subsession not in attempt.statuses):
            del self._attempts[player.subsession_id]  # they are new to it; and a bot polls only once
        self._polls[player.participant.code] = Poll(
            now_ms(),
            False,
            player.participant._index_in_pages,
            player.subsession_id,
            player.id_in_subsession,
        )

    def status(self, subsession_id: int, number: int) -> Status | None:
        """Returns what the player of this number is shown; None unless a new attempt has them."""
        if not self.has_new_attempt(subsession_id):
            return None
        return self._attempts[subsession_id].statuses.get(number)

    def cached_status(self, code: str, page: int) -> Status | None:
        """Returns the same as :meth:`status`, by participant code and page index, without the database.

        None also if the participant has not polled at this page before.
        """
        poll = self._polls.get(code)
        if poll is None or poll.page != page:
            return None
        status = self.status(poll.subsession, poll.player)
        if status:
            self._polls[code] = poll._replace(ms=now_ms(), cached=True)
        return status

    def waits(self, subsession_id: int) -> dict[int, Wait]:
        """Returns who waits in a subsession, by the participants' numbers, as the last attempt found it."""
        attempt = self._attempts.get(subsession_id)
        return attempt.waits if attempt and now_ms() - attempt.ms <= SILENT_MS else {}

    def has_new_attempt(self, subsession_id: int) -> bool:
        """Returns whether matching has just failed."""
        attempt = self._attempts.get(subsession_id)
        return attempt is not None and now_ms() - attempt.ms <= MATCH_AGAIN_MS

    def keep(self, subsession_id: int, attempt: Attempt) -> None:
        """Keeps an attempt that formed no group."""
        self._attempts[subsession_id] = attempt

    def forget(self, subsession_id: int, now: int) -> None:
        """Forgets the attempt of a subsession, and all that is out of date."""
        # In place: polls are answered in the event loop meanwhile.
        for known, attempt in list(self._attempts.items()):
            if known == subsession_id or now - attempt.ms > MATCH_AGAIN_MS:
                del self._attempts[known]
        for code, poll in list(self._polls.items()):
            if now - poll.ms > SILENT_MS:
                del self._polls[code]

    def is_here(self, person: ParticipantState, seen: Mapping[int, LastSeen], page: int, now: int) -> bool:
        """Returns whether a participant has this waiting page open; a hidden tab counts, unlike with oTree.

        Not one who already waits for a later game: to be matched here once more would take them out of the
        game that they have played.
        """
        if person.id not in seen or person.page != page or not person.is_at_a_waiting_page:
            return False
        patience = SILENT_MS if person.connected else RELOADING_MS
        return bool(person.is_bot) or now - max(seen[person.id].ms, self._cached_ms(person)) < patience

    def is_on_the_way(self, person: ParticipantState, page: int, now: int) -> bool:
        """Returns whether a participant who has arrived may still reach the waiting page ``page``.

        Not one who was moved on to a waiting page before it without being there.
        """
        if not 0 < person.page < page:
            return False
        heard_ms = max(1000 * (person.requested_s or 0), self._cached_ms(person))
        return not person.is_at_a_waiting_page or now - heard_ms <= SILENT_MS

    def is_gone(self, person: ParticipantState, config: Config, page: int, now: int) -> bool:
        """Returns whether a participant at or before this page has been gone for ``gone_after_seconds``.

        Neither a socket nor a request. One who has never arrived is not gone.
        """
        if person.is_bot or not 0 < person.page <= page or person.is_past(page):
            return False
        seen_ms = max(
            self._presence.last_seen_ms(person.code),
            1000 * (person.requested_s or 0),
            self._cached_ms(person),
        )
        seconds: float = config.get("gone_after_seconds", 30)  # a session made before 0.11.0 has none
        return now - seen_ms > 1000 * seconds

    def _cached_ms(self, person: ParticipantState) -> int:
        """Returns when a poll of a participant was last answered from an attempt; 0 if never."""
        poll = self._polls.get(person.code)
        return poll.ms if poll and poll.cached and poll.page == person.page else 0
