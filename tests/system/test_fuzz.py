"""Tests that the hand socket answers any input without changes and without log entries."""

import json
from urllib.parse import quote

import pytest
from exported_hands import hands_by_id, unexpected_log_lines
from game_table import gather_table
from harnesses import GAMES
from hypothesis import example, given
from hypothesis import strategies as st
from tabs import Gone, Socket, Tab

from cardlab.core.protocol import MAX_MESSAGE_LENGTH

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
FIELDS = ("hand", "number", "action", "ms", "traces", "again", "seat", "view")
# None of these messages can be a move: each has one wrong field, or an action that is not a move.
ACTIONS = [action for game in GAMES.values() for action in game.rules.EXAMPLES]
wrong_fields = st.builds(lambda field, value: {field: value}, st.sampled_from(FIELDS), anything)
wrong_numbers = st.tuples(
    st.sampled_from([*ACTIONS, "end solved", "reconnect", "absent"]),
    st.integers().filter(lambda off: off != 0),
)


def assert_can_be_shown(message):
    """Checks that the page can handle the message: it has a view or at least a sentence."""
    assert isinstance(message, dict)
    assert "refused" in message or "view" in message
    if "refused" in message:
        assert isinstance(message["refused"], str)
        assert message["refused"].endswith(".")


class Hand:
    """A hand with one accepted action; the fuzzed messages must not change it."""

    def __init__(self, server, game):
        self.server, self.game = server, game
        self.session = server.create_session(game.harness.CONFIG, game.harness.PEOPLE, **game.harness.FIELDS)
        self.table = gather_table(game, server, self.session)
        self.others = {seat: len(self.table.tab(seat).received) for seat in self.table.players}
        self.seat = self.table.act_as_anyone()
        self.tab, self.visitor = self.table.tab(self.seat), self.table.visitor(self.seat)
        del self.others[self.seat]
        self.view, self.number = self.tab.state["view"], self.tab.state["next"]
        self.done = self.played().numbered_actions
        assert self.done

    def played(self):
        (played,) = hands_by_id(self.server, self.session.code, self.game.app).values()
        return played

    def proper(self, **changes):
        """Returns a message that is correct except for its action and ``changes``."""
        message = {"hand": 1, "number": self.number, "action": "no such move", "ms": 0, "traces": []}
        return json.dumps({**message, **changes})

    def send(self, frame):
        """Sends any frame; checks that the response shows an unchanged board."""
        self.tab.send(frame)
        message = self.tab.receive()
        assert_can_be_shown(message)
        assert message["refused"]
        assert (message["view"], message["next"], message["over"]) == (self.view, self.number, None)

    def assert_untouched(self):
        played = self.played()
        assert played.numbered_actions == self.done
        assert played.outcomes == []
        assert played.rules.view(played.final_state(), self.seat) == self.view
        with Tab(self.server, self.visitor.code, self.visitor.index) as fresh:
            assert fresh.first["view"] == self.view
        self.go_on()
        assert unexpected_log_lines(self.server) == []

    def go_on(self):
        """Checks that the hand continues and that the other seats received nothing meanwhile."""
        acted = self.table.act_as_anyone()
        played = self.played()
        assert len(played.numbered_actions) > len(self.done)
        moments = [state for state, _done in played.replay_steps()]
        for seat, heard in self.others.items():
            tab = self.table.tab(seat)
            last = self.game.rules.view(moments[-1], seat)
            tab.until(lambda message, last=last: message["view"] == last)
            news = [message["view"] for message in tab.received[heard:]]
            views = [self.game.rules.view(state, seat) for state in moments[len(self.done) :]]
            assert all(view in views for view in news)
            assert len(news) <= len(views), (acted, news)


@pytest.fixture(scope="module", params=GAMES.values(), ids=GAMES)
def hand(server, request):
    hand = Hand(server, request.param)
    yield hand
    hand.assert_untouched()


@given(anything)
def test_json_of_every_shape_is_handled(hand, value):
    hand.send(json.dumps(value))


@given(wrong_fields)
@example({"action": "\ud800"})
@example({"action": "\u0000"})
@example({"action": "=HYPERLINK('x')"})
@example({"action": '"];DROP TABLE otree_participant;--'})
@example({"traces": [[action, 1] for action in ("U", "end solved", "look ck", "place 1", "play AS")]})
@example({"number": 10**400})
@example({"ms": float("nan")})
def test_malformed_messages_are_refused(hand, changes):
    hand.send(hand.proper(**changes))


@given(wrong_numbers)
def test_actions_with_wrong_numbers_are_refused(hand, asked):
    action, off = asked
    hand.send(hand.proper(action=action, number=hand.number + off))


@given(st.text(st.characters(exclude_categories=["Cs"])))
@example("")
@example("[" * MAX_MESSAGE_LENGTH)
@example('{"hand":' * 1_000)
@example('{"hand": ' + "9" * 9_000 + "}")
def test_text_that_is_not_json_is_refused(hand, text):
    hand.send(text)


@given(st.binary())
@example(json.dumps({"hand": 1, "number": 2, "action": "U", "ms": 0, "traces": []}).encode())
def test_binary_frames_are_handled(hand, content):
    hand.send(content)


def test_move_in_a_binary_frame_is_handled(hand):
    for action in hand.game.rules.EXAMPLES:
        hand.send(hand.proper(action=action).encode())


@pytest.mark.parametrize("size", [MAX_MESSAGE_LENGTH + 1, 100_000, 1_000_000])
def test_huge_messages_are_handled(hand, size):
    hand.send(hand.proper(action=hand.game.rules.EXAMPLES[0], padding="x" * size))
    hand.send(hand.proper(action="U" * size))


def test_oversized_frame_closes_only_its_connection(server, hand):
    mad = Tab(server, hand.visitor.code, hand.visitor.index)
    mad.send("x" * 3_000_000)  # the limit is one megabyte
    with pytest.raises(Gone):
        mad.receive()
    hand.send("null")


def test_invalid_utf8_frame_closes_only_its_connection(server, hand):
    mad = Tab(server, hand.visitor.code, hand.visitor.index)
    mad.send_broken_text(b"\xff\xfe\xed\xa0\x80")
    with pytest.raises(Gone):
        mad.receive()
    hand.send("null")


@given(
    st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), max_size=12),
    st.integers(0, 10**30),
)
def test_unknown_codes_and_pages_must_reload(server, hand, code, page_index):
    with Socket(server, f"/hand/{quote(code or '-', safe='')}/{page_index}") as stranger:
        assert stranger.receive() == {"reload": True}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_messages_cannot_play_anothers_hand(server, game):
    """Whatever its messages say, a tab plays only its own hand and seat."""
    harness = game.harness
    tables = 2 if harness.PEOPLE == 1 else 1
    sessions = [
        server.create_session(harness.CONFIG, harness.PEOPLE, **harness.FIELDS) for _table in range(tables)
    ]
    seated = [each for s in sessions for each in gather_table(game, server, s).players.items()]
    (mine, (victim, board)), *_, (_seat, (_visitor, other)) = seated
    before = board.state["view"]
    for extra in (
        {"participant": victim.code},
        {"code": victim.code},
        {"seat": mine},
        {"table": "otree_participant"},
    ):
        if moves := harness.moves(other.state["view"]):
            assert "refused" not in other.ask(moves[0], **extra)
        elif tables == 1:
            assert "refused" in other.refused("no such move", **extra)
    assert board.refused("no such move")["next"] in (1, 1 + (tables == 1))
    played = [hand for s in sessions for hand in hands_by_id(server, s.code, game.app).values()]
    for hand in played:
        assert {row["participant_code"] for row in hand.accepted_rows} <= {
            visitor.code for _seat, (visitor, _tab) in seated
        } - {victim.code}
    if tables == 2:
        assert board.state["view"] == before


def test_flooded_messages_are_answered_in_order(hand):
    flood = 300
    for _ in range(flood):
        hand.tab.send(hand.proper(number=1))
    for _ in range(flood):
        message = hand.tab.receive()
        assert (message["view"], message["next"]) == (hand.view, hand.number)
