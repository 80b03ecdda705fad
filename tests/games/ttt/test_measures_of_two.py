"""Tests the measures of a hand of two: each player's moves and time, and the cost of each choice."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from performance_measures import add_hand_measures

from cardlab.analysis.games.ttt.replay_notes import action_notes
from cardlab.games.events import ABSENT, ARRIVE, Event, server_note
from cardlab.games.hand import History
from cardlab.games.record import Opening
from cardlab.games.statistics import Row
from cardlab.games.ttt import belief, board, hand_measures, measures, moves, performance, rules, strategies
from cardlab.games.ttt.solver import LAYOUTS

measures_of_hand = partial(add_hand_measures, performance.MEASURES)

DEAL = "3H 2C 2H 4C 4H 3C | 2H | ck"  # 422 in four moves, TUPT
GOAL = "3C"  # of properties: no routes compete for it, because computing their cost is slow
Made = tuple[str, int]  # a move, and how many milliseconds after the one before


def history(*made: Made, deal: str = DEAL, served: Iterable[int] = (), **options: Any) -> History:
    """Returns a hand of two who are present throughout; the server makes the moves numbered in ``served``."""
    opening = Opening(deal, {"players": 2, "ViewCkNk": True, "block": 1, **options}, shown_ms=1000)
    events = [server_note(seat, ARRIVE, 1000) for seat in board.KEEPERS]
    ms, seat = 1000, board.parse_deal(deal)[2]
    for number, (move, after) in enumerate(made, 1):
        ms += after
        if number in served:
            events.append(server_note(seat, ABSENT, ms))
        robot = seat in options.get("robots", {})
        client_ms = None if number in served or robot else ms - 1000
        events.append(Event(number, seat, move, client_ms, ms))
        seat = board.other(seat)
    return History.replay(rules, opening, events)


def rows(hand: History) -> list[Row]:
    """Returns the rows of ck and nk in the hands table."""
    state = hand.hand.state
    return [
        measures_of_hand(
            {
                "seat": seat,
                "outcome": "solved" if state.solved else "timeout",
                "settings": json.dumps(state.options),
                **measures.measure_hand(hand, seat),
            }
        )
        for seat in board.KEEPERS
    ]


def cells(hand: History, *names: str) -> list[list[Any]]:
    return [[row[name] for name in names] for row in rows(hand)]


def test_own_measures_differ_and_hand_measures_are_shared():
    hand = history(("T", 2000), ("U", 500), ("P", 1000), ("T", 3000))
    assert cells(hand, "moves", "route", "sequence", "own_moves") == [[4, "422", "TUPT", 2]] * 2
    assert cells(hand, "own_seconds", "partner_seconds", "seconds_per_turn") == [
        [3, 3.5, 1.5],
        [3.5, 3, 1.75],
    ]
    assert cells(hand, "first_move_ms", "partner", "block") == [[2000, "person", 1], [2500, "person", 1]]


def test_looks_and_pick_ups_belong_to_their_player():
    opening = Opening(DEAL, {"players": 2}, shown_ms=0)
    done = [("ck", "look ck"), ("ck", "pick t"), ("ck", "T"), ("nk", "look nk"), ("nk", "look ck")]
    events = [server_note(seat, ARRIVE, 0) for seat in board.KEEPERS]
    events += [
        Event(number, seat, action, 100 * number, 100 * number)
        for number, (seat, action) in enumerate(done, 1)
    ]
    hand = History.replay(rules, opening, events)
    assert cells(hand, "looks", "pick_ups", "aborted_drags") == [[1, 1, 0], [2, 0, 0]]
    (first,) = moves.moves_of(hand)
    assert [first[name] for name in ("keeper", "looks", "pick_ups", "latency_ms")] == ["ck", 1, 1, 300]


def test_turn_time_starts_at_arrival_and_excludes_pauses():
    opening = Opening(DEAL, {"players": 2}, shown_ms=0)
    events = [
        *(server_note("ck", ARRIVE, 0), Event(1, "ck", "T", 1000, 1000)),
        *(
            server_note("nk", ARRIVE, 5000),
            server_note("ck", "pause", 6000),
            server_note("", "go on", 16_000),
        ),
        Event(2, "nk", "U", 17_000, 17_000),
    ]
    assert cells(History.replay(rules, opening, events), "own_seconds") == [[1], [2]]


def test_server_passes_have_no_time_or_choice():
    hand = history(("T", 1000), ("P", 9000), ("P", 1000), ("P", 9000), ("U", 500), served=(2, 4))
    assert cells(hand, "own_moves", "server_passes", "passed_by_server") == [[3, 0, "2 4"], [0, 2, "2 4"]]
    assert cells(hand, "own_seconds", "partner_seconds") == [[2.5, ""], ["", 2.5]]
    assert cells(hand, "passed_after", "forced_passes") == [[0, 0], [0, 0]]
    (of_ck,), (of_nk,) = cells(hand, "moves_lost")
    assert of_ck > 0
    assert of_nk == ""
    lost = [row["lost"] for row in moves.moves_of(hand)]
    assert [lost[1], lost[3]] == ["", ""]
    assert [row["by"] for row in moves.moves_of(hand)] == ["person", "absent"] * 2 + ["person"]
    assert action_notes(hand)[2].startswith("by the server; ")


def test_robot_is_named_and_has_no_time():
    hand = history(("T", 1000), ("U", 0), ("P", 1000), ("T", 0), robots={"nk": "informed"}, seed="1")
    assert cells(hand, "partner", "own_moves", "partner_seconds") == [["informed", 2, ""], ["person", 2, 2]]
    assert [row["latency_ms"] for row in moves.moves_of(hand)] == [1000, "", 1000, ""]


def test_pass_without_better_move_counts_as_forced():
    """After T and U, Ck can only wait for Nk to bring 2H into Target; at the beginning, T was possible."""
    forced = history(("T", 1), ("U", 1), ("P", 1), ("T", 1))
    assert cells(forced, "passed_after", "forced_passes") == [[0, 0], [1, 1]]
    needless = history(("P", 1), ("P", 1), ("T", 1), ("U", 1), ("P", 1), ("T", 1))
    assert belief.cost(belief.after_moves(*board.parse_deal(DEAL)[::2], "all", "P"), "2H", "P") > 0
    assert cells(needless, "passed_after", "forced_passes") == [[1, 0], [1, 1]]


@given(st.randoms(use_true_random=False), st.sampled_from(("all", "none")), st.booleans())
def test_players_losses_equal_those_of_the_moves(chance, view_card, face_up):
    """Both players' losses add up to the pair's, in either row."""
    deal = rules.deal(str(chance.random()), {"Goal": GOAL})
    state, made = rules.start(deal, {"ViewCard": view_card, "players": 2}), []
    while not rules.is_over(state) and len(made) < 8:
        seat = board.on_turn(state)
        made.append((chance.choice(rules.legal_actions(state, seat)), 100))
        state = rules.apply(state, seat, made[-1][0])
    hand = history(*made, deal=deal, ViewCard=view_card, ViewCkNk=face_up)
    all_moves = list(moves.moves_of(hand))
    both = rows(hand)
    for row in both:
        own = [one for one in all_moves if one["keeper"] == row["seat"]]
        assert sum(one["lost"] for one in own) == pytest.approx(row["moves_lost"] or 0, abs=1e-4)
        assert [one["known"].split()[2:4] for one in own] == [one["visible"].split()[2:4] for one in own]
        assert row["passed_after"] >= row["forced_passes"]
    assert both[0]["pair_moves_lost"] == both[1]["pair_moves_lost"]
    assert sum(row["moves_lost"] or 0 for row in both) == pytest.approx(both[0]["pair_moves_lost"], abs=1e-5)


@given(st.integers(0, 10**6), st.sampled_from(("all", "none")), st.booleans())
def test_best_play_by_own_knowledge_loses_nothing(seed, view_card, face_up):
    """This holds even if players must look at cards, which they can do only in their own turns."""
    options = {"ViewCard": view_card, "players": 2, "ViewCkNk": face_up}
    deal = rules.deal(str(seed), {"Goal": GOAL})
    state, made = rules.start(deal, options), []
    while not rules.is_over(state):
        seat = board.on_turn(state)
        made.append((strategies.best(state, seat), 100))
        state = rules.apply(state, seat, made[-1][0])
    hand = history(*made, deal=deal, ViewCard=view_card, ViewCkNk=face_up)
    for row in rows(hand):
        assert row["moves_lost"] in (0, "")
        assert row["pair_moves_lost"] == 0
    assert len([text for text in action_notes(hand).values() if text.startswith("cost 0; ")]) == len(made)


@pytest.mark.parametrize(("view_card", "face_up"), [("all", True), ("all", False), ("none", True)])
def test_bounds_enclose_what_equally_informed_players_expect(view_card, face_up):
    """Over all deals that look alike to both, joint knowledge expects no more moves than common knowledge,
    though it may on a single deal. They are equal only if both see the same cards."""
    settings = {"ViewCard": view_card, "ViewCkNk": face_up}
    row = {"goal": GOAL, "first": "ck", "seat": "ck", "settings": json.dumps(settings)}
    alike = [row | {"layout": " ".join(layout)} for layout in LAYOUTS if layout[2:4] == ("2C", "4C")]
    union = [hand_measures.expected_union(one) for one in alike]
    common = [hand_measures.expected_common(one) for one in alike]
    assert sum(union) <= sum(common) + 1e-6
    all_seen = view_card == "all" and face_up
    assert (union == common) == all_seen
    assert all_seen or len(set(common)) == 1


def test_solo_hand_has_no_pair_measures():
    events = [Event(number, "solo", move, number, number) for number, move in enumerate("TUPT", 1)]
    hand = History.replay(rules, Opening(DEAL, {}, shown_ms=0), events)
    row = measures_of_hand(
        {"seat": "solo", "outcome": "solved", "settings": "{}", **measures.measure_hand(hand, "solo")}
    )
    names = list(measures.COLUMNS)[list(measures.COLUMNS).index("partner") :]
    names += ["seconds_per_turn", "forced_passes", "pair_moves_lost", "expected_union", "expected_common"]
    assert [row[name] for name in names] == [""] * len(names)
