"""The sections that the report of every game has."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis import hands
from analysis.report import figures
from analysis.report import quality as of_quality
from analysis.report.data import Data
from analysis.report.page import Figure, Section, Table

Curves = dict[str, str]  # a column of the hands → what it is called on an axis

SHARE_TOP = 1.02  # of an axis of shares, so that points at 1 are whole
BAND = "Mean over participants, with its 95 % confidence band."


def session(data: Data) -> Section:
    """The settings in force."""
    counts = data.hands.groupby("condition", sort=True)
    conditions = pd.DataFrame(
        {
            "condition": list(counts.groups),
            "participants": counts.apply(_people, include_groups=False).to_list(),
            "hands": counts.size().to_list(),
            "hands_that_count": counts["place"].count().to_list(),
        }
    )
    return Section(
        "Session and settings",
        "A hand counts if it is over and no practice. A condition is made of the settings and deals that "
        "differ between participants.",
        [
            Table("conditions", "Conditions", conditions),
            Table("settings", "Settings in force, and how many hands had them", data.settings),
        ],
    )


def _people(group: pd.DataFrame) -> int:
    return len(group[["session_code", "participant_code"]].drop_duplicates())


def quality(data: Data) -> Section:
    """What an analyst should know before trusting the rest."""
    if not len(data.quality):
        return Section("Data quality", "Logs alone do not tell it; a table of actions does.")
    table = Table("quality", "Counts", data.quality, meanings=of_quality.COLUMNS, across=True)
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
    return Section("From hand to hand", "", tables, plots)


def _floor(frame: pd.DataFrame) -> float | None:
    return None if frame[["mean", "low"]].min().min() < 0 else 0


def by_condition(frame: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The rows of each condition, with what is added to names and titles, nothing where there is but one."""
    several = frame["condition"].nunique() > 1
    for number, (condition, own) in enumerate(frame.groupby("condition"), 1):
        yield (f"_{number}", f", {condition}", own) if several else ("", "", own)


def each_participant(data: Data, curves: Curves) -> Section:
    """One small panel a participant."""
    column, label = next(iter(curves.items()))
    people = data.participants
    several = people["session_code"].nunique() > 1
    names = {}
    for person in people.itertuples():
        name = person.participant_label or person.participant_code
        name = f"{person.session_code} {name}" if several else name
        taken = sum(name == other or other.startswith(f"{name} (") for other in names.values())
        names[person.session_code, person.participant_code] = f"{name} ({taken + 1})" if taken else name
    keys = zip(data.counted["session_code"], data.counted["participant_code"])
    frame = data.counted.assign(panel=[names[key] for key in keys])
    least = "least_moves" if column == "moves" else None
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
    own = data.hands[[*hands.columns(data.game), "condition"]]
    return Section(
        "Tables",
        "Every column is explained in the data dictionary of Card Lab.",
        [
            Table("hands", "All hands", own, shown=0),
            *(Table(name, name.capitalize(), frame, shown=0) for name, frame in data.parts.items()),
        ],
    )
