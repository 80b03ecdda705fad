"""Measures of a hand and of a participant in Solitario.

The solver decides whether a hand could have been solved with all cards known. Its budget is the same with
and without numba, so the tables are the same. Few hands remain undecided.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import NamedTuple

from cardlab.games.performance import (
    CHANGE,
    CHOICES,
    DESIGN,
    PERFORMANCE,
    SPEED,
    Performance,
    change_of,
    hand_count,
    learning_rate_of,
    mean_of,
    share_of,
)
from cardlab.games.solitario import rules
from cardlab.games.solitario.deal import complete_options
from cardlab.games.solitario.measures import LineEntry
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.points import find_most_points
from cardlab.games.solitario.solver import Position, decide
from cardlab.games.statistics import (
    Row,
    Share,
    mean,
    number,
    numbers,
    ratio,
    share,
)

NODES = 5_000_000  # the solver's budget for each position of a hand


# Measures of a hand.


def solved(row: Row) -> int | None:
    """1 if solved, 0 if not; empty while open"""
    outcome = row.get("outcome")
    return int(outcome == "solved") if outcome and outcome != "open" else None


def solvable(row: Row) -> int | None:
    """1 if the deal can be solved with all cards known, else 0; empty if 5,000,000 positions do not decide"""
    if row.get("outcome") == "solved":
        return 1
    deal_and_settings = _deal_and_settings(row)
    return _cell(_deal_solvable(*deal_and_settings)) if deal_and_settings else None


def lost(row: Row) -> int | None:
    """1 if a solvable hand became unsolvable, 0 if not; empty if it never was solvable or the search does
    not decide
    """
    loss = _loss(row)
    return _cell(loss.lost) if loss else None


def lost_at(row: Row) -> int | None:
    """number of the action in `sequence` that made it unsolvable; empty if none did or it is `undecided`"""
    loss = _loss(row)
    return loss.at if loss else None


def undecided(row: Row) -> str | None:
    """those of `solvable`, `lost` and `lost_at` that 5,000,000 positions do not decide; empty if none"""
    if row.get("outcome") == "solved" or not _deal_and_settings(row):
        return None
    loss = _loss(row)
    if loss is None:
        return "solvable lost lost_at" if solvable(row) is None else None
    if loss.lost is None:
        return "lost lost_at"
    return "lost_at" if loss.lost and loss.at is None else None


def best_points(row: Row) -> int | None:
    """the most `points_of_events` with which the deal can be solved, all cards known; empty if it cannot be
    solved or 500,000 positions do not prove them
    """
    deal_and_settings = _deal_and_settings(row)
    return _most_points(*deal_and_settings) if deal_and_settings and solvable(row) else None


def seconds_per_move(row: Row) -> float | None:
    """`client_seconds` divided by `moves`"""
    return ratio(number(row, "client_seconds"), number(row, "moves"))


def home_left_share(row: Row) -> Share | None:
    """`home_left` divided by `moves`"""
    return ratio(number(row, "home_left"), number(row, "moves"))


def led_nowhere_share(row: Row) -> Share | None:
    """`led_nowhere` divided by `moves`"""
    return ratio(number(row, "led_nowhere"), number(row, "moves"))


# Measures of a participant.


hands_over = hand_count("hands that are over, without practice")
solved_share = share_of("solved", "solved_share", "share of hands that were solved")


def solvable_hands(hands: list[Row], _thresholds: object) -> int | None:
    """hands with `solvable` 1; empty without a search"""
    return len(_solvable_hands(hands)) if numbers(hands, "solvable") or not hands else None


def solved_share_of_solvable(hands: list[Row], _thresholds: object) -> Share | None:
    """share of `solvable_hands` that were solved"""
    return mean(numbers(_solvable_hands(hands), "solved"))


lost_share = share_of("lost", "lost_share")
mean_score = mean_of("score")


def highest_score(hands: list[Row], _thresholds: object) -> float | None:
    """the highest `score`"""
    return max(numbers(hands, "score"), default=None)


score_change = change_of("score", "score_change")
mean_seconds = mean_of("client_seconds", "mean_seconds")
mean_moves = mean_of("moves")
mean_cards_home = mean_of("cards_home")
mean_turn_overs = mean_of("turn_overs")
mean_home_left = mean_of("home_left")
mean_led_nowhere = mean_of("led_nowhere")


def given_up_share(hands: list[Row], _thresholds: object) -> Share | None:
    """share of hands that were given up"""
    return share(row["outcome"] == "gave_up" for row in hands if row.get("outcome"))


learning_rate = learning_rate_of("seconds_per_move")


MEASURES = Performance(
    hand_measures=(
        solved,
        solvable,
        lost,
        lost_at,
        undecided,
        best_points,
        seconds_per_move,
        home_left_share,
        led_nowhere_share,
    ),
    participant_measures={
        hands_over: DESIGN,
        solved_share: PERFORMANCE,
        solvable_hands: DESIGN,
        solved_share_of_solvable: PERFORMANCE,
        lost_share: PERFORMANCE,
        given_up_share: CHOICES,
        mean_score: PERFORMANCE,
        highest_score: PERFORMANCE,
        score_change: CHANGE,
        mean_seconds: SPEED,
        mean_moves: CHOICES,
        mean_cards_home: PERFORMANCE,
        mean_turn_overs: CHOICES,
        mean_home_left: CHOICES,
        mean_led_nowhere: CHOICES,
        learning_rate: CHANGE,
    },
    # Without the solver's results and the score, which depends on time.
    behaviour=(
        *(solved_share, mean_moves, mean_cards_home, mean_turn_overs, mean_home_left, mean_led_nowhere),
    ),
    baselines={"informed": "careful", "random": "random"},
    timing_columns=("score", "time_points", "bonus", "first_home_ms", "seconds_per_move"),
    search_measures=(solvable, lost, lost_at, undecided, best_points),
)


def _solvable_hands(hands: list[Row]) -> list[Row]:
    return [row for row in hands if row.get("solvable") == 1]


# Solvability.


class Loss(NamedTuple):
    """Whether a solvable hand was lost, None if the search does not decide, and the action that lost it.

    ``at`` is the number of this action, None if there is none or it is unknown.
    """

    lost: bool | None
    at: int | None = None


def _cell(truth: bool | None) -> int | None:
    return None if truth is None else int(truth)


def _deal_and_settings(row: Row) -> tuple[str, str] | None:
    """Returns the deal and the settings of a row, None if either is missing."""
    deal, settings = row.get("deal"), row.get("settings")
    return (deal, settings) if deal and settings else None


@lru_cache(maxsize=1024)
def _deal_solvable(deal: str, settings: str) -> bool | None:
    return _solvable(rules.start(deal, complete_options(json.loads(settings))))


@lru_cache(maxsize=1024)
def _most_points(deal: str, settings: str) -> int | None:
    state = rules.start(deal, complete_options(json.loads(settings)))
    draw, ace_on_two = state.options["draw"], state.options["ace_on_two"]
    return find_most_points(state.position, state.pack, draw=draw, ace_on_two=ace_on_two).points


def _loss(row: Row) -> Loss | None:
    """Returns whether and when a hand was lost that was solvable when dealt; None for other hands.

    Each position of the hand can be reached from every earlier one. So an unsolvable position is never
    followed by a solvable one, and bisection finds the action that lost the hand.
    """
    deal_and_settings = _deal_and_settings(row)
    if row.get("outcome") == "solved":
        return Loss(False)
    if not (deal_and_settings and "line" in row and _deal_solvable(*deal_and_settings)):
        return None
    line = [entry for entry in row["line"] if _matters(entry)]
    can = _solvable(line[-1].state) if line else True
    if can is not False:
        return Loss(None if can is None else False)
    last_solvable, last_unsolvable = -1, len(line) - 1
    while last_unsolvable - last_solvable > 1:
        middle = (last_solvable + last_unsolvable) // 2
        can = _solvable(line[middle].state)
        if can is None:
            return Loss(True)
        last_solvable, last_unsolvable = (middle, last_unsolvable) if can else (last_solvable, middle)
    return Loss(True, line[last_unsolvable].number)


def _matters(entry: LineEntry) -> bool:
    """Whether the action can make a hand unsolvable.

    With one card per draw, the stock can always return to its earlier position. With three cards per draw, a
    player who draws on may lose access to a card for good.
    """
    if entry.kind in ("draw", "turn"):
        draw: int = entry.state.options["draw"]
        return draw > 1
    return entry.kind not in ("up", "give_up")


def _solvable(state: rules.State) -> bool | None:
    options = state.options
    return _searched(state.position, options["pack"], options["draw"], options["ace_on_two"])


@lru_cache(maxsize=8192)
def _searched(position: Position, pack: str, draw: int, ace_on_two: bool) -> bool | None:
    return decide(position, PACKS[pack], draw=draw, ace_on_two=ace_on_two, nodes=NODES)
