"""Binds each participant's seat to one browser, so that a leaked or guessed link does not open it elsewhere.

Each browser gets a random id in a signed cookie. The first browser that opens a participant's page with its
cookie holds the seat; pages and sockets of that participant are then refused to other browsers. Another
browser takes the seat over by opening a page, once the holder has been disconnected for some time or the
researcher has released the seat in the tab Progress. Sockets and requests by scripts never take a seat over,
so a forgotten tab does not regain it.

A new browser that opens a link in two tabs at once gets two cookies, and keeps either. So the browsers that
got a cookie at a free seat are its *newcomers*: if one of them holds the seat, another one takes it over
until the holder has connected.

A browser without cookies never holds a seat, and may use one that is not held. The logged-in researcher and
the timeout worker may open every seat without holding it. Bots are not restricted.

The check runs before oTree's lock is taken (``cardlab.server.guard_layer``) and costs a dictionary look-up.
The database is read once per seat after a restart, and written when the holder changes.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache, partial
from gettext import gettext as _
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

import sqlalchemy
from itsdangerous import BadSignature, Signer
from otree import settings
from otree.database import IN_MEMORY, AnyModel, session_scope
from otree.models import Session
from otree.templating import render
from starlette.responses import HTMLResponse, JSONResponse
from starlette.types import Receive, Scope, Send
from websockets.exceptions import ConnectionClosed

from cardlab.core import clock
from cardlab.core.transitions import RELOAD
from cardlab.games.language import cached_by_language
from cardlab.guard import worker_signature
from cardlab.guard.cookies import is_admin
from cardlab.guard.errors import Refused
from cardlab.live import notices
from cardlab.live.batch import Answer
from cardlab.live.client import start_task
from cardlab.live.lab import LAB
from cardlab.sessions.own_sessions import has_card_lab_app

App = Callable[[Scope, Receive, Send], Awaitable[None]]

logger = logging.getLogger("cardlab.guard")

FREE_AFTER_SECONDS = 30  # without a connection, in sessions that have no gone_after_seconds
REFUSAL_SHOWN_SECONDS = 15  # how long the tab Progress shows that another browser was refused
MAX_NEWCOMERS = 5  # of a seat
COOKIE = f"card_lab_browser_{sha256(settings.SECRET_KEY.encode()).hexdigest()[:8]}"  # ports share cookies
COOKIE_SECONDS = 30 * 24 * 60 * 60

SEATS = sqlalchemy.Table(
    "card_lab_seat_browser",
    AnyModel.metadata,
    sqlalchemy.Column(
        "participant_id",
        sqlalchemy.ForeignKey("otree_participant.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sqlalchemy.Column("browser", sqlalchemy.String(64), nullable=False),  # see _digest
)

_FIND = """
    SELECT person.id, person.session_id, person._session_code, person._is_bot, person.is_browser_bot,
        seat.browser
    FROM otree_participant AS person
    LEFT JOIN card_lab_seat_browser AS seat ON seat.participant_id = person.id
    WHERE person.code = :code
"""
_LEAVE = "DELETE FROM card_lab_seat_browser WHERE participant_id = :participant_id"
_TAKE = "INSERT INTO card_lab_seat_browser (participant_id, browser) VALUES (:participant_id, :browser)"

_PATH = re.compile(
    r"/(p|InitializeParticipant|OutOfRangeNotification|seat|hand|here)/([A-Za-z0-9]{8})(?:/|$)"
)
_CODE = re.compile(r"[A-Za-z0-9]{8}")
_STATUS_KIND = "seat"  # polled by the page "This seat is open in another browser"
_TURNED_AWAY = {"hand": RELOAD, "here": {"auto_advanced": True}}  # both make the browser reload the page
_AUTOMATIC = (_STATUS_KIND, *_TURNED_AWAY)  # requested by the scripts of an open tab
_POLL_QUERY = b"here=1"  # a waiting page's polls
_LEADS_TO_SEAT = ("/room/", "/join/")  # the pages after these give the browser its cookie

_signer = Signer(settings.SECRET_KEY, salt="card lab browser")


class BoundSeat:
    """A participant's seat and the browser that holds it, "" if none.

    ``free_after`` is in seconds; times are those of ``time.monotonic``.
    """

    def __init__(
        self, participant_id: int, session_id: int, free_after: float, browser: str, now: float
    ) -> None:
        self.participant_id, self.session_id, self.free_after = participant_id, session_id, free_after
        self.browser = browser
        self.is_released = False  # by the researcher: the next browser takes the seat over
        self.last_seen = now  # when the holder was last seen; after a restart it may be reconnecting
        self.refused_at: float | None = None  # when another browser was last refused
        self.previous_holder: tuple[str, float] | None = None  # and when it lost the seat
        self.sockets: dict[object, tuple[str, Callable[[], Any]]] = {}  # browsers, and their close functions
        self.newcomers: list[str] = []  # browsers that got their cookie here while the seat was free

    def is_free(self, now: float) -> bool:
        """Returns whether another browser may use the seat."""
        if not self.browser or self.is_released:
            return True
        is_connected = any(browser == self.browser for browser, _close in self.sockets.values())
        return not is_connected and now - self.last_seen >= self.free_after

    def can_admit(self, browser: str, now: float) -> bool:
        """Returns whether a browser may use the seat; "" is a browser without a cookie."""
        is_same_newcomer = {browser, self.browser} <= {*self.newcomers}
        return self.is_held_by(browser) or is_same_newcomer or self.is_free(now)

    def note_newcomer(self, browser: str, now: float) -> None:
        """Records that a browser got its cookie here, if the seat is free."""
        if self.is_free(now):
            self.newcomers = [*self.newcomers, browser][-MAX_NEWCOMERS:]

    def note_connection(self, browser: str) -> None:
        """Ends the right of the newcomers if the browser that connects holds the seat."""
        if self.is_held_by(browser):
            self.newcomers = []

    def is_held_by(self, browser: str) -> bool:
        """Returns whether a browser holds the seat."""
        return bool(browser) and browser == self.browser

    def note_refusal(self, kind: str, browser: str, now: float) -> None:
        """Records that another browser was refused, except when tabs of the previous holder reload."""
        holder, lost_at = self.previous_holder or (None, 0.0)
        if browser != holder or (kind not in _AUTOMATIC and now - lost_at > REFUSAL_SHOWN_SECONDS):
            self.refused_at, self.previous_holder = now, None

    def close_foreign_sockets(self) -> None:
        """Closes the connections of browsers that do not hold the seat."""
        for browser, close in list(self.sockets.values()):
            if browser != self.browser:
                close()


class SeatBrowsers:
    """The holders of this server's seats."""

    def __init__(self) -> None:
        self._seats: dict[str, BoundSeat | None] = {}  # by code; None if every browser may open the seat
        self._free_after: dict[str, float | None] = {}  # by session code, in seconds; None if switched off

    def release(self, codes: Iterable[str]) -> None:
        """Lets other browsers take over these participants' seats. Call it after the notice's commit."""
        for code in codes:
            if seat := self._seats.get(code):
                seat.is_released = True

    def drop(self, code: str) -> None:
        """Drops the seat of a participant who has withdrawn."""
        self._seats.pop(code, None)

    def has_refused(self, code: str) -> bool:
        """Returns whether another browser was recently refused this participant's seat."""
        seat = self._seats.get(code)
        return bool(
            seat
            and seat.refused_at is not None
            and time.monotonic() - seat.refused_at < REFUSAL_SHOWN_SECONDS
        )

    async def check_page(self, scope: Scope, send: Send) -> bool:
        """Refuses a page of a seat that another browser holds; lets the browser take over a free seat.

        Returns whether the request was answered.
        """
        kind, code = _seat_in(scope)
        browser_id = _id_in(scope)
        seat = await self._find(code) if code else None
        if seat is None or not code:
            if browser_id is None and not scope["path"].startswith(("/api/", *_LEADS_TO_SEAT)):
                _give_cookie(scope)
            if kind == _STATUS_KIND:
                await _send_status(True, 0, send)
            return kind == _STATUS_KIND
        browser, now = _digest(browser_id, code), time.monotonic()
        may_enter = seat.can_admit(browser, now) or _opens_every_seat(scope)
        if not may_enter:
            seat.note_refusal(kind, browser, now)
        # A refused page gets no cookie: in a second tab, it would replace the one that now holds the seat.
        if browser_id is None and (may_enter or kind == _STATUS_KIND):
            seat.note_newcomer(_digest(_give_cookie(scope), code), now)
        if kind == _STATUS_KIND:
            await _send_status(may_enter, seat.free_after, send)
            return True
        if not may_enter:
            page = HTMLResponse(_seat_taken_page(), 403, {"Cache-Control": "no-store"})
            await page({"type": "http"}, None, send)  # type: ignore[arg-type]  # it reads no request
            return True
        if seat.is_held_by(browser):
            seat.last_seen = now
            seat.close_foreign_sockets()
        elif browser and scope.get("query_string") != _POLL_QUERY and not _opens_every_seat(scope):
            await self._take(code, seat, browser)
        return False

    def check_socket(self, app: App) -> App:
        """Returns an ASGI application that refuses sockets of a seat that another browser holds."""

        async def checked(scope: Scope, receive: Receive, send: Send) -> None:
            kind, code = _seat_in(scope)
            seat = await self._find(code) if code else None
            browser = _digest(_id_in(scope), code or "")
            if seat is None or (not seat.is_held_by(browser) and _opens_every_seat(scope)):
                await app(scope, receive, send)
                return
            now = time.monotonic()
            if not seat.can_admit(browser, now):
                seat.note_refusal(kind, browser, now)
                await receive()  # "websocket.connect"
                await send({"type": "websocket.accept"})
                await _turn_away(kind, send)
                return
            seat.note_connection(browser)
            socket_key = object()
            seat.sockets[socket_key] = browser, lambda: start_task(_turn_away(kind, send))
            try:
                await app(scope, receive, send)
            finally:
                del seat.sockets[socket_key]
                if seat.is_held_by(browser):
                    seat.last_seen = time.monotonic()

        return checked

    async def _find(self, code: str) -> BoundSeat | None:
        """Returns a participant's seat; None if there is none or every browser may open it."""
        if IN_MEMORY:  # oTree's bots and its development server
            return None
        if code not in self._seats:
            answer = await LAB.group_commit.submit(partial(self._read, code), lambda answer: answer, code)
            if isinstance(answer, Exception):
                logger.error("a seat could not be looked up", exc_info=answer)
                raise Refused(503, _("Something went wrong on our side. Please reload the page in a moment."))
            if not answer.message:
                return None
            self._seats.setdefault(code, answer.message["seat"])
        return self._seats[code]

    def _read(self, code: str) -> Answer:
        rows = LAB.records.rows(_FIND, code=code)
        if not rows:
            return Answer({})
        participant_id, session_id, session, is_bot, is_browser_bot, browser = rows[0]
        if session not in self._free_after:
            with session_scope():
                config = Session.objects_get(id=session_id).config
            seconds = config.get("gone_after_seconds", FREE_AFTER_SECONDS)
            is_bound = config.get("one_browser_per_seat", True) and has_card_lab_app(config)
            self._free_after[session] = seconds if is_bound else None
        free_after = self._free_after[session]
        if free_after is None or is_bot or is_browser_bot:
            return Answer({"seat": None})
        seat = BoundSeat(participant_id, session_id, free_after, browser or "", time.monotonic())
        seat.is_released = (
            notices.standing_since_ms(LAB.records, participant_id, notices.RELEASED) is not None
        )
        return Answer({"seat": seat})

    async def _take(self, code: str, seat: BoundSeat, browser: str) -> None:
        """Binds the seat to a browser, before the commit: one of two concurrent requests is refused."""
        holder, now = seat.browser, time.monotonic()
        is_change = bool(holder) and holder not in seat.newcomers
        seat.browser, seat.is_released, seat.last_seen = browser, False, now
        seat.refused_at, seat.previous_holder = None, (holder, now) if holder else None
        write = partial(_write_holder, seat, browser, is_change)
        answer = await LAB.group_commit.submit(write, lambda answer: answer, code)
        if isinstance(answer, Exception):
            self._seats.pop(code, None)  # to be read from the database again
            logger.error("a seat could not be bound to a browser", exc_info=answer)
            raise Refused(503, _("Something went wrong on our side. Please reload the page in a moment."))
        seat.close_foreign_sockets()


async def _turn_away(kind: str, send: Send) -> None:
    """Makes a socket's page reload, which then shows the refusal, and closes the socket.

    The browser may disconnect at any time.
    """
    try:
        if kind in _TURNED_AWAY:
            await send({"type": "websocket.send", "text": json.dumps(_TURNED_AWAY[kind])})
        await send({"type": "websocket.close", "code": 1008})
    except (ConnectionClosed, OSError, RuntimeError) as error:  # RuntimeError: uvicorn has closed it
        logger.debug("closed already: %r", error)
    except Exception:
        logger.exception("a refused socket could not be closed")


def _seat_in(scope: Scope) -> tuple[str, str | None]:
    """Returns the kind of the address, and the participant's code in it or None."""
    if match := _PATH.match(scope["path"]):
        return match[1], match[2]
    if scope["type"] == "websocket":  # oTree's sockets, in the researcher's own apps
        for name, value in parse_qsl(scope["query_string"].decode("latin-1")):
            if name == "participant_code":
                return "", value if _CODE.fullmatch(value) else None
    return "", None


def _id_in(scope: Scope) -> str | None:
    """Returns the id in the browser's cookie; None without a validly signed one."""
    for name, value in scope["headers"]:
        if name == b"cookie":
            for cookie in value.decode("latin-1").split(";"):
                key, _equals, signed = cookie.strip().partition("=")
                if key == COOKIE and (browser_id := _unsigned(signed)):
                    return browser_id
    return None


@lru_cache(maxsize=4096)
def _unsigned(signed: str) -> str | None:
    try:
        return _signer.unsign(signed.encode("latin-1")).decode()
    except BadSignature:
        return None


def _digest(browser_id: str | None, code: str) -> str:
    """Returns the stored digest of a browser's id; "" without an id.

    It differs by seat, so that the table does not reveal which participants used the same computer.
    """
    return sha256(f"{browser_id} {code}".encode()).hexdigest() if browser_id else ""


def _give_cookie(scope: Scope) -> str:
    """Gives the browser a cookie with a new id, which the guard adds to the response; returns the id."""
    new_id = secrets.token_urlsafe(16)
    signed = _signer.sign(new_id.encode()).decode()
    secure = "; Secure" if scope.get("scheme") == "https" else ""
    attributes = f"Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Lax{secure}"
    scope["set_cookie"] = f"{COOKIE}={signed}; {attributes}".encode()
    return new_id


def _opens_every_seat(scope: Scope) -> bool:
    """Returns whether the request comes from the logged-in researcher or the timeout worker."""
    return worker_signature.is_from_worker(scope["headers"]) or (
        bool(settings.AUTH_LEVEL) and is_admin(scope)
    )


def _write_holder(seat: BoundSeat, browser: str, is_change: bool) -> Answer:
    row, now = {"participant_id": seat.participant_id, "browser": browser}, clock.now_ms()
    LAB.records.write(_LEAVE, [row])
    LAB.records.write(_TAKE, [row])
    notices.end(LAB.records, [seat.participant_id], notices.RELEASED, now)
    if is_change:
        notices.add(
            LAB.records, seat.session_id, [seat.participant_id], notices.NEW_BROWSER, now, over_ms=now
        )
    return Answer({})


@cached_by_language
def _seat_taken_page() -> bytes:
    """Returns the page, rendered once because anybody can request it often. It contains no data."""
    return render("cardlab/SeatTaken.html", {}).body


async def _send_status(is_free: bool, seconds: float, send: Send) -> None:
    """Tells the page of a taken seat whether the seat is free, and how long it waits for its holder."""
    answer = JSONResponse({"free": is_free, "seconds": seconds}, headers={"Cache-Control": "no-store"})
    await answer({"type": "http"}, None, send)  # type: ignore[arg-type]  # it reads no request
