"""Whatever is sent to the hand socket: an answer the page can show, no change, nothing in the log."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matrix_tables import disclosed, together
from played import APP, MATRIX, complaints, hands_by_id
from tabs import Gone, Socket, Tab, Visitor, seated

from experiment.message import LONGEST_TEXT

unhurried = settings(deadline=None, max_examples=200)

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
FIELDS = ("hand", "number", "action", "ms", "traces", "again", "seat", "view")
PROPER = {"hand": 1, "number": 2, "action": "no such move", "ms": 0, "traces": []}
# No single message of these can be a move: each has one wrong field, or asks for no action of the game.
near_misses = st.builds(
    lambda field, value: {**PROPER, field: value}, st.sampled_from(FIELDS), anything
) | st.builds(
    lambda action, number: {**PROPER, "action": action, "number": number},
    st.sampled_from([*"UCNTP", "look ck", "pick c", "end solved", "reconnect", "play AS", "keep", "absent"]),
    st.integers().filter(lambda number: number != 2),
)


def assert_can_be_shown(said):
    """What the page understands: a view, or at least a sentence."""
    assert isinstance(said, dict)
    assert "refused" in said or "view" in said
    if "refused" in said:
        assert isinstance(said["refused"], str)
        assert said["refused"].endswith(".")


class Hand:
    """A hand of Target the Two at which one action was taken; nothing that follows may change it."""

    app = APP

    def __init__(self, server):
        self.server = server
        self.session, self.visitor = self.sit_down()
        self.tab = self.visitor.sit_down()
        self.action = self.first_action()
        self.tab.act(self.action)
        self.view = self.tab.state["view"]

    def sit_down(self):
        session = self.server.create_session("ttt_demo", MaxRounds="1000")
        return session, Visitor(self.server, session.participants[0])

    def first_action(self):
        return "U"

    def send(self, frame):
        """Send anything; the answer shows the board as it was."""
        self.tab.send(frame)
        said = self.tab.hear()
        assert_can_be_shown(said)
        assert said["refused"]
        assert (said["view"], said["next"], said["over"]) == (self.view, 2, None)

    def assert_untouched(self):
        (played,) = hands_by_id(self.server, self.session.code, self.app).values()
        assert played.accepted == [(1, self.action)]
        assert played.ends == []
        state, seat = played.replayed(), played.acts[0]["seat"]
        assert played.rules.view(state, seat) == self.view
        with Tab(self.server, self.visitor.code, self.visitor.index) as fresh:
            assert fresh.first["view"] == self.view
            self.go_on(fresh)
        assert complaints(self.server) == []

    def go_on(self, tab):
        """The hand goes on as if nothing had been."""
        assert tab.play("P")["view"]["moves"] == 2


class MatrixHand(Hand):
    """A game of the matrix card game in which one of two has chosen."""

    app = MATRIX

    def sit_down(self):
        self.table = together(self.server)
        return self.table.session, self.table.visitor("S")

    def first_action(self):
        return f"play {self.tab.state['view']['hand'][0]}"

    def go_on(self, tab):
        other = self.table.tab("W")
        assert [said["view"]["other_chosen"] for said in other.heard] == [False] * len(other.heard)
        self.table.act("W")
        assert [said["view"]["other_chosen"] for said in other.heard[-2:]] == [True, False]
        tab.until(disclosed(1))


@pytest.fixture(scope="module", params=[Hand, MatrixHand], ids=["target", "matrix"])
def hand(server, request):
    hand = request.param(server)
    yield hand
    hand.assert_untouched()


@unhurried
@given(anything)
def test_json_of_every_shape(hand, value):
    hand.send(json.dumps(value))


@unhurried
@given(near_misses)
@example({**PROPER, "action": "\ud800"})
@example({**PROPER, "action": "\u0000"})
@example({**PROPER, "action": "=HYPERLINK('x')"})
@example({**PROPER, "action": '"];DROP TABLE otree_participant;--'})
@example({**PROPER, "traces": [["U", 1], ["end solved", 1], ["look ck", 1]]})
@example({**PROPER, "number": 10**400})
@example({**PROPER, "ms": float("nan")})
def test_messages_with_something_wrong(hand, value):
    hand.send(json.dumps(value))


@unhurried
@given(st.text(st.characters(exclude_categories=["Cs"])))
@example("")
@example("[" * LONGEST_TEXT)
@example('{"hand":' * 1_000)
@example('{"hand": ' + "9" * 9_000 + "}")
def test_text_that_is_no_json(hand, text):
    hand.send(text)


@unhurried
@given(st.binary())
@example(json.dumps({**PROPER, "action": "U"}).encode())
def test_binary_frames(hand, content):
    hand.send(content)


@pytest.mark.parametrize("size", [LONGEST_TEXT + 1, 100_000, 1_000_000])
def test_huge_messages(hand, size):
    hand.send(json.dumps({**PROPER, "action": "U", "padding": "x" * size}))
    hand.send(json.dumps({**PROPER, "action": "U" * size}))


def test_a_frame_beyond_the_limit_costs_only_its_own_connection(server, hand):
    mad = Tab(server, hand.visitor.code, hand.visitor.index)
    mad.send("x" * 3_000_000)  # the limit is a megabyte
    with pytest.raises(Gone):
        mad.hear()
    hand.send("null")


def test_bytes_that_are_no_text_in_a_text_frame(server, hand):
    mad = Tab(server, hand.visitor.code, hand.visitor.index)
    mad.send_broken_text(b"\xff\xfe\xed\xa0\x80")
    with pytest.raises(Gone):
        mad.hear()
    hand.send("null")


@unhurried
@given(
    st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), max_size=12),
    st.integers(0, 10**30),
)
def test_codes_and_pages_that_nobody_is_on(server, hand, code, page_index):
    with Socket(server, f"/hand/{quote(code or '-', safe='')}/{page_index}") as stranger:
        assert stranger.hear() == {"reload": True}


def test_messages_for_another_participants_hand(server):
    """A tab plays the hand its address names, whatever its messages say."""
    session = server.create_session("ttt_demo", participants=2)
    one, other = (seated(server, code) for code in session.participants)
    mine = session.participants[0]
    for extra in ({"participant": mine}, {"code": mine}, {"seat": "solo"}, {"table": "otree_participant"}):
        assert "refused" not in other.say("P", **extra)
    assert other.state["view"]["moves"] == 4
    assert one.say("no move")["view"]["moves"] == 0


def test_a_flood_of_messages_is_answered_one_by_one(hand):
    flood = 300
    for _ in range(flood):
        hand.tab.send(json.dumps({**PROPER, "number": 1}))
    for _ in range(flood):
        said = hand.tab.hear()
        assert (said["view"], said["next"]) == (hand.view, 2)
