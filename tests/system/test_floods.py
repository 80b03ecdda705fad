"""Tests a browser that floods the server: it is slowed down, and other participants play on."""

import contextlib
import socket

import pytest
import requests
from server_fixture import LabServer, wait_for
from tabs import Gone, Socket, Tab, Visitor, open_first_hand, send_at_once

from cardlab.guard.rate_limits import TABS_PER_SEAT, RateLimits

LIMITS = RateLimits()

UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Provides a server with its real rate limits."""
    limits = {"CARD_LAB_SEAT_LIMITS": "1"}
    with LabServer(tmp_path_factory.mktemp("server") / "card_lab", environment=limits) as running:
        yield running


@pytest.fixture
def session(server):
    return server.create_session("ttt_demo", participants=4, MaxRounds="1000")


@contextlib.contextmanager
def handshakes(server, paths):
    """Sends WebSocket handshakes at once; :func:`status` reads the responses."""
    with contextlib.ExitStack() as stack:
        connections = []
        for _path in paths:
            connections.append(stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 30)))
        for raw, path in zip(connections, paths):
            raw.sendall(UPGRADE.format(path=path, port=server.port).encode())
        yield connections


def status(raw):
    return raw.recv(12)[9:]


def progress(server, session):
    rows = requests.get(f"{server.url}/cardlab/progress/{session.code}/rows", timeout=60).json()
    return {row["code"]: row["notices"] for row in rows["rows"]}, rows["comment"]


def slowed_down(what):
    return f"too many {what} from 127.0.0.1"


def test_reconnect_flood_affects_only_its_seat(server, session):
    hostile, other, *_ = session.participants
    page, others = Visitor(server, hostile), open_first_hand(server, other)
    page.walk_to("Hand")
    limit = LIMITS.seat_handshakes
    times = int(limit.burst + limit.max_delay * limit.per_second)
    with handshakes(
        server, [f"/hand/{hostile}/{page.index}?tab={number}&here=1" for number in range(250)]
    ) as connections:
        others.play("PPP")
        answers = [status(raw) for raw in connections]
        assert answers.count(b"429") >= 250 - times - 2 * limit.max_delay * limit.per_second
        assert answers.count(b"101") >= limit.burst
    others.play("PPP")
    seats, _comment = wait_for(
        lambda: (found := progress(server, session))[0].get(hostile) and found, "the notice in Progress"
    )
    assert slowed_down("new sockets") in seats[hostile][0]
    assert not seats[other]


def test_sockets_of_unknown_participants_are_refused(server, session):
    visitor = Visitor(server, session.participants[0])
    paths = [f"/here/unknown{number}" for number in range(100)]
    with handshakes(server, [*paths, f"/here/{visitor.code}"]) as connections:
        *unknown, known = map(status, connections)
        assert unknown.count(b"429") >= 100 - 2 * LIMITS.unknown_seats.burst
        assert known == b"101"
        _seats, comment = wait_for(
            lambda: (found := progress(server, session))[1] and found, "the notice in Progress"
        )
    assert any(slowed_down("sockets of unknown participants") in line for line in comment)
    log = server.stderr_text()
    assert log.count("Too many sockets of unknown participants") == 1
    assert not any(code in log for code in session.participants)


def test_whole_laboratory_reconnects_after_restart(server):
    session = server.create_session("ttt_demo", participants=40)
    server.stop()
    server.start()
    with handshakes(
        server, [f"/here/{code}" for code in session.participants for _tab in range(3)]
    ) as connections:
        assert {status(raw) for raw in connections} == {b"101"}
    assert not any(progress(server, session)[0].values())


def test_oldest_of_too_many_tabs_is_closed(server, session):
    code = session.participants[1]
    first = open_first_hand(server, code)
    page = Visitor(server, code).index
    later = [Tab(server, code, page) for _ in range(TABS_PER_SEAT)]
    while "second_tab" not in (said := first.receive()):
        pass
    assert said == {"second_tab": "tell"}
    with pytest.raises(Gone):
        first.receive()
    assert "refused" not in later[0].send_action("P")
    pages = [Socket(server, f"/here/{code}") for _ in range(TABS_PER_SEAT + 1)]
    pages[0].receive()
    with pytest.raises(Gone):
        pages[0].receive()
    assert pages[1].receive()
    for each in (*later, *pages[1:]):
        each.close()


def test_message_flood_is_slowed_down(server, session):
    hostile, other = session.participants[2:]
    flood, others = open_first_hand(server, hostile), open_first_hand(server, other)
    stale = flood.message("U", number=0)
    send_at_once([(flood, stale)] * 10 + [(flood, "ping")] * 2 * int(LIMITS.seat_messages.burst))
    assert "refused" in flood.receive()
    others.play("PP")
    seats = wait_for(
        lambda: (found := progress(server, session)[0])[hostile] and found, "the notice in Progress"
    )
    assert slowed_down("messages") in seats[hostile][0]
    assert not seats[other]
    others.play("PP")
