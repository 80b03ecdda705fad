"""Estimates survival curves and cumulative incidences, with pointwise 95 % bounds.

The bounds are those of the cluster bootstrap. If all clusters agree or there are fewer than six, they are
Wilson's, with each cluster as one observation until all its values are censored.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardlab.analysis.inference.clusters import (
    DRAWS,
    MIN_CLUSTERS,
    ClusteredSample,
    Floats,
    Values,
    bootstrap_bounds,
    bootstrap_weights,
)
from cardlab.analysis.inference.intervals import wilson_interval

Counts = npt.NDArray[np.int64]


class Survival(NamedTuple):
    """A survival curve, one row per time, the first at 0.

    ``survival`` is the estimated share of longer times, with its bounds. ``at_risk`` is the number at risk
    just before the time, ``events`` and ``censored`` are the numbers of events and of censorings at it.
    """

    time: Floats
    survival: Floats
    low: Floats
    high: Floats
    at_risk: Counts
    events: Counts
    censored: Counts


class Incidence(NamedTuple):
    """The cumulative incidence of one cause, one row per time, the first at 0.

    ``incidence`` is the share that has ended by the cause, with its bounds. ``at_risk`` is the number at risk
    just before the time, ``events`` and ``censored`` are the numbers of endings by the cause and of
    censorings at it.
    """

    time: Floats
    incidence: Floats
    low: Floats
    high: Floats
    at_risk: Counts
    events: Counts
    censored: Counts


def estimate_survival(times: Values, events: Values, clusters: Values, draws: int = DRAWS) -> Survival:
    """Estimates the time until an event: Kaplan & Meier, J. Am. Stat. Assoc. 53 (1958) 457.

    Rows in which ``events`` is false are censored. Censoring must be independent of the event, such as the
    end of the session. For endings that exclude the event, such as giving up, use
    :func:`estimate_incidence`. At time 0 both bounds are exactly 1 unless there was an event at 0.
    """
    causes = np.where(np.asarray(events, dtype=bool), "event", "")
    (incidence,) = _estimate_incidences(times, causes, ["event"], clusters, draws)
    return Survival(
        incidence.time, 1 - incidence.incidence, 1 - incidence.high, 1 - incidence.low, *incidence[4:]
    )


def estimate_incidence(
    times: Values, causes: Values, clusters: Values, names: Sequence[str] | None = None
) -> dict[str, Incidence]:
    """Estimates the cumulative incidence of competing causes: Aalen & Johansen, Scand. J. Stat. 5 (1978) 141.

    ``causes`` has the cause that ended each row, "" if it was censored. Censoring must be independent of time
    and cause. Returns a curve for each of ``names``, by default for each cause that occurs. At each time all
    incidences and the share that has not ended add up to 1. At time 0 both bounds are exactly 0 unless the
    cause ended something at 0.
    """
    cause = np.asarray(causes).astype(str)
    if names is None:
        occurring = np.unique(cause[~np.isnan(np.asarray(times, dtype=float))])
        names = [str(name) for name in occurring if name]
    return dict(zip(names, _estimate_incidences(times, cause, names, clusters, DRAWS)))


def _estimate_incidences(
    times: Values, causes: npt.NDArray[np.str_], names: Sequence[str], clusters: Values, draws: int
) -> list[Incidence]:
    sample = ClusteredSample.create(times, clusters)
    cause = causes[~np.isnan(np.asarray(times, dtype=float))]
    moments = np.unique(np.concatenate([[0.0], sample.values]))
    index_of_time = np.searchsorted(moments, sample.values)
    ended = np.zeros((len(names) + 1, sample.size, len(moments)))  # causes and censoring × clusters × times
    for number, name in enumerate((*names, "")):
        is_cause = cause == name
        np.add.at(ended[number], (sample.cluster[is_cause], index_of_time[is_cause]), 1)
    at_risk = ended.sum(axis=0)[:, ::-1].cumsum(axis=1)[:, ::-1]
    events, censored = ended[:-1], ended[-1].sum(axis=0).astype(int)
    estimates = _aalen_johansen(events.sum(axis=1), at_risk.sum(axis=0))
    weights: Floats = np.empty((0, sample.size))
    if sample.size >= MIN_CLUSTERS:
        weights = bootstrap_weights(sample.size, draws)
    samples = _aalen_johansen(weights @ events, weights @ at_risk)
    # The number of clusters at each time whose values are not all censored.
    observed = ((at_risk > 0) | (events.sum(axis=0).cumsum(axis=1) > 0)).sum(axis=0)
    curves = []
    for number in range(len(names)):
        estimate, count = estimates[number], events[number].sum(axis=0).astype(int)
        low, high = bootstrap_bounds(samples[number], sample.size)
        agree = ~(high - low > 1e-9)  # also true for NaN, with fewer than six clusters
        for index in np.flatnonzero((estimate == 0) | (estimate == 1) | agree):
            bounds = wilson_interval(estimate[index] * observed[index], int(observed[index]))
            low[index], high[index] = bounds.low, bounds.high
        if not count[0]:
            low[0] = high[0] = 0.0
        at_risk_then = at_risk.sum(axis=0).astype(int)
        curves.append(Incidence(moments, estimate, low, high, at_risk_then, count, censored))
    return curves


def _aalen_johansen(events: Floats, at_risk: Floats) -> Floats:
    """Returns the cumulative incidence of each cause over the last axis; the causes are the first axis.

    The estimates stay constant when nobody is at risk. They are rounded, so that shares add up to 1.
    """
    at_risk = np.maximum(at_risk, 1)
    survival = np.cumprod(1 - events.sum(axis=0) / at_risk, axis=-1)
    survival_before = np.concatenate([np.ones_like(survival[..., :1]), survival[..., :-1]], axis=-1)
    incidence: Floats = np.cumsum(survival_before * events / at_risk, axis=-1).round(12)
    return incidence
