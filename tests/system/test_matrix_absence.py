"""Tests absent and departed players: the others play on and are notified at once."""

import time
from html import unescape

import pytest
import websockets
from exported_hands import unexpected_log_lines
from matrix_table import MatrixTable, arrive, create_session, is_disclosed, legal_actions, together
from server_fixture import wait_for
from tabs import Tab, advance

from cardlab.games.matrix import rules

LIMIT = 0.3  # seconds; long enough for a test to act first
AT_ONCE = 0.02


def absent_rows(game):
    """Returns the rows that the server played for an absent participant; each follows a note."""
    pairs = list(zip(game.rows, game.rows[1:]))
    found = [row for note, row in pairs if note["action"] == "absent" and note["accepted"] == ""]
    assert len(found) == len(game.notes("absent"))
    return found


# ---------------------------------------------------------------- the turn's limit


@pytest.mark.parametrize("players", [2, 4])
def test_server_finishes_a_game_without_player_actions(server, players):
    """Every turn is shown, and an absent rotator keeps all crosses."""
    table = together(server, players, players=players, turn_limit_seconds=AT_ONCE)
    table.until(lambda message: message["over"])
    game = table.game()
    state = game.final_state()
    assert game.outcomes == ["completed"]
    assert len(state.turns) == 22
    rows = absent_rows(game)
    assert len(rows) == len(game.accepted_rows)
    assert {row["client_ms"] for row in rows} == {""}
    assert all(row["participant_code"] for row in rows)
    assert {turn.rotation for turn in state.turns} == ({None} if players == 4 else {None, "keep"})
    for seat, (_visitor, tab) in table.players.items():
        assert {message["view"]["last"]["turn"] for message in tab.received if message["view"]["last"]} == {
            *range(1, 23)
        }
        assert tab.state["result"]["score"] == state.score(seat)


def test_turn_limit_plays_for_the_silent_player(server):
    table = together(server, turn_limit_seconds=LIMIT)
    card = table.act("S")["view"]["chosen"]
    message = table.tab("S").until(is_disclosed(1))
    assert message["view"]["last"]["cards"]["S"] == card
    assert message["view"]["last"]["chosen_for"] == ["W"]
    game = table.game()
    (row,) = absent_rows(game)[:1]
    assert (row["seat"], row["client_ms"], row["accepted"]) == ("W", "", "1")
    # The session's seed determines what is played, so it can be recomputed from the record.
    before = rules.apply(rules.start(game.deal, game.settings), "S", f"play {card}")
    assert row["action"] == rules.absent_action(before, "W", game.settings["seed"])
    chosen, played = (row["server_time_utc"] for row in game.accepted_rows[:2])
    assert chosen < played
    assert message["wait"]["ms"] <= 1000 * LIMIT


def test_silent_player_sees_the_turn_limit(server):
    table = together(server, turn_limit_seconds=50)
    shown = table.act("S")
    assert 0 < shown["wait"]["ms"] <= 50_000
    message = table.tab("W").until(lambda shown: shown["view"]["other_chosen"])
    assert 0 < message["wait"]["ms"] <= 50_000
    assert table.game().notes("absent") == []


def test_overdue_card_is_played_on_reconnect(server):
    table = together(server, turn_limit_seconds=LIMIT)
    table.act("S")
    for tab in table.tabs:
        tab.close()
    gone = time.monotonic()
    wait_for(lambda: time.monotonic() > gone + LIMIT, "the limit to be up")
    before = table.game()
    assert before.notes("absent") == []
    visitor = table.visitor("S")
    with Tab(server, visitor.code, visitor.index) as again:
        assert again.first["view"]["last"]["turn"] == 1
    assert table.game().notes("absent")[:1] == ["W"]


def test_late_arrivals_get_a_longer_limit(server):
    session = create_session(server, turn_limit_seconds=AT_ONCE, gather_seconds=2 * LIMIT)
    one, _two = arrive(server, session.participants)
    table = MatrixTable(server, session, [one])
    tab = table.tabs[0]
    mine = tab.first["view"]["seat"]
    tab.until(is_disclosed(1))
    game = table.game()
    assert game.notes("absent")[:2] == [mine, ({"S", "W"} - {mine}).pop()]
    first, second = (row["server_time_utc"] for row in game.accepted_rows[:2])
    assert milliseconds(second) - milliseconds(first) >= 1000 * (2 * LIMIT - AT_ONCE) - 200
    assert game.notes("arrive") == [mine]


def milliseconds(utc):
    """Returns the time of day of an exported time, in milliseconds."""
    hours, minutes, seconds = utc[11:-1].split(":")
    return (int(hours) * 60 + int(minutes)) * 60_000 + float(seconds) * 1000


def test_timely_player_is_not_replaced_by_the_server(server):
    table = together(server, turn_limit_seconds=40)
    table.play_to_the_end()
    assert table.game().notes("absent") == []


def test_departed_player_is_replaced_until_return(server):
    """After two missed limits in a row, the partner waits only about a second instead of the limit."""
    table = together(server, turn_limit_seconds=2, absent_after=2)
    visitor, gone = table.players.pop("W")
    gone.close()
    remaining = table.tab("S")

    def on():
        """Plays S until the server has played for W again."""
        turn = (remaining.state["view"]["last"] or {"turn": 0})["turn"]
        while (remaining.state["view"]["last"] or {"turn": 0})["turn"] == turn:
            if actions := legal_actions(remaining.state["view"]):
                remaining.act(actions[-1])
            else:
                remaining.receive()

    for _turn in range(3):
        on()
    remaining.until(lambda message: message["wait"]["away"] == ["W"])
    assert remaining.state["wait"]["ms"] is None or remaining.state["wait"]["ms"] <= 2000
    with Tab(server, visitor.code, visitor.index) as back:
        assert back.first["wait"]["away"] == []
        remaining.until(lambda message: message["wait"]["away"] == [])
        back.until(lambda message: legal_actions(message["view"]))
        back.act(legal_actions(back.state["view"])[0])
    notes = [row["action"] for row in table.game().rows if row["accepted"] == "" and row["seat"] == "W"]
    assert notes[:4] == ["arrive", "absent", "absent", "away"]
    assert "back" in notes
    assert notes.count("away") == 1


def test_silent_page_is_away_until_it_plays(server):
    """A page answers no ping for long and then plays; its move counts, over the same connection."""
    table = together(server)
    present, silent = table.tab("S"), table.tab("W")
    silent.silent = True
    present.until(lambda message: message["wait"]["away"] == ["W"])
    card = legal_actions(silent.state["view"])[0]
    silent.act(card)
    present.until(lambda message: message["wait"]["away"] == [] and message["view"]["other_chosen"])
    assert [row["action"] for row in table.game().rows if row["seat"] == "W"] == ["arrive", "reconnect", card]


def test_silent_page_yields_to_a_newer_one(server):
    table = together(server, second_tab="refuse")
    present, silent = table.tab("S"), table.tab("W")
    silent.silent = True
    present.until(lambda message: message["wait"]["away"] == ["W"])
    visitor = table.visitor("W")
    with Tab(server, visitor.code, visitor.index) as newer:
        assert newer.first["wait"]["away"] == []
        silent.send("pong")
        while "second_tab" not in silent.receive():
            pass
        with pytest.raises(websockets.ConnectionClosed):
            silent.receive()


# ---------------------------------------------------------------- leaving


@pytest.mark.parametrize("players", [2, 4])
def test_others_finish_when_one_is_advanced(server, players):
    table = together(server, players, players=players, payoff_base=500)
    table.play(3)
    visitor, tab = table.players.pop("S")
    with Tab(server, visitor.code, visitor.index) as second:
        advance(server, table.session.code, visitor.code)
        assert tab.wait_for_reload()
        assert second.wait_for_reload()
    assert tab.send_action("keep") == {"reload": True}
    for other in table.tabs:
        other.until(lambda message: message["wait"]["away"] == ["S"])
    turns = {seat: table.tab(seat).state["view"]["last"]["turn"] for seat in table.players}
    table.play()
    table.until(lambda message: message["over"])
    assert set(turns.values()) <= {3, 4}
    game = table.game()
    state = game.final_state()
    assert game.notes("leave advanced") == ["S"]
    assert game.outcomes == ["completed"]
    assert {row["seat"] for row in absent_rows(game)} == {"S"}
    assert {row["client_ms"] for row in absent_rows(game)} == {""}
    for other in table.next_page():
        assert other.name == "Debriefing"
        other.walk_to("Results")
    visitor.open_start_link()
    assert visitor.name == "Debriefing"
    visitor.walk_to("Results")
    rows = {row["seat"]: row for row in table.rows("custom_export_hands")}
    assert {seat: row["outcome"] for seat, row in rows.items()} == {
        **dict.fromkeys(state.seats, "completed"),
        "S": "advanced",
    }
    for seat in table.players:
        assert int(rows[seat]["score"]) == state.score(seat)
        assert float(rows[seat]["payoff"]) == 500 + state.score(seat)
    # Compare with the cards collected before the seat was left.
    left = game.rows.index(next(row for row in game.rows if row["action"] == "leave advanced"))
    then = game._replace(rows=game.rows[:left]).final_state()
    assert int(rows["S"]["score"]) == then.score("S")
    assert float(rows["S"]["payoff"]) == 500 + then.score("S")
    paid = {row["participant_code"]: row for row in table.rows("custom_export_participants")}
    assert float(paid[visitor.code]["payoff"]) == float(rows["S"]["payoff"])
    assert (paid[visitor.code]["hands_over"], paid[visitor.code]["hands_played_out"]) == ("1", "0")


def test_both_players_can_be_advanced(server):
    table = together(server)
    table.play(2)
    table.act(table.tab("S").state["view"]["waiting_for"][0])
    advance(server, table.session.code)
    assert all(tab.wait_for_reload() for tab in table.tabs)
    for seat, (visitor, _tab) in table.players.items():
        visitor.open_start_link()
        assert visitor.name == "Debriefing", seat
    game = table.game()
    assert game.outcomes == ["advanced"]
    assert len(game.notes("leave advanced")) == 1
    assert {row["outcome"] for row in table.rows("custom_export_hands")} == {"advanced"}


def test_server_plays_for_player_advanced_early(server):
    session = create_session(server)
    one, two = arrive(server, session.participants)
    one.walk_to("Hand")
    advance(server, session.code, one.code)
    table = MatrixTable(server, session, [two])
    table.play_to_the_end()
    game = table.game()
    assert game.outcomes == ["completed"]
    assert len(absent_rows(game)) >= 22
    assert {row["seat"] for row in absent_rows(game)}.isdisjoint(table.players)


def test_robots_play_when_one_was_advanced_early(server):
    session = create_session(server, players=4, group_size=2, robot="random")
    one, two = arrive(server, session.participants)
    one.walk_to("Hand")
    advance(server, session.code, one.code)
    table = MatrixTable(server, session, [two])
    table.play_to_the_end()
    assert table.game().outcomes == ["completed"]


def test_time_limit_closes_the_hand_for_both(server):
    table = together(server, time_limit_seconds=1)
    table.act("S")
    visitor, other = table.visitor("S"), table.tab("W")
    visitor.send(timeout_happened="1")
    other.until(lambda message: message["over"] == "timeout")  # pushed by the server
    assert table.tab("S").wait_for_reload()
    # The second message comes if this page's own time limit has passed, too.
    assert other.refused("keep")["refused"] in ("This hand is over.", "Time is up.")
    table.visitor("W").send()
    assert {one.name for one in (visitor, table.visitor("W"))} == {"Debriefing"}
    game = table.game()
    assert (game.outcomes, len(game.accepted_rows)) == (["timeout"], 1)
    assert {row["outcome"] for row in table.rows("custom_export_hands")} == {"timeout"}


def test_hand_cannot_be_left_before_its_end(server):
    table = together(server)
    table.act("S")
    for seat in "SW":
        visitor = table.visitor(seat)
        visitor.send()
        assert visitor.name == "Hand"
        assert "Please play to the end first." in visitor.page.text
    table.play_to_the_end()
    assert {visitor.name for visitor in table.next_page()} == {"Debriefing"}


def test_results_state_the_earnings(server):
    table = together(server, games=2, payoff_base=100, payoff_rate=2)
    for _game in range(2):
        table.play_to_the_end()
        visitors = table.next_page()
        if visitors[0].name == "Hand":
            table = MatrixTable(server, table.session, visitors)
    for visitor in visitors:
        visitor.walk_to("Results")
    rows = table.rows("custom_export_hands")
    for visitor in visitors:
        own = [row for row in rows if row["participant_code"] == visitor.code]
        scores = [int(row["score"]) for row in own]
        assert sorted(row["seat"] for row in own) == ["S", "W"]  # the deal rotates
        assert [row["best_earlier_score"] for row in own] == ["", str(scores[0])]
        assert [float(row["payoff"]) for row in own] == [max(0, 100 + 2 * score) for score in scores]
        for score in scores:
            assert f"<td>{score}</td>".replace("-", "−") in visitor.page.text


def test_next_game_shows_best_earlier_score(server):
    table = together(server, games=2)
    assert all("best game so far" not in visitor.page.text for visitor, _tab in table.players.values())
    table.play_to_the_end()
    best = {each.visitor.code: each.tab.state["result"]["score"] for each in table.players.values()}
    for visitor in table.next_page():
        score = best[visitor.code]
        points = f"{score:+}".replace("-", "−") if score else "0"
        assert f"best game so far: <b>{points}</b>" in unescape(visitor.page.text).replace("</span>", "")


def test_no_unexpected_errors_were_logged(server):
    """This test must be last, because it checks what the tests above have logged."""
    assert unexpected_log_lines(server) == []
