"""Measures of a participant's habit in Target the Two: learning hands, routinization and creativity.

The design defines the learning hands, which are the same for everybody.
"""

from __future__ import annotations

from typing import NamedTuple

from cardlab.games.columns import Integer, YesNo
from cardlab.games.performance import (
    CHANGE,
    CHOICES,
    DESIGN,
    MIN_COUNT,
    PERFORMANCE,
    Measure,
    cached_for_rows,
    needs_enough,
)
from cardlab.games.statistics import Row, Share, mean, number, numbers, ratio, share
from cardlab.games.ttt import routes
from cardlab.games.ttt.hand_measures import is_solved, read_settings
from cardlab.games.ttt.show_file import FAMILIAR_ROUTE, LEARNING_HANDS


class Thresholds(NamedTuple):
    """The design of the experiment, and the thresholds of the classes of participants."""

    learning_hands: int = 0
    familiar_route: int = 0
    expert_from: float = 0.75
    routinized_from: float = 0.5
    creative_from: float = 0.5


THRESHOLD_MEANINGS = {
    "learning_hands": "hands at the beginning that make a route familiar; 0: as the design says",
    "familiar_route": "the familiar route, 422 or 442; 0: as the design says",
    "expert_from": "the least share of best_play of an expert",
    "routinized_from": "the least routinization of a routinized participant",
    "creative_from": "the least creativity of a creative participant",
}
THRESHOLD_CHOICES = {"familiar_route": (0, *map(int, routes.ROUTES))}


@cached_for_rows
def hands_solved(hands: list[Row]) -> list[Row]:
    """Returns the hands that were solved."""
    return [row for row in hands if is_solved(row)]


@cached_for_rows
def route_choices(hands: list[Row]) -> list[Row]:
    """Returns the solved hands in which both routes compete."""
    return [row for row in hands_solved(hands) if row.get("route") and row.get("shorter_route")]


def learning_hands_over(hands: list[Row], thresholds: Thresholds) -> int:
    """learning hands that are over; 0 if the design has none"""
    return len(_learning(hands, thresholds))


@needs_enough(learning_hands_over)
def learning_best_play_share(hands: list[Row], thresholds: Thresholds) -> Share | None:
    """share of the learning hands with `best_play`: defines an expert"""
    return mean(numbers(_learning(hands, thresholds), "best_play"))


@cached_for_rows
def familiar_route(hands: list[Row], thresholds: Thresholds) -> str | None:
    """route that solved most of the learning hands in which both compete; if equal, the latest"""
    return routes.most_played(row["route"] for row in route_choices(_learning(hands, thresholds)))


def tempting_hands(hands: list[Row], thresholds: Thresholds) -> int:
    """later hands in which `familiar_route` costs something under ViewCard, solved or not"""
    return len(_tempting(hands, thresholds))


@needs_enough(tempting_hands)
def routinization(hands: list[Row], thresholds: Thresholds) -> Share | None:
    """share of `tempting_hands` solved by the familiar route with `moves_lost` above 0"""
    return _costly_share(_tempting(hands, thresholds), familiar_route(hands, thresholds))


@needs_enough(tempting_hands)
def creativity(hands: list[Row], thresholds: Thresholds) -> Share | None:
    """share of `tempting_hands` solved by the other route"""
    other_route = routes.OTHER.get(familiar_route(hands, thresholds) or "")
    return share(bool(is_solved(row)) and row["route"] == other_route for row in _tempting(hands, thresholds))


def control_hands(hands: list[Row], thresholds: Thresholds) -> int:
    """later hands in which the other route costs something under ViewCard, solved or not"""
    return len(_control(hands, thresholds))


@needs_enough(control_hands)
def persistence(hands: list[Row], thresholds: Thresholds) -> float | None:
    """`routinization` minus the same share of the other route in `control_hands`: 0 without a habit, for
    best play, for play at random and for routes chosen by chance
    """
    habit = routinization(hands, thresholds)
    other_route = routes.OTHER.get(familiar_route(hands, thresholds) or "")
    mistakes = _costly_share(_control(hands, thresholds), other_route)
    return None if habit is None or mistakes is None else habit - mistakes


@needs_enough(tempting_hands)
def hazard_of_leaving(hands: list[Row], thresholds: Thresholds) -> Share | None:
    """probability of leaving the familiar route in a tempting hand, if it was not left before: departures
    (0 or 1) divided by hands up to the first solved by another route, without unsolved hands and those in
    which the familiar route cost nothing
    """
    hands_kept, left = hands_until_leaving(hands, thresholds)
    return ratio(float(left), hands_kept)


def hands_until_leaving(hands: list[Row], thresholds: Thresholds) -> tuple[int, bool]:
    """Returns the number of tempting hands up to the first solved by another route, and whether there is one.

    Unsolved hands, and hands in which the familiar route turned out to cost nothing, do not count.
    """
    familiar, count = familiar_route(hands, thresholds), 0
    for row in filter(is_solved, _tempting(hands, thresholds)):
        if row["route"] != familiar:
            return count + 1, True
        count += bool(number(row, "moves_lost"))
    return count, False


def extinction_hands(hands: list[Row], thresholds: Thresholds) -> int:
    """later hands that the familiar route cannot solve: other cards in Target or as goal, or more moves than
    MaxRounds (Luchins 1942)
    """
    return len(_extinction(hands, thresholds))


@needs_enough(extinction_hands)
def extinction_best_play_share(hands: list[Row], thresholds: Thresholds) -> Share | None:
    """share of `extinction_hands` with `best_play`"""
    return mean(numbers(_extinction(hands, thresholds), "best_play"))


def recovery(hands: list[Row], thresholds: Thresholds) -> float | None:
    """`routinization` before the first of `extinction_hands` minus that after it; empty unless there are two
    tempting hands before and after
    """
    first = next((number(row, "number") for row in _extinction(hands, thresholds)), None)
    if first is None:
        return None
    sides: tuple[list[Row], list[Row]] = ([], [])
    for row in _tempting(hands, thresholds):
        sides[row["number"] > first].append(row)
    before, after = (_costly_share(side, familiar_route(hands, thresholds)) for side in sides)
    return None if before is None or after is None or min(map(len, sides)) < 2 else before - after


def participant_class(hands: list[Row], thresholds: Thresholds) -> str | None:
    """`expert` or `inexpert`, and `routinized`, `creative` or `undecided`; empty if a measure is empty"""
    skill = learning_best_play_share(hands, thresholds)
    habit, creates = routinization(hands, thresholds), creativity(hands, thresholds)
    if skill is None or habit is None or creates is None:
        return None
    if habit >= thresholds.routinized_from:
        way = "routinized"
    else:
        way = "creative" if creates >= thresholds.creative_from else "undecided"
    return f"{_expert(skill, thresholds)} {way}"


# For comparison, the measures of Attanasi, Egidi and Manzoni 2023, with all cards known.


def attanasi_expertise(hands: list[Row], thresholds: Thresholds) -> Share | None:
    """share of the learning hands that were `optimal` (Attanasi, Egidi and Manzoni 2023)"""
    learnt = _learning(hands, thresholds)
    return mean(numbers(learnt, "optimal")) if len(learnt) >= MIN_COUNT else None


def attanasi_hands(hands: list[Row], thresholds: Thresholds) -> int:
    """later solved hands in which the route made familiar by the design is not `shorter_route`"""
    return len(_tempting_by_design(hands, thresholds))


@needs_enough(attanasi_hands)
def attanasi_routinization(hands: list[Row], thresholds: Thresholds) -> Share | None:
    """share of `attanasi_hands` played by that route (Attanasi, Egidi and Manzoni 2023)"""
    designed = _designed_route(hands, thresholds)
    return share(row["route"] == designed for row in _tempting_by_design(hands, thresholds))


def attanasi_class(hands: list[Row], thresholds: Thresholds) -> str | None:
    """like `participant_class`, from `attanasi_expertise` and `attanasi_routinization`; never `undecided`"""
    skill, habit = attanasi_expertise(hands, thresholds), attanasi_routinization(hands, thresholds)
    if skill is None or habit is None:
        return None
    way = "routinized" if habit >= thresholds.routinized_from else "creative"
    return f"{_expert(skill, thresholds)} {way}"


MEASURES: dict[Measure, str] = {
    learning_hands_over: DESIGN,
    learning_best_play_share: PERFORMANCE,
    familiar_route: CHOICES,
    tempting_hands: DESIGN,
    routinization: CHOICES,
    creativity: CHOICES,
    control_hands: DESIGN,
    persistence: CHOICES,
    hazard_of_leaving: CHOICES,
    extinction_hands: DESIGN,
    extinction_best_play_share: PERFORMANCE,
    recovery: CHANGE,
    participant_class: CHOICES,
    attanasi_expertise: PERFORMANCE,
    attanasi_hands: DESIGN,
    attanasi_routinization: CHOICES,
    attanasi_class: CHOICES,
}
BEHAVIOUR = (
    *(learning_best_play_share, routinization, creativity, persistence),
    *(hazard_of_leaving, extinction_best_play_share, recovery),
    *(attanasi_expertise, attanasi_routinization),
)

MODEL_COLUMNS = {
    "phase": "`learning` or `later`; empty if the design has no learning hands",
    "familiar_route": "the participant's `familiar_route`",
    "designed_route": "the route made familiar by the design; empty if none",
    "tempting": YesNo(
        "1 if the familiar route costs something under ViewCard, else 0; empty unless both routes compete"
    ),
    "tempting_by_design": YesNo("1 if the designed route is the longer one with all cards known, else 0"),
    "habit": Integer("number of earlier hands that the participant solved by the familiar route"),
    "kept": YesNo("1 if the familiar route solved the hand, else 0; empty unless both routes compete"),
}


def model_cells(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """Returns the values of ``MODEL_COLUMNS`` for each hand of a participant."""
    familiar, designed = familiar_route(hands, thresholds), _designed_route(hands, thresholds)
    habit, found = 0, []
    for row in hands:
        phase = {True: "learning", False: "later", None: ""}[_is_to_learn(row, thresholds)]
        cells: Row = {"phase": phase, "familiar_route": familiar or "", "designed_route": designed or ""}
        if row.get("shorter_route"):
            if familiar:
                kept_route = bool(is_solved(row)) and row["route"] == familiar
                cells |= {"tempting": int(bool(number(row, f"lost_by_{familiar}"))), "kept": int(kept_route)}
            if designed:
                cells["tempting_by_design"] = int(row["shorter_route"] != designed)
        found.append({**dict.fromkeys(MODEL_COLUMNS, ""), **cells, "habit": habit})
        habit += bool(cells.get("kept"))
    return found


def _expert(skill: float, thresholds: Thresholds) -> str:
    return "expert" if skill >= thresholds.expert_from else "inexpert"


@cached_for_rows
def _learning(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    return [row for row in hands if _is_to_learn(row, thresholds)]


@cached_for_rows
def _later(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """Returns the hands after the learning hands; none if the number of learning hands is unknown."""
    return [row for row in hands if _is_to_learn(row, thresholds) is False]


def _is_to_learn(row: Row, thresholds: Thresholds) -> bool | None:
    """Returns whether it is a learning hand; None if neither thresholds nor design give their number."""
    count = thresholds.learning_hands or read_settings(row.get("settings", "")).get(LEARNING_HANDS)
    hand_number = number(row, "number")
    return hand_number <= count if count and isinstance(count, int) and hand_number is not None else None


@cached_for_rows
def _designed_route(hands: list[Row], thresholds: Thresholds) -> str | None:
    """Returns the route that the design makes familiar, None if there is none."""
    declared = (read_settings(row.get("settings", "")).get(FAMILIAR_ROUTE) for row in hands)
    route = str(thresholds.familiar_route or next(filter(None, declared), ""))
    return route if route in routes.ROUTES else None


@cached_for_rows
def _tempting(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """Returns the later hands in which the familiar route costs something."""
    familiar = familiar_route(hands, thresholds)
    return [row for row in _later(hands, thresholds) if number(row, f"lost_by_{familiar}")]


@cached_for_rows
def _control(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """Returns the later hands in which the other route costs something."""
    other_route = routes.OTHER.get(familiar_route(hands, thresholds) or "")
    return [row for row in _later(hands, thresholds) if number(row, f"lost_by_{other_route}")]


@cached_for_rows
def _extinction(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """Returns the later hands that the familiar route cannot solve; none without a familiar route."""
    familiar = familiar_route(hands, thresholds)
    return [
        row
        for row in _later(hands, thresholds)
        if familiar and row.get("layout") and not _is_open(familiar, row)
    ]


def _is_open(route: str, row: Row) -> bool:
    moves, most = number(row, f"moves_{route}"), read_settings(row.get("settings", "")).get("MaxRounds")
    return moves is not None and (most is None or moves <= most)


def _costly_share(hands: list[Row], route: str | None) -> float | None:
    """Returns the share of the hands that were solved by the route with moves lost."""
    return share(
        bool(is_solved(row)) and row["route"] == route and bool(number(row, "moves_lost")) for row in hands
    )


@cached_for_rows
def _tempting_by_design(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    """Returns the later solved hands in which the designed route is not the shorter one."""
    designed = _designed_route(hands, thresholds)
    later = route_choices(_later(hands, thresholds))
    return [row for row in later if designed and row["shorter_route"] != designed]
