"""Tests that a seat belongs to the first browser that opens it, and takeovers by the researcher."""

import csv
import io
import threading
import time

import pytest
import requests
import websockets
from researcher import PASSWORD, Researcher
from server_fixture import LabServer, timeout_workers, wait_for
from tabs import Socket, Tab, Visitor

ELSEWHERE = {"reload": True}
MOVED_ON = {"auto_advanced": True}
TAKEN = "This seat is open in another browser"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    study = {"OTREE_AUTH_LEVEL": "STUDY", "OTREE_ADMIN_PASSWORD": PASSWORD}
    with LabServer(tmp_path_factory.mktemp("server") / "card_lab", environment=study) as running:
        yield running


def http(cookies):
    """Returns a client with these cookies that follows redirects."""
    browser = requests.Session()
    browser.trust_env = False
    browser.cookies.update(cookies)
    return browser


def addresses(server, visitor):
    """Returns all addresses of a participant who is at a hand."""
    code = visitor.code
    paths = [f"/InitializeParticipant/{code}", f"/OutOfRangeNotification/{code}", f"/p/{code}/nothing/Hand/1"]
    return [visitor.page.url, f"{visitor.page.url}?here=1", *(server.url + path for path in paths)]


def is_free(server, code, cookies):
    return http(cookies).get(f"{server.url}/seat/{code}").json()["free"]


def holders(server):
    return server.query("SELECT count(*) FROM card_lab_seat_browser")[0][0]


def heard_first(server, path, cookies):
    with Socket(server, path, cookies) as socket:
        return socket.receive()


def test_seat_stays_with_the_first_browser(server):
    session = server.create_session("ttt_demo")
    (code,) = session.participants
    mine, other = server.new_browser(), server.new_browser()
    visitor = Visitor(server, code, cookies=mine)
    with visitor.sit_down() as tab:
        tab.play("C")
        for cookies in (other, {}, {name: value[:-1] for name, value in mine.items()}):
            for address in addresses(server, visitor):
                answer = http(cookies).get(address)
                assert (answer.status_code, TAKEN in answer.text, code in answer.text) == (403, True, False)
                assert answer.headers["cache-control"] == "no-store"
            assert http(cookies).post(visitor.page.url, data={}).status_code == 403
            assert heard_first(server, f"/hand/{code}/{visitor.index}", cookies) == ELSEWHERE
            assert heard_first(server, f"/here/{code}", cookies) == MOVED_ON
            for path in ("/live", "/auto_advance"):
                query = f"session_code={session.code}&page_index=3&page_name=Hand&participant_code={code}"
                with (
                    Socket(server, f"{path}?{query}", cookies) as socket,
                    pytest.raises(websockets.ConnectionClosed),
                ):
                    socket.receive()
            assert not is_free(server, code, cookies)
        assert is_free(server, code, mine)
        assert tab.play("T")["view"]  # undisturbed
        assert http(mine).get(visitor.page.url).status_code == 200
    with Tab(server, code, visitor.index, cookies=mine) as again:
        assert "view" in again.first


def test_one_browser_may_hold_many_seats(server):
    session = server.create_session("ttt_demo", participants=3)
    mine = server.new_browser()
    visitors = [Visitor(server, code, cookies=mine) for code in session.participants]
    for visitor in visitors:
        visitor.walk_to("Hand")


def test_first_page_sets_the_browser_cookie(server):
    (code,) = server.create_session("ttt_demo").participants
    browser = http({})
    assert browser.get(f"{server.url}/InitializeParticipant/{code}").status_code == 200  # after a redirect
    assert [name for name in browser.cookies.keys() if name.startswith("card_lab_browser_")]  # noqa: SIM118
    assert not is_free(server, code, server.new_browser())
    before = dict(browser.cookies)
    assert browser.get(f"{server.url}/InitializeParticipant/{code}").status_code == 200
    assert dict(browser.cookies) == before


def test_cookieless_browser_plays_in_a_free_seat(server):
    (code,) = server.create_session("ttt_demo").participants
    before = holders(server)
    for _page in range(2):
        page = http({}).get(f"{server.url}/InitializeParticipant/{code}", allow_redirects=False)
        assert http({}).get(server.url + page.headers["location"], allow_redirects=False).status_code == 200
    assert heard_first(server, f"/here/{code}", {})["messages"] == []
    assert holders(server) == before
    assert Visitor(server, code, cookies=server.new_browser()).index  # now this browser holds the seat
    assert holders(server) == before + 1
    assert http({}).get(f"{server.url}/InitializeParticipant/{code}").status_code == 403


def test_two_tabs_of_a_new_browser_enter(server):
    """Both are opened before there is a cookie, and the later answer's replaces the earlier one's."""
    (code,) = server.create_session("ttt_demo").participants
    start = f"{server.url}/InitializeParticipant/{code}"
    tabs = [http({}).get(start, allow_redirects=False) for _tab in range(2)]
    cookies = [dict(tab.cookies) for tab in tabs]
    assert cookies[0] != cookies[1]
    for tab, shown in zip(tabs, cookies):
        assert http(shown).get(server.url + tab.headers["location"]).status_code == 200
    late = http({}).get(start)
    assert (late.status_code, dict(late.cookies)) == (403, {}), "the cookie of the browser stays"
    assert http({}).get(f"{server.url}/seat/{code}").cookies
    assert not is_free(server, code, server.new_browser())
    person = "(SELECT id FROM otree_participant WHERE code = ?)"
    assert server.query(f"SELECT kind FROM card_lab_notice WHERE participant_id = {person}", code) == []
    with Socket(server, f"/here/{code}", cookies[1]) as here:
        assert here.receive()["messages"] == []
        assert not is_free(server, code, cookies[0])
    assert not is_free(server, code, cookies[0])


def test_one_of_two_simultaneous_browsers_is_seated(server):
    codes = server.create_session("ttt_demo", participants=10).participants
    browsers = [http(server.new_browser()) for _ in range(4)]
    for code in codes:
        statuses = [0] * len(browsers)
        start = threading.Barrier(len(browsers))

        def ask(number, code=code, statuses=statuses, start=start):
            start.wait()
            statuses[number] = browsers[number].get(f"{server.url}/InitializeParticipant/{code}").status_code

        threads = [threading.Thread(target=ask, args=[number]) for number in range(len(browsers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(statuses) == [200, 403, 403, 403]


def test_researcher_admits_another_browser(server):
    session = server.create_session("ttt_demo", participants=2)
    code, neighbour = session.participants
    mine, other = server.new_browser(), server.new_browser()
    visitor = Visitor(server, code, cookies=mine)
    Visitor(server, neighbour, cookies=mine)
    researcher = Researcher(server, session)
    with visitor.sit_down() as tab, Socket(server, f"/here/{code}", mine) as here:
        here.receive()
        assert http(other).get(visitor.page.url).status_code == 403
        assert "another browser is trying to open this seat" in researcher.rows()[code]["notices"]
        assert researcher.does("release", code).json()["people"] == 1
        researcher.sees(
            lambda rows: "another browser may open this seat" in rows[code]["notices"],
            "a seat that was released",
        )
        assert http(mine).get(visitor.page.url).status_code == 200  # until another browser takes over
        assert heard_first(server, f"/hand/{code}/{visitor.index}", {})["second_tab"]
        assert is_free(server, code, other)
        server.stop()
        server.start()  # the seat must still be released
        with visitor.sit_down() as tab, Socket(server, f"/here/{code}", mine) as here:
            here.receive()
            assert http(other).get(visitor.page.url).status_code == 200
            assert tab.receive() == ELSEWHERE
            assert here.receive() == MOVED_ON
            assert http(mine).get(visitor.page.url).status_code == 403  # when its tab reloads
            assert not is_free(server, code, mine)
            assert "another browser is trying" not in str(researcher.rows()[code]["notices"])
            assert http(other).get(f"{server.url}/InitializeParticipant/{neighbour}").status_code == 403
        with Tab(server, code, visitor.index, cookies=other) as tab:
            assert "view" in tab.first
    text = researcher.http.get(f"{researcher.address}/notices.csv").text
    rows = csv.DictReader(io.StringIO(text))
    assert [(row["participant_code"], row["what"], bool(row["over_utc"])) for row in rows] == [
        (code, "seat released", True),
        (code, "new browser", True),
    ]


def test_researcher_opens_a_seat_without_taking_it(server):
    session = server.create_session("ttt_demo")
    (code,) = session.participants
    before = holders(server)
    researcher = Researcher(server, session)
    start = f"{server.url}/InitializeParticipant/{code}"
    assert researcher.http.get(start).status_code == 200
    assert holders(server) == before
    visitor = Visitor(server, code, cookies=server.new_browser())
    visitor.walk_to("Hand")
    page = researcher.http.get(start)
    assert (page.status_code, page.url) == (200, visitor.page.url)
    assert heard_first(server, f"/here/{code}", dict(researcher.http.cookies))["messages"] == []
    assert visitor.http.get(visitor.page.url).status_code == 200
    researcher.http.cookies.set("session", "forged")
    assert researcher.http.get(start).status_code == 403


def test_timeout_worker_opens_pages_of_a_held_seat(server):
    """The timeout worker ends an expired hand although a browser holds its seat."""
    (code,) = server.create_session("ttt_demo", time_limit_seconds=600).participants
    visitor = Visitor(server, code, cookies=server.new_browser())
    index = visitor.walk_to("Hand")
    worker = wait_for(lambda: timeout_workers(server.port), "the timeout worker")
    with server.sqlite() as database, database:
        database.execute("UPDATE otree_taskqueuemessage SET epoch_time = 0")
        database.execute("UPDATE otree_participant SET _timeout_expiration_time = 0 WHERE code = ?", [code])
    at = "SELECT _index_in_pages FROM otree_participant WHERE code = ?"
    wait_for(lambda: server.query(at, code)[0][0] > index, "the page that the worker sends")
    assert timeout_workers(server.port) == worker


def test_session_may_admit_every_browser(server):
    (code,) = server.create_session("ttt_demo", one_browser_per_seat=False).participants
    for _browser in range(2):
        Visitor(server, code, cookies=server.new_browser()).walk_to("Hand")
    assert is_free(server, code, {})


def test_unknown_seat_is_not_found(server):
    assert http({}).get(f"{server.url}/InitializeParticipant/zz99zz99").status_code == 404
    assert is_free(server, "zz99zz99", {})


def test_typed_label_of_a_held_seat_is_refused(server):
    """Another browser that types the label is refused, without any effect on the first."""
    server.create_session("ttt_demo", room_name="typed")
    link = f"{server.url}/room/typed?participant_label=PC01&welcome_page_ok=1"
    mine, other = http(server.new_browser()), http(server.new_browser())
    assert mine.get(link).status_code == 200
    assert (other.get(link).status_code, mine.get(link).status_code) == (403, 200)


def test_another_browser_takes_an_abandoned_seat(server):
    (code,) = server.create_session("matrix_robot", check=False, gone_after_seconds=2).participants
    mine, other = server.new_browser(), server.new_browser()
    visitor = Visitor(server, code, cookies=mine)
    with visitor.sit_down():
        time.sleep(2.5)  # no request, but an open connection
        assert http(other).get(visitor.page.url).status_code == 403
    assert http(other).get(visitor.page.url).status_code == 403
    wait_for(lambda: is_free(server, code, other), "the seat to be free")
    # Requests by scripts, and a browser without a cookie, do not take the seat over.
    assert "view" in heard_first(server, f"/hand/{code}/{visitor.index}", other)
    assert http({}).get(visitor.page.url).status_code == 200
    assert http(mine).get(visitor.page.url).status_code == 200
    assert http(other).get(visitor.page.url).status_code == 403
    wait_for(lambda: is_free(server, code, other), "the seat to be free")
    assert http(other).get(visitor.page.url).status_code == 200
    assert http(mine).get(visitor.page.url).status_code == 403


def test_returning_holder_closes_foreign_connections(server):
    (code,) = server.create_session("matrix_robot", check=False, gone_after_seconds=1).participants
    mine, other = server.new_browser(), server.new_browser()
    visitor = Visitor(server, code, cookies=mine)
    visitor.walk_to("Hand")
    wait_for(lambda: is_free(server, code, other), "the seat to be free")
    with Tab(server, code, visitor.index, cookies=other) as forgotten:
        assert "view" in forgotten.first
        assert http(mine).get(visitor.page.url).status_code == 200
        assert forgotten.wait_for_reload()
        with pytest.raises(websockets.ConnectionClosed):
            forgotten.receive()
