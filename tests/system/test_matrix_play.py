"""Tests the matrix card game on a running server: whole games, simultaneous and refused actions."""

import json

import pytest
from exported_hands import MATRIX_APP, unexpected_log_lines
from matrix_table import (
    TURNS,
    MatrixTable,
    arrive,
    assert_hidden,
    create_session,
    is_disclosed,
    legal_actions,
    stage,
    stages,
    together,
)
from tabs import Gone, Socket, Tab, Visitor, send_at_once

from cardlab.games.matrix import rules

TABLES = {
    "two": (2, {}),
    "two with the special pack": (2, {"pack": "special"}),
    "two with ladder courts who may change": (2, {"court": "ladder", "change_choice": True}),
    "four": (4, {"players": 4}),
    "four with the special pack who may change": (
        4,
        {"players": 4, "pack": "special", "change_choice": True},
    ),
    "three and a robot": (3, {"players": 4, "robot": "minimax"}),
    "one and a robot": (1, {"robot": "random"}),
    "one and three robots": (1, {"players": 4, "robot": "greedy"}),
}
STALE = "The board changed. This is the current position."


@pytest.fixture
def table(server):
    """Provides a table of two players who may not change their choices."""
    return together(server)


@pytest.mark.parametrize(("people", "fields"), TABLES.values(), ids=TABLES)
def test_whole_game_is_played(server, people, fields):
    """Tabs, export and rules agree, and no message names a hidden card."""
    table = together(server, people, **fields)
    table.play_to_the_end()
    game = table.game()
    state = game.final_state()
    assert rules.is_over(state)
    assert game.outcomes == ["completed"]
    assert len(state.turns) == TURNS[fields.get("pack", "standard")]
    robots = set(state.seats) - table.players.keys()
    assert game.settings["robots"] == dict.fromkeys(robots, fields.get("robot"))
    on_the_table = [rules.value(card, state.options) for cross in state.crosses for card in cross]
    assert sum(map(state.score, state.seats)) == -sum(on_the_table)
    moments = stages(game)
    for seat, (_visitor, tab) in table.players.items():
        assert tab.state["over"] == "completed"
        assert tab.state["view"] == rules.view(state, seat)
        assert tab.state["result"]["score"] == state.score(seat)
        for message in tab.received:
            assert_hidden(message, moments[stage(message)], seat)


def test_check_requires_right_answers(server):
    visitor = Visitor(server, create_session(server, 1, group_size=1, check=True).participants[0])
    visitor.walk_to("Check")
    wrong = {}
    for field in visitor.right_answers():
        visitor.send(**{**visitor.right_answers(wrong), field: "other"})
        wrong[field] = 1
        assert visitor.name == "Check"
        assert "Some answers are not right" in visitor.page.text
    visitor.send(**visitor.right_answers(wrong))
    assert visitor.name == "Hand"


def test_practice_game_is_private_and_restarts(server):
    session = create_session(server)
    one, two = (Visitor(server, code) for code in session.participants)
    with Tab(server, one.code, one.index) as tab, Tab(server, two.code, two.index) as other:
        tab.act(legal_actions(tab.state["view"])[0])
        assert tab.state["view"]["last"]["turn"] == 1  # the robot plays at once
        tab.send(json.dumps({"hand": 0, "again": True}))
        again = tab.receive()
        assert (again["view"], again["next"]) == (tab.first["view"], 1)
        message = other.send_action("no move")
        assert (message["view"], len(other.received)) == (other.first["view"], 2)
    assert server.export(session.code, MATRIX_APP).count("\n") == 1  # only the heading


# ---------------------------------------------------------------- simultaneous choices


def test_simultaneous_choices_count_in_every_turn(table):
    """Both send at once, alternately first and sometimes twice; only the repeated messages are refused."""
    doubles, sent, number = {"S": 0, "W": 0}, {"S": [], "W": []}, 0
    while table.tab("S").state["over"] is None:
        number += 1
        frames = []
        for seat in ("SW", "WS")[number % 2]:
            tab = table.tab(seat)
            tab.until(lambda message, seat=seat: seat in message["view"]["waiting_for"])
            sent[seat].append(legal_actions(tab.state["view"])[number % len(tab.state["view"]["hand"])])
            doubled = number % 3 == "SW".index(seat)
            doubles[seat] += doubled
            frames += [(tab, tab.message(sent[seat][-1]))] * (1 + doubled)
        send_at_once(frames)
        table.until(is_disclosed(number))
        for seat in "SW":
            while len(refusals(table.tab(seat))) < doubles[seat]:
                table.tab(seat).receive()
        if rotator := table.tab("S").state["view"]["rotator"]:
            table.act(rotator)
            table.until(lambda message: not message["view"]["rotator"])
    for seat in "SW":
        table.tab(seat).refused("no move")  # after this, all messages have arrived
        *refused, last = refusals(table.tab(seat))
        assert len(refused) == doubles[seat]
        assert set(refused) <= {STALE, last} == {STALE, "This hand is over."}
        numbers = [message["next"] for message in table.tab(seat).received]
        assert numbers == sorted(numbers)  # no older message follows a newer one
    game = table.game()
    assert number == 22
    for seat in "SW":
        assert [action for action in game.actions_of(seat) if action.startswith("play ")] == sent[seat]
    cards = [tuple(f"play {card}" for card in turn.cards) for turn in game.final_state().turns]
    assert cards == list(zip(sent["S"], sent["W"], strict=True))


def refusals(tab):
    """Returns the reasons for all of a tab's refusals."""
    return [message["refused"] for message in tab.received if "refused" in message]


def test_simultaneous_choices_of_two_tabs_count_once(table):
    visitor, tab = table.players["S"]
    with Tab(table.server, visitor.code, visitor.index) as second:
        cards = tab.state["view"]["hand"][:2]
        send_at_once([(each, each.message(f"play {card}")) for each, card in zip((tab, second), cards)])
        for each in (tab, second):
            each.until(lambda message: message["view"]["chosen"])
        assert tab.state["view"] == second.state["view"]
        chosen = tab.state["view"]["chosen"]
        assert chosen in cards
        while not refusals(tab) + refusals(second):
            (second if chosen == cards[0] else tab).receive()
    assert table.game().actions_of("S") == [f"play {chosen}"]
    assert table.game().refused == [f"play {card}" for card in cards if card != chosen]


# ---------------------------------------------------------------- messages


def test_choice_is_announced_without_its_card(table):
    visitor, tab = table.players["S"]
    other = table.tab("W")
    table.act("S", "play " + (card := tab.state["view"]["hand"][0]))
    message = other.until(lambda message: message["view"]["other_chosen"])
    assert message["view"] == {**message["view"], "waiting_for": ["W"], "chosen": None, "last": None}
    assert message["next"] == 1
    assert card not in json.dumps(message)
    assert_hidden(message, table.game().final_state(), "W")
    assert tab.state["view"]["chosen"] == card
    with Tab(table.server, visitor.code, visitor.index) as second:
        assert second.first["view"]["chosen"] == card


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("pipelined", [False, True], ids=["one by one", "without waiting"])
def test_changed_choices_are_not_announced(server, players, pipelined):
    table = together(server, players, players=players, change_choice=True)
    table.until(lambda message: message["wait"]["away"] == [])
    tab = table.tab("S")
    heard = {seat: len(table.tab(seat).received) for seat in table.players}
    cards = [*tab.state["view"]["hand"], *tab.state["view"]["hand"][:3]]
    if pipelined:
        send_at_once([(tab, tab.message(f"play {card}", number=1 + i)) for i, card in enumerate(cards)])
        tab.until(lambda message: message["next"] == 1 + len(cards))
    else:
        for card in cards:
            tab.act(f"play {card}")
    for seat in table.players.keys() - {"S"}:
        other = table.tab(seat)
        other.refused("no move")
        news = other.received[heard[seat] :]
        assert [message["view"]["other_chosen"] for message in news] == [True, True]
        assert ["refused" in message for message in news] == [False, True]
    table.act("W")
    assert table.game().final_state().turns[0].cards[0] == cards[-1]
    assert table.game().actions_of("S") == [f"play {card}" for card in cards]


def test_changed_choice_leaves_other_sequence_numbers(server):
    """If choices may change, each seat numbers its own actions; both are accepted in any order."""
    table = together(server, change_choice=True)
    for number in range(1, 23):
        for seat in "SW":
            table.tab(seat).until(lambda message, seat=seat: seat in message["view"]["waiting_for"])
        tab, other = table.tab("S"), table.tab("W")
        if len(tab.state["view"]["hand"]) > 1:
            tab.act(legal_actions(tab.state["view"])[-1])
        first, second = (
            legal_actions({**tab.state["view"], "waiting_for": ["S"]})[0],
            legal_actions(other.state["view"])[0],
        )
        send_at_once([(tab, tab.message(first)), (other, other.message(second))])
        table.until(is_disclosed(number))
        if rotator := tab.state["view"]["rotator"]:
            table.act(rotator, "keep")
            table.until(lambda message: not message["view"]["rotator"])
    assert table.game().outcomes == ["completed"]
    assert table.game().settings["change_choice"] is True


# ---------------------------------------------------------------- reconnecting


def test_reload_shows_the_same_board(table):
    table.play(3)
    table.act(waiting := table.tab("S").state["view"]["waiting_for"][0])
    visitor, tab = table.players[waiting]
    tab.close()
    visitor.open_start_link()
    assert visitor.name == "Hand"
    with Tab(table.server, visitor.code, visitor.index) as again:
        assert again.first["view"] == tab.state["view"]
        assert again.first["next"] == tab.state["next"]
        assert again.first["clock"] >= tab.state["clock"]
    game = table.game()
    assert sorted(game.notes("arrive")) == ["S", "W"]
    assert game.notes("reconnect") == [waiting]


def test_card_in_flight_is_played_once(table):
    for number in range(1, 6):
        table.until(lambda message: not message["view"]["rotator"])
        visitor, tab = table.players["S"]
        tab.until(lambda message: "S" in message["view"]["waiting_for"])
        text = tab.message(legal_actions(tab.state["view"])[0])
        tab.send(text)
        tab.drop_connection()
        tab = Tab(table.server, visitor.code, visitor.index)
        tab.send(text)  # as a page does without a response; the number tells whether it was accepted
        tab.until(lambda message: message["view"]["chosen"])
        table.players["S"] = table.players["S"]._replace(tab=tab)
        table.act("W")
        table.until(is_disclosed(number))
        if rotator := tab.state["view"]["rotator"]:
            table.act(rotator)
    game = table.game()
    assert len(game.final_state().turns) == 5
    assert len([action for action in game.actions_of("S") if action.startswith("play ")]) == 5


def test_every_tab_sees_every_action(table):
    seats = {seat: (visitor, tab) for seat, (visitor, tab) in table.players.items()}
    second = {seat: Tab(table.server, visitor.code, visitor.index) for seat, (visitor, _tab) in seats.items()}
    for number in range(1, 4):
        for seat in "SW":
            tab = second[seat] if number % 2 else table.tab(seat)
            tab.until(lambda message, seat=seat: seat in message["view"]["waiting_for"])
            tab.act(legal_actions(tab.state["view"])[0])
        for tab in (*table.tabs, *second.values()):
            tab.until(is_disclosed(number))
        if rotator := table.tab("S").state["view"]["rotator"]:
            second[rotator].act("rotate NE")
            for tab in (*table.tabs, *second.values()):
                tab.until(lambda message: not message["view"]["rotator"])
        for seat in "SW":
            assert second[seat].state["view"] == table.tab(seat).state["view"]
    for tab in second.values():
        tab.close()
    table.play_to_the_end()


def test_absence_and_arrival_are_announced(server):
    session = create_session(server)
    one, two = arrive(server, session.participants)
    tab = one.sit_down()
    mine = tab.first["view"]["seat"]
    (other,) = {"S", "W"} - {mine}
    assert tab.first["wait"] == {"ms": None, "away": [other]}
    tab.act(legal_actions(tab.state["view"])[0])
    table = MatrixTable(server, session, [two])
    assert table.tab(other).first["view"]["other_chosen"]
    tab.until(lambda message: message["wait"]["away"] == [])


# ---------------------------------------------------------------- refusals


def test_bad_input_is_refused_and_changes_nothing(table):
    tab, other = table.tab("S"), table.tab("W")
    foreign = other.state["view"]["hand"][0]
    on_the_table = tab.state["view"]["crosses"][0]["own"]
    before = tab.state["view"]
    sentences = {
        f"play {foreign}": "You do not have this card.",
        f"play {on_the_table}": "You do not have this card.",
        "play 1X": "You do not have this card.",
        "play": "Unknown move. Play a card, turn a cross or keep all.",
        "rotate NW": "No cross can be turned now.",
        "keep": "No cross can be turned now.",
        "rotate XX": "Unknown move. Play a card, turn a cross or keep all.",
        "end completed": "Unknown move. Play a card, turn a cross or keep all.",
        "absent": "Unknown move. Play a card, turn a cross or keep all.",
    }
    for action, sentence in sentences.items():
        message = tab.send_action(action, traces=[[action, 1], [f"play {before['hand'][0]}", 2]])
        assert message["refused"] == sentence
        assert (message["view"], message["next"]) == (before, 1)
    table.act("S")
    message = tab.send_action(f"play {tab.state['view']['hand'][1]}")
    assert message["refused"] == "You have already chosen. You cannot change your choice."
    assert message["view"]["chosen"]
    game = table.game()
    assert game.refused == [*sentences, game.refused[-1]]
    assert len(game.accepted_rows) == 1
    other.refused("no move")  # W was notified of the choice only
    assert [message["view"]["other_chosen"] for message in other.received[1:]] == [True, True]


def test_only_the_rotator_acts_before_the_next_turn(table):
    table.play()  # to the end, so that each seat has been rotator
    game = table.game()
    assert {"S", "W"} == {turn.rotator for turn in game.final_state().turns} - {None}
    table = together(table.server)
    while not (rotator := table.tab("S").state["view"]["rotator"]):
        for seat in table.tab("S").state["view"]["waiting_for"]:
            table.act(seat)
        table.until(is_disclosed(table.tab("S").state["view"]["turn"]))
    (other,) = {"S", "W"} - {rotator}
    table.until(lambda message: message["view"]["rotator"])
    message = table.tab(other).send_action("keep")
    assert message["refused"] == "Only the player who collected the lower card may turn a cross."
    message = table.tab(other).send_action(f"play {message['view']['hand'][0]}")
    assert message["refused"] == "The other player may turn a cross first. Please wait."
    message = table.tab(rotator).send_action(f"play {table.tab(rotator).state['view']['hand'][0]}")
    assert message["refused"] == "First turn one cross, or keep all."
    table.act(rotator, "rotate SE")
    assert table.game().final_state().turns[-1].rotation == "rotate SE"


def test_other_pair_waits_for_its_turn(server):
    table = together(server, 4, players=4)
    sentence = "The two other players play this turn."
    for seat in "NE":
        message = table.tab(seat).refused(f"play {table.tab(seat).state['view']['hand'][0]}")
        assert message["refused"] == sentence
    table.play(1)
    for seat in "NE":
        table.act(seat)
    assert len(table.game().final_state().turns) == 2


def test_tab_cannot_play_another_seat(table):
    tab, other = table.tab("S"), table.tab("W")
    card = other.state["view"]["hand"][0]
    for extra in ({"seat": "W"}, {"participant": table.players["W"].visitor.code}, {"table": "group"}):
        assert tab.send_action(f"play {card}", **extra)["refused"] == "You do not have this card."
    assert table.game().accepted_rows == []


def test_invalid_frames_are_refused(table):
    tab, other = table.tab("S"), table.tab("W")
    before = tab.state["view"]
    for frame in ("", "null", "[]", "{", '{"hand": 1}', b"\x00\xff", "x" * 20_000):
        tab.send(frame)
        message = tab.receive()
        assert message["refused"].endswith(".")
        assert message["view"] == before
    again = tab.send_action("play", again=True)
    assert again["refused"] == "You cannot start over here."
    assert tab.send_action("keep", hand=2)["refused"] == "This page is out of date. Please reload it."
    assert other.send_action("no move")["view"]["other_chosen"] is False
    assert [row for row in table.game().rows if row["seat"] == "S" and row["accepted"]] == []


def test_board_is_shown_only_to_its_participants(server, table):
    stranger = Visitor(server, create_session(server).participants[0])
    for code, index in (
        (stranger.code, table.visitor("S").index),
        (table.visitor("S").code, table.visitor("S").index + 1),
        (table.visitor("S").code, 4),  # the wait page
    ):
        with Socket(server, f"/hand/{code}/{index}") as socket:
            assert socket.receive() == {"reload": True}
            with pytest.raises(Gone):
                socket.receive()


def test_no_unexpected_errors_were_logged(server):
    """This test must be last, because it checks what the tests above have logged."""
    assert unexpected_log_lines(server) == []
