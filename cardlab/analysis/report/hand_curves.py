"""Plots measures from hand to hand, with their baselines."""

from math import inf
from typing import Any

import pandas as pd

from cardlab.analysis import compare
from cardlab.analysis.report.captions import BOUNDARY_NOTE, describe_means
from cardlab.analysis.report.curve_plots import SHARE_TOP, compute_means, draw_curves
from cardlab.analysis.report.data import ReportData
from cardlab.analysis.report.page import Figure

Curves = dict[str, str]  # a column of the hands → its axis label

CURVES: Curves = {"score": "Score"}  # the default of games
SHARE = (0, 1)  # the range of a share


def plot_curve(
    data: ReportData,
    column: str,
    label: str,
    frame: pd.DataFrame | None = None,
    *,
    share: bool | None = None,
    what: str = "",
    name: str = "",
    title: str = "",
    **look: Any,
) -> tuple[pd.DataFrame, Figure] | None:
    """Plots a column of the hands that count, from hand to hand, with the baselines.

    Parameters:
        data: the data of the report.
        column: the column.
        label: its axis label.
        frame: the hands, by default all that count.
        share: whether the values are shares, by default if the column's name ends in "share".
        what: a sentence for the caption.
        name: the name of the files, by default from the column.
        title: the title, by default from the label.
        look: further options of :func:`draw_curves`.

    Returns:
        The numbers and the plot; None if no hand has a value.
    """
    hands = data.counted if frame is None else frame
    share = column.endswith("share") if share is None else share
    values = pd.to_numeric(hands[column], errors="coerce").dropna()
    if values.empty:
        return None
    within = SHARE if share else compare.possible_range(column, values)
    numbers = compute_means(hands, "place", column, within=within)
    is_positive = values.min() >= 0 and not numbers["low"].min() < 0
    floor, top = (0, SHARE_TOP) if share else (0 if is_positive else None, None)
    lines = average_baselines(data, column)
    labels, boundary = ("Hand", label), learning_boundary(data)
    drawing = draw_curves(numbers, "place", labels, floor, top, boundary=boundary, baselines=lines, **look)
    notes = [what] if what else []
    if lines is not None:
        players = " and of the ".join(f"{one} player" for one in lines["baseline"].unique())
        notes.append(f"Grey, within the axis: the mean of the {players} on the same deals.")
    if boundary:
        notes.append(BOUNDARY_NOTE)
    caption, table = describe_means(numbers, " ".join(notes)), append_baselines(numbers, lines)
    return numbers, Figure(name or f"{column}_by_hand", title or f"{label} by hand", caption, drawing, table)


def plot_means(
    frame: pd.DataFrame,
    x: str,
    y: str,
    labels: tuple[str, str],
    name: str,
    title: str,
    what: str = "",
    values: str = "hands",
    *,
    by: str = "condition",
    within: tuple[float, float] = (-inf, inf),
    floor: float | None = 0,
    log: bool = False,
    **look: Any,
) -> Figure:
    """Plots the means of ``y`` over ``x``, one line for each ``by`` (:func:`compute_means`).

    ``name`` is the name of the files, ``what`` a sentence for the caption, ``values`` a plural noun for the
    values, and ``look`` has further options of :func:`draw_curves`. With ``SHARE`` as the range ``within``,
    the axis ends at 1.
    """
    numbers = compute_means(frame, x, y, by, within, log)
    top = SHARE_TOP if within == SHARE else None
    drawing = draw_curves(numbers, x, labels, floor, top, log, **look)
    return Figure(name, title, describe_means(numbers, what, values), drawing, numbers)


def average_baselines(data: ReportData, column: str) -> pd.DataFrame | None:
    """Returns the means of the baselines from hand to hand; None if the column has no baseline."""
    if column not in data.baselines:
        return None
    rows = data.baselines.dropna(subset=[column, "place"])
    if rows.empty:
        return None
    means = rows.groupby(["baseline", "place"], as_index=False)[column].mean()
    return means.rename(columns={column: "mean"})


def append_baselines(numbers: pd.DataFrame, lines: pd.DataFrame | None) -> pd.DataFrame:
    """Appends the rows of the baselines, which have no condition, to the numbers of a plot."""
    if lines is None:
        return numbers
    lines = lines.assign(**{numbers.columns[0]: ""})
    combined = pd.concat([numbers.assign(baseline=""), lines], ignore_index=True)
    return combined.astype(dict.fromkeys(("participants", "groups", "values", "missing"), "Int64"))


def learning_boundary(data: ReportData) -> float | None:
    """Returns where on an axis of hands the learning phase ends; None if there is none."""
    return data.learning_hands + 0.5 if data.learning_hands else None
