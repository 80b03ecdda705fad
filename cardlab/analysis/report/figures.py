"""The plots of the reports, each a function from a data frame to what is drawn of it.

Legible in print, in grey and on a telephone: conditions differ by line and marker as well as by colour,
shares by hatching, and a figure is so narrow that its letters need not shrink much on a small screen.
The same data give the same files, byte for byte.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import cycle
from math import inf
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from cardlab.analysis.inference import estimate_interval
from cardlab.analysis.report import drawn_svg

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where it keeps its font cache is nobody's concern

INK, SOFT, LINE = "#1f2a30", "#56646b", "#d9d7cf"
# Dark to light, so that they stay apart in grey; told apart by those who see colours differently, too.
COLOURS = ("#0b3954", "#c1440e", "#2e8b6f", "#d99a00", "#7a5195", "#6b7a80")
STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++")
FILLS = ("#0b3954", "#e8b66a", "#ffffff", "#9fb4bd")
BASELINE_STYLES = ((0, (1, 1)), (0, (4, 2)), (0, (1, 3)))

WIDTH = 4.8  # inches of a figure: 460 CSS pixels, so that a screen of 390 shows its letters at four fifths
LETTERS = 58  # of the ordinary size that a legend has room for across
SMALL = 9  # points, the least that is still read then
ACROSS = 3  # panels of participants
NAME_SHOWN = 18  # letters of a participant's name above a panel
NARROW = 8  # letters that are no wider than a panel, whichever they are
FEW = 8  # points of a curve up to which each has a bar instead of all a band

FORMATS = ("svg", "pdf", "png")

_STYLE = {
    "svg.fonttype": "none",  # text stays text: to be searched, and drawn in the reader's font
    "svg.hashsalt": "card-lab",
    "pdf.fonttype": 42,  # likewise
    "savefig.dpi": 300,
    "text.parse_math": False,  # a label with dollars is no formula
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "hatch.linewidth": 0.6,
}
mpl.rcParams.update(_STYLE)


class Drawing(NamedTuple):
    """A plot that is drawn when it is asked for: axes take longer to make than most of the numbers."""

    draw: Callable[..., Figure]
    of: tuple[Any, ...]
    options: dict[str, Any]

    @property
    def figure(self) -> Figure:
        return self.draw(*self.of, **self.options)


def _lazy(draw: Callable[..., Figure]) -> Callable[..., Drawing]:
    """Of a function that draws: one that remembers what is to be drawn."""

    @wraps(draw)
    def remembered(*of: Any, **options: Any) -> Drawing:
        return Drawing(draw, of, options)

    return remembered


def render(drawing: Drawing, kind: str) -> bytes:
    """The plot as a file of one of ``FORMATS``, without its date."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # letters that matplotlib's own font lacks: the reader's font has them
        figure = drawing.figure
        _lay_out(figure)
        if kind == "svg":
            return drawn_svg.render_svg(figure).encode()
        file = io.BytesIO()
        figure.savefig(file, format=kind, metadata={"CreationDate": None} if kind == "pdf" else None)
    return file.getvalue()


def _lay_out(figure: Figure) -> None:
    """Find the places of axes and legends, once: with any engine for that, "none" too, matplotlib draws all
    twice."""
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine(None)


def render_svg(drawing: Drawing) -> str:
    """The plot as the text of an SVG, without the head of an XML file."""
    text = render(drawing, "svg").decode()
    whole = text.replace("'DejaVu Sans', sans-serif", "'DejaVu Sans', Verdana, Arial, sans-serif")
    return whole[whole.index("<svg") :]


def shorten_label(name: object, most: int = 30) -> str:
    """A name as plots have it: no control characters, not too long, and no underscore at its head, with which
    matplotlib would leave it out of a legend."""
    text = "".join(letter if letter.isprintable() else "?" for letter in str(name))
    text = text if len(text) <= most else f"{text[: most - 1]}…"
    return f" {text}" if text.startswith("_") else text


def _create_axes(height: float = 3.2, rows: int = 1):
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots(rows, sharex=True, squeeze=False)[:, 0]
    for one in axes:
        one.set_axisbelow(True)
    return figure, axes[0] if rows == 1 else axes


def _line_styles() -> Iterator[dict[str, Any]]:
    """How the lines of conditions look, one after another."""
    for colour, style, marker in zip(cycle(COLOURS), cycle(STYLES), cycle(MARKERS)):
        yield {"color": colour, "linestyle": style, "marker": marker}


def _add_legend(figure: Figure, axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        columns = max(1, min(len(labels), LETTERS // (max(map(len, labels)) + 6)))
        figure.legend(handles, labels, loc="outside upper left", ncols=columns, borderaxespad=0.2)


def _use_whole_numbers(axis) -> None:
    axis.get_major_locator().set_params(integer=True)


def compute_means(
    frame: pd.DataFrame,
    x: str,
    y: str,
    by: str = "condition",
    within: tuple[float, float] = (-inf, inf),
    log: bool = False,
) -> pd.DataFrame:
    """Mean of ``y`` at each ``x`` of each ``by``, over participants, with the bounds of its 95 % interval
    over their groups (:func:`cardlab.analysis.inference.estimate_interval`; empty where there is none).

    A participant with several values at an ``x`` counts once, with their mean. ``within`` says what ``y`` can
    be: (0, 1) for shares. ``log`` gives geometric means, of positive values only. The columns: ``by``, ``x``,
    mean, low, high, participants, groups, values, method.
    """
    told = frame.dropna(subset=[x, y])
    if log:
        told = told[told[y] > 0]
        told = told.assign(**{y: np.log(told[y].astype(float))})
    each = told.groupby([by, x, "session_code", "participant_code", "group"])[y].agg(["mean", "size"])
    rows = []
    for key, own in each.groupby(level=[0, 1]):
        found = estimate_interval(own["mean"], own.index.get_level_values("group"), within=within)
        bounds = [np.exp(one) if log else one for one in found[:3]]
        rows.append((*key, *bounds, found.n, found.clusters, own["size"].sum(), found.method))
    columns = [by, x, "mean", "low", "high", "participants", "groups", "values", "method"]
    return pd.DataFrame(rows, columns=columns)


@_lazy
def draw_curves(
    frames: pd.DataFrame | Mapping[str, pd.DataFrame],
    x: str,
    labels: tuple[str, str],
    floor: float | None = 0,
    top: float | None = None,
    log: bool = False,
    boundary: float | None = None,
    baselines: pd.DataFrame | None = None,
    zero: bool = False,
) -> Figure:
    """Means over ``x`` with their intervals, a line a condition; a frame is made by :func:`compute_means`.

    Several frames have a panel each, below each other, under their names. ``boundary`` is where on the axis
    phases meet. ``baselines`` has ``baseline``, ``x`` and ``mean`` of lines to compare with, ``zero`` draws a
    line at 0. ``log`` makes the axis of the means logarithmic.
    """
    panels_of = frames if isinstance(frames, Mapping) else {"": frames}
    by = next(iter(panels_of.values())).columns[0]
    panels_of = {title: frame for title, frame in panels_of.items() if len(frame)}
    rows = max(1, len(panels_of))
    figure, axes = _create_axes(3.2 if rows == 1 else 0.8 + 2.2 * rows, rows)
    several = np.atleast_1d(axes)
    names = sorted({name for frame in panels_of.values() for name in frame[by]})
    looks = dict(zip(names, _line_styles()))
    for one, (title, frame) in zip(several, panels_of.items()):
        for name, group in frame.groupby(by):
            aside = 0.015 * (names.index(name) - (len(names) - 1) / 2)
            _draw_curve(one, group, x, aside, {**looks[name], "label": shorten_label(name)})
        if log:
            one.set_yscale("log")
            one.yaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5), numticks=20))
            one.yaxis.set_major_formatter(mpl.ticker.FormatStrFormatter("%g"))
            one.yaxis.set_minor_locator(mpl.ticker.NullLocator())
        low, high = _axis_limits(frame, log)
        one.set_ylim(low if floor is None or log else floor, high if top is None else top)
        if title:
            one.set_title(title, loc="left", size=10)
        if baselines is not None:
            for style, (name, own) in zip(BASELINE_STYLES, baselines.groupby("baseline")):
                line = {"color": SOFT, "linestyle": style, "linewidth": 1.3, "zorder": 1.5}
                one.plot(own[x], own["mean"], label=f"{shorten_label(name)} player", **line)
        if zero:
            one.axhline(0, color=SOFT, linewidth=1)
        _draw_boundary(one, boundary)
        one.set_ylabel(labels[1])
    several[-1].set_xlabel(labels[0])
    _use_whole_numbers(several[-1].xaxis)
    if len(names) > 1 or baselines is not None:
        _add_legend(figure, several[0])
    return figure


def _draw_curve(axes, group: pd.DataFrame, x: str, aside: float, look: Mapping[str, Any]) -> None:
    """A line with a band, or with a bar at each of few points, that far aside so that bars do not cover each
    other."""
    places, colour = group[x], look["color"]
    if len(group) > FEW:
        axes.fill_between(places, group["low"], group["high"], color=colour, alpha=0.16, linewidth=0)
    else:
        places = places + aside * max(1, places.max() - places.min())
        axes.vlines(places, group["low"], group["high"], color=colour, alpha=0.6, linewidth=1.5)
    axes.plot(places, group["mean"], markersize=4, linewidth=1.4, **look)


def _axis_limits(frame: pd.DataFrame, log: bool) -> tuple[float, float]:
    """The ends of the axis of means: intervals are seen, but those of two or three people, which may be a
    hundred times as wide as all means are apart, go beyond it."""
    means = np.log(frame["mean"]) if log else frame["mean"]
    bounds = frame[["low", "high", "mean"]]
    bounds = np.log(bounds.where(bounds > 0)) if log else bounds
    span = max(means.max() - means.min(), 1 if log else 0.5 * means.abs().max(), 1e-9)
    low = max(np.nanmin(bounds), means.min() - span) - 0.05 * span
    high = min(np.nanmax(bounds), means.max() + span) + 0.05 * span
    return (float(np.exp(low)), float(np.exp(high))) if log else (float(low), float(high))


def _draw_boundary(axes, place: float | None) -> None:
    """The line at which two phases meet."""
    if place is not None:
        axes.axvline(place, color=INK, linestyle=(0, (2, 2)), linewidth=1)


@_lazy
def draw_steps(
    frames: pd.DataFrame | Mapping[str, pd.DataFrame],
    labels: tuple[str, str],
    by: str = "condition",
    y: str = "survival",
    until: float | None = None,
) -> Figure:
    """Survival curves, or those of another column ``y``, with their intervals, a line a condition; a frame
    has ``by``, time, ``y``, low, high and censored. A tick stands where somebody was censored. Lines that
    end before ``until`` go on to it at their last value."""
    panels_of = frames if isinstance(frames, Mapping) else {"": frames}
    rows = len(panels_of)
    figure, axes = _create_axes(3.2 if rows == 1 else 0.8 + 2.2 * rows, rows)
    several = np.atleast_1d(axes)
    names = sorted({name for frame in panels_of.values() for name in frame[by]})
    looks = dict(zip(names, _line_styles()))
    for one, (title, frame) in zip(several, panels_of.items()):
        for name, group in frame.groupby(by):
            look = looks[name]
            if until is not None:
                group = pd.concat([group, group.tail(1).assign(time=until, censored=0)])
            one.fill_between(
                group["time"], group["low"], group["high"],
                step="post", color=look["color"], alpha=0.16, linewidth=0,
            )  # fmt: skip
            line = {"color": look["color"], "linestyle": look["linestyle"], "linewidth": 1.4}
            one.step(group["time"], group[y], where="post", label=shorten_label(name), **line)
            gone = group[group["censored"] > 0]
            one.plot(gone["time"], gone[y], "|", color=look["color"], markersize=8)
        if title:
            one.set_title(title, loc="left", size=10)
        one.set_ylim(0, 1.02)
        one.set_ylabel(labels[1])
    several[-1].set_xlabel(labels[0])
    _use_whole_numbers(several[-1].xaxis)
    if len(names) > 1:
        _add_legend(figure, several[0])
    return figure


def _draw_columns(axes, frame: pd.DataFrame, width: float) -> None:
    """The columns of a frame as bars upon each other over its index."""
    bottom = np.zeros(len(frame))
    for name, colour, hatch in zip(frame, cycle(FILLS), cycle(HATCHES)):
        look = {"color": colour, "hatch": hatch, "edgecolor": SOFT, "linewidth": 0.6}
        axes.bar(frame.index, frame[name], bottom=bottom, width=width, label=shorten_label(name), **look)
        bottom = bottom + frame[name].to_numpy()


@_lazy
def draw_shares(frame: pd.DataFrame, label: str, boundary: float | None = None) -> Figure:
    """Stacked shares of the columns over the index; the last column lies on top."""
    figure, axes = _create_axes()
    _draw_columns(axes, frame, 0.86)
    _draw_boundary(axes, boundary)
    axes.set_xlabel(label)
    axes.set_ylabel("Share")
    axes.set_ylim(0, 1)
    _use_whole_numbers(axes.xaxis)
    _add_legend(figure, axes)
    return figure


@_lazy
def draw_counts(frame: pd.DataFrame, labels: tuple[str, str]) -> Figure:
    """Counts over the index, whole numbers at equal steps, the columns stacked."""
    figure, axes = _create_axes()
    step = frame.index[1] - frame.index[0] if len(frame) > 1 else 1
    _draw_columns(axes, frame, 0.86 * step)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    _use_whole_numbers(axes.yaxis)
    _use_whole_numbers(axes.xaxis)
    if len(frame.columns) > 1:
        _add_legend(figure, axes)
    return figure


@_lazy
def draw_stacked_bars(
    frame: pd.DataFrame, parts: Sequence[str], total: str, labels: tuple[str, str]
) -> Figure:
    """The columns ``parts`` over the index, gains above 0 and losses below, and ``total`` as a line."""
    figure, axes = _create_axes(3.6)
    above, below = np.zeros(len(frame)), np.zeros(len(frame))
    for name, colour, hatch in zip(parts, cycle(FILLS), cycle(HATCHES)):
        values = frame[name].to_numpy()
        start = np.where(values < 0, below, above)
        look = {"color": colour, "hatch": hatch, "edgecolor": SOFT, "linewidth": 0.6, "label": name}
        axes.bar(frame.index, values, bottom=start, width=0.86, **look)
        above, below = above + values.clip(min=0), below + values.clip(max=0)
    axes.plot(frame.index, frame[total], color=INK, marker="o", markersize=5, label=total)
    axes.axhline(0, color=SOFT, linewidth=1)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    _use_whole_numbers(axes.xaxis)
    _add_legend(figure, axes)
    return figure


@_lazy
def draw_heat_map(frame: pd.DataFrame, labels: tuple[str, str]) -> Figure:
    """Numbers as shades, the number written into each cell that is not 0."""
    figure, axes = _create_axes(max(1.8, 1 + 0.27 * len(frame)))
    shades = mpl.colormaps["Greys"]
    highest = max(1e-9, frame.to_numpy().max(initial=0))
    axes.pcolormesh(
        frame.to_numpy() / highest, cmap=shades, vmin=0, vmax=1, edgecolors="white", linewidth=0.5
    )
    for row, values in enumerate(frame.to_numpy()):
        for column, value in enumerate(values):
            if value:
                look = {"color": "white" if value > 0.55 * highest else INK, "size": SMALL}
                text = f"{value:g}" if value >= 1 else f"{value:.2f}".lstrip("0")
                axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", **look)
    axes.set_xticks(np.arange(len(frame.columns)) + 0.5, frame.columns)
    axes.set_yticks(
        np.arange(len(frame)) + 0.5, [shorten_label(name) for name in frame.index], family="monospace"
    )
    axes.tick_params(length=0)
    if max((len(str(name)) for name in frame.columns), default=0) * len(frame.columns) > 36:
        axes.tick_params(axis="x", rotation=90)
    axes.grid(visible=False)
    axes.invert_yaxis()
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    return figure


@_lazy
def draw_intervals(
    frame: pd.DataFrame,
    label: str,
    ends: tuple[float, float] = (0, 1),
    names: str = "name",
    chance: pd.Series | None = None,
) -> Figure:
    """A point with its interval, the columns mean, low and high, for each row of ``frame``, from above to
    below; those of one name, each of another condition, stand close together. ``names`` is the column with
    the names, ``ends`` are those of the axis; ``chance`` has for each name where a mark stands for chance.
    """
    rows, conditions = list(dict.fromkeys(frame[names])), list(dict.fromkeys(frame["condition"]))
    apart = min(0.22, 0.7 / len(conditions)) if frame[names].duplicated().any() else 0
    figure, axes = _create_axes(max(1.8, 0.8 + len(rows) * (0.22 + 0.12 * len(conditions))))
    for number, (name, look) in enumerate(zip(conditions, _line_styles())):
        own = frame[frame["condition"] == name]
        places = np.array([rows.index(row) for row in own[names]])
        places = places + apart * (number - (len(conditions) - 1) / 2)
        axes.hlines(places, own["low"], own["high"], color=look["color"], alpha=0.6, linewidth=1.8)
        points = {"linestyle": "", "markersize": 5, "label": shorten_label(name)}
        axes.plot(own["mean"], places, **{**look, **points})
    if chance is not None:
        at = chance.reindex(rows)
        mark = {"color": SOFT, "linewidth": 1.4, "linestyle": (0, (2, 1)), "label": "chance"}
        axes.vlines(at, np.arange(len(rows)) - 0.45, np.arange(len(rows)) + 0.45, **mark)
    axes.set_yticks(np.arange(len(rows)), [shorten_label(name, 26) for name in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(label)
    axes.set_xlim(*ends)
    if len(conditions) > 1 or chance is not None:
        _add_legend(figure, axes)
    return figure


@_lazy
def draw_scatter(
    frame: pd.DataFrame, x: str, y: str, labels: tuple[str, str], lines: tuple[float, float]
) -> Figure:
    """A mark for each point with participants, a shape a condition, the larger the more of them; their number
    stands beside it if there are several. ``lines`` part the classes."""
    figure, axes = _create_axes(3.8)
    shown = frame.dropna(subset=[x, y])
    for (name, group), look in zip(shown.groupby("condition"), _line_styles()):
        points = group.groupby([x, y]).size().reset_index(name="people")
        colour = look["color"]
        marks = {"color": colour, "marker": look["marker"], "alpha": 0.75, "linewidth": 0}
        axes.scatter(points[x], points[y], s=30 * points["people"] ** 0.5, label=shorten_label(name), **marks)
        for point in points[points["people"] > 1].itertuples(index=False):
            beside = {"xytext": (7, 4), "textcoords": "offset points", "size": SMALL, "color": colour}
            axes.annotate(str(point[2]), (point[0], point[1]), **beside)
    axes.axvline(lines[0], color=SOFT, linestyle="--", linewidth=1)
    axes.axhline(lines[1], color=SOFT, linestyle="--", linewidth=1)
    axes.set_xlim(-0.04, 1.08)
    axes.set_ylim(-0.04, 1.08)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    if shown["condition"].nunique() > 1:
        _add_legend(figure, axes)
    return figure


@_lazy
def draw_panels(
    frame: pd.DataFrame,
    x: str,
    y: str,
    names: Sequence[str],
    boundary: float | None = None,
    lines: Mapping[str, tuple[str, str | tuple[int, tuple[int, ...]]]] | None = None,
    failed: str = "",
) -> Figure:
    """One panel a participant, all on the same scales, with a line at 0 or at the least; ``names`` are those
    of ``frame``'s column ``panel``. ``boundary`` is where phases meet. ``lines`` has further columns, each
    with its colour and style; then ``y`` is drawn as points. A cross at the foot marks rows where ``failed``
    is true.

    All panels are drawn into one pair of axes: hundreds of axes would take minutes.
    """
    down = max(1, -(-len(names) // ACROSS))
    figure, axes = _create_axes(0.5 + 1.15 * down)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.grid(visible=False)
    values = frame[[y]]
    lowest = min(0, values.min().min()) if len(values.dropna()) else 0
    highest = values.max().max() if len(values.dropna()) else 1
    scale, width = 0.7 / max(1e-9, highest - lowest), 0.88
    first, last = frame[x].min(), frame[x].max()
    span = max(1e-9, last - first)
    drawings: dict[str, list[np.ndarray]] = {column: [] for column in (y, *(lines or {}))}
    floors, phases, crosses = [], [], []
    frame = frame.sort_values(["panel", x], kind="stable")
    rows_of = frame.groupby("panel").indices
    places_of = width * (frame[x].to_numpy(dtype=float) - first) / span
    levels = {
        column: scale * frame[column].to_numpy(dtype=float).clip(lowest, highest) for column in drawings
    }
    gone = frame[failed].to_numpy(dtype=bool) if failed else np.zeros(len(frame), dtype=bool)
    for number, name in enumerate(names):
        left, foot = number % ACROSS, -(number // ACROSS)
        base = foot - lowest * scale
        own = rows_of.get(name, np.array([], dtype=int))
        shown = shorten_label(name, NAME_SHOWN)
        # Where the others are matters to no layout, which would look at each of them several times.
        at_edge = not foot or left == ACROSS - 1 and len(shown) > NARROW
        axes.text(left, foot + 0.74, shown, size=SMALL, va="bottom", color=INK, in_layout=at_edge)
        floors += [[(left, base), (left + width, base)], [(left, foot), (left, foot + 0.7)]]
        if boundary is not None:
            place = left + width * (boundary - first) / span
            phases.append([(place, foot), (place, foot + 0.7)])
        for column, found in drawings.items():
            points = np.column_stack([left + places_of[own], base + levels[column][own]])
            found.append(points[~np.isnan(points[:, 1])])
        crosses += [(left + place, foot - 0.03) for place in places_of[own][gone[own]]]
    axes.add_collection(LineCollection(floors, colors=LINE, linewidths=0.8))
    axes.add_collection(LineCollection(phases, colors=SOFT, linewidths=0.8, linestyles=(0, (2, 2))))
    for column, (colour, style) in (lines or {}).items():
        drawn_lines = LineCollection(drawings[column], colors=colour, linewidths=1.3, linestyles=style)
        axes.add_collection(drawn_lines)
        axes.plot([], [], color=colour, linestyle=style, label=column)
    if not lines:
        axes.add_collection(LineCollection(drawings[y], colors=COLOURS[0], linewidths=1))
    every = np.concatenate([*drawings[y], np.empty((0, 2))])
    axes.plot(*every.T, ".", color=SOFT if lines else COLOURS[0], markersize=2.5)
    if crosses:
        axes.plot(*np.array(crosses).T, "x", color=COLOURS[1], markersize=3.5, label="not solved")
    ends = [f"{value:.3g}" for value in (lowest, highest)]

    rows = -np.arange(down)
    places, labels = np.concatenate([rows, rows + 0.7]), [ends[0]] * down + [ends[1]] * down
    axes.set_yticks(places[[0, down - 1, down, -1]], [ends[0]] * 2 + [ends[1]] * 2)
    across = range(min(ACROSS, len(names)))
    axes.set_xticks(
        [left + part for left in across for part in (0, width)],
        [f"{value:g}" for _left in across for value in (first, last)],
    )
    for label, side in zip(axes.get_xticklabels(), cycle(("left", "right"))):
        label.set_horizontalalignment(side)
    axes.tick_params(length=0)
    axes.set_xlim(-0.02, ACROSS)
    axes.set_ylim(1 - down - 0.08, 0.95)
    if lines or crosses:
        _add_legend(figure, axes)
    _lay_out(figure)  # for which the ticks of the first row and the last are enough
    axes.add_artist(_SharedTicks(axes.yaxis, places, labels))
    return figure


class _SharedTicks(Artist):
    """All ticks of an axis, drawn by one of them that goes from place to place: to make so many takes longer
    than all the rest."""

    def __init__(self, axis: Axis, places: Sequence[float], labels: Sequence[str]) -> None:
        super().__init__()
        self._tick, self._marks = axis.get_major_ticks(1)[0], list(zip(places, labels))
        self.set_zorder(np.nextafter(axis.get_zorder(), inf))
        axis.set_visible(False)

    def draw(self, renderer: RendererBase) -> None:
        renderer.open_group("matplotlib.axis")
        for place, label in self._marks:
            self._tick.update_position(place)
            self._tick.label1.set_text(label)
            self._tick.draw(renderer)
        renderer.close_group("matplotlib.axis")
