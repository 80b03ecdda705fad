"""Tests the choices of a participant whose co-player is disconnected: wait, let the server play, or stop."""

from __future__ import annotations

import json
import time

import pytest
from exported_hands import hands_by_id
from game_table import GameTable, gather_table
from harnesses import GAMES
from server_fixture import LabServer, wait_for
from tabs import Socket, Tab, Visitor

SHARED = {name: game for name, game in GAMES.items() if game.harness.PEOPLE > 1}
SECONDS = 1  # until a participant may choose


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Provides a separate server, because a test kills it."""
    with LabServer(tmp_path_factory.mktemp("server") / "card_lab") as running:
        yield running


def begun(server, game, participants=None, **fields) -> GameTable:
    """Returns the table of a session with one group, at the first hand."""
    harness = game.harness
    fields = {**harness.FIELDS, "partner_away_seconds": SECONDS, "payoff_base": 3, **fields}
    session = server.create_session(harness.CONFIG, participants or harness.PEOPLE, **fields)
    return gather_table(game, server, session)


def choose(tab: Tab, choice: str, **changes) -> None:
    tab.send(json.dumps({"hand": tab.state["hand"], "choice": choice, **changes}))


def left_alone(table: GameTable) -> tuple[str, str]:
    """Returns the seats of a player who left on their turn, and of the partner who gets the choice."""
    seats = dict(table.players)
    gone = next(seat for seat in seats if table.moves(seat))
    (stays,) = seats.keys() - {gone}
    if table.moves(stays):  # in games in which both choose at the same time
        table.act(stays)
    table.players.pop(gone).tab.close()
    table.tab(stays).until(lambda message: "choice" in message["wait"])
    return gone, stays


def notes(table: GameTable, number: int = 1) -> list[str]:
    """Returns the notes about choices in the record of a hand, with their seats."""
    hands = hands_by_id(table.server, table.session.code, table.app).values()
    (played,) = (hand for hand in hands if hand.deal_row["hand"] == str(number))
    names = ("keep waiting", "let server play", "stop", "dropped out", "back", "leave stopped")
    noted = [f"{row['seat']} {row['action']}" for row in played.rows if row["accepted"] == ""]
    return [name for name in noted if name.split(" ", 1)[1] in names] + [
        f"end {end}" for end in played.outcomes
    ]


@pytest.mark.long("the same as in the matrix game", only=("ttt_pair", "challenge"))
@pytest.mark.parametrize("name", SHARED)
def test_absent_player_gets_the_seat_back(server, name):
    table = begun(server, SHARED[name])
    table.app = SHARED[name].app
    visitors = {seat: each.visitor for seat, each in table.players.items()}
    first, *_others = table.players
    choose(table.tab(first), "stop")  # refused, because nobody is away
    assert "refused" in table.tab(first).receive()
    gone, stays = left_alone(table)
    tab = table.tab(stays)
    assert tab.state["wait"]["choice"]["away"] == [gone]
    choose(tab, "explode")
    assert "choice" in tab.receive()["refused"]
    before = tab.state["view"]
    choose(tab, "let server play")
    tab.until(lambda message: "choice" not in message["wait"] and message["view"] != before)
    assert notes(table) == [f"{stays} let server play", f"{gone} dropped out"]
    code = visitors[gone].code
    assert server.query("SELECT status FROM otree_participant WHERE code = ?", code) == [("dropped out",)]
    with Socket(server, f"/here/{code}") as page, Tab(server, code, visitors[gone].index) as back:
        assert page.receive()["dropped"]
        page.send(json.dumps({"back": True}))
        assert not page.receive()["dropped"]
        for _move in range(2):  # by then it is the returned player's turn
            back.until(
                lambda message: table.harness.moves(message["view"]) or table.harness.moves(tab.state["view"])
            )
            if actions := table.harness.moves(back.state["view"]):
                back.act(actions[0])
                break
            table.act(stays)
    assert notes(table)[2:] == [f"{gone} back"]


@pytest.mark.long("the same as in the matrix game", only=("ttt_pair", "challenge"))
@pytest.mark.parametrize("name", SHARED)
def test_waiting_player_is_asked_again_after_kill(server, name):
    table = begun(server, SHARED[name])
    table.app = SHARED[name].app
    gone, stays = left_alone(table)
    tab, visitor = table.tab(stays), table.visitor(stays)
    choose(tab, "keep waiting")
    tab.until(lambda message: "choice" not in message["wait"])
    assert notes(table) == [f"{stays} keep waiting"]
    tab.until(lambda message: "choice" in message["wait"])
    server.kill9()
    server.start()
    with Tab(server, visitor.code, visitor.index) as again:
        again.until(lambda message: "choice" in message["wait"])
        score = again.state["wait"]["choice"]["score"]
        choose(again, "stop")
        again.until(lambda message: message["over"])
        assert (again.state["over"], again.state["result"]["score"]) == ("stopped", score)
    assert notes(table) == [f"{stays} keep waiting", f"{stays} stop", "end stopped"]
    paid = server.query("SELECT payoff FROM otree_participant WHERE code = ?", visitor.code)
    visitor.send()
    assert visitor.name in ("Debriefing", "Results")
    if visitor.name == "Debriefing":
        visitor.send()
    assert visitor.name == "Results"
    assert server.query("SELECT payoff FROM otree_participant WHERE code = ?", visitor.code) == paid
    assert float(paid[0][0]) >= 3
    assert server.query("SELECT status FROM otree_participant WHERE code = ?", visitor.code) == [
        ("finished",)
    ]

    # In the next hand the server plays for the one who has left, who is not paid for it.
    other = next(code for code in table.session.participants if code != visitor.code)
    late = Visitor(server, other)
    late.send()
    tab = Tab(server, other, late.walk_to("Hand"))
    (away,) = tab.state["wait"]["away"]
    assert away != table.harness.seat(tab.state["view"])  # the seats may change from hand to hand
    assert notes(table, 2) == [f"{away} leave stopped"]
    assert server.query("SELECT payoff FROM otree_participant WHERE code = ?", visitor.code) == paid
    tab.close()


def test_random_payment_offers_no_stop(server):
    table = begun(server, GAMES["matrix"], pay_hands="one")
    _gone, stays = left_alone(table)
    tab = table.tab(stays)
    assert tab.state["wait"]["choice"]["score"] is None
    choose(tab, "stop")
    assert "refused" in tab.receive()


def test_three_play_on_when_one_stops(server):
    game = GAMES["matrix"]
    session = server.create_session(
        game.harness.CONFIG,
        4,
        **{**game.harness.FIELDS, "players": 4, "group_size": 4},
        partner_away_seconds=SECONDS,
    )
    visitors = [Visitor(server, code) for code in session.participants]
    for visitor in visitors:
        visitor.walk_to("Gather", "Hand")
    table = GameTable(game, server, session, visitors)
    table.app = game.app
    table.players.pop("W").tab.close()
    table.act("S")
    for seat in "NE":  # any present player may choose, even out of turn
        table.tab(seat).until(lambda message: "choice" in message["wait"])
    choose(table.tab("N"), "stop")
    table.tab("N").until(lambda message: message["over"])
    assert table.tab("N").state["over"] == "stopped"
    choose(table.tab("E"), "let server play")
    table.tab("E").until(lambda message: message["view"]["last"])
    assert notes(table) == ["N stop", "N leave stopped", "E let server play", "W dropped out"]
    table.visitor("N").send()
    assert table.visitor("N").name == "Debriefing"


def test_co_player_on_another_page_is_present(server):
    """The co-player may, for example, be reading the results of the previous hand."""
    table = begun(server, GAMES["matrix"], partner_away_seconds=0.3)
    stays = "S"
    gone = table.players.pop("W")
    with Socket(server, f"/here/{gone.visitor.code}") as page:
        page.receive()
        gone.tab.close()
        table.tab(stays).until(lambda message: "W" in message["wait"]["away"])
        until = time.monotonic() + 1
        wait_for(lambda: time.monotonic() > until, "longer than the others are waited for")
        while table.tab(stays).receives_within(0.05):
            pass
        assert "choice" not in table.tab(stays).state["wait"]
    table.tab(stays).until(lambda message: "choice" in message["wait"])
