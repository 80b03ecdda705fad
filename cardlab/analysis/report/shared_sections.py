"""Builds sections that the reports of several games share."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from cardlab.analysis import learning_curves
from cardlab.analysis.inference.clusters import Floats
from cardlab.analysis.report.captions import BOUNDARY_NOTE, count_participants, describe_means, format_count
from cardlab.analysis.report.charts import draw_heat_map, draw_stacked_bars
from cardlab.analysis.report.curve_plots import compute_means, draw_curves
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData, add_panel_names
from cardlab.analysis.report.hand_curves import learning_boundary
from cardlab.analysis.report.page import Figure, Section, Table
from cardlab.analysis.report.participant_panels import draw_panels
from cardlab.analysis.report.plot_style import COLOURS

FIT_STYLES = {"power": (COLOURS[0], "-"), "exponential": (COLOURS[1], (0, (4, 2)))}
FORM_NAMES = {
    "power": "the power function",
    "exponential": "the exponential function",
    "constant": "a constant (no learning)",
}
START = "start"  # stands for the move before the first move of a hand


def split_by_condition(frame: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yields a suffix for names, a suffix for titles and the rows of each condition.

    The suffixes are empty if there is only one condition.
    """
    several = frame["condition"].nunique() > 1
    for number, (condition, own) in enumerate(frame.groupby("condition"), 1):
        yield (f"_{number}", f", {condition}", own) if several else ("", "", own)


def build_response_time_section(data: ReportData, times: pd.DataFrame, first: str, later: str) -> Section:
    """Builds the section with the response times of participants.

    ``times`` are rows of :meth:`ReportData.counted_parts` with the columns ``ms``, in milliseconds, and
    ``first``, whether the action was the first of its hand. The parameters ``first`` and ``later`` are the
    titles of the panels for first and for other actions.
    """
    frames = {
        title: compute_means(own, "hand_place", "ms", log=True)
        for title, own in ((first, times[times["first"]]), (later, times[~times["first"]]))
    }
    frames = {title: frame for title, frame in frames.items() if len(frame)}
    section, title = "Response times", "Response times"
    if not frames:
        return Section(section, "The data have no response times.")
    numbers = pd.concat([frame.assign(kind=kind) for kind, frame in frames.items()], ignore_index=True)
    labels, boundary = ("Hand", "Milliseconds"), learning_boundary(data)
    drawing = draw_curves(frames, "hand_place", labels, log=True, boundary=boundary)
    what = "Geometric means in milliseconds on a logarithmic axis."
    if boundary:
        what += f" {BOUNDARY_NOTE}"
    plot = Figure("response_times", title, describe_means(numbers, what, "times"), drawing, numbers)
    return Section(section, "", [], [plot])


def build_learning_curve_section(data: ReportData, column: str, label: str) -> Section:
    """Builds the section with the learning curves of each participant, compared by AICc."""
    section, people = "Practice", data.participants
    hands = add_panel_names(data, data.counted)
    hands = hands.assign(value=pd.to_numeric(hands[column], errors="coerce")).dropna(subset=["value"])
    table, lines = _fit_participants(hands, people)
    if table.empty:
        few = f"No participant has {learning_curves.MIN_HANDS} hands with different values of this measure."
        return Section(section, few)
    frame, names = hands.assign(**lines), set(table["name"])
    fitted = [name for name in people["name"] if name in names]
    best_forms = table[table["best"] == 1]["form"].value_counts()
    counts = ", ".join(f"{best_forms.get(form, 0)} by {account}" for form, account in FORM_NAMES.items())
    margins = learning_curves.MIN_ADVANTAGE
    text = (
        f"{label} by number of the hand, fitted to each participant: a power function a + b · n^−c, an "
        "exponential function a + b · exp(−c (n − 1)), and a constant, by maximum likelihood with lognormal "
        "errors, whose correlation from hand to hand is estimated. Best account by Akaike’s criterion for "
        f"small samples (AICc) for {format_count(len(fitted), 'participant')} with "
        f"{learning_curves.MIN_HANDS} hands or more: {counts}. A power function must be better than the "
        f"constant by {margins['power']:g}, an exponential function by {margins['exponential']:g}. "
        f"{_describe_average(hands)}"
    )
    highest, boundary = frame["value"].max(), learning_boundary(data)
    caption = (
        f"Points are hands ({label.lower()}; all panels range from 0 to {highest:.3g}), lines "
        f"the two functions. n = {format_count(len(fitted), 'participant')}, "
        f"{format_count(len(frame), 'hand')}.{f' {BOUNDARY_NOTE}' if boundary else ''}"
    )
    drawing = draw_panels(frame, "place", "value", fitted, boundary, FIT_STYLES)
    numbers = frame[[*PARTICIPANT_KEY, "condition", "place", "value", *FIT_STYLES]]
    plot = Figure("learning_curves", "Learning curves", caption, drawing, numbers)
    return Section(section, text, [Table("learning_fits", "Fitted functions", table, shown=12)], [plot])


def _describe_average(hands: pd.DataFrame) -> str:
    """Returns a sentence about the curve of the participants' geometric mean, or nothing if it has none."""
    average = hands[hands["value"] > 0].groupby("place")["value"].agg(lambda times: np.log(times).mean())
    curves = learning_curves.fit_curves(average.index, np.exp(average))
    if not curves:
        return ""
    return (
        "The geometric mean over participants is best described by "
        f"{FORM_NAMES[learning_curves.best_curve(curves).form]}. This says little about any one of them: "
        "exponential curves with different rates have a mean that resembles a power function."
    )


def _fit_participants(hands: pd.DataFrame, people: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, Floats]]:
    """Returns a table of all fitted curves, and the values of each form of ``FIT_STYLES`` at each hand."""
    places, values = hands["place"].to_numpy(float), hands["value"].to_numpy(float)
    indices = hands.groupby("panel").indices
    rows: list[list[Any]] = []
    lines: dict[str, Floats] = {form: np.full(len(hands), np.nan) for form in FIT_STYLES}
    for person in people.itertuples():
        own = indices.get(person.name, [])
        curves = learning_curves.fit_curves(places[own], values[own])
        who = [*(getattr(person, name) for name in PARTICIPANT_KEY), person.name, person.condition, len(own)]
        best = learning_curves.best_curve(curves).form if curves else ""
        rows += [[*who, *curve, int(curve.form == best)] for curve in curves]
        for curve in curves:
            if curve.form in FIT_STYLES:
                lines[curve.form][own] = curve.predict(places[own])
    columns = [*PARTICIPANT_KEY, "name", "condition", "hands", *learning_curves.Curve._fields, "best"]
    return pd.DataFrame(rows, columns=columns), lines


def build_transition_section(moves: pd.DataFrame, order: list[str], what: str) -> Section:
    """Builds the section about transitions between moves.

    ``moves`` has the columns ``before``, ``move`` and condition. ``order`` is the order of the moves in the
    plot, ``what`` a sentence for the caption.
    """
    plots = []
    for suffix, which, own in split_by_condition(moves):
        counts = pd.crosstab(own["before"], own["move"])
        rows = [name for name in (START, *order) if name in counts.index]
        counts = counts.reindex(index=rows, columns=[name for name in order if name in counts])
        shares = counts.div(counts.sum(axis=1), axis=0)
        tidy = counts.stack().rename("moves").reset_index()
        tidy["share"] = shares.stack().to_numpy()
        text = (
            f"{what} A cell is the share of this move among all moves that follow the move of "
            f"its row; each row adds up to 1. n = {format_count(len(own), 'move')} of "
            f"{format_count(count_participants(own), 'participant')}."
        )
        drawing, title = draw_heat_map(shares.round(2), ("Move", "Move before")), "Transitions between moves"
        plots.append(Figure(f"transitions{suffix}", f"{title}{which}", text, drawing, tidy))
    return Section("Transitions between moves", "" if plots else "No move was made.", [], plots)


def build_score_parts_section(
    data: ReportData, what: str, points_by_part: Callable[[pd.DataFrame], pd.DataFrame]
) -> Section:
    """Builds the section about the parts of the score, from hand to hand.

    ``points_by_part`` takes hands and returns a column with the points of each part. ``what`` is a sentence
    for the caption.
    """
    plots = []
    for suffix, which, own in split_by_condition(data.counted):
        by_hand = points_by_part(own).assign(hand=own["place"]).groupby("hand").mean()
        parts = list(by_hand.columns)
        by_hand["score"] = by_hand.sum(axis=1)
        drawing = draw_stacked_bars(by_hand, parts, "score", ("Hand", "Points"))
        people = format_count(count_participants(own), "participant")
        text = f"{what} n = {people}, {format_count(len(own), 'hand')}."
        title = f"Parts of the score{which}"
        plots.append(Figure(f"score_parts{suffix}", title, text, drawing, by_hand.reset_index()))
    return Section("Parts of the score", "", [], plots)
