"""Computes baselines: the measures of named strategies on the hands that participants played.

A strategy plays each hand again, with the same deal, settings and seat, and the same measures are computed.
A game's ``performance.baselines`` names the strategies, by the suffix of their columns. The strategy takes
the seats of all participants of the hand; robots keep theirs. Its random numbers are seeded by the hand, so
participants with the same hands have the same baselines, which are computed once. A random strategy plays
each hand several times (:func:`count_repetitions`), and its baseline is the mean. Strategies have no memory
of earlier hands, so one that learns cannot be a baseline. They take no time, so columns that depend on times
(``performance.timing_columns``) have no baseline.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from cardlab.analysis.hands import table_columns
from cardlab.analysis.simulation.play import robot_reply
from cardlab.games.columns import Number
from cardlab.games.contract import OUTCOMES
from cardlab.games.events import ARRIVE, END, Event, server_note
from cardlab.games.hand import Hand, History, Step
from cardlab.games.record import Opening
from cardlab.games.registry import Game, games_by_name
from cardlab.games.statistics import Row

if TYPE_CHECKING:
    import pandas as pd

MAX_REPETITIONS, MAX_PLAYS = 10, 500  # per hand; over all hands, to limit the time

# The columns that identify a row of the table of hands, and locate it in plots.
KEYS = ("session_code", "participant_code", "condition", "hand_id", "hand", "seat", "place")


class Dealt(NamedTuple):
    """A hand to play: the deal, the settings as JSON, and the seat to measure."""

    deal: str
    settings: str
    seat: str


def baseline_rows(hands: pd.DataFrame, game: Game) -> pd.DataFrame:
    """Returns the baselines of rows of the table of hands: one row for each of them and each suffix.

    The columns are ``KEYS`` as in ``hands``; ``baseline``, the suffix; ``played_out``, the share of plays
    that were played out (``Outcome.is_goal``); and the numeric measures of a hand, as means over the plays.
    A hand whose source lacks its deal or settings has no rows.
    """
    import numpy as np  # imported here because baseline_columns must work without them
    import pandas as pd

    # Many hands have the same deal: its baselines are computed once, then its rows are copied.
    fields = list(Dealt._fields)
    different = [read_dealt(row) for row in iterate_records(hands.drop_duplicates(fields)[fields])]
    times = _limit_repetitions(len(set(different)))
    first_rows, suffixes = [], game.performance.baselines
    rows: list[Row] = []
    for dealt_hand in different:
        first_rows.append(len(rows) if dealt_hand else -1)
        for suffix, name in suffixes.items() if dealt_hand else ():
            rows.append({"baseline": suffix, **_mean_measures(game.name, dealt_hand, name, times)})
    if not rows:
        return pd.DataFrame(columns=[*KEYS, "baseline"])
    begin = np.array(first_rows)[hands.groupby(fields, sort=False, dropna=False).ngroup()]
    has_baseline = np.flatnonzero(begin >= 0)
    keys = hands[[name for name in KEYS if name in hands]].iloc[np.repeat(has_baseline, len(suffixes))]
    own_rows = pd.DataFrame(rows).iloc[(begin[has_baseline, None] + np.arange(len(suffixes))).ravel()]
    return pd.concat([frame.reset_index(drop=True) for frame in (keys.infer_objects(), own_rows)], axis=1)


def iterate_records(frame: pd.DataFrame) -> Iterator[Row]:
    """Yields the rows of a frame like ``to_dict("records")``, ten times as fast.

    Cells of numeric columns are Python numbers.
    """
    names, columns = list(frame), [frame[name].tolist() for name in frame]
    return (dict(zip(names, cells)) for cells in zip(*columns))


def count_repetitions(hands: Iterable[Row]) -> int:
    """Returns how often a random strategy plays each hand of a table.

    ``MAX_REPETITIONS`` times, or less often if there are many different hands, so that there are at most
    ``MAX_PLAYS`` plays in all, or one of each hand.
    """
    return _limit_repetitions(len({read_dealt(row) for row in hands}))


def _limit_repetitions(different: int) -> int:
    return max(1, min(MAX_REPETITIONS, MAX_PLAYS // max(1, different)))


def participant_baselines(
    hands: Sequence[Row], game: Game, thresholds: Any, times: int = MAX_REPETITIONS
) -> dict[str, float | None]:
    """Returns the cells of :func:`baseline_columns` for a participant who played these hands in this order.

    A cell is None if a source lacks the deal or settings, or if the measure does not apply.
    """
    dealt_hands = tuple((read_dealt(row), row.get("number")) for row in hands)
    if not all(dealt_hand for dealt_hand, _number in dealt_hands):
        return dict.fromkeys(baseline_columns(game))
    return dict(zip(baseline_columns(game), _participant_means(game.name, dealt_hands, thresholds, times)))


def baseline_columns(game: Game) -> dict[str, str]:
    """Returns the columns of :func:`participant_baselines` with their meanings."""
    suffixes, measures = game.performance.baselines, game.performance.behaviour
    return {
        f"{measure.__name__}_{suffix}": Number(
            f"`{measure.__name__}` as the strategy `{name}` shows it on the same hands"
        )
        for measure in measures
        for suffix, name in suffixes.items()
    }


def read_dealt(row: Row) -> Dealt | None:
    """Returns the hand of a row; None if its source lacks the deal or settings."""
    deal, settings, seat = (row.get(name) or "" for name in Dealt._fields)
    return Dealt(deal, settings, seat) if deal and settings else None


@lru_cache(maxsize=1024)
def _participant_means(
    game_name: str, dealt_hands: tuple[tuple[Dealt, Any], ...], thresholds: Any, times: int
) -> list[float | None]:
    game = games_by_name()[game_name]
    by_suffix = {
        suffix: _measure_repetitions(game, dealt_hands, name, thresholds, times)
        for suffix, name in game.performance.baselines.items()
    }
    means = []
    for index in range(len(game.performance.behaviour)):
        for repetitions in by_suffix.values():
            values = [cell for cells in repetitions if (cell := cells[index]) is not None]
            means.append(fmean(values) if values else None)
    return means


def _measure_repetitions(
    game: Game, dealt_hands: Sequence[tuple[Dealt, Any]], name: str, thresholds: Any, times: int
) -> list[list[float | None]]:
    """Returns the measures of a participant for each repetition of all the hands."""
    plays = [
        (simulate_plays(game.name, dealt_hand, name, times), number) for dealt_hand, number in dealt_hands
    ]
    repetitions = []
    for repetition in range(max((len(rows) for rows, _number in plays), default=1)):
        own_rows = [{**rows[repetition % len(rows)], "number": number} for rows, number in plays]
        repetitions.append([measure(own_rows, thresholds) for measure in game.performance.behaviour])
    return repetitions


@lru_cache(maxsize=16_384)
def _mean_measures(game_name: str, dealt_hand: Dealt, name: str, times: int) -> dict[str, float | None]:
    plays = simulate_plays(game_name, dealt_hand, name, times)
    game = games_by_name()[game_name]
    measures = [*game.measures.COLUMNS, *(measure.__name__ for measure in game.performance.hand_measures)]
    means: dict[str, float | None] = {"played_out": fmean(OUTCOMES[row["outcome"]].is_goal for row in plays)}
    for column in ("score", *measures):
        if column in game.performance.timing_columns:
            continue
        values = [row[column] for row in plays if row.get(column) not in ("", None)]
        if not any(isinstance(value, str) for value in values):
            means[column] = fmean(values) if values else None
    return means


@lru_cache(maxsize=16_384)
def simulate_plays(game_name: str, dealt_hand: Dealt, name: str, times: int) -> tuple[Row, ...]:
    """Returns a row of the table of hands for each time that a strategy plays a hand.

    It plays once, or ``times`` if it draws random numbers. ``performance.timing_columns`` are meaningless.
    """
    game, rows = games_by_name()[game_name], []
    for repetition in range(times):
        chance = Random(f"{name}, play {repetition} of {dealt_hand.deal} with {dealt_hand.settings}")
        random_state = chance.getstate()
        rows.append(_build_row(game, dealt_hand, _play_hand(game, dealt_hand, name, chance)))
        if chance.getstate() == random_state:
            break
    return tuple(rows)


def _play_hand(game: Game, dealt_hand: Dealt, name: str, chance: Random, action_ms: int = 0) -> History:
    """Returns the hand as the strategy plays it. Each action takes ``action_ms`` milliseconds."""
    rules = game.rules
    opening = Opening(dealt_hand.deal, json.loads(dealt_hand.settings), shown_ms=0)
    start = hand = Hand(rules, opening)
    strategy = game.load_module("strategies").STRATEGIES[name]
    players = {seat: strategy.new_policy(chance) for seat in hand.human_seats}
    steps, now_ms = [], 0

    def add(event: Event) -> None:
        nonlocal hand
        before, hand = hand, hand.after(event)
        steps.append(Step(before, event, hand))

    if len(hand.seats) > 1:
        for seat in players:
            add(server_note(seat, ARRIVE, 0))
    while not rules.is_over(hand.state):
        seat = rules.waiting_for(hand.state)[0]
        action = rules.forced_action(hand.state)
        if not action:
            robot = seat in hand.robots
            action = (
                robot_reply(game, hand.state, seat, opening.options).action
                if robot
                else players[seat](hand.state, seat)
            )
        now_ms += action_ms
        add(Event(hand.next_number, seat, action, now_ms if action_ms else None, now_ms))
    outcome = rules.result(hand.state, next(iter(hand.seats)), 0).outcome
    add(Event(hand.next_number, "", f"{END}{outcome}", None, now_ms))
    return History(start, tuple(steps))


def _build_row(game: Game, dealt_hand: Dealt, history: History) -> Row:
    result = history.hand.result(dealt_hand.seat)
    row = {
        **dealt_hand._asdict(),
        "practice": "0",
        "outcome": result.outcome,
        "score": result.score,
        **game.measures.measure_hand(history, dealt_hand.seat),
    }
    for measure in game.performance.hand_measures:
        if measure not in game.performance.search_measures:
            value = measure(row)
            row[measure.__name__] = "" if value is None else value
    return {name: row[name] for name in table_columns(game) if name in row}
