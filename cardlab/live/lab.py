"""The objects that hold the state of this server, for pages and sockets, which oTree makes itself.

:func:`cardlab.server.app.install` builds the objects, passes them to each other and sets them here, once in
each process. Everything else is passed as an argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the one place where imports point up: nothing is imported when the program runs
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
    from cardlab.live.record_store import Records
    from cardlab.live.seat_browser import SeatBrowsers
    from cardlab.server.static_files import StaticLayer


class Lab:
    """The objects of this server."""

    rate_limits: RateLimits
    logouts: Logouts
    added_hosts: frozenset[str]  # names of this server that the researcher has added
    records: Records  # over the hand socket's own connection
    page_records: Records  # over oTree's connection, in the transaction of its page, export or request
    presence: Presence
    service: HandService  # writes ``records``
    page_service: HandService  # writes ``page_records``, for oTree's bots, which play while a page is made
    group_commit: GroupCommit  # the queue of requests for ``service``
    hub: HandHub
    seat_browsers: SeatBrowsers
    page_notifier: PageNotifier
    waiting_room: WaitingRoom
    exports: ExportQueue
    reports: Reports
    replays: Reports
    monitors: SessionMonitors
    static_files: StaticLayer

    def __getattr__(self, name: str) -> object:
        """Explains why an object is missing."""
        raise AttributeError(f"There is no {name}: cardlab.server.app.install() was not called.")


LAB = Lab()
