"""The tables at which hands are played: who is connected to which hand, and what is played there.

Whatever one seat does, every tab of every seat sees; where the server has to play for somebody who
stays away, it does so in time, as long as anybody looks on (who looks later finds it done then).
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import Any

from otree.middleware import lock2

from experiment import store
from experiment.play import ELSEWHERE
from experiment.seat import Seat, Table
from experiment.service import SERVICE
from experiment.tab import Tab, under_way
from games.hand import Hand

logger = logging.getLogger("cardlab.hand")

ANOTHER_TRY = 2.0  # seconds, after the database could not be written

News = list[tuple[Tab, dict[str, Any]]]  # whom to tell what


class Tables:
    """The tabs at each table, and when the server next has to play there."""

    def __init__(self) -> None:
        self._tabs: defaultdict[Table, list[Tab]] = defaultdict(list)
        self._alarms: dict[Table, asyncio.TimerHandle] = {}
        self._loop: asyncio.AbstractEventLoop | None = None  # of all sockets, since the first came

    def joined(self, tab: Tab, hand: Hand) -> News:
        """Take a tab in; what the others at its table are to be told of that."""
        self._loop = asyncio.get_running_loop()
        self._tabs[tab.seat.table].append(tab)
        try:
            return self.news(tab.seat.table, hand, but=tab)
        except Exception:
            self.leave(tab)
            raise

    def seats_at(self, table: Table) -> set[str]:
        """The seats at a table whose participants are connected."""
        return {tab.seat.name for tab in self._tabs.get(table, ())}

    def is_elsewhere(self, seat: Seat, name: str) -> bool:
        """Whether the participant of a seat has it open in another tab than the one called ``name``."""
        others = (tab.name for tab in self._tabs.get(seat.table, ()) if tab.seat.name == seat.name)
        return any(not name or other != name for other in others)

    def leave(self, tab: Tab) -> None:
        table = tab.seat.table
        self._tabs[table].remove(tab)
        if not self._tabs[table]:
            del self._tabs[table]
            self._stop_alarm(table)

    def news(self, table: Table, hand: Hand, but: Tab | None = None) -> News:
        """What the tabs at a table, ``but`` for one, are to be told; the alarm is set anew."""
        self._set_alarm(table, hand)
        others = [tab for tab in self._tabs.get(table, ()) if tab is not but]
        telling = [(tab, SERVICE.told(tab.seat, hand)) for tab in others]
        # Who sees nothing new is told nothing: that another changed a secret choice is a secret too.
        return [(tab, said) for tab, said in telling if not _alike(said, tab.told)]

    def _stop_alarm(self, table: Table) -> None:
        if alarm := self._alarms.pop(table, None):
            alarm.cancel()

    def _set_alarm(self, table: Table, hand: Hand) -> None:
        due_ms = SERVICE.due_ms(hand)
        seconds = None if due_ms is None else max(0, due_ms - SERVICE.time_at(hand)) / 1000
        self._attend_later(table, seconds)

    def _attend_later(self, table: Table, seconds: float | None) -> None:
        """Set the table's alarm anew; None for none."""
        self._stop_alarm(table)
        if seconds is not None and table in self._tabs:
            self._alarms[table] = self._loop.call_later(seconds, self._attend_soon, table)

    def spread(self, telling: News) -> list[asyncio.Future]:
        """Begin to tell them all, awaiting nobody: a slow tab must not keep the others waiting.

        To be called under the lock: so everybody is told in the order in which things happened, and
        :meth:`news` knows what each was told before.
        """
        return [tab.tell(said) for tab, said in telling]

    def changed(self, table: Table) -> None:
        """To be told by a page that writes a record: everybody at the table sees it after its commit.

        Pages run in threads of their own.
        """
        if self._loop:
            self._loop.call_soon_threadsafe(self._attend_soon, table)

    def _attend_soon(self, table: Table) -> None:
        under_way(self._attend(table))

    async def _attend(self, table: Table) -> None:
        """Play what is due at a table and tell everybody, as soon as nobody else writes."""
        async with lock2:
            self.spread(self._attended(table))

    def _attended(self, table: Table) -> News:
        """What :meth:`_attend` does under the lock; it awaits nothing (see ``store``)."""
        try:
            there, elsewhere = {}, []
            for tab in self._tabs.get(table, ()):
                record = SERVICE.read(tab.seat)
                if record:
                    there[tab] = record
                else:
                    elsewhere.append(tab)
            telling = self._told_at(there) if there else []
            store.end_transaction()
            return telling + [(tab, ELSEWHERE) for tab in elsewhere]
        except Exception:
            logger.exception("looking after the hand in %s", table)
            self._attend_later(table, ANOTHER_TRY)
            return []

    def _told_at(self, there: dict[Tab, str]) -> News:
        tab, record = next(iter(there.items()))
        hand = SERVICE.attend_and_write(tab.seat, record)
        return [(tab, said) for tab, said in self.news(tab.seat.table, hand) if tab in there]


def _alike(said: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether a tab that was told ``before`` would learn nothing but the time."""

    def news(message: dict[str, Any]) -> list[Any]:
        return [*map(message.get, ("next", "view", "over")), message.get("wait", {}).get("away")]

    return news(said) == news(before)


tables = Tables()
SERVICE.connections = tables
