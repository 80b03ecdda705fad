"""What Card Lab adds to oTree's server and mends in it. Apps import this before oTree builds its routes.

It also runs in oTree's timeout worker, a process of its own, which imports the apps too.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import contextmanager

import otree.middleware
import otree.tasks
import sqlalchemy
from otree.channels.consumers import BaseCreateSession
from otree.channels.routing import websocket_routes
from otree.database import IN_MEMORY, DBSession, db, engine
from otree.export import get_rows_for_data_tab
from otree.middleware import lock2
from otree.models import Session
from otree.views import export as export_views
from otree.views.admin import SessionDataAjax
from sqlalchemy.pool import NullPool
from starlette.responses import JSONResponse
from starlette.routing import WebSocketRoute

from experiment import admin_report
from experiment.socket import hand_socket


def add_hand_socket() -> None:
    path = "/hand/{code}/{page_index:int}"
    if all(route.path != path for route in websocket_routes):
        websocket_routes.append(WebSocketRoute(path, hand_socket))
    # A browser that vanishes without a good-bye is everyday life, not worth a traceback on the screen.
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)


def add_report() -> None:
    """The tab "Report" has its plots drawn here; like an export, that takes no lock."""
    there = {route.path for route in websocket_routes}
    websocket_routes[:0] = [route for route in admin_report.ROUTES if route.path not in there]
    paths = otree.middleware._get_paths_without_lock
    otree.middleware._get_paths_without_lock = lambda: {*paths(), admin_report.PATH}


def keep_moves_quick_during_exports() -> None:
    """Exports run in threads beside the play. Python lets a busy thread compute for 5 ms before another
    gets its turn, several times a move; a fifth of that keeps moves quick while somebody exports."""
    sys.setswitchinterval(0.001)


def guard_the_one_connection() -> None:
    """All of oTree shares one database connection, so nobody may commit or roll back another's work.

    oTree makes a session in a thread of its own without its lock: a move, or any page, in the middle of
    it would leave a session without its players. And it rolls back whenever the connection is
    "returned", as if nobody else had it.
    """
    BaseCreateSession.lock = lock2
    engine.pool._reset_on_return = sqlalchemy.pool.base.reset_none


def let_exports_read_apart() -> None:
    """Exports and the admin's Data page run in threads without the lock and end with a commit: two at
    once on one connection fail each other. On a connection of its own each also reads one state of the
    data from beginning to end.
    """
    if IN_MEMORY:  # bots: nobody plays beside, and another connection would find another database
        return
    apart = sqlalchemy.create_engine(engine.url, poolclass=NullPool)

    @contextmanager
    def reading():
        db._db = DBSession(bind=apart)  # for this thread alone: db keeps it in a context variable
        try:
            yield
        finally:
            db.close()

    for view in (export_views.ExportWide, export_views.ExportApp, export_views.ExportAppCustom):
        view.get = _within(reading, view.get)

    async def get_data(self, request, code):
        def gather():
            with reading():
                return list(get_rows_for_data_tab(Session.objects_get(code=code)))

        return JSONResponse(await asyncio.get_running_loop().run_in_executor(None, gather))

    SessionDataAjax.get = get_data


def _within(context, get):
    def get_within(self, request):
        with context():
            return get(self, request)

    return get_within


_post, _get = otree.tasks.post, otree.tasks.get


def _post_unlocked(url: str, data: dict) -> None:
    db.commit()
    _post(url, data)


def _get_unlocked(url: str) -> None:
    db.commit()
    _get(url)


def let_the_timeout_worker_go() -> None:
    """The worker must let go of the database before it asks anything of the server.

    It deletes each task that is done, which begins a transaction, and SQLite lets one process write at
    a time: asking for the next task from within it, the worker would wait for a server that waits for the
    worker. A hand whose time is over would not be closed, and every page would fail for five seconds; the
    same where it opens the pages of a group that has been put together.
    """
    otree.tasks.post, otree.tasks.get = _post_unlocked, _get_unlocked


add_hand_socket()
add_report()
keep_moves_quick_during_exports()
guard_the_one_connection()
let_exports_read_apart()
let_the_timeout_worker_go()
