"""Tests a hostile client on a real server: incomplete forms, idle connections, malicious labels."""

import contextlib
import json
import re
import socket
import time
from urllib.parse import quote

import pytest
import requests
import websockets
from server_fixture import LabServer, wait_for
from tabs import Socket, Visitor, open_first_hand

PASSWORD = "password of the tests"
TOO_LONG = "Your text is too long. Please go back and shorten it.\n"
HOSTILE = ("<img src=x onerror=alert(1)>", "=1+1", "@a", "-1", "x" * 101)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Provides a password-protected server, started with a low limit of open files, as on many systems."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < 4_000:
        pytest.skip("this system lets nobody open enough files")
    study = {"OTREE_AUTH_LEVEL": "STUDY", "OTREE_ADMIN_PASSWORD": PASSWORD}
    running = LabServer(tmp_path_factory.mktemp("server") / "card_lab", environment=study)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        running.start()
        resource.setrlimit(resource.RLIMIT_NOFILE, (4_000, before[1]))
        yield running
    finally:
        running.stop()
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture
def http():
    with requests.Session() as session:
        session.trust_env = False
        yield session


def connected(server, sent=b""):
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    raw.sendall(sent)
    return raw


def head(server, method, path, *lines):
    return "\r\n".join(
        [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *lines, "", ""]
    ).encode()


def logged_in(server, http):
    page = http.get(server.url + "/login")
    token = dict(re.findall(r'name="(\w+)" value="(\d+)"', page.text))
    http.post(server.url + "/login", data={**token, "username": "admin", "password": PASSWORD})
    return http


def test_payments_are_visible_to_the_admin_only(server, http):
    session = server.create_session("ttt_demo")
    pages = [f"/SessionPayments/{session.code}"]
    pages += [f"/cardlab/payments/{session.code}{end}" for end in ("/payments.csv", "/receipts")]
    assert [http.get(server.url + page).url for page in pages] == [server.url + "/login"] * 3
    assert http.get(f"{server.url}/api/payments/{session.code}").status_code == 403
    logged_in(server, http)
    assert [http.get(server.url + page).url for page in pages] == [server.url + page for page in pages]


def test_incomplete_form_does_not_block_others(server, http):
    tab = open_first_hand(server, server.create_session("ttt_demo").participants[0])
    form = "Content-Type: application/x-www-form-urlencoded"
    began = time.monotonic()
    with connected(server, head(server, "POST", "/login", form, "Content-Length: 100") + b"a=1"):
        tab.play("P")
        assert http.get(server.url + "/login").status_code == 200
        assert time.monotonic() - began < 5  # a blocked server would wait for the form twice as long


def test_a_form_of_a_million_fields_is_refused(server, http):
    began = time.monotonic()
    answer = http.post(server.url + "/login", data="&".join(["a=1"] * 500_000))
    assert (answer.status_code, answer.text) == (413, TOO_LONG)
    assert time.monotonic() - began < 5


def test_slow_content_type_is_refused(server):
    kind = 'Content-Type: multipart/form-data; a="' + "\\" * 40
    began = time.monotonic()
    with connected(server, head(server, "POST", "/login", kind, "Content-Length: 2") + b"ab") as raw:
        assert raw.recv(100).startswith(b"HTTP/1.1 400 ")
    assert time.monotonic() - began < 5


def test_malicious_label_has_no_effect(server, http):
    room = {"room_name": "open", "num_participants": 2, "session_config_name": "ttt_demo"}
    code = json.loads(server.api("/api/sessions", room))["code"]
    from_session = "FROM otree_participant WHERE _session_code = ?"
    (first, _second) = (each for (each,) in server.query(f"SELECT code {from_session} ORDER BY id", code))
    ((join,),) = server.query("SELECT _anonymous_code FROM otree_session WHERE code = ?", code)
    key = {"otree-rest-key": server.environment["OTREE_REST_KEY"]}
    for label in HOSTILE:
        named = f"participant_label={quote(label)}"
        for way in (f"InitializeParticipant/{first}?", f"join/{join}?", "room/open?welcome_page_ok=1&"):
            answer = http.get(f"{server.url}/{way}{named}")
            assert answer.status_code == 400, way
            assert answer.text.startswith("This label is not valid")
        with pytest.raises(websockets.InvalidStatusCode):
            Socket(server, f"/wait_for_session_in_room?room_name=open&tab_unique_id=a&{named}")
        payload = {"room_name": "lab", "participant_label": label, "vars": {}}
        assert http.post(f"{server.url}/api/participant_vars", json=payload, headers=key).status_code == 400
    assert server.query(f"SELECT label {from_session} AND (visited OR label IS NOT NULL)", code) == []
    assert server.query("SELECT participant_label FROM otree_participantvarsfromrest") == []
    Visitor(server, first, label="PC 1")
    assert server.query(f"SELECT label {from_session} AND visited", code) == [("PC 1",)]


def test_a_thousand_idle_connections_block_no_page(server, http):
    with contextlib.ExitStack() as stack:
        for _ in range(1_000):
            stack.enter_context(connected(server))
        began = time.monotonic()
        assert http.get(server.url + "/login", timeout=30).status_code == 200
        assert time.monotonic() - began < 5


def test_static_folder_serves_only_its_files(server, http):
    for path in ("%00", "cards/2H.svg/x", "a" * 3_000, "..%2fsettings.py", ".%0a", ""):
        assert http.get(f"{server.url}/static/{path}").status_code == 404, path
    assert http.get(f"{server.url}/static/cards/2H.svg").status_code == 200


def test_script_bundles_are_limited_to_linked_ones(server, http):
    page = Visitor(server, server.create_session("ttt_demo").participants[0]).page.text
    (bundle,) = re.findall(r'"(/static/[^"]+\.js\?of=[^"]+)"', page)
    assert http.get(server.url + bundle).status_code == 200
    path, _of, query = bundle.partition("?of=")
    names, _sign, signature = query.rpartition("~")
    other = ",".join(reversed(names.split(",")))
    for query in (names, other, f"{other}~{signature}"):
        answer = http.get(f"{server.url}{path.rpartition('/')[0]}/{query.split(',')[-1]}?of={query}")
        assert answer.status_code == 404, query


@pytest.mark.parametrize("cookie", ["abc", "null", "a.b.c", '"\\'])
def test_a_broken_cookie_is_a_fresh_session(server, http, cookie):
    answer = http.get(server.url + "/login", headers={"Cookie": f"session={cookie}"})
    assert (answer.status_code, "session" in answer.cookies) == (200, True)


def test_security_headers_are_on_every_response(server, http):
    visitor = Visitor(server, server.create_session("ttt_demo").participants[0])
    pages = [
        visitor.page,
        *(http.get(server.url + path) for path in ("/login", "/static/cards/2H.svg", "/no")),
    ]
    for page in pages:
        assert "frame-ancestors 'self'" in page.headers["content-security-policy"], page.url
        assert page.headers["x-content-type-options"] == "nosniff"


def test_hostile_requests_do_not_grow_the_log(server, http):
    before = len(server.stderr_text())
    for _ in range(60):
        with connected(server, b"no HTTP at all\r\n\r\n") as raw:
            raw.recv(100)
        for path in ("/export", "/live?a=1"):  # lacking a login; lacking oTree's parameters
            with contextlib.suppress(websockets.WebSocketException), Socket(server, path) as refused:
                refused.receive()
    text = wait_for(
        lambda: (text := server.stderr_text()[before:]).count("suppressed for a while") >= 3 and text,
        "three kinds of lines at their limit",
    )
    for said in ("Invalid HTTP request received", "rejected un-authenticated", "TypeError: LiveConsumer"):
        assert 0 < text.count(said) <= 20, said
    assert http.get(server.url + "/login").status_code == 200


UPGRADE = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
UPGRADE += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]


@pytest.mark.parametrize("path", ["/delete_sessions", "/create_demo_session", "/export", "/create_session"])
def test_sockets_of_foreign_origins_are_refused(server, http, path):
    logged_in(server, http)
    cookie = "; ".join(f"{each.name}={each.value}" for each in http.cookies)
    headers = [*UPGRADE, f"Cookie: {cookie}"]
    for origin, answer in (
        *((server.url, b"101"), ("http://elsewhere.example", b"403"), ("null", b"403")),
        (server.url.replace(str(server.port), "1"), b"403"),
    ):
        with connected(server, head(server, "GET", path, *headers, f"Origin: {origin}")) as raw:
            assert raw.recv(12) == b"HTTP/1.1 " + answer, origin


def test_a_foreign_host_reads_nothing_and_deletes_nothing(server, http):
    code = server.create_session("ttt_demo").code
    logged_in(server, http)
    cookie = "; ".join(f"{each.name}={each.value}" for each in http.cookies)
    for path, lines in (
        (f"/ExportWide/{code}", []),
        ("/delete_sessions", UPGRADE),
        ("/static/cards/2H.svg", []),
    ):
        request = head(server, "GET", path, f"Cookie: {cookie}", *lines)
        own = f"Host: 127.0.0.1:{server.port}".encode()
        with connected(server, request.replace(own, b"Host: rebound.example")) as raw:
            assert raw.recv(12) in (b"HTTP/1.1 400", b"HTTP/1.1 403"), path
    assert server.query("SELECT count(*) FROM otree_session WHERE code = ?", code) == [(1,)]


def test_a_foreign_page_changes_nothing(server, http):
    visitor = Visitor(server, server.create_session("ttt_demo").participants[0])
    for headers in (
        {"Origin": "http://elsewhere.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        for url in (server.url + "/login", visitor.page.url):
            answer = visitor.http.post(url, data={"a": "1"}, headers=headers)
            assert (answer.status_code, "another server" in answer.text) == (403, True)
    assert visitor.http.get(visitor.page.url).url == visitor.page.url


def test_redirect_ignores_a_forged_host(server):
    for path in ("/login/", "/demo/", "/rooms", "/SessionMonitor/none/"):
        with connected(server, head(server, "GET", path, "Connection: close")) as raw:
            answer = raw.makefile("rb").read().partition(b"\r\n\r\n")[0].lower()
        assert b"\r\nlocation: /" in answer or b" 404 " in answer, path
        assert str(server.port).encode() not in answer
    with connected(server, b"GET /login/ HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n") as raw:
        assert raw.recv(12) == b"HTTP/1.1 400"


def test_password_guessing_is_limited(server, http):
    page = http.get(server.url + "/login")
    token = dict(re.findall(r'name="(\w+)" value="(\d+)"', page.text))

    def tried(password):
        form = {**token, "username": "admin", "password": password}
        return http.post(server.url + "/login", data=form, allow_redirects=False)

    answers = [tried("wrong").status_code for _ in range(12)]
    assert answers == [200] * 10 + [429] * 2
    began = time.monotonic()
    assert tried("wrong").text.startswith("This password is wrong, like many others from this address.")
    assert time.monotonic() - began > 0.2
    assert tried(PASSWORD).status_code == 302
    assert http.get(server.url + "/rooms").url == server.url + "/rooms"
    assert server.stderr_text().count("10 wrong passwords for the admin pages") == 1


def test_logout_invalidates_copied_cookies(server, http):
    def may(cookies):
        with requests.Session() as browser:
            browser.trust_env = False
            browser.cookies.update(cookies)
            return browser.get(server.url + "/rooms").url == server.url + "/rooms"

    logged_in(server, http)
    copy = dict(http.cookies)
    with requests.Session() as other:
        other.trust_env = False
        logged_in(server, other)
        assert (may(copy), may(dict(other.cookies))) == (True, True)
        assert http.get(server.url + "/logout").url == server.url + "/login"
        assert (may(dict(http.cookies)), may(copy), may(dict(other.cookies))) == (False, False, True)
        assert http.get(server.url + "/logout").url == server.url + "/login"  # without a login
    cookie = "; ".join(f"{name}={value}" for name, value in copy.items())
    with connected(server, head(server, "GET", "/delete_sessions", *UPGRADE, f"Cookie: {cookie}")) as raw:
        answer = raw.makefile("rb")
        while answer.readline() != b"\r\n":
            pass
        assert answer.read(4) == b"\x88\x02\x03\xf0"  # closed with code 1008


def test_locked_database_is_reported_at_once(server):
    one, other = server.create_session("ttt_demo", participants=2).participants
    tab, visitor = open_first_hand(server, one), Visitor(server, other)
    with contextlib.closing(server.sqlite()) as database:
        database.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        assert (
            tab.send_action("P")["refused"]
            == "Your move could not be saved. Please try again, or ask for help."
        )
        page = visitor.http.post(visitor.page.url)
        assert (page.status_code, page.text) == (
            503,
            "Something went wrong on our side. Please reload the page in a moment.\n",
        )
        assert time.monotonic() - began < 4  # SQLite alone would wait up to 5 s for each
        database.rollback()
    assert tab.send_action("P")["view"]["moves"] == 1
    visitor.sit_down()
