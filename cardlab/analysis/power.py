"""How often an experiment would find what there is to be found: its power, by simulation.

In every repeat all participants of the design (``cardlab.analysis.design``) play all hands by their
strategies, by the rules of the game and in its deals; the measure is taken of each by the same functions as
of real ones, and the test asks whether two treatments differ. Power is the share of repeats in which it says
so.

Which strategy a participant has is drawn by the shares of the treatment: people are a sample. The smaller
sizes of a curve are the first so many participants of the same repeats, so a curve costs no more than its
greatest size, and its points depend on each other. What is drawn follows from the seed, the repeat, the
treatment and the participant, so nothing depends on how the work is shared out.

Times are not simulated: each action takes as long as any other. A measure that is made of times is refused.

Hands that went the same way are folded and measured once (``_measured``).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from random import Random
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from cardlab.analysis import hands, inference, simulate
from cardlab.analysis.design import Arm, Design
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.columns import Integer, Number
from cardlab.games.contract import BadFile, Policy
from cardlab.games.events import Event
from cardlab.games.record import Opening, compact_json
from cardlab.games.registry import Game
from cardlab.games.simulation import find_strategy as named
from cardlab.games.statistics import Row
from cardlab.games.tables import ACTION_COLUMNS, deal_cells, format_utc

COLUMNS = {
    "measure": "the measure of participants that is compared",
    "test": "the test",
    "level": Number("the level of significance"),
    "first": "a treatment",
    "second": "another one",
    "participants_first": Integer("how many participants the first has"),
    "participants_second": Integer("how many the second has"),
    "repeats": Integer("simulated experiments"),
    "power": Number("the share of them in which p is at most the level"),
    "power_low": Number("lower bound of the 95 % interval of this share (Wilson), for so many repeats"),
    "power_high": Number("its upper bound"),
    "without_p": Integer(
        "repeats without a p, because a treatment has fewer than two observations with a value or, in the t "
        "and the rank test, all are equal: they count as not found"
    ),
    "mean_first": Number("mean of the measure in the first, over all repeats"),
    "mean_second": Number("mean of the measure in the second"),
    "sd_first": Number("standard deviation between participants in the first, mean over the repeats"),
    "sd_second": Number("standard deviation between participants in the second"),
    "difference": Number("mean of the first less that of the second"),
    "hedges_g": Number("this difference in standard deviations: Hedges' g, mean over the repeats"),
}

ENOUGH_POWER = 0.8  # power, as most of the field has it; a line of the curve
MAX_CACHED = 50_000  # hands whose measures are remembered
_SEAT_AND_ACTION = attrgetter("seat", "action")

Times = Callable[[int, int], int]  # number of the hand and of the action in it → milliseconds


class TestResult(NamedTuple):
    """What the test found in a repeat, of two treatments at a size; NaN is what there is not."""

    p: float
    mean_first: float
    mean_second: float
    sd_first: float
    sd_second: float
    hedges_g: float


Repeat = list[list[TestResult]]  # for each size, for each pair of treatments


def constant_time(_hand: int, _action: int) -> int:
    """Each action takes as long as any other."""
    return simulate.MEDIAN_MS


def _varying_time(hand: int, action: int) -> int:
    """Other times, by which a measure is known that is made of them."""
    return 1000 + 700 * hand + 90 * action


def check_measure(design: Design) -> None:
    """Raises BadFile if the measure tells nothing of simulated participants."""
    size = design.participants[0]
    values = _measure_treatments(design, 1, size, constant_time)
    told = [value for own, _tables in values for value in own if value is not None]
    if any(isinstance(value, str) for value in told):
        raise BadFile(design.file, f"measure must be a number, which {design.measure} is not: '{told[0]}'.")
    if not told:
        raise BadFile(
            design.file,
            f"measure: {design.measure} is empty for all participants of the first repeat, so nothing can be "
            "compared; it wants other deals or more hands.",
        )
    if _measure_treatments(design, 1, size, _varying_time) != values:
        raise BadFile(
            design.file,
            f"measure: {design.measure} is made of times, which are not simulated; take one that is made of "
            "what was played.",
        )


def simulate_repeat(task: tuple[Design, int]) -> Repeat:
    """What the test finds in the repeat of this number."""
    design, number = task
    values = _measure_treatments(design, number, design.participants[-1], constant_time)
    places = {arm.name: place for place, arm in enumerate(design.arms)}
    of_arm = [
        (np.array([math.nan if value is None else value for value in own], dtype=float), np.array(tables))
        for own, tables in values
    ]
    return [
        [
            _test_pair(design, *(_take_first(*of_arm[places[arm.name]], size * arm.share) for arm in pair))
            for pair in design.pairs
        ]
        for size in design.participants
    ]


def _take_first(values: Any, tables: Any, count: int) -> tuple[Any, Any]:
    """The first so many participants, as far as they have a value."""
    values, tables = values[:count], tables[:count]
    told = ~np.isnan(values)
    return values[told], tables[told]


def _test_pair(design: Design, first: tuple[Any, Any], second: tuple[Any, Any]) -> TestResult:
    sides = [values for values, _tables in (first, second)]
    means = [float(side.mean()) if len(side) else math.nan for side in sides]
    deviations = [float(side.std(ddof=1)) if len(side) > 1 else math.nan for side in sides]
    return TestResult(
        _TEST_FUNCTIONS[design.test](first, second), *means, *deviations, inference.hedges_g(*sides)
    )


def _permutation_p(first: tuple[Any, Any], second: tuple[Any, Any]) -> float:
    clusters = [*first[1], *(-1 - second[1])]  # nobody is in two treatments
    sides = [True] * len(first[0]) + [False] * len(second[0])
    return inference.permutation_p(np.concatenate([first[0], second[0]]), sides, clusters)


def _p_of_means(test: Callable[[Any, Any], Any]) -> Callable[[Any, Any], float]:
    """The p of a test of the means of tables."""

    def p(first: tuple[Any, Any], second: tuple[Any, Any]) -> float:
        means = [
            np.array([own[tables == one].mean() for one in np.unique(tables)])
            for own, tables in (first, second)
        ]
        if min(map(len, means)) < 2 or np.ptp(np.concatenate(means)) == 0:
            return math.nan
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # of sides in which all are equal
            return float(test(*means).pvalue)

    return p


_TEST_FUNCTIONS = {
    "permutation": _permutation_p,
    "t": _p_of_means(lambda one, other: stats.ttest_ind(one, other, equal_var=False)),
    "rank": _p_of_means(lambda one, other: stats.mannwhitneyu(one, other)),
}


def build_table(design: Design, repeats: Iterable[Repeat]) -> list[Row]:
    """The rows of the table, in the order of the sizes: a row for each size and pair of treatments."""
    found = np.array(list(repeats), dtype=float)  # repeats × sizes × pairs × fields of Found
    rows = []
    for place, size in enumerate(design.participants):
        for number, (first, second) in enumerate(design.pairs):
            own = TestResult(*found[:, place, number].T)
            power = inference.wilson_interval(int(np.sum(own.p <= design.level)), len(found))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # of nothing but NaN
                means = [float(np.nanmean(values)) for values in own[1:]]
            one, other, sd_one, sd_other, g = means
            cells = [design.measure, design.test, design.level, first.name, second.name]
            cells += [size * first.share, size * second.share, len(found), *power[:3]]
            cells += [int(np.isnan(own.p).sum()), one, other, sd_one, sd_other, one - other, g]
            rows.append(dict(zip(COLUMNS, [_cell(cell) for cell in cells])))
    return rows


def draw_curve(design: Design, rows: Sequence[Row]) -> Any:
    """Power over the number of participants, a line for each pair of treatments (``figures.Drawing``)."""
    import pandas as pd

    from cardlab.analysis.report import figures

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
    first = design.arms[0]
    people = (
        "Participants in each treatment" if _has_equal_shares(design) else f"Participants in {first.name}"
    )
    repeats = f"Power: p ≤ {design.level:g} in {design.repeats:,} repeats"
    return figures.Drawing(_draw_power, (frame, (people, repeats)), {})


def _draw_power(frame: Any, labels: tuple[str, str]) -> Any:
    from cardlab.analysis.report import figures

    figure = figures.draw_curves(frame, "participants", labels, 0, 1.02).figure
    for axes in figure.axes:
        axes.axhline(ENOUGH_POWER, color=figures.SOFT, linewidth=1, linestyle=":")
    return figure


def _has_equal_shares(design: Design) -> bool:
    return len({arm.share for arm in design.arms}) == 1


def describe_row(row: Row) -> str:
    """A row in a sentence, for the terminal."""
    return (
        f"{row['first']} ({row['participants_first']}) and {row['second']} ({row['participants_second']}): "
        f"power {row['power']:.3f} [{row['power_low']:.3f}, {row['power_high']:.3f}]"
    )


def _cell(value: Any) -> Any:
    return ("" if math.isnan(value) else round(value, 6)) if isinstance(value, float) else value


# One repeat.


class _Participant:
    """A simulated participant without a clock; ``rows`` are those of the hands played that count."""

    ready_ms = 0

    def __init__(self, play: Policy, times: Times) -> None:
        self.play, self.rows = play, []
        self._times, self._actions = times, 0

    def thinking_ms(self, hand: int) -> int:
        self._actions += 1
        return self._times(hand, self._actions)

    def rest(self, _since_ms: int, _pause: tuple[int, int]) -> None:
        self._actions = 0


def _measure_treatments(
    design: Design, repeat: int, size: int, times: Times
) -> list[tuple[list[Any], list[int]]]:
    """For each treatment the measure of every participant, and the number of the table where they sat."""
    measure = next(
        measure
        for measure in design.game.performance.PARTICIPANT_MEASURES
        if measure.__name__ == design.measure
    )
    found = []
    for arm in design.arms:
        people = _create_participants(design, repeat, arm, size * arm.share, times)
        tables = [0] * len(people)
        for number, hand in enumerate(_deal_tables(design, repeat, arm, len(people))):
            for table, dealt in enumerate(hand):
                _play_table(design.game, people, dealt)
                for place in dealt.at.values() if number == 0 else ():
                    tables[place] = table
        by_table = sorted(range(len(people)), key=tables.__getitem__)  # a smaller size is the first of them
        values = [measure(people[place].rows, design.thresholds) for place in by_table]
        found.append((values, sorted(tables)))
    return found


def _create_participants(
    design: Design, repeat: int, arm: Arm, count: int, times: Times
) -> list[_Participant]:
    known = design.game.load_module("strategies").STRATEGIES
    strategies = {name: named(design.game.title, known, name) for name in arm.strategies}
    shares, people = [float(share) for share in arm.strategies.values()], []
    for number in range(1, count + 1):
        chance = Random(f"{design.seed}, repeat {repeat}, {arm.name}, participant {number}")
        (name,) = chance.choices(list(strategies), shares)
        people.append(_Participant(strategies[name].new_policy(chance), times))
    return people


class _DealtTable(NamedTuple):
    """A hand at a table of a treatment: its number, its place among those that count (0 for practice), how it
    begins, who sits where (counted from 0), and what tells it from other hands."""

    number: int
    place: int
    opening: Opening
    at: Mapping[str, int]
    key: tuple[str, str]


def _deal_tables(design: Design, repeat: int, arm: Arm, people: int) -> list[list[_DealtTable]]:
    """The tables of each hand."""
    found, place, keys = [], 0, {}
    session = design.dealing(arm).session(repeat)
    for number, tables in enumerate(simulate.seat_tables(design.game, session, range(people)), 1):
        place += not tables[0].game.practice
        hand = []
        for game, at, _new in tables:
            if id(game) not in keys:
                keys[id(game)] = game.deal, compact_json({**game.options, "seed": ""})
            hand.append(_DealtTable(number, 0 if game.practice else place, game, at, keys[id(game)]))
        found.append(hand)
    return found


def _play_table(game: Game, people: Sequence[_Participant], dealt: _DealtTable) -> None:
    """A hand of those who sit at a table; each has the row of it then."""
    at = {seat: people[place] for seat, place in dealt.at.items()}
    opening, events = simulate.play_hand(game, dealt.opening, at, dealt.number)
    if dealt.place:
        rows = _measure_hand(game, opening, events, dealt)
        for seat, person in at.items():
            person.rows.append(rows[seat])


_rows_cache: dict[Any, dict[str, Row]] = {}


def _measure_hand(
    game: Game, opening: Opening, events: Sequence[Event], dealt: _DealtTable
) -> dict[str, Row]:
    """The rows of the table of hands by their seats, all measures taken. Those of hands that went the same
    way are remembered; nobody changes them, nor are they asked whose they are."""
    way = tuple(map(_SEAT_AND_ACTION, events))
    key = game.name, dealt.number, dealt.place, dealt.key, events[-1].server_ms, way
    if key not in _rows_cache:
        if len(_rows_cache) >= MAX_CACHED:
            _rows_cache.clear()
        told = _build_source_hand(game, opening, events, dealt)
        known = {"place": dealt.place, "number": dealt.place}  # all hands are over
        _rows_cache[key] = {row["seat"]: row | known for row in hands.measure_hand(told, game)}
    return _rows_cache[key]


def _build_source_hand(
    game: Game, opening: Opening, events: Sequence[Event], dealt: _DealtTable
) -> SourceHand:
    """The hand as a table of actions would tell it."""
    alone = len(game.rules.seats(game.rules.start(opening.deal, opening.options))) == 1
    who = [
        "power",
        0,
        format_utc(simulate.CREATED_MS),
        "somebody" if alone else "",
        "",
        1 if alone else "",
        "",
    ]
    row = [*who, game.app, dealt.number, f"hand-{dealt.number}", "", *deal_cells(opening, opening.shown_ms)]
    cells = {name: str(cell) for name, cell in zip(ACTION_COLUMNS, row)}
    people = {seat: (f"somebody in {seat}", "", "1") for seat in dealt.at}
    return SourceHand("a simulated hand", None, cells, tuple(events), people)
