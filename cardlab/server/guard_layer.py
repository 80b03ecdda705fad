"""The outermost ASGI layer: checks requests before oTree takes its lock, and adds headers to each response.

For a WebSocket it checks the handshake and the rate of messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import aclosing, suppress
from gettext import gettext as _

from sqlalchemy.exc import OperationalError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cardlab.exports.jobs import Download, ExportFailed
from cardlab.guard import body, connections, cookies, headers, hosts, labels, origin, rest
from cardlab.guard.errors import Refused
from cardlab.guard.login import LoginThrottle
from cardlab.guard.logins import Logouts
from cardlab.guard.rate_limits import TOO_MANY_REQUESTS, RateLimits
from cardlab.live import page_queue
from cardlab.server import error_page
from cardlab.sessions import participant_language

logger = logging.getLogger("cardlab.guard")

# A function that may answer a request; returns whether it did.
EarlyAnswer = Callable[[Scope, Send], Awaitable[bool]]


class Guard:
    """The outermost ASGI application: checks each request, then passes it on to oTree's."""

    def __init__(
        self,
        app: ASGIApp,
        limits: RateLimits,
        logouts: Logouts,
        added_hosts: Collection[str] = (),
        early_answers: Sequence[EarlyAnswer] = (),
        check_socket: Callable[[ASGIApp], ASGIApp] | None = None,
        at_start: Sequence[Callable[[], None]] = (),
        paths_without_lock: tuple[str, ...] = (),
    ) -> None:
        """Puts the guard around ``app``.

        Args:
            app: oTree's application.
            limits: the rate limits.
            logouts: the revoked logins.
            added_hosts: additional host names of this server.
            early_answers: called in this order, before oTree's lock is taken.
            check_socket: wraps the application for WebSockets.
            at_start: called in the event loop before the server listens.
            paths_without_lock: prefixes of paths that do not take oTree's lock.
        """
        self.app = app
        self._limits, self._logouts, self._added_hosts = limits, logouts, added_hosts
        self._login_throttle = LoginThrottle()
        self.early_answers, self.at_start = early_answers, at_start
        self.socket_app = check_socket(app) if check_socket else app
        self.paths_without_lock = paths_without_lock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request or a WebSocket; passes other events on."""
        if scope["type"] == "http":
            await self._page(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:  # "lifespan": the server starts, before it listens
            for begin in self.at_start:
                begin()
            await self.app(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        participant_language.set_early_language(scope)
        client, code = connections.client_of(scope.get("client")), self._limits.seat_of(scope["path"])
        answer = GuardedResponse(send, scope, receive)
        page_queue.REQUESTER.set(code or client.limited)
        page_queue.WITHOUT_LOCK.set(scope["path"].startswith(self.paths_without_lock))
        try:
            delay = self._limits.delay_of_request(scope["path"], client)
            if delay is None:
                raise Refused(429, TOO_MANY_REQUESTS)
            if delay:
                await asyncio.sleep(delay)
            with self._limits.count_request(code, client.name):
                await self._answer(scope, receive, answer)
        except Refused as refusal:
            await answer.say(refusal.status, refusal.sentence, close=True)
        finally:
            if "download" in scope:
                scope["download"].close()

    async def _answer(self, scope: Scope, receive: Receive, answer: GuardedResponse) -> None:
        try:
            self._check_opening(scope)
            for answer_early in self.early_answers:
                if await answer_early(scope, answer.send):
                    return
            receive_body = await body.read_whole_body(scope, receive)
            await self._login_throttle.check(scope, receive)
        except Refused as refusal:
            await answer.say(refusal.status, refusal.sentence, close=True)
            return
        except body.ClientDisconnected:
            return
        try:
            await self.app(scope, receive_body, answer.send)
        except OperationalError as error:
            logger.error("%s %.200s failed: %s", scope["method"], scope["path"], error.orig)
            await answer.say(503, _("Something went wrong on our side. Please reload the page in a moment."))
        except Exception:
            await answer.say(500, _("Something went wrong. Please reload the page, or ask for help."))
            raise
        finally:
            await answer.send_held()
            if answer.status == 200:
                self._limits.learn_code_of_page(scope["path"])

    def _check_opening(self, scope: Scope) -> None:
        """Validates the request before its body is read or its WebSocket is opened. Raises Refused."""
        headers.check_headers(scope)
        hosts.check_host(scope, self._added_hosts)
        origin.check_origin(scope, self._added_hosts)
        if scope["type"] == "http":
            rest.check_key(scope)
        labels.check_label(scope)
        cookies.clean_cookies(scope, self._logouts)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._check_opening(scope)
        except Refused:
            await send({"type": "websocket.close", "code": 1008})
            return
        client, code = connections.client_of(scope.get("client")), self._limits.seat_of(scope["path"])
        if code:
            self._limits.clients.note_address(code, client.name)

        async def receive_in_time() -> Message:
            message = await receive()
            is_data = message["type"] == "websocket.receive"
            if is_data and (delay := self._limits.delay_of_message(code, client)):
                await asyncio.sleep(delay)
            return message

        try:
            await self.socket_app(scope, receive_in_time, send)
        except Refused:
            await send({"type": "websocket.close", "code": 1011})


class GuardedResponse:
    """The response to one request, with security headers.

    A response with status 500 is held back until the request is done, because only then is it known whether
    the database was the cause, which gets a clearer message than oTree's error page. A browser gets a page
    (``error_page``) in place of such a response, and of a bare 404.
    """

    def __init__(self, send: Send, scope: Scope, receive: Receive) -> None:
        self._send, self._scope, self._receive = send, scope, receive
        self._host = dict(scope["headers"]).get(b"host", b"")
        self._held_messages: list[Message] = []
        self._held_statuses: tuple[int, ...] = (404, 500) if error_page.shows_page(scope) else (500,)
        self.status: int | None = None

    async def send(self, message: Message) -> None:
        """Sends a part of the response."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            response_headers = headers.with_security_headers(
                message.get("headers", []), self._scope["path"], self._host
            )
            if "set_cookie" in self._scope:  # by cardlab.live.seat_browser
                response_headers.append((b"set-cookie", self._scope["set_cookie"]))
            message = {**message, "headers": response_headers}
        if self.status in self._held_statuses:
            self._held_messages.append(message)
        elif "download" in self._scope and message["type"] == "http.response.body":
            if not message.get("more_body"):  # the middleware sends several empty parts
                await self._send_download(self._scope["download"], message)
        else:
            await self._send(message)

    async def _send_download(self, download: Download, end: Message) -> None:
        """Sends the content of an export in place of an empty body.

        It is sent here, because oTree's middleware would read all of it into memory for a slow client. After
        a failure the response has no end, so that the client notices that it is truncated.
        """
        with suppress(ExportFailed):
            async with aclosing(download.chunks()) as chunks:
                async for chunk in chunks:
                    await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
            await self._send(end)

    async def say(self, status: int, sentence: str, close: bool = False) -> None:
        """Responds with a sentence, unless a response has begun."""
        if self.status not in (None, 500) or (self._held_messages and status == 500):
            return
        await self._answer_with_sentence(status, sentence, {"connection": "close"} if close else {})

    async def _answer_with_sentence(self, status: int, sentence: str, extra_headers: dict[str, str]) -> None:
        self._held_messages.clear()
        self._held_statuses = ()
        response = error_page.error_response(self._scope, status, sentence, extra_headers)
        await response({"type": "http"}, self._receive, self.send)

    async def send_held(self) -> None:
        """Sends the response that was held back, or a page in place of it."""
        if self._held_messages and self.status is not None and error_page.shows_page(self._scope):
            body = b"".join(message.get("body", b"") for message in self._held_messages)
            if sentence := error_page.sentence_for(self._scope, self.status, body):
                await self._answer_with_sentence(self.status, sentence, {})
        messages, self._held_messages = self._held_messages, []
        for message in messages:
            await self._send(message)
