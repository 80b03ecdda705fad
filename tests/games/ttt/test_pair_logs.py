"""Tests the ck and nk logs of two players: the contents of each file and how they are read."""

import random

from hypothesis import given
from hypothesis import strategies as st
from keeper_lines import hand_lines
from random_play import CREATED_MS, Table

from cardlab.games.cards import TTT_PACK
from cardlab.games.events import ABSENT, ARRIVE, PAUSE, RESUME, Event, server_note
from cardlab.games.record import Opening, read_record
from cardlab.games.ttt import board, keeper_log, rules
from cardlab.games.ttt.board import KEEPERS

DEAL = "3H 2C 2H 4C 4H 3C | 2H | ck"
OPTIONS = {**rules.DEFAULT_OPTIONS, "players": 2, "seed": "7"}
CODES = {"ck": "abcd1234", "nk": "efgh5678"}


def event(seat, action, client_ms, server_ms, reason=None):
    return Event(1, seat, action, client_ms, server_ms, reason is None, reason or "")


# The source's first dynamic hand, played by two: their clocks differ, and Nk comes 2 seconds later.
PLAYED = [
    server_note("ck", ARRIVE, 1000),
    event("ck", "look ck", 500, 1520),
    server_note("nk", ARRIVE, 3000),
    event("nk", "U", 2100, 3110, "It is your partner’s turn. Please wait."),
    event("ck", "pick t", 2900, 4030),
    event("ck", "T", 3000, 4040),
    event("nk", "look nk", 3900, 5000),
    event("nk", "U", 4000, 5100),
    server_note("ck", ABSENT, 35_000),
    event("ck", "P", None, 35_000),
    event("nk", "T", 35_000, 36_200),
    Event(5, "", "end solved", 35_000, 36_200),
]


def lines_of(keeper, events=PLAYED, options=OPTIONS, deal=DEAL):
    return hand_lines(keeper, 1, deal, options, 1000, events, created_ms=0)


def after_the_deal(lines):
    return [line.partition(":")[2] for line in lines[7:]]


def test_each_file_has_its_players_events():
    assert after_the_deal(lines_of("ck")) == [
        "1.500:VC:2C;colorCardView:ColorKeeperViewed card",
        "3.900:pR:4C:targetCardView:ColorKeeperRemoved card",
        "4.000:PM:4C;targetCardView;2C;colorCardView:Color Keeper moved card",
        "5.100:RM:2H;upCardView;3C;numberCardView:Remote move card",
        "35.000:PP::Pass sent by the server;;;",
        "36.200:RM:2C;targetCardView;2H;numberCardView:Remote move card",
        "36.200:GE:2;800:Hand Ended",
        ":Hand Ended",
    ]
    assert after_the_deal(lines_of("nk")) == [
        "3.100:ER:U;It is your partner’s turn. Please wait.:Number Keeper refused",
        "4.040:RM:4C;targetCardView;2C;colorCardView:Remote move card",
        "4.900:VC:3C;numberCardView:NumberKeeperViewed card",
        "5.000:PM:2H;upCardView;3C;numberCardView:Number Keeper moved card",
        "35.000:RP::Remote pass by the server received;;;",
        "36.000:PM:2C;targetCardView;2H;numberCardView:Number Keeper moved card",
        "36.000:GE:2;800:Hand Ended",
        ":Hand Ended",
    ]


def test_first_line_names_the_seat_of_two_players():
    for keeper in KEEPERS:
        first = lines_of(keeper)[0]
        assert first.endswith(f" pay_by=moves time_scale_seconds=60 players=2 seat={keeper}:Hand started")


def test_robot_pass_is_not_a_server_pass():
    lines = lines_of("nk", [event("ck", "P", None, 2000)], {**OPTIONS, "robots": {"ck": "informed"}})
    assert after_the_deal(lines) == ["2.000:RP::Remote pass received;;;"]


def test_log_ends_when_the_player_leaves_the_page():
    events = [
        *PLAYED[:6],
        server_note("ck", PAUSE, 6000),
        server_note("ck", RESUME, 8000),
        server_note("ck", "leave advanced", 9000),
        event("nk", "U", 9000, 10_000),
        Event(3, "", "end advanced", None, 11_000),
    ]
    assert after_the_deal(lines_of("ck", events))[2:] == [
        "4.000:PM:4C;targetCardView;2C;colorCardView:Color Keeper moved card",
        "9.000:GE:1;0:Hand Ended",
        ":Hand Ended",
    ]
    assert after_the_deal(lines_of("nk", events))[-2:] == ["11.000:GE:1;0:Hand Ended", ":Hand Ended"]


def log(keeper, *partners, number=1):
    """Returns the log of a participant who plays a hand with each of these partners."""
    log = keeper_log.ParticipantLog(keeper, CODES[keeper], 1, 9, 0)
    return [
        line
        for hand, partner in enumerate(partners, number)
        for line in log.begin_hand(hand, DEAL, OPTIONS, 1000, PLAYED, partner)
    ]


def test_head_names_each_new_partner():
    lines = log("ck", "efgh5678", "efgh5678", "ijkl9012", keeper_log.ROBOT)
    assert [line for line in lines if "userName" in line] == [
        f"0.000:userID:userName abcd1234 abcd1234 :gameNum 9:partner {partner}"
        for partner in ("efgh5678", "ijkl9012", "robot")
    ]
    read_back = keeper_log.read(lines, "x")
    assert read_back.warnings == []
    assert [(hand.participant, hand.partner, hand.number) for hand in read_back.hands] == [
        ("abcd1234", "efgh5678", 1),
        ("abcd1234", "efgh5678", 2),
        ("abcd1234", "ijkl9012", 3),
        ("abcd1234", "robot", 4),
    ]


def test_written_log_is_read_back():
    (hand,) = keeper_log.read(log("nk", "abcd1234"), "x").hands
    assert (hand.seat, hand.keeper, hand.partner) == ("nk", "nk", "abcd1234")
    assert hand.options == {**rules.DEFAULT_OPTIONS, "players": 2}
    assert (hand.sequence, hand.own_moves, hand.score) == ("TUPT", 2, 800)
    assert [event.action for event in hand.events] == ["U", "T", "look nk", "U", "P", "T"]
    assert [event.by_server for event in hand.events] == [False, False, False, False, True, False]


def test_pair_log_without_seat_is_read_as_solo():
    lines = [line.replace(" seat=ck", "") for line in log("ck", "efgh5678")]
    (hand,) = keeper_log.read(lines, "x").hands
    assert (hand.seat, hand.keeper, hand.partner) == ("ck", "ck", "efgh5678")  # its lines say so
    untouched = keeper_log.read(lines[:11], "x")
    assert (untouched.hands[0].seat, untouched.hands[0].options.get("players")) == ("solo", None)
    sentence = (
        "The log does not say whose log of a two-player hand it is, so it is read as that of one person."
    )
    assert f"x, line 5: {sentence}" in untouched.warnings


def test_seat_determines_log_files_and_partner():
    assert [keeper_log.file_keepers(seat) for seat in ("solo", "ck", "nk")] == [KEEPERS, ("ck",), ("nk",)]
    assert [keeper_log.partner_code(seat, CODES) for seat in ("solo", "ck", "nk")] == [
        "",
        "efgh5678",
        "abcd1234",
    ]
    assert keeper_log.partner_code("nk", {"nk": "efgh5678"}) == keeper_log.ROBOT


# ---------------------------------------------------------------- properties over random play

_steps = st.lists(
    st.tuples(
        st.sampled_from([*KEEPERS, *KEEPERS, "wait", "leave ck", "leave nk", PAUSE, RESUME]),
        st.sampled_from([*board.MOVES, *board.MOVES, *rules.PICKS, "look ck", "look nk", "x:y;"]),
    ),
    max_size=30,
)


@st.composite
def played(draw):
    """Draws deal, options and record of a hand of two, as the server records it; it may be unfinished."""
    layout = draw(st.permutations(TTT_PACK).map(tuple))
    goal = draw(st.sampled_from([card for card in TTT_PACK if card != layout[board.TARGET]]))
    deal = board.format_deal(layout, goal, draw(st.sampled_from(KEEPERS)))
    robots = draw(st.sampled_from([{}, {}, {"nk": "informed"}, {"ck": "always_422"}]))
    options = {
        **OPTIONS,
        "ViewCard": draw(st.sampled_from(["all", "mix", "none"])),
        "MaxRounds": draw(st.integers(1, 12)),
        "robots": robots,
        "turn_limit_seconds": 5,
        "absent_after": 2,
        "gather_seconds": 10,
    }
    table = Table(rules, Opening(deal, options), CREATED_MS + 1000, random.Random(draw(st.integers(0, 99))))
    for seat in KEEPERS:
        if seat not in robots:
            table.note(seat, ARRIVE)
    for who, action in draw(_steps):
        table.now += draw(st.integers(1, 900))
        if table.hand.is_over or who in robots:
            continue
        if who == "wait":
            table.wait(6)
        elif who in (PAUSE, RESUME):
            table.note(next(iter(table.hand.human_seats)), who)
        elif who.startswith("leave "):
            if who[6:] in table.hand.human_seats:
                table.leave(who[6:])
        elif not table.hand.seats[who].left:
            table.send_action(who, action)
    return deal, options, *read_record(table.record)[1:], table.hand


@given(played())
def test_both_files_reproduce_the_record(hand):
    deal, options, events, at_the_end = hand
    for keeper in KEEPERS:
        lines = lines_of_record(keeper, deal, options, events)
        assert [*map(clock, lines)] == sorted(map(clock, lines))
        (logged,) = keeper_log.read(lines, "x").hands
        left = at_the_end.seats[keeper].left
        expected = left.state.sequence if left else at_the_end.state.sequence
        assert (logged.sequence, logged.seat, logged.first) == (expected, keeper, deal[-2:])
        assert logged.ended == at_the_end.is_over_for(keeper)
        if logged.ended:
            assert logged.score == at_the_end.result(keeper).score
        own = [event for event in events if event.seat == keeper and event.action not in board.MOVES]
        kept = [(one.accepted, one.action) for one in logged.events if one.action not in board.MOVES]
        assert kept == [
            (one.accepted, one.action.replace("x:y;", "x y")) for one in own if one.accepted is not None
        ]


def lines_of_record(keeper, deal, options, events):
    shown = CREATED_MS + 1000
    return hand_lines(keeper, 1, deal, options, shown, events, created_ms=CREATED_MS)


def clock(line):
    return float(line.partition(":")[0])
