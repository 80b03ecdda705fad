"""Tests the exports of a played session of the matrix card game."""

from __future__ import annotations

import csv
import io

import pytest
from exported_hands import MATRIX_APP, hands_by_id
from matrix_table import MatrixTable, arrive, create_session, legal_actions, session_rows
from tabs import Visitor, advance

from cardlab.games.matrix import rules
from cardlab.games.matrix.packs import column, value

FUNCTIONS = ("custom_export", "custom_export_hands", "custom_export_turns", "custom_export_participants")


def play_every_case(table: MatrixTable) -> None:
    """Plays a whole game with changed choices, refusals, a reconnection and rotations."""
    for turn in range(1, 23):
        for seat in "SW":
            tab = table.tab(seat)
            view = tab.until(lambda message, seat=seat: seat in message["view"]["waiting_for"])["view"]
            if turn % 5 == 0:
                tab.refused("play 1X")
            if turn % 3 == 0 and seat == "S" and len(view["hand"]) > 1:
                tab.act(legal_actions(view)[1])
            tab.act(legal_actions(view)[0])
        if rotator := table.tab("W").state["view"]["rotator"]:
            table.act(rotator, "keep" if turn % 2 else "rotate SW")
        if turn == 4:
            visitor, tab = table.players["W"]
            tab.close()
            table.players["W"] = table.players["W"]._replace(tab=visitor.sit_down())
    table.until(lambda message: message["over"])


@pytest.fixture(scope="module")
def played(server):
    """Provides two pairs that play two games with different endings, and two no-shows."""
    fields = {"games": 2, "change_choice": True, "same_deals": False, "payoff_base": 20, "seed": 3}
    session = create_session(server, 6, check=True, gather_seconds=2, **fields)
    server.set_label(session.participants[0], "=1+1")
    visitors = arrive(server, session.participants[:4])
    for visitor in visitors:
        if visitor.name == "Gather":
            visitor.wait_for_group()
    codes = [visitor.code for visitor in visitors]
    pair_rows = server.query(
        "SELECT player.group_id, who.code FROM matrix_game_app_player AS player "
        "JOIN otree_participant AS who ON who.id = player.participant_id "
        "WHERE who._session_code = ? AND player.round_number = 2 AND player.seat != ''",
        session.code,
    )
    pairs: dict[int, list[Visitor]] = {}
    for group, code in pair_rows:
        pairs.setdefault(group, []).append(visitors[codes.index(code)])
    one, two = (MatrixTable(server, session, pair) for pair in pairs.values())
    play_every_case(one)
    one.next_page()
    two.play(2)
    leaver = two.players.pop("W").visitor
    advance(server, session.code, leaver.code)
    leaver.open_start_link()
    two.play_to_the_end()
    two.next_page()
    again = MatrixTable(server, session, [each.visitor for each in one.players.values()])
    again.play(3)
    return session


@pytest.fixture(scope="module")
def games(server, played):
    """Provides the games by ``hand_id``."""
    return hands_by_id(server, played.code)


@pytest.fixture(scope="module")
def hand_rows(server, played):
    return session_rows(server, played, "custom_export_hands")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_row_has_every_column(server, played, function):
    (heading, *rows) = csv.reader(io.StringIO(server.export(played.code, MATRIX_APP, function)))
    assert rows
    assert {len(row) for row in rows} == {len(heading)}
    assert len(set(heading)) == len(heading)


def test_each_game_is_exported_once(games, hand_rows):
    assert sorted(hand.deal_row["hand"] for hand in games.values()) == ["1", "1", "2"]
    for hand_id, hand in games.items():
        columns_of_one_player = ("seat", "participant_code", "id_in_session")
        assert {hand.deal_row[column] for column in columns_of_one_player} == {""}
        assert [row["seat"] for row in hand_rows if row["hand_id"] == hand_id] == ["S", "W"]
    assert len({(row["hand_id"], row["seat"]) for row in hand_rows}) == len(hand_rows) == 6


def test_exported_games_ended_as_played(games, hand_rows):
    assert sorted(hand.outcomes for hand in games.values()) == [[], ["completed"], ["completed"]]
    outcomes = sorted(row["outcome"] for row in hand_rows)
    assert outcomes == ["advanced", "completed", "completed", "completed", "open", "open"]


def own_rotations(hand, seat):
    """Returns the seat's rotations, except those that the server played."""
    rotations, absent = [], ""
    for row in hand.rows:
        if row["action"] == "absent":
            absent = row["seat"]
        elif row["accepted"] == "1" and row["seat"]:
            if row["seat"] == seat != absent and row["action"].startswith(("rotate ", "keep")):
                rotations.append(row["action"])
            absent = ""
    return rotations


def test_the_actions_table_alone_rebuilds_every_game(games, hand_rows):
    """A participant who left has the score that their rows had at that time."""
    for row in hand_rows:
        hand, seat = games[row["hand_id"]], row["seat"]
        state, options = hand.final_state(), hand.settings
        assert row["deal"] == hand.deal
        assert row["settings"] == hand.deal_row["settings"]
        left = [number for number, each in enumerate(hand.rows) if each["action"] == "leave advanced"]
        if row["outcome"] == "advanced":
            own = hand._replace(rows=hand.rows[: left[0]]).final_state()
        else:
            own = state
            assert row["outcome"] == (hand.outcomes[0] if hand.outcomes else "open")
        assert int(row["score"]) == own.score(seat)
        assert int(row["turns"]) == len(state.turns)
        assert int(row["actions"]) == len(hand.actions_of(seat))
        refused = [each for each in hand.rows if each["accepted"] == "0" and each["seat"] == seat]
        assert int(row["refused"]) == len(refused)
        by_itself = own_rotations(hand, seat)
        assert int(row["kept"]) == by_itself.count("keep")
        assert int(row["rotations"]) == len(by_itself) - by_itself.count("keep")
        assert int(row["played_by_server"]) == hand.notes("absent").count(seat)
        assert int(row["reconnects"]) == hand.notes("reconnect").count(seat)
        chosen = len([action for action in hand.actions_of(seat) if action.startswith("play ")])
        pending = bool(state.choice and state.choice.seat == seat)
        assert int(row["changes"]) == chosen - len(state.turns) - pending
        paid = row["outcome"] != "open"
        assert float(row["payoff"]) == (max(0, 20 + own.score(seat)) if paid else 0)
        on_the_table = [value(card, options) for cross in state.crosses for card in cross]
        if rules.is_over(state):
            assert sum(map(state.score, state.seats)) == -sum(on_the_table)


def test_exported_sessions_hold_every_case(hand_rows):
    """Otherwise the tests above might compare empty columns."""
    for name in ("changes", "refused", "rotations", "kept", "played_by_server", "reconnects"):
        assert any(int(row[name]) for row in hand_rows), name


def test_turns_are_those_of_the_replayed_games(server, played, games):
    rows = session_rows(server, played, "custom_export_turns")
    exported = [(row["hand_id"], int(row["turn"])) for row in rows]
    assert exported == [
        (hand_id, turn.number) for hand_id, hand in games.items() for turn in hand.final_state().turns
    ]
    for row in rows:
        hand = games[row["hand_id"]]
        state = hand.final_state()
        turn = state.turns[int(row["turn"]) - 1]
        assert (row["first_seat"], row["second_seat"]) == turn.pair
        assert (row["first_card"], row["second_card"]) == turn.cards
        assert (row["first_column"], row["second_column"]) == tuple(map(column, turn.cards))
        points = [value(card, state.options) for card in turn.collected]
        assert [int(row["first_collected"]), int(row["second_collected"])] == points
        sides = "".join(column(card)[0].upper() for card in turn.cards)
        assert [int(row[f"first_{sides}"]), int(row[f"second_{sides}"])] == points
        assert (row["cell"], row["rotator"] or None, row["rotation"] or None) == (
            turn.cell,
            turn.rotator,
            turn.rotation,
        )
        served = hand.notes("absent")
        assert {row["first_by"], row["second_by"]} <= ({"person", "absent"} if served else {"person"})
    assert {row["second_by"] for row in rows} == {"person", "absent"}


def test_rows_name_participants_by_seat(games, hand_rows, played):
    for hand_id, hand in games.items():
        seats = {row["seat"]: row["participant_code"] for row in hand_rows if row["hand_id"] == hand_id}
        assert set(seats.values()) <= set(played.participants)
        assert {(row["seat"], row["participant_code"]) for row in hand.rows if row["seat"]} == {
            *seats.items()
        }
        assert {row["participant_code"] for row in hand.rows if not row["seat"]} <= {""}


def test_export_has_the_best_earlier_score(hand_rows):
    by_code = {}
    for row in hand_rows:
        earlier = by_code.setdefault(row["participant_code"], [])
        assert row["best_earlier_score"] == (str(max(earlier)) if earlier else "")
        earlier.append(int(row["score"]))
    assert sorted(map(len, by_code.values())) == [1, 1, 2, 2]


def test_export_names_the_participants(server, played, hand_rows):
    rows = {
        row["participant_code"]: row for row in session_rows(server, played, "custom_export_participants")
    }
    assert [*rows] == played.participants
    for code, row in rows.items():
        own = [hand for hand in hand_rows if hand["participant_code"] == code and hand["outcome"] != "open"]
        assert int(row["hands_over"]) == len(own)
        assert int(row["hands_played_out"]) == sum(hand["outcome"] == "completed" for hand in own)
        assert int(row["score"]) == sum(int(hand["score"]) for hand in own)
        assert float(row["payoff"]) == sum(float(hand["payoff"]) for hand in own)
        assert (row["came_utc"] == "") == (code in played.participants[4:])
    first = rows[played.participants[0]]
    assert first["participant_label"] == "'=1+1"
    assert int(first["check_attempts"]) == 1
    assert first["came_utc"] < first["instructions_done_utc"] < first["check_done_utc"]
    assert first["check_done_utc"] < first["first_hand_shown_utc"] < first["last_hand_ended_utc"]


def test_times_increase(games):
    for hand in games.values():
        times = [hand.deal_row["server_time_utc"], *(row["server_time_utc"] for row in hand.rows)]
        assert times == sorted(times)
        assert {row["client_ms"] for row in hand.rows if row["accepted"] == ""} == {""}


def test_empty_export_has_only_its_heading(server):
    session = create_session(server, 2)
    for function in FUNCTIONS[:3]:
        assert server.export(session.code, MATRIX_APP, function).count("\n") == 1
