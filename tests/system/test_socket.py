"""Tests the hand socket: two tabs, resends, outdated boards, and participants on other pages."""

import contextlib
import json
import re

import pytest
from exported_hands import export_rows, hands_by_participant, unexpected_log_lines
from server_fixture import wait_for
from tabs import Gone, Socket, Tab, Visitor, advance, open_first_hand

FACE_DOWN = {"ViewCkNk": "FALSE"}


@pytest.fixture
def session(server):
    return server.create_session("ttt_demo", participants=2)


@pytest.fixture
def tab(server, session):
    return open_first_hand(server, session.participants[0])


def only_hand(server, session, number=1):
    return hands_by_participant(server, session.code)[session.participants[0], number]


def test_hand_is_played_from_view_to_result(server, session, tab):
    assert tab.first["view"]["cards"] == {"C": None, "Ck": "3C", "UP": "3H", "T": "4C", "N": None, "Nk": "4H"}
    assert (tab.first["hand"], tab.first["next"], tab.first["over"]) == (1, 1, None)
    assert tab.send_action("C")["view"]["cards"]["Ck"] == "2H"
    assert tab.send_action("U", number=7)["refused"]
    assert tab.play("TT")["over"] == "solved"
    assert tab.state["result"]["score"] == 850
    assert only_hand(server, session).numbered_actions == [(1, "C"), (2, "T"), (3, "T")]
    assert only_hand(server, session).outcomes == ["solved"]


def test_messages_go_uncompressed(tab):
    assert tab.extensions == []  # compression would take memory for each of hundreds of connections


def test_two_tabs_see_the_same_board(server, session, tab):
    with Tab(server, session.participants[0], 3) as other:
        assert other.first["view"] == tab.first["view"]
        tab.send_action("U")
        assert other.receive()["view"] == tab.state["view"]
        other.send_action("P")
        assert tab.receive()["view"] == other.state["view"]
        assert tab.state["view"]["moves"] == 2
        refused = tab.send_action("T" if tab.state["view"]["turn"] == "ck" else "Q")
        if refused.get("refused"):  # only the sender receives a refusal
            tab.send_action("P")
            assert "refused" not in other.receive()
    assert "refused" not in tab.send_action("P")  # after one tab is closed, the other plays on


def test_simultaneous_moves_of_two_tabs_play_once(server, session, tab):
    with Tab(server, session.participants[0], 3) as other:
        tab.send(tab.message("U"))
        other.send(other.message("N"))
        first, last = tab.receive(), other.receive()
        played = only_hand(server, session).moves
        late, message = (other, last) if played == "U" else (tab, first)
        while "refused" not in message:  # the other tab's move may come before the refusal or with it
            message = late.receive()
        assert tab.state["view"] == other.state["view"]
        assert sum("refused" in message for message in (*tab.received, *other.received)) == 1
    assert played in ("U", "N")


def test_a_resent_message_plays_once(server, session, tab):
    first = tab.message("U")
    tab.send(first)
    tab.send(first)
    tab.send(first)
    answers = [tab.receive() for _ in range(3)]
    assert [message["next"] for message in answers] == [2, 2, 2]
    assert ["refused" in message for message in answers] == [False, True, True]
    assert only_hand(server, session).numbered_actions == [(1, "U")]


def test_another_hand_and_future_numbers_play_nothing(server, session, tab):
    tab.play("U")
    for changes in ({"hand": 2}, {"hand": 0}, {"number": 1}, {"number": 3}, {"number": 1_000}):
        message = tab.send_action("P", **changes)
        assert message["refused"].endswith(".")
        assert (message["next"], message["view"]["moves"]) == (2, 1)
    assert only_hand(server, session).moves == "U"


def test_disconnect_before_the_answer_never_plays_twice(server, session):
    """After each disconnect the new board shows whether the message was played; a resend never doubles it."""
    visitor = Visitor(server, session.participants[0])
    tab = visitor.sit_down()
    played = ""
    for move in "UUNNUNPP":
        text = tab.message(move)
        tab.send(text)
        tab.drop_connection()
        tab = Tab(server, session.participants[0], visitor.index)
        taken = tab.first["next"] > len(played) + 1
        assert tab.first["view"]["moves"] == len(played) + taken
        tab.send(text)
        message = tab.receive()
        while message["next"] == len(played) + 1:  # a view that was sent before our answer
            message = tab.receive()
        played += move
        assert message["view"]["moves"] == len(played)
    assert only_hand(server, session).moves == played


def test_board_is_unchanged_after_reconnecting(server, session, tab):
    tab.play("UN")
    tab.close()
    with Tab(server, session.participants[0], 3) as again:
        assert again.first["view"] == tab.state["view"]
        assert again.first["clock"] >= tab.state["clock"]
    notes = [row for row in only_hand(server, session).rows if row["action"] == "reconnect"]
    assert len(notes) == 1
    assert (notes[0]["action_number"], notes[0]["accepted"]) == ("", "")


def test_advanced_participant_is_sent_on(server, session, tab):
    tab.play("U")
    advance(server, session.code)
    assert tab.send_action("N") == {"reload": True}
    assert tab.send_action("N") == {"reload": True}
    first = only_hand(server, session)
    assert (first.moves, first.outcomes) == ("U", ["advanced"])
    visitor = Visitor(server, session.participants[0])
    assert visitor.name == "Hand"
    assert visitor.sit_down().first["hand"] == 2
    row = export_rows(server, session.code, "custom_export_hands")[0]
    assert (row["outcome"], row["score"], row["payoff"]) == ("advanced", "0", "0.0")


def test_advanced_participant_leaves_an_unseen_hand(server, session):
    visitor = Visitor(server, session.participants[0])
    visitor.walk_to("Hand")
    advance(server, session.code)
    assert only_hand(server, session).outcomes == ["advanced"]
    assert only_hand(server, session).deal_row["shown_utc"] == ""


def test_advanced_participants_page_reloads(server, session):
    visitor = Visitor(server, session.participants[0])
    path = re.search(r'id="here" .*data-socket="(.+?)"', visitor.page.text)[1]
    with Socket(server, path) as page:
        assert "paused" in page.receive()
        advance(server, session.code)
        assert page.receive() == {"auto_advanced": True}
    with Socket(server, path) as page:
        assert "paused" in page.receive()
        assert page.receive() == {"auto_advanced": True}
    here = path.partition("?")[0]
    for own in ("", "?page=-1", "?page=x", "?page=%C2%B2", f"?page={10**90}", f"?page={'0' * 500}"):
        with Socket(server, here + own) as page:
            assert "paused" in page.receive()
            assert not page.receives_within(0.1)


def test_session_can_be_deleted_during_play(server, session, tab):
    with Socket(server, "/delete_sessions") as admin:
        admin.send(json.dumps([session.code]))
        assert admin.receive() == "ok"
    assert tab.send_action("U") == {"reload": True}


def test_expired_time_ends_the_hand(server):
    session = server.create_session("ttt_demo", time_limit_seconds=3)
    visitor = Visitor(server, session.participants[0])
    tab = visitor.sit_down()
    tab.play("U")

    over = "Time is up."
    wait_for(lambda: tab.send_action("no move")["refused"] == over, "the time to be over")
    assert tab.send_action("P")["refused"] == over
    visitor.send(timeout_happened="1")
    assert tab.send_action("P") == {"reload": True}
    hand = only_hand(server, session)
    assert (hand.moves, hand.outcomes) == ("U", ["timeout"])
    assert visitor.sit_down().first["hand"] == 2


def test_time_limit_ends_hands_of_dead_browsers(server):
    """oTree's worker closes them all a few seconds after the browsers should have."""
    session = server.create_session("ttt_demo", participants=3, time_limit_seconds=1)
    for code in session.participants:
        tab = open_first_hand(server, code)
        tab.play("U")
        tab.drop_connection()

    def closed():
        with contextlib.closing(server.sqlite()) as database:
            ends = database.execute(
                "SELECT count(*) FROM card_lab_line WHERE hand LIKE ? AND text LIKE '%\"end %'",
                [f"ttt_solo_app-{session.code}-%-1"],
            )
            return ends.fetchone() == (len(session.participants),)

    wait_for(closed, "the worker to close the hands")
    played = hands_by_participant(server, session.code)
    assert [played[code, 1].outcomes for code in session.participants] == [["timeout"]] * 3
    assert [played[code, 1].moves for code in session.participants] == ["U"] * 3


def test_page_stays_until_its_hand_ends(server, session):
    visitor = Visitor(server, session.participants[0])
    tab = visitor.sit_down()
    for form in ({}, {"timeout_happened": "1"}):
        before = visitor.index
        visitor.send(**form)
        assert visitor.index == before
        assert "Please play to the end first." in visitor.page.text
    tab.play("CTT")
    visitor.send()
    assert visitor.index > before


def test_foreign_and_missing_pages_must_reload(server, session, tab):
    one, two = session.participants
    index = 3
    paths = [
        f"/hand/{two}/{index}",  # this participant has not arrived yet
        f"/hand/{one}/{index + 1}",
        f"/hand/{one}/{index - 1}",
        f"/hand/{one}/0",
        f"/hand/{one}/{10**30}",
        f"/hand/nobody00/{index}",
        f"/hand/{one.upper()}/{index}",
        f"/hand/%27%20OR%201=1/{index}",
        f"/hand/%00/{index}",
        f"/hand/%F0%9F%82%B1/{index}",
        f"/hand/%ED%A0%80/{index}",
    ]
    for path in paths:
        with Socket(server, path) as stranger:
            assert stranger.receive() == {"reload": True}
            with pytest.raises(Gone):
                stranger.receive()
    for path in (f"/hand/{one}/-1", f"/hand/{one}/x", f"/hand/{one}", f"/hand/{one}/{index}/"):
        with pytest.raises(Exception, match="HTTP|403|404|400"):
            Socket(server, path)
    assert tab.send_action("U")["view"]["moves"] == 1
    assert [key[0] for key in hands_by_participant(server, session.code)] == [one]


def test_other_pages_have_no_hand(server, session):
    visitor = Visitor(server, session.participants[1])
    assert visitor.name == "Instructions"
    with Tab(server, visitor.code, visitor.index) as board:
        assert board.first["hand"] == 0  # the practice board is a separate hand
    visitor.walk_to("Hand")
    index = visitor.index
    tab = visitor.sit_down()
    for _ in range(3):
        while tab.state["over"] is None:
            tab.send_action("P")
        visitor.send()
        if visitor.name == "Hand":
            tab = visitor.sit_down()
    assert visitor.name == "Results"
    with Socket(server, f"/hand/{visitor.code}/{visitor.index}") as nobody:
        assert nobody.receive() == {"reload": True}
    with Socket(server, f"/hand/{visitor.code}/{index}") as stale:
        assert stale.receive() == {"reload": True}


def test_practice_board_may_restart(server, session):
    visitor = Visitor(server, session.participants[0])
    with Tab(server, visitor.code, visitor.index) as board:
        assert board.send_action("T")["refused"].startswith("The colours differ")
        assert board.play("CTT")["over"] == "solved"
        board.send(json.dumps({"hand": 0, "again": True}))
        fresh = board.receive()
        assert (fresh["over"], fresh["next"], fresh["view"]["moves"]) == (None, 1, 0)
        assert board.play("P")["view"]["moves"] == 1
    assert export_rows(server, session.code) == []  # practice is not recorded


def test_paid_hand_cannot_restart(server, session, tab):
    tab.play("U")
    tab.send(json.dumps({"hand": 1, "again": True}))
    message = tab.receive()
    assert message["refused"] == "You cannot start over here."
    assert message["view"]["moves"] == 1


def test_looked_at_card_shows_in_every_tab(server):
    session = server.create_session("ttt_demo", **FACE_DOWN)
    tab = open_first_hand(server, session.participants[0])
    assert tab.first["view"]["cards"]["Ck"] is None
    assert tab.first["view"]["may_look"] == ["ck", "nk"]
    with Tab(server, session.participants[0], 3) as other:
        assert tab.send_action("look ck")["view"]["cards"]["Ck"] == "3C"
        assert other.receive()["view"]["cards"]["Ck"] == "3C"
        assert tab.send_action("look ck")["refused"] == "This card is already face up."
        assert tab.send_action("U")["view"]["cards"]["Ck"] is None
    assert only_hand(server, session).numbered_actions == [(1, "look ck"), (2, "U")]


def test_message_cannot_end_a_hand(server, session, tab):
    for outcome in ("solved", "gave_up", "timeout"):
        message = tab.send_action(f"end {outcome}", traces=[[f"end {outcome}", 1]])
        assert message["refused"]
        assert message["over"] is None
    assert only_hand(server, session).outcomes == []


def test_page_ping_is_answered(server, session, tab):
    before = server.export(session.code)
    tab.send("ping")
    assert tab.receive() == "pong"
    assert server.export(session.code) == before
    tab.play("C")


def test_second_page_plays_when_asked_to(server, session):
    code = session.participants[0]
    visitor = Visitor(server, code)
    page = visitor.walk_to("Hand")
    with Tab(server, code, page, "tab=one") as one:
        with Tab(server, code, page, "tab=two") as two:
            assert two.received == [{"second_tab": "tell"}]  # no information about the hand
        with Tab(server, code, page, "tab=one") as reloaded:
            assert "view" in reloaded.first
        with Tab(server, code, page, "tab=two&here=1") as here:
            assert here.send_action("U")["next"] == one.receive()["next"] == 2
    hand = only_hand(server, session)
    assert (hand.notes("second tab"), hand.notes("second tab plays")) == (["solo"], ["solo"])

    def let_in():
        with Tab(server, code, page, "tab=three") as alone:
            return "view" in alone.first

    wait_for(let_in, "the server to see that the others have gone")


def test_a_second_page_may_be_refused(server):
    session = server.create_session("ttt_demo", second_tab="refuse")
    one = open_first_hand(server, *session.participants)
    with Tab(server, session.participants[0], 3, "tab=two&here=1") as two:
        assert two.received == [{"second_tab": "refuse"}]
    one.play("CTT")
    assert only_hand(server, session).notes("second tab") == ["solo"]
    assert only_hand(server, session).outcomes == ["solved"]


def test_timed_hand_waits_for_its_clock(server):
    session = server.create_session("ttt_demo", time_limit_seconds=60)
    visitor = Visitor(server, *session.participants)
    visitor.walk_to("Hand")
    tab = visitor.sit_down()
    tab.play("CTT")
    gone_on = visitor.http.post(visitor.page.url, allow_redirects=False)
    assert gone_on.status_code == 302
    following = int(gone_on.headers["location"].rsplit("/", 1)[1])
    with Tab(server, visitor.code, following) as early:
        assert early.first == {"reload": True}
    visitor.open_start_link()
    assert "view" in Tab(server, visitor.code, visitor.index).first


def test_no_unexpected_errors_were_logged(server):
    """This test must be last, because it checks what the tests above have logged."""
    assert unexpected_log_lines(server) == []
