"""The server's stateful objects, for pages and sockets, which oTree instantiates itself.

:func:`cardlab.server.app.install` builds and connects them, and sets them here once per process. All other
code receives them as arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the only imports that point up, and only for the type checker
    from cardlab.admin.archives import Archives
    from cardlab.admin.monitor_views import SessionMonitors
    from cardlab.admin.report_jobs import Reports
    from cardlab.exports.jobs import ExportQueue
    from cardlab.groups.notifications import PageNotifier
    from cardlab.groups.waiting_room import WaitingRoom
    from cardlab.guard.logins import Logouts
    from cardlab.guard.rate_limits import RateLimits
    from cardlab.live.group_commit import GroupCommit
    from cardlab.live.hand_hub import HandHub
    from cardlab.live.hand_service import HandService
    from cardlab.live.presence import Presence
    from cardlab.live.record_journal import RecordJournal
    from cardlab.live.record_store import Records
    from cardlab.live.seat import PreparedSeats
    from cardlab.live.seat_browser import SeatBrowsers
    from cardlab.live.withdrawals import RefusedCodes
    from cardlab.server.static_files import StaticLayer


class Lab:
    """The objects of this server."""

    rate_limits: RateLimits
    logouts: Logouts
    added_hosts: frozenset[str]  # additional host names of this server, from the environment
    records: Records  # over the hand sockets' own connection
    page_records: Records  # over oTree's connection, in the transaction of a page, export or request
    journal: RecordJournal
    presence: Presence
    service: HandService  # writes ``records``
    page_service: HandService  # writes ``page_records``, for oTree's bots, which play within a page
    group_commit: GroupCommit  # the queue of requests for ``service``
    hub: HandHub
    seat_browsers: SeatBrowsers
    prepared_seats: PreparedSeats
    refused_codes: RefusedCodes  # of participants who have withdrawn
    page_notifier: PageNotifier
    waiting_room: WaitingRoom
    exports: ExportQueue
    archives: Archives
    reports: Reports
    replays: Reports
    monitors: SessionMonitors
    static_files: StaticLayer

    def __getattr__(self, name: str) -> object:
        """Raises AttributeError with the reason why an object is missing."""
        raise AttributeError(f"There is no {name}: cardlab.server.app.install() was not called.")


LAB = Lab()
