"""The ASGI application (oTree's with Card Lab's layers and routes) and uvicorn's server for it."""

from __future__ import annotations

import asyncio
import logging
import socket
from functools import partial
from typing import Any

import otree.cli.prodserver1of2
from otree import settings
from otree.database import IN_MEMORY
from otree.export import get_rows_for_data_tab
from otree.models import Session
from otree.views.admin import SessionDataAjax
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from uvicorn import Config, Server
from uvicorn.protocols.websockets.websockets_impl import WebSocketProtocol

from cardlab import open_files
from cardlab.admin import (
    archives,
    help_pages,
    label_exchange,
    monitor_views,
    payments,
    report_jobs,
    room_links,
    withdrawal,
)
from cardlab.admin import gallery as _gallery  # noqa: F401 - its template filter, and those of session_form
from cardlab.core.patch import Patch
from cardlab.exports import jobs
from cardlab.guard import connections
from cardlab.live import lock_timeout, page_limits, presence_socket, wal_checkpoints
from cardlab.live.hand_socket import hand_socket
from cardlab.live.lab import LAB
from cardlab.live.read_session import read_session
from cardlab.pages import waiting_page
from cardlab.server import gc_schedule
from cardlab.server.guard_layer import Guard
from cardlab.server.static_files import VisibleFiles
from cardlab.sessions import slot_views

UNREAD_MESSAGES = 2  # per connection, of up to 1 MB, before the server stops reading

# Requests with these prefixes do not use oTree's database connection, so they take no lock.
PATHS_WITHOUT_LOCK = (
    *(report_jobs.PATH, monitor_views.PATH, room_links.PATH, help_pages.PATH, withdrawal.PATH),
    *jobs.PATHS,
)


class DataOfSession(SessionDataAjax):
    """The data of the tab Data, read over a separate connection.

    oTree reads them in a thread without the lock and then commits, so two concurrent requests on its
    connection fail. Here each request reads one consistent state.
    """

    async def get(self, request: Request, code: str) -> JSONResponse:
        """Returns the rows of the tables."""

        def read_rows() -> list[Any]:
            with read_session():
                return list(get_rows_for_data_tab(Session.objects_get(code=code)))

        return JSONResponse(await asyncio.get_running_loop().run_in_executor(None, read_rows))


def routes() -> list[BaseRoute]:
    """Returns Card Lab's routes, which precede oTree's and replace some of them."""
    return [
        *(report_jobs.ROUTES + monitor_views.ROUTES + room_links.ROUTES + payments.ROUTES + jobs.ROUTES),
        *slot_views.ROUTES,
        *archives.ROUTES,
        *label_exchange.ROUTES,
        *help_pages.ROUTES,
        *withdrawal.ROUTES,
        # Not in memory, where another connection would find another database (bots: nobody plays meanwhile).
        *([] if IN_MEMORY else [Route(SessionDataAjax.url_pattern, DataOfSession)]),
        Mount("/static", VisibleFiles(directory="_static", packages=["otree", *settings.OTREE_APPS])),
        WebSocketRoute("/hand/{code}/{page_index:int}", hand_socket),
        WebSocketRoute(presence_socket.PATH, presence_socket.presence_socket),
    ]


def build_app() -> Guard:
    """Returns oTree's application with Card Lab's routes, inside the guard. Call it once, after setup."""
    from otree.asgi import app  # whose import builds the routes of all apps

    app.router.routes[:0] = routes()
    return Guard(
        app,
        LAB.rate_limits,
        LAB.logouts,
        LAB.added_hosts,
        early_answers=[
            *(LAB.static_files.answer, LAB.refused_codes.answer, LAB.seat_browsers.check_page),
            waiting_page.answer_poll,
        ],
        check_socket=LAB.seat_browsers.check_socket,
        at_start=[
            *(open_files.raise_limit, lock_timeout.set_lock_timeout, LAB.static_files.begin),
            *(LAB.page_notifier.begin, wal_checkpoints.begin, LAB.journal.begin),
            *(gc_schedule.begin, read_codes, page_limits.shorten_limits),
        ],
        paths_without_lock=PATHS_WITHOUT_LOCK,
    )


def read_codes() -> None:
    """Gives all participants their own rate limits, so that all can reconnect after a restart.

    Refuses the codes of those who have withdrawn.
    """
    rows = LAB.records.rows("SELECT code FROM otree_participant")
    LAB.rate_limits.add_known_codes(code for (code,) in rows)
    LAB.refused_codes.read(LAB.records)
    LAB.records.commit()


class PlainWebSocket(WebSocketProtocol):
    """A WebSocket connection without compression and without reference cycles.

    Messages are short, and compression takes 0.3 MB per connection. The library's connection is part of four
    reference cycles, and would stay, with a hundred objects, until a garbage collection.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.available_extensions = []
        self.max_queue = UNREAD_MESSAGES
        self.logger = logging.getLogger("websockets.server")

    async def handler(self) -> None:
        """Handles the connection, then breaks its reference cycles."""
        try:
            await super().handler()
        finally:
            self.ws_handler = self.transfer_data_exc = None
            vars(self).pop("keepalive_ping_task", None)


class EndingServer(Server):
    """A server that ends even while connections are open.

    uvicorn 0.13 waits until the listening sockets are closed, and then ends the connections. Since Python
    3.12 the first wait includes the connections, so it would last as long as somebody has a page open.
    """

    servers: list[asyncio.Server]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stops listening, asks all connections to end, and waits for them."""
        for listening in self.servers:
            listening.close()
        for connection in [*self.server_state.connections]:
            connection.shutdown()
        await super().shutdown(sockets)


def make_server(address: str, port: int, log_level: str = "info") -> Server:
    """Returns a uvicorn server that is not started yet; starts the engines. oTree configures logging."""
    LAB.hub.engine.start()
    return EndingServer(
        Config(
            build_app(),
            host=address,
            port=port,
            http=partial(connections.GuardedConnection, limits=LAB.rate_limits),
            ws=PlainWebSocket,
            log_config=None,
            log_level=log_level,
        )
    )


def run_server(addr: str, port: str, *, is_devserver: bool) -> None:
    """Runs the server for ``otree prodserver`` and ``otree devserver``."""
    make_server(addr, int(port), "warning" if is_devserver else "info").run()


PATCHES = (
    Patch(
        *(otree.cli.prodserver1of2, "run_uvicorn", run_server, "feature", "a89d05d683972a4f"),
        "`otree prodserver` and `devserver` run the application of `lab.py run`.",
    ),
)
