"""The presence socket of every participant's page, ``/here/<participant code>``.

The server sends the participant's standing notices (unread messages, a pause, a dropout) at once and whenever
they change. A page reports:

- that it is hidden or visible, and that a message was read;
- that a participant who was marked as dropped out has returned;
- that a participant leaves the study, removes their data, asks for help or no longer needs it;
- heartbeats, and browser events (:mod:`cardlab.live.browser_events`).

Other messages are ignored. uvicorn pings the connection every twenty seconds.

Pages of other apps without a connection get a script that opens one: oTree's wait pages in another project,
and templates without oTree's scripts. So a participant who reads such a page does not count as lost.

A page that can be left sends its index as ``?page=<index>``. When its participant is on a later page, the
server makes it reload, as oTree's own socket would.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from otree.channels.utils import auto_advance_group, channel_layer
from otree.templating import render
from otree.views.abstract import FormPageOrInGameWaitPage, Page
from starlette.responses import Response
from starlette.websockets import WebSocket

from cardlab.core import clock
from cardlab.core.patch import Patch, Wrapper
from cardlab.guard import log_masking
from cardlab.live import browser_events, help_requests, interventions, notices, withdrawals
from cardlab.live.batch import Answer
from cardlab.live.client import close, ignoring_disconnect, page_in, send, start_task
from cardlab.live.lab import LAB
from cardlab.live.presence import ADVANCED, OpenPage, ParticipantIds, standing_of
from cardlab.sessions.own_sessions import has_card_lab_app

logger = logging.getLogger("cardlab.here")

PATH = "/here/{code}"
MAX_LENGTH = 100  # characters of a page's message
MAX_HELP_LENGTH = 6 * help_requests.MAX_LENGTH + MAX_LENGTH  # JSON has up to six characters for one

# The handlers of a participant's own actions, by the field of the message that is true.
_OF_PARTICIPANT = {
    "leave": interventions.leave_study,
    "no_help": help_requests.withdraw,
    "withdraw": withdrawals.withdraw_own,
}
_PERSON = """
    SELECT id, session_id, code, _session_code, _index_in_pages FROM otree_participant WHERE code = :code
"""


async def presence_socket(websocket: WebSocket) -> None:
    """Serves one page of a participant."""
    with ignoring_disconnect(websocket):
        await websocket.accept()
        code, page = websocket.path_params["code"], websocket.query_params.get("page", "")
        arrived: list[OpenPage] = []
        try:
            sent = await LAB.group_commit.submit(
                partial(_find_person, code, page), partial(_join, websocket, arrived), code
            )
            if sent is None:
                await close(websocket)
                return
            await sent
            while True:
                frame = await websocket.receive()
                if frame["type"] == "websocket.disconnect":
                    return
                if (page_index := page_in(frame.get("text"))) is not None:
                    look = partial(_find_person, code, str(page_index))
                    await LAB.group_commit.submit(look, partial(_reload_if_moved_on, websocket), code)
                elif handle := _handler_of(arrived[0], frame.get("text")):
                    handle = partial(_handle_unless_withdrawn, arrived[0], handle)
                    await LAB.group_commit.submit(handle, partial(_respond, arrived[0]), code)
        finally:
            for open_page in arrived:
                LAB.presence.leave(open_page)
                channel_layer.discard(auto_advance_group(code), websocket)


def _find_person(code: str, page: str) -> Answer:
    found = LAB.records.rows(_PERSON, code=code) if code.isascii() and code.isalnum() else []
    if not found:
        return Answer({})
    *cells, index = found[0]
    person = ParticipantIds(*cells)
    moved_on = page.isascii() and page.isdecimal() and len(page) <= MAX_LENGTH and int(page) < index
    return Answer({"person": person, "standings": standing_of(person.id), "moved_on": moved_on})


def _join(
    websocket: WebSocket, arrived: list[OpenPage], answer: Answer | Exception
) -> Awaitable[None] | None:
    if isinstance(answer, Exception):
        logger.error("a page could not be sent its notices", exc_info=answer)
        return None
    if not answer.message:
        return None
    open_page = OpenPage(websocket, answer.message["person"])
    LAB.rate_limits.add_known_codes([open_page.person.code])
    arrived.append(open_page)
    LAB.presence.join(open_page)
    channel_layer.add(auto_advance_group(open_page.person.code), websocket)
    sent = open_page.send(answer.message["standings"])
    return start_task(send(websocket, ADVANCED)) if answer.message["moved_on"] else sent


def _reload_if_moved_on(websocket: WebSocket, answer: Answer | Exception) -> None:
    if isinstance(answer, Answer) and answer.message.get("moved_on"):
        start_task(send(websocket, ADVANCED))


def _handler_of(open_page: OpenPage, text: str | None) -> Callable[[], Answer] | None:
    """Returns the handler of a page's message; None if it does not concern the database."""
    fields = _fields_of(text)
    if batch := browser_events.accept(open_page, fields):
        return partial(browser_events.store, open_page, batch)
    if len(text or "") > MAX_HELP_LENGTH:
        return None
    if type(fields.get("beat")) is int:
        start_task(send(open_page.websocket, {"beat": fields["beat"], "ms": clock.now_ms()}))
        return None
    if isinstance(fields.get("hidden"), bool):
        open_page.hidden = fields["hidden"]
    if isinstance(fields.get("help"), str):
        return partial(help_requests.ask, open_page.person, fields["help"])
    if len(text or "") > MAX_LENGTH:
        return None
    number = fields.get("read")
    if type(number) is int and number in open_page.messages:
        return partial(_confirm, open_page.person, number)
    if fields.get("back") is True and open_page.standing.get("dropped"):
        return partial(interventions.come_back, open_page.person.session, [open_page.person.code])
    asked = next((handler for name, handler in _OF_PARTICIPANT.items() if fields.get(name) is True), None)
    return partial(asked, open_page.person) if asked else None


def _handle_unless_withdrawn(open_page: OpenPage, handle: Callable[[], Answer]) -> Answer:
    """Handles a message under the lock, unless the participant has withdrawn in the meantime."""
    return Answer({"standings": {}}) if open_page.person.code in LAB.refused_codes else handle()


def _fields_of(text: str | None) -> dict[str, Any]:
    """Returns the fields of a page's message; none if it is too long or not a JSON object."""
    try:
        fields = json.loads(text) if text and len(text) <= browser_events.MAX_BATCH_LENGTH else None
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _confirm(person: ParticipantIds, number: int) -> Answer:
    notices.confirm(LAB.records, person.id, number, clock.now_ms())
    return Answer({"standings": {person.code: standing_of(person.id)}})


def _respond(open_page: OpenPage, answer: Answer | Exception) -> None:
    if isinstance(answer, Exception):
        name = log_masking.name_of(open_page.person.code)
        logger.error("A message from the page of %s could not be saved.", name, exc_info=answer)
        LAB.refused_codes.discard(open_page.person.code)  # a withdrawal that failed
        return
    if "removed" in answer.message:
        withdrawals.forget(open_page.person.code, answer)
        start_task(withdrawals.complete_own(open_page.person.code, answer))
        return
    interventions.notify(answer)
    if answer.message.get("kept"):
        start_task(send(open_page.websocket, {"kept": True}))
    if answer.message.get("help_refused"):
        start_task(send(open_page.websocket, {"help_refused": True}))


def _socket_url(self: Page) -> str:
    return f"/here/{self.participant.code}?page={self._index_in_pages}"


def _render_page(
    render_page: Callable[..., Response], self: FormPageOrInGameWaitPage, context: dict[str, Any]
) -> Response:
    response = render_page(self, context)
    if b'"/here/' not in response.body and has_card_lab_app(self.participant.session.config):
        response.body += render("cardlab/PresenceOnly.html", {"code": self.participant.code}).body
        response.headers["Content-Length"] = str(len(response.body))
    return response


PATCHES = (
    Wrapper(
        *(FormPageOrInGameWaitPage, "render_page", _render_page, "feature", "875b7724ecdfa5ae"),
        "Pages without oTree's scripts, and oTree's wait pages, keep a connection too.",
    ),
    Patch(
        *(Page, "socket_url", _socket_url, "feature", "fda1063e8360297b"),
        "The socket that advances pages also reports presence.",
    ),
)
