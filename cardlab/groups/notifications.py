"""Sends notifications from one page to others: a group is complete, the researcher advances a participant.

oTree renders pages in threads and notifies from a second event loop there, over connections of the server's
event loop. While a connection is being opened, this deadlocks the server, because the thread holds oTree's
lock. So notifications are passed to the server's event loop without waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from otree.channels.consumers import WSGroupByArrivalTime
from otree.channels.utils import (
    ChannelLayer,
    channel_layer,
    gbat_group_name,
    session_monitor_group_name,
    sync_group_send,
)
from otree.models import Participant

from cardlab.core.patch import Patch, Wrapper
from cardlab.groups.rounds import is_matched_here
from cardlab.live.client import start_task
from cardlab.live.lab import LAB


class PageNotifier:
    """Sends oTree's notifications to groups of pages, from the server's event loop."""

    def __init__(self, layer: ChannelLayer = channel_layer) -> None:
        self._layer = layer
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """Stores the running event loop. Call it in the server's, before the first connection."""
        self._loop = asyncio.get_running_loop()

    def send(self, group: str, data: dict[str, Any]) -> None:
        """Schedules a message to a group's pages, from any thread. Does nothing without a server."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._send_soon, group, data)

    def _send_soon(self, group: str, data: dict[str, Any]) -> None:
        start_task(self._layer.send(group, data))


def _send_from_event_loop(group: str, data: dict[str, Any]) -> None:
    LAB.page_notifier.send(group, data)


def _update_monitor_table(update: Callable[[Participant], None], self: Participant) -> None:
    if channel_layer._subs.get(session_monitor_group_name(self._session_code)):
        update(self)


def send_ready(session_id: int, page_index: int, participant_id: int) -> None:
    """Notifies the page of a waiting participant that they may continue."""
    sync_group_send(
        group=_channel_of_participant(session_id, page_index, participant_id), data={"status": "ready"}
    )


def _channel_of_participant(session_id: int, page_index: int, participant_id: int) -> str:
    return f"{gbat_group_name(session_id, page_index)}_participant{participant_id}"


def _group_name(
    shared_group_name: Callable[..., str],
    self: WSGroupByArrivalTime,
    app_name: str,
    session_pk: int,
    page_index: int,
    participant_id: int,
    **options: Any,
) -> str:
    if is_matched_here(app_name):
        return _channel_of_participant(session_pk, page_index, participant_id)
    page = {"session_pk": session_pk, "page_index": page_index, "participant_id": participant_id}
    return shared_group_name(self, app_name=app_name, **page, **options)


PATCHES = (
    Wrapper(
        *(WSGroupByArrivalTime, "group_name", _group_name, "speed", "0d3001037f685965"),
        "Only a complete group's members reload. With `_gbat_try_to_make_new_group`: the median page of "
        "40 groups took 31 instead of 320 ms.",
    ),
    Patch(
        *(channel_layer, "sync_send", _send_from_event_loop, "correctness", "1e3c4cd6fe501870"),
        "Sends from the event loop. oTree's page thread can hold the lock for ever while a connection opens.",
        label="otree.channels.utils.channel_layer",
    ),
    Wrapper(
        *(Participant, "_update_monitor_table", _update_monitor_table, "speed", "d7f9bc02466cfcb1"),
        "Skips a Monitor that nobody has open. For its gain see `SPGModel.__getattribute__`.",
    ),
)
