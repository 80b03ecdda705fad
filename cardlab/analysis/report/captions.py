"""Writes captions of plots: the participants of a mean, and the methods of its intervals."""

import pandas as pd

from cardlab.analysis.inference import intervals
from cardlab.analysis.inference.clusters import DRAWS, MIN_CLUSTERS
from cardlab.analysis.report.data import PARTICIPANT_KEY

# Descriptions of the methods. ``{one}`` and ``{many}`` stand for the independent unit.
METHODS = {
    intervals.WILSON: "Wilson’s",
    intervals.BOOTSTRAP: f"by the cluster bootstrap over {{many}} ({DRAWS:,} draws, fixed seed)",
    intervals.WILSON_EFFECTIVE: "Wilson’s with the effective sample size, from the variance between {many}",
    intervals.WILSON_OF_CLUSTERS: "Wilson’s with each {one} as one observation if all {many} agree or "
    f"there are fewer than {MIN_CLUSTERS}",
    intervals.STUDENT: f"Student’s over {{many}} if there are fewer than {MIN_CLUSTERS}",
    intervals.NEWCOMBE: "Newcombe’s",
    intervals.NONE: "none if there is only one {one} or all agree",
}
PARTICIPANTS = {"one": "participant", "many": "participants"}
GROUPS = {"one": "group of dependent participants", "many": "groups of dependent participants"}
BOUNDARY_NOTE = "Dotted: the end of the learning phase."


def describe_means(numbers: pd.DataFrame, subject: str = "", values: str = "hands") -> str:
    """Returns the caption of a plot of means: the unit, the methods of the intervals, and n.

    ``numbers`` are from :func:`cardlab.analysis.report.curve_plots.compute_means`, ``subject`` is the first
    sentence, and ``values`` is a plural noun for the values.
    """
    clusters = GROUPS if (numbers["groups"] < numbers["participants"]).any() else PARTICIPANTS
    methods = [METHODS[name].format(**clusters) for name in METHODS if (numbers["method"] == name).any()]
    by = numbers.columns[0]
    counts = []
    for name, group_numbers in numbers.groupby(by):
        condition = "" if numbers[by].nunique() == 1 else f" ({name})"
        people, known, missing = (group_numbers[name] for name in ("participants", "values", "missing"))
        noun = "participant" if people.min() == people.max() == 1 else "participants"
        without = f" ({missing.sum():,} more without a value)" if missing.sum() else ""
        units = format_count(known.sum(), values.removesuffix("s"))
        counts.append(f"{_format_range(people)} {noun}{condition} with {units}{without}")
    start = f"{subject} Means" if subject else "Means"
    return f"{start} over participants with 95 % intervals, {'; '.join(methods)}. n = {', '.join(counts)}."


def format_count(number: int, noun: str) -> str:
    """Returns the number with its noun: ``1 hand``, ``1,200 hands``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _format_range(numbers: pd.Series) -> str:
    minimum, maximum = numbers.min(), numbers.max()
    return f"{maximum:,}" if minimum == maximum else f"{minimum:,}–{maximum:,}"


def describe_curve_bounds(frame: pd.DataFrame) -> str:
    """Returns a description of the bounds of curves over time. ``frame`` has their rows with group."""
    clusters = GROUPS if frame["group"].nunique() < count_participants(frame) else PARTICIPANTS
    return (
        f"Bands are pointwise 95 % intervals by the cluster bootstrap over {clusters['many']} ({DRAWS:,} "
        f"draws, fixed seed); Wilson’s with each {clusters['one']} as one observation if all "
        f"agree, or if there are fewer than {MIN_CLUSTERS}."
    )


def count_participants(frame: pd.DataFrame) -> int:
    """Returns the number of participants who have a row."""
    return len(frame[PARTICIPANT_KEY].drop_duplicates())


def format_span(first: int, last: int) -> str:
    """Returns a range of hands for a title: ``3`` or ``3–8``."""
    return str(first) if first == last else f"{first}–{last}"
