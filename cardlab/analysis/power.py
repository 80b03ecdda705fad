"""Simulates the power of an experiment: how often it would find a difference, or an equivalence, that exists.

In every repeat, strategies play all hands of all participants of the design (``cardlab.analysis.design``).
The measures are computed and compared by the same functions as those of real participants
(:mod:`cardlab.analysis.compare`), between treatments or within persons. Power is the share of repeats in
which the test rejects.

Each participant's strategy is drawn by the shares of the treatment, because participants are a sample. A
participant of several sessions keeps their strategy and its memory. The smaller sizes of a curve are the
first participants of the same repeats, so a curve costs no more than its largest size, and its points are
dependent. Random numbers are seeded by the seed, the repeat, the treatment and the participant, so the
result does not depend on the number of processes.

Times are not simulated: all actions take equally long. A measure that depends on times is rejected.
Hands with the same actions are folded and measured once (:func:`_measure_hand`).
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from cardlab.analysis import compare, hands, within
from cardlab.analysis.design import BY_COMPARE, MAX_PARTICIPANTS, Arm, Design
from cardlab.analysis.inference import comparisons, intervals
from cardlab.analysis.inference.clusters import Floats
from cardlab.analysis.persons import PERSON, VISIT
from cardlab.analysis.simulation import play, response_times, sessions
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.columns import Integer, Number
from cardlab.games.contract import BadFile, Policy
from cardlab.games.events import Event
from cardlab.games.performance import Measure
from cardlab.games.record import Opening, compact_json
from cardlab.games.registry import Game
from cardlab.games.simulation import find_strategy
from cardlab.games.statistics import Row
from cardlab.games.tables import ACTION_COLUMNS, deal_cells, format_utc
from cardlab.games.treatments import MAX_SHARES

COLUMNS = {
    "measure": "the measure that is compared",
    "test": "the test",
    "level": Number("the level of significance"),
    "within": "the column whose values are compared within persons; empty for treatments",
    "first": "the two treatments or values",
    "second": "the two treatments or values",
    "participants_first": Integer("number of participants"),
    "participants_second": Integer("number of participants"),
    "repeats": Integer("number of simulated experiments"),
    "power": Number(
        "share of repeats in which the adjusted p (Holm, over all rows of a size) is at most the level"
    ),
    "power_low": Number("bounds of its 95 % Wilson interval"),
    "power_high": Number("bounds of its 95 % Wilson interval"),
    "first_greater": Number("share of repeats in which the mean of the first is also the greater"),
    "equivalent_within": Number("the smallest difference of interest"),
    "power_equivalence": Number("share of repeats in which the p of equivalence is at most the level"),
    "power_equivalence_low": Number("bounds of its 95 % Wilson interval"),
    "power_equivalence_high": Number("bounds of its 95 % Wilson interval"),
    "without_p": Integer("repeats without a p; they count as not significant"),
    "mean_first": Number("mean over all repeats"),
    "mean_second": Number("mean over all repeats"),
    "sd_first": Number("standard deviation, mean over the repeats"),
    "sd_second": Number("standard deviation, mean over the repeats"),
    "difference": Number("mean of the first minus mean of the second"),
    "hedges_g": Number("Hedges' g, mean over the repeats"),
}

POWER, POWER_OF_EQUIVALENCE = "power", "power_equivalence"
TARGET_POWER = 0.8  # the conventional target, drawn as a line
MAX_CACHED = 50_000  # hands, to limit the memory
_SEAT_AND_ACTION = attrgetter("seat", "action")

Times = Callable[[int, int], int]  # number of the hand and of the action in it → milliseconds


class TestResult(NamedTuple):
    """The comparison of two treatments or values in a measure; missing numbers are NaN."""

    measure: str
    first: str
    second: str
    p: float
    p_adjusted: float
    p_equivalence: float
    mean_first: float
    mean_second: float
    sd_first: float
    sd_second: float
    hedges_g: float


_NO_NUMBERS = np.full((len(TestResult._fields) - 3, 1), math.nan)
Repeat = list[list[TestResult]]  # for each size


def constant_time(_hand: int, _action: int) -> int:
    """Returns the same time for all actions, in milliseconds."""
    return response_times.MEDIAN_MS


def _varying_time(hand: int, action: int) -> int:
    """Returns different times, in milliseconds, to detect a measure that depends on times."""
    return 1000 + 700 * hand + 90 * action


def check_measures(design: Design) -> None:
    """Raises BadFile if a measure is not numeric, empty in the first repeat, or dependent on times."""
    size = design.participants[-1]
    people, others = (_measure_people(design, 1, size, times) for times in (constant_time, _varying_time))
    for measure in design.measures:
        values = [value for value in people[measure] if value is not None and value == value]
        if texts := [value for value in values if isinstance(value, str)]:
            raise BadFile(design.file, f"measure must be numeric, but {measure} is not: '{texts[0]}'.")
        if not people[measure].equals(others[measure]):
            raise BadFile(
                design.file,
                f"measure: {measure} depends on times, which are not simulated. Use a measure of the moves.",
            )
    compared = {result.measure for result in _compare_people(design, people)}
    for measure in design.measures:
        if measure not in compared:
            sides = f"values of {design.within}" if design.within else "treatments"
            raise BadFile(
                design.file,
                f"measure: {measure} cannot be compared, because fewer than two {sides} have it in the first "
                "repeat. Use other deals or more hands.",
            )


def simulate_repeat(task: tuple[Design, int]) -> Repeat:
    """Simulates the repeat with a number, and returns the comparisons of each size."""
    design, number = task
    people = _measure_people(design, number, design.participants[-1], constant_time)
    return [_compare_people(design, people[people["order"] < size]) for size in design.participants]


def _compare_people(design: Design, people: pd.DataFrame) -> list[TestResult]:
    families = {
        measure.__name__: family
        for measure, family in design.game.performance.participant_measures.items()
        if measure.__name__ in design.measures
    }
    table = compare.compare_people(
        people, families, design.measures, equivalence=design.equivalence, is_within=bool(design.within)
    )
    if design.test != BY_COMPARE:
        test = _TESTS[design.test]
        table["p"] = [
            _p_of_cluster_means(test, people, row.measure, (row.first, row.second))
            for row in table.itertuples()
        ]
        table["p_adjusted"] = comparisons.holm(table["p"].tolist())
    return [TestResult(*row) for row in table[[*TestResult._fields]].itertuples(index=False)]


_TESTS: dict[str, Callable[[Floats, Floats], Any]] = {
    "t": lambda one, other: stats.ttest_ind(one, other, equal_var=False),
    "rank": stats.mannwhitneyu,
}


def _p_of_cluster_means(
    test: Callable[[Floats, Floats], Any], people: pd.DataFrame, measure: str, conditions: tuple[str, str]
) -> float:
    """Returns the p of a test of the means of clusters; NaN if it cannot be computed."""
    known = people[people[measure].notna()]
    sides = [known[known["condition"] == condition] for condition in conditions]
    means = [side.groupby("group")[measure].mean().to_numpy(float) for side in sides]
    if min(map(len, means)) < 2 or np.ptp(np.concatenate(means)) == 0:
        return math.nan
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # about sides with equal values
        return float(test(*means).pvalue)


def build_table(design: Design, repeats: Iterable[Repeat]) -> list[Row]:
    """Returns the rows of the table: one for each size, in ascending order, measure and pair."""
    all_repeats = list(repeats)
    results: dict[Any, list[TestResult]] = defaultdict(list)
    for repeat in all_repeats:
        for size, tests in zip(design.participants, repeat):
            for result in tests:
                results[size, result[:3]].append(result)
    compared = {names for _size, names in results}
    in_order = sorted(compared, key=lambda names: (design.measures.index(names[0]), names))
    return [
        _summarize(design, size, names, results[size, names], len(all_repeats))
        for size in design.participants
        for names in in_order
    ]


def _summarize(
    design: Design, size: int, names: Sequence[str], tests: Sequence[TestResult], count: int
) -> Row:
    """Returns the row of a comparison.

    ``names`` are those of the measure and of both sides. Of the ``count`` repeats, those in which a side has
    no value are not in ``tests``.
    """
    measure, first, second = names
    numbers = np.array([result[3:] for result in tests], dtype=float).T if tests else _NO_NUMBERS
    p, adjusted, p_equivalence, mean_first, mean_second, sd_first, sd_second, g = numbers
    is_found = adjusted <= design.level
    bound = design.equivalence.get(measure, math.nan)
    equivalence: tuple[float, ...] = (math.nan,) * 3
    if measure in design.equivalence:
        equivalence = intervals.wilson_interval(int((p_equivalence <= design.level).sum()), count)[:3]
    cells = [measure, design.test, design.level, design.within, first, second]
    cells += [_participants(design, size, first), _participants(design, size, second), count]
    cells += [*intervals.wilson_interval(int(is_found.sum()), count)[:3]]
    cells += [float((is_found & (mean_first > mean_second)).sum()) / count, bound, *equivalence]
    cells += [count - int(np.isfinite(p).sum())]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # about means of nothing but NaN
        means = [float(np.nanmean(values)) for values in (mean_first, mean_second, sd_first, sd_second, g)]
    cells += [*means[:4], means[0] - means[1], means[4]]
    return dict(zip(COLUMNS, map(_cell, cells)))


def _participants(design: Design, size: int, condition: str) -> int:
    """Returns the number of participants in a treatment, or in all for a comparison within persons."""
    return sum(size * arm.share for arm in design.arms if design.within or arm.name == condition)


def draw_curve(design: Design, rows: Sequence[Row]) -> Any:
    """Returns a ``drawing.Drawing`` of the power by number of participants, with a line per comparison.

    Where a smallest difference of interest is set, it is the power to show equivalence.
    """
    from cardlab.analysis.report import drawing

    lines = []
    for row in rows:
        name, kind = f"{row['first']} and {row['second']}", power_kind(row)
        if len(design.measures) > 1:
            name = f"{row['measure']}: {name}"
        lines.append(
            {
                "pair": f"{name} (equivalent)" if kind != POWER else name,
                "participants": row["participants_first"],
                "mean": row[kind],
                "low": row[f"{kind}_low"],
                "high": row[f"{kind}_high"],
            }
        )
    label = "Participants"
    if not design.within:
        has_equal_shares = len({arm.share for arm in design.arms}) == 1
        label += f" in {'each treatment' if has_equal_shares else rows[0]['first']}"
    repeats = f"Power: p ≤ {design.level:g} in {design.repeats:,} repeats"
    return drawing.Drawing(_draw_power, (pd.DataFrame(lines), (label, repeats)), {})


def power_kind(row: Row) -> str:
    """Returns the column with the power of a row: that to show equivalence if it has a bound."""
    return POWER if row["equivalent_within"] == "" else POWER_OF_EQUIVALENCE


def _draw_power(frame: Any, labels: tuple[str, str]) -> Any:
    from cardlab.analysis.report import curve_plots, plot_style

    figure = curve_plots.draw_curves(frame, "participants", labels, 0, 1.02).figure
    for axes in figure.axes:
        axes.axhline(TARGET_POWER, color=plot_style.SOFT, linewidth=1, linestyle=":")
    return figure


def describe_row(row: Row) -> str:
    """Returns a row as a sentence for the terminal."""
    kind = power_kind(row)
    purpose = "power" if kind == POWER else f"power to show a difference below {row['equivalent_within']:g}"
    names = f"{row['first']} ({row['participants_first']}) and {row['second']} ({row['participants_second']})"
    return (
        f"{row['measure']}, {names}: "
        f"{purpose} {row[kind]:.3f} [{row[f'{kind}_low']:.3f}, {row[f'{kind}_high']:.3f}]"
    )


def _cell(value: Any) -> Any:
    return ("" if math.isnan(value) else round(value, 6)) if isinstance(value, float) else value


class _Participant:
    """A simulated participant without a clock. ``sessions`` has the measured hands that count of each."""

    ready_ms = 0

    def __init__(self, play: Policy, times: Times) -> None:
        self.play = play
        self.sessions: list[list[Row]] = []
        self._times, self._actions = times, 0

    def thinking_ms(self, hand: int) -> int:
        """Returns how long the next action of a hand takes, in milliseconds."""
        self._actions += 1
        return self._times(hand, self._actions)

    def rest(self, _since_ms: int, _pause: tuple[int, int]) -> None:
        """Resets the count of actions for the next hand."""
        self._actions = 0


def _measure_people(design: Design, repeat: int, size: int, times: Times) -> pd.DataFrame:
    """Returns the rows that ``compare.compare_people`` compares, with the measures of the design.

    ``order`` is the place of the person in the treatment, from 0, divided by the share of the treatment: the
    experiment with n participants has those below n.
    """
    participations, order = [], {}
    for number, arm in enumerate(design.arms):
        for place, (person, table) in enumerate(_play_treatment(design, repeat, arm, size, times)):
            name, group = f"{number}, {place:05}", number * MAX_PARTICIPANTS * MAX_SHARES + table
            order[name] = place / arm.share
            participations += [
                (arm.name, within.Participation(name, group, hands)) for hands in person.sessions
            ]
    measures = [
        measure
        for measure in design.game.performance.participant_measures
        if measure.__name__ in design.measures
    ]
    if design.within:
        of_persons = [participation for _arm, participation in participations]
        people = _measure_levels(design, of_persons, measures)
    else:
        people = pd.DataFrame(
            {
                **{PERSON: person, "condition": condition, "group": group},
                **{measure.__name__: measure(hands, design.thresholds) for measure in measures},
            }
            for condition, (person, group, hands) in participations
        )
    people["order"] = people[PERSON].map(order)
    return people if design.within or design.sessions > 1 else people.drop(columns=PERSON)


def _measure_levels(
    design: Design, participations: Sequence[within.Participation], measures: Sequence[Measure]
) -> pd.DataFrame:
    try:
        return within.measure_participations(
            design.game, design.thresholds, participations, design.within, measures
        )
    except BadFile as wrong:
        raise BadFile(design.file, f"within: {wrong.message}") from None


def _play_treatment(
    design: Design, repeat: int, arm: Arm, size: int, times: Times
) -> list[tuple[_Participant, int]]:
    """Plays all sessions of a treatment, and returns its participants with their tables, table by table."""
    participants = _create_participants(design, repeat, arm, size * arm.share, times)
    tables = [0] * len(participants)
    for session in range(design.sessions):
        for person in participants:
            person.sessions.append([])
        deal_number = (repeat - 1) * design.sessions + session + 1
        for number, hand in enumerate(_deal_tables(design, deal_number, arm, len(participants))):
            for table, dealt_table in enumerate(hand):
                _play_table(design.game, participants, dealt_table)
                for index in dealt_table.seats.values() if number == 0 else ():
                    tables[index] = table
    # Sorted by table, because a smaller size takes the first participants.
    return sorted(zip(participants, tables), key=lambda pair: pair[1])


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


def _deal_tables(design: Design, deal_number: int, arm: Arm, people: int) -> list[list[_DealtTable]]:
    hands: list[list[_DealtTable]] = []
    place, keys = 0, {}
    session = design.dealing(arm).deal(deal_number)
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
            person.sessions[-1].append(rows[seat] | {VISIT: len(person.sessions)})


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
