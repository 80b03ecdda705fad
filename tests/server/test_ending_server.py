"""Tests that the server ends while connections are open."""

from __future__ import annotations

import asyncio

import without_database  # noqa: F401
from uvicorn import Config

from cardlab.server.asgi import EndingServer


class Connection:
    def __init__(self, connections):
        self.connections, self.has_ended = connections, asyncio.Event()
        connections.add(self)

    def shutdown(self):
        self.connections.discard(self)
        self.has_ended.set()


class Listening:
    """Waits for its connections, like a server of asyncio since Python 3.12."""

    def __init__(self, connection):
        self.connection, self.is_closed = connection, False

    def close(self):
        self.is_closed = True

    async def wait_closed(self):
        await self.connection.has_ended.wait()


class Lifespan:
    async def shutdown(self):
        pass


async def end_with_an_open_connection():
    server = EndingServer(Config(None))
    listening = Listening(Connection(server.server_state.connections))
    server.servers, server.lifespan = [listening], Lifespan()
    await asyncio.wait_for(server.shutdown(), 10)
    return listening.is_closed


def test_open_connections_do_not_prevent_the_end():
    assert asyncio.run(end_with_an_open_connection())
