"""Sends single requests through the guard to an application without oTree."""

from __future__ import annotations

import asyncio

from cardlab.guard import hosts
from cardlab.guard.logins import logouts_from_environment
from cardlab.guard.rate_limits import RateLimits
from cardlab.server.guard_layer import Guard

FORM = (b"content-type", b"application/x-www-form-urlencoded")
HOST = b"127.0.0.1:8000"


class EchoApp:
    """An application that reads the whole body, appends it to ``bodies`` and answers ``ok``."""

    def __init__(self, status=200, answers=(), error=None):
        self.status, self.answers, self.error = status, list(answers), error
        self.bodies: list[bytes] = []

    async def __call__(self, scope, receive, send):
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        content, more = b"", True
        while more:
            message = await receive()
            assert message["type"] == "http.request"
            content += message["body"]
            more = message["more_body"]
        self.bodies.append(content)
        if self.status:
            own = [(b"content-type", b"text/plain"), *self.answers]
            await send({"type": "http.response.start", "status": self.status, "headers": own})
            await send({"type": "http.response.body", "body": b"ok"})
        if self.error:
            raise self.error


class GuardResponse:
    """Holds the response that the browser receives."""

    def __init__(self, sent):
        self.sent = sent
        self.kinds = [message["type"] for message in sent]
        if sent and sent[0]["type"] == "http.response.start":
            self.status = sent[0]["status"]
            self.headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
            self.text = b"".join(message.get("body", b"") for message in sent[1:]).decode()


def guard(app, limits=None):
    """Returns the guard around an application, with new rate limits unless given."""
    return Guard(app, limits or RateLimits(), logouts_from_environment(), hosts.read_environment())


def send_request(
    inner=None,
    path="/p/code",
    query=b"",
    pieces=(b"",),
    kind="http",
    method="POST",
    given=(),
    slow=False,
    host=HOST,
    client=("10.0.0.7", 4711),
    limits=None,
):
    """Returns the response to a request whose body comes in pieces; a ``slow`` body never ends.

    Without ``limits``, it is the first request of its address.
    """
    size = sum(len(piece) for piece in pieces)
    length = [(b"content-length", b"%d" % size)] if size and kind == "http" else []
    scope = {
        **{"type": kind, "method": method, "path": path, "raw_path": path.encode(), "query_string": query},
        **{"headers": [*([(b"host", host)] if host else []), *length, *given], "client": client},
    }
    waiting, sent = list(pieces), []

    async def receive():
        if not waiting:
            await asyncio.Event().wait()
        piece = waiting.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(waiting) or slow}

    async def send(message):
        sent.append(message)

    asyncio.run(guard(inner or EchoApp(), limits)(scope, receive, send))
    return GuardResponse(sent)
