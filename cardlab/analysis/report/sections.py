"""Builds the sections that the report of every game has."""

import numpy as np
import pandas as pd

from cardlab.analysis import compare, exclusions
from cardlab.analysis.preregistration import review
from cardlab.analysis.preregistration.review import Review
from cardlab.analysis.report import quality
from cardlab.analysis.report.captions import BOUNDARY_NOTE, format_count
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData, add_panel_names, one_row_per_hand
from cardlab.analysis.report.hand_curves import Curves, learning_boundary, plot_curve
from cardlab.analysis.report.page import Figure, Section, Table
from cardlab.analysis.report.participant_panels import draw_panels

MAX_TRANSPOSED = 5  # sessions shown side by side
TIMING = (  # measured with benchmarks/timing/input_times.py; docs/explanation/performance.md
    "Times of actions are those of the input events in the participant's browser. On a test machine, "
    "recorded times differed from those of the events by -0.8 ms (median; SD 0.3 ms) in Chromium and by "
    "0.0 ms (SD 0.0 ms) in Firefox; with all cores busy, by -0.6 ms (SD 0.3 ms) and 0.0 ms (SD 0.0 ms). "
    "The delay of mouse, keyboard and screen is not included."
)


def build_session_section(data: ReportData) -> Section:
    """Builds the section with the conditions and the settings in force."""
    rows = []
    for condition, condition_hands in data.hands.groupby("condition", sort=True):
        participant_count = len(condition_hands[PARTICIPANT_KEY].drop_duplicates())
        counted_hands = one_row_per_hand(condition_hands[condition_hands["place"].notna()])
        rows.append(
            [condition, participant_count, len(one_row_per_hand(condition_hands)), len(counted_hands)]
        )
    conditions = pd.DataFrame(rows, columns=["condition", "participants", "hands", "hands_that_count"])
    text = (
        "A hand counts if it is over and not a practice hand. Conditions are the values of the column or "
        "setting that --by or the preregistration names; without one, the treatments; without treatments, "
        "the settings and deals that differ between participants."
    )
    return Section(
        "Session and settings",
        " ".join([text, *data.caveats]),
        [
            Table("conditions", "Conditions", conditions),
            Table("settings", "Settings in force, and how many hands had them", data.settings),
        ],
    )


def build_quality_section(data: ReportData) -> Section:
    """Builds the section about data quality."""
    if not len(data.quality):
        return Section("Data quality", "Logs do not have this information; a table of actions does.")
    is_small = len(data.quality) <= MAX_TRANSPOSED
    meanings = {**quality.COLUMNS, **quality.BROWSER_COLUMNS}
    table = Table("quality", "Counts", data.quality, meanings=meanings, transposed=is_small)
    return Section("Data quality", TIMING, [table])


def build_curves_section(data: ReportData, curves: Curves) -> Section:
    """Builds the section with the measures from hand to hand."""
    plots = [plot[1] for column, label in curves.items() if (plot := plot_curve(data, column, label))]
    return Section("From hand to hand", "All hands that count and have a value of the measure.", [], plots)


def build_empty_section() -> Section:
    """Builds the section of a report in which no hand counts."""
    return Section("From hand to hand", "No hand counts. Methods says which were left out.")


def build_preregistration_section(data: ReportData, planned: Review) -> Section:
    """Builds the section with the results of the hypotheses, and the points of the plan."""
    document, points = planned.document, planned.points
    counts = points["as_planned"].value_counts()
    text = (
        f"{document.plan.title}, frozen on {document.frozen_utc} (UTC), SHA-256 {document.sha256[:12]}…. "
        "The analysis was rerun by this document. Exclusions are those of the document, and its measures are "
        f"primary. Of {len(points)} points, {counts.get(review.YES, 0)} are as planned, "
        f"{counts.get(review.NO, 0)} are not. A hypothesis is supported if the adjusted p (for equivalence, "
        f"its own p) is at most {document.plan.level:g} and the estimate is as predicted."
    )
    if not document.is_unchanged:
        text += " The document was changed after it was frozen. Compare it with the copy that you registered."
    tables = [
        Table("hypotheses", "Hypotheses", planned.results, meanings=review.RESULT_COLUMNS),
        Table("plan", "Planned and done", points, meanings=review.POINT_COLUMNS),
    ]
    if len(data.exclusions):
        tables.append(Table("exclusions", "Exclusions", data.exclusions, meanings=exclusions.COLUMNS))
    return Section("Preregistration", text, tables)


def build_comparison_section(data: ReportData, planned: Review | None = None) -> Section:
    """Builds the section that compares each pair of conditions in each measure of participants."""
    table = compare.build_table(data)
    if planned:
        plan = planned.document.plan
        primary = () if plan.within else plan.measures
        table = compare.build_table(data, primary, plan.adjust, {} if plan.within else plan.equivalence)
    tests = table["p"].notna().groupby(table["family"], sort=False).sum()
    counts = ", ".join(f"{name} {count}" for name, count in tests.items() if count)
    text = (
        "Each participant's measures, compared between conditions, in families of measures. The estimate is "
        "the mean of the first condition minus that of the second; of times it is the ratio of geometric "
        "means. The 95 % interval contains the effects that the test of the same row does not reject "
        "(column method). Effect sizes are Hedges’ g and the rank-biserial "
        "correlation. p is not adjusted. p adjusted is Holm’s for the number of tests in the family "
        f"({counts or 'none'}), not for the number of families. Without any effect, one p in twenty is 0.05 "
        "or less, so use p adjusted unless you chose the measure beforehand. Descriptive measures are "
        "numbers of hands, from which others are computed; they are not tested. A cluster is a participant, "
        "or a group of participants who met, directly or through others, or are the same person."
    )
    if planned:
        text += " Primary measures are those of the preregistration; Holm’s method adjusts them together."
        if planned.document.plan.adjust == "fdr":
            text += " Secondary measures are adjusted by Benjamini and Hochberg’s method instead."
    if compare.deals_differ(data):
        text += f" {compare.CONFOUNDED}"
    title = "Measures of participants by condition"
    main = ("measure", "first", "second", "contrast", "estimate", "low", "high", "p", "p_adjusted")
    return Section(
        "Conditions compared", text, [Table("comparisons", title, table, meanings=compare.COLUMNS, main=main)]
    )


def build_participants_section(data: ReportData, curves: Curves) -> Section:
    """Builds the section with a panel for each participant, which shows the first curve."""
    column, label = next(iter(curves.items()))
    participants = data.participants
    frame = add_panel_names(data, data.counted)
    frame = frame.assign(**{column: pd.to_numeric(frame[column], errors="coerce")})
    can_be_solved = (frame["outcome"] == "solved").any()
    frame = frame.assign(failed=(frame["outcome"] != "solved") & can_be_solved)
    min_value, max_value = np.nanmin([0, frame[column].min()]), frame[column].max()
    text = f"{label}, hand by hand; all panels range from {min_value:g} to {max_value:g}."
    if frame["failed"].any():
        text += " A cross marks a hand that was not solved."
    if learning_boundary(data):
        text += f" {BOUNDARY_NOTE}"
    text += f" n = {format_count(len(participants), 'participant')}, {format_count(len(frame), 'hand')}."
    meanings = {
        measure.__name__: " ".join((measure.__doc__ or "").split())
        for measure in data.game.performance.participant_measures
    }
    names = list(participants["name"])
    drawing = draw_panels(frame, "place", column, names, learning_boundary(data), failed="failed")
    numbers = frame[[*PARTICIPANT_KEY, "condition", "place", column, "failed"]].astype({"failed": int})
    return Section(
        "Each participant",
        "",
        [Table("participants", "Measures", participants, meanings=meanings)],
        [Figure("each_participant", f"{label} by participant", text, drawing, numbers)],
    )


def build_tables_section(data: ReportData) -> Section:
    """Builds the section with links to the tables that are too long to show."""
    return Section(
        "Tables",
        "The data dictionary of Card Lab explains every column.",
        [
            Table("hands", "All hands", data.all_hands, shown=0),
            *(Table(name, name.capitalize(), frame, shown=0) for name, frame in data.parts.items()),
        ],
    )
