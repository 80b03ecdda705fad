"""The hand socket: how a browser plays a hand.

``/hand/<participant code>/<page index>``, beside oTree's own sockets. oTree's live pages answer
before they commit and cost several milliseconds a message; here a message takes oTree's global lock,
is folded, written and committed, and only then answered (docs/architecture.md has the figures).

:func:`sit_down` and :func:`receive` are what the socket calls, and what bots call without a socket.
"""

from __future__ import annotations

import logging
from gettext import gettext as _
from typing import Any

from otree.channels.utils import wrap_websocket_send
from otree.common import get_models_module
from otree.database import session_scope
from otree.lookup import get_page_lookup
from otree.middleware import lock2
from otree.models import Participant
from starlette.websockets import WebSocket

from experiment import store
from experiment.clock import now_ms
from experiment.hand import ARRIVE, opened, play
from experiment.message import Malformed, parse
from experiment.pages import BoardPage
from experiment.tables import ELSEWHERE, Seat, Tab, Telling, add, tables, tell
from games.contract import Event

logger = logging.getLogger("cardlab.hand")


PING, PONG = "ping", "pong"  # a page that waits asks now and then whether the server is there


def _sorry() -> str:
    return _("This could not be saved. Please try again, or call for help.")


def sit_down(participant_code: str, page_index: int) -> Seat | None:
    """The seat of a participant who is on this hand page now, None if they are elsewhere."""
    if not participant_code.isalnum():
        return None
    participant = Participant.objects_first(code=participant_code)
    if participant is None or participant._index_in_pages != page_index:
        return None
    if page_index > participant._max_page_index:
        return None
    lookup = get_page_lookup(participant._session_code, page_index)
    page = lookup.page_class
    if not issubclass(page, BoardPage):
        return None
    player = get_models_module(lookup.app_name).Player.objects_get(
        participant=participant, round_number=lookup.round_number
    )
    row = page.row(player)
    timed = participant._timeout_page_index == page_index
    return Seat(
        page,
        store.Key(row.__tablename__, page.record_field, row.id, participant.id),
        page_index,
        page.seat(player),
        page.hand_number(player),
        page.opening(player),
        participant._timeout_expiration_time if timed else None,
        participant.code,
    )


def first_look(seat: Seat) -> tuple[dict[str, Any], str]:
    """The hand as the participant finds it on connecting, and its record; it begins when first shown."""
    found = store.read(seat.key)
    if found is None or found[1] != seat.page_index:
        return ELSEWHERE, ""
    record = _looked_at(seat, found[0])
    return seat.answer(record), record


def _looked_at(seat: Seat, record: str) -> str:
    """The record, written if the look changed it."""
    now, events = now_ms(), []
    shown_before = bool(record)
    if not shown_before:
        record = opened(seat.opening, now)
    hand = seat.hand(record)
    if hand.places[seat.name].came_ms is None and len(hand.places) > 1:
        events = [Event(None, seat.name, ARRIVE, None, now, None)]
    elif shown_before and hand.takes_asides:
        events = [Event(None, seat.name, "reconnect", None, now, None)]
    if hand.over_for(seat.name) or not (events or not shown_before or seat.due(record, now)):
        return record
    return add(seat, record, events, now)


def receive(seat: Seat, text: Any) -> tuple[dict[str, Any], str]:
    """What to answer to a message, and the record if it changed the hand (then others must see it too).

    When this returns, what it accepted is on disk. A bad message changes nothing.
    """
    found = store.read(seat.key)
    if found is None or found[1] != seat.page_index:
        return ELSEWHERE, ""
    record, now = found[0], now_ms()
    if not record:
        record = _looked_at(seat, record)
        return seat.answer(record), record

    def refusal(sentence: str) -> tuple[dict[str, Any], str]:
        return seat.answer(record, sentence), ""

    try:
        message = parse(text)
    except Malformed as malformed:
        return refusal(str(malformed))
    if message.hand != seat.hand_number:
        return refusal(_("This board belongs to another hand."))
    if message.again and not seat.page.repeatable:
        return refusal(_("This hand is played only once."))
    if seat.deadline is not None and now > seat.deadline * 1000:
        return refusal(_("The time for this hand is over."))
    if message.again:
        record = _looked_at(seat, "")
        return seat.answer(record), record
    events, refused = play(seat.hand(record), seat.name, message, now)
    if events:
        record = add(seat, record, events, now)
    moved = any(event.accepted for event in events)
    return seat.answer(record, refused), record if moved else ""


async def hand_socket(websocket: WebSocket) -> None:
    """One browser tab at one hand."""
    websocket.send = wrap_websocket_send(websocket.send)
    await websocket.accept()
    async with lock2:
        tab, said, others = _arrive(websocket, **websocket.path_params)
        told = tables.spread([(tab, said), *others]) if tab else []
    if tab is None:
        await tell(websocket, said)
        await websocket.close()
        return
    try:
        while True:
            await told[0]  # the others are not waited for
            frame = await websocket.receive()
            if frame["type"] == "websocket.disconnect":
                return
            if frame.get("text") == PING:
                await tell(websocket, PONG)
                continue
            async with lock2:
                said, others = _answer(tab, frame.get("text"))
                told = tables.spread([(tab, said), *others])
    finally:
        tables.leave(tab)


# The two functions that run under the lock await nothing: between an UPDATE and its commit nobody
# else may touch the database connection, which all of oTree shares.

Said = dict[str, Any]


def _arrive(websocket: WebSocket, code: str, page_index: int) -> tuple[Tab | None, Said, Telling]:
    """The tab, what it is told, and what others are told.

    It joins its table before anybody else moves, so that it misses nothing.
    """
    try:
        with session_scope():
            seat = sit_down(code, page_index)
        said, record = first_look(seat) if seat else (ELSEWHERE, "")
        store.settle()
        if not record:
            return None, said, []
        tab = Tab(websocket, seat)
        return tab, said, tables.joined(tab, record)
    except Exception:
        logger.exception("participant %.50r connecting to page %s", code, page_index)
        return None, {"refused": _sorry()}, []


def _answer(tab: Tab, text: str | None) -> tuple[Said, Telling]:
    """The answer to one message, and what the others at the table are to be told."""
    seat = tab.seat
    try:
        said, record = receive(seat, text)
        others = tables.news(seat, record, but=tab) if record else []
        store.settle()
        return said, others
    except Exception:
        who = seat.participant_code
        logger.exception("participant %s, hand %s, message %.200r", who, seat.hand_number, text)
        return {"refused": _sorry()}, []
