"""How well and how habitually Target the Two is played: measures of a hand and of a participant.

Each is one function; its name is the column, its docstring the meaning in the data dictionary. A measure of
a hand is computed from a row of the table of hands, one of a participant from the rows of their hands that
are over, practice left out, in the order of play. None is an empty cell: it does not apply, or the source
does not tell it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from cardlab.games.columns import Integer, YesNo
from cardlab.games.statistics import (
    CHANGE,
    CHOICES,
    DESIGN,
    MIN_COUNT,
    PERFORMANCE,
    SPEED,
    Measure,
    Model,
    Row,
    cached_for_rows,
    change_between_halves,
    entropy,
    mean,
    needs_enough,
    number,
    numbers,
    power_law,
    ratio,
    share,
    variance,
    variance_change_between_halves,
)
from cardlab.games.ttt import belief, moves, routes, rules
from cardlab.games.ttt.show_file import FAMILIAR_ROUTE, LEARNING_HANDS

Seen = tuple[rules.Layout, str, str, str]  # layout, goal, first mover, and what is seen (``belief.view_of``)


class Thresholds(NamedTuple):
    """The design of the experiment, and where the classes of participants part."""

    learning_hands: int = 0
    familiar_route: int = 0
    expert_from: float = 0.75
    routinized_from: float = 0.5
    creative_from: float = 0.5


THRESHOLDS = {
    "learning_hands": "the hands at the beginning, without practice, in which a route becomes familiar; 0 "
    "for as many as the settings in force say",
    "familiar_route": "the route, 422 or 442, that the design makes familiar in them; 0 for the one that the "
    "settings in force say",
    "expert_from": "the share of these hands with best_play from which a participant is an expert",
    "routinized_from": "the routinization from which a participant is routinized",
    "creative_from": "the creativity from which a participant is creative",
}
ALLOWED = {"familiar_route": (0, *map(int, routes.ROUTES))}  # the values of thresholds that have a few


# Of a hand.


def seconds_per_move(row: Row) -> float | None:
    """`client_seconds` divided by `moves`: the speed of Cohen and Bacdayan 1994"""
    return ratio(number(row, "client_seconds"), number(row, "moves"))


def expected_moves(row: Row) -> float | None:
    """the least expected number of moves under the information that ViewCard gives, with perfect memory; of
    one of two by what their seat may see, as if the partner knew no more and no less"""
    seen = _seen(row, row.get("seat"))
    return _expected_moves(seen) if seen else None


def excess_moves(row: Row) -> float | None:
    """moves beyond `least_moves`, of a solved hand: the suboptimality of Cohen and Bacdayan 1994"""
    return _beyond(row, "least_moves")


def excess_over_expected(row: Row) -> float | None:
    """moves beyond `expected_moves`, of a solved hand; chance makes it negative now and then"""
    return _beyond(row, "expected_moves")


def moves_lost(row: Row) -> float | None:
    """by how many moves, in expectation, the choices fell short of best play under the information that
    ViewCard gives: 0 is best play, whatever the luck with hidden cards. Of a hand that ended unsolved it
    covers the moves made, of one without a move it is empty; MaxRounds is not taken into account. Of one of
    two it covers the moves that they made by themselves, by what their seat could see"""
    return _lost(row, row.get("seat"))


def best_play(row: Row) -> int | None:
    """1 if the hand was solved and `moves_lost` is 0, else 0: optimal as far as the cards can be seen"""
    solved, lost = _solved(row), number(row, "moves_lost")
    if solved is None or not _seen(row, None) or (solved and lost is None):
        return None
    return int(solved and not lost)


def optimal(row: Row) -> int | None:
    """1 if the hand was solved in the least moves, else 0 (Attanasi, Egidi and Manzoni 2023)"""
    solved, beyond = _solved(row), excess_moves(row)
    if solved is None or number(row, "least_moves") is None or (solved and beyond is None):
        return None
    return int(beyond == 0)


def moves_422(row: Row) -> int | None:
    """the fewest moves by route 422; empty unless both routes compete (Egidi and Narduzzo 1997)"""
    return _by_route(row)["422"]


def moves_442(row: Row) -> int | None:
    """the fewest moves by route 442; empty unless both routes compete (Egidi and Narduzzo 1997)"""
    return _by_route(row)["442"]


def shorter_route(row: Row) -> str | None:
    """the shorter of the two, `422` or `442`; they never tie"""
    moves = _by_route(row)
    by_422, by_442 = moves["422"], moves["442"]
    if by_422 is None or by_442 is None:
        return None
    return "422" if by_422 < by_442 else "442"


def lost_by_422(row: Row) -> float | None:
    """the `moves_lost` of who goes by route 422 as well as ViewCard allows: 0 where keeping to it costs
    nothing under the information given; empty unless both routes compete"""
    return _lost_by("422", row)


def lost_by_442(row: Row) -> float | None:
    """the `moves_lost` of who goes by route 442 as well as ViewCard allows: 0 where keeping to it costs
    nothing under the information given; empty unless both routes compete"""
    return _lost_by("442", row)


# Where two play; empty where one plays alone.


def seconds_per_turn(row: Row) -> float | None:
    """`own_seconds` divided by `own_moves`, where two play"""
    return ratio(number(row, "own_seconds"), number(row, "own_moves"))


def forced_passes(row: Row) -> int | None:
    """those of `passed_after` where the partner, by what they knew, had nothing better than to pass: moves
    that forced the partner to pass"""
    seat, moved = row.get("seat"), _moved(row)
    if seat not in rules.KEEPERS or not moved or not row.get("route"):
        return None
    partner = rules.other(seat)
    seen, looks = _seen(row, partner), belief.looks_of(_settings(row["settings"]), partner)
    return _forced_passes(seen, looks, seat, *moved) if seen else None


def pair_moves_lost(row: Row) -> float | None:
    """`moves_lost` of both together, each by what they could see"""
    if row.get("seat") not in rules.KEEPERS:
        return None
    lost = [own for keeper in rules.KEEPERS if (own := _lost(row, keeper)) is not None]
    return sum(lost) if lost else None


def expected_union(row: Row) -> float | None:
    """the least expected number of moves for one mind that sees what either of the two sees: two who act by
    their own knowledge cannot expect fewer"""
    return _bound(row, belief.UNION)


def expected_common(row: Row) -> float | None:
    """the least expected number of moves for one mind that sees only what both see: two who act by their own
    knowledge need expect no more, over all deals that look alike to both"""
    return _bound(row, belief.COMMON)


HAND_MEASURES = (
    *(seconds_per_move, expected_moves, excess_moves, excess_over_expected, moves_lost, best_play, optimal),
    *(moves_422, moves_442, shorter_route, lost_by_422, lost_by_442),
    *(seconds_per_turn, forced_passes, pair_moves_lost, expected_union, expected_common),
)

DEAL = ("layout", "goal", "first", "settings", "seat")  # the columns that tell the deal, and
OF_DEAL = (  # the measures that hang on them alone
    *(expected_moves, moves_422, moves_442, shorter_route, lost_by_422, lost_by_442),
    *(expected_union, expected_common),
)


# Of a participant.


def hands_over(hands: list[Row], _thresholds: Thresholds) -> int:
    """hands that are over, without practice"""
    return len(hands)


def solved_hands(hands: list[Row], _thresholds: Thresholds) -> int:
    """those of them that were solved"""
    return len(_solved_hands(hands))


def route_hands(hands: list[Row], _thresholds: Thresholds) -> int:
    """those solved in which both routes compete"""
    return len(_both_routes(hands))


def solved_share(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of the hands that are over that were solved"""
    return share(solved for row in hands if (solved := _solved(row)) is not None)


def mean_moves(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `moves` over solved hands"""
    return mean(numbers(_solved_hands(hands), "moves"))


def mean_seconds(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `client_seconds` over solved hands"""
    return mean(numbers(_solved_hands(hands), "client_seconds"))


@needs_enough(solved_hands)
def variance_of_moves(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the sample variance of `moves` over solved hands: the less, the more reliable (Cohen and Bacdayan
    1994)"""
    return variance(numbers(_solved_hands(hands), "moves"))


@needs_enough(solved_hands)
def variance_of_seconds(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the sample variance of `client_seconds` over solved hands (Cohen and Bacdayan 1994)"""
    return variance(numbers(_solved_hands(hands), "client_seconds"))


@needs_enough(solved_hands)
def moves_variance_change(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the variance of `moves` in the second half of the solved hands less that in the first: negative for
    who becomes more reliable (Cohen and Bacdayan 1994)"""
    return variance_change_between_halves(numbers(_solved_hands(hands), "moves"))


@needs_enough(solved_hands)
def seconds_variance_change(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the variance of `client_seconds` in the second half of the solved hands less that in the first (Cohen
    and Bacdayan 1994)"""
    return variance_change_between_halves(numbers(_solved_hands(hands), "client_seconds"))


def mean_excess_moves(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `excess_moves`"""
    return mean(numbers(hands, "excess_moves"))


def mean_excess_over_expected(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `excess_over_expected`"""
    return mean(numbers(hands, "excess_over_expected"))


def optimal_share(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of hands solved in the least moves; unsolved ones count as not optimal"""
    return mean(numbers(hands, "optimal"))


def mean_moves_lost(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `moves_lost`"""
    return mean(numbers(hands, "moves_lost"))


def best_play_share(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of hands with `best_play`"""
    return mean(numbers(hands, "best_play"))


@needs_enough(hands_over)
def learning_rate(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """exponent of the power law of practice, `seconds_per_move` over the number of the hand among
    these: negative where practice makes faster (Newell and Rosenbloom 1981)"""
    speeds = [(place, number(row, "seconds_per_move")) for place, row in enumerate(hands, 1)]
    return power_law((place, speed) for place, speed in speeds if speed is not None)


@needs_enough(solved_hands)
def excess_change(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean `excess_moves` of the second half of the solved hands less that of the first half"""
    return change_between_halves(numbers(hands, "excess_moves"))


def share_422(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of route 422 among `route_hands` (Egidi and Narduzzo 1997)"""
    return share(row["route"] == "422" for row in _both_routes(hands))


def share_442(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of route 442 among `route_hands`; the rest took a longer way"""
    return share(row["route"] == "442" for row in _both_routes(hands))


@needs_enough(route_hands)
def route_entropy(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """Shannon's entropy of the routes of `route_hands`, in bits: 0 for somebody who has one route"""
    return entropy(row["route"] for row in _both_routes(hands))


@needs_enough(solved_hands)
def sequence_entropy(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """Shannon's entropy of the whole sequences of moves of solved hands, in bits"""
    return entropy(row["sequence"] for row in _solved_hands(hands) if row.get("sequence"))


@needs_enough(solved_hands)
def repeated_sequences(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of solved hands whose sequence solved an earlier hand of the participant: the repeated
    action sequences of Cohen and Bacdayan 1994"""
    before: set[str] = set()
    repeated = []
    for sequence in (row.get("sequence") for row in _solved_hands(hands)):
        if sequence:
            repeated.append(sequence in before)
            before.add(sequence)
    return share(repeated)


def mean_seconds_per_turn(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `seconds_per_turn`, where two play"""
    return mean(numbers(hands, "seconds_per_turn"))


def forced_pass_share(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """`forced_passes` divided by `own_moves`, over all hands: the share of moves that forced the partner to
    pass"""
    return ratio(sum(numbers(hands, "forced_passes")), sum(numbers(hands, "own_moves")))


# What has become of a habit. The learning hands are those of the design, the same for everybody.


def learning_hands_over(hands: list[Row], thresholds: Thresholds) -> int:
    """the learning hands that are over: of the first hands without practice as many as the design says, or
    the threshold `learning_hands`; 0 if neither does"""
    return len(_learning(hands, thresholds))


@needs_enough(learning_hands_over)
def learning_best_play_share(hands: list[Row], thresholds: Thresholds) -> float | None:
    """the share of the learning hands with `best_play`: what makes an expert"""
    return best_play_share(_learning(hands, thresholds), thresholds)


@cached_for_rows
def familiar_route(hands: list[Row], thresholds: Thresholds) -> str | None:
    """the route, `422` or `442`, that solved most of the learning hands in which both compete; the one of
    the latest of them if they are equal"""
    return routes.most_played(row["route"] for row in _both_routes(_learning(hands, thresholds)))


def tempting_hands(hands: list[Row], thresholds: Thresholds) -> int:
    """the hands after the learning hands in which keeping to `familiar_route` costs something under the
    information given (`lost_by_422`, `lost_by_442`), solved or not"""
    return len(_tempting(hands, thresholds))


@needs_enough(tempting_hands)
def routinization(hands: list[Row], thresholds: Thresholds) -> float | None:
    """the share of `tempting_hands` that were solved by the familiar route, with `moves_lost` above 0"""
    familiar = familiar_route(hands, thresholds)
    return share(
        bool(_solved(row)) and row["route"] == familiar and bool(number(row, "moves_lost"))
        for row in _tempting(hands, thresholds)
    )


@needs_enough(tempting_hands)
def creativity(hands: list[Row], thresholds: Thresholds) -> float | None:
    """the share of `tempting_hands` that were solved by the other of the two routes; who wandered or failed
    in the rest was neither creative nor routinized there"""
    other = routes.OTHER.get(familiar_route(hands, thresholds) or "")
    return share(bool(_solved(row)) and row["route"] == other for row in _tempting(hands, thresholds))


def participant_class(hands: list[Row], thresholds: Thresholds) -> str | None:
    """`expert` or `inexpert`, by `learning_best_play_share`, and `routinized` by `routinization`, else
    `creative` by `creativity`, else `undecided`; empty where one of the three is"""
    skill = learning_best_play_share(hands, thresholds)
    habit, another = routinization(hands, thresholds), creativity(hands, thresholds)
    if skill is None or habit is None or another is None:
        return None
    if habit >= thresholds.routinized_from:
        way = "routinized"
    else:
        way = "creative" if another >= thresholds.creative_from else "undecided"
    return f"{_expert(skill, thresholds)} {way}"


# The same as Attanasi, Egidi and Manzoni 2023 have it, for comparison: judged with all cards known.


def attanasi_expertise(hands: list[Row], thresholds: Thresholds) -> float | None:
    """the share of the learning hands that were `optimal`: the experts' measure of Attanasi, Egidi and
    Manzoni 2023"""
    learnt = _learning(hands, thresholds)
    return optimal_share(learnt, thresholds) if len(learnt) >= MIN_COUNT else None


def attanasi_hands(hands: list[Row], thresholds: Thresholds) -> int:
    """the hands solved after the learning hands in which the route that the design makes familiar is not
    `shorter_route`"""
    return len(_tempting_by_design(hands, thresholds))


@needs_enough(attanasi_hands)
def attanasi_routinization(hands: list[Row], thresholds: Thresholds) -> float | None:
    """the share of `attanasi_hands` that were played by the route that the design makes familiar (Attanasi,
    Egidi and Manzoni 2023)"""
    designed = _designed_route(hands, thresholds)
    return share(row["route"] == designed for row in _tempting_by_design(hands, thresholds))


def attanasi_class(hands: list[Row], thresholds: Thresholds) -> str | None:
    """`expert` or `inexpert` by `attanasi_expertise`, and `routinized` by `attanasi_routinization`, else
    `creative` (Attanasi, Egidi and Manzoni 2023); empty where one of them is"""
    skill, habit = attanasi_expertise(hands, thresholds), attanasi_routinization(hands, thresholds)
    if skill is None or habit is None:
        return None
    way = "routinized" if habit >= thresholds.routinized_from else "creative"
    return f"{_expert(skill, thresholds)} {way}"


PARTICIPANT_MEASURES: dict[Measure, str] = {
    hands_over: DESIGN,
    solved_hands: DESIGN,
    route_hands: DESIGN,
    solved_share: PERFORMANCE,
    mean_moves: PERFORMANCE,
    mean_seconds: SPEED,
    mean_excess_moves: PERFORMANCE,
    mean_excess_over_expected: PERFORMANCE,
    optimal_share: PERFORMANCE,
    mean_moves_lost: PERFORMANCE,
    best_play_share: PERFORMANCE,
    learning_rate: CHANGE,
    excess_change: CHANGE,
    variance_of_moves: PERFORMANCE,
    variance_of_seconds: SPEED,
    moves_variance_change: CHANGE,
    seconds_variance_change: CHANGE,
    share_422: CHOICES,
    share_442: CHOICES,
    route_entropy: CHOICES,
    sequence_entropy: CHOICES,
    repeated_sequences: CHOICES,
    learning_hands_over: DESIGN,
    learning_best_play_share: PERFORMANCE,
    familiar_route: CHOICES,
    tempting_hands: DESIGN,
    routinization: CHOICES,
    creativity: CHOICES,
    participant_class: CHOICES,
    attanasi_expertise: PERFORMANCE,
    attanasi_hands: DESIGN,
    attanasi_routinization: CHOICES,
    attanasi_class: CHOICES,
    mean_seconds_per_turn: SPEED,
    forced_pass_share: CHOICES,
}

MODEL_COLUMNS = {
    "phase": "`learning` or `later`, by the learning hands of the design; empty where nobody says how many",
    "familiar_route": "the participant's `familiar_route`; empty if there is none",
    "designed_route": "the route that the design makes familiar; empty if it says none",
    "tempting": YesNo(
        "1 if keeping to the familiar route costs something under the information given, else 0; empty "
        "unless both routes compete"
    ),
    "tempting_by_design": YesNo(
        "1 if with all cards known the other route than the designed one is the shorter, else 0; likewise"
    ),
    "habit": Integer("how many earlier hands the familiar route has solved for the participant"),
    "kept": YesNo("1 if the familiar route solved the hand, else 0; empty unless both routes compete"),
}


def _for_models(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """The values of ``MODEL_COLUMNS`` for each hand of a participant."""
    familiar, designed = familiar_route(hands, thresholds), _designed_route(hands, thresholds)
    habit, found = 0, []
    for row in hands:
        phase = {True: "learning", False: "later", None: ""}[_is_to_learn(row, thresholds)]
        cells: Row = {"phase": phase, "familiar_route": familiar or "", "designed_route": designed or ""}
        if row.get("shorter_route"):
            if familiar:
                kept = bool(_solved(row)) and row["route"] == familiar
                cells |= {"tempting": int(bool(number(row, f"lost_by_{familiar}"))), "kept": int(kept)}
            if designed:
                cells["tempting_by_design"] = int(row["shorter_route"] != designed)
        found.append({**dict.fromkeys(MODEL_COLUMNS, ""), **cells, "habit": habit})
        habit += bool(cells.get("kept"))
    return found


MODEL: Model = (MODEL_COLUMNS, _for_models)
SHARED = (  # the columns of the table for models that tell what two have done together
    *("kept", "score", "seconds_per_move", "excess_moves", "optimal", "pair_moves_lost"),
    *("moves_422", "moves_442", "shorter_route", "expected_union", "expected_common"),
)
PARTS = {"moves": (moves.MOVE_COLUMNS, moves.moves_of)}

# Beside each of these stands what these strategies show on the same deals: the suffix of the column → the
# strategy (``cardlab.analysis.baselines``).
BASELINES = {"informed": "informed", "random": "random"}
BEHAVIOUR = (
    *(solved_share, mean_moves, mean_excess_moves, mean_excess_over_expected, optimal_share),
    *(mean_moves_lost, best_play_share, excess_change, variance_of_moves, moves_variance_change),
    *(share_422, share_442, route_entropy, sequence_entropy, repeated_sequences),
    *(learning_best_play_share, routinization, creativity, attanasi_expertise, attanasi_routinization),
)
TIMING_COLUMNS = (
    "first_move_ms",
    "own_seconds",
    "partner_seconds",
    "seconds_per_move",
    "seconds_per_turn",
)  # columns of a hand that depend on times, which strategies do not take
SEARCH_MEASURES: tuple[Any, ...] = ()


def _deal(row: Row) -> tuple[rules.Layout, str, str] | None:
    if not (row.get("layout") and row.get("goal") and row.get("first")):
        return None
    return _cards(row["layout"]), row["goal"], row["first"]


@lru_cache(maxsize=1024)
def _cards(layout: str) -> rules.Layout:
    return tuple(layout.split())


@lru_cache(maxsize=1024)
def _expected_moves(seen: Seen) -> float:
    return float(belief.expected_moves(*seen))


@lru_cache(maxsize=8192)
def _moves_lost(
    seen: Seen,
    sequence: str,
    keeper: str | None = None,
    no_choices: tuple[int, ...] = (),
    looks: str | None = None,
) -> float:
    return round(float(belief.moves_lost(*seen, sequence, keeper, no_choices, looks)), 6)


def _lost(row: Row, seat: str | None) -> float | None:
    """The moves lost in a hand: by a seat of two, those of its own choices; else all."""
    seen, moved = _seen(row, seat), _moved(row)
    if not seen or not moved or not row.get("route"):
        return None
    if seat not in rules.KEEPERS:
        return _moves_lost(seen, moved[0])
    sequence, by_server = moved
    _layout, _goal, first, _view_card = seen
    own = set(range(1 if seat == first else 2, 1 + len(sequence), 2))
    if not own.difference(by_server):
        return None
    return _moves_lost(seen, sequence, seat, by_server, belief.looks_of(_settings(row["settings"]), seat))


def _moved(row: Row) -> tuple[str, tuple[int, ...]] | None:
    """The moves of a hand, and the numbers of those that the server made; None without a move."""
    sequence, by_server = row.get("sequence"), row.get("passed_by_server") or ""
    return (sequence, tuple(map(int, str(by_server).split()))) if sequence else None


@lru_cache(maxsize=8192)
def _forced_passes(
    seen: Seen, looks: str | None, seat: str, sequence: str, by_server: tuple[int, ...]
) -> int:
    """The moves of a seat after which the partner, who sees so much, passed and had nothing better."""
    layout, goal, first, view_card = seen
    before = range(1 if seat == first else 2, len(sequence), 2)  # the numbers of the seat's moves
    chosen = [number for number in before if number not in by_server and number + 1 not in by_server]
    return sum(
        not belief.cost(belief.played(layout, first, view_card, sequence[:number], looks), goal, "P")
        for number in chosen
        if sequence[number] == "P"
    )


def _bound(row: Row, views: Mapping[str, str]) -> float | None:
    """What one mind would expect that sees, by ViewCard, what ``views`` say."""
    seen = _seen(row, None)
    if row.get("seat") not in rules.KEEPERS or not seen:
        return None
    layout, goal, first, view_card = seen
    return _expected_moves((layout, goal, first, views[view_card]))


def _seen(row: Row, seat: str | None) -> Seen | None:
    """The deal, and what the seat sees of it (``belief.view_of``), as far as the row tells both."""
    deal, view_card = _deal(row), _view_card(row.get("settings", ""))
    return (*deal, belief.view_of(view_card, seat or rules.SEAT)) if deal and view_card else None


def _view_card(settings: str) -> str | None:
    view_card = _settings(settings).get("ViewCard")
    return view_card if view_card in belief.VIEWS else None


@lru_cache(maxsize=64)
def _settings(settings: str) -> dict[str, Any]:
    """The same few settings stand in every hand of a session."""
    return json.loads(settings) if settings else {}


def _lost_by(name: str, row: Row) -> float | None:
    seen = _seen(row, row.get("seat"))
    if not seen or not routes.compete(seen[0][rules.TARGET], seen[1]):
        return None
    return _lost_by_route(name, seen)


@lru_cache(maxsize=4096)
def _lost_by_route(name: str, seen: Seen) -> float:
    layout, _goal, first, view_card = seen
    return _moves_lost(seen, routes.sequence_by(name, layout, first, view_card))


def _beyond(row: Row, column: str) -> float | None:
    moves, least = number(row, "moves"), number(row, column)
    if row.get("outcome") != "solved" or moves is None or least is None:
        return None
    return moves - least


def _by_route(row: Row) -> dict[str, int | None]:
    deal = _deal(row)
    return routes.route_moves(*deal) if deal else dict.fromkeys(routes.ROUTES)


def _solved(row: Row) -> bool | None:
    """Whether a hand that is over was solved; None if it is open, or if nobody knows: a log without goal and
    first mover tells no route. (A log does not say how a hand ended that was not solved.)"""
    outcome = row.get("outcome")
    known = outcome or row.get("route")
    return outcome == "solved" if known and outcome != "open" else None


@cached_for_rows
def _solved_hands(hands: list[Row]) -> list[Row]:
    return [row for row in hands if _solved(row)]


@cached_for_rows
def _both_routes(hands: list[Row]) -> list[Row]:
    """The solved hands in which both routes compete."""
    return [row for row in _solved_hands(hands) if row.get("route") and row.get("shorter_route")]


def _expert(skill: float, thresholds: Thresholds) -> str:
    return "expert" if skill >= thresholds.expert_from else "inexpert"


@cached_for_rows
def _learning(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    return [row for row in hands if _is_to_learn(row, thresholds)]


@cached_for_rows
def _later(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """The hands after the learning hands; none where nobody says how many these are."""
    return [row for row in hands if _is_to_learn(row, thresholds) is False]


def _is_to_learn(row: Row, thresholds: Thresholds) -> bool | None:
    """Whether it is a learning hand; None if neither threshold nor design say how many there are."""
    count = thresholds.learning_hands or _settings(row.get("settings", "")).get(LEARNING_HANDS)
    own = number(row, "number")
    return own <= count if count and isinstance(count, int) and own is not None else None


@cached_for_rows
def _designed_route(hands: list[Row], thresholds: Thresholds) -> str | None:
    """The route that the design makes familiar, None if it says none."""
    told = (_settings(row.get("settings", "")).get(FAMILIAR_ROUTE) for row in hands)
    route = str(thresholds.familiar_route or next(filter(None, told), ""))
    return route if route in routes.ROUTES else None


@cached_for_rows
def _tempting(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """The later hands in which keeping to the familiar route costs something."""
    familiar = familiar_route(hands, thresholds)
    return [row for row in _later(hands, thresholds) if number(row, f"lost_by_{familiar}")]


@cached_for_rows
def _tempting_by_design(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """The later solved hands in which the other route than the designed one is the shorter."""
    designed = _designed_route(hands, thresholds)
    later = _both_routes(_later(hands, thresholds))
    return [row for row in later if designed and row["shorter_route"] != designed]
