"""Tests measures of Target the Two against hand-computed examples and a second implementation."""

from __future__ import annotations

import json
from functools import partial
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from performance_measures import add_hand_measures, participant_measures
from value_iteration import by_value_iteration

from cardlab.games.cards import TTT_PACK
from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.record import Opening
from cardlab.games.statistics import Row
from cardlab.games.ttt import belief, board, measures, performance, routes, rules

measures_of_hand, measures_of_participant = (
    partial(add_hand_measures, performance.MEASURES),
    partial(participant_measures, performance.MEASURES),
)

# 422 in four moves (TUPT), 442 in five; the least expected moves depend on ViewCard.
DEAL = "3H 2C 2H 4C 4H 3C | 2H | ck"
# 442 in three moves (CTT), 422 in four or more.
BY_442 = "2H 3C 3H 4C 2C 4H | 2H | ck"
ELSEWHERE = "3H 3C 2H 2C 4C 4H | 2H | ck"  # another card than 4C lies in Target
# TT solves it, if both keepers' cards are known; where ViewCard is all, passing shows no other card.
KNOWN = "3C 2C 4H 4C 3H 2H | 2H | ck"
PLAYED = [(DEAL, "TUPT"), (DEAL, "PPTUPT"), (BY_442, "CTT"), (ELSEWHERE, "PUPT"), (DEAL, "UP"), (BY_442, "")]


def hand(deal: str = DEAL, sequence: str = "TUPT", seconds: Any = 8.0, **cells: Any) -> Row:
    """Returns a row of the table of hands, with the measures of the hand."""
    events = [Event(n, "solo", move, 1000 * n, 1000 * n) for n, move in enumerate(sequence, 1)]
    state = rules.start(deal, {})
    for move in sequence:
        state = rules.apply(state, "solo", move)
    row = {
        "outcome": "solved" if state.solved else "gave_up",
        "client_seconds": seconds,
        "settings": json.dumps({"ViewCard": "all"}),
        **measures.measure_hand(History.replay(rules, Opening(deal, {}), events), "solo"),
        **cells,
    }
    return measures_of_hand(row)


def only(measured: Row, *names: str) -> list[Any]:
    return [measured[name] for name in names]


# Of a hand


def test_shortest_solution_is_optimal():
    measured = hand()
    assert only(measured, "seconds_per_move", "excess_moves", "optimal") == [2, 0, 1]
    assert only(measured, "moves_422", "moves_442", "shorter_route") == [4, 5, "422"]
    expected = float(belief.expected_moves(*board.parse_deal(DEAL), "all"))
    assert only(measured, "expected_moves", "excess_over_expected") == [expected, 4 - expected]


def test_detour_counts_as_excess_moves():
    measured = hand(sequence="PPTUPT", seconds=3.0)
    assert only(measured, "seconds_per_move", "excess_moves", "optimal") == [0.5, 2, 0]


def test_hidden_cards_increase_the_expected_moves():
    views = [json.dumps({"ViewCard": view}) for view in ("all", "none")]
    assert [hand(KNOWN, "TT", settings=view)["expected_moves"] for view in views] == [2, 4]


@pytest.mark.parametrize(
    ("sequence", "lost", "best"), [("TT", 0, 1), ("PPTT", 2, 0), ("T", 0, 0), ("PP", 2, 0), ("", "", 0)]
)
def test_detours_count_as_moves_lost(sequence, lost, best):
    assert only(hand(KNOWN, sequence), "moves_lost", "best_play") == [lost, best]


def test_open_hand_has_moves_lost_but_no_judgement():
    assert only(hand(KNOWN, "PP", outcome="open"), "moves_lost", "best_play") == [2, ""]


def test_finished_unsolved_log_hand_is_judged():
    assert only(hand(KNOWN, "PP", outcome=""), "moves_lost", "best_play") == [2, 0]


@given(st.integers(0, 59), st.sampled_from(belief.VIEWS))
def test_best_moves_lose_nothing(number, view_card):
    layout = list(permutations(TTT_PACK))[12 * number]
    if layout[board.TARGET] == "2H":
        return
    state, seen = (
        rules.start(board.format_deal(layout, "2H", "ck"), {}),
        belief.after_deal(layout, "ck", view_card),
    )
    while not state.solved:
        move = belief.best_move(seen, "2H")
        state = rules.apply(state, "solo", move)
        seen = belief.after_looking(belief.after_move(seen, move), state.layout)
    row = hand(
        board.format_deal(layout, "2H", "ck"), state.sequence, settings=json.dumps({"ViewCard": view_card})
    )
    assert only(row, "moves_lost", "best_play") == [0, 1]


@pytest.mark.parametrize("settings", ["", "{}", '{"MaxRounds":5}', '{"ViewCard":"ALL"}', '{"ViewCard":null}'])
def test_invalid_view_card_gives_no_expectation(settings):
    assert only(hand(settings=settings), "expected_moves", "excess_over_expected") == ["", ""]


def test_routes_that_do_not_compete_have_no_length():
    assert only(hand(ELSEWHERE, "PUPT"), "moves_422", "moves_442", "shorter_route") == ["", "", ""]


@pytest.mark.parametrize("outcome", ["failed", "timeout", "gave_up", "advanced"])
def test_unsolved_hand_is_not_optimal_without_excess(outcome):
    measured = hand(sequence="UP", outcome=outcome)
    assert only(measured, "optimal", "excess_moves", "excess_over_expected") == [0, "", ""]


def test_open_hand_has_neither_optimality_nor_excess():
    measured = hand(sequence="UP", outcome="open", seconds="")
    assert only(measured, "optimal", "excess_moves", "seconds_per_move") == ["", "", ""]


def test_hand_without_moves_has_no_speed():
    assert hand(sequence="", seconds=3.0)["seconds_per_move"] == ""


def test_finished_unsolved_log_hand_is_not_optimal():
    """A log does not say how such a hand ended, only that it was not solved."""
    assert hand(sequence="UP", outcome="")["optimal"] == 0


def test_log_hand_without_goal_has_few_measures():
    # The source's logs have no HS line, so neither goal nor settings nor outcome.
    row = {"sequence": "TUPT", "moves": 4, "client_seconds": 8.0, "settings": "", "score": 800}
    measured = measures_of_hand({**row, "layout": DEAL.split(" | ")[0], "goal": None, "first": "ck"})
    assert measured["seconds_per_move"] == 2
    assert {measured[measure.__name__] for measure in performance.MEASURES.hand_measures[1:]} == {""}


# Of a participant


def test_participant_without_hands_has_only_counts():
    counts = {"hands_over", "solved_hands", "route_hands", "learning_hands_over", "tempting_hands"}
    counts |= {"control_hands", "extinction_hands"}
    assert {name for name, value in measures_of_participant([]).items() if value is not None} == counts | {
        "attanasi_hands"
    }
    assert not any(measures_of_participant([]).values())


def test_four_hands_give_the_participants_measures():
    measured = measures_of_participant(
        [
            hand(seconds=8.0),  # solved, excess 0, 2 s a move
            hand(sequence="PPTUPT", seconds=6.0),  # solved, excess 2, 1 s a move
            hand(sequence="UP", seconds=1.0),  # not solved, 0.5 s a move
            hand(seconds=2.0),  # solved, excess 0, 0.5 s a move
            hand(seconds=4.0),  # solved, excess 0, 1 s a move
        ],
    )
    assert measured["hands_over"] == 5
    assert measured["solved_share"] == 4 / 5
    assert measured["mean_moves"] == pytest.approx(18 / 4)
    assert measured["mean_seconds"] == pytest.approx(20 / 4)
    assert measured["mean_excess_moves"] == pytest.approx(2 / 4)
    assert measured["optimal_share"] == 3 / 5
    assert measured["excess_change"] == -1  # of 0, 2, 0, 0
    assert measured["share_422"] == 1
    assert measured["share_442"] == 0
    assert measured["route_entropy"] == 0
    assert measured["sequence_entropy"] == pytest.approx(0.8112781)  # TUPT three times, PPTUPT once
    assert measured["repeated_sequences"] == 2 / 4


def test_some_measures_need_four_hands():
    measured = measures_of_participant([hand()] * 3)
    assert (measured["solved_hands"], measured["mean_moves"], measured["share_422"]) == (3, 4, 1)
    more = ("learning_rate", "excess_change", "variance_of_moves", "route_entropy", "repeated_sequences")
    assert [measured[name] for name in more] == [None] * 5
    assert None not in [
        measures_of_participant([hand()] * 4)[name] for name in more if name != "learning_rate"
    ]


def test_halving_time_per_doubling_gives_exponent_minus_one():
    hands = [hand(seconds=4 * 8.0 / place) for place in range(1, 9)]
    assert measures_of_participant(hands)["learning_rate"] == pytest.approx(-1)


def test_hand_without_speed_keeps_its_learning_position():
    hands = [hand(seconds=4 * 8.0 / place) for place in range(1, 9)]
    hands[2] = hand(sequence="", seconds=9.0)
    assert measures_of_participant(hands)["learning_rate"] == pytest.approx(-1)


def test_routes_count_only_where_both_compete():
    wandering = hand(sequence="TPTPTUPT")
    hands = [hand(), hand(BY_442, "CTT"), wandering, hand(), hand(ELSEWHERE, "PUPT"), hand(sequence="T")]
    assert measures_of_participant(hands)["route_hands"] == 4
    measured = measures_of_participant(hands)
    assert wandering["route"] == "42422"
    assert (measured["share_422"], measured["share_442"]) == (2 / 4, 1 / 4)
    assert measured["route_entropy"] == pytest.approx(1.5)


def route(taken: str, shorter: str = "", outcome: str = "solved", best: Any = 1, lost: Any = 0) -> Row:
    """Returns the cells that the classes need; the longer route costs two moves."""
    costs = {f"lost_by_{name}": 2 * (name != shorter) if shorter else "" for name in ("422", "442")}
    cells = {"outcome": outcome, "route": taken, "shorter_route": shorter, "best_play": best}
    return {**cells, "optimal": best, "moves_lost": lost, **costs}


def numbered(hands: list[Row], **settings: Any) -> list[Row]:
    """Returns the hands of a session, with their numbers and settings."""
    return [
        {**row, "number": number, "settings": json.dumps(settings)} for number, row in enumerate(hands, 1)
    ]


def classes(hands: list[Row], **thresholds: Any) -> list[Any]:
    measured = measures_of_participant(numbered(hands), **{"learning_hands": 4, **thresholds})
    return [measured[name] for name in ("familiar_route", "routinization", "creativity", "participant_class")]


LEARNT_422 = [route("422", "422")] * 4
KEPT, LEFT = route("422", "442", best=0, lost=2), route("442", "442")
HELD, SWAPPED = route("422", "422"), route("442", "422", best=0, lost=2)
WANDERED, FAILED = route("42422", "442", best=0, lost=3), route("42", "442", "failed", best=0, lost=5)


def test_keeping_the_route_is_routinized_leaving_it_creative():
    assert classes(LEARNT_422 + [KEPT] * 4) == ["422", 1, 0, "expert routinized"]
    assert classes(LEARNT_422 + [LEFT] * 4) == ["422", 0, 1, "expert creative"]


@pytest.mark.parametrize("lost_way", [WANDERED, FAILED])
def test_detours_and_failures_are_neither_routinized_nor_creative(lost_way):
    assert classes(LEARNT_422 + [lost_way] * 4) == ["422", 0, 0, "expert undecided"]
    assert classes(LEARNT_422 + [lost_way] * 2 + [LEFT] * 2)[3] == "expert creative"


def test_familiar_route_without_cost_is_not_routine():
    for_free = route("422", "442", lost=0)
    assert classes(LEARNT_422 + [for_free] * 4) == ["422", 0, 0, "expert undecided"]


@pytest.mark.parametrize(
    ("tempting", "control", "persists"),
    [
        ([KEPT] * 4, [HELD] * 4, 1),  # a habit
        ([LEFT] * 4, [HELD] * 4, 0),  # best play
        ([KEPT, LEFT] * 2, [HELD, SWAPPED] * 2, 0),  # a route by chance
        ([WANDERED] * 4, [route("42422", "422", best=0, lost=3)] * 4, 0),
        ([KEPT] * 4, [HELD] * 3, None),
    ],
)
def test_persistence_is_a_habit_beyond_equal_mistakes(tempting, control, persists):
    measured = measures_of_participant(numbered(LEARNT_422 + tempting + control), learning_hands=4)
    assert (measured["persistence"], measured["control_hands"]) == (persists, len(control))


FREE = route("422", "442", lost=0)  # tempting, but the layout was kind


@pytest.mark.parametrize(
    ("tempting", "hazard"),
    [
        ([KEPT] * 4, 0),
        ([LEFT, KEPT, KEPT, LEFT], 1),
        ([KEPT, FREE, FAILED, KEPT, LEFT, KEPT], 1 / 3),
        ([FREE] * 4, None),
        ([KEPT, KEPT, LEFT], None),
    ],
)
def test_hazard_counts_hands_until_the_route_is_left(tempting, hazard):
    measured = measures_of_participant(numbered(LEARNT_422 + tempting), learning_hands=4)
    assert measured["hazard_of_leaving"] == hazard


def test_extinction_needs_another_way_and_recovery_follows():
    closed, too_long = hand(ELSEWHERE, "PUPT"), {**hand(BY_442, "CTT"), "moves_422": 30}
    hands = [KEPT, KEPT, LEFT, KEPT, closed, closed, too_long, closed, LEFT, LEFT, KEPT, LEFT]
    measured = measures_of_participant(numbered(LEARNT_422 + hands, MaxRounds=20), learning_hands=4)
    assert measured["extinction_hands"] == 4
    assert measured["extinction_best_play_share"] == 1
    assert measured["recovery"] == pytest.approx(3 / 4 - 1 / 5)  # the long hand is tempting, too
    for rest in (hands[:5], hands[3:]):  # fewer than two tempting hands on a side
        few = measures_of_participant(numbered(LEARNT_422 + rest), learning_hands=4)
        assert few["recovery"] is None


def test_thresholds_belong_to_expert_and_routinized():
    hands = [*LEARNT_422[:3], KEPT, *[KEPT] * 2, *[LEFT] * 2]
    assert classes(hands) == ["422", 0.5, 0.5, "expert routinized"]
    assert classes(hands, expert_from=0.76)[3] == "inexpert routinized"
    assert classes(hands, routinized_from=0.51)[3] == "expert creative"
    assert classes(hands, routinized_from=0.51, creative_from=0.51)[3] == "expert undecided"


def test_design_determines_the_learning_hands():
    hands = LEARNT_422 + [KEPT] * 6
    by_design = [{**row, "settings": json.dumps({"learning_hands": 5})} for row in numbered(hands)]
    measured = measures_of_participant(by_design)
    assert (measured["learning_hands_over"], measured["tempting_hands"]) == (5, 5)
    without_the_second = measures_of_participant([*by_design[:1], *by_design[2:]])
    assert (without_the_second["learning_hands_over"], without_the_second["tempting_hands"]) == (4, 5)
    asked = measures_of_participant(by_design, learning_hands=6)
    assert (asked["learning_hands_over"], asked["tempting_hands"]) == (6, 4)


def test_unknown_learning_phase_gives_no_habit():
    measured = measures_of_participant(numbered(LEARNT_422 + [KEPT] * 4))
    assert (measured["learning_hands_over"], measured["tempting_hands"]) == (0, 0)
    assert [measured[name] for name in ("familiar_route", "participant_class", "attanasi_class")] == [
        None
    ] * 3


def test_class_needs_four_hands():
    assert classes(LEARNT_422 + [KEPT] * 3) == ["422", None, None, None]
    assert classes(LEARNT_422[:3] + [KEPT] * 4, learning_hands=3) == ["422", 1, 0, None]


def test_later_route_is_familiar_after_a_tie():
    others = [route("442", "422")] * 2
    assert classes([*LEARNT_422[:2], *others])[0] == "442"
    assert classes([*others, *LEARNT_422[:2]])[0] == "422"


def test_indirect_failed_or_uncontested_routes_form_no_habit():
    hands = [route("42422", "422")] * 3 + [route("422", "")] * 3 + [route("422", "422", "failed")] * 3
    assert classes(hands, learning_hands=9) == [None] * 4


def test_attanasi_class_uses_design_and_known_cards():
    """The participants found 422 themselves, although the design trains 442."""
    free = route("442", "422", best=0, lost=0)
    hands = numbered([*LEARNT_422, *[free] * 4, *[LEFT] * 2], familiar_route="442")
    measured = measures_of_participant(hands, learning_hands=4)
    assert measured["familiar_route"] == "422"
    assert (measured["attanasi_hands"], measured["attanasi_routinization"]) == (4, 1)
    assert (measured["attanasi_expertise"], measured["attanasi_class"]) == (1, "expert routinized")
    assert measures_of_participant(hands, learning_hands=4, familiar_route=422)["attanasi_hands"] == 2


def test_attanasi_class_is_never_undecided():
    hands = numbered([*LEARNT_422, *[KEPT] * 2, *[LEFT] * 2], familiar_route="422")
    strict = {"routinized_from": 0.51, "creative_from": 0.51}
    measured = measures_of_participant(hands, learning_hands=4, **strict)
    names = ("participant_class", "attanasi_class")
    assert [measured[name] for name in names] == ["expert undecided", "expert creative"]


hands_of_routes = st.lists(
    st.builds(
        route,
        st.sampled_from(["422", "442", "42422"]),
        st.sampled_from(["422", "442", ""]),
        st.just("solved"),
        st.sampled_from([0, 1]),
        st.sampled_from([0, 2]),
    ),
    max_size=24,
)


@given(hands_of_routes, st.integers(1, 12))
def test_only_tempting_hands_determine_the_class(hands, learning):
    familiar, habit, another, name = classes(hands, learning_hands=learning)
    tempting = [row for row in hands[learning:] if row["shorter_route"] and row["shorter_route"] != familiar]
    if familiar is None or len(tempting) < 4:
        assert (habit, another, name) == (None, None, None)
        return
    kept = sum(row["route"] == familiar and row["moves_lost"] > 0 for row in tempting)
    assert habit == pytest.approx(kept / len(tempting))
    assert habit + another <= 1
    others = [row if row in tempting else {**row, "route": "442"} for row in hands[learning:]]
    assert classes(hands[:learning] + others, learning_hands=learning)[1] == habit


@given(hands_of_routes)
def test_optimal_play_is_never_routinized(hands):
    best = [{**row, "route": row["shorter_route"] or row["route"], "moves_lost": 0} for row in hands]
    assert classes(best)[1] in (None, 0)


@pytest.mark.parametrize("view", belief.VIEWS)
def test_route_loses_the_mean_over_alike_layouts(view):
    """Compares all deals in which routes compete with a search over sets of layouts that look alike."""
    best = by_value_iteration(routes.GOAL, view)
    for name, cards in routes.ROUTES.items():
        for (layout, first), moves in by_value_iteration(routes.GOAL, view, cards).items():
            row = {"layout": " ".join(layout), "goal": routes.GOAL, "first": first, "settings": _seen(view)}
            lost = measures_of_hand(row)[f"lost_by_{name}"]
            assert lost == pytest.approx(float(moves - best[layout, first]), abs=1e-6)


def test_routes_that_do_not_compete_lose_nothing_known():
    assert only(hand(ELSEWHERE, ""), "lost_by_422", "lost_by_442") == ["", ""]


def _seen(view: str) -> str:
    return json.dumps({"ViewCard": view})


def test_reliability_is_the_variance_over_solved_hands():
    hands = [hand(seconds=4.0), hand(sequence="PPTUPT", seconds=8.0), hand(sequence="UP", seconds=90.0)]
    measured = measures_of_participant([*hands, hand(seconds=5.0), hand(seconds=7.0)])
    assert (measured["variance_of_moves"], measured["moves_variance_change"]) == (1, -2)
    assert measured["variance_of_seconds"] == pytest.approx(10 / 3)
    assert measured["seconds_variance_change"] == 2 - 8


def test_variance_of_moves_lost_ignores_deals():
    dealt = [hand(), hand(BY_442, "CTT"), hand(ELSEWHERE, "PUPT"), hand(KNOWN, "TT")]
    measured = measures_of_participant(dealt)
    assert measured["variance_of_moves"] > 0.9
    assert measured["variance_of_moves_lost"] == 0
    assert measures_of_participant([hand(sequence="PPTUPT"), *dealt])["variance_of_moves_lost"] > 0.7


def test_variance_of_log_seconds_ignores_practice_and_deals():
    dealt = [hand(), hand(KNOWN, "TT"), hand(), hand(ELSEWHERE, "PUPT"), hand(), hand(KNOWN, "TT")]
    steady = [
        {**row, "seconds_per_move": place**-0.4 * 2 ** row["expected_moves"]}
        for place, row in enumerate(dealt, 1)
    ]
    assert measures_of_participant(steady)["variance_of_log_seconds"] == pytest.approx(0, abs=1e-12)
    steady[3] = {**steady[3], "seconds_per_move": 3 * steady[3]["seconds_per_move"]}
    assert measures_of_participant(steady)["variance_of_log_seconds"] > 0.05


@given(st.lists(st.sampled_from(PLAYED), max_size=12))
def test_shares_and_entropies_stay_in_range(played):
    measured = measures_of_participant([hand(*each) for each in played])
    for name in ("solved_share", "optimal_share", "share_422", "share_442", "repeated_sequences"):
        assert measured[name] is None or 0 <= measured[name] <= 1
    if measured["share_422"] is not None:
        assert measured["share_422"] + measured["share_442"] <= 1
    for name in ("route_entropy", "sequence_entropy"):
        assert measured[name] is None or 0 <= 2 ** measured[name] <= len(played) + 1e-9


def test_missing_log_values_are_not_counted():
    """Without goal and first mover it is unknown whether the hand was solved."""
    unknown = {"outcome": "", "route": "", "sequence": "TUPT", "moves": 4, "goal": "", "optimal": ""}
    assert measures_of_participant([unknown] * 3)["solved_share"] is None
    assert measures_of_participant([unknown, hand(), unknown])["solved_share"] == 1
    assert measures_of_participant([hand(), hand(sequence="UP", outcome="")])["solved_share"] == 0.5


@given(st.data())
def test_missing_and_empty_cells_never_crash(data):
    hands = []
    for deal, sequence in data.draw(st.lists(st.sampled_from(PLAYED), max_size=6)):
        row = hand(deal, sequence)
        for name in data.draw(st.sets(st.sampled_from([*row]))):
            del row[name]
        for name in data.draw(st.sets(st.sampled_from([*row])) if row else st.just(())):
            row[name] = ""
        own = [measure(row) for measure in performance.MEASURES.hand_measures]
        assert not any(value == "" for value in own)
        hands.append(measures_of_hand(row) if data.draw(st.booleans()) else row)
    measured = measures_of_participant(hands, learning_hands=data.draw(st.integers(0, 4)))
    assert not any(value == "" for value in measured.values())


def test_rows_of_empty_cells_are_only_counted():
    empty = dict.fromkeys(hand(), "")
    assert [measure(empty) for measure in performance.MEASURES.hand_measures] == [None] * len(
        performance.MEASURES.hand_measures
    )
    for rows in ([empty] * 4, [{}] * 4):
        assert {name: value for name, value in measures_of_participant(rows).items() if value} == {
            "hands_over": 4
        }


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
        ("pick_t U", 1, 1),  # picked up, but not moved; then U by the keyboard
        ("pick_ck U pick_nk T pick_ck pick_ck N", 4, 1),
    ],
)
def test_drag_without_its_exchange_counts_as_aborted(actions, picked, aborted):
    measured = measures.drag_counts([action.replace("_", " ") for action in actions.split()])
    assert measured == {"pick_ups": picked, "aborted_drags": aborted}


@given(st.lists(st.sampled_from([*rules.PICKS, *board.MOVES, "look ck"])))
def test_completed_drags_never_exceed_pick_ups_or_exchanges(actions):
    measured = measures.drag_counts(actions)
    assert measured["pick_ups"] == sum(action in rules.PICKS for action in actions)
    dragged = measured["pick_ups"] - measured["aborted_drags"]
    assert 0 <= dragged <= min(measured["pick_ups"], sum(action in "UCNT" for action in actions))
