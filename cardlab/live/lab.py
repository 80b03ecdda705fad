"""The objects that hold the state of this server, for pages and sockets, which oTree makes itself.

:func:`cardlab.server.app.install` builds the objects, passes them to each other and sets them here, once in
each process. Everything else is passed as an argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cardlab.live.group_commit import GroupCommit
    from cardlab.live.hand_hub import HandHub
    from cardlab.live.presence import Presence
    from cardlab.live.record_store import Records
    from cardlab.live.service import Service


class Lab:
    """The objects of this server.

    Attributes:
        records: records over the hand socket's own connection.
        page_records: records over oTree's connection, in the transaction of its page, export or request.
        presence: which pages each participant has open.
        service: handles requests from all seats; writes ``records``.
        page_service: the same over ``page_records``, for oTree's bots, which play while a page is made.
        group_commit: the queue of requests for ``service``.
        hub: the browser tabs at each hand.
    """

    records: Records
    page_records: Records
    presence: Presence
    service: Service
    page_service: Service
    group_commit: GroupCommit
    hub: HandHub

    def __getattr__(self, name: str) -> object:
        """Explains why an object is missing."""
        raise AttributeError(f"There is no {name}: cardlab.server.app.install() was not called.")


LAB = Lab()
