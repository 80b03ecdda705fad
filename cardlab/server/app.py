"""The composition root: builds the objects of this process and installs Card Lab in oTree.

``project.py``, which all of oTree's commands import, calls :func:`install`. ``settings.py`` would be too
early, because oTree's settings are not complete, and the apps too late, because the tables are already
declared.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from otree.middleware import lock2

from cardlab.admin.archives import Archives
from cardlab.admin.monitor_views import SessionMonitors
from cardlab.admin.report_jobs import Reports, report_command
from cardlab.core import clock
from cardlab.core.engine_pool import EnginePool, engine_of
from cardlab.exports.jobs import Exporter, ExportQueue, start_export_worker
from cardlab.games.registry import games_by_name
from cardlab.groups import group_lock
from cardlab.groups.notifications import PageNotifier
from cardlab.groups.waiting_room import WaitingRoom
from cardlab.guard import body, hosts, log, log_masking
from cardlab.guard.logins import logouts_from_environment
from cardlab.guard.rate_limits import RateLimits
from cardlab.live.group_commit import GroupCommit
from cardlab.live.hand_hub import HandHub
from cardlab.live.hand_service import HandService
from cardlab.live.interfaces import NoConnections
from cardlab.live.lab import LAB
from cardlab.live.presence import Presence
from cardlab.live.record_journal import RecordJournal, journal_file
from cardlab.live.record_store import page_records, socket_records
from cardlab.live.seat import PreparedSeats
from cardlab.live.seat_browser import SeatBrowsers
from cardlab.live.withdrawals import RefusedCodes
from cardlab.server import shard
from cardlab.server.otree_patches import registry
from cardlab.server.otree_patches.patches import PATCHES
from cardlab.server.shipped_files import find_shipped_files
from cardlab.server.static_files import StaticLayer

# Python's default is 5 ms. Threads render pages and the researcher's tables, and a move gives up the GIL
# several times.
SWITCH_SECONDS = 0.0002


def _engine_names() -> list[str]:
    """Returns the names of all games' engine modules."""
    names = [engine_of(game.rules) for game in games_by_name().values()]
    return [name for name in names if find_spec(name)]


def build() -> None:
    """Builds and connects the server's stateful objects."""
    LAB.rate_limits = RateLimits.from_environment()
    LAB.logouts, LAB.added_hosts = logouts_from_environment(), hosts.read_environment()
    LAB.records, LAB.page_records = socket_records(), page_records()
    LAB.presence = Presence()
    LAB.journal = RecordJournal(journal_file())
    LAB.service = HandService(LAB.records, clock.SERVER, NoConnections(), clock.STARTED_MS, LAB.journal)
    LAB.group_commit = GroupCommit(LAB.service, lock2)
    LAB.hub = HandHub(LAB.service, EnginePool(engines=_engine_names()), LAB.group_commit, LAB.presence)
    LAB.service.connections = LAB.hub
    LAB.page_service = HandService(LAB.page_records, clock.SERVER, LAB.hub, clock.STARTED_MS)
    LAB.seat_browsers, LAB.prepared_seats = SeatBrowsers(), PreparedSeats()
    LAB.refused_codes = RefusedCodes()
    LAB.page_notifier, LAB.waiting_room = PageNotifier(), WaitingRoom(LAB.presence)
    LAB.exports = ExportQueue(Exporter(start_export_worker))
    LAB.archives = Archives()
    LAB.reports, LAB.replays = Reports(report_command), Reports(report_command)  # neither waits for the other
    LAB.monitors, LAB.static_files = SessionMonitors(), StaticLayer()


def install() -> None:
    """Installs Card Lab, before oTree imports the apps, creates tables and builds its routes.

    Exits with code 2 and an error message if the installed oTree is not the expected one.
    """
    try:
        registry.apply(PATCHES)
    except registry.SourcesDiffer as differ:
        print(differ, file=sys.stderr)
        sys.exit(2)
    find_shipped_files()
    build()
    body.check_settings()
    group_lock.listen()
    log.add_filters()
    log_masking.mask_codes()
    shard.keep_own_rooms()
    sys.setswitchinterval(SWITCH_SECONDS)
