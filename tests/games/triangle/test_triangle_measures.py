"""Compares the tables of hands and placements with a hand-computed game and a second count of random ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.record import Opening
from cardlab.games.triangle import measures, rules
from cardlab.games.triangle.deal import Deal, format_deal
from cardlab.games.triangle.packs import COMPLETES

SHOWN = 1_000_000
PLACES = "H B C H B C H B C P R S P R S P R S F G T F G T F G TP"


def dealt(first):
    deck = first.split()
    deck += [card for card in COMPLETES if card not in deck]
    return format_deal(Deal(tuple(PLACES.split()), tuple("HFBRGCST"), tuple(deck)))


DEAL = dealt("HBC PRS FGT HGT")


def record(*rows):
    """Makes a record of rows ``(seconds since shown, action)``: ! marks notes, ? marks refusals, and * marks
    actions of the server."""
    events, number = [], 0
    for seconds, action in rows:
        ms = round(1000 * seconds)
        if action.startswith("!"):
            events.append(Event(None, "solo", action[1:], None, SHOWN + ms, None))
        elif action.startswith("?"):
            events.append(Event(number + 1, "solo", action[1:], ms, SHOWN + ms + 40, False, "No."))
        else:
            number += 1
            client_ms = None if action.startswith("*") else ms
            events.append(Event(number, "solo", action.strip("*"), client_ms, SHOWN + ms + 40))
    return events


PLAYED = record(
    (2, "mark S 2"),
    (3, "?place 10"),
    (5.5, "place 1"),  # HBC on H
    (6, "mark B 2"),
    (6.5, "!reconnect"),
    (7, "unmark S 2"),
    (9, "place 10"),  # PRS on P
    (9.5, "place 24"),  # FGT on T
)


def history(events, options, deal):
    return History.replay(rules, Opening(deal, options or {}, shown_ms=SHOWN), events)


def hand(events=PLAYED, options=None, deal=DEAL):
    return measures.measure_hand(history(events, options, deal), "solo")


def placements(events=PLAYED, options=None, deal=DEAL):
    return list(measures.placement_rows(history(events, options, deal)))


def some(row, *names):
    return [row[name] for name in names]


# A hand-computed game


def test_a_placement_row_has_card_and_place():
    names = ("card_number", "card", "action", "place", "side", "replaced", "fitted")
    assert [some(row, *names) for row in placements()] == [
        [1, "HBC", "place 1", 1, "top", "H", 9],
        [2, "PRS", "place 10", 10, "right", "P", 9],
        [3, "FGT", "place 24", 24, "left", "T", 8],
    ]


def test_a_placement_row_has_neighbours_and_score():
    deal = dealt("HBC PBS FRT HRC HBS")
    played = record(
        (1, "place 1"),
        (2, "place 2"),  # PBS on B next to HBC
        (3, "place 19"),  # FRT on F
        (4, "place 3"),  # HRC on C next to PBS: a discontinuity
    )
    names = ("neighbours", "matches", "discontinuities", "score")
    assert [some(row, *names) for row in placements(played, deal=deal)] == [
        [0, 0, 0, 0],
        [1, 1, 0, 0],
        [0, 0, 0, 0],
        [1, 0, 1, -2],
    ]
    assert some(hand(played, deal=deal), "matches", "discontinuities", "open_joints") == [1, 1, 25]


def test_a_cards_time_starts_at_the_previous_placement():
    assert [row["decision_ms"] for row in placements()] == [5500, 3500, 500]
    assert [row["server_ms"] for row in placements()] == [SHOWN + ms + 40 for ms in (5500, 9000, 9500)]
    assert some(hand(), "placement_ms", "mean_placement_ms") == ["5500 3500 500", 3167]


def test_an_unknown_time_is_left_out():
    unknown = [event._replace(client_ms=None) if event.action == "place 1" else event for event in PLAYED]
    assert [row["decision_ms"] for row in placements(unknown)] == ["", "", 500]
    assert some(hand(unknown), "placement_ms", "mean_placement_ms") == ["- - 500", 500]


def test_reminders_are_counted():
    assert some(hand(), "marks", "unmarks", "kept_marks") == [2, 1, 0]
    assert [row["planned"] for row in placements()] == [1, 2, 0]
    assert [row["marks"] for row in placements()] == ["", "", ""]
    played = record((1, "mark H 2"), (2, "mark C 2"), (3, "mark R 2"), (4, "place 2"))
    assert some(hand(played), "marks", "unmarks", "kept_marks") == [3, 0, 2]
    assert placements(played)[0]["marks"] == "HRC"


def test_pick_ups_do_not_count_as_planning():
    fidgety = record((1, "pick S"), (2, "mark S 2"), (3, "pick card"), (4, "pick card"), (5, "place 1"))
    assert hand(fidgety)["pick_ups"] == 3
    assert [row["planned"] for row in placements(fidgety)] == [1]


def test_a_hand_row_has_the_result():
    row = hand()
    assert row["sequence"] == "1 10 24"
    assert some(row, "placed", "discarded", "sides", "corners") == [3, 0, 0, 0]
    assert some(row, "doubled", "mixed_in", "highlight", "show_left") == [1, 0, 0, 0]
    assert some(hand(options={"highlight": True, "doubled": 5}), "doubled", "highlight") == [1, 1]


def discarding():
    """Returns a hand with a discard, played on the first fitting places, and its outcome."""
    state, rows, second = rules.start(DEAL, {}), [], 0
    while not rules.is_over(state):
        action = rules.legal_actions(state, "solo")[0]
        second += action != "discard"
        rows.append((second, action if action != "discard" else "*discard"))
        state = rules.apply(state, "solo", action)
    return record(*rows), state


def test_a_discard_has_no_time():
    events, state = discarding()
    rows = [row for row in placements(events) if row["action"] == "discard"]
    assert [row["card"] for row in rows] == list(state.discards) != []
    assert all(
        some(row, "place", "side", "replaced", "fitted", "neighbours", "decision_ms")
        == ["", "", "", 0, "", ""]
        for row in rows
    )
    row = hand(events)
    assert row["sequence"].split().count("discard") == row["discarded"] == len(rows)
    assert row["placement_ms"] == " ".join(["1000"] * row["placed"])


def test_notes_and_refused_actions_change_no_measures():
    ended = [*PLAYED, Event(99, "", "end timeout", None, SHOWN + 99000)]
    assert (hand(ended), placements(ended)) == (hand(), placements())
    assert placements([]) == []
    assert some(hand([]), "sequence", "placed", "placement_ms", "mean_placement_ms") == ["", 0, "", ""]


# Random play


@st.composite
def plays(draw):
    """Draws deal, options, events and the last state of a hand that may be broken off anywhere."""
    options = {"doubled": draw(st.integers(0, 4)), "mixed_in": draw(st.integers(0, 5))}
    chance = draw(st.randoms(use_true_random=True))
    deal = rules.deal(str(chance.random()), options)
    state, events, now = rules.start(deal, options), [], 0
    for number in range(1, draw(st.integers(0, 70)) + 1):
        if rules.is_over(state):
            break
        forced = rules.forced_action(state)
        marks = [mark for mark in rules.MARKS if mark[5] in state.spares]
        action = forced or chance.choice(rules.legal_actions(state, "solo"))
        if not forced and marks and chance.random() < 0.3:
            action = chance.choice(marks)
            if len(state.places[rules.MARKS[action][1] - 1]) == 3:
                continue
        now += chance.randrange(3000)
        events.append(Event(number, "solo", action, None if forced else now, SHOWN + now))
        state = rules.apply(state, "solo", action)
    return deal, options, events, state


@given(plays())
def test_placement_and_hand_tables_agree(play):
    deal, options, events, state = play
    rows, row = placements(events, options, deal), hand(events, options, deal)
    assert set(row) == {*measures.COLUMNS, "sequence"}
    assert all(set(each) == set(measures.PLACEMENT_COLUMNS) for each in rows)
    result = rules.result(state, "solo", 0)
    assert {part: row[part] for part in ("sides", "corners", "discontinuities", "discarded", "placed")} == {
        part: count for part, count in result.parts.items() if part != "seconds"
    }
    assert row["matches"] + row["discontinuities"] + row["open_joints"] == 27
    assert sum(each["matches"] or 0 for each in rows) == row["matches"]
    assert sum(each["discontinuities"] or 0 for each in rows) == row["discontinuities"]
    assert (rows[-1]["score"] if rows else 0) == result.score
    done = [event.action for event in events if not event.action.startswith("mark")]
    assert [each["action"] for each in rows] == done
    assert row["sequence"].split() == [action.removeprefix("place ") for action in done]
    assert sum(each["planned"] for each in rows) <= row["marks"] == len(events) - len(done)
    times = [int(ms) for ms in row["placement_ms"].split()]
    assert times == [each["decision_ms"] for each in rows if each["place"]]
    placed = [event.client_ms for event in events if event.action.startswith("place")]
    assert sum(times) == (placed[-1] if placed else 0)
    assert row["forced"] == sum(each["fitted"] == 1 for each in rows)
    for each in rows:
        assert (each["fitted"] == 0) is (each["action"] == "discard")


@pytest.mark.parametrize("columns", [measures.COLUMNS, measures.PLACEMENT_COLUMNS])
def test_every_column_is_explained(columns):
    assert all(len(meaning) > 10 for meaning in columns.values())
