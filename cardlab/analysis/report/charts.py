"""Draws shares, counts and single values: bars, heat maps, intervals and scatter plots."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cardlab.analysis.report.drawing import lazy
from cardlab.analysis.report.plot_style import (
    FILLS,
    HATCHES,
    INK,
    SMALL,
    SOFT,
    add_legend,
    create_axes,
    draw_boundary,
    label_axes,
    line_styles,
    shorten_label,
    use_whole_numbers,
)

BAR_WIDTH = 0.86  # of the distance between two bars


def _draw_columns(axes: Axes, frame: pd.DataFrame, width: float) -> None:
    """Draws the columns of a frame as stacked bars over its index."""
    bottom = np.zeros(len(frame))
    for name, colour, hatch in zip(frame, cycle(FILLS), cycle(HATCHES)):
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": SOFT, "linewidth": 0.6}
        axes.bar(frame.index, frame[name], bottom=bottom, width=width, label=shorten_label(name), **look)
        bottom = bottom + frame[name].to_numpy()


@lazy
def draw_shares(frame: pd.DataFrame, label: str, boundary: float | None = None) -> Figure:
    """Draws stacked shares of the columns over the index, the last column on top."""
    figure, axes = create_axes()
    _draw_columns(axes, frame, BAR_WIDTH)
    draw_boundary(axes, boundary)
    label_axes(axes, (label, "Share"))
    axes.set_ylim(0, 1)
    use_whole_numbers(axes.xaxis)
    add_legend(figure, axes)
    return figure


@lazy
def draw_counts(frame: pd.DataFrame, labels: tuple[str, str]) -> Figure:
    """Draws stacked counts of the columns over the index, which has whole numbers at equal steps."""
    figure, axes = create_axes()
    step = frame.index[1] - frame.index[0] if len(frame) > 1 else 1
    _draw_columns(axes, frame, BAR_WIDTH * step)
    label_axes(axes, labels)
    use_whole_numbers(axes.yaxis)
    use_whole_numbers(axes.xaxis)
    if len(frame.columns) > 1:
        add_legend(figure, axes)
    return figure


@lazy
def draw_stacked_bars(
    frame: pd.DataFrame, parts: Sequence[str], total: str, labels: tuple[str, str]
) -> Figure:
    """Draws the columns ``parts`` over the index, gains above 0 and losses below, and ``total`` as a line."""
    figure, axes = create_axes(3.6)
    above, below = np.zeros(len(frame)), np.zeros(len(frame))
    for name, colour, hatch in zip(parts, cycle(FILLS), cycle(HATCHES)):
        values = frame[name].to_numpy()
        start = np.where(values < 0, below, above)
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": SOFT, "linewidth": 0.6}
        axes.bar(frame.index, values, bottom=start, width=BAR_WIDTH, label=name, **look)
        above, below = above + values.clip(min=0), below + values.clip(max=0)
    axes.plot(frame.index, frame[total], color=INK, marker="o", markersize=5, label=total)
    axes.axhline(0, color=SOFT, linewidth=1)
    label_axes(axes, labels)
    use_whole_numbers(axes.xaxis)
    add_legend(figure, axes)
    return figure


@lazy
def draw_heat_map(frame: pd.DataFrame, labels: tuple[str, str]) -> Figure:
    """Draws numbers as shades of grey, with the number in each cell that is not 0."""
    figure, axes = create_axes(max(1.8, 1 + 0.27 * len(frame)))
    max_value = max(1e-9, frame.to_numpy().max(initial=0))
    shades = frame.to_numpy() / max_value
    axes.pcolormesh(shades, cmap=mpl.colormaps["Greys"], vmin=0, vmax=1, edgecolors="white", linewidth=0.5)
    for (row, column), value in np.ndenumerate(frame.to_numpy()):
        if value:
            colour = "white" if value > 0.55 * max_value else INK
            text = f"{value:g}" if value >= 1 else f"{value:.2f}".lstrip("0")
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour, size=SMALL)
    axes.set_xticks(np.arange(len(frame.columns)) + 0.5, frame.columns)
    names = [shorten_label(name) for name in frame.index]
    axes.set_yticks(np.arange(len(frame)) + 0.5, names, family="monospace")
    axes.tick_params(length=0)
    if max((len(str(name)) for name in frame.columns), default=0) * len(frame.columns) > 36:
        axes.tick_params(axis="x", rotation=90)
    axes.grid(visible=False)
    axes.invert_yaxis()
    label_axes(axes, labels)
    return figure


@lazy
def draw_intervals(
    frame: pd.DataFrame,
    label: str,
    x_limits: tuple[float, float] = (0, 1),
    names: str = "name",
    chance: pd.Series | None = None,
) -> Figure:
    """Draws a point with its interval (mean, low, high) for each row, from top to bottom.

    Parameters:
        frame: rows with name, condition, mean, low and high. Rows with the same name are drawn together.
        label: the label of the axis.
        x_limits: the limits of the axis.
        names: the column with the names.
        chance: by name, the value to mark as chance.
    """
    rows, conditions = list(dict.fromkeys(frame[names])), list(dict.fromkeys(frame["condition"]))
    distance = min(0.22, 0.7 / len(conditions)) if frame[names].duplicated().any() else 0
    figure, axes = create_axes(max(1.8, 0.8 + len(rows) * (0.22 + 0.12 * len(conditions))))
    for number, (name, look) in enumerate(zip(conditions, line_styles())):
        condition_rows = frame[frame["condition"] == name]
        places = np.array([rows.index(row) for row in condition_rows[names]])
        places = places + distance * (number - (len(conditions) - 1) / 2)
        axes.hlines(
            places,
            condition_rows["low"],
            condition_rows["high"],
            color=look["color"],
            alpha=0.6,
            linewidth=1.8,
        )
        points = {"linestyle": "", "markersize": 5, "label": shorten_label(name)}
        axes.plot(condition_rows["mean"], places, **{**look, **points})
    if chance is not None:
        at, numbers = chance.reindex(rows), np.arange(len(rows))
        look = {"color": SOFT, "linewidth": 1.4, "linestyle": (0, (2, 1)), "label": "chance"}
        axes.vlines(at, numbers - 0.45, numbers + 0.45, **look)
    axes.set_yticks(np.arange(len(rows)), [shorten_label(name, 26) for name in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(label)
    axes.set_xlim(*x_limits)
    if len(conditions) > 1 or chance is not None:
        add_legend(figure, axes)
    return figure


@lazy
def draw_scatter(
    frame: pd.DataFrame, x: str, y: str, labels: tuple[str, str], lines: tuple[float, float]
) -> Figure:
    """Draws a mark for each point with participants: the shape shows the condition, the size their number.

    A number next to the mark says how many there are if there are several. ``lines`` are the boundaries of
    the classes on both axes.
    """
    figure, axes = create_axes(3.8)
    complete_rows = frame.dropna(subset=[x, y])
    for (name, group), look in zip(complete_rows.groupby("condition"), line_styles()):
        points = group.groupby([x, y]).size().reset_index(name="people")
        colour = look["color"]
        marks = {"color": colour, "marker": look["marker"], "alpha": 0.75, "linewidth": 0}
        axes.scatter(points[x], points[y], s=30 * points["people"] ** 0.5, label=shorten_label(name), **marks)
        for point in points[points["people"] > 1].itertuples(index=False):
            text = {"xytext": (7, 4), "textcoords": "offset points", "size": SMALL, "color": colour}
            axes.annotate(str(point[2]), (point[0], point[1]), **text)
    axes.axvline(lines[0], color=SOFT, linestyle="--", linewidth=1)
    axes.axhline(lines[1], color=SOFT, linestyle="--", linewidth=1)
    axes.set_xlim(-0.04, 1.08)
    axes.set_ylim(-0.04, 1.08)
    label_axes(axes, labels)
    if complete_rows["condition"].nunique() > 1:
        add_legend(figure, axes)
    return figure
