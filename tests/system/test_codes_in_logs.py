"""Tests that no participant code is logged and no participant page is cached."""

import contextlib

import pytest
import requests
from server_fixture import LabServer, wait_for
from tabs import Socket, Visitor


@pytest.fixture
def server(tmp_path):
    with LabServer(tmp_path / "card_lab", environment={"PYTHONUNBUFFERED": "1"}) as running:
        yield running


def test_participant_codes_are_never_logged(server):
    session = server.create_session("ttt_demo", participants=2)
    one, other = session.participants
    with Visitor(server, one).sit_down() as tab:
        tab.play("C")
        with contextlib.closing(server.sqlite()) as database, database:
            database.execute("UPDATE card_lab_line SET text = 'damaged', digest = 'damaged' WHERE number = 2")
        assert "refused" in tab.send_action("T")  # logged: the record is damaged
        tab.send("no message")
        assert "refused" in tab.receive()
        assert "refused" in tab.send_action("T", number=99)
    visitor = Visitor(server, other)
    visitor.walk_to("Hand")
    with contextlib.closing(server.sqlite()) as database:
        database.execute("BEGIN EXCLUSIVE")
        page = visitor.page.url  # opening it writes a timestamp
        wait_for(lambda: visitor.http.get(page).status_code == 503, "a locked database")  # logged
    with contextlib.closing(server.sqlite()) as database, database:
        database.execute("DELETE FROM ttt_solo_app_player")
    assert visitor.http.get(visitor.page.url).status_code == 500  # logged: a traceback
    with contextlib.closing(server.sqlite()) as database, database:  # a page whose seat is not prepared
        database.execute("UPDATE otree_participant SET _index_in_pages = 1 WHERE code = ?", (other,))
    with Socket(server, f"/hand/{other}/1") as broken:
        assert "refused" in broken.receive()  # logged: a traceback
    wait_for(lambda: "connecting to page" in server.stderr_text(), "the last error in the log")
    log = server.stderr_text() + (server.folder / "stdout.txt").read_text()
    assert f"participant 1 of session {session.code}, hand 1: its record is damaged" in log
    assert f"Hand/{visitor.index} failed: database is locked" in log
    assert f"participant 2 of session {session.code} connecting to page 1" in log
    assert f"GET /p/participant 2 of session {session.code}/target/Hand/{visitor.index}" in log
    assert [line for line in log.splitlines() if one in line or other in line] == []
    server.take_log()


def test_participants_pages_are_not_cached(server):
    session = server.create_session("ttt_demo", room_name="open")
    visitor = Visitor(server, session.participants[0])
    start, first = visitor.page.history[0], visitor.page
    room = requests.get(f"{server.url}/room/open?welcome_page_ok=1", allow_redirects=False)
    visitor.walk_to("Hand")
    missing = visitor.http.get(f"{server.url}/InitializeParticipant/zz99zz99")
    last = visitor.http.get(f"{server.url}/OutOfRangeNotification/{visitor.code}")
    for answer in (start, first, visitor.page, room, missing, last):
        assert answer.headers["cache-control"] == "no-store", answer.url
    card = visitor.http.get(f"{server.url}/static/cards/2H.svg")
    assert card.headers["cache-control"] == "no-cache"  # cached, but revalidated
