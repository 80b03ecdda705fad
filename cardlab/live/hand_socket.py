"""The WebSocket over which a browser plays a hand: ``/hand/<participant code>/<page index>``.

Messages are committed in batches and answered only after the commit (:mod:`cardlab.live.group_commit`).
oTree's live pages answer before the commit and are slower (docs/explanation/performance.md).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from functools import partial
from gettext import gettext as _
from typing import Any

from otree.database import session_scope
from starlette.websockets import WebSocket

from cardlab.core.hand_cache import UnreadableRecord
from cardlab.core.transitions import RELOAD
from cardlab.games.events import SECOND_TAB_PLAYS
from cardlab.games.language import SERVERS, in_language
from cardlab.games.shared_settings import TELL
from cardlab.guard import log_masking
from cardlab.live import absent_partners
from cardlab.live import seat as seats
from cardlab.live.batch import Answer
from cardlab.live.client import PING, PONG, Client, close, ignoring_disconnect, page_in, send
from cardlab.live.hand_hub import Messages
from cardlab.live.lab import LAB
from cardlab.live.seat import Seat

logger = logging.getLogger("cardlab.hand")

MAX_NAME_LENGTH = 40  # characters of a tab's id


async def hand_socket(websocket: WebSocket) -> None:
    """Serves one browser tab at one hand."""
    with ignoring_disconnect(websocket):
        await websocket.accept()
        query = websocket.query_params
        name, takes_over = query.get("tab", "")[:MAX_NAME_LENGTH], query.get("here") == "1"
        arrival = HandConnection(websocket, **websocket.path_params, name=name, takes_over=takes_over)
        try:
            await _play(websocket, arrival)
        finally:
            if arrival.client:
                LAB.hub.leave(arrival.client)


async def _play(websocket: WebSocket, arrival: HandConnection) -> None:
    """Answers the messages of a tab until it disconnects or may not play.

    A tab that was removed for missed pings rejoins with its next message. Its connection stays open, so that
    a page that was only busy loses nothing.
    """
    await arrival.join()
    while arrival.client:
        frame = await websocket.receive()
        if frame["type"] == "websocket.disconnect":
            return
        text = frame.get("text")
        if (page_index := page_in(text)) is not None:
            await arrival.move_to(page_index)
            continue
        if not LAB.hub.is_joined(arrival.client):
            await arrival.join()
        if not (client := arrival.client):
            break
        LAB.hub.reset_missed_pings(client)
        if text == PING:  # a waiting page checks its connection
            await send(websocket, PONG)
        elif text != PONG:
            is_choice = isinstance(text, str) and '"choice"' in text and absent_partners.is_choice(text)
            receive = absent_partners.choose_and_write if is_choice else LAB.service.receive_and_write
            respond = partial(_respond, client, text)  # returns the delivery to this tab only
            handle, code = partial(receive, client.seat, text), client.seat.participant_code
            await (await LAB.group_commit.submit(handle, respond, code, is_move=True))
    await close(websocket)


class HandConnection:
    """A tab that connects. It joins under the lock, so that it misses no message.

    ``client`` is the tab at the hand, None if it may not play.

    Args:
        websocket: the connection.
        code: the participant's code.
        page_index: oTree's index of the page that the tab shows.
        name: the tab's id.
        takes_over: whether the participant wants to play in this tab although the seat is open elsewhere.
    """

    def __init__(self, websocket: WebSocket, code: str, page_index: int, name: str, takes_over: bool) -> None:
        self.websocket, self.code, self.page_index = websocket, code, page_index
        self.name, self.takes_over = name, takes_over
        self.seat: Seat | None = None
        self.client: Client | None = None

    async def join(self) -> None:
        """Joins or rejoins the hand."""
        await (await LAB.group_commit.submit(self.handle, self.respond, self.code))

    async def move_to(self, page_index: int) -> None:
        """Leaves the hand, and joins the hand of the page that the tab now shows."""
        if self.client:
            LAB.hub.leave(self.client)
        self.page_index, self.seat, self.client = page_index, None, None
        await self.join()

    def handle(self) -> Answer:
        """Finds the seat and connects to its hand; the answer includes the hand if the tab may play."""
        seat = self.seat = LAB.prepared_seats.find(self.code, self.page_index) or self._find_seat()
        if seat is None:
            return Answer(RELOAD)
        if not LAB.hub.is_open_elsewhere(seat, self.name):
            return LAB.service.connect_and_write(seat)
        if self._may_play_here(seat):
            return LAB.service.connect_and_write(seat, SECOND_TAB_PLAYS)
        return LAB.service.note_second_tab_and_write(seat)

    def _find_seat(self) -> Seat | None:
        with session_scope():
            return seats.find_seat(self.code, self.page_index)

    def _may_play_here(self, seat: Seat) -> bool:
        """Returns whether the tab may play in a seat that is open elsewhere."""
        return self.takes_over and seat.second_tab == TELL

    def respond(self, answer: Answer | Exception) -> Awaitable[None]:
        """Sends the answer and notifies the other clients; returns the delivery to this tab."""
        name = log_masking.name_of(self.code)
        message = _message(answer, self.seat, "%s connecting to page %s", name, self.page_index)
        previous, self.client = self.client, None
        seat, hand = self.seat, None if isinstance(answer, Exception) else answer.hand
        if hand is None or seat is None:
            return send(self.websocket, message)
        if LAB.hub.is_open_elsewhere(seat, self.name) and not self._may_play_here(seat):
            # Of two tabs in one batch, the first has the seat.
            return send(self.websocket, {"second_tab": seat.second_tab})
        LAB.rate_limits.add_known_codes([self.code])
        client = self.client = previous or Client(self.websocket, seat, self.name)
        client.seat = seat
        delivery, *_rest = LAB.hub.send_all([(client, message), *LAB.hub.join(client, hand)])
        return delivery


def _respond(client: Client, text: str | None, answer: Answer | Exception) -> Awaitable[None]:
    absent_partners.notify(answer)
    seat = client.seat
    name = log_masking.name_of(seat.participant_code)
    message = _message(answer, seat, "%s, hand %s, message %.200r", name, seat.hand_number, text)
    messages: Messages = [(client, message)]
    if isinstance(answer, Answer) and answer.hand:
        messages += LAB.hub.messages_to_others(seat.key.hand, answer.hand, sender=client)
    delivery, *_rest = LAB.hub.send_all(messages)
    return delivery


def _message(answer: Answer | Exception, seat: Seat | None, context: str, *details: Any) -> dict[str, Any]:
    """Returns the message of an answer; logs an exception with ``context``, and returns a sentence for it."""
    if isinstance(answer, Answer):
        return answer.message
    with in_language(seat.language if seat else SERVERS):
        return _message_of_error(answer, seat, context, *details)


def _message_of_error(error: Exception, seat: Seat | None, context: str, *details: Any) -> dict[str, Any]:
    if isinstance(error, UnreadableRecord) and seat:
        return _report_damage(seat, error)
    logger.error(context, *details, exc_info=error)
    if seat:
        LAB.hub.retry_soon(seat.key.hand)
    return {"refused": _("Your move could not be saved. Please try again, or ask for help.")}


def _report_damage(seat: Seat, damage: UnreadableRecord) -> dict[str, Any]:
    """Notifies the researcher of an unreadable record; returns the message to the participant."""
    logger.error("%s, hand %s: %s", log_masking.name_of(seat.participant_code), seat.hand_number, damage)
    sentence = f"Hand {seat.hand_number} of participant {seat.participant_code} cannot be read: {damage}"
    LAB.service.tell_researcher(seat.key.session_id, sentence)
    return {"refused": _("This page cannot be shown because its data are damaged. Please ask for help.")}
