"""Draws curves over hands or moves: means with intervals, and step curves of survival and incidence."""

from collections.abc import Mapping
from math import inf, nan
from typing import Any, TypeAlias

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cardlab.analysis.inference.intervals import NONE, estimate_interval
from cardlab.analysis.report.drawing import lazy
from cardlab.analysis.report.plot_style import (
    BASELINE_STYLES,
    SOFT,
    add_legend,
    create_panels,
    draw_boundary,
    line_styles,
    shorten_label,
    use_whole_numbers,
)

MAX_BARS = 8  # points; a longer curve shows its intervals as a band
ROUNDING_ERROR = 1e-9  # below this, means are 0
SHARE_TOP = 1.02  # the end of an axis of shares, so that marks at 1 are not cut off

Frames: TypeAlias = "pd.DataFrame | Mapping[str, pd.DataFrame]"  # one panel, or several by title


def compute_means(
    frame: pd.DataFrame,
    x: str,
    y: str,
    by: str = "condition",
    within: tuple[float, float] = (-inf, inf),
    log: bool = False,
) -> pd.DataFrame:
    """Computes the mean of ``y`` over participants for each ``by`` and ``x``, with its 95 % interval.

    Parameters:
        frame: rows with the columns ``x``, ``y`` and ``by``, and with participant and group.
        x: the column of the horizontal axis.
        y: the column of the values. A participant with several values at an ``x`` counts once, with the mean.
        by: the column whose values have a curve each.
        within: the possible range of ``y``, (0, 1) for shares.
        log: whether to compute geometric means, of positive values only.

    Returns:
        The columns ``by``, ``x``, mean, low, high, participants, groups, values, missing, method. ``missing``
        counts the rows without a value; where no row has one, the mean is NaN. Intervals are clustered by
        group, and NaN if there is none. The table is empty if there is no value at all.
    """
    frame = frame.dropna(subset=[x])
    numbers = pd.to_numeric(frame[y], errors="coerce").astype(float)
    frame = frame.assign(**{y: np.log(numbers.where(numbers > 0)) if log else numbers})
    columns = [by, x, "mean", "low", "high", "participants", "groups", "values", "missing", "method"]
    if frame[y].isna().all():
        return pd.DataFrame(columns=columns)
    person_means = frame.groupby([by, x, "session_code", "participant_code", "group"])[y].agg(
        ["mean", "count", "size"]
    )
    rows = []
    for key, point_means in person_means.groupby(level=[0, 1]):
        known = point_means.dropna(subset=["mean"])
        values, missing = known["count"].sum(), (point_means["size"] - point_means["count"]).sum()
        if known.empty:
            rows.append((*key, nan, nan, nan, 0, 0, values, missing, NONE))
            continue
        interval = estimate_interval(known["mean"], known.index.get_level_values("group"), within=within)
        bounds = [np.exp(bound) if log else bound for bound in interval[:3]]
        rows.append((*key, *bounds, interval.n, interval.clusters, values, missing, interval.method))
    return pd.DataFrame(rows, columns=columns)


def _looks_by_name(panels: Mapping[str, pd.DataFrame], by: str) -> dict[Any, dict[str, Any]]:
    names = sorted({name for frame in panels.values() for name in frame[by]})
    return dict(zip(names, line_styles()))


@lazy
def draw_curves(
    frames: Frames,
    x: str,
    labels: tuple[str, str],
    floor: float | None = 0,
    top: float | None = None,
    log: bool = False,
    boundary: float | None = None,
    baselines: pd.DataFrame | None = None,
    zero: bool = False,
) -> Figure:
    """Draws means over ``x`` with their intervals, one line per condition.

    Parameters:
        frames: one frame from :func:`compute_means`, or several by the title of their panel.
        x: the column of the horizontal axis.
        labels: the labels of the horizontal and the vertical axis.
        floor: the lower end of the vertical axis, None to fit the means.
        top: its upper end, None to fit the means.
        log: whether the axis is logarithmic.
        boundary: where to draw the boundary of two phases.
        baselines: lines for comparison, with the columns ``baseline``, ``x`` and ``mean``.
        zero: whether to draw a line at 0.
    """
    panels = frames if isinstance(frames, Mapping) else {"": frames}
    by = next(iter(panels.values())).columns[0]
    panels = {title: frame for title, frame in panels.items() if len(frame)}
    figure, axes_of_panels = create_panels(max(1, len(panels)))
    looks = _looks_by_name(panels, by)
    names = [*looks]
    for axes, (title, frame) in zip(axes_of_panels, panels.items()):
        for name, group in frame.groupby(by):
            offset = 0.015 * (names.index(name) - (len(names) - 1) / 2)
            _draw_curve(axes, group, x, offset, {**looks[name], "label": shorten_label(name)})
        if log:
            _use_logarithmic_scale(axes)
        low, high = _axis_limits(frame, log)
        axes.set_ylim(low if floor is None or log else floor, high if top is None else top)
        if title:
            axes.set_title(title, loc="left", size=10)
        if baselines is not None:
            _draw_baselines(axes, baselines, x)
        if zero:
            axes.axhline(0, color=SOFT, linewidth=1)
        draw_boundary(axes, boundary)
        axes.set_ylabel(labels[1])
    axes_of_panels[-1].set_xlabel(labels[0])
    use_whole_numbers(axes_of_panels[-1].xaxis)
    if len(names) > 1 or baselines is not None:
        add_legend(figure, axes_of_panels[0])
    return figure


def _draw_curve(axes: Axes, group: pd.DataFrame, x: str, offset: float, look: Mapping[str, Any]) -> None:
    """Draws a line with a band, or with a bar at each point if there are few.

    Bars are shifted by ``offset``, a share of the axis, so that they do not overlap.
    """
    places, colour = group[x], look["color"]
    if len(group) > MAX_BARS:
        axes.fill_between(places, group["low"], group["high"], color=colour, alpha=0.16, linewidth=0)
    else:
        places = places + offset * max(1, places.max() - places.min())
        axes.vlines(places, group["low"], group["high"], color=colour, alpha=0.6, linewidth=1.5)
    axes.plot(places, group["mean"], markersize=4, linewidth=1.4, **look)


def _draw_baselines(axes: Axes, baselines: pd.DataFrame, x: str) -> None:
    for style, (name, baseline_rows) in zip(BASELINE_STYLES, baselines.groupby("baseline")):
        label = f"{shorten_label(name)} player"
        axes.plot(
            baseline_rows[x],
            baseline_rows["mean"],
            label=label,
            color=SOFT,
            linestyle=style,
            linewidth=1.3,
            zorder=1.5,
        )


def _use_logarithmic_scale(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5), numticks=20))
    axes.yaxis.set_major_formatter(mpl.ticker.FormatStrFormatter("%g"))
    axes.yaxis.set_minor_locator(mpl.ticker.NullLocator())


def _axis_limits(frame: pd.DataFrame, log: bool) -> tuple[float, float]:
    """Returns the ends of the axis of means.

    The axis includes the intervals, but extends the range of the means at most by its length on each side,
    because intervals of two or three people may be a hundred times as wide. Around zeros it ends at ±1.
    """
    means = np.log(frame["mean"]) if log else frame["mean"]
    bounds = frame[["low", "high", "mean"]]
    if not log and bounds.abs().max(axis=None) < ROUNDING_ERROR:
        return -1.0, 1.0
    bounds = np.log(bounds.where(bounds > 0)) if log else bounds
    span = max(means.max() - means.min(), 1 if log else 0.5 * means.abs().max(), ROUNDING_ERROR)
    low = max(np.nanmin(bounds), means.min() - span) - 0.05 * span
    high = min(np.nanmax(bounds), means.max() + span) + 0.05 * span
    return (float(np.exp(low)), float(np.exp(high))) if log else (float(low), float(high))


@lazy
def draw_steps(
    frames: Frames,
    labels: tuple[str, str],
    y: str = "survival",
    end_time: float | None = None,
) -> Figure:
    """Draws step curves of the column ``y`` with their intervals, one line per condition.

    A frame has condition, time, ``y``, low, high and censored. Several frames have a panel each. A tick marks
    each time with a censoring. Lines that end before ``end_time`` continue to it at their last value.
    """
    panels = frames if isinstance(frames, Mapping) else {"": frames}
    figure, axes_of_panels = create_panels(len(panels))
    looks = _looks_by_name(panels, "condition")
    for axes, (title, frame) in zip(axes_of_panels, panels.items()):
        for name, group in frame.groupby("condition"):
            look = looks[name]
            if end_time is not None:
                group = pd.concat([group, group.tail(1).assign(time=end_time, censored=0)])
            band = {"step": "post", "color": look["color"], "alpha": 0.16, "linewidth": 0}
            axes.fill_between(group["time"], group["low"], group["high"], **band)
            line = {"color": look["color"], "linestyle": look["linestyle"], "linewidth": 1.4}
            axes.step(group["time"], group[y], where="post", label=shorten_label(name), **line)
            censored = group[group["censored"] > 0]
            axes.plot(censored["time"], censored[y], "|", color=look["color"], markersize=8)
        if title:
            axes.set_title(title, loc="left", size=10)
        axes.set_ylim(0, SHARE_TOP)
        axes.set_ylabel(labels[1])
    axes_of_panels[-1].set_xlabel(labels[0])
    use_whole_numbers(axes_of_panels[-1].xaxis)
    if len(looks) > 1:
        add_legend(figure, axes_of_panels[0])
    return figure
