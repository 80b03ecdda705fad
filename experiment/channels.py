"""What one page tells others: that a group is complete, that the researcher moves somebody on.

oTree makes pages in threads, and sends such news from an event loop of the thread's own, over connections
that belong to the server's. To one that is just being opened it would wait for ever, for that is finished in
the server's loop, which wakes no other; and with the thread, which has the lock, everybody would wait. So
news are handed to the server's loop, and the page goes on: whoever is told looks again under the lock, later.
"""

from __future__ import annotations

import asyncio
from typing import Any

from otree.channels.utils import ChannelLayer, channel_layer

from experiment.tab import under_way


class Channels:
    """Where news are sent from: the server's event loop, since there is one."""

    def __init__(self, layer: ChannelLayer) -> None:
        self._layer = layer
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """To be called in the server's event loop, before anybody connects."""
        self._loop = asyncio.get_running_loop()

    def send(self, group: str, data: dict[str, Any]) -> None:
        """Begin to tell a group's pages, from any thread; without a server nobody is there to be told."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._send_soon, group, data)

    def _send_soon(self, group: str, data: dict[str, Any]) -> None:
        under_way(self._layer.send(group, data))


CHANNELS = Channels(channel_layer)


def take_over() -> None:
    """oTree's own news go this way."""
    channel_layer.sync_send = CHANNELS.send
