"""Patches of the database connection and of the lock around it.

All of oTree shares one database connection, so nobody may commit or roll back another's work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import otree.middleware
import sqlalchemy
from otree.channels.consumers import BaseCreateSession
from otree.database import IN_MEMORY, DBWrapper, db, engine
from otree.export import get_rows_for_data_tab
from otree.middleware import lock2
from otree.models import Session
from otree.views.admin import SessionDataAjax
from starlette.requests import Request
from starlette.responses import JSONResponse

from cardlab.admin import monitor_views, report_jobs, room_links
from cardlab.core.patch import Patch
from cardlab.exports import jobs
from cardlab.live.page_queue import PagesInTurn
from cardlab.live.read_session import reading
from cardlab.server import timeout_worker


def _close(close: Callable[[DBWrapper], None], self: DBWrapper) -> None:
    session = self._db
    close(self)
    session.transaction = None


async def _get_data(self: SessionDataAjax, request: Request, code: str) -> JSONResponse:
    def read_rows() -> list[Any]:
        with reading():
            return list(get_rows_for_data_tab(Session.objects_get(code=code)))

    return JSONResponse(await asyncio.get_running_loop().run_in_executor(None, read_rows))


def _paths_without_lock(usual: Callable[[], set[str]]) -> set[str]:
    pages = (page.PATH for page in (report_jobs, monitor_views, room_links))
    return {*usual(), *pages, *jobs.PATHS}


PATCHES = (
    Patch(
        *(DBWrapper, "close", _close, "speed"),
        "Breaks the reference cycle between a SQLAlchemy session and its transaction, so that both are "
        "freed at once. These cycles were half of all garbage.",
        source="b2f56442e70abdd6",
        wraps=True,
    ),
    # What a page has looked up is closed when the page is made; oTree closes only what sockets look up.
    Patch(
        *(otree.middleware, "lock2", PagesInTurn(lock2, db.close), "speed"),
        "A fair queue in front of oTree's global lock: at most one page holds or waits for the lock, so a "
        "move waits for at most one page.",
        source="12e5147d41a233b5",
    ),
    Patch(
        *(otree.middleware, "_get_paths_without_lock", _paths_without_lock, "speed"),
        "Exports, and pages of the researcher that do not use oTree's one connection, do not take the lock.",
        source="41bc5f23c55a3433",
        wraps=True,
    ),
    Patch(
        *(BaseCreateSession, "lock", lock2, "correctness"),
        "Sessions are created under the lock. oTree creates them in a thread without it: a move or a page in "
        "the middle would commit a session without its players.",
        source="32590b6f9f35995b",
    ),
    Patch(
        *(engine.pool, "_reset_on_return", sqlalchemy.pool.base.reset_none, "correctness"),
        "The one connection is not rolled back when it is returned, because others use it too.",
        source="6cb2ee062f59ae91",
        label="otree.database.engine.pool",
    ),
    timeout_worker.RECONNECT,
    # Not in memory, where another connection would find another database (bots: nobody plays meanwhile).
    *(
        ()
        if IN_MEMORY
        else (
            Patch(
                *(SessionDataAjax, "get", _get_data, "correctness"),
                "The tab Data reads over a connection of its own. oTree reads in a thread without the lock "
                "and commits: two at once on one connection fail each other.",
                source="adf92a9603b4cdf3",
            ),
        )
    ),
)
