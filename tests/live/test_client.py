"""Tests that a slow browser tab receives the newest message without a backlog."""

import asyncio

import pytest
from websockets.legacy.protocol import WebSocketCommonProtocol

from cardlab.core.transitions import RELOAD
from cardlab.live.client import Client, close, send


class Browser:
    """Simulates a WebSocket whose browser reads when the test allows it."""

    def __init__(self):
        self.heard, self.reads = [], asyncio.Event()

    async def send_json(self, said):
        await self.reads.wait()
        self.heard.append(said)


def received_messages(*tellings):
    """Returns the messages that a browser receives if it starts to read after all were sent."""

    async def scene():
        browser = Browser()
        tab = Client(browser, None)
        deliveries = []
        for said in tellings:
            deliveries.append(tab.send(said))
            await asyncio.sleep(0)
        assert len({id(delivery) for delivery in deliveries}) == 1
        browser.reads.set()
        await asyncio.gather(*deliveries)
        assert await tab.send({"view": "after"}) is None
        return browser.heard

    *heard, last = asyncio.run(scene())
    assert last == {"view": "after"}
    return heard


def test_a_slow_tab_gets_first_and_newest():
    boards = [{"next": number, "view": {"moves": number}} for number in range(20_000)]
    assert received_messages(*boards) == [boards[0], boards[-1]]


def test_the_reason_of_a_refusal_is_kept():
    refused = {"next": 2, "view": {}, "refused": "No."}
    assert received_messages({"view": 1}, refused, {"next": 3, "view": {}}) == [
        {"view": 1},
        {"refused": "No.", "next": 3, "view": {}},
    ]


def test_the_request_to_reload_is_kept():
    assert received_messages({"view": 1}, RELOAD, {"view": 2}) == [{"view": 1}, RELOAD]


def test_connection_lost_while_opening_is_closed_silently():
    async def scene():
        protocol = WebSocketCommonProtocol()
        protocol.transfer_data_task = None  # as in uvicorn
        await close(protocol)

    asyncio.run(scene())


@pytest.mark.parametrize(
    "error", [RuntimeError("closed"), OSError(107, "Transport endpoint is not connected")]
)
def test_message_to_a_vanished_browser_is_dropped(error):
    class Vanished:
        async def send_json(self, _message):
            raise error

    asyncio.run(send(Vanished(), {"view": 1}))
