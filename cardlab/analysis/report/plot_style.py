"""Defines the style of all plots: colours, fonts, lines and markers, and creates figures and axes.

Plots are legible in print, in grey and on a phone. Conditions differ by line and marker as well as by colour,
shares also by hatching. Figures are narrow, so that the text shrinks little on a small screen.
"""

import logging
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # hides messages about its font cache

INK, SOFT, LINE = "#1f2a30", "#56646b", "#d9d7cf"
# From dark to light, so that they differ in grey. Colour-blind readers can distinguish them, too.
COLOURS = ("#0b3954", "#c1440e", "#2e8b6f", "#d99a00", "#7a5195", "#6b7a80")
STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++")
FILLS = ("#0b3954", "#e8b66a", "#ffffff", "#9fb4bd")
BASELINE_STYLES = ((0, (1, 1)), (0, (4, 2)), (0, (1, 3)))

WIDTH = 4.8  # inches, which is 460 CSS pixels; a screen of 390 shows the text at 80 % of its size
HEIGHT = 3.2  # inches, of a figure with one panel
LEGEND_WIDTH = 58  # characters
SMALL = 9  # points, the smallest size that is still legible at 80 %

_STYLE = {
    "svg.fonttype": "none",  # text stays text, which can be searched and uses the reader's font
    "svg.hashsalt": "card-lab",  # makes the ids reproducible
    "pdf.fonttype": 42,  # text stays text
    "savefig.dpi": 300,
    "text.parse_math": False,  # because labels may contain dollar signs
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


def shorten_label(name: object, max_length: int = 30) -> str:
    """Returns a name for a plot, without control characters and at most ``max_length`` characters long.

    A space precedes a leading underscore, because matplotlib leaves such names out of the legend.
    """
    text = "".join(letter if letter.isprintable() else "?" for letter in str(name))
    text = text if len(text) <= max_length else f"{text[: max_length - 1]}…"
    return f" {text}" if text.startswith("_") else text


def create_axes(height: float = HEIGHT) -> tuple[Figure, Axes]:
    """Creates a figure with one pair of axes; ``height`` is in inches."""
    figure, (axes,) = create_panels(1, height)
    return figure, axes


def create_panels(rows: int, height: float | None = None) -> tuple[Figure, list[Axes]]:
    """Creates a figure with ``rows`` pairs of axes, one below the other; ``height`` is in inches."""
    if height is None:
        height = HEIGHT if rows == 1 else 0.8 + 2.2 * rows
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    panels: list[Axes] = list(figure.subplots(rows, sharex=True, squeeze=False)[:, 0])
    for axes in panels:
        axes.set_axisbelow(True)
    return figure, panels


def label_axes(axes: Axes, labels: tuple[str, str]) -> None:
    """Labels the horizontal and the vertical axis."""
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])


def line_styles() -> Iterator[dict[str, Any]]:
    """Yields the styles of the lines of conditions, repeating forever."""
    for colour, style, marker in zip(cycle(COLOURS), cycle(STYLES), cycle(MARKERS)):
        yield {"color": colour, "linestyle": style, "marker": marker}


def add_legend(figure: Figure, axes: Axes) -> None:
    """Adds the legend of a pair of axes above the figure, if there are labels."""
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        columns = max(1, min(len(labels), LEGEND_WIDTH // (max(map(len, labels)) + 6)))
        figure.legend(handles, labels, loc="outside upper left", ncols=columns, borderaxespad=0.2)


def use_whole_numbers(axis: Axis) -> None:
    """Places the ticks of an axis at whole numbers."""
    locator = axis.get_major_locator()
    assert isinstance(locator, MaxNLocator)
    locator.set_params(integer=True)


def draw_boundary(axes: Axes, place: float | None) -> None:
    """Draws the boundary of two phases, unless it is None."""
    if place is not None:
        axes.axvline(place, color=INK, linestyle=(0, (2, 2)), linewidth=1)
