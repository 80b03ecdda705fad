"""Tests the rate limits of seats and addresses with a simulated clock."""

import asyncio
import math

import pytest
from guard_client import HOST, EchoApp, guard, send_request
from test_guard import Network
from uvicorn.config import Config

from cardlab.guard import connections, rate_limits
from cardlab.guard.rate_limits import LimitedClients, RateLimit, RateLimits
from cardlab.server import guard_layer

SECRET_CODE = "abcd1234"


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def limits(clock):
    """Provides all limits, small and on the test's clock; one participant is known."""
    limits = RateLimits(clock=clock)
    limits.clients = LimitedClients(clock)
    for name, burst, per_second, max_delay in [
        ("connections", 3, 10, 0.55),
        ("requests", 3, 10, 0.55),
        ("pages", 2, 1, 0),
        ("seat_pages", 3, 10, 0.55),
        ("handshakes", 3, 10, 0.55),
        ("unknown_seats", 2, 1, 0),
        ("seat_handshakes", 3, 10, 0.55),
        ("seat_messages", 3, 10, math.inf),
    ]:
        setattr(limits, name, RateLimit(burst, per_second, max_delay, clock))
    limits.add_known_codes([SECRET_CODE])
    return limits


@pytest.fixture
def slept(monkeypatch):
    """Records each delay that the guard imposes; no real time passes."""
    delays = []

    async def sleep(seconds):
        delays.append(round(seconds, 3))

    class Asyncio:
        pass

    Asyncio.sleep = staticmethod(sleep)
    monkeypatch.setattr(guard_layer, "asyncio", Asyncio)
    return delays


def scope_of(kind, path):
    about = {"type": kind, "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
    return {**about, "headers": [(b"host", HOST)], "client": ("::1", 1)}


def delays(limit, key, times):
    return [None if (delay := limit.delay(key)) is None else round(delay, 3) for _ in range(times)]


# --- A limit ---


def test_a_burst_passes_then_requests_are_spread(clock):
    limit = RateLimit(3, 10, 0.25, clock)
    assert delays(limit, "a", 7) == [0, 0, 0, 0.1, 0.2, None, None]
    assert delays(limit, "b", 1) == [0]


def test_a_refusal_takes_no_token(clock):
    limit = RateLimit(3, 10, 0.25, clock)
    delays(limit, "a", 100)
    clock.now += 0.1
    assert delays(limit, "a", 2) == [0.2, None]
    clock.now += 0.5
    assert delays(limit, "a", 4) == [0, 0, 0, 0.1]
    clock.now += 100
    assert delays(limit, "a", 4) == [0, 0, 0, 0.1]


def test_a_limit_without_maximum_delay_never_refuses(clock):
    limit = RateLimit(1, 10, clock=clock)
    assert delays(limit, "a", 101)[-1] == 10


def test_keys_without_delay_are_dropped(clock, monkeypatch):
    monkeypatch.setattr(rate_limits, "MAX_KEYS", 50)
    limit = RateLimit(3, 10, 0.25, clock)
    for number in range(1000):
        limit.delay(str(number))
        clock.now += 0.01
    assert len(limit._full_at) <= 50


def test_thirty_computers_behind_one_router_are_not_limited():
    """All open a room's link at once, with twelve files and two sockets each, then once in five seconds."""
    clock = Clock()
    limits = RateLimits(clock=clock)
    waited = []
    for second in range(60):
        for _ in range(30 if second == 0 else 6):
            for limit, times in (
                (limits.connections, 8),
                (limits.requests, 13),
                (limits.pages, 2 * (second == 0)),
                (limits.handshakes, 2),
            ):
                waited += [limit.delay("router") for _ in range(times)]
        clock.now += 1
    assert set(waited) == {0.0}


def test_limits_scale_with_the_connections():
    usual = RateLimits()
    scaled = RateLimits.from_environment({"CARD_LAB_CONNECTIONS": "600", "CARD_LAB_SEAT_LIMITS": "4"})
    assert scaled.max_connections == 600
    assert scaled.connections.burst == 2 * usual.connections.burst
    assert scaled.handshakes.per_second == 2 * usual.handshakes.per_second
    assert scaled.seat_messages.burst == 4 * usual.seat_messages.burst
    assert scaled.seat_handshakes.per_second == 4 * usual.seat_handshakes.per_second
    fewer = RateLimits.from_environment({"CARD_LAB_CONNECTIONS": "2"})
    assert (fewer.max_connections, fewer.connections.burst) == (2, usual.connections.burst)


@pytest.mark.parametrize("name", ["CARD_LAB_CONNECTIONS", "CARD_LAB_SEAT_LIMITS"])
def test_invalid_limit_is_explained(name):
    with pytest.raises(SystemExit, match=f"{name} must be a whole number, 1 or more, not 'many'"):
        RateLimits.from_environment({name: "many"})


# --- Keys of the limits ---


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (f"/hand/{SECRET_CODE}/3", SECRET_CODE),
        (f"/here/{SECRET_CODE}", SECRET_CODE),
        (f"/p/{SECRET_CODE}/ttt_solo_app/Hand/3", SECRET_CODE),
        (f"/InitializeParticipant/{SECRET_CODE}", SECRET_CODE),
        ("/here/unknown1", ""),
        ("/login", ""),
        (f"/room/{SECRET_CODE}", ""),
    ],
)
def test_the_seat_is_found_in_a_path(limits, path, code):
    assert limits.seat_of(path) == code


def test_a_seat_is_known_after_its_page(limits):
    page = {"path": "/p/newcomer/ttt_solo_app/Hand/3", "method": "GET"}
    send_request(EchoApp(404), limits=limits, **page)
    assert not limits.seat_of("/here/newcomer")
    send_request(EchoApp(200), limits=limits, **page)
    assert limits.seat_of("/here/newcomer") == "newcomer"


# --- Requests and sockets ---


def test_requests_of_an_address_wait_then_fail(limits, slept):
    files = {"method": "GET", "path": "/static/cards/2H.svg"}
    statuses = [send_request(limits=limits, **files).status for _ in range(10)]
    assert statuses == [200] * 8 + [429] * 2
    assert slept == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert (
        send_request(limits=limits, **files).text
        == "Too many requests. Please wait a moment, then reload the page.\n"
    )


def test_pages_are_limited_by_seat_or_address(limits):
    limits.requests.burst = 100
    assert [send_request(limits=limits, method="GET", path="/login").status for _ in range(3)] == [
        200,
        200,
        429,
    ]
    page = f"/p/{SECRET_CODE}/ttt_solo_app/Hand/3"
    limits.seat_pages.max_delay = 0
    assert [send_request(limits=limits, method="GET", path=page).status for _ in range(4)] == [
        200,
        200,
        200,
        429,
    ]


def test_requests_of_this_machine_do_not_wait(limits, slept):
    client = ("127.0.0.1", 4711)
    assert {
        send_request(limits=limits, method="GET", path="/login", client=client).status for _ in range(50)
    } == {200}
    assert slept == []


def test_concurrent_requests_of_a_seat_are_limited(limits, monkeypatch):
    monkeypatch.setattr(rate_limits, "MAX_CONCURRENT_REQUESTS", 3)
    limits.seat_pages.burst = 100

    async def run():
        answering, statuses = asyncio.Event(), []

        async def page(scope, receive, send):
            await answering.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

        async def send(message):
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = scope_of("http", f"/p/{SECRET_CODE}/ttt_solo_app/Hand/3")
        application = guard(page, limits)
        asking = [asyncio.ensure_future(application(dict(scope), None, send)) for _ in range(10)]
        for _step in range(20):
            await asyncio.sleep(0)
        assert statuses == [429] * 7
        answering.set()
        await asyncio.gather(*asking, application(dict(scope), None, send))
        assert statuses[7:] == [200] * 4
        assert not limits._open_requests

    asyncio.run(run())


def test_messages_of_a_seat_are_delayed(limits, slept):
    """The limit covers all of the seat's sockets, and no message is lost."""
    heard = []

    async def app(scope, receive, send):
        heard.extend([(await receive())["text"] for _ in range(4)])

    async def receive():
        return {"type": "websocket.receive", "text": "ping"}

    for path in (f"/hand/{SECRET_CODE}/3", f"/here/{SECRET_CODE}"):
        asyncio.run(guard(app, limits)(scope_of("websocket", path), receive, None))
    assert len(heard) == 8
    assert slept == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_a_trusted_proxy_names_the_address():
    named = [(b"x-forwarded-for", b"10.0.0.9, 10.0.0.7")]
    for trusted, client, address in [
        ("127.0.0.1", ("127.0.0.1", 1), "10.0.0.7"),
        ("127.0.0.1", ("10.0.0.8", 1), "10.0.0.8"),
        ("*", ("10.0.0.8", 1), "10.0.0.7"),
    ]:
        config = Config(EchoApp(), log_config=None, forwarded_allow_ips=trusted)
        assert connections.client_behind_proxy(config, client, named)[0] == address
        assert connections.client_behind_proxy(config, client, []) == client


UPGRADE = b"Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"


class Upgraded:
    """Stands in for the protocol to which uvicorn hands a socket."""

    opened = 0

    def __init__(self, config, server_state):
        pass

    def connection_made(self, transport):
        Upgraded.opened += 1

    def data_received(self, data):
        pass


class Loop:
    """Wraps an event loop: records the scheduled calls with their delays, and does not run them."""

    def __init__(self, loop):
        self._loop, self.later = loop, []

    def __getattr__(self, name):
        return getattr(self._loop, name)

    def call_later(self, seconds, do, *arguments):
        if do.__name__ in ("_upgrade_later", "_read_on"):
            self.later.append((round(seconds, 3), do, arguments))
        return self._loop.call_later(1000, do, *arguments)


def connected(network, loop, host):
    transport = network.connect(host, loop)
    transport.set_protocol = lambda protocol: None
    return transport


def test_handshakes_of_a_seat_wait_then_fail(limits, monkeypatch):
    """Other seats are not affected; unknown participants share a small limit."""
    monkeypatch.setattr(Upgraded, "opened", 0)

    async def run():
        network, loop = Network(EchoApp(), limits), Loop(asyncio.get_running_loop())
        network.config.ws_protocol_class = Upgraded
        clients = [connected(network, loop, "127.0.0.1") for _ in range(250)]
        for transport in clients:
            transport.protocol.data_received(b"GET /hand/%b/3 HTTP/1.1\r\n" % SECRET_CODE.encode() + UPGRADE)
        assert Upgraded.opened == 3
        assert [seconds for seconds, _do, _arguments in loop.later] == [0.1, 0.2, 0.3, 0.4, 0.5]
        assert [each.closed for each in clients] == [False] * 8 + [True] * 242
        assert clients[8].written.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
        clients[3].closed = True  # the browser has closed it
        for _seconds, do, arguments in loop.later:
            do(*arguments)
        assert Upgraded.opened == 7
        for path, opened in [
            ("/here/unknown1", 8),
            ("/here/unknown2", 9),
            ("/here/unknown3", 9),
            ("/wait", 10),
        ]:
            other = connected(network, loop, "127.0.0.1")
            other.protocol.data_received(b"GET %b HTTP/1.1\r\n" % path.encode() + UPGRADE)
            assert Upgraded.opened == opened
        for transport in clients:
            transport.protocol.shutdown()  # the server ends

    asyncio.run(run())


def test_fast_connections_are_delayed_then_refused(limits, monkeypatch):
    async def run():
        network, loop = Network(EchoApp(), limits), Loop(asyncio.get_running_loop())
        clients = [connected(network, loop, "10.0.0.7") for _ in range(10)]
        assert [seconds for seconds, _do, _arguments in loop.later] == [0.1, 0.2, 0.3, 0.4, 0.5]
        assert [each.closed for each in clients] == [False] * 8 + [True] * 2
        own = [connected(network, loop, host) for host in ("127.0.0.1", "::1") for _ in range(10)]
        assert not any(each.closed for each in own)
        assert connections.client_of(("127.0.0.2", 1)).limited == "127.0.0.2"

    asyncio.run(run())


# --- Logging ---


def test_a_limited_client_is_logged_once(limits, clock, caplog):
    for _ in range(50):
        limits.delay(limits.seat_messages, "messages", SECRET_CODE, "10.0.0.7", SECRET_CODE)
    assert [record.getMessage() for record in caplog.records] == [
        "Too many messages from a participant's browser at 10.0.0.7: they are delayed or refused."
    ]
    ((code, (one,)),) = limits.clients.limited_lately().items()
    assert (code, one.address, one.limit_name) == (SECRET_CODE, "10.0.0.7", "messages")
    clock.now += rate_limits.SHOWN_SECONDS + 1
    assert limits.clients.limited_lately() == {}
    for _ in range(50):
        limits.delay(limits.seat_messages, "messages", SECRET_CODE, "10.0.0.7", SECRET_CODE)
    assert len(caplog.records) == 2


def test_a_short_delay_is_not_logged(limits):
    limits.handshakes.max_delay = 5
    while limits.delay(limits.handshakes, "new sockets", "10.0.0.7", "10.0.0.7") < 0.9:
        assert limits.clients.limited_lately() == {}
    limits.delay(limits.handshakes, "new sockets", "10.0.0.7", "10.0.0.7")
    assert [one.limit_name for one in limits.clients.limited_lately()[""]] == ["new sockets"]
