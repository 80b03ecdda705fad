"""Tests that the server stores the events that browsers report, and nothing else."""

import csv
import io
import json
import re
import time
from datetime import datetime, timezone

import pytest
from researcher import Researcher, study_server
from tabs import Socket, Visitor

from cardlab.games.tables import BROWSER_EVENT_COLUMNS
from cardlab.live.browser_events import MAX_AGE_MS, MAX_BATCH_LENGTH

SENT = 1_764_000_000_000  # when a browser sends its messages, by its own clock


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with study_server(tmp_path_factory.mktemp("server")) as running:
        yield running


class Page(Socket):
    """The presence socket of a participant's page."""

    def __init__(self, server, code):
        super().__init__(server, f"/here/{code}")
        self.receive()  # the current notices

    def report(self, *events, tab="tab1", now=SENT):
        """Reports events; returns the server's answer."""
        return self.tell(tab=tab, now=now, events=events)

    def tell(self, **fields):
        self.send(json.dumps(fields))
        return self.receive()


def exported(server, session):
    text = server.api(f"/api/export_browser_events?session_code={session.code}").decode()
    return list(csv.DictReader(io.StringIO(text)))


def ms_of(cell):
    moment = datetime.strptime(cell, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return round(1000 * moment.timestamp())


def test_replay_in_progress_has_the_pointers_path(server):
    session = server.create_session("ttt_demo", 1, pointer_path_hz=10)
    (code,) = session.participants
    visitor = Visitor(server, code)
    with visitor.sit_down() as tab, Page(server, code) as page:
        now_ms = round(1000 * time.time())
        index = visitor.index
        path = {"hz": 10, "path": "100,200"}
        assert page.report([1, index, "pointer", now_ms, path], now=now_ms) == {"kept": True}
        tab.act("P")
        researcher = Researcher(server, session)
        researcher.sees(lambda rows: rows[code]["replay"], "the hand")
        replay = researcher.replay(code).text
    (points,) = re.findall(r'"pointer":(\[\[.*?\]\])', replay.replace(" ", "").replace("\\", ""))
    assert [point[1:] for point in json.loads(points)] == [[100, 200]]


def test_events_are_kept_once_with_their_times(server):
    session = server.create_session("ttt_demo", 2)
    first, second = session.participants
    index = Visitor(server, first).walk_to("Hand")
    hidden = [1, index, "hidden", SENT - 5000, {}]
    with Page(server, first) as page, Page(server, second) as other:
        assert page.report(hidden) == {"kept": True}
        assert page.report(hidden, [2, index, "visible", SENT - 2000, {}]) == {"kept": True}
        assert page.report([1, 0, "focus", SENT + 10**9, {}], tab="tab2") == {"kept": True}
        assert other.report([1, 10**6, "blur", SENT - 10 * MAX_AGE_MS, {}]) == {"kept": True}
        server.kill9()
        server.start()
    rows = exported(server, session)
    assert [*rows[0]] == [*BROWSER_EVENT_COLUMNS]
    assert [(row["participant_code"], row["tab"], row["event_number"], row["event"]) for row in rows] == [
        (first, "tab1", "1", "hidden"),
        (first, "tab1", "2", "visible"),
        (first, "tab2", "1", "focus"),
        (second, "tab1", "1", "blur"),
    ]
    assert (rows[0]["app"], rows[0]["page"], rows[0]["hand"]) == ("ttt_solo_app", "Hand", "1")
    assert rows[0]["hand_id"] == f"ttt_solo_app-{session.code}-{first}-1"
    assert [rows[2][name] for name in ("app", "page", "hand", "hand_id")] == [""] * 4
    assert ms_of(rows[0]["client_time_utc"]) == SENT - 5000
    behind = ms_of(rows[1]["server_time_utc"]) - ms_of(rows[0]["server_time_utc"])
    assert 3000 <= behind < 60_000  # 3 s plus the time between the two messages


def test_export_needs_key_or_login(server):
    session = server.create_session("ttt_demo", 1)
    with Page(server, session.participants[0]) as page:
        page.report([1, 1, "input", SENT, {"type": "touch"}])
    researcher = Researcher(server, session)
    progress = researcher.http.get(f"{server.url}/SessionProgress/{session.code}").text
    link = f"/ExportBrowserEvents?session_code={session.code}"
    assert f'href="{link}"' in progress
    table = researcher.http.get(server.url + link).text
    assert table.splitlines()[1].endswith(',"{""type"":""touch""}"')
    assert table.encode() == server.api(f"/api/export_browser_events?session_code={session.code}")
    stranger = Researcher(server, session, known=False)
    assert stranger.http.get(server.url + link).url.endswith("/login")
    assert stranger.http.get(f"{server.url}/api/export_browser_events").status_code == 403


def test_invalid_messages_store_nothing(server):
    session = server.create_session("ttt_demo", 1)
    (code,) = session.participants
    long = [[number, 1, "blur", SENT, {}] for number in range(1, 1000)]
    with Page(server, code) as page:
        page.send(json.dumps({"tab": "t", "now": SENT, "events": long}))
        assert len(json.dumps(long)) > MAX_BATCH_LENGTH
        page.send('{"tab": "t", "now": 1e400, "events": []}')
        page.send(json.dumps({"tab": "t", "now": SENT}))
        page.send("[" * MAX_BATCH_LENGTH)
        assert not page.receives_within(0.05)
        assert page.report([1, 1, "<b>", SENT, {}], [2, 1, "blur", SENT, {"text": "x"}]) == {"kept": True}
        assert page.tell(beat=7)["beat"] == 7
    assert exported(server, session) == []


def test_heartbeats_are_answered_with_the_time(server):
    session = server.create_session("ttt_demo", 1)
    with Page(server, session.participants[0]) as page:
        before = datetime.now(timezone.utc).timestamp()
        answer = page.tell(beat=1)
        after = datetime.now(timezone.utc).timestamp()
    assert before - 1 <= answer["ms"] / 1000 <= after + 1


def test_session_that_records_nothing_stores_nothing(server):
    session = server.create_session("ttt_demo", 1, browser_events=False)
    with Page(server, session.participants[0]) as page:
        assert page.report([1, 1, "blur", SENT, {}]) == {"kept": True}
    assert exported(server, session) == []
    assert server.query(
        "SELECT count(*) FROM card_lab_browser_event WHERE session_id IN "
        "(SELECT id FROM otree_session WHERE code = ?)",
        session.code,
    ) == [(0,)]


def test_all_sessions_are_exported_but_demos(server):
    session = server.create_session("ttt_demo", 1)
    with Page(server, session.participants[0]) as page:
        page.report([1, 1, "blur", SENT, {}])
    every = server.api("/api/export_browser_events").decode()
    assert every.count(f"\n{session.code},") == 1
