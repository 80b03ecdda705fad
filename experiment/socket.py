"""The hand socket: how a browser plays a hand.

``/hand/<participant code>/<page index>``, beside oTree's own sockets. oTree's live pages answer
before they commit and cost several milliseconds a message; here a message takes oTree's global lock,
is folded, written and committed, and only then answered (docs/architecture.md has the figures).

:func:`sit_down` and :func:`receive` are what the socket calls, and what bots call without a socket.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from dataclasses import dataclass
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
from experiment.hand import answer, extended, fold, opened, play
from experiment.message import Malformed, parse
from experiment.pages import HandPage, now_ms
from experiment.record import Opening
from games.contract import Event

logger = logging.getLogger("cardlab.hand")


def _sorry() -> str:
    return _("This could not be saved. Please try again, or call for help.")


# Sent when the participant is on another page by now: the browser loads that page.
ELSEWHERE: dict[str, Any] = {"reload": True}


@dataclass(frozen=True, slots=True)
class Seat:
    """One participant's place at one hand, looked up once when they connect."""

    page: type[HandPage]
    key: store.Key
    page_index: int
    name: str
    hand_number: int
    opening: Opening
    deadline: float | None  # Unix seconds, of oTree's page timeout
    participant_code: str

    @property
    def table(self) -> tuple[str, str, int]:
        """What all who look at this hand have in common."""
        return self.key[:3]


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
    if not issubclass(page, HandPage):
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


def first_look(seat: Seat) -> dict[str, Any]:
    """The hand as the participant finds it on connecting; the hand begins when it is first shown."""
    found = store.read(seat.key)
    if found is None or found[1] != seat.page_index:
        return ELSEWHERE
    record, now = found[0], now_ms()
    shown_before = bool(record)
    if not shown_before:
        record = opened(seat.opening, now)
        _write(seat, record, [])
    hand = fold(seat.page.rules, record)
    if shown_before and hand.takes_asides and not hand.over:
        events = [Event(None, seat.name, "reconnect", None, now, None)]
        record = extended(seat.page.rules, record, events)
        _write(seat, record, events)
    return answer(hand, seat.name, seat.hand_number, now)


def receive(seat: Seat, text: Any) -> tuple[dict[str, Any], bool]:
    """What to answer to a message, and whether it changed the hand (then others must see it too).

    When this returns, what it accepted is on disk. A bad message changes nothing.
    """
    found = store.read(seat.key)
    if found is None or found[1] != seat.page_index:
        return ELSEWHERE, False
    record, now = found[0], now_ms()
    if not record:
        return first_look(seat), True
    hand = fold(seat.page.rules, record)

    def refusal(sentence: str) -> tuple[dict[str, Any], bool]:
        return answer(hand, seat.name, seat.hand_number, now, sentence), False

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
        record, events, refused = opened(seat.opening, now), [], ""
    else:
        events, refused = play(hand, seat.name, message, now)
        record = extended(seat.page.rules, record, events)
    if events or message.again:
        _write(seat, record, events)
    moved = message.again or any(event.accepted for event in events)
    return answer(fold(seat.page.rules, record), seat.name, seat.hand_number, now, refused), moved


def _write(seat: Seat, record: str, events: list[Event]) -> None:
    store.write(seat.key, record)
    seat.page.followed(seat.participant_code, seat.hand_number, record, events)


class _Tables:
    """Who is connected to which hand, so that every tab and every seat sees what was played."""

    def __init__(self) -> None:
        self._at: defaultdict[tuple[str, str, int], list[tuple[WebSocket, Seat]]] = defaultdict(list)

    def join(self, seat: Seat, websocket: WebSocket) -> None:
        self._at[seat.table].append((websocket, seat))

    def leave(self, seat: Seat, websocket: WebSocket) -> None:
        self._at[seat.table] = self.others(seat, websocket)
        if not self._at[seat.table]:
            del self._at[seat.table]

    def others(self, seat: Seat, websocket: WebSocket) -> list[tuple[WebSocket, Seat]]:
        return [pair for pair in self._at[seat.table] if pair[0] is not websocket]


_tables = _Tables()


_under_way: set[asyncio.Future] = set()  # the event loop itself holds its tasks only weakly


async def _tell(websocket: WebSocket, said: dict[str, Any]) -> None:
    """Send, unless the browser has gone in the meantime: it will ask again when it is back."""
    try:
        await websocket.send_json(said)
    except RuntimeError as gone:
        logger.debug("not delivered: %r", gone)


def _views_for_others(seat: Seat, websocket: WebSocket) -> list[tuple[WebSocket, dict[str, Any]]]:
    others = _tables.others(seat, websocket)
    if not others:
        return []
    record, _index = store.read(seat.key)
    hand, now = fold(seat.page.rules, record), now_ms()
    return [(tab, answer(hand, theirs.name, theirs.hand_number, now)) for tab, theirs in others]


async def hand_socket(websocket: WebSocket) -> None:
    """One browser tab at one hand."""
    websocket.send = wrap_websocket_send(websocket.send)
    await websocket.accept()
    async with lock2:
        seat, said = _arrive(**websocket.path_params)
        if seat:  # before anybody else moves, so that no move is missed
            _tables.join(seat, websocket)
    if seat is None:
        await _tell(websocket, said)
        await websocket.close()
        return
    try:
        await _tell(websocket, said)
        while True:
            frame = await websocket.receive()
            if frame["type"] == "websocket.disconnect":
                return
            async with lock2:
                said, others = _answer(seat, websocket, frame.get("text"))
            await _tell(websocket, said)
            for tab, view in others:
                # Not awaited: a slow tab must not keep this one waiting.
                telling = asyncio.ensure_future(_tell(tab, view))
                _under_way.add(telling)
                telling.add_done_callback(_under_way.discard)
    finally:
        _tables.leave(seat, websocket)


# The two functions that run under the lock await nothing: between an UPDATE and its commit nobody
# else may touch the database connection, which all of oTree shares.


def _arrive(code: str, page_index: int) -> tuple[Seat | None, dict[str, Any]]:
    try:
        with session_scope():
            seat = sit_down(code, page_index)
        said = first_look(seat) if seat else ELSEWHERE
        store.settle()
        return seat, said
    except Exception:
        logger.exception("participant %.50r connecting to page %s", code, page_index)
        return None, {"refused": _sorry()}


def _answer(seat: Seat, websocket: WebSocket, text: str | None):
    """The answer to one message, and what the others at the table are to be told."""
    try:
        said, changed = receive(seat, text)
        others = _views_for_others(seat, websocket) if changed else []
        store.settle()
        return said, others
    except Exception:
        who = seat.participant_code
        logger.exception("participant %s, hand %s, message %.200r", who, seat.hand_number, text)
        return {"refused": _sorry()}, []
