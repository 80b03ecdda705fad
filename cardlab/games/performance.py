"""The declaration of a game's measures, and measures that several games share.

A measure of a hand is a function of its row in the table of hands. A measure of a participant is a function
of two arguments: the rows of their finished hands in the order of play, without practice, and the game's
thresholds. The name of the function is the column, its docstring the meaning in the data dictionary, and its
return annotation the type: ``Share`` for numbers from 0 to 1.
None is an empty cell: the measure does not apply, or the source lacks the data for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from cardlab.games.statistics import Row, change_between_halves, mean, number, numbers, power_law

_T = TypeVar("_T")

HandMeasure = Callable[[Row], Any]
Measure = Callable[[list[Row], Any], Any]  # of a participant, from their rows and the game's thresholds
# Extra columns of the table for models, with their meanings, and the function that returns their cells for
# each of a participant's rows.
Model = tuple[dict[str, str], Callable[[list[Row], Any], list[Row]]]
NO_MODEL: Model = ({}, lambda hands, _thresholds: [{} for _row in hands])
# A table of parts of a hand: columns with their meanings, and the function from a history to the rows.
Part = tuple[Mapping[str, str], Callable[[Any], Any]]

# The families of participant measures, in the order of the comparison report. The p values are adjusted
# within each family.
PERFORMANCE, SPEED, CHOICES, CHANGE, DESIGN = "performance", "speed", "choices", "change", "design"
FAMILIES = {
    PERFORMANCE: "how well the hands were played",
    SPEED: "how long it took",
    CHOICES: "what the participant chose: routes, habits, aids, giving up",
    CHANGE: "what changed over the session",
    DESIGN: "how many hands the other measures use; described, not tested",
}

MIN_COUNT = 4  # hands; with fewer, only means and shares of them are computed


class NoThresholds(NamedTuple):
    """The thresholds of a game that has none."""


@dataclass(eq=False)
class Performance:
    """The measures of a game that only the analysis computes: ``MEASURES`` in its ``performance`` module."""

    hand_measures: tuple[HandMeasure, ...] = ()
    participant_measures: Mapping[Measure, str] = field(default_factory=dict)
    """Measures of a participant, each with its family (``FAMILIES``)."""
    behaviour: tuple[Measure, ...] = ()
    """The measures that have a baseline: those that do not depend on times."""
    baselines: Mapping[str, str] = field(default_factory=dict)
    """The strategies that play a participant's deals for comparison, by the suffix of their columns."""
    timing_columns: tuple[str, ...] = ()
    """The columns of a hand that depend on times, which strategies do not take."""
    search_measures: tuple[HandMeasure, ...] = ()
    """Those of ``hand_measures`` that need a search, which no baseline has."""
    deal_columns: tuple[str, ...] = ()
    """The columns that identify the deal."""
    deal_measures: tuple[HandMeasure, ...] = ()
    """Those of ``hand_measures`` that depend on ``deal_columns`` alone."""
    thresholds: Any = NoThresholds
    """A NamedTuple whose defaults are the thresholds."""
    threshold_meanings: Mapping[str, str] = field(default_factory=dict)
    threshold_choices: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The allowed values of thresholds that have only a few."""
    model: Model = NO_MODEL
    """The extra columns of the table for models."""
    shared: tuple[str, ...] = ()
    """The columns of that table in which all players at a table have the same value."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    """Tables of parts of a hand that only ``python -m cardlab.analysis moves`` writes."""


def needs_enough(count: Measure) -> Callable[[Measure], Measure]:
    """Returns a decorator that makes a measure None where ``count`` is below ``MIN_COUNT``.

    The decorator adds a sentence about this to the meaning of the measure.
    """

    def with_enough(measure: Measure) -> Measure:
        @wraps(measure)
        def limited(hands: list[Row], thresholds: Any) -> Any:
            return measure(hands, thresholds) if count(hands, thresholds) >= MIN_COUNT else None

        limited.__doc__ = f"{measure.__doc__}. Empty below {MIN_COUNT} `{count.__name__}`"
        return limited

    return with_enough


def cached_for_rows(of: Callable[..., _T]) -> Callable[..., _T]:
    """Caches the last result of a function of a participant's rows that many measures call in turn.

    Callers must change neither the rows nor the result.
    """
    last_call: tuple[Any, ...] = ()

    @wraps(of)
    def cached(hands: list[Row], *further: Any) -> _T:
        nonlocal last_call
        if not (last_call and last_call[0] is hands and last_call[1:3] == (len(hands), further)):
            last_call = hands, len(hands), further, of(hands, *further)
        result: _T = last_call[3]
        return result

    return cached


def hand_count(meaning: str) -> Measure:
    """Returns the measure ``hands_over``: the number of hands."""
    return _name_measure("hands_over", meaning, "int", lambda hands, _thresholds: len(hands))


def mean_of(column: str, name: str = "", meaning: str = "") -> Measure:
    """Returns the measure ``mean_<column>``, or ``name``: the mean of a column."""
    return _name_measure(
        name or f"mean_{column}",
        meaning or f"mean of `{column}`",
        "float | None",
        lambda hands, _thresholds: mean(numbers(hands, column)),
    )


def share_of(column: str, name: str, meaning: str = "") -> Measure:
    """Returns the measure ``name``: the share of hands in which a column is 1, without empty cells."""
    return _name_measure(
        name,
        meaning or f"mean of `{column}`",
        "Share | None",
        lambda hands, _thresholds: mean(numbers(hands, column)),
    )


def change_of(column: str, name: str, hands: str = "hands") -> Measure:
    """Returns the measure of how the mean of a column changes between the halves of the hands."""
    return _with_enough_hands(
        name,
        f"mean `{column}` in the second half of the {hands} minus the first",
        lambda rows, _thresholds: change_between_halves(numbers(rows, column)),
    )


def learning_rate_of(column: str, hand: str = "hand") -> Measure:
    """Returns the measure ``learning_rate``: the exponent of the power law of practice for a column."""

    def rate(rows: list[Row], _thresholds: Any) -> float | None:
        times = [(place, number(row, column)) for place, row in enumerate(rows, 1)]
        return power_law((place, time) for place, time in times if time is not None)

    return _with_enough_hands(
        "learning_rate",
        f"exponent of the power law of practice of `{column}` by number of the {hand}: negative if faster",
        rate,
    )


def _with_enough_hands(name: str, meaning: str, measure: Measure) -> Measure:
    count = hand_count("")
    return needs_enough(count)(_name_measure(name, meaning, "float | None", measure))


def _name_measure(name: str, meaning: str, returns: str, measure: Measure) -> Measure:
    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = meaning
    measure.__annotations__ = {"return": returns}
    return measure
