"""Who has a page open, and what their pages are to show of what the researcher says to them.

What comes over a page's socket stands in :mod:`cardlab.live.presence_socket`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, NamedTuple

from cardlab.core import clock
from cardlab.guard.rate_limits import TABS_PER_SEAT
from cardlab.live import notices, pauses
from cardlab.live.client import close, send, start_task
from cardlab.live.lab import LAB

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

HERE, AWAY, GONE = "here", "away", "gone"

Standing = dict[str, Any]


class Person(NamedTuple):
    """A participant, by the numbers of the database, and by their code and their session's."""

    id: int
    session_id: int
    code: str
    session: str


class Visitor:
    """A page that a participant has open. ``messages`` are the numbers of those shown on it."""

    def __init__(self, websocket: WebSocket, person: Person) -> None:
        self.websocket, self.person = websocket, person
        self.hidden = False
        self.told: Standing = {}

    @property
    def messages(self) -> list[int]:
        return [number for number, _text in self.told.get("messages", ())]

    def send(self, told: Standing) -> Awaitable[None]:
        """Begin to send what stands about the participant."""
        self.told = told
        return start_task(send(self.websocket, told))


class Presence:
    """The pages that participants have open. Written by the event loop alone."""

    def __init__(self) -> None:
        self._pages: defaultdict[str, list[Visitor]] = defaultdict(list)  # by the participants' codes
        self._left_ms: dict[str, int] = {}  # when a participant's last connection ended

    def join(self, visitor: Visitor) -> None:
        """Take a page in; the oldest goes if the participant has too many open."""
        pages = self._pages[visitor.person.code]
        pages.append(visitor)
        while len(pages) > TABS_PER_SEAT:
            start_task(close(pages.pop(0).websocket))

    def leave(self, visitor: Visitor) -> None:
        pages = self._pages.get(visitor.person.code, [])
        if visitor in pages:
            pages.remove(visitor)
            self.was_seen(visitor.person.code)
        if not pages:
            self._pages.pop(visitor.person.code, None)

    def was_seen(self, code: str) -> None:
        """A participant was connected until now, on one page at least."""
        self._left_ms[code] = clock.now_ms()

    def last_seen_ms(self, code: str) -> int:
        """When a participant was last connected, in Unix milliseconds: now, if a page of theirs is open.

        The server's start, if they have not connected since: before it nobody could.
        """
        return clock.now_ms() if code in self._pages else self._left_ms.get(code, clock.STARTED_MS)

    def connection(self, code: str) -> str:
        """``here``: the page is open; ``away``: it is hidden behind others; ``gone``: there is none."""
        pages = list(self._pages.get(code, ()))
        if not pages:
            return GONE
        return AWAY if all(page.hidden for page in pages) else HERE

    def send(self, told: dict[str, Standing]) -> None:
        """Tell participants, by their codes, what stands about them; not who knows it already."""
        for code, said in told.items():
            for page in self._pages.get(code, ()):
                if page.told != said:
                    page.send(said)


def standing_of(participant_id: int) -> Standing:
    """What a participant's page is told: nothing of anybody else."""
    standing = notices.standing(LAB.records, participant_id)
    since = {one.kind: one.ms for one in standing}
    return {
        "messages": [[one.number, one.text] for one in standing if one.kind == notices.MESSAGE],
        "paused": notices.PAUSE in since,
        "dropped": notices.DROPPED in since,
        "left": pauses.seconds_left(LAB.records, participant_id, since.get(notices.PAUSE)),
    }
