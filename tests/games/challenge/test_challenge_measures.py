"""Compares the tables of hands and moves with a hand-computed game and a second count of random ones."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.challenge import measures, rules
from cardlab.games.challenge.position import is_better
from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.record import Opening

# S trumps hearts and leads; N, the computer, trumps spades.
DEAL = "KS AH AC AD | AS KH KC KD | participant"
OPTIONS = {"size": 2, "robots": {"N": "computer"}, "hints": True, "depth": 3}
SHOWN = 1_000_000


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
    (0.5, "S", "!arrive"),
    (2, "S", "claim win"),
    (2.5, "N", "decline"),
    (3, "S", "consult"),
    (3.2, "N", "advise KD +3"),
    (4, "S", "lift KC"),
    (5.2, "S", "play KC"),  # 2 s after the advice
    (6, "S", "mark off"),
    (6.1, "N", "!unsearched"),
    (6.2, "N", "pick up"),
    (7, "S", "?pick up"),
    (8.2, "S", "offer draw"),
    (8.4, "N", "decline"),
    (9.4, "S", "play KD"),  # 1 s after the answer
    (9.5, "N", "!searched depth 2 nodes 31"),
    (9.5, "N", "play AD"),
    (10.5, "S", "play KH"),  # a trump
    (10.5, "N", "play AH"),
    (20, "S", "!absent"),
    (20, "S", "pick up"),
    (21, "N", "!searched depth 3 nodes 80 error"),
    (21, "N", "play KS"),
    (23, "S", "resign"),
)


def history(events=PLAYED, options=OPTIONS, deal=DEAL):
    return History.replay(rules, Opening(deal, options, shown_ms=SHOWN), events)


def some(row, *names):
    return [row[name] for name in names]


def test_a_game_has_the_expected_measures():
    row = measures.measure_hand(history(), "S")
    assert set(row) == {*measures.COLUMNS, "sequence"}
    assert row["sequence"] == "KC p KD AD KH AH p KS"
    assert some(row, "cards_per_suit", "opponent", "depth", "show", "led") == [2, "computer", 3, "all", 1]
    assert some(row, "winner", "ended_by", "length", "moves") == ["N", "resigned", 8, 4]
    assert some(row, "pick_ups", "pick_ups_of_other", "cards_picked_up") == [1, 1, 4]
    assert some(row, "cards_left", "cards_of_other") == [5, 2]
    assert some(row, "draws_offered", "claims", "claims_right", "hints") == [1, 1, 0, 1]
    assert some(row, "marks_switched", "lifts", "played_by_server") == [1, 1, 1]
    assert row["mean_response_ms"] == round((2000 + 1000 + 1000) / 3)
    other = measures.measure_hand(history(), "N")
    assert some(other, "opponent", "depth", "led", "moves", "claims") == ["person", "", 0, 4, 0]
    assert some(other, "pick_ups", "cards_picked_up", "cards_left", "draws_offered") == [1, 1, 2, 0]


def test_the_moves_of_a_game_are_listed():
    rows = list(measures.move_rows(history()))
    assert all(set(row) == {*measures.MOVE_COLUMNS} for row in rows)
    assert [row["move_number"] for row in rows] == [*range(1, 9)]
    assert [row["seat"] for row in rows] == [*"SNSNSNSN"]
    assert [row["by"] for row in rows] == [
        *("person", "computer", "person", "computer", "person", "computer", "absent", "computer"),
    ]
    assert [row["move"] for row in rows] == ["KC", "pick up", "KD", "AD", "KH", "AH", "pick up", "KS"]
    assert [row["top"] for row in rows] == ["", "KC", "", "KD", "AD", "KH", "AH", ""]
    assert [row["could_play"] for row in rows] == [4, 3, 3, 3, 2, 3, 1, 3]
    assert [row["beats"] for row in rows] == [0, 0, 0, 1, 1, 1, 0, 0]
    assert [row["trump"] for row in rows] == [0, 0, 0, 0, 1, 0, 0, 1]
    assert [row["cards"] for row in rows] == [4, 4, 3, 5, 2, 4, 1, 3]
    assert [row["table"] for row in rows] == [0, 1, 0, 1, 2, 3, 4, 0]
    assert [row["advised"] for row in rows] == [1, 0, 0, 0, 0, 0, 0, 0]
    assert [row["unsearched"] for row in rows] == [0, 1, 0, 0, 0, 0, 0, 0]
    assert [row["depth_reached"] for row in rows] == ["", 0, "", "2", "", "", "", "3"]
    assert [row["nodes"] for row in rows] == ["", "", "", "31", "", "", "", "80"]
    assert [row["error"] for row in rows] == [0, 0, 0, 0, 0, 0, 0, 1]
    assert [row["response_ms"] for row in rows] == [2000, 1000, 1000, 100, 1000, 0, "", 1000]
    assert [row["server_ms"] - SHOWN for row in rows][:3] == [5200, 6200, 9400]


def test_only_unaided_moves_among_several_are_choices():
    moves = measures.moves_of(history())
    assert [number for number, one in enumerate(moves, 1) if measures.is_choice(one)] == [3, 5]


@pytest.mark.parametrize(
    ("asked", "answer", "cells"),
    [
        ("claim win", "accept", {"winner": "S", "ended_by": "claimed", "claims": 1, "claims_right": 1}),
        ("offer draw", "accept", {"winner": "", "ended_by": "agreed", "draws_offered": 1, "claims": 0}),
        ("claim win", "decline", {"winner": "", "ended_by": "", "claims": 1, "claims_right": 0}),
    ],
)
def test_spoken_endings_have_the_expected_measures(asked, answer, cells):
    options = {**OPTIONS, "robots": {}}
    played = history(record((1, "S", asked), (2, "N", answer)), options)
    row = measures.measure_hand(played, "S")
    assert some(row, *cells) == [*cells.values()]
    other = measures.measure_hand(played, "N")
    assert some(other, "draws_accepted", "claims", "draws_offered") == [
        int(row["ended_by"] == "agreed"),
        0,
        0,
    ]
    assert row["sequence"] == "-"


def test_the_first_response_time_starts_at_arrival():
    options = {**OPTIONS, "robots": {}}
    played = history(
        record((0, "S", "!arrive"), (3, "S", "play KC"), (8, "N", "!arrive"), (9, "N", "pick up")), options
    )
    assert [row["response_ms"] for row in measures.move_rows(played)] == [3000, 1000]


# A second count


def second_count(deal, trumps, actions):
    """Counts the moves again from the deal and the text of the actions, in the default form."""
    hands = dict(zip("NS", (set(part.split()) for part in deal.split(" | ")[:2])))
    trump, table, rows = dict(zip("NS", trumps)), [], []
    stood = [(frozenset(hands["N"]), frozenset(hands["S"]), "", actions[0][0])]
    for seat, action in actions:
        mine, theirs = hands[seat], hands["S" if seat == "N" else "N"]
        beating = [card for card in mine if table and is_better(card, table[-1], trump[seat])]
        card = action.removeprefix("play ")
        rows.append(
            {
                "seat": seat,
                "move": card,
                "top": table[-1] if table else "",
                "could_play": len(beating) + 1 if table else len(mine),
                "beats": int(bool(table) and action != "pick up"),
                "trump": int(card[-1] == trump[seat]),
                "cards": len(mine),
                "cards_of_other": len(theirs),
                "table": len(table),
            }
        )
        if action == "pick up":
            mine |= set(table)
            table = []
        else:
            mine.remove(card)
            table.append(card)
        other = "S" if seat == "N" else "N"
        stood.append((frozenset(hands["N"]), frozenset(hands["S"]), table[-1] if table else "", other))
        rows[-1]["occurrence"] = stood.count(stood[-1])
    return rows, hands


@given(st.integers(0, 10**9), st.sampled_from(["SH", "HS", "CD"]), st.integers(1, 4))
def test_measures_agree_with_a_second_count(seed, trumps, size):
    options, chance = {"size": size, "trumps": trumps, "robots": {}, "max_actions": 30}, Random(seed)
    deal = rules.deal(str(seed), options)
    state, done = rules.start(deal, options), []
    while not rules.is_over(state):
        (seat,) = rules.waiting_for(state)
        moves = [one for one in rules.legal_actions(state, seat) if one.startswith("p")]
        done.append((seat, chance.choice(moves)))
        state = rules.apply(state, *done[-1])
    played = history(record(*((n, *one) for n, one in enumerate(done))), options, deal)
    expected, hands = second_count(deal, trumps, done)
    rows = list(measures.move_rows(played))
    assert [{name: row[name] for name in expected[0]} for row in rows] == expected
    for seat, other in ("SN", "NS"):
        row, own = measures.measure_hand(played, seat), [one for one in expected if one["seat"] == seat]
        picked = [one for one in own if one["move"] == "pick up"]
        assert some(row, "length", "moves", "pick_ups") == [len(done), len(own), len(picked)]
        assert row["cards_picked_up"] == sum(one["table"] for one in picked)
        assert some(row, "cards_left", "cards_of_other") == [len(hands[seat]), len(hands[other])]
        assert row["led"] == int(done[0][0] == seat)
        assert (row["winner"] == seat) == (not hands[seat])
        assert row["ended_by"] in ("out", "repeated", "too_long")
        assert row["repeats"] == sum(one["occurrence"] > 1 and one["seat"] == seat for one in rows)
