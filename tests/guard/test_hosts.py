"""Tests which Host headers are accepted, and that other servers' pages cannot change anything."""

import socket

import pytest
from guard_client import EchoApp, send_request
from otree import settings

from cardlab.guard import hosts

LOOPBACK = [b"127.0.0.1", b"127.0.0.1:8000", b"localhost:8000", b"LocalHost", b"[::1]", b"[::1]:8000"]
FOREIGN = [
    b"rebound.example",
    b"rebound.example:8000",
    b"10.9.8.7:8000",
    b"127.0.0.1.example",
    b"0.0.0.0:8000",
]
MALFORMED = [b"", b"[", b"a<b", b"127.0.0.1:8000@evil.example", b"a b", b"localhost, evil.example", b":8000"]


@pytest.fixture
def password(monkeypatch):
    monkeypatch.setattr(settings, "ADMIN_PASSWORD", "a long password")


def answers(host, **request):
    """Returns whether a page and a socket are answered for a Host; rejected ones must not reach oTree."""
    inner = EchoApp()
    page = send_request(inner, host=host, method="GET", **request)
    assert (page.status == 200) == bool(inner.bodies)
    sock = send_request(host=host, kind="websocket", **request).kinds == ["websocket.accept"]
    assert sock == (page.status == 200)
    return sock


@pytest.mark.parametrize("host", LOOPBACK)
@pytest.mark.parametrize("secret", [None, "a long password"])
def test_loopback_names_are_always_accepted(monkeypatch, host, secret):
    monkeypatch.setattr(settings, "ADMIN_PASSWORD", secret)
    assert answers(host)


@pytest.mark.parametrize("host", [*FOREIGN, *MALFORMED, None])
@pytest.mark.parametrize("path", ["/p/code", "/demo", "/static/a.js", "/delete_sessions"])
def test_foreign_hosts_are_refused_everywhere(host, path):
    assert not answers(host, path=path)


@pytest.mark.parametrize("host", [*FOREIGN, *MALFORMED, None])
def test_foreign_hosts_are_refused_with_a_password(password, host):
    assert not answers(host)


def test_two_host_headers_are_refused():
    assert send_request(method="GET", given=[(b"host", b"127.0.0.1:8000")]).status == 400


def test_foreign_hosts_are_refused_without_a_password(monkeypatch):
    monkeypatch.setenv(hosts.VARIABLE, "lab.example.org")
    monkeypatch.setattr(hosts, "is_own_address", lambda name: True)
    assert not answers(b"lab.example.org")
    assert not answers(b"192.168.1.20:8000")
    assert not answers(socket.gethostname().encode())


def test_with_a_password_own_names_are_accepted(monkeypatch, password):
    monkeypatch.setattr(socket, "gethostname", lambda: "Lab-Server.example.org")
    for host in (b"lab-server", b"lab-server.example.org:8000", b"LAB-SERVER.local"):
        assert answers(host), host
    assert not answers(b"lab-server.evil.example")
    assert answers(b"127.0.0.2:8000")  # an address of this machine
    assert not answers(b"[::]")


def test_names_from_the_environment_are_accepted(monkeypatch, password):
    assert not answers(b"lab.example.org")
    monkeypatch.setenv(hosts.VARIABLE, "Lab.example.org, 203.0.113.9,[2001:db8::1]")
    for host in (b"lab.example.org", b"lab.example.org:8443", b"203.0.113.9", b"[2001:db8::1]:80"):
        assert answers(host), host
    assert not answers(b"other.example.org")


@pytest.mark.parametrize("wrong", ["http://lab.example.org", "lab.example.org:8000", "lab/", "a..b", "*"])
def test_a_malformed_host_name_is_explained(monkeypatch, wrong):
    monkeypatch.setenv(hosts.VARIABLE, f"lab.example.org,{wrong}")
    with pytest.raises(SystemExit, match="CARD_LAB_HOSTS must list names or addresses of this server"):
        hosts.read_environment()


def test_the_refusal_says_how_to_allow_a_host(monkeypatch, caplog):
    without = send_request(host=b"lab.example.org:8000", method="GET")
    assert without.status == 400
    assert without.text == (
        "This server does not answer requests for lab.example.org. Without an admin password it accepts only "
        "127.0.0.1, localhost and [::1]. To allow lab.example.org, set OTREE_ADMIN_PASSWORD and start "
        "the server with --host-name lab.example.org.\n"
    )
    monkeypatch.setattr(settings, "ADMIN_PASSWORD", "a long password")
    assert send_request(host=b"lab.example.org:8000", method="GET").text == (
        "This server does not answer requests for lab.example.org. To allow it, start the server with "
        "--host-name lab.example.org, or add lab.example.org to CARD_LAB_HOSTS.\n"
    )
    assert len(caplog.records) == 2


# --- Pages of other servers ---

OWN = [b"http://127.0.0.1:8000", b"https://127.0.0.1:8000", b"HTTP://127.0.0.1:8000"]
OTHERS = [
    b"null",
    b"",
    b"http://evil.example",
    b"http://127.0.0.1",
    b"http://127.0.0.1:8001",
    b"127.0.0.1:8000",
]
OTHERS += [b"http://127.0.0.1:8000.evil.example", b"http://localhost:8000", b"http://127.0.0.1:8000/"]


def status(path="/p/code", method="POST", host=b"127.0.0.1:8000", **headers):
    given = [(name.replace("_", "-").encode(), value) for name, value in headers.items()]
    return send_request(path=path, method=method, host=host, given=given).status


def opens(path="/hand/code/1", **headers):
    given = [(name.replace("_", "-").encode(), value) for name, value in headers.items()]
    return send_request(kind="websocket", path=path, given=given).kinds == ["websocket.accept"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "ANY"])
def test_changes_must_come_from_own_pages(method):
    assert status(method=method) == 200  # no browser
    for origin in OWN:
        assert status(method=method, origin=origin) == 200, origin
    for origin in OTHERS:
        assert status(method=method, origin=origin) == 403, origin
    assert status(method=method, sec_fetch_site=b"cross-site") == 403
    assert status(method=method, origin=OWN[0], sec_fetch_site=b"cross-site") == 403
    assert status(method=method, origin=OWN[0], sec_fetch_site=b"same-origin") == 200


@pytest.mark.parametrize(
    "path", ["/create_session", "/delete_sessions", "/hand/c/1", "/here/c", "/wait_page"]
)
def test_sockets_must_come_from_own_pages(path):
    assert opens(path)  # no browser
    for origin in OWN:
        assert opens(path, origin=origin), origin
    for origin in OTHERS:
        assert not opens(path, origin=origin), origin
    assert not opens(path, sec_fetch_site=b"cross-site")


def test_a_proxy_may_change_scheme_and_host(monkeypatch, password):
    monkeypatch.setenv(hosts.VARIABLE, "lab.example.org")
    assert status(host=b"lab.example.org", origin=b"https://lab.example.org") == 200
    assert status(host=b"lab.example.org:443", origin=b"https://lab.example.org") == 200
    assert status(origin=b"https://lab.example.org") == 200  # a proxy that does not forward Host
    assert status(origin=b"https://other.example.org") == 403
    assert status(host=b"lab.example.org", origin=b"http://lab.example.org:81") == 403


LINK = {"sec_fetch_site": b"cross-site", "sec_fetch_mode": b"navigate", "sec_fetch_dest": b"document"}


@pytest.mark.parametrize("path", ["/room/open", "/join/abc", "/InitializeParticipant/abc", "/demo", "/"])
def test_a_followed_foreign_link_is_accepted(path):
    assert status(path, "GET", **LINK) == 200
    assert status(path, "GET", **{**LINK, "sec_fetch_dest": b"iframe"}) == 403
    assert status(path, "GET", **{**LINK, "sec_fetch_mode": b"no-cors", "sec_fetch_dest": b"image"}) == 403
    assert status(path, "GET", sec_fetch_site=b"none") == status(path, "GET") == 200


@pytest.mark.parametrize("path", ["/logout", "/logout/", "/demo/ttt_demo", "/demo/ttt_demo/"])
def test_foreign_link_to_a_changing_page_is_refused(path):
    assert status(path, "GET", **LINK) == 403
    assert status(path, "GET", **{**LINK, "sec_fetch_site": b"same-origin"}) == 200
    assert status(path, "GET") == 200


# --- Redirects ---


@pytest.mark.parametrize(
    ("location", "sent"),
    [
        (b"http://127.0.0.1:8000/login", "/login"),
        (b"https://127.0.0.1:8000/login?next=1", "/login?next=1"),
        (b"http://127.0.0.1:8000", "/"),
        (b"http://127.0.0.1:8000//evil.example", "/evil.example"),
        (b"http://127.0.0.1:8000/\\evil.example", "/evil.example"),
        (b"https://app.prolific.com/submissions?cc=1", "https://app.prolific.com/submissions?cc=1"),
        (b"http://127.0.0.1:8000.evil.example/", "http://127.0.0.1:8000.evil.example/"),
        (b"/demo", "/demo"),
    ],
)
def test_a_redirect_does_not_name_the_host(location, sent):
    assert send_request(EchoApp(302, [(b"location", location)])).headers["location"] == sent
