"""Tests the score of a hand of Solitario (ruling 24) on worked examples."""

import pytest

from cardlab.core.transitions import message_to_seat
from cardlab.games.events import Event
from cardlab.games.hand import Hand
from cardlab.games.record import Opening
from cardlab.games.solitario import rules
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.scoring import POINTS, Counts, bonus, score
from cardlab.games.solitario.solver import solve, with_clicks

# The events of a solved hand and its seconds, and the resulting points of the events, score before the bonus,
# bonus and final score.
WORKED = {
    "quick": (Counts(10, 21, 40, 0, 0), 100, (3375, 3275, 5550, 8825)),
    "slow": (Counts(10, 21, 40, 0, 0), 600, (3375, 2775, -450, 2775)),
    "the bonus is just nothing": (Counts(0, 0, 40, 0, 0), 400, (2400, 2000, 0, 2000)),
    "a second less": (Counts(0, 0, 40, 0, 0), 399, (2400, 2001, 12, 2013)),
    "a second more": (Counts(0, 0, 40, 0, 0), 401, (2400, 1999, -12, 1999)),
    "turned over and brought back": (Counts(12, 21, 43, 3, 4), 60, (2720, 2660, 4720, 7380)),
    "a score below nothing": (Counts(0, 21, 40, 0, 20), 10, (-575, -585, -1270, -585)),
    "in no time": (Counts(1, 0, 0, 0, 0), 0, (45, 45, 90, 135)),
}


@pytest.mark.parametrize(("counts", "seconds", "expected"), WORKED.values(), ids=WORKED)
def test_a_bonus_is_never_negative(counts, seconds, expected):
    points, before, formula, final = expected
    assert counts.points == points
    assert before == points - seconds
    assert formula == 2 * before - 10 * seconds
    assert bonus(counts, seconds) == max(0, formula)
    assert score(counts, seconds, solved=True) == final == before + max(0, formula)
    assert score(counts, seconds, solved=False) == before


def test_each_event_has_its_documented_points():
    documented = {"from_stock": 45, "turned_up": 25, "sent_home": 60, "brought_back": -75, "turn_overs": -175}
    assert documented == POINTS
    for event, worth in documented.items():
        assert Counts(**{event: 3}).points == 3 * worth


def at_hand():
    """Returns a table on which each event can happen at once."""
    deal = "1s | 4c 2d | 2b 7b 1d | 5c 3b 6c 3d | 4b 5b 6b 7c Vb | 1b 2c 3c 4d 7d Vd | 1c 6d Vs Cb Rb Cc Vc"
    dealt = set(deal.split())
    return f"{deal} | 2s {' '.join(card for card in PACKS['briscola'].cards if card not in {*dealt, '2s'})}"


@pytest.mark.parametrize(
    ("actions", "points"),
    [
        (["draw"], 0),
        (["home 1"], 60),
        (["home 3", "home 2"], 120),
        (["home 1", "home s 3"], 60),
        (["home 3", "up 3"], 85),
        (["home 1", "home s 3", "home s 1", "home s 2"], 60),
        (["draw", "move w 4"], 45),
        (["home 1", "draw", "home w"], 120),
        (["home 1", "draw", "home w", "back s 4", "home 4"], 105),
        (["draw", "move w 4", "home 1", "home 4"], 165),
        (["home 1", "draw", "home w", "back s 4"], 45),
        ([*["draw"] * 12, "turn"], -175),
        ([*["draw"] * 12, "turn", *["draw"] * 12, "turn"], -350),
    ],
)
def test_each_action_is_worth_its_points(actions, points):
    state = rules.start(at_hand(), {})
    for action in actions:
        state = rules.apply(state, rules.SEAT, action)
    view = rules.view(state, rules.SEAT)
    assert view["points"] == points
    assert view["counts"] == state.counts._asdict()
    assert rules.result(state, rules.SEAT, 7.5).score == points - 7


def test_sending_a_waste_card_home_scores_once():
    state = rules.start(at_hand(), {})
    for action in ("home 1", "draw", "home w"):
        state = rules.apply(state, rules.SEAT, action)
    assert state.counts == Counts(sent_home=2)


@pytest.mark.parametrize(("seconds", "whole"), [(0, 0), (0.999, 0), (1, 1), (59.5, 59), (600.001, 600)])
def test_seconds_are_whole(seconds, whole):
    state = rules.start(at_hand(), {})
    result = rules.result(state, rules.SEAT, seconds)
    assert (result.score, result.parts["seconds"], result.outcome) == (-whole, whole, "open")
    assert type(result.parts["seconds"]) is type(result.score) is int


def test_a_given_up_hand_has_its_parts():
    state = rules.start(at_hand(), {})
    for action in ("home 1", "home 3", "up 3", "draw", "move w 4", "give up"):
        state = rules.apply(state, rules.SEAT, action)
    parts = {"from_stock": 1, "turned_up": 1, "sent_home": 2, "brought_back": 0, "turn_overs": 0}
    parts |= {"seconds": 12, "bonus": 0, "cards_home": 2}
    assert rules.result(state, rules.SEAT, 12.3) == (45 + 25 + 120 - 12, parts, "gave_up")


@pytest.mark.parametrize(("seconds", "has_bonus"), [(120, True), (3000, False)])
@pytest.mark.parametrize(
    ("pack", "seed"), [("briscola", "perft one"), ("tarocco", "deal 4"), ("french", "deal 1")]
)
def test_a_solved_hand_scores_the_sum_of_parts(pack, seed, seconds, has_bonus):
    state = rules.start(rules.deal(seed, {"pack": pack}), {"pack": pack})
    line = solve(state.position, PACKS[pack], ace_on_two=pack == "french").line
    sent = [*with_clicks(line, state.position)]
    for action in sent:
        state = rules.apply(state, rules.SEAT, action)
    counts = state.counts
    kinds = [action.split()[0] for action in sent]
    assert counts.turned_up == kinds.count("up") == 21
    assert counts.sent_home == kinds.count("home") == len(PACKS[pack].cards) + counts.brought_back
    assert counts.turn_overs == kinds.count("turn")
    result = rules.result(state, rules.SEAT, seconds + 0.9)
    assert (result.outcome, result.parts["cards_home"]) == ("solved", len(PACKS[pack].cards))
    assert (result.parts["bonus"] > 0) is has_bonus
    assert result.score == counts.points - seconds + result.parts["bonus"]


@pytest.mark.parametrize(
    ("options", "seconds", "times"),
    [({}, 11, ["-", "-", "-"]), ({"clock": "first_move"}, 2, [None, None, 1_000])],
    ids=["old record", "first move"],
)
def test_time_may_count_from_first_move(options, seconds, times):
    """A pick-up is no move; a pause does not count; the record's own seconds count since it was shown."""
    hand = Hand(rules, Opening(rules.deal("a deal", {}), options, shown_ms=1_000))
    seen = []
    for event in (
        None,
        Event(None, rules.SEAT, "pick 1 1", 4_000, 5_000),
        Event(1, rules.SEAT, "draw", 8_000, 9_000),
    ):
        hand = hand.after(event) if event else hand
        seen.append(message_to_seat(hand, rules.SEAT, 1, 10_000).get("time", "-"))
    assert seen == times
    paused = [Event(None, "", note, None, ms, None) for note, ms in (("pause", 10_000), ("go on", 11_000))]
    ended = [Event(2, rules.SEAT, "give up", 11_000, 12_000), Event(3, "", "end gave_up", None, 12_000)]
    hand = hand.after_all([*paused, *ended])
    assert hand.result(rules.SEAT).parts["seconds"] == seconds - (not options)
    assert hand.result(rules.SEAT).score == -(seconds - (not options))
    assert hand.seconds(rules.SEAT) == 10
