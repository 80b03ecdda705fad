"""Builds the section about the number of moves until hands were solved or ended otherwise."""

from collections.abc import Sequence

import pandas as pd

from cardlab.analysis.inference import time_to_event
from cardlab.analysis.report.captions import count_participants, describe_curve_bounds, format_count
from cardlab.analysis.report.curve_plots import draw_steps
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData, one_row_per_hand
from cardlab.analysis.report.page import Figure, Section

# The endings of a solvable hand by outcome. All other outcomes are censored: ``advanced`` by the researcher
# and ``stopped`` because a co-player left.
ENDINGS = {
    "solved": "Solved",
    "gave_up": "Given up",
    "failed": "Moves used up",
    "timeout": "Time limit",
    "": "Not solved (a log does not say why)",
}


def build_solution_section(data: ReportData) -> Section:
    """Builds the section with the cumulative incidence of each ending over the number of moves.

    Giving up and the limits of moves and time are competing causes, because they are part of the game. Hands
    that ended for an outside reason are censored.
    """
    section, title = "Solving hands", "Moves to the solution"
    rows = data.counted[[*PARTICIPANT_KEY, "condition", "group", "hand_id", "place", "outcome", "moves"]]
    rows = rows.assign(moves=pd.to_numeric(rows["moves"], errors="coerce")).dropna(subset=["moves"])
    hands = one_row_per_hand(rows.assign(ending=rows["outcome"].map(ENDINGS).fillna("")), "condition")
    phases = {"": hands}
    if learning := data.learning_hands:
        phases = {
            "Learning phase": hands[hands["place"] <= learning],
            "After it": hands[hands["place"] > learning],
        }
    counts = hands["ending"].value_counts()
    endings = [name for name in ENDINGS.values() if name == ENDINGS["solved"] or name in counts]
    curves = [
        incidence_by_condition(phase_rows, "moves", endings).assign(phase=phase)
        for phase, phase_rows in phases.items()
        if len(phase_rows)
    ]
    if not curves:
        return Section(section, "The data have no moves of hands.")
    numbers = pd.concat(curves, ignore_index=True)
    frames = {
        f"{ending}: {phase.lower()}" if phase else ending: phase_rows
        for ending in endings
        for phase in phases
        if len(phase_rows := numbers[(numbers["ending"] == ending) & (numbers["phase"] == phase)])
    }
    last_time = numbers["time"].max()
    drawing = draw_steps(frames, ("Moves", "Share of hands"), y="incidence", end_time=last_time)
    by_ending = ", ".join(f"{counts.get(name, 0):,} {name[0].lower()}{name[1:]}" for name in endings)
    text = (
        "The share of hands that had ended in each way after this number of moves: the "
        "cumulative incidence (estimator of Aalen and Johansen). The outcomes exclude each "
        "other, so a hand that was given up or ended by a limit counts as not solved from then "
        "on. "
    )
    if counts.get("", 0):
        text += (
            f"{counts['']:,} hands that the researcher ended, or that ended because a co-player "
            "left, are censored at their last move (a tick). "
        )
    people = count_participants(rows)
    text += (
        f"{describe_curve_bounds(rows)} n = {format_count(len(hands), 'hand')} ({by_ending}) of "
        f"{format_count(people, 'participant')}."
    )
    return Section(section, "", [], [Figure("moves_to_solution", title, text, drawing, numbers)])


def incidence_by_condition(frame: pd.DataFrame, time: str, endings: Sequence[str]) -> pd.DataFrame:
    """Returns the incidence of ``endings`` by condition (:func:`time_to_event.estimate_incidence`).

    In ``frame``, the column ``time`` has the times, and ``ending`` the endings, "" for censored rows.
    """
    curves = []
    for condition, condition_rows in frame.groupby("condition"):
        by_ending = time_to_event.estimate_incidence(
            condition_rows[time], condition_rows["ending"], condition_rows["group"], endings
        )
        for ending, curve in by_ending.items():
            curves.append(pd.DataFrame({"condition": condition, "ending": ending, **curve._asdict()}))
    return pd.concat(curves, ignore_index=True)


def survival_by_condition(frame: pd.DataFrame, time: str, happened: str) -> pd.DataFrame:
    """Returns survival curves by condition (:func:`time_to_event.estimate_survival`)."""
    curves = []
    for condition, condition_rows in frame.groupby("condition"):
        curve = time_to_event.estimate_survival(
            condition_rows[time], condition_rows[happened], condition_rows["group"]
        )
        curves.append(pd.DataFrame({"condition": condition, **curve._asdict()}))
    return pd.concat(curves, ignore_index=True)
