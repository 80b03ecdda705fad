"""The connected clients of each hand: broadcasts views, pings clients, and triggers moves by the server.

After each action all clients at the hand get the new view. While a client is connected, a timer plays for
robots and absent participants as soon as a move is due. Otherwise due moves are played at the next connect.

If a robot has to search, the engine gets the question, once, when a client is sent the position. Its answer
is handled like a move.

At a hand with several participants each client is pinged, because a computer that is switched off or
unplugged leaves its connection open for about a minute.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from cardlab.core.engine_pool import EnginePool, engine_of
from cardlab.core.transitions import RELOAD, EngineAnswer
from cardlab.games.hand import Hand
from cardlab.guard.rate_limits import TABS_PER_SEAT
from cardlab.live.batch import Answer
from cardlab.live.client import Client, close, start_task
from cardlab.live.group_commit import GroupCommit
from cardlab.live.hand_service import HandService
from cardlab.live.presence import Presence
from cardlab.live.seat import Seat

logger = logging.getLogger("cardlab.hand")

RETRY_SECONDS = 2.0  # after a failed commit
PING_SECONDS = 1.25  # between two pings
# A seat with this many unanswered pings is shown as away: after 5 seconds. Counting pings instead of seconds
# avoids false alarms while the server itself is blocked.
MAX_MISSED_PINGS = 4

Messages = list[tuple[Client, dict[str, Any]]]
Question = tuple[str, str]  # the robot's seat, and the question to its engine


class HandHub:
    """The clients of each hand, its timer, and the question that the engine is searching for it."""

    def __init__(
        self, service: HandService, engine: EnginePool, group_commit: GroupCommit, presence: Presence
    ) -> None:
        self.service, self.engine = service, engine
        self._group_commit, self._presence = group_commit, presence
        self._clients: defaultdict[str, list[Client]] = defaultdict(list)  # by hand
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._searches: dict[str, tuple[Question, asyncio.Future[None]]] = {}
        self._missed_pings: dict[str, dict[str, int]] = {}  # by hand and seat
        self._event_loop: asyncio.AbstractEventLoop | None = None  # set by the first socket

    @property
    def _loop(self) -> asyncio.AbstractEventLoop:
        self._event_loop = self._event_loop or asyncio.get_running_loop()
        return self._event_loop

    # Connections.

    def join(self, client: Client, hand: Hand) -> Messages:
        """Adds a client to its hand; returns the messages to the other clients."""
        hand_id, event_loop = client.seat.key.hand, self._loop  # record_changed needs it, from other threads
        self._clients[hand_id].append(client)
        self._close_oldest(client.seat)
        if len(hand.human_seats) > 1 and hand_id not in self._missed_pings:
            self._missed_pings[hand_id] = dict.fromkeys(hand.human_seats, 0)
            event_loop.call_later(PING_SECONDS, self._ping, hand_id)
        self.reset_missed_pings(client)
        return self.messages_to_others(hand_id, hand, sender=client)

    def _close_oldest(self, seat: Seat) -> None:
        """Closes the oldest surplus clients of a seat; their pages say that it is open elsewhere."""
        clients = [client for client in self._clients[seat.key.hand] if client.seat.name == seat.name]
        for client in clients[:-TABS_PER_SEAT]:
            self.leave(client)
            self._close_soon(client)

    def _close_soon(self, client: Client) -> None:
        start_task(self._close(client))

    @staticmethod
    async def _close(client: Client) -> None:
        await client.send({"second_tab": client.seat.second_tab})
        await close(client.websocket)

    def leave(self, client: Client) -> None:
        """Removes a client from its hand, unless it was removed before."""
        if not self.is_joined(client):
            return
        hand_id = client.seat.key.hand
        self._clients[hand_id].remove(client)
        self._presence.note_presence(client.seat.participant_code)
        if not self._clients[hand_id]:
            del self._clients[hand_id]
            self._cancel_timer(hand_id)

    def connected_seats(self, hand_id: str) -> set[str]:
        """Returns the seats at a hand whose participants are connected."""
        return {client.seat.name for client in self._clients.get(hand_id, ())}

    def is_open_elsewhere(self, seat: Seat, name: str) -> bool:
        """Returns whether the seat is open in a tab other than ``name``."""
        clients = self._clients.get(seat.key.hand, ())
        return any(client.seat.name == seat.name and (not name or client.name != name) for client in clients)

    def is_joined(self, client: Client) -> bool:
        """Returns whether a client is at its hand: it has neither left nor missed too many pings."""
        return client in self._clients.get(client.seat.key.hand, ())

    def last_seen_ms(self, participant_code: str) -> int:
        """Returns when a participant was last connected, on any page, in Unix milliseconds."""
        return self._presence.last_seen_ms(participant_code)

    def extend(self, participant_code: str, deadline: float) -> None:
        """Extends the time limit of a participant's page to ``deadline``, in Unix seconds."""
        for clients in self._clients.values():
            for client in clients:
                if client.seat.participant_code == participant_code and client.seat.deadline is not None:
                    client.seat = replace(client.seat, deadline=deadline)

    # Pings.

    def reset_missed_pings(self, client: Client) -> None:
        """Resets the count of unanswered pings of a client's seat."""
        missed = self._missed_pings.get(client.seat.key.hand, {})
        if client.seat.name in missed:
            missed[client.seat.name] = 0

    def silent_seats(self, hand_id: str) -> set[str]:
        """Returns the seats at a hand whose clients have missed too many pings."""
        missed = self._missed_pings.get(hand_id, {})
        return {seat for seat, count in missed.items() if count >= MAX_MISSED_PINGS}

    def _ping(self, hand_id: str) -> None:
        """Pings all clients at a hand, and removes those that have missed too many pings.

        A removed client joins again with its next message (:mod:`cardlab.live.hand_socket`).
        """
        missed = self._missed_pings[hand_id]
        for seat in missed:
            missed[seat] += 1
        silent = [seat for seat, count in missed.items() if count == MAX_MISSED_PINGS]
        for client in list(self._clients.get(hand_id, ())):
            if client.seat.name in silent:
                self.leave(client)
        if hand_id not in self._clients:
            del self._missed_pings[hand_id]
            return
        if silent:
            self._play_due_soon(hand_id)
        for client in self._clients[hand_id]:
            client.ping()
        self._loop.call_later(PING_SECONDS, self._ping, hand_id)

    # Broadcasts, and moves by the server.

    def messages_to_others(self, hand_id: str, hand: Hand, sender: Client | None = None) -> Messages:
        """Returns the messages to all clients except the sender; sets the timer and starts the engine.

        A client whose view is unchanged gets none, because a message would reveal a changed secret choice.
        """
        self._schedule_next_move(hand_id, hand)
        self._start_search_if_due(hand_id, hand)
        others = (client for client in self._clients.get(hand_id, ()) if client is not sender)
        messages = [(client, self.service.message_for(client.seat, hand)) for client in others]
        return [
            (client, message)
            for client, message in messages
            if not _is_same_view(message, client.last_message)
        ]

    def send_all(self, messages: Messages) -> list[asyncio.Future[None]]:
        """Starts to send messages without waiting, so that a slow client does not delay the others.

        Call it under the lock. Then messages are sent in the order of events, and
        :meth:`messages_to_others` knows each client's last message.
        """
        return [client.send(message) for client, message in messages]

    def _cancel_timer(self, hand_id: str) -> None:
        if timer := self._timers.pop(hand_id, None):
            timer.cancel()

    def _schedule_next_move(self, hand_id: str, hand: Hand) -> None:
        """Sets the timer to the next move of the server or choice about an absent co-player."""
        now, due_ms = self.service.time_at(hand), self.service.due_ms(hand)
        moments = [] if due_ms is None else [max(now, due_ms)]
        for client in self._clients.get(hand_id, ()):
            moments += [ms for ms in self.service.choice_ms(client.seat, hand).values() if ms > now]
        self._set_timer(hand_id, (min(moments) - now) / 1000 if moments else None)

    def _set_timer(self, hand_id: str, seconds: float | None) -> None:
        """Replaces a hand's timer; None for none."""
        self._cancel_timer(hand_id)
        if seconds is not None and hand_id in self._clients:
            self._timers[hand_id] = self._loop.call_later(seconds, self._play_due_soon, hand_id)

    def retry_soon(self, hand_id: str) -> None:
        """Schedules a broadcast, because a commit that seemed to fail may have succeeded."""
        self._set_timer(hand_id, RETRY_SECONDS)

    def record_changed(self, hand_id: str) -> None:
        """Schedules a broadcast after a page's commit, from the page's thread."""
        if self._event_loop:
            self._event_loop.call_soon_threadsafe(self._play_due_soon, hand_id)

    def _play_due_soon(self, hand_id: str) -> None:
        start_task(self._play_due(hand_id))

    async def _play_due(self, hand_id: str) -> None:
        elsewhere: list[Client] = []
        await self._group_commit.submit(
            partial(self._handle_due, hand_id, elsewhere),
            partial(self._respond, hand_id, elsewhere),
            is_move=True,  # keeps the order: a move may arrive after its time limit
        )

    def _handle_due(
        self,
        hand_id: str,
        elsewhere: list[Client],
        seat: Seat | None = None,
        engine_answer: EngineAnswer | None = None,
    ) -> Answer:
        """Plays due moves, through a connected seat or else ``seat``.

        Fills ``elsewhere`` with the clients whose participants are on another page.
        """
        clients = self._clients.get(hand_id, ())
        at_hand = [client for client in clients if self.service.hand(client.seat)]
        elsewhere[:] = [client for client in clients if client not in at_hand]
        seat = at_hand[0].seat if at_hand else seat
        return self.service.play_due_and_write(seat, engine_answer) if seat else Answer(RELOAD)

    def _respond(self, hand_id: str, elsewhere: Iterable[Client], answer: Answer | Exception) -> None:
        if isinstance(answer, Exception):
            logger.error("What is due in hand %s could not be played; retrying.", hand_id, exc_info=answer)
            self.retry_soon(hand_id)
            return
        messages = self.messages_to_others(hand_id, answer.hand) if answer.hand else []
        self.send_all([(client, message) for client, message in messages if client not in elsewhere])
        self.send_all([(client, RELOAD) for client in elsewhere])

    # Searches of the engine.

    def _start_search_if_due(self, hand_id: str, hand: Hand) -> None:
        """Starts a search if a robot needs one and the same question is not being searched."""
        question = next(iter(hand.engine_questions.items()), None)
        current, search = self._searches.get(hand_id, (None, None))
        if search and question != current:
            search.cancel()
            del self._searches[hand_id]
        if question and question != current and hand_id in self._clients:
            seat = self._clients[hand_id][0].seat
            self._searches[hand_id] = question, self._start_search(hand_id, seat, question)

    def _start_search(self, hand_id: str, seat: Seat, question: Question) -> asyncio.Future[None]:
        return start_task(self._search(hand_id, seat, question))

    async def _search(self, hand_id: str, seat: Seat, question: Question) -> None:
        """Searches, writes the answer and notifies all clients.

        No client needs to be connected, as long as the participant in ``seat`` is on the page.
        """
        reply = await self.engine.search(engine_of(seat.page.rules), question[1])
        elsewhere: list[Client] = []
        await self._group_commit.submit(
            partial(self._handle_due, hand_id, elsewhere, seat, EngineAnswer(*question, *(reply or ()))),
            partial(self._respond_to_engine, hand_id, elsewhere, question),
            is_move=True,
        )

    def _respond_to_engine(
        self, hand_id: str, elsewhere: list[Client], question: Question, answer: Answer | Exception
    ) -> None:
        """Notifies all clients, and allows another search if this one failed."""
        if self._searches.get(hand_id, (None, None))[0] == question:
            del self._searches[hand_id]
        self._respond(hand_id, elsewhere, answer)


def _is_same_view(message: dict[str, Any], last_message: dict[str, Any]) -> bool:
    """Returns whether a message differs from the client's last one only in its times."""

    def view_fields(fields: dict[str, Any]) -> list[Any]:
        wait = fields.get("wait", {})
        return [
            *map(fields.get, ("next", "view", "over", "paused")),
            *map(wait.get, ("away", "choice")),
        ]

    return view_fields(message) == view_fields(last_message)
