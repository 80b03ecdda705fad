"""Tests the middleware before oTree: refused requests, connections and the log."""

import asyncio
import errno
import json
import logging
import runpy
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import otree.templating.context
import pytest
import sqlalchemy.exc
import starlette.requests
import websockets.exceptions
from guard_client import FORM, HOST, EchoApp, GuardResponse, guard, send_request
from itsdangerous import TimestampSigner
from otree import settings
from otree.common import _SECRET, AUTH_COOKIE_NAME, AUTH_COOKIE_VALUE
from uvicorn.config import Config
from uvicorn.server import ServerState

from cardlab import open_files
from cardlab.guard import body, connections, cookies, labels, log, logins
from cardlab.guard.rate_limits import RateLimits
from cardlab.server.otree_patches import registry

ROOT = Path(__file__).resolve().parents[2]


# --- The body ---


def test_request_body_is_passed_on_whole():
    inner = EchoApp()
    got = send_request(inner, pieces=[b"a=1&", b"b=2", b""], given=[FORM])
    assert (got.status, got.text, inner.bodies) == (200, "ok", [b"a=1&b=2"])


def test_half_a_body_never_reaches_otree(monkeypatch):
    monkeypatch.setattr(body, "TIMEOUT_SECONDS", 0.01)
    inner = EchoApp()
    got = send_request(inner, path="/login", pieces=[b"a="], given=[FORM], slow=True)
    assert (got.status, inner.bodies) == (408, [])
    assert got.text.startswith("The page did not arrive completely.")
    assert got.headers["connection"] == "close"


def test_a_request_without_a_body_does_not_wait():
    assert send_request(method="GET").status == 200


TOO_LONG = "Your text is too long. Please go back and shorten it.\n"


@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize("given", [[], [FORM]], ids=["no form", "form"])
@pytest.mark.parametrize(("size", "status"), [(10_000, 200), (10_001, 413), (40_000, 413), (10_000_000, 413)])
def test_long_bodies_are_refused(method, given, size, status):
    inner = EchoApp()
    pieces = [b"x" * 50_000] * (size // 50_000) + [b"x" * (size % 50_000)]
    got = send_request(inner, method=method, pieces=pieces, given=given)
    assert got.status == status
    assert len(inner.bodies) == (status == 200)
    assert status == 200 or got.text == TOO_LONG


@pytest.mark.parametrize("letter", ["ж", "王", "😀"])
def test_form_limit_counts_decoded_bytes(letter):
    def sent(letters):
        return send_request(pieces=[b"strategy=" + quote(letter * letters).encode()], given=[FORM]).status

    longest = (10_000 - len("strategy=")) // len(letter.encode())
    assert [sent(longest), sent(longest + 1)] == [200, 413]


@pytest.mark.parametrize("text", [b"%", b"%%%", b"%2", b"100%25%", b"%zz", b"%" * 9_000])
def test_a_form_must_be_percent_encoded(text):
    inner = EchoApp()
    assert (send_request(inner, pieces=[b"a=" + text], given=[FORM]).status, inner.bodies) == (400, [])


def test_settings_limit_the_size_of_forms(monkeypatch):
    monkeypatch.setattr(settings, "FORM_BYTES", 20_000)
    monkeypatch.setattr(settings, "FORM_FIELDS", 100)
    assert send_request(pieces=[b"x" * 20_000]).status == 200
    assert send_request(pieces=[b"x" * 20_001]).status == 413
    assert send_request(pieces=[b"&".join([b"a=1"] * 100)], given=[FORM]).status == 200
    assert send_request(pieces=[b"&".join([b"a=1"] * 101)], given=[FORM]).status == 413


@pytest.mark.parametrize("name", ["FORM_BYTES", "FORM_FIELDS"])
@pytest.mark.parametrize("value", [0, "10000", 1e4, True])
def test_a_wrong_form_limit_is_explained(monkeypatch, name, value):
    monkeypatch.setattr(settings, name, value)
    with pytest.raises(SystemExit, match=rf"{name} in settings.py must be a whole number, 10+ or more, not "):
        body.check_settings()


@pytest.mark.parametrize(
    ("path", "level", "cookie", "status"),
    [
        ("/SessionEditProperties/abc", "STUDY", "log in", 200),
        ("/SessionEditProperties/abc", "STUDY", None, 413),
        ("/SessionEditProperties/abc", "STUDY", "forged", 413),
        ("/SessionEditProperties/abc", None, None, 200),  # no login is needed
        ("/p/abc/ttt/Hand/1", "STUDY", "log in", 413),
        ("/p/abc/ttt/Hand/1", None, None, 413),
        ("/room/lab", None, None, 413),
    ],
)
def test_only_the_admin_may_send_large_forms(monkeypatch, path, level, cookie, status):
    monkeypatch.setattr(settings, "AUTH_LEVEL", level)
    session = {AUTH_COOKIE_NAME: AUTH_COOKIE_VALUE, logins.LOGIN_ID: logins.new_id()}
    signed = TimestampSigner(_SECRET if cookie == "log in" else "other").sign(
        b64encode(json.dumps(session).encode())
    )
    given = [FORM, *([(b"cookie", b"session=" + signed)] if cookie else [])]
    assert (
        send_request(path=path, pieces=[b"&".join([b"session=abcdefgh"] * 900)], given=given).status == status
    )


@pytest.mark.parametrize(
    ("path", "key", "status"),
    [("/api/sessions", b"right", 200), ("/api/sessions", b"wrong", 403), ("/p/code", b"right", 413)],
)
def test_rest_requests_may_be_larger(monkeypatch, path, key, status):
    monkeypatch.setenv("OTREE_REST_KEY", "right")
    content = b'{"a":"' + b"x" * 900_000 + b'"}'
    assert send_request(path=path, pieces=[content], given=[(b"otree-rest-key", key)]).status == status


def test_many_fields_are_refused():
    assert send_request(pieces=[b"&".join([b"a=1"] * 60)], given=[FORM]).status == 200
    assert send_request(pieces=[b"&".join([b"a=1"] * 61)], given=[FORM]).status == 413


@pytest.mark.parametrize(
    "kind", [b"multipart/form-data; boundary=XX", b"Multipart/Form-Data", b"multipart/form-data;"]
)
def test_multipart_forms_are_refused(kind):
    inner = EchoApp()
    got = send_request(inner, pieces=[b"--XX\r\n\r\nvalue\r\n--XX--\r\n"], given=[(b"content-type", kind)])
    assert (got.status, inner.bodies) == (415, [])
    assert got.text == "The form must have the content type application/x-www-form-urlencoded.\n"


def test_a_form_is_parsed_before_the_lock(monkeypatch):
    """starlette would parse it in the same way, but while oTree holds its lock."""
    content = b"plain=1&empty=&alone&twice=a&twice=b&text=a+b%20%C3%BC%26%3D%3B&=x&broken=%C3z&&"
    parsed = []

    async def app(scope, receive, _send):
        monkeypatch.setattr(starlette.requests, "FormParser", None)  # the form is already parsed
        parsed.append(await starlette.requests.Request(scope, receive).form())

    registry.apply(body.PATCHES)
    send_request(app, pieces=[content[:20], content[20:]], given=[FORM])
    text = [
        ("plain", "1"),
        ("empty", ""),
        ("alone", ""),
        ("twice", "a"),
        ("twice", "b"),
        ("text", "a b ü&=;"),
    ]
    assert parsed[0].multi_items() == [*text, ("", "x"), ("broken", "\ufffdz")]


def test_a_browser_that_leaves_gets_no_answer():
    async def leave():
        async def receive():
            return {"type": "http.disconnect"}

        with pytest.raises(body.ClientDisconnected):
            await body.read_whole_body({"path": "/p/code", "headers": [(b"content-length", b"9")]}, receive)

    asyncio.run(leave())


# --- Address and headers ---


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ((b"content-type", b'multipart/form-data; boundary="' + b"\\" * 34), 400),
        ((b"content-type", b"text/plain; " + b"a" * 300), 400),
        ((b"cookie", b"a" * 9_000), 431),
        ((b"cookie", b"a" * 7_000), 200),
        ((b"x-any", b"a" * 3_000), 431),
    ],
)
def test_malformed_headers_are_refused(given, status):
    for kind in ("http", "websocket"):
        got = send_request(kind=kind, given=[given], method="GET")
        if kind == "websocket":
            assert got.kinds == ["websocket.accept" if status == 200 else "websocket.close"]
        else:
            assert got.status == status
            assert status == 200 or got.text.endswith(".\n")


def test_a_second_content_type_is_refused():
    assert send_request(given=[FORM, (b"content-type", b"text/plain")]).status == 400


def test_many_headers_are_refused():
    assert send_request(given=[(b"x-%d" % n, b"a" * 1_900) for n in range(9)]).status == 431


def test_malformed_addresses_are_refused():
    assert send_request(path="/" + "a" * 5_000).status == 414
    assert send_request(query=b"a" * 5_000).status == 414
    assert send_request(path="/static/\0").status == 404


def test_every_answer_has_the_security_headers():
    for got in (
        send_request(),
        send_request(path="/static/\0"),
        send_request(pieces=[b"x" * 200_000]),
    ):
        assert "frame-ancestors 'self'" in got.headers["content-security-policy"]
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.headers["referrer-policy"] == "same-origin"
    own = EchoApp(answers=[(b"Content-Security-Policy", b"default-src 'none'")])
    assert send_request(own).headers["Content-Security-Policy"] == "default-src 'none'"
    assert "content-security-policy" not in send_request(own).headers


# --- Labels ---

GOOD = ["PC1", "pc_1", "_x", "Anna-Lena 2.b", "Žofie", "Иван", "王小明", "जोशी", "x" * 100]
BAD = [
    "<img src=x onerror=alert(1)>",
    "=1+1",
    "+1",
    "-1",
    "@a",
    "a:b",
    "a\nb",
    "a\0",
    " a",
    "x" * 101,
    "a'",
    "a&b",
]


@pytest.mark.parametrize("label", GOOD)
def test_good_labels_are_accepted(label):
    assert labels.is_valid_label(label)


@pytest.mark.parametrize("label", [*BAD, "", None, 7, ["PC1"]], ids=repr)
def test_bad_labels_are_refused(label):
    assert not labels.is_valid_label(label)


@pytest.mark.parametrize("label", BAD)
@pytest.mark.parametrize("name", ["participant_label", "participant%5Flabel"])
def test_a_bad_label_in_an_address_is_refused(label, name):
    query = f"welcome_page_ok=1&{name}=PC1&{name}={quote(label)}".encode()
    got = send_request(query=query, method="GET")
    assert got.status == 400
    assert got.text.startswith("This label is not valid")
    assert "img" not in got.text
    assert send_request(kind="websocket", path="/wait_for_session_in_room", query=query).kinds == [
        "websocket.close"
    ]


def test_a_good_label_in_an_address_passes():
    assert send_request(query=b"participant_label=PC+1", method="GET").status == 200
    assert send_request(query=b"participant_label=", method="GET").status == 200


# --- Browser caches ---


@pytest.mark.parametrize(
    ("path", "kept"),
    {
        "/p/ab12cd34/ttt/Hand/7": "no-store",
        "/InitializeParticipant/ab12cd34": "no-store",
        "/OutOfRangeNotification/ab12cd34": "no-store",
        "/room/lab": "no-store",
        "/join/dozivami": "no-store",
        "/demo": None,
        "/static/cards/2H.svg": None,
    }.items(),
)
def test_participants_pages_are_not_cached(path, kept):
    assert send_request(path=path, method="GET").headers.get("cache-control") == kept


# --- Passwords ---


@pytest.mark.parametrize(("password", "held"), [("", None), ("  ", None), (" a ", " a ")])
def test_blank_password_is_wrong(monkeypatch, password, held):
    monkeypatch.setenv("OTREE_ADMIN_PASSWORD", password)
    assert runpy.run_path(str(ROOT / "settings.py"))["ADMIN_PASSWORD"] == held


# --- Errors ---

LOCKED = sqlalchemy.exc.OperationalError("UPDATE", {}, Exception("database is locked"))


@pytest.mark.parametrize("status", [None, 500])  # without a response from oTree, or with its error page
def test_a_locked_database_is_explained(status, caplog):
    got = send_request(EchoApp(status, error=LOCKED))
    assert (got.status, got.kinds.count("http.response.start")) == (503, 1)
    assert got.text == "Something went wrong on our side. Please reload the page in a moment.\n"
    assert [record.getMessage() for record in caplog.records] == ["POST /p/code failed: database is locked"]


def test_other_errors_are_answered_and_logged():
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"host", HOST)]}
    for inner, text in (
        (EchoApp(None, error=ZeroDivisionError()), "Something went wrong"),
        (EchoApp(500, error=KeyError()), "ok"),
    ):
        sent.clear()
        with pytest.raises((ZeroDivisionError, KeyError)):
            asyncio.run(guard(inner)(scope, receive, send))
        assert GuardResponse(sent).status == 500
        assert GuardResponse(sent).text.startswith(text)
        assert "x-content-type-options" in GuardResponse(sent).headers


@pytest.fixture
def templates_have_a_language(monkeypatch):
    """Sets the templates' language, as a patch does on a server."""
    monkeypatch.setitem(otree.templating.context.builtins, "language", "en")


BROWSER = [(b"accept", b"text/html,application/xhtml+xml,*/*;q=0.8")]


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/p/code/app/Page/1", 404, "There is no page at this address."),
        ("/p/code/app/Page/1", 500, "Something went wrong."),
        ("/SessionMonitor/code", 500, None),  # oTree's page has advice for the researcher
        ("/ExportReport/code", 404, None),
    ],
)
@pytest.mark.usefixtures("templates_have_a_language")
def test_browser_gets_a_page_of_an_error(monkeypatch, path, status, words):
    monkeypatch.setattr(settings, "DEBUG", False)
    got = send_request(EchoApp(status), path=path, method="GET", given=BROWSER)
    assert got.status == status
    assert (f"<p>{words}" in got.text, got.text == "ok") == ((True, False) if words else (False, True))
    assert send_request(EchoApp(status), path=path, method="GET").text == "ok"  # for a script


@pytest.mark.usefixtures("templates_have_a_language")
def test_refused_request_of_a_browser_gets_a_page():
    got = send_request(path="/p/code", method="GET", given=BROWSER, host=b"a b")
    assert got.status == 400
    assert "<p>The Host header of the request is not a valid host name." in got.text
    assert 'href=""' not in got.text  # no reload link: the same request is refused again


def test_debug_mode_keeps_the_traceback(monkeypatch):
    monkeypatch.setattr(settings, "DEBUG", True)
    assert send_request(EchoApp(500), path="/p/code", method="GET", given=BROWSER).text == "ok"


def cookies_after(header, **options):
    """Returns the Cookie header that oTree gets."""
    scope = {"type": "http", "headers": [(b"host", HOST), (b"cookie", header)], **options}
    cookies.clean_cookies(scope, logins.logouts_from_environment())
    assert scope["headers"][0] == (b"host", HOST)
    return scope["headers"][1][1]


@pytest.mark.parametrize("value", ["", "abc", "null", "a.b.c", "eyJ9.x.y", '"\\101"', "é.ü.ö"])
def test_an_unreadable_session_cookie_is_removed(value):
    assert cookies_after(f"a=1; session={value};b=2".encode()) == b"a=1;b=2"


def signed_session(**session):
    text = b64encode(json.dumps(session).encode())
    return cookies._signer.sign(text).decode()


def test_valid_session_cookie_is_unchanged():
    cookie = f"a=1; session={signed_session(note=1)}".encode()
    assert cookies_after(cookie) == cookie


def test_an_ended_login_leaves_the_session():
    signed = signed_session(note=1, **{AUTH_COOKIE_NAME: "yes"})
    name, _equals, left = cookies_after(f"session={signed}".encode()).decode().partition("=")
    assert (name, cookies._session_in(left)) == ("session", {"note": 1})


def test_cookies_with_backslashes_take_no_time():
    assert cookies_after(b'a="' + b"\\" * 7_900 + b'"; b=1') == b" b=1"


# --- Connections ---


class Transport:
    """One connection, without a network."""

    def __init__(self, host):
        self.host, self.written, self.closed, self.protocol = host, b"", False, None

    def get_extra_info(self, name):
        return {"peername": (self.host, 1), "sockname": ("10.0.0.1", 8000)}.get(name)

    def get_protocol(self):
        return self.protocol

    def write(self, data):
        self.written += data

    def close(self):
        self.closed = True

    def is_closing(self):
        return self.closed

    pause_reading = resume_reading = close_nothing = lambda self: None


class Network:
    """Creates a server's connections, each with a transport without a network."""

    def __init__(self, app, limits=None):
        self.limits = limits or RateLimits()
        self.config = Config(app, log_config=None)
        self.config.load()
        self.state = ServerState()

    def connect(self, host, loop=None):
        protocol = connections.GuardedConnection(self.config, self.state, loop, limits=self.limits)
        transport = Transport(host)
        transport.protocol = protocol
        protocol.connection_made(transport)
        return transport


async def until(condition):
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("in vain")


def test_connections_of_an_address_are_limited_unless_local(monkeypatch, caplog):
    async def run():
        network = Network(EchoApp(), RateLimits(max_connections=3))
        lab = [network.connect("10.0.0.7") for _ in range(5)]
        assert [each.closed for each in lab] == [False] * 3 + [True] * 2
        assert b"503" in lab[4].written
        assert b"Too many connections" in lab[4].written
        lab[0].protocol.connection_lost(None)
        lab[3].protocol.connection_lost(None)
        lab[4].protocol.connection_lost(None)
        assert not network.connect("10.0.0.7").closed
        for host in ("10.0.0.8", *["127.0.0.1"] * 5, *["::1"] * 5, *["2001:db8::1"] * 3):
            assert not network.connect(host).closed, host
        assert network.connect("2001:db8::2").closed  # same network
        all_of_them = len(network.state.connections)
        monkeypatch.setattr(connections, "_max_connections", lambda: all_of_them)
        assert network.connect("127.0.0.1").closed

    asyncio.run(run())
    assert caplog.text.count("Too many open connections from 10.0.0.7: they are delayed or refused.") == 1


def test_an_idle_connection_is_closed(monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT_SECONDS", 0.05)
    answering = asyncio.Event()

    async def slow(_scope, _receive, send):
        await answering.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def run():
        network = Network(slow)
        silent, half, asking = (network.connect("10.0.0.7") for _ in range(3))
        half.protocol.data_received(b"GET / HTTP/1.1\r\nHost:")
        asking.protocol.data_received(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await until(lambda: silent.closed and half.closed)
        assert not asking.closed
        answering.set()
        await until(lambda: asking.written.endswith(b"ok"))
        asking.protocol.data_received(b"GET /")  # stops uvicorn's timeout, but not ours
        await until(lambda: asking.closed)

    asyncio.run(run())


def test_an_open_socket_is_not_closed(monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT_SECONDS", 0.05)

    class Upgraded:
        def __init__(self, config, server_state):
            pass

        def connection_made(self, transport):
            transport.protocol = self

        def data_received(self, data):
            pass

    async def run():
        network = Network(EchoApp())
        network.config.ws_protocol_class = Upgraded
        transport, silent = network.connect("10.0.0.7"), network.connect("10.0.0.7")
        transport.set_protocol = lambda protocol: None
        asked = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        transport.protocol.data_received(asked)
        await until(lambda: silent.closed)
        assert not transport.closed

    asyncio.run(run())


@pytest.mark.skipif(open_files.resource is None, reason="Windows has no such limit")
def test_the_limit_of_open_files_is_raised():
    resource = open_files.resource
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (300, before[1]))
    try:
        assert connections._max_connections() == 100
        open_files.raise_limit()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        assert (soft, hard) == (min(open_files.MOST, before[1]), before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


# --- The log ---


class Kept(logging.Handler):
    def __init__(self, clock):
        super().__init__()
        self.lines = []
        self.addFilter(log.RepetitionFilter(self, clock))

    def emit(self, record):
        self.lines.append(record.getMessage())


@pytest.fixture
def logged():
    """Provides a logger, its output, and a settable clock."""

    class Clock:
        now = 0.0

        def __call__(self):
            return self.now

    clock, logger = Clock(), logging.Logger("test")
    handler = Kept(clock)
    logger.addHandler(handler)
    return logger, handler.lines, clock


def test_repeated_log_lines_are_counted_not_written(logged):
    logger, lines, clock = logged
    for number in range(1000):
        logger.warning("rejected %s", number)
        logger.info("ordinary")
    logger.error("something else")
    assert lines.count("ordinary") == 1000
    assert sum(line.startswith("rejected") for line in lines) == log.MAX_LINES
    assert lines[-1] == "something else"
    clock.now = 61
    logger.error("later")
    assert lines[-2:] == ["980 similar messages were suppressed: rejected 999", "later"]
    logger.warning("rejected %s", 1000)
    assert lines[-1] == "rejected 1000"


def test_errors_are_counted_by_line_of_code(logged):
    logger, lines, _clock = logged

    def one():
        raise KeyError

    def other():
        raise KeyError

    for function in (one, other):
        for _ in range(30):
            try:
                function()
            except KeyError:
                logger.exception("failed")
    assert len(lines) == 2 * log.MAX_LINES


def test_a_long_line_is_cut(logged):
    logger, lines, _clock = logged
    logger.warning("x" * 100_000)
    assert len(lines[0]) == log.MAX_LENGTH + 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (websockets.exceptions.ConnectionClosedError(None, None), False),
        (ConnectionResetError(), False),
        (OSError(errno.ENOTCONN, ""), False),
    ]
    + [(KeyError("participant_code"), True), (OSError(errno.ENOSPC, ""), True)],
)
def test_lost_connections_are_not_logged(error, said):
    record = logging.LogRecord("websockets.server", logging.ERROR, "", 1, "", (), (type(error), error, None))
    assert log.is_not_lost_connection(record) is said
