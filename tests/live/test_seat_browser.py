"""Tests which browser may open a participant's seat, with a simulated clock."""

import pytest
import without_database  # noqa: F401
from otree import settings

from cardlab.guard import worker_signature
from cardlab.live import seat_browser
from cardlab.live.seat_browser import BoundSeat

MINE, OTHER = "digest of mine", "digest of another"


def held_seat(browser=MINE, now=1000.0):
    return BoundSeat(participant_id=1, session_id=1, free_after=30, browser=browser, now=now)


@pytest.mark.parametrize("browser", [MINE, OTHER, ""])
def test_unclaimed_seat_admits_any_browser(browser):
    assert held_seat(browser="").can_admit(browser, 1000)


def test_a_held_seat_is_closed_to_others():
    seat = held_seat()
    assert [seat.can_admit(browser, 1029.9) for browser in (MINE, OTHER, "")] == [True, False, False]


def test_seat_is_free_after_a_timeout():
    seat = held_seat()
    assert [seat.can_admit(OTHER, now) for now in (1029.9, 1030)] == [False, True]
    assert seat.can_admit(MINE, 5000)


def test_holders_open_connection_keeps_others_out():
    seat = held_seat()
    seat.sockets[1] = (MINE, None)
    assert not seat.can_admit(OTHER, 5000)


def test_foreign_connection_does_not_keep_others_out():
    seat = held_seat()
    seat.sockets[1] = ("", None)
    assert seat.can_admit(OTHER, 1030)


def test_newcomers_enter_until_one_has_connected():
    seat = held_seat(browser="")
    for browser in (MINE, OTHER):
        seat.note_newcomer(browser, 1000)
    seat.browser = "a third"
    assert not seat.can_admit(OTHER, 1000), "its holder came with a cookie"
    seat.browser = MINE
    seat.note_newcomer("a third", 1000)
    seat.note_connection(OTHER)
    assert [seat.can_admit(browser, 1000) for browser in (OTHER, "a third", "")] == [True, False, False]
    seat.note_connection(MINE)
    assert not seat.can_admit(OTHER, 1000)


def test_only_latest_newcomers_are_kept():
    seat = held_seat(browser="")
    for number in range(100):
        seat.note_newcomer(str(number), 1000)
    assert seat.newcomers == [str(number) for number in range(95, 100)]


def test_a_released_seat_is_free():
    seat = held_seat()
    browsers = seat_browser.SeatBrowsers()
    browsers._seats["ab12cd34"] = seat
    browsers.release(["ab12cd34", "zz99zz99"])
    assert seat.can_admit(OTHER, 1000)


def test_foreign_connections_are_closed():
    closed = []
    seat = held_seat()
    for number, browser in enumerate([MINE, OTHER, ""]):
        seat.sockets[number] = browser, lambda number=number: closed.append(number)
    seat.close_foreign_sockets()
    assert closed == [1, 2]


@pytest.mark.parametrize(
    ("kind", "path", "query", "found"),
    [
        ("http", "/p/ab12cd34/ttt/Hand/7", b"", ("p", "ab12cd34")),
        (
            "http",
            "/InitializeParticipant/ab12cd34",
            b"participant_label=1",
            ("InitializeParticipant", "ab12cd34"),
        ),
        ("http", "/InitializeParticipant/ab12cd34/", b"", ("InitializeParticipant", "ab12cd34")),
        ("http", "/OutOfRangeNotification/ab12cd34", b"", ("OutOfRangeNotification", "ab12cd34")),
        ("websocket", "/hand/ab12cd34/7", b"tab=1", ("hand", "ab12cd34")),
        ("websocket", "/here/ab12cd34", b"page=7", ("here", "ab12cd34")),
        # oTree takes the first of several.
        (
            "websocket",
            "/live",
            b"page_index=7&participant_code=ab12cd34&participant_code=x",
            ("", "ab12cd34"),
        ),
        ("websocket", "/live", b"participant_code=%27;--", ("", None)),
        ("http", "/p/ab12cd345/ttt/Hand/7", b"", ("", None)),
        ("http", "/SessionMonitor/ab12cd34", b"participant_code=ab12cd34", ("", None)),
    ],
)
def test_seat_of_a_request_is_recognised(kind, path, query, found):
    assert seat_browser._seat_in({"type": kind, "path": path, "query_string": query}) == found


def cookie(scheme="http"):
    """Returns a fresh cookie: its name and value, and its attributes."""
    scope = {"scheme": scheme}
    seat_browser._give_cookie(scope)
    pair, *attributes = scope["set_cookie"].decode().split("; ")
    return pair, attributes


def shown(*cookies):
    return seat_browser._id_in(
        {"headers": [(b"host", b"lab"), *((b"cookie", each.encode()) for each in cookies)]}
    )


def test_cookie_is_readable_by_the_server_alone():
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= {*cookie()[1]}
    assert ("Secure" in cookie("https")[1], "Secure" in cookie()[1]) == (True, False)


def test_only_signed_cookies_count():
    pair, _attributes = cookie()
    own_id = shown(f"session=abc; {pair}; other=1")
    assert own_id
    assert own_id == shown("a=b", pair)
    name, _equals, signed = pair.partition("=")
    for forged in (f"{name}={signed[:-1]}", f"{name}={own_id}", f"{name}=", f"{name}=.", "x" + pair):
        assert shown(forged) is None, forged


def test_stored_browser_ids_differ_by_seat():
    kept = {seat_browser._digest("id", code) for code in ("ab12cd34", "zz99zz99")}
    assert len(kept) == 2
    assert not any("id" in each for each in kept)
    assert seat_browser._digest(None, "ab12cd34") == ""


def test_timeout_worker_proves_itself_with_the_secret_key(monkeypatch):
    header = worker_signature.HEADER.lower().encode()
    signature = worker_signature.signature().encode()
    assert worker_signature.is_from_worker([(b"host", b"lab"), (header, signature)])
    assert not worker_signature.is_from_worker([(b"host", b"lab")])
    assert not worker_signature.is_from_worker([(header, b"worker")])
    monkeypatch.setattr(settings, "SECRET_KEY", "another")
    assert not worker_signature.is_from_worker([(header, signature)])
