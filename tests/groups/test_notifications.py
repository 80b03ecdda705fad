"""Tests notifications from a page to others, sent from the thread that renders it."""

from __future__ import annotations

import asyncio

from otree.channels.utils import ChannelLayer

from cardlab.groups.notifications import PageNotifier


class Opening:
    """Simulates a connection that the server's loop has not finished opening."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.received: list[str] = []

    async def send_text(self, text: str) -> None:
        await self.opened.wait()
        self.received.append(text)


def test_a_page_waits_for_no_opening_connection():
    async def received() -> list[str]:
        layer, socket = ChannelLayer(), Opening()
        layer.add("those who wait", socket)
        notifier = PageNotifier(layer)
        notifier.begin()
        page = asyncio.get_running_loop().run_in_executor(
            None, notifier.send, "those who wait", {"status": "ready"}
        )
        await asyncio.wait_for(page, 10)
        assert socket.received == []
        await asyncio.sleep(0)  # until sending has begun
        socket.opened.set()
        while not socket.received:
            await asyncio.sleep(0)
        return socket.received

    assert asyncio.run(received()) == ['{"status": "ready"}']


def test_without_a_server_nothing_is_sent():
    layer = ChannelLayer()
    layer.add("those who wait", object())
    PageNotifier(layer).send("those who wait", {"status": "ready"})
