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
from otree.database import session_scope
from otree.middleware import lock2
from starlette.websockets import WebSocket

from experiment import seat as seats
from experiment import store
from experiment.config import TELL
from experiment.folds import Unreadable
from experiment.play import ELSEWHERE
from experiment.seat import Seat
from experiment.service import SERVICE, Answer
from experiment.tab import Tab, tell
from experiment.tables import News, tables
from games.events import PLAYS_THERE

logger = logging.getLogger("cardlab.hand")


PING, PONG = "ping", "pong"  # a page that waits asks now and then whether the server is there


LONGEST_NAME = 40  # characters of what a tab calls itself


def _sorry() -> str:
    return _("This could not be saved. Please try again, or call for help.")


async def hand_socket(websocket: WebSocket) -> None:
    """One browser tab at one hand."""
    websocket.send = wrap_websocket_send(websocket.send)
    await websocket.accept()
    asked = websocket.query_params
    name, here = asked.get("tab", "")[:LONGEST_NAME], asked.get("here") == "1"
    async with lock2:
        tab, said, others = _arrive(websocket, **websocket.path_params, name=name, here=here)
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


def _arrive(
    websocket: WebSocket, code: str, page_index: int, name: str, here: bool
) -> tuple[Tab | None, dict[str, Any], News]:
    """The tab, what it is told, and what others are told.

    It joins its table before anybody else moves, so that it misses nothing. ``name`` is what the tab calls
    itself; ``here`` says that the person wants to play in it although the seat is open elsewhere.
    """
    seat = None
    try:
        with session_scope():
            seat = seats.find(code, page_index)
        said, hand = _seen(seat, name, here) if seat else Answer(ELSEWHERE)
        store.end_transaction()
        if hand is None:
            return None, said, []
        tab = Tab(websocket, seat, name)
        return tab, said, tables.joined(tab, hand)
    except Unreadable as damage:
        return None, _damaged(seat, damage), []
    except Exception:
        logger.exception("participant %.50r connecting to page %s", code, page_index)
        return None, {"refused": _sorry()}, []


def _seen(seat: Seat, name: str, here: bool) -> Answer:
    """What a tab is told that connects; the hand comes with it if the tab may play."""
    if not tables.is_elsewhere(seat, name):
        return SERVICE.look_and_write(seat)
    if here and seat.second_tab == TELL:
        return SERVICE.look_and_write(seat, PLAYS_THERE)
    return SERVICE.note_second_tab(seat)


def _damaged(seat: Seat, damage: Unreadable) -> dict[str, Any]:
    """What the participant is told of a hand whose record cannot be read; the researcher is told too."""
    logger.error("participant %s, hand %s: %s", seat.participant_code, seat.hand_number, damage)
    told = f"Hand {seat.hand_number} of participant {seat.participant_code} cannot be read: {damage}"
    store.tell_researcher(seat.session_id, told)
    return {"refused": _("This hand cannot be shown: what was kept of it is damaged. Please call for help.")}


def _answer(tab: Tab, text: str | None) -> tuple[dict[str, Any], News]:
    """The answer to one message, and what the others at the table are to be told."""
    seat = tab.seat
    try:
        said, hand = SERVICE.receive_and_write(seat, text)
        others = tables.news(seat.table, hand, but=tab) if hand else []
        store.end_transaction()
        return said, others
    except Unreadable as damage:
        return _damaged(seat, damage), []
    except Exception:
        who = seat.participant_code
        logger.exception("participant %s, hand %s, message %.200r", who, seat.hand_number, text)
        return {"refused": _sorry()}, []
