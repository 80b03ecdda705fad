"""Simulates the power of an experiment: how often it would find a difference that exists.

In every repeat, strategies play all hands of all participants of the design (``cardlab.analysis.design``).
The measure is computed by the same functions as for real participants, and the test compares two treatments.
Power is the share of repeats in which it rejects the null hypothesis.

Each participant's strategy is drawn by the shares of the treatment, because participants are a sample. The
smaller sizes of a curve are the first participants of the same repeats, so a curve costs no more than its
largest size, and its points are dependent. Random numbers are seeded by the seed, the repeat, the treatment
and the participant, so the result does not depend on the number of processes.

Times are not simulated: all actions take equally long. A measure that depends on times is rejected.
Hands with the same actions are folded and measured once (:func:`_measure_hand`).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from cardlab.analysis import hands
from cardlab.analysis.design import Arm, Design
from cardlab.analysis.inference import comparisons, difference_test, intervals
from cardlab.analysis.inference.clusters import Floats
from cardlab.analysis.simulation import play, response_times, sessions
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.columns import Integer, Number
from cardlab.games.contract import BadFile, Policy
from cardlab.games.events import Event
from cardlab.games.record import Opening, compact_json
from cardlab.games.registry import Game
from cardlab.games.simulation import find_strategy
from cardlab.games.statistics import Row
from cardlab.games.tables import ACTION_COLUMNS, deal_cells, format_utc

COLUMNS = {
    "measure": "the measure that is compared",
    "test": "the test",
    "level": Number("the level of significance"),
    "first": "the two treatments",
    "second": "the two treatments",
    "participants_first": Integer("number of participants"),
    "participants_second": Integer("number of participants"),
    "repeats": Integer("number of simulated experiments"),
    "power": Number("share of repeats in which p is at most the level"),
    "power_low": Number("bounds of its 95 % Wilson interval"),
    "power_high": Number("bounds of its 95 % Wilson interval"),
    "without_p": Integer("repeats without a p; they count as not significant"),
    "mean_first": Number("mean over all repeats"),
    "mean_second": Number("mean over all repeats"),
    "sd_first": Number("standard deviation, mean over the repeats"),
    "sd_second": Number("standard deviation, mean over the repeats"),
    "difference": Number("mean of the first minus mean of the second"),
    "hedges_g": Number("Hedges' g, mean over the repeats"),
}

TARGET_POWER = 0.8  # the conventional target, drawn as a line
MAX_CACHED = 50_000  # hands, to limit the memory
_SEAT_AND_ACTION = attrgetter("seat", "action")

Times = Callable[[int, int], int]  # number of the hand and of the action in it → milliseconds


class TestResult(NamedTuple):
    """The test of two treatments in a repeat with a number of participants; missing values are NaN."""

    p: float
    mean_first: float
    mean_second: float
    sd_first: float
    sd_second: float
    hedges_g: float


Repeat = list[list[TestResult]]  # for each size, for each pair of treatments


def constant_time(_hand: int, _action: int) -> int:
    """Returns the same time for all actions, in milliseconds."""
    return response_times.MEDIAN_MS


def _varying_time(hand: int, action: int) -> int:
    """Returns different times, in milliseconds, to detect a measure that depends on times."""
    return 1000 + 700 * hand + 90 * action


def check_measure(design: Design) -> None:
    """Raises BadFile if the measure is not numeric, empty in the first repeat, or dependent on times."""
    size = design.participants[0]
    samples = _measure_treatments(design, 1, size, constant_time)
    values = [value for sample, _tables in samples for value in sample if value is not None]
    if any(isinstance(value, str) for value in values):
        raise BadFile(design.file, f"measure must be numeric, but {design.measure} is not: '{values[0]}'.")
    if not values:
        raise BadFile(
            design.file,
            f"measure: {design.measure} is empty for all participants of the first repeat, so "
            "conditions cannot be compared. Use other deals or more hands.",
        )
    if _measure_treatments(design, 1, size, _varying_time) != samples:
        raise BadFile(
            design.file,
            f"measure: {design.measure} depends on times, which are not simulated. Use a measure "
            "of the moves.",
        )


class _Sample(NamedTuple):
    """The measure and the table number of each participant of a treatment."""

    values: Floats
    tables: npt.NDArray[np.int64]

    def first(self, count: int) -> _Sample:
        """Returns the first ``count`` participants, without those who have no value."""
        values, tables = self.values[:count], self.tables[:count]
        has_value = ~np.isnan(values)
        return _Sample(values[has_value], tables[has_value])


def simulate_repeat(task: tuple[Design, int]) -> Repeat:
    """Simulates the repeat with a number, and returns the tests of all sizes and pairs."""
    design, number = task
    treatments = _measure_treatments(design, number, design.participants[-1], constant_time)
    samples = {
        arm.name: _Sample(
            np.array([math.nan if value is None else value for value in values], dtype=float),
            np.array(tables),
        )
        for arm, (values, tables) in zip(design.arms, treatments)
    }
    return [
        [
            _test_pair(design, *(samples[arm.name].first(size * arm.share) for arm in pair))
            for pair in design.pairs
        ]
        for size in design.participants
    ]


def _test_pair(design: Design, first: _Sample, second: _Sample) -> TestResult:
    (mean_first, sd_first), (mean_second, sd_second) = map(_mean_and_deviation, (first.values, second.values))
    p, g = _TEST_FUNCTIONS[design.test](first, second), comparisons.hedges_g(first.values, second.values)
    return TestResult(p, mean_first, mean_second, sd_first, sd_second, g)


def _mean_and_deviation(values: Floats) -> tuple[float, float]:
    mean = float(values.mean()) if len(values) else math.nan
    return mean, float(values.std(ddof=1)) if len(values) > 1 else math.nan


def _permutation_p(first: _Sample, second: _Sample) -> float:
    clusters = [*first.tables, *(-1 - second.tables)]  # so that the treatments have no table in common
    sides = [True] * len(first.values) + [False] * len(second.values)
    return difference_test.difference_p(np.concatenate([first.values, second.values]), sides, clusters)


def _p_of_table_means(test: Callable[[Floats, Floats], Any]) -> Callable[[_Sample, _Sample], float]:

    def p(first: _Sample, second: _Sample) -> float:
        means = [
            np.array(
                [side.values[side.tables == table_number].mean() for table_number in np.unique(side.tables)]
            )
            for side in (first, second)
        ]
        if min(map(len, means)) < 2 or np.ptp(np.concatenate(means)) == 0:
            return math.nan
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # about sides with equal values
            return float(test(*means).pvalue)

    return p


_TEST_FUNCTIONS: dict[str, Callable[[_Sample, _Sample], float]] = {
    "permutation": _permutation_p,
    "t": _p_of_table_means(lambda one, other: stats.ttest_ind(one, other, equal_var=False)),
    "rank": _p_of_table_means(stats.mannwhitneyu),
}


def build_table(design: Design, repeats: Iterable[Repeat]) -> list[Row]:
    """Returns the rows of the table: one for each size, in ascending order, and pair of treatments."""
    results = np.array(list(repeats), dtype=float)  # repeats × sizes × pairs × fields of TestResult
    rows = []
    for size_index, size in enumerate(design.participants):
        for pair_index, (first, second) in enumerate(design.pairs):
            pair_results = TestResult(*results[:, size_index, pair_index].T)
            power = intervals.wilson_interval(int(np.sum(pair_results.p <= design.level)), len(results))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # about means of nothing but NaN
                means = [float(np.nanmean(values)) for values in pair_results[1:]]
            mean_first, mean_second, sd_first, sd_second, g = means
            cells = [design.measure, design.test, design.level, first.name, second.name]
            cells += [size * first.share, size * second.share, len(results), *power[:3]]
            cells += [
                int(np.isnan(pair_results.p).sum()),
                mean_first,
                mean_second,
                sd_first,
                sd_second,
                mean_first - mean_second,
                g,
            ]
            rows.append(dict(zip(COLUMNS, [_cell(cell) for cell in cells])))
    return rows


def draw_curve(design: Design, rows: Sequence[Row]) -> Any:
    """Returns a ``drawing.Drawing`` of the power by number of participants, with a line per pair."""
    import pandas as pd

    from cardlab.analysis.report import drawing

    frame = pd.DataFrame(
        {
            "pair": f"{row['first']} and {row['second']}",
            "participants": row["participants_first"],
            "mean": row["power"],
            "low": row["power_low"],
            "high": row["power_high"],
        }
        for row in rows
    )
    has_equal_shares = len({arm.share for arm in design.arms}) == 1
    label = f"Participants in {'each treatment' if has_equal_shares else design.arms[0].name}"
    repeats = f"Power: p ≤ {design.level:g} in {design.repeats:,} repeats"
    return drawing.Drawing(_draw_power, (frame, (label, repeats)), {})


def _draw_power(frame: Any, labels: tuple[str, str]) -> Any:
    from cardlab.analysis.report import curve_plots, plot_style

    figure = curve_plots.draw_curves(frame, "participants", labels, 0, 1.02).figure
    for axes in figure.axes:
        axes.axhline(TARGET_POWER, color=plot_style.SOFT, linewidth=1, linestyle=":")
    return figure


def describe_row(row: Row) -> str:
    """Returns a row as a sentence for the terminal."""
    return (
        f"{row['first']} ({row['participants_first']}) and {row['second']} ({row['participants_second']}): "
        f"power {row['power']:.3f} [{row['power_low']:.3f}, {row['power_high']:.3f}]"
    )


def _cell(value: Any) -> Any:
    return ("" if math.isnan(value) else round(value, 6)) if isinstance(value, float) else value


class _Participant:
    """A simulated participant without a clock. ``rows`` are the measured hands that count."""

    ready_ms = 0

    def __init__(self, play: Policy, times: Times) -> None:
        self.play = play
        self.rows: list[Row] = []
        self._times, self._actions = times, 0

    def thinking_ms(self, hand: int) -> int:
        """Returns how long the next action of a hand takes, in milliseconds."""
        self._actions += 1
        return self._times(hand, self._actions)

    def rest(self, _since_ms: int, _pause: tuple[int, int]) -> None:
        """Resets the count of actions for the next hand."""
        self._actions = 0


def _measure_treatments(
    design: Design, repeat: int, size: int, times: Times
) -> list[tuple[list[Any], list[int]]]:
    """Returns for each treatment the measure and the table number of every participant, table by table."""
    measures = {measure.__name__: measure for measure in design.game.performance.participant_measures}
    treatments = []
    for arm in design.arms:
        participants = _create_participants(design, repeat, arm, size * arm.share, times)
        tables = [0] * len(participants)
        for number, hand in enumerate(_deal_tables(design, repeat, arm, len(participants))):
            for table, dealt_table in enumerate(hand):
                _play_table(design.game, participants, dealt_table)
                for index in dealt_table.seats.values() if number == 0 else ():
                    tables[index] = table
        # Sorted by table, because a smaller size takes the first participants.
        by_table = sorted(range(len(participants)), key=tables.__getitem__)
        values = [measures[design.measure](participants[index].rows, design.thresholds) for index in by_table]
        treatments.append((values, sorted(tables)))
    return treatments


def _create_participants(
    design: Design, repeat: int, arm: Arm, count: int, times: Times
) -> list[_Participant]:
    known = design.game.load_module("strategies").STRATEGIES
    strategies = {name: find_strategy(design.game.title, known, name) for name in arm.strategies}
    shares, participants = [float(share) for share in arm.strategies.values()], []
    for number in range(1, count + 1):
        chance = Random(f"{design.seed}, repeat {repeat}, {arm.name}, participant {number}")
        (name,) = chance.choices(list(strategies), shares)
        participants.append(_Participant(strategies[name].new_policy(chance), times))
    return participants


class _DealtTable(NamedTuple):
    """A hand at a table of a treatment.

    ``place`` is its number among the hands that count (0 for practice), ``seats`` has the index of the
    participant in each seat, and ``key`` identifies its deal and settings.
    """

    number: int
    place: int
    opening: Opening
    seats: Mapping[str, int]
    key: tuple[str, str]


def _deal_tables(design: Design, repeat: int, arm: Arm, people: int) -> list[list[_DealtTable]]:
    hands: list[list[_DealtTable]] = []
    place, keys = 0, {}
    session = design.dealing(arm).deal(repeat)
    for number, tables in enumerate(play.seat_tables(design.game, session, range(people)), 1):
        place += not tables[0].game.practice
        hand = []
        for game, seats, _new in tables:
            if id(game) not in keys:
                keys[id(game)] = game.deal, compact_json({**game.options, "seed": ""})
            hand.append(_DealtTable(number, 0 if game.practice else place, game, seats, keys[id(game)]))
        hands.append(hand)
    return hands


def _play_table(game: Game, participants: Sequence[_Participant], dealt_table: _DealtTable) -> None:
    """Plays a hand at a table, and adds its row to each participant if the hand counts."""
    players = {seat: participants[index] for seat, index in dealt_table.seats.items()}
    opening, events = play.play_hand(game, dealt_table.opening, players, dealt_table.number)
    if dealt_table.place:
        rows = _measure_hand(game, opening, events, dealt_table)
        for seat, person in players.items():
            person.rows.append(rows[seat])


_rows_cache: dict[Any, dict[str, Row]] = {}


def _measure_hand(
    game: Game, opening: Opening, events: Sequence[Event], dealt_table: _DealtTable
) -> dict[str, Row]:
    """Returns the rows of the table of hands by seat, with all measures.

    Rows of hands with the same actions are cached. They do not depend on the participant, and must not be
    changed.
    """
    actions = tuple(map(_SEAT_AND_ACTION, events))
    key = game.name, dealt_table.number, dealt_table.place, dealt_table.key, events[-1].server_ms, actions
    if key not in _rows_cache:
        if len(_rows_cache) >= MAX_CACHED:
            _rows_cache.clear()
        hand = _build_source_hand(game, opening, events, dealt_table)
        # Both numbers are equal, because all hands are over.
        numbers = {"place": dealt_table.place, "number": dealt_table.place}
        _rows_cache[key] = {row["seat"]: row | numbers for row in hands.measure_hand(hand, game)}
    return _rows_cache[key]


def _build_source_hand(
    game: Game, opening: Opening, events: Sequence[Event], dealt_table: _DealtTable
) -> SourceHand:
    """Returns the hand as it would be read from a table of actions."""
    is_alone = len(game.rules.seats(game.rules.start(opening.deal, opening.options))) == 1
    person = ["somebody", "", 1, ""] if is_alone else ["", "", "", ""]
    identity = ["power", 0, format_utc(sessions.CREATED_MS), *person]
    row = [
        *identity,
        game.app,
        dealt_table.number,
        f"hand-{dealt_table.number}",
        "",
        *deal_cells(opening, opening.shown_ms),
    ]
    cells = {name: str(cell) for name, cell in zip(ACTION_COLUMNS, row)}
    people_by_seat: dict[str, Sequence[str]] = {
        seat: (f"somebody in {seat}", "", "1") for seat in dealt_table.seats
    }
    return SourceHand("a simulated hand", None, cells, tuple(events), people_by_seat)
