"""How well and how habitually Target the Two is played: measures of a hand and of a participant.

Each is one function; its name is the column, its docstring the meaning in the data dictionary. A measure of
a hand is computed from a row of the table of hands, one of a participant from the rows of their hands that
are over, practice left out, in the order of play. None is an empty cell: it does not apply, or the source
does not tell it.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from games.statistics import Row, change, entropy, mean, number, numbers, power_law, ratio, share
from games.ttt import belief, routes, rules


class Thresholds(NamedTuple):
    """Where the classes of participants part (Attanasi, Egidi and Manzoni 2023: 16 of 32 hands to learn)."""

    learning_hands: int = 0
    expert_from: float = 0.75
    routinized_from: float = 0.5


THRESHOLDS = {
    "learning_hands": "the hands at the beginning in which a route becomes familiar; 0 for the first half",
    "expert_from": "the share of these hands with best_play from which a participant is an expert",
    "routinized_from": "the routinization from which a participant is routinized",
}


# Of a hand.


def seconds_per_move(row: Row) -> float | None:
    """`client_seconds` divided by `moves`: the speed of Cohen and Bacdayan 1994"""
    return ratio(number(row, "client_seconds"), number(row, "moves"))


def expected_moves(row: Row) -> float | None:
    """the least expected number of moves under the information that ViewCard gives, with perfect memory"""
    seen = _seen(row)
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
    covers the moves made, of one without a move it is empty; MaxRounds is not taken into account"""
    seen, sequence = _seen(row), row.get("sequence")
    if not seen or not sequence or not row.get("route"):
        return None
    return _moves_lost(seen, sequence)


def best_play(row: Row) -> int | None:
    """1 if the hand was solved and `moves_lost` is 0, else 0: optimal as far as the cards can be seen"""
    solved, lost = _solved(row), number(row, "moves_lost")
    if solved is None or not _seen(row) or (solved and lost is None):
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


HAND_MEASURES = (
    *(seconds_per_move, expected_moves, excess_moves, excess_over_expected, moves_lost, best_play, optimal),
    *(moves_422, moves_442, shorter_route),
)


# Of a participant.


def hands_over(hands: list[Row], _thresholds: Thresholds) -> int:
    """hands that are over, without practice"""
    return len(hands)


def solved_share(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of them that were solved"""
    return share(solved for row in hands if (solved := _solved(row)) is not None)


def mean_moves(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `moves` over solved hands"""
    return mean(numbers(_solved_hands(hands), "moves"))


def mean_seconds(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `client_seconds` over solved hands"""
    return mean(numbers(_solved_hands(hands), "client_seconds"))


def mean_excess_moves(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `excess_moves`"""
    return mean(numbers(hands, "excess_moves"))


def optimal_share(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of hands solved in the least moves; unsolved ones count as not optimal"""
    return mean(numbers(hands, "optimal"))


def mean_moves_lost(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean of `moves_lost`"""
    return mean(numbers(hands, "moves_lost"))


def best_play_share(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of hands with `best_play`"""
    return mean(numbers(hands, "best_play"))


def learning_best_play_share(hands: list[Row], thresholds: Thresholds) -> float | None:
    """the share of the learning hands with `best_play`: what makes an expert"""
    return best_play_share(_learning(hands, thresholds), thresholds)


def learning_rate(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """exponent of the power law of practice, `seconds_per_move` over the number of the hand among
    these: negative where practice makes faster (Newell and Rosenbloom 1981)"""
    speeds = [(place, number(row, "seconds_per_move")) for place, row in enumerate(hands, 1)]
    return power_law((place, speed) for place, speed in speeds if speed is not None)


def excess_change(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """mean `excess_moves` of the second half of the solved hands less that of the first half"""
    return change(numbers(hands, "excess_moves"))


def share_422(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of route 422 among hands solved where both routes compete (Egidi and Narduzzo 1997)"""
    return share(row["route"] == "422" for row in _both_routes(hands))


def share_442(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """the share of route 442 among hands solved where both routes compete; the rest took a longer way"""
    return share(row["route"] == "442" for row in _both_routes(hands))


def route_entropy(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """Shannon's entropy of the routes of these hands, in bits: 0 for somebody who has one route"""
    return entropy(row["route"] for row in _both_routes(hands))


def sequence_entropy(hands: list[Row], _thresholds: Thresholds) -> float | None:
    """Shannon's entropy of the whole sequences of moves of solved hands, in bits"""
    return entropy(row["sequence"] for row in _solved_hands(hands) if row.get("sequence"))


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


def familiar_route(hands: list[Row], thresholds: Thresholds) -> str | None:
    """the route, `422` or `442`, that solved most of the learning hands in which both compete; the one of
    the latest of them if they are equal"""
    learnt = [
        row["route"] for row in _both_routes(_learning(hands, thresholds)) if row["route"] in routes.ROUTES
    ]
    counts = Counter(reversed(learnt))  # of equals the one counted first
    return counts.most_common(1)[0][0] if counts else None


def routinization(hands: list[Row], thresholds: Thresholds) -> float | None:
    """the share of the hands solved after the learning hands in which the familiar route was played, among
    those in which the other was shorter (Attanasi, Egidi and Manzoni 2023)"""
    familiar = familiar_route(hands, thresholds)
    later = hands[len(_learning(hands, thresholds)) :]
    tempting = [row for row in _both_routes(later) if row["shorter_route"] != familiar]
    return share(row["route"] == familiar for row in tempting) if familiar else None


def participant_class(hands: list[Row], thresholds: Thresholds) -> str | None:
    """`expert` or `inexpert`, and `routinized` or `creative`, by the thresholds (after Attanasi, Egidi and
    Manzoni 2023; here an expert is who has `best_play` in most of the learning hands, because hidden cards
    keep even a perfect player from the least moves)"""
    skill, habit = learning_best_play_share(hands, thresholds), routinization(hands, thresholds)
    if skill is None or habit is None:
        return None
    expert = "expert" if skill >= thresholds.expert_from else "inexpert"
    return f"{expert} {'routinized' if habit >= thresholds.routinized_from else 'creative'}"


PARTICIPANT_MEASURES = (
    *(hands_over, solved_share, mean_moves, mean_seconds, mean_excess_moves, optimal_share),
    *(mean_moves_lost, best_play_share, learning_best_play_share),
    *(learning_rate, excess_change, share_422, share_442, route_entropy, sequence_entropy),
    *(repeated_sequences, familiar_route, routinization, participant_class),
)

# Beside each of these stands what these strategies show on the same deals: the suffix of the column → the
# strategy (``analysis.baselines``).
BASELINES = {"informed": "informed", "random": "random"}
BEHAVIOUR = (
    *(solved_share, mean_moves, mean_excess_moves, optimal_share, mean_moves_lost, best_play_share),
    *(learning_best_play_share, excess_change, share_422, share_442, route_entropy, sequence_entropy),
    *(repeated_sequences, routinization),
)


def _deal(row: Row) -> tuple[rules.Layout, str, str] | None:
    if not (row.get("layout") and row.get("goal") and row.get("first")):
        return None
    return _cards(row["layout"]), row["goal"], row["first"]


@lru_cache(maxsize=1024)
def _cards(layout: str) -> rules.Layout:
    return tuple(layout.split())


@lru_cache(maxsize=1024)
def _expected_moves(seen: tuple[rules.Layout, str, str, str]) -> float:
    return float(belief.expected_moves(*seen))


@lru_cache(maxsize=8192)
def _moves_lost(seen: tuple[rules.Layout, str, str, str], sequence: str) -> float:
    return round(float(belief.moves_lost(*seen, sequence)), 6)


def _seen(row: Row) -> tuple[rules.Layout, str, str, str] | None:
    """Deal and ViewCard, as far as the row tells both."""
    deal, view_card = _deal(row), _view_card(row.get("settings", ""))
    return (*deal, view_card) if deal and view_card else None


@lru_cache(maxsize=64)
def _view_card(settings: str) -> str | None:
    view_card = json.loads(settings).get("ViewCard") if settings else None
    return view_card if view_card in belief.VIEWS else None


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


def _solved_hands(hands: list[Row]) -> list[Row]:
    return [row for row in hands if _solved(row)]


def _both_routes(hands: list[Row]) -> list[Row]:
    """The solved hands in which both routes compete."""
    return [row for row in _solved_hands(hands) if row.get("route") and row.get("shorter_route")]


def _learning(hands: list[Row], thresholds: Thresholds) -> list[Row]:
    return hands[: thresholds.learning_hands or len(hands) // 2]
