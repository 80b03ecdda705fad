"""Tracks the pages that participants have open, and sends them the researcher's standing notices.

:mod:`cardlab.live.presence_socket` handles the pages' messages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from cardlab.core import clock
from cardlab.guard.rate_limits import TABS_PER_SEAT
from cardlab.live import notices, pauses
from cardlab.live.client import close, send, start_task
from cardlab.live.lab import LAB

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

MAX_REQUESTS = 50  # for help, of one participant
HERE, AWAY, GONE = "here", "away", "gone"
ADVANCED = {"auto_advanced": True}  # oTree's message: the page reloads

Standing = dict[str, Any]


class ParticipantIds(NamedTuple):
    """The ids and codes of a participant and their session."""

    id: int
    session_id: int
    code: str
    session: str


class OpenPage:
    """A page that a participant has open; ``standing`` are the notices last sent to it."""

    def __init__(self, websocket: WebSocket, person: ParticipantIds) -> None:
        self.websocket, self.person = websocket, person
        self.hidden = False
        self.events_left: int | None = None  # browser events that may still be stored; None if not read yet
        self.keeps_paths = False  # whether paths of the pointer are stored
        self.standing: Standing = {}

    @property
    def messages(self) -> list[int]:
        """The numbers of the messages that the page shows."""
        return [number for number, *_texts in self.standing.get("messages", ())]

    def send(self, standing: Standing) -> Awaitable[None]:
        """Starts to send the standing notices."""
        self.standing = standing
        return start_task(send(self.websocket, standing))


class Presence:
    """The pages that participants have open. Only the event loop changes it."""

    def __init__(self) -> None:
        self._pages: defaultdict[str, list[OpenPage]] = defaultdict(list)  # by the participants' codes
        self._left_ms: dict[str, int] = {}  # when a participant's last connection ended

    def join(self, page: OpenPage) -> None:
        """Adds a page; closes the oldest one if the participant has too many open."""
        pages = self._pages[page.person.code]
        pages.append(page)
        while len(pages) > TABS_PER_SEAT:
            start_task(close(pages.pop(0).websocket))

    def leave(self, page: OpenPage) -> None:
        """Removes a page."""
        pages = self._pages.get(page.person.code, [])
        if page in pages:
            pages.remove(page)
            self.note_presence(page.person.code)
        if not pages:
            self._pages.pop(page.person.code, None)

    def note_presence(self, code: str) -> None:
        """Records that a participant was connected until now on at least one page."""
        self._left_ms[code] = clock.now_ms()

    def last_seen_ms(self, code: str) -> int:
        """Returns when a participant was last connected, in Unix milliseconds: now, if a page is open.

        Before the first connection it is the server's start.
        """
        return clock.now_ms() if code in self._pages else self._left_ms.get(code, clock.STARTED_MS)

    def connection(self, code: str) -> str:
        """Returns ``here`` if a page is visible, ``away`` if all are hidden, ``gone`` without a page."""
        pages = list(self._pages.get(code, ()))
        if not pages:
            return GONE
        return AWAY if all(page.hidden for page in pages) else HERE

    def send(self, standings: dict[str, Standing]) -> None:
        """Sends standing notices by participant code, except to pages that already show them."""
        for code, standing in standings.items():
            for page in self._pages.get(code, ()):
                if page.standing != standing:
                    page.send(standing)

    def reload_pages(self, codes: Iterable[str]) -> None:
        """Makes the pages of participants reload, as oTree does when it advances somebody."""
        for code in codes:
            for page in self._pages.get(code, ()):
                start_task(send(page.websocket, ADVANCED))


def standing_of(participant_id: int) -> Standing:
    """Returns a participant's standing notices as a message to their page."""
    standing = notices.standing_notices(LAB.records, participant_id)
    since = {one.kind: one.ms for one in standing}
    return {
        "messages": [
            [one.number, one.text, *_question(one)]
            for one in standing
            if one.kind in (notices.MESSAGE, notices.ANSWER)
        ],
        "help": next((one.text for one in standing if one.kind == notices.HELP), ""),
        "paused": notices.PAUSE in since,
        "dropped": any(
            one.kind == notices.DROPPED and one.text != notices.BY_PARTICIPANT for one in standing
        ),
        "left": pauses.seconds_left(LAB.records, participant_id, since.get(notices.PAUSE)),
    }


def _question(notice: notices.Notice) -> list[str]:
    """Returns the request for help that a notice answers, as a list of one; an empty list for a message."""
    if notice.kind != notices.ANSWER:
        return []
    asked = notices.latest_notices(LAB.records, notice.participant_id, notices.HELP, MAX_REQUESTS)
    return [one.text for one in asked if one.over_ms == notice.ms][:1]
