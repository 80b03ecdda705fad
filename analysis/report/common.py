"""The sections that the report of every game has."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis.report import figures
from analysis.report import quality as of_quality
from analysis.report.data import WHO, Data, of_hands
from analysis.report.page import Figure, Section, Table

Curves = dict[str, str]  # a column of the hands → what it is called on an axis

CURVES: Curves = {"score": "Score"}  # of a game that names none
MOST_ACROSS = 5  # sessions, side by side
SHARE_TOP = 1.02  # of an axis of shares, so that points at 1 are whole
BAND = "Mean over participants, with its 95 % confidence band (wide where there are few)."


def session(data: Data) -> Section:
    """The settings in force."""
    found = []
    for condition, own in data.hands.groupby("condition", sort=True):
        people = len(own[WHO].drop_duplicates())
        found.append([condition, people, len(of_hands(own)), len(of_hands(own[own["place"].notna()]))])
    columns = ["condition", "participants", "hands", "hands_that_count"]
    return Section(
        "Session and settings",
        "A hand counts if it is over and no practice. A condition is a treatment; where there is none, it is "
        "made of the settings and deals that differ between participants.",
        [
            Table("conditions", "Conditions", pd.DataFrame(found, columns=columns)),
            Table("settings", "Settings in force, and how many hands had them", data.settings),
        ],
    )


def quality(data: Data) -> Section:
    """What an analyst should know before trusting the rest."""
    if not len(data.quality):
        return Section("Data quality", "Logs alone do not tell it; a table of actions does.")
    few = len(data.quality) <= MOST_ACROSS
    table = Table("quality", "Counts", data.quality, meanings=of_quality.COLUMNS, across=few)
    return Section("Data quality", "", [table])


def over_the_session(data: Data, curves: Curves) -> Section:
    """How the measures go from hand to hand."""
    tables, plots = [], []
    for column, label in curves.items():
        frame = figures.means(data.counted, "place", column)
        if frame.empty:
            continue
        floor, top = (0, SHARE_TOP) if column.endswith("share") else (_floor(frame), None)
        drawing = figures.curves(frame, "place", ("Hand", label), floor, top)
        plots.append(Figure(f"{column}_by_hand", f"{label} by hand", BAND, drawing))
        tables.append(Table(f"{column}_by_hand", f"{label} by hand", frame, shown=0))
    return Section("From hand to hand", "All hands that count, solved or not.", tables, plots)


def nothing_counts() -> Section:
    return Section("From hand to hand", "No hand counts yet: none is over but practice hands.")


def _floor(frame: pd.DataFrame) -> float | None:
    return None if frame["mean"].min() < 0 else 0


def by_condition(frame: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The rows of each condition, with what is added to names and titles, nothing where there is but one."""
    several = frame["condition"].nunique() > 1
    for number, (condition, own) in enumerate(frame.groupby("condition"), 1):
        yield (f"_{number}", f", {condition}", own) if several else ("", "", own)


def each_participant(data: Data, curves: Curves, least: str | None) -> Section:
    """One small panel a participant; ``least`` is the column of the least possible, if there is one."""
    column, label = next(iter(curves.items()))
    people = data.participants
    names = dict(zip(zip(people["session_code"], people["participant_code"]), people["name"]))
    keys = zip(data.counted["session_code"], data.counted["participant_code"])
    frame = data.counted.assign(panel=[names[key] for key in keys])
    lowest, highest = min(0, frame[column].min()), frame[column].max()
    caption = f"{label}, hand by hand; every panel goes from {lowest:g} to {highest:g}."
    if least:
        caption += " The grey line is the least possible."
    meanings = {
        measure.__name__: " ".join((measure.__doc__ or "").split())
        for measure in data.game.performance.PARTICIPANT_MEASURES
    }
    return Section(
        "Each participant",
        "",
        [Table("participants", "Measures", people, meanings=meanings)],
        [
            Figure(
                "participants",
                f"{label} of each participant",
                caption,
                figures.panels(frame, "place", column, list(names.values()), least),
            )
        ],
    )


def all_tables(data: Data) -> Section:
    """The files that are too long to be shown."""
    return Section(
        "Tables",
        "Every column is explained in the data dictionary of Card Lab.",
        [
            Table("hands", "All hands", data.all_hands, shown=0),
            *(Table(name, name.capitalize(), frame, shown=0) for name, frame in data.parts.items()),
        ],
    )
