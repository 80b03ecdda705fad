"""Draws a plot with a small panel for each participant, all with the same scales."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from math import inf
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from cardlab.analysis.report.drawing import lay_out, lazy
from cardlab.analysis.report.plot_style import (
    COLOURS,
    INK,
    LINE,
    SMALL,
    SOFT,
    add_legend,
    create_axes,
    shorten_label,
)

PANELS_PER_ROW = 3
MAX_NAME = 18  # characters of a participant's name above a panel
NARROW_NAME = 8  # characters that are never wider than a panel
PANEL_WIDTH, PANEL_HEIGHT = 0.88, 0.7  # of the data; neighbouring panels are 1 apart

Line = list[tuple[float, float]]
LineStyle = tuple[str, Any]  # a colour, and a line style of matplotlib


@lazy
def draw_panels(
    frame: pd.DataFrame,
    x: str,
    y: str,
    names: Sequence[str],
    boundary: float | None = None,
    lines: Mapping[str, LineStyle] | None = None,
    failed: str = "",
) -> Figure:
    """Draws one panel per participant, with a line at 0 or at the lowest value.

    All panels are drawn into one pair of axes, because drawing hundreds of axes would take minutes.

    Parameters:
        frame: rows with the columns ``panel``, ``x``, ``y`` and those of ``lines``.
        x: the column of the horizontal axis.
        y: the column of the points, which are connected if there are no ``lines``.
        names: the participants, as in the column ``panel``.
        boundary: where to draw the boundary of two phases.
        lines: further columns to draw as lines, with the style of each.
        failed: the column that says which rows to mark with a cross.
    """
    lines = lines or {}
    down = max(1, -(-len(names) // PANELS_PER_ROW))
    figure, axes = create_axes(0.5 + 1.15 * down)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.grid(visible=False)
    panels = _Panels(frame, x, [y, *lines], failed)
    for number, name in enumerate(names):
        panels.add(axes, number % PANELS_PER_ROW, -(number // PANELS_PER_ROW), name, boundary)
    axes.add_collection(LineCollection(panels.floors, colors=LINE, linewidths=0.8))
    axes.add_collection(LineCollection(panels.phases, colors=SOFT, linewidths=0.8, linestyles=(0, (2, 2))))
    for column, (colour, style) in lines.items():
        curves = LineCollection(panels.curves[column], colors=colour, linewidths=1.3, linestyles=style)
        axes.add_collection(curves)
        axes.plot([], [], color=colour, linestyle=style, label=column)
    if not lines:
        axes.add_collection(LineCollection(panels.curves[y], colors=COLOURS[0], linewidths=1))
    points = np.concatenate([*panels.curves[y], np.empty((0, 2))])
    axes.plot(*points.T, ".", color=SOFT if lines else COLOURS[0], markersize=2.5)
    if panels.crosses:
        axes.plot(*np.array(panels.crosses).T, "x", color=COLOURS[1], markersize=3.5, label="not solved")
    across = min(PANELS_PER_ROW, len(names))
    _add_ticks(figure, axes, panels, down, across, bool(lines or panels.crosses))
    return figure


class _Panels:
    """The contents of the panels, in the coordinates of the axes.

    The panel in column ``left`` and row ``foot`` (0, −1, −2 …) has its lower left corner at (left, foot).
    ``floors`` are the lines at 0 and at the left, ``phases`` the boundaries of phases. ``curves`` has the
    points of each column by panel, ``crosses`` those of failed rows.
    """

    def __init__(self, frame: pd.DataFrame, x: str, columns: Sequence[str], failed: str) -> None:
        values = frame[columns[0]].dropna()
        self.lowest = min(0, values.min()) if len(values) else 0
        self.highest = values.max() if len(values) else 1
        self.first, self.last = frame[x].min(), frame[x].max()
        self._span = max(1e-9, self.last - self.first)
        self._scale = PANEL_HEIGHT / max(1e-9, self.highest - self.lowest)
        frame = frame.sort_values(["panel", x], kind="stable")
        self._rows = frame.groupby("panel").indices
        self._places = PANEL_WIDTH * (frame[x].to_numpy(dtype=float) - self.first) / self._span
        self._levels = {
            column: self._scale * frame[column].to_numpy(dtype=float).clip(self.lowest, self.highest)
            for column in columns
        }
        self._failed = frame[failed].to_numpy(dtype=bool) if failed else np.zeros(len(frame), dtype=bool)
        self.floors: list[Line] = []
        self.phases: list[Line] = []
        self.curves: dict[str, list[npt.NDArray[np.float64]]] = {column: [] for column in columns}
        self.crosses: Line = []

    def add(self, axes: Axes, left_edge: int, foot: int, name: str, boundary: float | None) -> None:
        """Adds the panel of a participant, and writes the name above it."""
        base = foot - self.lowest * self._scale
        rows = self._rows.get(name, np.array([], dtype=int))
        short_name = shorten_label(name, MAX_NAME)
        # Only names at the edge affect the layout, which would measure each of the others several times.
        at_edge = not foot or left_edge == PANELS_PER_ROW - 1 and len(short_name) > NARROW_NAME
        axes.text(left_edge, foot + 0.74, short_name, size=SMALL, va="bottom", color=INK, in_layout=at_edge)
        self.floors += [
            [(left_edge, base), (left_edge + PANEL_WIDTH, base)],
            [(left_edge, foot), (left_edge, foot + PANEL_HEIGHT)],
        ]
        if boundary is not None:
            place = left_edge + PANEL_WIDTH * (boundary - self.first) / self._span
            self.phases.append([(place, foot), (place, foot + PANEL_HEIGHT)])
        for column, curves in self.curves.items():
            points = np.column_stack([left_edge + self._places[rows], base + self._levels[column][rows]])
            curves.append(points[~np.isnan(points[:, 1])])
        self.crosses += [(left_edge + place, foot - 0.03) for place in self._places[rows][self._failed[rows]]]


def _add_ticks(figure: Figure, axes: Axes, panels: _Panels, down: int, across: int, has_legend: bool) -> None:
    ends = [f"{value:.3g}" for value in (panels.lowest, panels.highest)]
    rows = -np.arange(down)
    places, labels = np.concatenate([rows, rows + PANEL_HEIGHT]), [ends[0]] * down + [ends[1]] * down
    axes.set_yticks(places[[0, down - 1, down, -1]], [ends[0]] * 2 + [ends[1]] * 2)
    axes.set_xticks(
        [left_edge + offset for left_edge in range(across) for offset in (0, PANEL_WIDTH)],
        [f"{value:g}" for _left_edge in range(across) for value in (panels.first, panels.last)],
    )
    sides: cycle[Literal["left", "right"]] = cycle(("left", "right"))
    for label, side in zip(axes.get_xticklabels(), sides):
        label.set_horizontalalignment(side)
    axes.tick_params(length=0)
    axes.set_xlim(-0.02, PANELS_PER_ROW)
    axes.set_ylim(1 - down - 0.08, 0.95)
    if has_legend:
        add_legend(figure, axes)
    lay_out(figure)  # needs only the ticks of the first and the last row
    axes.add_artist(_SharedTicks(axes.yaxis, places, labels))


class _SharedTicks(Artist):
    """Draws all ticks of an axis by moving a single one, because creating them takes longer than the rest."""

    def __init__(self, axis: Axis, places: npt.NDArray[np.float64], labels: Sequence[str]) -> None:
        super().__init__()
        self._tick, self._marks = axis.get_major_ticks(1)[0], list(zip(places, labels))
        self.set_zorder(float(np.nextafter(axis.get_zorder(), inf)))
        axis.set_visible(False)

    def draw(self, renderer: RendererBase) -> None:
        """Draws the ticks."""
        renderer.open_group("matplotlib.axis")
        for place, label in self._marks:
            self._tick.update_position(place)
            self._tick.label1.set_text(label)
            self._tick.draw(renderer)
        renderer.close_group("matplotlib.axis")
