"""What Card Lab adds to oTree's server and mends in it. Apps import this before oTree builds its routes.

It also runs in the timeout worker, a process of its own, as soon as that needs an app.
"""

from __future__ import annotations

import asyncio
import gettext
import logging
import os
import sys
from functools import lru_cache, wraps

import otree.bots.browser
import otree.common2
import otree.constants
import otree.middleware
import otree.models.participant
import otree.models.session
import otree.models.subsession
import otree.tasks
import otree.templating.context
import otree.templating.template
import otree.views.abstract
import sqlalchemy
from otree import settings
from otree.channels.consumers import BaseCreateSession
from otree.channels.routing import websocket_routes
from otree.database import IN_MEMORY, DBWrapper, db, engine
from otree.export import get_rows_for_data_tab
from otree.middleware import lock2
from otree.models import Session
from otree.views.admin import SessionDataAjax
from starlette.datastructures import FormData
from starlette.responses import JSONResponse
from starlette.routing import WebSocketRoute

from cardlab.admin import monitor_views, payments, report_jobs, room_links
from cardlab.core import clock
from cardlab.exports import jobs, otree_rows
from cardlab.groups import group_lock, matchmaking, notifications
from cardlab.guard import rate_limits
from cardlab.live import pauses, presence_socket, query_cache, seat_browser, wal_checkpoints
from cardlab.live.hand_socket import hand_socket
from cardlab.live.page_queue import PagesInTurn
from cardlab.live.read_session import reading
from cardlab.live.record_store import RECORDS
from cardlab.pages import waiting_page
from cardlab.server import gc_schedule, guard_layer, install_guard, shard, static_files, timeout_worker
from cardlab.sessions import add_participants, arrival, completion, create, treatment_assignment

logger = logging.getLogger("cardlab.server")


def add_sockets() -> None:
    ours = {"/hand/{code}/{page_index:int}": hand_socket, presence_socket.PATH: presence_socket.here_socket}
    there = {route.path for route in websocket_routes}
    websocket_routes.extend(
        WebSocketRoute(path, socket) for path, socket in ours.items() if path not in there
    )


def add_admin_pages() -> None:
    """The plots of the tab "Report", what the tab "Progress" asks for, the cards with a room's links: none
    asks oTree's one connection anything, so like exports they take no lock. And places for a running session.
    """
    there = {route.path for route in websocket_routes}
    ours = [
        *report_jobs.ROUTES,
        *monitor_views.ROUTES,
        *room_links.ROUTES,
        *payments.ROUTES,
        *jobs.ROUTES,
        *add_participants.ROUTES,
    ]
    websocket_routes[:0] = [route for route in ours if route.path not in there]
    paths = otree.middleware._get_paths_without_lock
    otree.middleware._get_paths_without_lock = lambda: {
        *paths(),
        *(page.PATH for page in (report_jobs, monitor_views, room_links)),
        *jobs.PATHS,
    }


def answer_without_the_lock() -> None:
    """What needs nothing of oTree waits for nobody: files, the questions of those who wait for others, and
    what is refused to a browser because another one holds the seat."""
    guard_layer.BEFORE_THE_LOCK[:] = [
        static_files.SERVED.answer,
        seat_browser.check_page,
        waiting_page.answer,
    ]
    guard_layer.AROUND_SOCKETS[:] = [seat_browser.check_socket]
    guard_layer.AT_THE_START[:] = [
        *(static_files.SERVED.begin, notifications.CHANNELS.begin, wal_checkpoints.begin),
        gc_schedule.begin,
        know_the_participants,
    ]


def know_the_participants() -> None:
    """The seats whose browsers may reconnect after a restart, each within limits of its own."""
    rate_limits.known_codes.update(code for (code,) in RECORDS.rows("SELECT code FROM otree_participant"))
    RECORDS.commit()


def keep_moves_quick_beside_threads() -> None:
    """Pages are made in threads beside the play, and what the tab Progress and the Data page show is read so.
    Python lets a busy thread compute for 5 ms before another gets its turn, and whoever asks the network or
    the database gives it away: several times a move."""
    sys.setswitchinterval(0.0002)


def let_moves_go_before_pages() -> None:
    """A page takes its turn, then the lock; see :mod:`cardlab.live.page_queue`. When it is made, what it has
    looked up goes at once (oTree closes what sockets look up with, but not what pages do)."""
    if otree.middleware.lock2 is lock2:
        otree.middleware.lock2 = PagesInTurn(lock2, db.close)


def let_go_of_what_was_looked_up() -> None:
    """A session of SQLAlchemy's and its transaction hold each other, with forty objects, until Python looks
    for garbage: half of what it found there."""
    close = DBWrapper.close

    def close_for_good(self):
        session = self._db
        close(self)
        session.transaction = None

    DBWrapper.close = close_for_good


def guard_the_one_connection() -> None:
    """All of oTree shares one database connection, so nobody may commit or roll back another's work.

    oTree makes a session in a thread of its own without its lock: a move, or any page, in the middle of
    it would leave a session without its players. And it rolls back whenever the connection is
    "returned", as if nobody else had it.
    """
    BaseCreateSession.lock = lock2
    engine.pool._reset_on_return = sqlalchemy.pool.base.reset_none


def let_the_data_page_read_apart() -> None:
    """What the admin's Data page asks for runs in a thread without the lock and ends with a commit: two at
    once on one connection fail each other. On a connection of its own each also reads one state of the
    data from beginning to end.
    """
    if IN_MEMORY:  # bots: nobody plays beside, and another connection would find another database
        return

    async def get_data(self, request, code):
        def gather():
            with reading():
                return list(get_rows_for_data_tab(Session.objects_get(code=code)))

        return JSONResponse(await asyncio.get_running_loop().run_in_executor(None, gather))

    SessionDataAjax.get = get_data


def keep_time_limits() -> None:
    """oTree's timeout worker closes the hands of those whose browser is gone. It ended at the first error of
    the database; it struck off what failed because the server could not answer just then; and a worker
    that began threw away what was a minute overdue. So a loop of ours stands in for its own, and tasks
    are done late rather than never. (Where a worker ends all the same, ``cardlab.server.run`` sees it.)

    It commits each task that is done before it begins the next. SQLite lets one process write at a time:
    asking the server for the next task from within a transaction, the worker would wait for a server
    that waits for the worker, and every page would fail for five seconds.
    """
    otree.tasks.Worker = timeout_worker.Worker


def let_browser_bots_send_what_they_want() -> None:
    """A bot may say that its page's time was up: in a browser oTree looks for that before it takes what the
    bot sends. And what a bot that waits for others means to be refused may be right by the time its browser
    sends it: then the page is loaded again (``cardlab.pages.bots.another_look``)."""
    post = otree.views.abstract.Page.post

    @wraps(post)
    def post_of_bot(self):
        if self.participant.is_browser_bot:
            sending = otree.bots.browser.browser_bot_worker.queued_post_data
            sent = sending[self.participant.code].post_data if self.participant.code in sending else {}
            if "another_look" in sent:
                del sending[self.participant.code]
                return self.get()
            if otree.constants.timeout_happened in sent:
                self._form_data = FormData(sent)
            sent.pop("error_fields", None)  # oTree would compare their list, written as text
        return post(self)

    otree.views.abstract.Page.post = post_of_bot


def reckon_by_the_server_clock() -> None:
    """A time limit must not be up because somebody has set the computer's clock: what oTree reckons with
    is told by :mod:`cardlab.core.clock`, here and in the timeout worker."""
    models = otree.models
    for module in (
        *(otree.tasks, otree.common2, otree.views.abstract),
        *(models.participant, models.session, models.subsession),
    ):
        module.time = clock
    Session.__table__.c._created.default.arg = lambda _context: clock.time()


def tell_templates_the_language() -> None:
    """oTree's pages do not say in which language they are; those of ``_templates/otree`` in its place do."""
    otree.templating.context.builtins["language"] = settings.LANGUAGE_CODE


def let_go_of_what_was_written() -> None:
    """What a template is filled in with refers to itself: the page, its rows and its form would stay until
    Python looks for garbage."""

    def render(self, *filled_in, **named):
        context = otree.templating.context.Context(filled_in[0] if filled_in else named, self)
        try:
            return self.root_node.render(context)
        finally:
            context.data.stack.clear()

    otree.templating.template.Template.render = render


def find_catalogues_once() -> None:
    """For every single sentence gettext looks into a dozen folders for the language's catalogue, a quarter of
    the work of a page. Where it lies depends on the language alone, which oTree keeps in LANGUAGE.
    """
    find = gettext.find

    @lru_cache(maxsize=100)
    def found(_language, *asked):
        return find(*asked)

    def find_once(domain, localedir=None, languages=None, all=False):
        language = os.environ.get("LANGUAGE")
        if languages is not None or not language:
            return find(domain, localedir, languages, all)
        return found(language, domain, localedir, None, all)

    gettext.find = find_once


add_sockets()
find_catalogues_once()
query_cache.take_over()
answer_without_the_lock()
add_admin_pages()
tell_templates_the_language()
let_go_of_what_was_written()
room_links.complain_in_words()
add_participants.say_kindly_that_it_is_full()
reckon_by_the_server_clock()
keep_moves_quick_beside_threads()
let_go_of_what_was_looked_up()
let_moves_go_before_pages()
guard_the_one_connection()
let_the_data_page_read_apart()
otree_rows.take_over()
jobs.take_over()
keep_time_limits()
let_browser_bots_send_what_they_want()
timeout_worker.reconnect_when_the_database_was_restarted()
create.take_over()
shard.take_letter_and_rooms()
install_guard.install()
notifications.take_over()
presence_socket.take_over()
group_lock.keep_together()
matchmaking.make_groups_at_once()
arrival.count_those_who_came()
treatment_assignment.give_treatments()
completion.take_over()
payments.take_over()
pauses.take_over()
