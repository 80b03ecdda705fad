"""The tables at which hands are played: who is connected to which hand, and what is played there.

Whatever one seat does, every tab of every seat sees; where the server has to play for somebody who
stays away, it does so in time, as long as anybody looks on (who looks later finds it done then).

Where a robot has to search, the engine is asked as soon as a tab is told of it, and told no more than once;
its answer goes the way of everybody's.

Where several play, each tab is asked again and again whether its page is there: a computer that is switched
off, or a cable that is pulled, says no good-bye, and the connection would seem to stand for a minute.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from dataclasses import replace
from functools import partial
from typing import Any

from cardlab.core.engine_pool import Engine, engine_of
from cardlab.core.transitions import RELOAD, EngineAnswer
from cardlab.games.hand import Hand
from cardlab.guard.rate_limits import TABS_PER_SEAT
from cardlab.live.client import Client, close, start_task
from cardlab.live.group_commit import GroupCommit
from cardlab.live.presence import Presence
from cardlab.live.seat import Seat
from cardlab.live.service import Answer, Service

logger = logging.getLogger("cardlab.hand")

RETRY_SECONDS = 2.0  # seconds, after the database could not be written
PING_SECONDS = 1.25  # seconds between two questions to the tabs at a table that several people share
# So many questions after the last sign of life a seat is shown as not there: within 5 seconds. Counted in
# questions and not in seconds, so that nobody is taken for gone because the server itself stood still.
MAX_MISSED_PINGS = 4

Messages = list[tuple[Client, dict[str, Any]]]  # whom to tell what
Question = tuple[str, str]  # the robot's seat, and what its engine is asked


class HandHub:
    """The tabs at each table, when the server next has to play there, and what an engine is asked for it."""

    def __init__(
        self, service: Service, engine: Engine, group_commit: GroupCommit, presence: Presence
    ) -> None:
        self.service, self.engine = service, engine
        self._group_commit, self._presence = group_commit, presence
        self._clients: defaultdict[str, list[Client]] = defaultdict(list)  # by the name of the hand
        self._alarms: dict[str, asyncio.TimerHandle] = {}
        self._searches: dict[str, tuple[Question, asyncio.Future]] = {}  # what the engine is asked at present
        self._missed_pings: dict[
            str, dict[str, int]
        ] = {}  # by hand and seat: questions since the last sign of life
        self._loop: asyncio.AbstractEventLoop | None = None  # of all sockets, since the first came

    def join(self, tab: Client, hand: Hand) -> Messages:
        """Take a tab in; what the others at its table are to be told of that."""
        self._loop = self._loop or asyncio.get_running_loop()
        self._clients[tab.seat.key.hand].append(tab)
        self._close_the_oldest(tab.seat)
        self._start_pinging(hand, tab.seat.key.hand)
        self.note_sign_of_life(tab)
        return self.messages_to_others(tab.seat.key.hand, hand, but=tab)

    def _close_the_oldest(self, seat: Seat) -> None:
        """Close the oldest tabs of a seat that has too many open; they say that it is open elsewhere."""
        mine = [tab for tab in self._clients[seat.key.hand] if tab.seat.name == seat.name]
        for tab in mine[:-TABS_PER_SEAT]:
            self.leave(tab)
            start_task(self._end(tab))

    @staticmethod
    async def _end(tab: Client) -> None:
        await tab.send({"second_tab": tab.seat.second_tab})
        await close(tab.websocket)

    def connected_seats(self, hand_id: str) -> set[str]:
        """The seats at a table whose participants are connected."""
        return {tab.seat.name for tab in self._clients.get(hand_id, ())}

    def is_open_elsewhere(self, seat: Seat, name: str) -> bool:
        """Whether the participant of a seat has it open in another tab than the one called ``name``."""
        others = (tab.name for tab in self._clients.get(seat.key.hand, ()) if tab.seat.name == seat.name)
        return any(not name or other != name for other in others)

    def is_joined(self, tab: Client) -> bool:
        """Whether a tab that came has neither left nor been silent for so long that it counts as gone."""
        return tab in self._clients.get(tab.seat.key.hand, ())

    def last_seen_ms(self, participant_code: str) -> int:
        """When a participant was last connected, on whatever page."""
        return self._presence.last_seen_ms(participant_code)

    def leave(self, tab: Client) -> None:
        if not self.is_joined(tab):
            return
        hand_id = tab.seat.key.hand
        self._clients[hand_id].remove(tab)
        self._presence.was_seen(tab.seat.participant_code)
        if not self._clients[hand_id]:
            del self._clients[hand_id]
            self._stop_alarm(hand_id)

    def extend(self, participant_code: str, deadline: float) -> None:
        """The time limit of the page that a participant is on is up later."""
        for tabs in self._clients.values():
            for tab in tabs:
                if tab.seat.participant_code == participant_code and tab.seat.deadline is not None:
                    tab.seat = replace(tab.seat, deadline=deadline)

    # Who is there.

    def note_sign_of_life(self, tab: Client) -> None:
        """A tab has given a sign of life."""
        asked = self._missed_pings.get(tab.seat.key.hand, {})
        if tab.seat.name in asked:
            asked[tab.seat.name] = 0

    def silent_seats(self, hand_id: str) -> set[str]:
        """The seats at a table of whose participants nothing has been heard for some seconds."""
        return {
            seat for seat, times in self._missed_pings.get(hand_id, {}).items() if times >= MAX_MISSED_PINGS
        }

    def _start_pinging(self, hand: Hand, hand_id: str) -> None:
        """Who plays alone, or with robots, is not asked: nobody waits for them."""
        if len(hand.human_seats) > 1 and hand_id not in self._missed_pings:
            self._missed_pings[hand_id] = dict.fromkeys(hand.human_seats, 0)
            self._loop.call_later(PING_SECONDS, self._ping, hand_id)

    def _ping(self, hand_id: str) -> None:
        """Asks all tabs at a table, and removes those that have been silent for too long.

        If one of them sends something after all, it joins again (:mod:`cardlab.live.hand_socket`).
        """
        asked = self._missed_pings[hand_id]
        for seat in asked:
            asked[seat] += 1
        gone = [seat for seat, times in asked.items() if times == MAX_MISSED_PINGS]
        for tab in [tab for tab in self._clients.get(hand_id, ()) if tab.seat.name in gone]:
            self.leave(tab)
        if hand_id not in self._clients:
            del self._missed_pings[hand_id]
            return
        if gone:
            self._play_due_soon(hand_id)
        for tab in self._clients[hand_id]:
            tab.ping()
        self._loop.call_later(PING_SECONDS, self._ping, hand_id)

    # What is told, and what the server plays.

    def messages_to_others(self, hand_id: str, hand: Hand, but: Client | None = None) -> Messages:
        """What the tabs at a table, ``but`` for one, are to be told; the alarm is set anew, and the engine is
        asked, if a robot has to search by now."""
        self._set_alarm(hand_id, hand)
        self._start_search_if_due(hand_id, hand)
        others = [tab for tab in self._clients.get(hand_id, ()) if tab is not but]
        telling = [(tab, self.service.message_for(tab.seat, hand)) for tab in others]
        # Who sees nothing new is told nothing: that another changed a secret choice is a secret too.
        return [(tab, said) for tab, said in telling if not _shows_the_same(said, tab.told)]

    def _stop_alarm(self, hand_id: str) -> None:
        if alarm := self._alarms.pop(hand_id, None):
            alarm.cancel()

    def _set_alarm(self, hand_id: str, hand: Hand) -> None:
        """For when the server next plays, or a participant may choose what happens about an absent one."""
        now, due_ms = self.service.time_at(hand), self.service.due_ms(hand)
        moments = [] if due_ms is None else [max(now, due_ms)]
        for tab in self._clients.get(hand_id, ()):
            moments += [ms for ms in self.service.choice_ms(tab.seat, hand).values() if ms > now]
        self._set_timer(hand_id, (min(moments) - now) / 1000 if moments else None)

    def _set_timer(self, hand_id: str, seconds: float | None) -> None:
        """Set the table's alarm anew; None for none."""
        self._stop_alarm(hand_id)
        if seconds is not None and hand_id in self._clients:
            self._alarms[hand_id] = self._loop.call_later(seconds, self._play_due_soon, hand_id)

    def retry_soon(self, hand_id: str) -> None:
        """After a write that failed, and of which nobody knows whether it is kept: soon all are told."""
        self._set_timer(hand_id, RETRY_SECONDS)

    def send_all(self, telling: Messages) -> list[asyncio.Future]:
        """Begin to tell them all, awaiting nobody: a slow tab must not keep the others waiting.

        To be called under the lock: so everybody is told in the order in which things happened, and
        :meth:`news` knows what each was told before.
        """
        return [tab.send(said) for tab, said in telling]

    def record_changed(self, hand_id: str) -> None:
        """To be told by a page that writes a record: everybody at the table sees it after its commit.

        Pages run in threads of their own.
        """
        if self._loop:
            self._loop.call_soon_threadsafe(self._play_due_soon, hand_id)

    def _play_due_soon(self, hand_id: str) -> None:
        start_task(self._play_due(hand_id))

    async def _play_due(self, hand_id: str) -> None:
        """Play what is due at a table and tell everybody, as soon as nobody else writes."""
        elsewhere: list[Client] = []
        asked = partial(self._handle_due, hand_id, elsewhere), partial(self._respond, hand_id, elsewhere)
        # In the order of the moves: one may come too late.
        await self._group_commit.submit(*asked, is_move=True)

    def _handle_due(
        self,
        hand_id: str,
        elsewhere: list[Client],
        seat: Seat | None = None,
        found: EngineAnswer | None = None,
    ) -> Answer:
        """Play what is due, for a seat that looks on, else for ``seat``; and find who is on another page by
        now."""
        tabs = self._clients.get(hand_id, ())
        there = [tab for tab in tabs if self.service.hand(tab.seat)]
        elsewhere[:] = [tab for tab in tabs if tab not in there]
        seat = there[0].seat if there else seat
        return self.service.play_due_and_write(seat, found) if seat else Answer(RELOAD)

    def _respond(self, hand_id: str, elsewhere: list[Client], answer: Answer | Exception) -> None:
        """Begin to tell them."""
        if isinstance(answer, Exception):
            logger.error("looking after the hand %s", hand_id, exc_info=answer)
            self.retry_soon(hand_id)
            return
        news = self.messages_to_others(hand_id, answer.hand) if answer.hand else []
        self.send_all([(tab, said) for tab, said in news if tab not in elsewhere])
        self.send_all([(tab, RELOAD) for tab in elsewhere])

    # What the engine is asked.

    def _start_search_if_due(self, hand_id: str, hand: Hand) -> None:
        """Ask the engine, if a robot has to search, and not again what it is asked already."""
        question = next(iter(hand.engine_questions.items()), None)
        asked, search = self._searches.get(hand_id, (None, None))
        if search and question != asked:
            search.cancel()
            del self._searches[hand_id]
        if question and question != asked and hand_id in self._clients:
            seat = self._clients[hand_id][0].seat
            self._searches[hand_id] = question, self._start_search(hand_id, seat, question)

    def _start_search(self, hand_id: str, seat: Seat, question: Question) -> asyncio.Future:
        return start_task(self._search(hand_id, seat, question))

    async def _search(self, hand_id: str, seat: Seat, question: Question) -> None:
        """Ask, and have the answer written and told; written too if nobody looks on any more, as long as the
        participant in ``seat`` is at the page."""
        action = await self.engine.search(engine_of(seat.page.rules), question[1])
        elsewhere: list[Client] = []
        await self._group_commit.submit(
            partial(self._handle_due, hand_id, elsewhere, seat, EngineAnswer(*question, action)),
            partial(self._respond_to_engine, hand_id, elsewhere, question),
            is_move=True,
        )

    def _respond_to_engine(
        self, hand_id: str, elsewhere: list[Client], question: Question, answer: Answer | Exception
    ) -> None:
        """Begin to tell them; from now on the engine may be asked again, as it must be if this failed."""
        if self._searches.get(hand_id, (None, None))[0] == question:
            del self._searches[hand_id]
        self._respond(hand_id, elsewhere, answer)


def _shows_the_same(said: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether a tab that was told ``before`` would learn nothing but the time."""

    def shown(message: dict[str, Any]) -> list[Any]:
        wait = message.get("wait", {})
        told = *map(message.get, ("next", "view", "over", "paused")), *map(wait.get, ("away", "choice"))
        return [*told]

    return shown(said) == shown(before)
