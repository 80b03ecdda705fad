"""Measures of how Target the Two is played: hands told by hand, and a second telling of the definitions."""

from __future__ import annotations

import json
from functools import partial
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measuring import of_hand, of_participant

from games.cards import TTT_PACK
from games.events import Event
from games.hand import Course
from games.record import Opening
from games.statistics import Row
from games.ttt import belief, measures, performance, rules
from games.ttt.performance import Thresholds

measured, told = partial(of_hand, performance), partial(of_participant, performance)

# 422 in four moves (TUPT), 442 in five; the least expected moves depend on ViewCard.
DEAL = "3H 2C 2H 4C 4H 3C | 2H | ck"
# 442 in three moves (CTT), 422 in four or more.
BY_442 = "2H 3C 3H 4C 2C 4H | 2H | ck"
ELSEWHERE = "3H 3C 2H 2C 4C 4H | 2H | ck"  # another card than 4C lies in Target
# TT solves it, if both keepers' cards are known; where ViewCard is all, passing shows no other card.
KNOWN = "3C 2C 4H 4C 3H 2H | 2H | ck"
PLAYED = [(DEAL, "TUPT"), (DEAL, "PPTUPT"), (BY_442, "CTT"), (ELSEWHERE, "PUPT"), (DEAL, "UP"), (BY_442, "")]


def hand(deal: str = DEAL, sequence: str = "TUPT", seconds: Any = 8.0, **cells: Any) -> Row:
    """A row of the table of hands, with the measures of the hand."""
    events = [Event(n, "solo", move, 1000 * n, 1000 * n) for n, move in enumerate(sequence, 1)]
    state = rules.start(deal, {})
    for move in sequence:
        state = rules.apply(state, "solo", move)
    row = {
        "outcome": "solved" if state.solved else "gave_up",
        "client_seconds": seconds,
        "settings": json.dumps({"ViewCard": "all"}),
        **measures.of_hand(Course.of(rules, Opening(deal, {}), events), "solo"),
        **cells,
    }
    return measured(row)


def only(found: Row, *names: str) -> list[Any]:
    return [found[name] for name in names]


# Of a hand


def test_a_hand_solved_in_the_least_moves():
    found = hand()
    assert only(found, "seconds_per_move", "excess_moves", "optimal") == [2, 0, 1]
    assert only(found, "moves_422", "moves_442", "shorter_route") == [4, 5, "422"]
    expected = float(belief.expected_moves(*rules.parse_deal(DEAL), "all"))
    assert only(found, "expected_moves", "excess_over_expected") == [expected, 4 - expected]


def test_a_hand_solved_by_a_detour():
    found = hand(sequence="PPTUPT", seconds=3.0)
    assert only(found, "seconds_per_move", "excess_moves", "optimal") == [0.5, 2, 0]


def test_the_expected_moves_grow_with_what_is_hidden():
    views = [json.dumps({"ViewCard": view}) for view in ("all", "none")]
    assert [hand(KNOWN, "TT", settings=view)["expected_moves"] for view in views] == [2, 4]


@pytest.mark.parametrize(
    ("sequence", "lost", "best"), [("TT", 0, 1), ("PPTT", 2, 0), ("T", 0, 0), ("PP", 2, 0), ("", "", 0)]
)
def test_moves_are_lost_by_choices_that_make_the_way_longer(sequence, lost, best):
    assert only(hand(KNOWN, sequence), "moves_lost", "best_play") == [lost, best]


def test_an_open_hand_has_lost_moves_but_is_not_judged():
    assert only(hand(KNOWN, "PP", outcome="open"), "moves_lost", "best_play") == [2, ""]


def test_a_log_s_hand_that_is_over_and_not_solved_is_judged_too():
    assert only(hand(KNOWN, "PP", outcome=""), "moves_lost", "best_play") == [2, 0]


@given(st.integers(0, 59), st.sampled_from(belief.VIEWS))
def test_who_plays_by_best_moves_has_lost_nothing(number, view_card):
    layout = list(permutations(TTT_PACK))[12 * number]
    if layout[rules.TARGET] == "2H":
        return
    state, seen = (
        rules.start(rules.format_deal(layout, "2H", "ck"), {}),
        belief.dealt(layout, "ck", view_card),
    )
    while not state.solved:
        move = belief.best_move(seen, "2H")
        state = rules.apply(state, "solo", move)
        seen = belief.seen(belief.moved(seen, move), state.layout)
    row = hand(
        rules.format_deal(layout, "2H", "ck"), state.sequence, settings=json.dumps({"ViewCard": view_card})
    )
    assert only(row, "moves_lost", "best_play") == [0, 1]


@pytest.mark.parametrize("settings", ["", "{}", '{"MaxRounds":5}', '{"ViewCard":"ALL"}', '{"ViewCard":null}'])
def test_without_a_view_card_that_is_one_nothing_is_expected(settings):
    assert only(hand(settings=settings), "expected_moves", "excess_over_expected") == ["", ""]


def test_where_the_routes_do_not_compete_they_have_no_length():
    assert only(hand(ELSEWHERE, "PUPT"), "moves_422", "moves_442", "shorter_route") == ["", "", ""]


@pytest.mark.parametrize("outcome", ["failed", "timeout", "gave_up", "advanced"])
def test_a_hand_that_is_not_solved_is_not_optimal_and_has_no_excess(outcome):
    found = hand(sequence="UP", outcome=outcome)
    assert only(found, "optimal", "excess_moves", "excess_over_expected") == [0, "", ""]


def test_an_open_hand_has_neither():
    found = hand(sequence="UP", outcome="open", seconds="")
    assert only(found, "optimal", "excess_moves", "seconds_per_move") == ["", "", ""]


def test_a_hand_without_a_move_has_no_speed():
    assert hand(sequence="", seconds=3.0)["seconds_per_move"] == ""


def test_a_log_s_hand_that_is_over_and_not_solved_is_not_optimal():
    """A log does not tell how such a hand ended, but that it was not solved."""
    assert hand(sequence="UP", outcome="")["optimal"] == 0


def test_a_log_s_hand_without_goal_and_first_mover_tells_little():
    # As the source's logs have it: no HS line, so neither goal nor settings nor outcome.
    found = measured({"sequence": "TUPT", "moves": 4, "client_seconds": 8.0, "settings": "", "score": 800,
                      "layout": DEAL.split(" | ")[0], "goal": None, "first": "ck"})  # fmt: skip
    assert found["seconds_per_move"] == 2
    assert {found[measure.__name__] for measure in performance.HAND_MEASURES[1:]} == {""}


# Of a participant


def test_nobody_played_has_nothing():
    assert {name for name, value in told([]).items() if value is not None} == {"hands_over"}


def test_a_participant_of_four_hands():
    found = told(
        [
            hand(seconds=8.0),  # solved, excess 0, 2 s a move
            hand(sequence="PPTUPT", seconds=6.0),  # solved, excess 2, 1 s a move
            hand(sequence="UP", seconds=1.0),  # not solved, 0.5 s a move
            hand(seconds=2.0),  # solved, excess 0, 0.5 s a move
        ],
    )
    assert found["hands_over"] == 4
    assert found["solved_share"] == 3 / 4
    assert found["mean_moves"] == pytest.approx(14 / 3)
    assert found["mean_seconds"] == pytest.approx(16 / 3)
    assert found["mean_excess_moves"] == pytest.approx(2 / 3)
    assert found["optimal_share"] == 2 / 4
    assert found["excess_change"] == 0  # of 0, 2, 0 the middle belongs to neither half
    assert found["share_422"] == 1
    assert found["share_442"] == 0
    assert found["route_entropy"] == 0
    assert found["sequence_entropy"] == pytest.approx(0.9182958)  # TUPT twice, PPTUPT once
    assert found["repeated_sequences"] == 1 / 3
    assert found["familiar_route"] == "422"


def test_practice_that_halves_the_time_with_each_doubling_has_the_exponent_minus_one():
    hands = [hand(seconds=4 * 8.0 / place) for place in range(1, 9)]
    assert told(hands)["learning_rate"] == pytest.approx(-1)


def test_a_hand_without_a_speed_keeps_its_place_in_the_course_of_learning():
    hands = [hand(seconds=4 * 8.0 / place) for place in range(1, 9)]
    hands[2] = hand(sequence="", seconds=9.0)
    assert told(hands)["learning_rate"] == pytest.approx(-1)


def test_routes_are_counted_where_both_compete_and_wandering_is_neither():
    wandering = hand(sequence="TPTPTUPT")
    hands = [hand(), hand(BY_442, "CTT"), wandering, hand(), hand(ELSEWHERE, "PUPT"), hand(sequence="T")]
    found = told(hands)
    assert wandering["route"] == "42422"
    assert (found["share_422"], found["share_442"]) == (2 / 4, 1 / 4)
    assert found["route_entropy"] == pytest.approx(1.5)


def route(taken: str, shorter: str = "", outcome: str = "solved", best: Any = 1) -> Row:
    """As much of a row as the classes need."""
    return {"outcome": outcome, "route": taken, "shorter_route": shorter, "best_play": best}


def classes(hands: list[Row], **thresholds: Any) -> list[Any]:
    limits = Thresholds(**thresholds)
    measures_of_class = (performance.familiar_route, performance.routinization, performance.participant_class)
    return [measure(hands, limits) for measure in measures_of_class]


LEARNT_422 = [route("422", "422")] * 4
NOT_OPTIMAL = route("422", "442", best=0)


def test_somebody_who_keeps_the_familiar_route_is_routinized_and_who_does_not_creative():
    assert classes(LEARNT_422 + [route("422", "442")] * 4) == ["422", 1, "expert routinized"]
    assert classes(LEARNT_422 + [route("442", "442")] * 4) == ["422", 0, "expert creative"]


def test_at_the_thresholds_one_is_an_expert_and_routinized():
    hands = [*LEARNT_422[:3], NOT_OPTIMAL, *[route("422", "442")] * 2, *[route("442", "442")] * 2]
    assert classes(hands) == ["422", 0.5, "expert routinized"]
    assert classes(hands, expert_from=0.76)[2] == "inexpert routinized"
    assert classes(hands, routinized_from=0.51)[2] == "expert creative"
    assert classes(hands, expert_from=0.76, routinized_from=0.51)[2] == "inexpert creative"


def test_the_learning_hands_are_the_first_half_or_as_many_as_asked():
    hands = [route("422", "422"), *[route("442", "422", best=0)] * 2, route("442", "422", best=0)]
    assert classes(hands[:3]) == ["422", None, None]  # one of three to learn, nothing tempts later
    assert classes(hands, learning_hands=3) == ["442", 1, "inexpert routinized"]
    assert classes(hands, learning_hands=99) == ["442", None, None]


def test_of_two_routes_taken_equally_often_the_later_one_is_familiar():
    assert performance.familiar_route([*LEARNT_422[:1], route("442", "422")] * 2, Thresholds()) == "442"
    assert performance.familiar_route([route("442", "422"), *LEARNT_422[:1]] * 2, Thresholds()) == "422"


def test_a_route_that_wandered_or_did_not_arrive_or_did_not_compete_is_nobody_s_habit():
    hands = [route("42422", "422")] * 3 + [route("422", "")] * 3 + [route("422", "422", "failed")] * 3
    assert classes(hands, learning_hands=9) == [None, None, None]


hands_of_routes = st.lists(
    st.builds(
        route,
        st.sampled_from(["422", "442", "42422"]),
        st.sampled_from(["422", "442", ""]),
        st.just("solved"),
        st.sampled_from([0, 1]),
    ),
    max_size=24,
)


@given(hands_of_routes, st.integers(0, 12))
def test_routinization_counts_tempting_hands_alone(hands, learning):
    first = learning or len(hands) // 2
    familiar, habit, name = classes(hands, learning_hands=learning)
    tempting = [row for row in hands[first:] if row["shorter_route"] and row["shorter_route"] != familiar]
    if familiar is None or not tempting:
        assert (habit, name) == (None, None)
        return
    assert habit == pytest.approx(sum(row["route"] == familiar for row in tempting) / len(tempting))
    others = [row if row in tempting else {**row, "route": "442"} for row in hands[first:]]
    assert classes(hands[:first] + others, learning_hands=learning)[1] == habit


@given(hands_of_routes)
def test_who_played_only_what_is_best_is_never_routinized(hands):
    best = [{**row, "route": row["shorter_route"] or row["route"], "best_play": 1} for row in hands]
    assert classes(best)[1] in (None, 0)
    assert classes(best)[2] in (None, "expert creative")


@given(st.lists(st.sampled_from(PLAYED), max_size=12))
def test_shares_lie_between_nothing_and_all_and_entropies_below_the_number_of_hands(played):
    found = told([hand(*each) for each in played])
    for name in ("solved_share", "optimal_share", "share_422", "share_442", "repeated_sequences"):
        assert found[name] is None or 0 <= found[name] <= 1
    if found["share_422"] is not None:
        assert found["share_422"] + found["share_442"] <= 1
    for name in ("route_entropy", "sequence_entropy"):
        assert found[name] is None or 0 <= 2 ** found[name] <= len(played) + 1e-9


def test_what_a_log_leaves_out_is_counted_neither_way():
    """Where goal and first mover are not known, nobody knows whether the hand was solved."""
    unknown = {"outcome": "", "route": "", "sequence": "TUPT", "moves": 4, "goal": "", "optimal": ""}
    assert told([unknown] * 3)["solved_share"] is None
    assert told([unknown, hand(), unknown])["solved_share"] == 1
    assert told([hand(), hand(sequence="UP", outcome="")])["solved_share"] == 0.5


@given(st.data())
def test_a_row_with_missing_and_empty_cells_is_never_a_crash(data):
    hands = []
    for deal, sequence in data.draw(st.lists(st.sampled_from(PLAYED), max_size=6)):
        row = hand(deal, sequence)
        for name in data.draw(st.sets(st.sampled_from([*row]))):
            del row[name]
        for name in data.draw(st.sets(st.sampled_from([*row])) if row else st.just(())):
            row[name] = ""
        own = [measure(row) for measure in performance.HAND_MEASURES]
        assert not any(value == "" for value in own)
        hands.append(measured(row) if data.draw(st.booleans()) else row)
    found = told(hands, learning_hands=data.draw(st.integers(0, 4)))
    assert not any(value == "" for value in found.values())


def test_rows_of_empty_cells_tell_only_how_many_they_are():
    empty = dict.fromkeys(hand(), "")
    assert [measure(empty) for measure in performance.HAND_MEASURES] == [None] * len(
        performance.HAND_MEASURES
    )
    assert {name: value for name, value in told([empty] * 4).items() if value is not None} == {
        "hands_over": 4
    }
    assert {name: value for name, value in told([{}] * 4).items() if value is not None} == {"hands_over": 4}


# Pick-ups


@pytest.mark.parametrize(
    ("actions", "picked", "aborted"),
    [
        ("", 0, 0),
        ("U C P", 0, 0),
        ("pick_ck U", 1, 0),
        ("pick_up U", 1, 0),  # the other card dragged onto the keeper's
        ("pick_nk pick_nk T", 2, 1),
        ("pick_ck look_ck U", 1, 1),
        ("pick_ck", 1, 1),  # the hand was closed then
        ("pick_ck pick_up P", 2, 2),  # nobody passes by dragging
        ("pick_t U", 1, 1),  # picked up in vain; then U by the keyboard
        ("pick_ck U pick_nk T pick_ck pick_ck N", 4, 1),
    ],
)
def test_a_drag_is_given_up_unless_the_exchange_that_it_began_comes_next(actions, picked, aborted):
    found = measures.of_drags([action.replace("_", " ") for action in actions.split()])
    assert found == {"pick_ups": picked, "aborted_drags": aborted}


@given(st.lists(st.sampled_from([*rules.PICKS, *rules.MOVES, "look ck"])))
def test_there_are_no_more_drags_than_pick_ups_or_exchanges(actions):
    found = measures.of_drags(actions)
    assert found["pick_ups"] == sum(action in rules.PICKS for action in actions)
    dragged = found["pick_ups"] - found["aborted_drags"]
    assert 0 <= dragged <= min(found["pick_ups"], sum(action in "UCNT" for action in actions))
