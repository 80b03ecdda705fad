"""Tests the Progress tab: what it shows of a running session, and the researcher's actions."""

import csv
import io
import json
import time

import pytest
from exported_hands import hands_by_id
from hypothesis import example, given
from hypothesis import strategies as st
from matrix_table import arrive, create_session, groups, is_disclosed, together
from researcher import Researcher, study_server
from tabs import Socket, Tab, Visitor
from test_fuzz import anything

from cardlab.games.hand import Hand
from cardlab.games.matrix import rules
from cardlab.games.record import read_record


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with study_server(tmp_path_factory.mktemp("server")) as running:
        yield running


class Page(Socket):
    """The presence socket of a participant's page; ``stands`` is the last message."""

    def __init__(self, server, code):
        super().__init__(server, f"/here/{code}")
        self.stands = self.receive()

    def on_message(self, message):
        self.stands = message
        return message

    def send_fields(self, **message):
        self.send(json.dumps(message))

    def until(self, **wanted):
        while not all(self.stands[name] == value for name, value in wanted.items()):
            self.receive()
        return self.stands


def test_progress_follows_a_group_to_the_end(server):
    """Covers a message, a pause across a server restart, a dropout who returns, and an advance."""
    table = together(server, turn_limit_seconds=60, time_limit_seconds=900, games=2)
    session = table.session
    seats = {seat: each.visitor.code for seat, each in table.players.items()}
    first, second = seats["S"], seats["W"]
    stranger = Researcher(server, session, known=False)
    for path in ("rows", f"link/{first}", "notices.csv", f"replay/{first}"):
        answer = stranger.http.get(f"{stranger.address}/{path}", allow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (302, "/login")
    researcher = Researcher(server, session)
    token, researcher.csrf = researcher.csrf, {}
    assert researcher.does("pause", first).status_code == 403
    assert researcher.does("advance", first).status_code == 403
    researcher.csrf = token
    assert researcher.does("message", first, text=" ").status_code == 400
    assert researcher.does("explode", first).status_code == 400
    assert researcher.http.get(f"{server.url}/cardlab/progress/nothing/rows").status_code == 404
    for deed in (f"{researcher.address}/do", f"{server.url}/cardlab/advance/{session.code}"):
        assert researcher.http.get(deed).status_code == 405
    for table_for_programs in ("payments", "notices"):
        address = f"{server.url}/api/{table_for_programs}/{session.code}"
        assert stranger.http.get(address).status_code == 403
        assert stranger.http.post(address, data={"not": "JSON"}).status_code == 403  # checks the key first

    # Connections.
    rows = researcher.rows()
    assert [rows[code]["connection"] for code in (first, second)] == ["gone", "gone"]
    pages = {code: Page(server, code) for code in (first, second)}
    pages[second].send_fields(hidden=True)
    rows = researcher.sees(lambda rows: rows[second]["connection"] == "away", "a page that is hidden")
    assert rows[first]["connection"] == "here"
    assert rows[first]["group"] == rows[second]["group"] != ""
    assert (rows[first]["hand"], rows[first]["moves"]) == ("1 of 2", 0)
    table.act("S")
    rows = researcher.sees(lambda rows: rows[first]["moves"] == 1, "a move")
    assert (rows[second]["others_wait"], list(rows)[0], rows[second]["need"]) == (True, second, 1)

    # A message to one participant stays until it is confirmed.
    assert researcher.does("message", first, text="Bitte <b>warten</b>\n!").json()["people"] == 1
    ((number, text),) = pages[first].receive()["messages"]
    assert text == "Bitte <b>warten</b> !"
    pages[second].send_fields(read=number)
    with Page(server, first) as again:
        assert again.stands["messages"] == [[number, text]]
    assert researcher.sees(lambda rows: rows[first]["unread"], "a message")[second]["unread"] == 0
    pages[first].send_fields(read=number)
    assert pages[first].receive()["messages"] == []
    assert pages[second].stands["messages"] == []

    # Pausing one pauses both, and survives a restart.
    assert researcher.does("pause", first).json()["people"] == 2
    messages = {code: page.until(paused=True) for code, page in pages.items()}
    table.until(lambda message: message.get("paused"))
    for seat in "SW":
        assert table.tab(seat).state["wait"]["ms"] is None
    assert "pause" in table.tab("W").refused(table.moves("W")[0])["refused"]
    server.kill9()
    begun = time.monotonic()
    server.start()
    visitor = table.visitor("W")
    where = visitor.index
    visitor.send(timeout_happened="1")
    assert visitor.index == where, "a page that is paused is left by nothing"
    pages = {code: Page(server, code) for code in (first, second)}
    assert time.monotonic() - begun > 0.5
    assert {code: page.stands["left"] for code, page in pages.items()} == {
        code: pytest.approx(message["left"], abs=0.01) for code, message in messages.items()
    }
    tabs = {seat: Tab(server, code, where) for seat, code in seats.items()}
    assert all(tab.first["paused"] for tab in tabs.values())
    researcher = Researcher(server, session)
    rows = researcher.rows()
    assert [row["paused"] for row in rows.values()] == [True, True]
    assert rows[first]["moves"] == 1, "what happened before a restart is read from disk"
    assert researcher.does("go_on", second).json()["people"] == 2
    for code, page in pages.items():
        assert page.until(paused=False)["left"] == pytest.approx(messages[code]["left"], abs=1)
    tabs["W"].until(lambda message: "paused" not in message)
    assert tabs["W"].state["wait"]["ms"] > 30_000
    tasks = server.query("SELECT kwargs_json FROM otree_taskqueuemessage WHERE method = 'submit_expired_url'")
    assert sorted(json.loads(task)["participant_code"] for (task,) in tasks) == sorted(seats.values())
    assert "refused" not in tabs["W"].ask(table.harness.moves(tabs["W"].state["view"])[0])

    # The server plays for a dropout at once, also in the next game, until they report back.
    assert researcher.does("drop_out", second).json()["people"] == 1
    pages[second].until(dropped=True)
    rows = researcher.sees(lambda rows: rows[second]["stage"] == "dropped out", "who dropped out")
    assert (list(rows)[-1], pages[first].stands["dropped"]) == (second, False)
    assert server.query("SELECT status FROM otree_participant WHERE code = ?", second) == [("dropped out",)]
    while not is_disclosed(3)(tabs["S"].state):
        own = table.harness.moves(tabs["S"].state["view"])
        if own:
            tabs["S"].act(own[0])
        else:
            tabs["S"].receive()
    pages[second].send_fields(back=True)
    pages[second].until(dropped=False)
    tabs["W"].until(lambda message: "W" in message["view"]["waiting_for"])
    assert server.query("SELECT status FROM otree_participant WHERE code = ?", second) == [("",)]
    assert researcher.does("drop_out", second).status_code == 200

    # One participant is advanced; the next game starts without the dropout.
    assert researcher.does("advance", first).json()["people"] == 1
    ahead = Tab(server, first, table.visitor("S").open_start_link() or table.visitor("S").walk_to("Hand"))
    assert ahead.state["hand"] == 2
    (other,) = {*"SW"} - {table.harness.seat(ahead.state["view"])}
    assert ahead.state["wait"]["away"] == [other]
    ahead.act(table.harness.moves(ahead.state["view"])[0])
    ahead.until(lambda message: message["view"]["last"])

    # The hand so far is drawn in a subprocess.
    replay = researcher.replay(first)
    assert "data:text/javascript" in replay.text
    assert "unsafe-inline" in replay.headers["Content-Security-Policy"]

    # The records contain all of it and fold to the same hand.
    games = {hand.deal_row["hand"]: hand for hand in hands_by_id(server, session.code).values()}
    noted = [row["action"] for row in games["1"].rows if row["accepted"] == ""]
    wanted = ["pause", "go on", "dropped out", "back", "dropped out", "leave advanced"]
    assert [name for name in noted if name in wanted] == wanted
    assert games["2"].notes("dropped out") == [other]
    lines = server.query(
        "SELECT text FROM card_lab_line WHERE hand = ? ORDER BY number", games["1"].deal_row["hand_id"]
    )
    opening, events = read_record([text for (text,) in lines])
    folded = Hand(rules, opening).after_all(events)
    (rest,) = folded.pauses
    assert rest[1] - rest[0] > 500
    kinds = [(row["participant_code"], row["what"]) for row in notices_of(researcher)]
    assert kinds == [
        (first, "message"),
        *((code, "pause") for code in session.participants),
        (second, "dropped out"),
        (second, "dropped out"),
        (first, "advanced"),
    ]
    link = researcher.http.get(f"{researcher.address}/link/{first}").json()
    assert link["link"] == f"{server.url}/InitializeParticipant/{first}"
    assert link["svg"].startswith("<svg")

    # Nobody is advanced past the end, and messages reach everybody present.
    moved = 0
    while researcher.does("advance", first).json()["people"]:
        moved += 1
    noted = [row for row in notices_of(researcher) if row["what"] == "advanced"]
    assert [row["participant_code"] for row in noted] == [first] * (1 + moved)
    at_the_end = researcher.http.get(f"{server.url}/OutOfRangeNotification/{first}").text
    assert f'data-socket="/here/{first}"' in at_the_end
    assert "cardlab/presence.js" in at_the_end


def test_nobody_waits_for_earlier_dropouts(server):
    """Until then the tab shows who waits for whom, and how long."""
    session = create_session(server, drawn_seconds=0.3, gone_after_seconds=1000, no_shows="robot")
    first, second = session.participants
    Visitor(server, second)
    with Page(server, second):
        (visitor,) = arrive(server, [first])
        researcher = Researcher(server, session)
        rows = researcher.sees(lambda rows: rows[first]["waits"], "somebody who has waited for a second")
        assert rows[first]["waits_for"] == [2]
        assert (rows[first]["waits_left"] > 590, rows[first]["then"]) == (True, "robot")
        assert (rows[second]["waits"], rows[second]["waits_for"]) == (None, [])
        assert rows[second]["others_wait"]
        visitor.open_start_link()
        assert visitor.name == "Gather"
        researcher.does("drop_out", second)
        visitor.wait_for_group()
    assert visitor.name == "Hand"
    assert groups(server, session) == {frozenset({1})}


def notices_of(researcher):
    """Returns the rows of the table of notices; checks that programs get the same table."""
    table = researcher.http.get(f"{researcher.address}/notices.csv").text
    assert researcher.server.api(f"/api/notices/{researcher.session.code}").decode() == table
    return list(csv.DictReader(io.StringIO(table, newline="")))


@pytest.fixture(scope="module")
def fuzzed(server):
    """Provides a participant's page; checks that another participant's page hears nothing of its messages."""
    session = server.create_session("ttt_demo", 2)
    with Page(server, session.participants[0]) as page, Page(server, session.participants[1]) as other:
        yield page
        page.send_fields(hidden=True)
        researcher = Researcher(server, session)
        researcher.sees(lambda rows: rows[session.participants[0]]["connection"] == "away", "a page")
        assert not other.receives_within(0.05)
        assert not page.receives_within(0.05)
        assert researcher.http.get(f"{researcher.address}/notices.csv").text.count("\n") == 1


@given(anything | st.fixed_dictionaries({"read": anything, "back": anything, "hidden": anything}))
@example({"read": 1, "back": True})
@example({"read": True})
@example([[[[[]]]]])
def test_unexpected_messages_of_a_page_change_nothing(fuzzed, message):
    fuzzed.send(json.dumps(message))
    fuzzed.send(json.dumps(message).encode())


@pytest.mark.parametrize("code", ["nobody", "é", "a'b", "x" * 300])
def test_unknown_participants_get_no_notices(server, code):
    with pytest.raises(Exception, match="received 1000|404|403|414|no status"):
        Page(server, code)
