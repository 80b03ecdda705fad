"""The tables at which hands are played: who is connected to which hand, and what is played there.

Whatever one seat does, every tab of every seat sees; where the server has to play for somebody who
stays away, it does so in time, as long as anybody looks on (who looks later finds it done then).
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from otree.middleware import lock2
from starlette.websockets import WebSocket

from experiment import store
from experiment.clock import STARTED_MS, now_ms
from experiment.hand import Hand, answer, extended, fold, unattended
from experiment.record import Opening
from games.contract import Event

if TYPE_CHECKING:
    from experiment.pages import BoardPage

logger = logging.getLogger("cardlab.hand")

# Sent when the participant is on another page by now: the browser loads that page.
ELSEWHERE: dict[str, Any] = {"reload": True}

ANOTHER_TRY = 2.0  # seconds, after the database could not be written

Table = tuple[str, str, int]  # the place of the hand's record: table of the database, column, row


@dataclass(frozen=True, slots=True)
class Seat:
    """One participant's place at one hand, looked up once when they connect."""

    page: type[BoardPage]
    key: store.Key
    page_index: int
    name: str
    hand_number: int
    opening: Opening
    deadline: float | None  # Unix seconds, of oTree's page timeout
    participant_code: str

    @property
    def table(self) -> Table:
        """What all who look at this hand have in common."""
        return self.key[:3]

    def hand(self, record: str) -> Hand:
        return fold(self.page.rules, record)

    def answer(self, record: str, refused: str = "") -> dict[str, Any]:
        """The hand as this seat may see it now."""
        return answer(self.hand(record), self.name, self.hand_number, now_ms(), refused, STARTED_MS)

    def due(self, record: str, now: int) -> list[Event]:
        """What the server has to play at the table by now."""
        return unattended(self.hand(record), now, STARTED_MS)


def add(seat: Seat, record: str, events: list[Event], now: int) -> str:
    """Write the record with these events, and with what the server has to play after them.

    When this returns, it is on disk.
    """
    rules = seat.page.rules
    record = extended(rules, record, events)
    if more := seat.due(record, now):
        record = extended(rules, record, more)
    store.write(seat.key, record)
    seat.page.followed(seat.participant_code, seat.hand_number, record, [*events, *more])
    return record


class Tab:
    """One browser tab at a table, with what it was told last."""

    def __init__(self, websocket: WebSocket, seat: Seat) -> None:
        self.websocket, self.seat = websocket, seat
        self.told: dict[str, Any] = {}

    async def tell(self, said: dict[str, Any]) -> None:
        self.told = said
        await tell(self.websocket, said)


async def tell(websocket: WebSocket, said: Any) -> None:
    """Send, unless the browser has gone in the meantime: it will ask again when it is back."""
    try:
        await websocket.send_json(said)
    except RuntimeError as gone:
        logger.debug("not delivered: %r", gone)


Telling = list[tuple[Tab, dict[str, Any]]]  # whom to tell what


class Tables:
    """The tabs at each table, and when the server next has to play there."""

    def __init__(self) -> None:
        self._tabs: defaultdict[Table, list[Tab]] = defaultdict(list)
        self._alarms: dict[Table, asyncio.TimerHandle] = {}
        self._under_way: set[asyncio.Future] = set()  # the event loop itself holds its tasks only weakly
        self._loop: asyncio.AbstractEventLoop | None = None  # of all sockets, since the first came

    def joined(self, tab: Tab, record: str) -> Telling:
        """Take a tab in; what the others at its table are to be told of that."""
        self._loop = asyncio.get_running_loop()
        self._tabs[tab.seat.table].append(tab)
        try:
            return self.news(tab.seat, record, but=tab)
        except Exception:
            self.leave(tab)
            raise

    def leave(self, tab: Tab) -> None:
        table = tab.seat.table
        self._tabs[table].remove(tab)
        if not self._tabs[table]:
            del self._tabs[table]
            self._stop_alarm(table)

    def news(self, seat: Seat, record: str, but: Tab | None = None) -> Telling:
        """What the tabs at the seat's table, ``but`` for one, are to be told; the alarm is set anew."""
        self._set_alarm(seat, record)
        telling = [(tab, tab.seat.answer(record)) for tab in self._tabs.get(seat.table, ()) if tab is not but]
        # Who sees nothing new is told nothing: that another changed a secret choice is a secret too.
        return [(tab, said) for tab, said in telling if not _alike(said, tab.told)]

    def _stop_alarm(self, table: Table) -> None:
        if alarm := self._alarms.pop(table, None):
            alarm.cancel()

    def _set_alarm(self, seat: Seat, record: str) -> None:
        hand = seat.hand(record)
        due = [ms for name in hand.places if (ms := hand.due_ms(name, STARTED_MS)) is not None]
        self._attend_later(seat.table, max(0, min(due) - now_ms()) / 1000 if due else None)

    def _attend_later(self, table: Table, seconds: float | None) -> None:
        """Set the table's alarm anew; None for none."""
        self._stop_alarm(table)
        if seconds is not None and table in self._tabs:
            self._alarms[table] = self._loop.call_later(seconds, self._attend_soon, table)

    def spread(self, telling: Telling) -> list[asyncio.Future]:
        """Begin to tell them all, awaiting nobody: a slow tab must not keep the others waiting.

        To be called under the lock: so everybody is told in the order in which things happened, and
        :meth:`news` knows what each was told before.
        """
        return [self._do(tab.tell(said)) for tab, said in telling]

    def changed(self, table: Table) -> None:
        """To be told by a page that writes a record: everybody at the table sees it after its commit.

        Pages run in threads of their own.
        """
        if self._loop:
            self._loop.call_soon_threadsafe(self._attend_soon, table)

    def _attend_soon(self, table: Table) -> None:
        self._do(self._attend(table))

    def _do(self, coroutine) -> asyncio.Future:
        task = asyncio.ensure_future(coroutine)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def _attend(self, table: Table) -> None:
        """Play what is due at a table and tell everybody, as soon as nobody else writes."""
        async with lock2:
            self.spread(self._attended(table))

    def _attended(self, table: Table) -> Telling:
        """What :meth:`_attend` does under the lock; it awaits nothing (see ``store``)."""
        try:
            there, elsewhere = {}, []
            for tab in self._tabs.get(table, ()):
                found = store.read(tab.seat.key)
                if found and found[1] == tab.seat.page_index:
                    there[tab] = found[0]
                else:
                    elsewhere.append(tab)
            telling = self._told_at(there) if there else []
            store.settle()
            return telling + [(tab, ELSEWHERE) for tab in elsewhere]
        except Exception:
            logger.exception("looking after the hand in %s", table)
            self._attend_later(table, ANOTHER_TRY)
            return []

    def _told_at(self, there: dict[Tab, str]) -> Telling:
        tab, record = next(iter(there.items()))
        now = now_ms()
        if tab.seat.due(record, now):
            record = add(tab.seat, record, [], now)
        return [(tab, said) for tab, said in self.news(tab.seat, record) if tab in there]


def _alike(said: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether a tab that was told ``before`` would learn nothing but the time."""

    def news(message: dict[str, Any]) -> list[Any]:
        return [*map(message.get, ("next", "view", "over")), message.get("wait", {}).get("away")]

    return news(said) == news(before)


tables = Tables()
