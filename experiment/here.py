"""The light socket of every participant's page: who is there, and what the researcher says to them.

``/here/<participant code>``, beside the hand's own. The server says at once what stands about the participant
(messages that wait for their OK, that they are paused, or noted as gone) and again whenever that changes. A
page says when it is hidden or seen, that a message was read, and that a participant who was noted as gone is
there; anything else is passed over. Whether the computer behind it still stands uvicorn asks every twenty
seconds.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from otree.channels.utils import wrap_websocket_send
from starlette.websockets import WebSocket

from experiment import clock, notices, steering
from experiment.presence import Person, Visitor, presence, told_of
from experiment.service import Answer
from experiment.store import RECORDS
from experiment.together import served

logger = logging.getLogger("cardlab.here")

PATH = "/here/{code}"
LONGEST = 100  # characters of what a page says

_PERSON = "SELECT id, session_id, code, _session_code FROM otree_participant WHERE code = :code"


async def here_socket(websocket: WebSocket) -> None:
    """One page of a participant."""
    websocket.send = wrap_websocket_send(websocket.send)
    await websocket.accept()
    code = websocket.path_params["code"]
    arrived: list[Visitor] = []
    try:
        sent = await served(partial(_look, code), partial(_join, websocket, arrived))
        if sent is None:
            await websocket.close()
            return
        await sent
        while True:
            frame = await websocket.receive()
            if frame["type"] == "websocket.disconnect":
                return
            if ask := _heard(arrived[0], frame.get("text")):
                await served(ask, partial(_changed, code))
    finally:
        for visitor in arrived:
            presence.leave(visitor)


def _look(code: str) -> Answer:
    found = RECORDS.rows(_PERSON, code=code) if code.isascii() and code.isalnum() else []
    if not found:
        return Answer({})
    person = Person(*found[0])
    return Answer({"person": person, "told": told_of(person.id)})


def _join(websocket: WebSocket, arrived: list[Visitor], answer: Answer | Exception) -> Awaitable[None] | None:
    if isinstance(answer, Exception):
        logger.error("a page could not be told what stands about it", exc_info=answer)
        return None
    if not answer.said:
        return None
    visitor = Visitor(websocket, answer.said["person"])
    arrived.append(visitor)
    presence.join(visitor)
    return visitor.tell(answer.said["told"])


def _heard(visitor: Visitor, text: str | None) -> Callable[[], Answer] | None:
    """What is to be asked of the database because of what a page says; None for nothing."""
    try:
        said = json.loads(text) if text and len(text) <= LONGEST else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    if isinstance(said.get("hidden"), bool):
        visitor.hidden = said["hidden"]
    number = said.get("read")
    if type(number) is int and number in visitor.messages:
        return partial(_confirmed, visitor.person, number)
    if said.get("back") is True and visitor.told.get("dropped"):
        return partial(steering.come_back, visitor.person.session, [visitor.person.code])
    return None


def _confirmed(person: Person, number: int) -> Answer:
    notices.confirm(RECORDS, person.id, number, clock.now_ms())
    return Answer({"told": {person.code: told_of(person.id)}})


def _changed(code: str, answer: Answer | Exception) -> None:
    if isinstance(answer, Exception):
        logger.error("what the page of participant %s says was not kept", code, exc_info=answer)
    else:
        steering.spread(answer)
