"""The hand socket: how a browser plays a hand.

``/hand/<participant code>/<page index>``, beside oTree's own sockets. oTree's live pages answer
before they commit and cost several milliseconds a message; here a message takes oTree's global lock,
together with all that wait for it, is folded, written and committed, and only then answered
(docs/architecture.md has the figures).
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
from cardlab.guard import log_masking, rate_limits
from cardlab.live import absent_partners
from cardlab.live import seat as seats
from cardlab.live.client import PING, PONG, Client, close, ignoring_disconnect, send
from cardlab.live.hand_hub import Messages
from cardlab.live.lab import LAB
from cardlab.live.seat import Seat
from cardlab.live.service import Answer
from cardlab.sessions.config import TELL

logger = logging.getLogger("cardlab.hand")


LONGEST_NAME = 40  # characters of what a tab calls itself


async def hand_socket(websocket: WebSocket) -> None:
    """One browser tab at one hand."""
    with ignoring_disconnect(websocket):
        await websocket.accept()
        asked = websocket.query_params
        name, here = asked.get("tab", "")[:LONGEST_NAME], asked.get("here") == "1"
        arrival = _Arrival(websocket, **websocket.path_params, name=name, here=here)
        try:
            await _play(websocket, arrival)
        finally:
            if arrival.tab:
                LAB.hub.leave(arrival.tab)


async def _play(websocket: WebSocket, arrival: _Arrival) -> None:
    """Answers the messages of a tab until it disconnects or may not play.

    A tab that was silent for so long that it counts as gone joins again when it sends something. Its
    connection stays open, because a page that only was busy would lose what its participant does meanwhile.
    """
    await arrival.join()
    while arrival.tab:
        frame = await websocket.receive()
        if frame["type"] == "websocket.disconnect":
            return
        if not LAB.hub.is_joined(arrival.tab):
            await arrival.join()
        if not (tab := arrival.tab):
            break
        LAB.hub.note_sign_of_life(tab)
        text = frame.get("text")
        if text == PING:  # a page that waits asks now and then whether the server is there
            await send(websocket, PONG)
        elif text != PONG:
            is_choice = absent_partners.is_choice(text) if text and '"choice"' in text else False
            receive = absent_partners.choose_and_write if is_choice else LAB.service.receive_and_write
            respond = partial(_answered, tab, text)  # awaits the answer to this tab only
            await (await LAB.group_commit.submit(partial(receive, tab.seat, text), respond, is_move=True))
    await close(websocket)


class _Arrival:
    """A tab that connects: it joins its table before anybody else moves, so that it misses nothing."""

    def __init__(self, websocket: WebSocket, code: str, page_index: int, name: str, here: bool) -> None:
        """``name`` is what the tab calls itself; ``here`` says that the person wants to play in it although
        the seat is open elsewhere."""
        self.websocket, self.code, self.page_index = websocket, code, page_index
        self.name, self.here = name, here
        self.seat: Seat | None = None
        self.tab: Client | None = None  # if it may play

    async def join(self) -> None:
        """Joins the table, or joins it again; :attr:`tab` is None if it may not."""
        await (await LAB.group_commit.submit(self.ask, self.answered))

    def ask(self) -> Answer:
        """What the tab is told; the hand comes with it if it may play."""
        with session_scope():
            seat = self.seat = seats.find_seat(self.code, self.page_index)
        if seat is None:
            return Answer(RELOAD)
        if not LAB.hub.is_open_elsewhere(seat, self.name):
            return LAB.service.connect_and_write(seat)
        if self._may_play_there(seat):
            return LAB.service.connect_and_write(seat, SECOND_TAB_PLAYS)
        return LAB.service.note_second_tab_and_write(seat)

    def _may_play_there(self, seat: Seat) -> bool:
        """Whether a tab may play in a seat that is open elsewhere."""
        return self.here and seat.second_tab == TELL

    def answered(self, answer: Answer | Exception) -> Awaitable[None]:
        """Begin to tell the tab, and the others at the table that somebody came."""
        said = _said(
            answer, self.seat, "%s connecting to page %s", log_masking.name_of(self.code), self.page_index
        )
        tab, self.tab = self.tab, None
        hand = None if isinstance(answer, Exception) else answer.hand
        if hand is None:
            return send(self.websocket, said)
        if LAB.hub.is_open_elsewhere(self.seat, self.name) and not self._may_play_there(self.seat):
            # Two came at once: whoever was served first has the seat.
            return send(self.websocket, {"second_tab": self.seat.second_tab})
        rate_limits.known_codes.add(self.code)
        self.tab = tab or Client(self.websocket, self.seat, self.name)
        self.tab.seat = self.seat
        sent, *_others = LAB.hub.send_all([(self.tab, said), *LAB.hub.join(self.tab, hand)])
        return sent


def _answered(tab: Client, text: str | None, answer: Answer | Exception) -> Awaitable[None]:
    """Begin to tell the tab the answer to its message, and the others at the table what is new to them."""
    absent_partners.notify(answer)
    seat = tab.seat
    name = log_masking.name_of(seat.participant_code)
    who = ("%s, hand %s, message %.200r", name, seat.hand_number, text)
    said = _said(answer, seat, *who)
    others: Messages = []
    if isinstance(answer, Answer) and answer.hand:
        others = LAB.hub.messages_to_others(seat.key.hand, answer.hand, but=tab)
    sent, *_others = LAB.hub.send_all([(tab, said), *others])
    return sent


def _said(answer: Answer | Exception, seat: Seat | None, *who: Any) -> dict[str, Any]:
    """What the browser is told of an answer; if there is none, why."""
    if isinstance(answer, Answer):
        return answer.said
    if isinstance(answer, UnreadableRecord) and seat:
        return _damaged(seat, answer)
    logger.error(*who, exc_info=answer)
    if seat:
        LAB.hub.retry_soon(seat.key.hand)
    return {"refused": _("This could not be saved. Please try again, or call for help.")}


def _damaged(seat: Seat, damage: UnreadableRecord) -> dict[str, Any]:
    """What the participant is told of a hand whose record cannot be read; the researcher is told too."""
    logger.error("%s, hand %s: %s", log_masking.name_of(seat.participant_code), seat.hand_number, damage)
    told = f"Hand {seat.hand_number} of participant {seat.participant_code} cannot be read: {damage}"
    LAB.service.tell_researcher(seat.key.session_id, told)
    return {"refused": _("This hand cannot be shown: what was kept of it is damaged. Please call for help.")}
