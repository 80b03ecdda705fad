"""Compares the tables of hands and turns with a hand-computed game and a second count of random ones."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.matrix import measures, rules
from cardlab.games.matrix.packs import PACKS
from cardlab.games.record import Opening

# The source's prisoner's dilemma lies on the table, S and W play: left and left 5 5, right and right −3 −3.
HANDS = "4S 2D KC AS 9H 10D QC | 7C 6H JS QS 3C 3S 2H"
TABLE = "5H 8C | 5C 5S | 8S 5D | 3H 3D"
DEAL = f"{HANDS} | {TABLE} | " + " ".join(
    card for card in PACKS["standard"] if card not in f"{HANDS} | {TABLE}".split()
)
SHOWN = 1_000_000
CELLS = [f"{who}_{columns}" for columns in ("LL", "LR", "RL", "RR") for who in ("first", "second")]


def record(*rows):
    """Makes a record of rows ``(seconds since shown, seat, action)``: ! marks notes, ? marks refusals."""
    events, number = [], 0
    for seconds, seat, action in rows:
        at = SHOWN + round(1000 * seconds)
        if action.startswith("!"):
            events.append(Event(None, seat, action[1:], None, at, None))
        elif action.startswith("?"):
            events.append(Event(number + 1, seat, action[1:], 5, at, False, "No."))
        else:
            number += 1
            events.append(Event(number, seat, action, 5, at))
    return events


PLAYED = record(
    (0, "S", "!arrive"),
    (2, "W", "!arrive"),
    (3, "W", "?play AS"),
    (5, "S", "play 4S"),
    (6, "S", "!reconnect"),
    (7, "S", "play 2D"),  # changes the choice
    (9.5, "W", "play 6H"),  # right against left: NE, 8 and -5
    (11, "W", "rotate NE"),
    (12, "S", "play KC"),
    (20, "W", "!absent"),
    (20, "W", "play 7C"),  # right and right: SE, both -3; nobody rotates
    (21, "S", "play AS"),
)
OPTIONS = {"change_choice": True, "turn_limit_seconds": 10}


def history(events=PLAYED, options=OPTIONS, shown=SHOWN, deal=DEAL):
    return History.replay(rules, Opening(deal, options, shown_ms=shown), events)


def turns(*arguments):
    return list(measures.measure_turns(history(*arguments)))


def hand(seat, *arguments):
    return measures.measure_hand(history(*arguments), seat)


def some(row, *names):
    return [row[name] for name in names]


# A hand-computed game


def test_turn_row_has_the_matrix_and_its_theory():
    first = turns()[0]
    assert some(first, *CELLS) == [5, 5, -5, 8, 8, -5, -3, -3]
    assert some(first, "game", "first_order", "second_order", "ties") == [
        "prisoner's dilemma",
        "TRPS",
        "TRPS",
        0,
    ]
    assert some(first, "pure_equilibria", "mixed_equilibria", "continua") == ["RR", "", ""]
    assert some(first, "first_dominant", "second_dominant") == ["right", "right"]


def test_turn_row_has_played_cards_and_payoffs():
    one, two = turns()
    names = ("turn", "first_seat", "second_seat", "first_card", "second_card", "cell")
    assert some(one, *names) == [1, "S", "W", "2D", "6H", "NE"]
    assert some(two, *names) == [2, "S", "W", "KC", "7C", "SE"]
    assert some(one, "first_column", "second_column") == ["right", "left"]
    assert some(one, "first_free", "second_free") == [1, 1]
    assert some(one, "first_best", "second_best", "equilibrium") == [1, 0, 0]
    assert some(two, "first_collected", "second_collected") == [-3, -3]
    assert some(one, "first_collected", "second_collected") == [8, -5]
    assert some(one, "rotator", "rotation", "rotation_by") == ["W", "rotate NE", "person"]
    assert some(two, "rotator", "rotation", "rotation_by", "rotation_ms") == ["", "", "", ""]


def test_second_matrix_has_the_new_rotated_cross():
    # 2D and 6H were laid in NE, then turned: 6H for S (right, left), 2D for W.
    assert some(turns()[1], "first_RL", "second_RL") == [-6, -2]


def test_response_times_start_when_the_seat_could_choose():
    one, two = turns()
    names = ("first_response_ms", "second_response_ms", "rotation_ms")
    assert some(one, *names) == [7000, 7500, 1500]  # W came after two seconds; S's last choice counts
    assert some(two, *names) == [1000, "", ""]  # the server played for W
    assert [row["disclosed_ms"] for row in (one, two)] == [SHOWN + 9500, SHOWN + 20000]


def test_unknown_start_gives_no_response_time():
    events = [event for event in PLAYED if event.action != "arrive"]
    assert some(turns(events, OPTIONS, None)[0], "first_response_ms", "second_response_ms") == ["", ""]
    assert some(turns(events)[0], "first_response_ms", "second_response_ms") == [7000, 9500]
    assert some(turns(PLAYED, OPTIONS, None)[0], "first_response_ms", "second_response_ms") == [7000, 7500]


def test_turn_row_names_who_played():
    assert [some(row, "first_by", "second_by") for row in turns()] == [
        ["person", "person"],
        ["person", "absent"],
    ]
    events = [event for event in PLAYED if event.action != "absent"]
    with_robot = turns(events, {**OPTIONS, "robots": {"W": "greedy"}})
    assert [row["second_by"] for row in with_robot] == ["greedy", "greedy"]
    assert some(with_robot[0], "rotation_by", "rotation_ms", "second_response_ms") == ["greedy", "", ""]
    assert with_robot[0]["first_response_ms"] == 7000


def test_undecided_rotation_is_empty():
    assert some(turns(PLAYED[:7])[0], "rotator", "rotation", "rotation_by") == ["W", "", ""]


def test_hand_row_counts_the_seats_actions():
    own = hand("S")
    assert own["sequence"] == "2D KC AS"  # includes the last choice, which was not disclosed
    assert own["turns"] == own["free_choices"] == 2
    assert some(own, "changes", "rotations", "kept", "played_by_server") == [1, 0, 0, 0]
    assert some(own, "best_responses", "free_best_responses") == [2, 2]  # -3 is more than -5, twice
    assert own["mean_response_ms"] == 3000  # of 7, 1 and 1 seconds
    assert some(own, "partner", "partner_score") == ["person", -8]
    assert some(own, "players", "pack", "court") == [2, "standard", "10"]


def test_hand_row_has_the_server_played_actions():
    own = hand("W")
    assert own["sequence"] == "6H rotate NE 7C"
    assert some(own, "turns", "rotations", "kept", "played_by_server", "changes") == [2, 1, 0, 1, 0]
    assert own["best_responses"] == 0
    assert own["mean_response_ms"] == 7500
    assert own["partner_score"] == 5
    assert hand("S", PLAYED, {**OPTIONS, "robots": {"W": "minimax"}})["partner"] == "minimax"


def test_record_without_actions_gives_empty_rows():
    assert turns([]) == []
    assert some(hand("W", []), "sequence", "turns", "mean_response_ms") == ["", 0, ""]


def played_for(seat, *arguments):
    """Returns the numbers of the turns in which the server chose for the seat."""
    return {turn.number for turn in history(*arguments).hand.state.turns if seat in turn.chosen_for}


def test_turns_say_for_whom_the_server_chose():
    assert (played_for("S"), played_for("W")) == (set(), {2})
    assert played_for("W", [event for event in PLAYED if event.action != "absent"]) == set()
    robots = {**OPTIONS, "robots": {"W": "greedy"}}
    assert played_for("W", [event for event in PLAYED if event.action != "absent"], robots) == set()


def test_changed_server_choice_counts_as_the_participants():
    absent = [(1, "S", "!absent"), (1, "S", "play 4S")]
    changed, disclosed = (2, "S", "play 2D"), (2, "W", "play 6H")
    assert played_for("S", record(*absent, disclosed)) == {1}
    assert played_for("S", record(*absent, changed, disclosed)) == set()


def test_server_kept_cross_is_not_a_played_card():
    rows = [(1, "S", "play 2D"), (2, "W", "play 6H"), (3, "W", "!absent"), (3, "W", "keep")]
    assert played_for("W", record(*rows)) == set()
    assert [turn.kept_for for turn in history(record(*rows)).hand.state.turns] == ["W"]
    assert [turn.kept_for for turn in history(record(*rows[:2], rows[3])).hand.state.turns] == [None]
    assert hand("W", record(*rows))["played_by_server"] == 1


# Random play


@st.composite
def plays(draw):
    """Draws deal, options, events and the last state of a hand that may be broken off anywhere."""
    options = {
        "players": draw(st.sampled_from([2, 4])),
        "pack": draw(st.sampled_from(["standard", "special"])),
        "court": draw(st.sampled_from(["10", "ladder"])),
        "change_choice": draw(st.booleans()),
    }
    chance = draw(st.randoms(use_true_random=True))
    deal = rules.deal(str(chance.random()), options)
    state, events, now = rules.start(deal, options), [], SHOWN
    for number in range(1, draw(st.integers(0, 90)) + 1):
        if rules.is_over(state):
            events.append(Event(number, "", "end ", None, now))
            break
        legal = {seat: rules.legal_actions(state, seat) for seat in rules.seats(state)}
        seat = chance.choice([seat for seat, actions in legal.items() if actions])
        action, now = chance.choice(legal[seat]), now + chance.randrange(3000)
        absent = chance.random() < 0.2 and seat in rules.waiting_for(state)
        if absent:
            events.append(Event(None, seat, "absent", None, now, None))
        events.append(Event(number, seat, action, None if absent else now - SHOWN, now))
        state = rules.apply(state, seat, action)
    return deal, options, events, state


@given(plays())
def test_turn_and_hand_tables_agree_with_the_play(play):
    deal, options, events, state = play
    rows = turns(events, options, SHOWN, deal)
    assert [row["turn"] for row in rows] == [turn.number for turn in state.turns]
    assert all(list(row) and set(row) == set(measures.TURN_COLUMNS) for row in rows)
    for seat in state.seats:
        own = measures.measure_hand(history(events, options, SHOWN, deal), seat)
        assert set(own) == {*measures.COLUMNS, "sequence"}
        who = "first" if seat in "SN" else "second"
        mine = [row for row in rows if row[f"{who}_seat"] == seat]
        assert own["turns"] == len(mine)
        chosen = [row for row in mine if row[f"{who}_by"] != "absent"]
        assert own["free_choices"] == sum(row[f"{who}_free"] for row in chosen)
        assert own["best_responses"] == sum(row[f"{who}_best"] for row in chosen)
        assert own["free_best_responses"] == sum(row[f"{who}_best"] * row[f"{who}_free"] for row in chosen)
        assert sum(row[f"{who}_collected"] for row in mine) == state.score(seat)
        rotated = [row for row in mine if row["rotator"] == seat and row["rotation"]]
        assert len(rotated) == sum(
            event.seat == seat and event.accepted is True and event.action.startswith(("rotate ", "keep"))
            for event in events
        )
        by_itself = [row["rotation"] for row in rotated if row["rotation_by"] != "absent"]
        assert own["kept"] == by_itself.count("keep")
        assert own["rotations"] == len(by_itself) - own["kept"]
        actions = [event.action for event in events if event.seat == seat and event.accepted]
        assert own["changes"] + len(own["sequence"].replace("rotate ", "").split()) == len(actions)
        assert own["played_by_server"] == sum(
            event.seat == seat and event.action == "absent" for event in events
        )
        disclosed = {row["turn"] for row in mine if row[f"{who}_by"] == "absent"}
        assert played_for(seat, events, options, SHOWN, deal) == disclosed
        played = [row[f"{who}_card"] for row in mine]
        words = [word for word in own["sequence"].replace("rotate ", "!").split() if word[0] not in "!k"]
        assert words[: len(played)] == played


@given(plays())
def test_turn_theory_follows_from_its_eight_payoffs(play):
    deal, options, events, _state = play
    for row in turns(events, options, SHOWN, deal):
        first, second = (
            {(i, j): row[f"{who}_{i}{j}"] for i, j in product("LR", repeat=2)} for who in ("first", "second")
        )
        chosen = row["first_column"][0].upper(), row["second_column"][0].upper()
        assert (row["first_collected"], row["second_collected"]) == (first[chosen], second[chosen])
        stable = [
            i + j
            for i, j in product("LR", repeat=2)
            if first[i, j] == max(first[x, j] for x in "LR")
            and second[i, j] == max(second[i, x] for x in "LR")
        ]
        assert row["pure_equilibria"].split() == stable
        assert row["equilibrium"] == ("".join(chosen) in stable)
        assert row["ties"] == (min(len({*first.values()}), len({*second.values()})) < 4)
        for p, q in mixes(row["mixed_equilibria"]):
            assert q * first["L", "L"] + (1 - q) * first["L", "R"] == (
                q * first["R", "L"] + (1 - q) * first["R", "R"]
            )
            assert p * second["L", "L"] + (1 - p) * second["R", "L"] == (
                p * second["L", "R"] + (1 - p) * second["R", "R"]
            )
        assert row["first_dominant"] == dominant([(first["L", x], first["R", x]) for x in "LR"])
        assert row["second_dominant"] == dominant([(second[x, "L"], second[x, "R"]) for x in "LR"])


def mixes(text):
    return [tuple(map(Fraction, point.split())) for point in text.split("; ") if point]


def dominant(pairs):
    """Takes the payoffs of left and of right against each choice of the other."""
    for word, signs in (
        ("left", [left - right for left, right in pairs]),
        ("right", [right - left for left, right in pairs]),
    ):
        if min(signs) > 0:
            return word
        if min(signs) == 0 < max(signs):
            return f"weakly {word}"
    return ""


def test_continua_are_written_as_intervals():
    table = ["3S 7S", "3H 2S", "3D 4S", "5S 2C"]  # against W's left S gets -3 in any case
    rest = [card for card in PACKS["standard"] if card not in " ".join(table).split()]
    deal = " | ".join([" ".join(rest[:7]), " ".join(rest[7:14]), *table, " ".join(rest[14:])])
    (row,) = turns(record((1, "S", f"play {rest[0]}"), (2, "W", f"play {rest[7]}")), {}, SHOWN, deal)
    assert some(row, *CELLS) == [-3, 2, 3, 7, -3, 4, 5, 2]
    assert some(row, "pure_equilibria", "mixed_equilibria", "continua") == ["RL", "", "0..2/7 1"]
    assert some(row, "first_dominant", "second_dominant") == ["weakly right", ""]


@pytest.mark.parametrize("columns", [measures.COLUMNS, measures.TURN_COLUMNS])
def test_every_column_is_explained(columns):
    assert all(len(meaning) > 10 for meaning in columns.values())
