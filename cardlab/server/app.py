"""The composition root: puts together what Card Lab adds to oTree, and applies the patches of oTree.

``project.py``, which oTree imports whenever it is set up, calls :func:`install`.
"""

from __future__ import annotations

import sys

from otree.channels.routing import websocket_routes
from starlette.routing import WebSocketRoute

from cardlab.admin import monitor_views, payments, report_jobs, room_links
from cardlab.exports import jobs
from cardlab.groups import group_lock, notifications
from cardlab.guard import body, connections, hosts, log, log_masking, rate_limits
from cardlab.live import presence_socket, seat_browser, wal_checkpoints
from cardlab.live.hand_socket import hand_socket
from cardlab.live.record_store import RECORDS
from cardlab.pages import waiting_page
from cardlab.server import gc_schedule, guard_layer, shard, static_files
from cardlab.server.otree_patches import registry
from cardlab.server.otree_patches.patches import PATCHES
from cardlab.sessions import add_participants, treatment_assignment

# By default Python lets a busy thread run for 5 ms before another gets its turn. Pages and the researcher's
# tables are made in threads, and a move gives its turn away several times.
SWITCH_SECONDS = 0.0002


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


def install() -> None:
    """Set the server up; before oTree imports the apps, makes tables and builds its routes. Idempotent."""
    try:
        registry.apply(PATCHES)
    except registry.SourcesDiffer as differ:
        print(differ, file=sys.stderr)
        sys.exit(2)
    for read in (body.check_settings, connections.read_environment, hosts.read_environment):
        read()
    for listen in (group_lock.listen, treatment_assignment.listen):
        listen()
    log.install()
    log_masking.install()
    shard.keep_own_rooms()
    add_sockets()
    add_admin_pages()
    answer_without_the_lock()
    sys.setswitchinterval(SWITCH_SECONDS)
