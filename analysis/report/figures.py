"""The plots of the reports, each a function from a data frame to a figure.

Legible in print and in grey: conditions differ by line and marker as well as by colour, shares by hatching.
The same data give the same SVG, byte for byte.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Sequence
from itertools import cycle

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from scipy import stats

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where it keeps its font cache is nobody's concern

INK, SOFT, LINE = "#1f2a30", "#56646b", "#d9d7cf"
# Dark to light, so that they stay apart in grey; told apart by those who see colours differently, too.
COLOURS = ("#0b3954", "#c1440e", "#2e8b6f", "#d99a00", "#7a5195", "#6b7a80")
STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++")
NAME_SHOWN = 16  # letters of a participant's name above a small panel
FILLS = ("#0b3954", "#e8b66a", "#ffffff", "#9fb4bd")

_LOOK = {
    "svg.fonttype": "none",  # text stays text: to be searched, and drawn in the reader's font
    "svg.hashsalt": "card-lab",
    "text.parse_math": False,  # a label with dollars is no formula
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
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
mpl.rcParams.update(_LOOK)


def svg(figure: Figure) -> str:
    """The figure as the text of an SVG, without date and without the head of an XML file."""
    text = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # letters that matplotlib's own font lacks: the reader's font has them
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    whole = text.getvalue().replace("'DejaVu Sans', sans-serif", "'DejaVu Sans', Verdana, Arial, sans-serif")
    return whole[whole.index("<svg") :]


def drawn(name: object, most: int = 30) -> str:
    """A name as plots have it: no control characters, not too long, and no underscore at its head, with which
    matplotlib would leave it out of a legend."""
    text = "".join(letter if letter.isprintable() else "?" for letter in str(name))
    text = text if len(text) <= most else f"{text[: most - 1]}…"
    return f" {text}" if text.startswith("_") else text


def _axes(width: float = 8, height: float = 3.6):
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.set_axisbelow(True)
    return figure, axes


def means(frame: pd.DataFrame, x: str, y: str, by: str = "condition") -> pd.DataFrame:
    """Mean of ``y`` at each ``x`` of each group, over participants, with the bounds of its 95 % confidence
    interval by Student's t (empty where fewer than two participants are)."""
    each = frame.dropna(subset=[x, y]).groupby([by, x, "session_code", "participant_code"])[y].mean()
    found = each.groupby(level=[0, 1]).agg(["mean", "std", "size"]).reset_index()
    found = found.rename(columns={"size": "participants"})
    enough = found["participants"] > 1
    t = stats.t.ppf(0.975, found["participants"].where(enough) - 1)
    half = t * found["std"] / np.sqrt(found["participants"])
    found["low"], found["high"] = found["mean"] - half, found["mean"] + half
    return found.drop(columns="std")


def curves(
    frame: pd.DataFrame, x: str, labels: tuple[str, str], floor: float | None = 0, top: float | None = None
) -> Figure:
    """Means over ``x`` with confidence bands, a line a condition; ``frame`` is made by :func:`means`."""
    figure, axes = _axes()
    by, *_ = frame.columns
    looks = zip(cycle(COLOURS), cycle(STYLES), cycle(MARKERS))
    for (name, group), (colour, style, marker) in zip(frame.groupby(by), looks):
        axes.fill_between(group[x], group["low"], group["high"], color=colour, alpha=0.16, linewidth=0)
        axes.plot(
            group[x],
            group["mean"],
            color=colour,
            linestyle=style,
            marker=marker,
            markersize=4,
            label=drawn(name),
        )
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.set_ylim(bottom=floor, top=top)
    axes.xaxis.get_major_locator().set_params(integer=True)
    if frame[by].nunique() > 1:
        _legend(axes, frame[by].nunique())
    return figure


def _legend(axes, count: int) -> None:
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=count if count <= 5 else 4, borderaxespad=0.2)


def shares(frame: pd.DataFrame, label: str) -> Figure:
    """Stacked shares of the columns over the index; the last column lies on top."""
    figure, axes = _axes(height=3.2)
    bottom = np.zeros(len(frame))
    for name, colour, hatch in zip(frame, cycle(FILLS), cycle(HATCHES)):
        axes.bar(
            frame.index,
            frame[name],
            bottom=bottom,
            width=0.86,
            color=colour,
            hatch=hatch,
            edgecolor=SOFT,
            label=name,
        )
        bottom = bottom + frame[name].to_numpy()
    axes.set_xlabel(label)
    axes.set_ylabel("Share")
    axes.set_ylim(0, 1)
    axes.xaxis.get_major_locator().set_params(integer=True)
    _legend(axes, len(frame.columns))
    return figure


def counts(frame: pd.DataFrame, labels: tuple[str, str]) -> Figure:
    """Counts over the index, whole numbers at equal steps, the columns stacked."""
    figure, axes = _axes(height=3.2)
    step = frame.index[1] - frame.index[0] if len(frame) > 1 else 1
    bottom = np.zeros(len(frame))
    for name, colour, hatch in zip(frame, cycle(FILLS), cycle(HATCHES)):
        look = {
            "width": 0.86 * step,
            "color": colour,
            "hatch": hatch,
            "edgecolor": SOFT,
            "label": drawn(name),
        }
        axes.bar(frame.index, frame[name], bottom=bottom, **look)
        bottom = bottom + frame[name].to_numpy()
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.xaxis.get_major_locator().set_params(integer=True)
    if len(frame.columns) > 1:
        _legend(axes, len(frame.columns))
    return figure


def stacked(frame: pd.DataFrame, parts: Sequence[str], total: str, labels: tuple[str, str]) -> Figure:
    """The columns ``parts`` over the index, gains above 0 and losses below, and ``total`` as a line."""
    figure, axes = _axes()
    above, below = np.zeros(len(frame)), np.zeros(len(frame))
    for name, colour, hatch in zip(parts, cycle(FILLS), cycle(HATCHES)):
        values = frame[name].to_numpy()
        start = np.where(values < 0, below, above)
        axes.bar(
            frame.index,
            values,
            bottom=start,
            width=0.86,
            color=colour,
            hatch=hatch,
            edgecolor=SOFT,
            label=name,
        )
        above, below = above + values.clip(min=0), below + values.clip(max=0)
    axes.plot(frame.index, frame[total], color=INK, marker="o", markersize=5, label=total)
    axes.axhline(0, color=SOFT, linewidth=1)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.xaxis.get_major_locator().set_params(integer=True)
    _legend(axes, len(parts) + 1)
    return figure


def heat_map(frame: pd.DataFrame, labels: tuple[str, str]) -> Figure:
    """Numbers as shades, the number written into each cell that is not 0."""
    figure, axes = _axes(width=8, height=max(1.6, 0.9 + 0.27 * len(frame)))
    shades = mpl.colormaps["Greys"]
    highest = max(1, frame.to_numpy().max(initial=0))
    axes.pcolormesh(
        frame.to_numpy() / highest, cmap=shades, vmin=0, vmax=1, edgecolors="white", linewidth=0.5
    )
    for row, values in enumerate(frame.to_numpy()):
        for column, value in enumerate(values):
            if value:
                colour = "white" if value > 0.55 * highest else INK
                axes.text(
                    column + 0.5, row + 0.5, f"{value:g}", ha="center", va="center", color=colour, size=8
                )
    axes.set_xticks(np.arange(len(frame.columns)) + 0.5, frame.columns)
    axes.set_yticks(np.arange(len(frame)) + 0.5, frame.index, family="monospace")
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.invert_yaxis()
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    return figure


def bars(
    frame: pd.DataFrame, value: str, low: str, high: str, label: str, ends: tuple[float, float] = (0, 1)
) -> Figure:
    """A point with its interval for each row of ``frame``, from above to below; the index names the rows.
    ``ends`` are those of the axis."""
    figure, axes = _axes(height=max(1.6, 0.8 + 0.3 * len(frame)))
    places = np.arange(len(frame))
    axes.hlines(places, frame[low], frame[high], color=SOFT, linewidth=2)
    axes.plot(frame[value], places, "o", color=COLOURS[0], markersize=6)
    axes.set_yticks(places, frame.index)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(label)
    axes.set_xlim(*ends)
    return figure


def scatter(
    frame: pd.DataFrame, x: str, y: str, labels: tuple[str, str], lines: tuple[float, float]
) -> Figure:
    """A mark for each point with participants, a shape a condition, the larger the more of them; their number
    stands beside it if there are several. ``lines`` part the classes."""
    figure, axes = _axes(width=6.5, height=4.4)
    looks = zip(cycle(COLOURS), cycle(MARKERS))
    shown = frame.dropna(subset=[x, y])
    for (name, group), (colour, marker) in zip(shown.groupby("condition"), looks):
        points = group.groupby([x, y]).size().reset_index(name="people")
        look = {"color": colour, "marker": marker, "alpha": 0.75, "linewidth": 0, "label": drawn(name)}
        axes.scatter(points[x], points[y], s=30 * points["people"] ** 0.5, **look)
        for point in points[points["people"] > 1].itertuples(index=False):
            beside = {"xytext": (7, 4), "textcoords": "offset points", "size": 8, "color": colour}
            axes.annotate(str(point[2]), (point[0], point[1]), **beside)
    axes.axvline(lines[0], color=SOFT, linestyle="--", linewidth=1)
    axes.axhline(lines[1], color=SOFT, linestyle="--", linewidth=1)
    axes.set_xlim(-0.04, 1.06)
    axes.set_ylim(-0.04, 1.06)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    if shown["condition"].nunique() > 1:
        _legend(axes, shown["condition"].nunique())
    return figure


def panels(frame: pd.DataFrame, x: str, y: str, names: Sequence[str], least: str | None = None) -> Figure:
    """One small panel a participant, all on the same scales, with a line at 0; ``names`` are those of
    ``frame``'s column ``panel``. ``least`` is a second column, drawn as a thin grey line below.

    All panels are drawn into one pair of axes: hundreds of axes would take minutes.
    """
    across = 8
    down = max(1, -(-len(names) // across))
    figure, axes = _axes(width=8.5, height=0.35 + 0.9 * down)
    axes.set_axis_off()
    values = frame[[column for column in (y, least) if column]]
    lowest, highest = min(0, values.min().min()), values.max().max()
    scale = 0.66 / max(1e-9, highest - lowest)
    span = max(1, frame[x].max() - 1)
    lines: dict[str, list[np.ndarray]] = {y: [], least or "": []}
    floors = []
    for number, name in enumerate(names):
        left, base = number % across, -(number // across) - lowest * scale
        own = frame[frame["panel"] == name].sort_values(x)
        short = drawn(name, NAME_SHOWN)
        axes.text(left, 0.72 - number // across, short, size=7, va="bottom", color=INK, clip_on=False)
        floors.append([(left, base), (left + 0.9, base)])
        for column in filter(None, (least, y)):
            points = own.dropna(subset=[column])
            places = left + 0.9 * (points[x] - 1) / span
            lines[column].append(np.column_stack([places, base + scale * points[column]]))
    axes.add_collection(LineCollection(floors, colors=LINE, linewidths=0.8))
    if least:
        axes.add_collection(LineCollection(lines[least], colors="#9aa5aa", linewidths=0.9))
    axes.add_collection(LineCollection(lines[y], colors=COLOURS[0], linewidths=1))
    singles = [own[0] for own in lines[y] if len(own) == 1]
    if singles:
        axes.plot(*np.array(singles).T, ".", color=COLOURS[0], markersize=3)
    axes.set_xlim(-0.02, across)
    axes.set_ylim(1 - down - 0.05, 1)
    return figure
