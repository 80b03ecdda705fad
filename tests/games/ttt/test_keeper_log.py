"""Tests the ck and nk logs: the source's own, written ones, and damaged ones (rulings 6-8)."""

import csv
import datetime
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from keeper_lines import hand_lines

from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile, IllegalAction
from cardlab.games.events import Event
from cardlab.games.ttt import board, keeper_log, rules, transform
from cardlab.games.ttt.keeper_log.names import VIEWS
from cardlab.games.ttt.keeper_log.writing import HandWriter, head_lines

DATA = Path(__file__).parents[2] / "data" / "ttt"
SOURCE_LOG = (DATA / "seed_log_nk.txt").read_text().splitlines()
DEAL = "3H 2C 2H 4C 4H 3C | 2H | ck"
LAYOUT = ("3H", "2C", "2H", "4C", "4H", "3C")
SETTINGS = (
    "MaxRounds=20 ViewCard=all ViewCkNk=FALSE DragCkNk=TRUE ViewTarget=TRUE CardsBackFile=dorso1 "
    "pay_by=moves time_scale_seconds=60"
)
SHOWN = 11891610

# The source's printed hand as a record: client times are those of its lines.
SOURCE_EVENTS = [
    Event(number, board.SEAT, action, ms - SHOWN, 0)
    for number, (action, ms) in enumerate(
        [
            ("T", 11894609),
            ("pick nk", 11896578),
            ("pick nk", 11902625),
            ("U", 11903359),
            ("P", 11904609),
            ("pick nk", 11905453),
            ("T", 11906109),
            ("end solved", 11906110),
        ]
    )
]


def same_fields(lines):
    """Returns the lines without their separators, because the source mixes colons and semicolons."""
    return [line.replace(";", ":") for line in lines]


# ---------------------------------------------------------------- the source's log


def test_source_log_gives_its_first_dynamic_hand():
    log = keeper_log.read(SOURCE_LOG, "seed_log_nk.txt")
    (hand,) = log.hands
    assert hand.layout == LAYOUT
    assert hand.sequence == "TUPT"
    assert (hand.participant, hand.keeper, hand.number) == ("seeee", "nk", 1)
    assert (hand.goal, hand.first, hand.options) == (None, "ck", {})
    assert (hand.own_moves, hand.score) == (2, 800)
    assert (hand.line, hand.dealt_ms, hand.ended_ms) == (5, SHOWN, 11906110)
    assert [(event.ms, event.action) for event in hand.events][:3] == [
        (11894609, "T"),
        (11896578, "pick nk"),
        (11902625, "pick nk"),
    ]
    assert log.warnings == [
        "seed_log_nk.txt, line 20: The deal that begins here has 3 of 6 cards, so the hand is left out."
    ]
    assert transform.summary((hand.layout, hand.sequence) for hand in log.hands) == [
        "3H\t2C\t2H\t4C\t4H\t3C",
        "TUPT",
    ]


def test_source_hand_is_written_as_printed():
    written = head_lines("seeee", 1, -1, 11888421)
    hand = hand_lines("nk", 1, DEAL, {}, SHOWN, SOURCE_EVENTS)
    assert hand[0] == f"11891.610:11891.610:HS:1;2H;ck;{SETTINGS}:Hand started"
    assert same_fields(written + hand[1:]) == same_fields(SOURCE_LOG[:19])


def test_ck_file_mirrors_the_source_hand():
    lines = hand_lines("ck", 1, DEAL, {}, SHOWN, SOURCE_EVENTS)
    assert lines[7:] == [
        "11894.609:11894.609:PM:4C;targetCardView;2C;colorCardView:Color Keeper moved card",
        "11903.359:11903.359:RM:2H;upCardView;3C;numberCardView:Remote move card",
        "11904.609:11904.609:PP::Pass sent;;;",
        "11906.109:11906.109:RM:2C;targetCardView;2H;numberCardView:Remote move card",
        "11906.110:11906.110:GE:2;800:Hand Ended",
        "11906.110::Hand Ended",
    ]


@pytest.mark.parametrize("separator", [":", ";"])
@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_separators_and_line_ends_may_vary(separator, ending):
    lines = [re.sub("[:;]", separator, line) + ending for line in SOURCE_LOG]
    assert keeper_log.read(lines, "x") == keeper_log.read(SOURCE_LOG, "x")


def test_wrapped_line_gives_a_warning():
    lines = [*SOURCE_LOG[:16], SOURCE_LOG[16].removesuffix(" card"), "card", *SOURCE_LOG[17:19]]
    log = keeper_log.read(lines, "x")
    assert [hand.sequence for hand in log.hands] == ["TUPT"]
    assert log.warnings == ["x, line 18: 'card' does not have the format of a log line and is skipped."]


# ---------------------------------------------------------------- writing


def test_file_name_has_keeper_date_and_code():
    assert keeper_log.file_name("ck", datetime.date(2026, 3, 9), "abcd1234") == "ck090326_abcd1234.txt"


def test_participant_head_has_code_and_partner():
    assert head_lines("abcd1234", 3, 40, 65) == [
        "0.065:Game begins",
        "0.065:userID:userName abcd1234 3 :gameNum 40:partner 3",
        "0.065:errorsMade 0:score 0:row 0column 0",
        "0.065:0.065:GS:;Game started;;",
    ]


def play(*actions, first_ms=100):
    return [Event(n, board.SEAT, action, first_ms * (n + 1), 0) for n, action in enumerate(actions)]


def test_current_keepers_file_has_picks_looks_and_refusals():
    events = play("look nk", "pick up", "P", "look ck")
    events.insert(3, Event(3, board.SEAT, "T", 350, 0, False, 'Numbers differ: 3♣, 4♣; "no".\nNk may not.'))
    own = {keeper: hand_lines(keeper, 1, DEAL, {}, 0, events)[7:] for keeper in board.KEEPERS}
    assert own["ck"] == [
        "0.100:0.100:VC:3C;numberCardView:ColorKeeperViewed card",
        "0.200:0.200:pR:2H:upCardView:ColorKeeperRemoved card",
        "0.300:0.300:PP::Pass sent;;;",
    ]
    assert own["nk"] == [
        "0.300:0.300:RP::Remote pass received;;;",
        "0.350:0.350:ER:T;Numbers differ 3♣ 4♣ no . Nk may not.:Number Keeper refused",
        "0.400:0.400:VC:2C;colorCardView:NumberKeeperViewed card",
    ]


def test_notes_are_not_logged():
    writer = HandWriter("ck", 1, DEAL, {}, 0)
    assert writer.event_lines(Event(None, "", "reconnect", None, 5, None)) == []


def test_log_clock_never_runs_backwards():
    writer = HandWriter("ck", 2, DEAL, {}, shown_ms=1000, after_ms=1500)
    lines = writer.deal_lines()
    for number, (action, client_ms) in enumerate([("U", 400), ("P", None), ("C", 900), ("U", 20)]):
        lines += writer.event_lines(Event(number, board.SEAT, action, client_ms, 0))
    assert [line.split(":")[0] for line in lines] == [
        *["1.500", "1.500", "1.501", "1.502", "1.503", "1.504", "1.505"],
        *["1.505", "1.505", "1.900", "1.900"],
    ]
    assert writer.ms == 1900


@pytest.mark.parametrize(
    ("options", "actions", "ends"),
    [
        ({}, ["C", "P", "end gave_up"], {"ck": "1;0", "nk": "1;0"}),
        ({"MaxRounds": 3}, ["P", "P", "P", "end failed"], {"ck": "2;0", "nk": "1;0"}),
        ({}, ["T", "U", "P", "T", "end solved"], {"ck": "2;800", "nk": "2;800"}),
        ({"MaxRounds": 5}, ["T", "U", "P", "T", "end solved"], {"ck": "2;200", "nk": "2;200"}),
    ],
)
def test_log_ends_with_own_moves_and_score(options, actions, ends):
    for keeper, expected in ends.items():
        lines = hand_lines(keeper, 1, DEAL, options, 0, play(*actions))
        t = f"0.{len(actions)}00"
        assert lines[-2:] == [f"{t}:{t}:GE:{expected}:Hand Ended", f"{t}::Hand Ended"]


CREATED = 1_700_000_000_000


def test_hand_paid_by_time_uses_the_server_clock():
    options = {"pay_by": "time", "time_scale_seconds": 2}
    *moves, end = play("T", "U", "P", "T", "end solved")
    shown = CREATED + 3000
    events = [*moves, end._replace(server_ms=shown + 1200)]
    lines = hand_lines("ck", 1, DEAL, options, shown, events, created_ms=CREATED)
    assert lines[-2] == "3.500:3.500:GE:2;400:Hand Ended"


def test_server_closed_hand_ends_by_the_server_clock():
    shown = CREATED + 3000
    events = [*play("U"), Event(2, "", "end timeout", None, shown + 20_000)]
    lines = hand_lines("ck", 1, DEAL, {}, shown, events, created_ms=CREATED)
    assert lines[-3].startswith("3.100:3.100:PM:")
    assert lines[-2:] == ["23.000:23.000:GE:1;0:Hand Ended", "23.000::Hand Ended"]


def test_card_back_name_is_one_word_in_settings():
    options = {**rules.DEFAULT_OPTIONS, "CardsBackFile": "lions, blue;=100% è.png", "time_scale_seconds": 1.5}
    lines = hand_lines("ck", 1, DEAL, options, 0, [])
    assert "," not in lines[0]
    assert keeper_log.read(lines, "x").hands[0].options == options


def test_browser_text_stays_one_short_line():
    events = [Event(0, board.SEAT, '\ud800,"\u2028:;\r\n' + "x" * 10_000, 1, 0, False, "")]
    line = hand_lines("ck", 1, DEAL, {}, 0, events)[-1]
    assert re.fullmatch(r"0\.005:0\.005:ER:\? x+;:Color Keeper refused", line)
    assert len(line) < 300
    line.encode()


# ---------------------------------------------------------------- reading damaged and strange logs


def written(keeper="ck", *actions):
    return hand_lines(keeper, 1, DEAL, {}, 0, play(*(actions or "TUPT"), "end solved"))


def warnings_of(lines):
    return [re.sub("^x, ", "", warning) for warning in keeper_log.read(lines, "x").warnings]


def test_complete_log_has_no_warning():
    assert warnings_of(written("ck")) == warnings_of(written("nk")) == []


@pytest.mark.parametrize(
    "text", ["", "\n\n", "hello\n", "3H\t2C\t2H\t4C\t4H\t3C\nTUPT\n", "1.0:1.0:XX:a:b\n"]
)
def test_file_that_is_not_a_log_is_refused(text):
    with pytest.raises(BadFile, match=r"^x: No line of this file"):
        keeper_log.read(text.splitlines(), "x")


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        (
            lambda lines: [*lines[:9], "0.2:0.2:QQ:a;b:?", *lines[9:]],
            "line 10: Unknown kind of line 'QQ'",
        ),
        (
            lambda lines: [*lines[:9], "\x00\x01", *lines[9:]],
            "line 10: '\\x00\\x01' does not have the format of a log line",
        ),
        (lambda lines: [*lines, lines[9]], "line 14: This line comes after the end"),
        (lambda lines: lines[:9], "line 1: Hand 1, dealt here, has no end"),
        (
            lambda lines: [*lines[:8], lines[8].replace("2H", "4H"), *lines[9:]],
            "line 9: The line has '4H' at UP",
        ),
        (lambda lines: [*lines[:9], *lines[10:]], "line 10: nk moves, but it is the turn of ck"),
        (lambda lines: [*lines[:3], *lines[4:]], "line 1: The deal that begins here has 5 of 6"),
        (
            lambda lines: [*lines[:11], lines[11].replace("2;800", "3;800")],
            "line 12: The line has 3 own moves",
        ),
        (
            lambda lines: [*lines[:11], lines[11].replace("2;800", "two")],
            "line 12: The line must have the player's moves",
        ),
        (
            lambda lines: [lines[0].replace("MaxRounds=20", "MaxRounds=x"), *lines[1:]],
            "line 1: A setting is ignored",
        ),
        (lambda lines: [lines[0].replace(";2H;", ";5H;"), *lines[1:]], "line 1: The line must have"),
        (
            lambda lines: [*lines[:8], lines[8].replace("upCard", "noCard"), *lines[9:]],
            "line 9: This line does not",
        ),
    ],
)
def test_inconsistent_lines_give_warnings(change, warning):
    assert warnings_of(change(written()))[0].startswith(warning)


def test_illegal_move_into_target_gives_a_warning():
    lines = written("ck", "P")[:8]
    lines.append("0.2:0.2:RM:4C;targetCardView;3C;numberCardView:Remote move card")
    assert any("breaks the rule" in warning for warning in warnings_of(lines))


def test_missing_own_pass_is_inserted():
    lines = [line for line in written("ck") if ":PP:" not in line]
    log = keeper_log.read(lines, "x")
    assert log.hands[0].sequence == "TUPT"
    assert log.warnings == ["x, line 10: nk moves, but it is the turn of ck; a pass of ck is added."]


def test_first_mover_is_unknown_after_passes_alone():
    lines = [line for line in written("ck", "P", "P") if ":HS:" not in line]
    (hand,) = keeper_log.read(lines, "x").hands
    assert (hand.sequence, hand.keeper, hand.first) == ("PP", None, None)


def test_first_mover_follows_from_a_later_exchange():
    lines = [line for line in written("nk", *"PUC") if ":HS:" not in line]
    (hand,) = keeper_log.read(lines, "x").hands
    assert (hand.sequence, hand.keeper, hand.first) == ("PUC", "nk", "ck")


def test_clock_may_have_fewer_or_no_decimals():
    lines = [line.replace("11894.609", "11894.6").replace("11903.359", "11903") for line in SOURCE_LOG]
    moves = [event.ms for event in keeper_log.read(lines, "x").hands[0].events if event.action in board.MOVES]
    assert moves[:2] == [11894600, 11903000]


def test_incomplete_deal_takes_no_card_of_the_next():
    lines = written()[1:]
    log = keeper_log.read(lines[1:] + lines, "x")
    assert [(hand.number, hand.line, hand.sequence) for hand in log.hands] == [(2, 12, "TUPT")]


def test_restarted_game_belongs_to_the_same_participant():
    lines = SOURCE_LOG[:19] + SOURCE_LOG[3:19]
    hands = keeper_log.read(lines, "x").hands
    assert [(hand.participant, hand.number) for hand in hands] == [("seeee", 1), ("seeee", 1)]
    nameless = SOURCE_LOG[:19] + SOURCE_LOG[:1] + SOURCE_LOG[3:19]
    assert [hand.participant for hand in keeper_log.read(nameless, "x").hands] == ["seeee", ""]


@pytest.mark.parametrize("keeper", board.KEEPERS)
@pytest.mark.parametrize("actions", ["P", "PP", "U", "PU", "UPC"])
def test_keeper_follows_from_any_played_line(keeper, actions):
    (hand,) = keeper_log.read(written(keeper, *actions), "x").hands
    assert (hand.keeper, hand.sequence) == (keeper, actions)


def test_unfinished_deal_is_dropped_before_the_next():
    lines = written()
    log = keeper_log.read([*lines[:4], *lines, *lines[1:4], *lines[1:]], "x")
    assert [(hand.number, hand.sequence) for hand in log.hands] == [(1, "TUPT"), (3, "TUPT")]
    assert [warning.split(":")[0] for warning in log.warnings] == ["x, line 1", "x, line 18"]


def test_combined_log_contains_several_participants():
    people = ["abcd1234", "efgh5678", "ijkl9012"]
    lines = []
    for number, code in enumerate(people, start=1):
        lines += head_lines(code, number, 2, 10 * number)
        for hand in (1, 2):
            lines += hand_lines("nk", hand, DEAL, {}, 10 * number, play(*"TUPT", "end solved"))
    log = keeper_log.read(lines, "x")
    assert log.warnings == []
    assert [(hand.participant, hand.number) for hand in log.hands] == [
        (code, n) for code in people for n in (1, 2)
    ]


def test_truncated_participant_does_not_affect_the_next():
    first = head_lines("abcd1234", 1, 1, 0) + written("nk")[:8]
    second = head_lines("efgh5678", 2, 1, 0) + written("nk")
    hands = keeper_log.read(first + second, "x").hands
    assert [(hand.participant, hand.sequence) for hand in hands] == [("abcd1234", "T"), ("efgh5678", "TUPT")]


# ---------------------------------------------------------------- properties over random play


@st.composite
def options(draw):
    return {
        "MaxRounds": draw(st.integers(1, 12)),
        "ViewCard": draw(st.sampled_from(["all", "mix", "none"])),
        "ViewCkNk": draw(st.booleans()),
        "DragCkNk": draw(st.booleans()),
        "ViewTarget": draw(st.booleans()),
        "CardsBackFile": draw(st.sampled_from(["dorso1", "dorso3", "our back, v2.png"])),
        "pay_by": draw(st.sampled_from(["moves", "time"])),
        "time_scale_seconds": draw(st.sampled_from([1, 60, 0.5])),
    }


@st.composite
def played(draw):
    """Draws a hand played at random: deal, options, and its record, in which anything may be refused."""
    layout = draw(st.permutations(TTT_PACK).map(tuple))
    goal = draw(st.sampled_from([card for card in TTT_PACK if card != layout[board.TARGET]]))
    deal = board.format_deal(layout, goal, draw(st.sampled_from(board.KEEPERS)))
    chosen = draw(options())
    state, events = rules.start(deal, chosen), []
    attempts = st.sampled_from([*board.MOVES * 3, *rules.PICKS, "look ck", "look nk", "note"]) | st.text(
        max_size=5
    )
    times = st.none() | st.integers(0, 5000)
    for action in draw(st.lists(attempts, max_size=25)):
        number = sum(event.accepted is True for event in events)
        if action == "note":
            events.append(Event(None, "", "reconnect", None, 0, None))
            continue
        try:
            state = rules.apply(state, board.SEAT, action)
        except IllegalAction as error:
            events.append(Event(number, board.SEAT, action, draw(times), 0, False, str(error)))
        else:
            events.append(Event(number, board.SEAT, action, draw(times), 0))
        if rules.is_over(state):
            break
    outcome = rules.result(state, board.SEAT, 1).outcome
    if outcome == "open":
        outcome = draw(st.sampled_from(["timeout", "gave_up", "advanced", None]))
    if outcome:
        events.append(Event(len(events), board.SEAT, f"end {outcome}", draw(times), 0))
    return deal, chosen, events, state


def log_lines(keeper, hands):
    lines, after_ms = head_lines("abcd1234", 1, len(hands), 0), 0
    for number, (deal, chosen, events, _) in enumerate(hands, start=1):
        writer = HandWriter(keeper, number, deal, chosen, 1000 * number, after_ms)
        lines += writer.deal_lines()
        for event in events:
            lines += writer.event_lines(event)
        after_ms = writer.ms
    return lines


sessions = st.lists(played(), min_size=1, max_size=3)


@given(sessions)
def test_both_files_give_back_the_played_hands(hands):
    logs = {keeper: keeper_log.read(log_lines(keeper, hands), keeper) for keeper in board.KEEPERS}
    as_played = transform.summary((board.parse_deal(deal)[0], state.sequence) for deal, _, _, state in hands)
    for keeper, log in logs.items():
        assert transform.summary((hand.layout, hand.sequence) for hand in log.hands) == as_played
        assert all("has no end" in warning for warning in log.warnings)
        for number, (hand, (deal, chosen, events, state)) in enumerate(
            zip(log.hands, hands, strict=True), start=1
        ):
            _, goal, first = board.parse_deal(deal)
            assert (hand.participant, hand.number, hand.goal, hand.first) == ("abcd1234", number, goal, first)
            assert hand.options == chosen
            assert (hand.ended_ms is not None) == bool(events and events[-1].action.startswith("end "))
            if hand.score is not None:
                own = state.sequence[0 if first == keeper else 1 :: 2]
                assert hand.own_moves == len(own)
                assert (hand.score == 0) or state.solved


@given(sessions)
def test_two_files_together_hold_each_event_once(hands):
    logs = [keeper_log.read(log_lines(keeper, hands), keeper).hands for keeper in board.KEEPERS]
    for (_, _, events, _), ck, nk in zip(hands, *logs, strict=True):
        logged = sorted(
            event.action
            for event in (*ck.events, *nk.events)
            if event.accepted and event.action not in board.MOVES
        )
        done = [event.action for event in events if event.accepted and event.action not in board.MOVES]
        assert logged == sorted(action for action in done if not action.startswith("end "))
        refused = sum(not event.accepted for event in (*ck.events, *nk.events))
        assert refused == sum(event.accepted is False for event in events)


@given(sessions)
def test_lines_need_no_csv_quotes_and_times_increase(hands):
    for keeper in board.KEEPERS:
        lines = log_lines(keeper, hands)
        assert not any(set(line) & set(',"\r\n') for line in lines)
        table = io.StringIO()
        csv.writer(table).writerows([line] for line in lines)
        assert table.getvalue() == "".join(f"{line}\r\n" for line in lines)
        assert table.getvalue().splitlines() == lines
        times = [float(line.split(":")[0]) for line in lines]
        assert times == sorted(times)


@given(sessions, st.sampled_from(board.KEEPERS), st.randoms(use_true_random=False))
def test_separators_may_be_mixed(hands, keeper, chance):
    lines = log_lines(keeper, hands)
    mixed = [re.sub("[:;]", lambda _: chance.choice(":;"), line) + "\r\n" for line in lines]
    assert keeper_log.read(mixed, "x") == keeper_log.read(lines, "x")


@given(sessions, st.sampled_from(board.KEEPERS), st.integers(0, 30))
def test_truncated_log_keeps_all_earlier_hands(hands, keeper, characters):
    lines = log_lines(keeper, hands)
    whole = keeper_log.read(lines, "x").hands
    starts = [hand.line for hand in whole][1:] + [len(lines) + 1]
    for cut in range(1, len(lines) + 1):
        part = [*lines[: cut - 1], lines[cut - 1][:characters]]
        try:
            read = keeper_log.read(part, "x").hands
        except BadFile:
            assert cut == 1
            continue
        complete = [hand for hand, end in zip(whole, starts, strict=True) if end <= cut]
        as_cut = [(hand.layout, hand.sequence, hand.score, hand.number) for hand in read[: len(complete)]]
        assert as_cut == [(hand.layout, hand.sequence, hand.score, hand.number) for hand in complete]
        assert len(read) - len(complete) <= 1


@given(sessions, st.sampled_from(board.KEEPERS), st.data())
def test_lost_and_garbled_lines_never_raise(hands, keeper, data):
    lines = log_lines(keeper, hands)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(lines) - 1))
        line = lines[place]
        lines[place] = data.draw(
            st.sampled_from(["", line[:20], line[::-1], line.upper(), lines[0], line.replace("2H", "")])
        )
    log = keeper_log.read(lines, "x")
    assert all(re.match(r"x, line \d+: ", warning) for warning in log.warnings)


KINDS = ["GS", "HS", "GC", "pR", "PM", "RM", "PP", "RP", "VC", "ER", "GE", "XX", ""]
WORDS = [
    *TTT_PACK,
    *VIEWS.values(),
    "ck",
    "nk",
    "Number Keeper",
    "2",
    "-1",
    "9" * 5000,
    "MaxRounds=0",
    "٣",
]
pieces = st.sampled_from([*KINDS, *WORDS, "1.5", "Hand Ended", "Game begins", "userID", "userName a 1"])
structured = st.builds(
    lambda kind, fields: ":".join(["1.5", "1.5", kind, *fields]),
    st.sampled_from(KINDS),
    st.lists(pieces, max_size=5),
)


@given(
    st.lists(
        st.text() | structured | st.lists(pieces).map(";".join) | st.sampled_from(SOURCE_LOG), max_size=25
    )
)
def test_any_lines_are_read_or_refused(lines):
    try:
        hands = keeper_log.read(lines, "x").hands
    except BadFile:
        return
    for hand in hands:
        assert sorted(hand.layout) == sorted(TTT_PACK)
        assert set(hand.sequence) <= set(board.MOVES)
