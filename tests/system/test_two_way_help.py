"""Tests requests for help: sent from a participant's page, answered in Progress, stored as notices."""

import csv
import io
import json

import pytest
from researcher import Researcher, study_server
from tabs import Socket

from cardlab.live.help_requests import BURST
from cardlab.live.notices import MAX_MESSAGE_LENGTH


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with study_server(tmp_path_factory.mktemp("server")) as running:
        yield running


class Page(Socket):
    """The presence socket of a participant's page."""

    def __init__(self, server, code):
        super().__init__(server, f"/here/{code}")
        self.stands = self.receive()

    def ask(self, text):
        """Asks for help; returns the page's next message."""
        return self.tell(help=text)

    def tell(self, **fields):
        self.send(json.dumps(fields))
        return self.receive()


def answer(researcher, code, number, text):
    form = {**researcher.csrf, "participants": code, "number": str(number), "text": text}
    return researcher.http.post(f"{researcher.address}/answer", data=form)


def asked(researcher, code):
    """Waits until Progress shows a participant's request; returns its number and text."""
    number, _seconds, text = researcher.sees(lambda rows: rows[code]["help"], "a request")[code]["help"]
    return number, text


def kept(researcher):
    table = researcher.http.get(f"{researcher.address}/notices.csv").text
    return list(csv.DictReader(io.StringIO(table, newline="")))


def test_request_is_answered_and_both_are_kept(server):
    session = server.create_session("ttt_demo", 3, help_button=True)
    first, second, third = session.participants
    researcher = Researcher(server, session)
    with Page(server, second) as page, Page(server, third) as other:
        assert page.ask(" What is\n=ck? <b>")["help"] == "What is =ck? <b>"
        number, text = asked(researcher, second)
        assert text == "What is =ck? <b>"
        assert [*researcher.rows()][0] == second
        assert researcher.rows()[first]["help"] is None

        # Only this participant's request is answered, and only once.
        assert answer(researcher, third, number, "No.").status_code == 400
        assert answer(researcher, second, number + 1, "No.").status_code == 400
        assert answer(researcher, second, "1 OR 1", "No.").status_code == 400
        assert answer(researcher, second, number, "x" * (MAX_MESSAGE_LENGTH + 1)).status_code == 400
        stranger = Researcher(server, session, known=False)
        stranger.csrf = {}
        assert answer(stranger, second, number, "No.").url.endswith("/login")
        assert answer(researcher, second, number, " The colour\nkeeper. ").json()["people"] == 1
        standing = page.receive()
        ((message, *texts),) = standing["messages"]
        assert (texts, standing["help"]) == (["The colour keeper.", "What is =ck? <b>"], "")
        assert answer(researcher, second, number, "Again.").status_code == 400
        assert not other.receives_within(0.05)
        server.kill9()
        server.start()
    researcher = Researcher(server, session)
    with Page(server, second) as page:
        assert page.stands["messages"] == [[message, "The colour keeper.", "What is =ck? <b>"]]
        assert page.tell(read=message)["messages"] == []

    rows = kept(researcher)
    assert [(row["participant_code"], row["what"], row["text"]) for row in rows] == [
        (second, "help", "What is =ck? <b>"),
        (second, "answer", "The colour keeper."),
    ]
    assert rows[0]["over_utc"] == rows[1]["began_utc"] > rows[0]["began_utc"]
    assert rows[1]["over_utc"] > rows[1]["began_utc"]


def test_requests_are_withdrawn_and_closed(server):
    session = server.create_session("ttt_demo", 1, help_button=True)
    (code,) = session.participants
    researcher = Researcher(server, session)
    with Page(server, code) as page:
        page.ask("one")
        assert page.tell(no_help=True)["help"] == ""
        page.ask("two")
        assert answer(researcher, code, asked(researcher, code)[0], " ").json()["people"] == 1
        standing = page.receive()
        assert (standing["messages"], standing["help"]) == ([], "")
    assert [(row["what"], row["text"], bool(row["over_utc"])) for row in kept(researcher)] == [
        ("help", "one", True),
        ("help", "two", True),
        ("answer", "", True),
    ]


def test_flood_of_requests_is_refused(server):
    session = server.create_session("ttt_demo", 1, help_button=True)
    (code,) = session.participants
    with Page(server, code) as page:
        for number in range(BURST):
            page.ask(f"help {number}")
            page.send(json.dumps({"help": "more"}))  # a request is already open
            page.tell(no_help=True)
        assert page.ask("once more") == {"help_refused": True}
        page.send(json.dumps({"help": "x" * 1300}))
        page.send(json.dumps({"help": ["list"]}))
        assert not page.receives_within(0.05)
    assert [row["text"] for row in kept(Researcher(server, session))] == ["help 0", "help 1", "help 2"]


def test_session_without_button_takes_no_requests(server):
    session = server.create_session("ttt_demo", 1)
    with Page(server, session.participants[0]) as page:
        page.send(json.dumps({"help": "Hello?"}))
        page.send(json.dumps({"hidden": False}))
        assert not page.receives_within(0.05)
    assert kept(Researcher(server, session)) == []
