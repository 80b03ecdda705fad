"""The sections that the report of every game has, and those that several games share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from cardlab.analysis import compare, inference, learning_curves
from cardlab.analysis.report import figures
from cardlab.analysis.report import quality as of_quality
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData, one_row_per_hand
from cardlab.analysis.report.page import Figure, Section, Table

Curves = dict[str, str]  # a column of the hands → what it is called on an axis

CURVES: Curves = {"score": "Score"}  # of a game that names none
MAX_ACROSS = 5  # sessions, side by side
SHARE = (0, 1)
SHARE_TOP = 1.02  # of an axis of shares, so that points at 1 are whole
FIT_STYLES = {"power": (figures.COLOURS[0], "-"), "exponential": (figures.COLOURS[1], (0, (4, 2)))}

# How an interval was made, as captions say it; ``{one}`` was drawn independently of the other ``{many}``.
METHODS = {
    inference.WILSON: "Wilson’s",
    inference.BOOTSTRAP: f"by the cluster bootstrap over {{many}} ({inference.DRAWS:,} draws, fixed seed)",
    inference.WILSON_OF_CLUSTERS: "Wilson’s with each {one} as one observation where all {many} agree or "
    f"are fewer than {inference.MIN_CLUSTERS}",
    inference.STUDENT: f"Student’s over {{many}} where they are fewer than {inference.MIN_CLUSTERS}",
    inference.NEWCOMBE: "Newcombe’s",
    inference.NONE: "none where there is but one {one} or all agree",
}
PARTICIPANTS = {"one": "participant", "many": "participants"}
GROUPS = {"one": "group of people who met", "many": "groups of people who met"}


def describe_means(numbers: pd.DataFrame, what: str = "", values: str = "hands") -> str:
    """What a plot of means shows: over whom, with which intervals, and of how many; ``numbers`` are made by
    :func:`cardlab.analysis.report.figures.compute_means`, ``what`` comes first, ``values`` are what the means
    are over."""
    drawn = GROUPS if (numbers["groups"] < numbers["participants"]).any() else PARTICIPANTS
    used = [METHODS[name].format(**drawn) for name in METHODS if (numbers["method"] == name).any()]
    by = numbers.columns[0]
    told = []
    for name, own in numbers.groupby(by):
        people = _format_range(own["participants"])
        of = "" if numbers[by].nunique() == 1 else f" ({name})"
        told.append(f"{people} participants{of} with {own['values'].sum():,} {values}")
    start = f"{what} Means" if what else "Means"
    return f"{start} over participants with 95 % intervals, {'; '.join(used)}. n = {', '.join(told)}."


def _format_range(numbers: pd.Series) -> str:
    least, most = numbers.min(), numbers.max()
    return f"{most:,}" if least == most else f"{least:,}–{most:,}"


def plot_curve(
    data: ReportData, column: str, label: str, frame: pd.DataFrame | None = None, **look
) -> tuple[pd.DataFrame, Figure] | None:
    """The plot of a column of the hands that count, from hand to hand, beside the baselines; None where no
    hand tells it. ``frame`` has the hands where not all are meant."""
    hands = data.counted if frame is None else frame
    share = look.pop("share", column.endswith("share"))
    told = pd.to_numeric(hands[column], errors="coerce").dropna()
    if told.empty:
        return None
    numbers = figures.compute_means(
        hands, "place", column, within=SHARE if share else compare.possible_range(column, told)
    )
    what = look.pop("what", "")
    name, title = look.pop("name", f"{column}_by_hand"), look.pop("title", f"{label} by hand")
    floor, top = (0, SHARE_TOP) if share else (0 if told.min() >= 0 else None, None)
    lines = average_baselines(data, column)
    drawing = figures.draw_curves(
        numbers,
        "place",
        ("Hand", label),
        floor,
        top,
        boundary=learning_boundary(data),
        baselines=lines,
        **look,
    )
    if lines is not None:
        of = " and of the ".join(f"{one} player" for one in lines["baseline"].unique())
        what += f"{' ' if what else ''}Grey, as far as the axis goes: the mean of the {of} on the same deals."
    if learning_boundary(data):
        what += f"{' ' if what else ''}{BOUNDARY_NOTE}"
    return numbers, Figure(
        name, title, describe_means(numbers, what), drawing, append_baselines(numbers, lines)
    )


BOUNDARY_NOTE = "Dotted: where the learning phase ends."


def average_baselines(data: ReportData, column: str) -> pd.DataFrame | None:
    """The means of the baselines from hand to hand; None where there are none of this column."""
    if column not in data.baselines:
        return None
    told = data.baselines.dropna(subset=[column, "place"])
    if told.empty:
        return None
    found = told.groupby(["baseline", "place"], as_index=False)[column].mean()
    return found.rename(columns={column: "mean"})


def append_baselines(numbers: pd.DataFrame, lines: pd.DataFrame | None) -> pd.DataFrame:
    """The numbers of a plot with those of its baselines below, which are of no condition."""
    if lines is None:
        return numbers
    lines = lines.assign(**{numbers.columns[0]: ""})
    both = pd.concat([numbers.assign(baseline=""), lines], ignore_index=True)
    return both.astype(dict.fromkeys(("participants", "groups", "values"), "Int64"))


def learning_boundary(data: ReportData) -> float | None:
    """Where on an axis of hands the learning phase ends."""
    return data.learning_hands + 0.5 if data.learning_hands else None


def build_session_section(data: ReportData) -> Section:
    """The settings in force."""
    found = []
    for condition, own in data.hands.groupby("condition", sort=True):
        people = len(own[PARTICIPANT_KEY].drop_duplicates())
        found.append(
            [condition, people, len(one_row_per_hand(own)), len(one_row_per_hand(own[own["place"].notna()]))]
        )
    columns = ["condition", "participants", "hands", "hands_that_count"]
    return Section(
        "Session and settings",
        " ".join(
            [
                "A hand counts if it is over and no practice. A condition is a treatment; where there is "
                "none, it is made of the settings and deals that differ between participants.",
                *data.caveats,
            ]
        ),
        [
            Table("conditions", "Conditions", pd.DataFrame(found, columns=columns)),
            Table("settings", "Settings in force, and how many hands had them", data.settings),
        ],
    )


def build_quality_section(data: ReportData) -> Section:
    """What an analyst should know before trusting the rest."""
    if not len(data.quality):
        return Section("Data quality", "Logs alone do not tell it; a table of actions does.")
    few = len(data.quality) <= MAX_ACROSS
    table = Table("quality", "Counts", data.quality, meanings=of_quality.COLUMNS, across=few)
    return Section("Data quality", "", [table])


def build_curves_section(data: ReportData, curves: Curves) -> Section:
    """How the measures go from hand to hand."""
    plots = [found[1] for column, label in curves.items() if (found := plot_curve(data, column, label))]
    return Section("From hand to hand", "All hands that count, as far as they tell the measure.", [], plots)


def build_empty_section() -> Section:
    return Section("From hand to hand", "No hand counts yet: none is over but practice hands.")


def build_comparison_section(data: ReportData) -> Section:
    """Each pair of conditions in each measure of a participant."""
    table = compare.build_table(data)
    tests = table["p"].notna().groupby(table["family"], sort=False).sum()
    counts = ", ".join(f"{name} {count}" for name, count in tests.items() if count)
    text = (
        "Each participant's measures, condition against condition, in families of measures. The difference "
        "is the mean of the first less that of the second, with its 95 % interval (cluster bootstrap, "
        f"{inference.DRAWS:,} draws, fixed seed; Newcombe’s for shares and Student’s of few clusters; "
        "the column method says which). Effect sizes are Hedges’ g and the rank-biserial correlation. p is "
        "that of a permutation of clusters with Welch’s t "
        f"({inference.DRAWS:,} permutations, or all); it is not adjusted. p holm is adjusted for the number "
        f"of tests in the family ({counts or 'none'}), not for the number of families. Where there is no "
        "effect one p in twenty is 0.05 or less, so read p holm unless you named the measure beforehand. The "
        "family design counts hands: the design and the deals decide on them, so they are not tested. A "
        "cluster is a participant, or all who met each other."
    )
    return Section(
        "Conditions compared",
        text,
        [Table("comparisons", "Measures of participants by condition", table, meanings=compare.COLUMNS)],
    )


def build_response_time_section(data: ReportData, times: pd.DataFrame, first: str, later: str) -> Section:
    """How long participants took. ``times`` has ``ms``, whether it was the ``first`` of its hand,
    ``hand_place`` and whose it was, as ``Data.counted_parts``; the rest says what both kinds are."""
    frames = {
        title: figures.compute_means(own, "hand_place", "ms", log=True)
        for title, own in ((first, times[times["first"]]), (later, times[~times["first"]]))
    }
    frames = {title: frame for title, frame in frames.items() if len(frame)}
    section, title = "How long it took", "Response times"
    if not frames:
        return Section(section, "No response time is told.")
    numbers = pd.concat([frame.assign(kind=kind) for kind, frame in frames.items()], ignore_index=True)
    labels = "Hand", "Milliseconds"
    drawing = figures.draw_curves(frames, "hand_place", labels, log=True, boundary=learning_boundary(data))
    what = "Geometric means in milliseconds on a logarithmic axis."
    if learning_boundary(data):
        what += f" {BOUNDARY_NOTE}"
    plot = Figure("response_times", title, describe_means(numbers, what, "times"), drawing, numbers)
    return Section(section, "", [], [plot])


# How a hand that can be solved may end. Endings that come from outside are not among them: ``advanced`` by
# the researcher, and ``stopped`` because a co-player was gone. A log may not tell how a hand ended.
ENDINGS = {
    "solved": "Solved",
    "gave_up": "Given up",
    "failed": "Moves used up",
    "timeout": "Time limit",
    "": "Not solved (a log does not say why)",
}


def build_solution_section(data: ReportData) -> Section:
    """Within how many moves hands were solved, and within how many they ended otherwise.

    An ending that excludes the solution competes with it: giving up, and the limits of moves and of time,
    which belong to the game as it was played. A hand that the researcher ended is censored, and one that
    ended because a co-player was gone: that came from outside.
    """
    section, title = "Solving hands", "Moves to the solution"
    hands = data.counted[[*PARTICIPANT_KEY, "condition", "group", "hand_id", "place", "outcome", "moves"]]
    hands = hands.assign(moves=pd.to_numeric(hands["moves"], errors="coerce")).dropna(subset=["moves"])
    whose = hands
    hands = one_row_per_hand(hands.assign(ending=hands["outcome"].map(ENDINGS).fillna("")), "condition")
    learning = data.learning_hands
    phases = {"": hands}
    if learning:
        phases = {
            "Learning phase": hands[hands["place"] <= learning],
            "After it": hands[hands["place"] > learning],
        }
    counts = hands["ending"].value_counts()
    endings = [name for name in ENDINGS.values() if name == ENDINGS["solved"] or name in counts]
    found = [
        incidence_by_condition(own, "moves", endings).assign(phase=phase)
        for phase, own in phases.items()
        if len(own)
    ]
    if not found:
        return Section(section, "No hand tells its moves.")
    numbers = pd.concat(found, ignore_index=True)
    frames = {
        f"{ending}: {phase.lower()}" if phase else ending: own
        for ending in endings
        for phase in phases
        if len(own := numbers[(numbers["ending"] == ending) & (numbers["phase"] == phase)])
    }
    last = numbers["time"].max()  # hands that have ended stay ended
    drawing = figures.draw_steps(frames, ("Moves", "Share of hands"), y="incidence", until=last)
    told = ", ".join(f"{counts.get(name, 0):,} {name[0].lower()}{name[1:]}" for name in endings)
    text = (
        "The share of hands that had ended in each way after so many moves: the cumulative incidence, by the "
        "estimator of Aalen and Johansen. The ways exclude each other, so a hand that was given up or that a "
        "limit ended counts as not solved from then on. "
    )
    if counts.get("", 0):
        text += (
            f"{counts['']:,} hands that the researcher ended, or that ended because a co-player was gone, "
            "are censored at their last move (a tick). "
        )
    people = _count_participants(whose)
    text += f"{describe_curve_bounds(whose)} n = {len(hands):,} hands ({told}) of {people:,} participants."
    return Section(section, "", [], [Figure("moves_to_solution", title, text, drawing, numbers)])


def incidence_by_condition(frame: pd.DataFrame, time: str, endings: Sequence[str]) -> pd.DataFrame:
    """Curves of cumulative incidence of ``endings``, one condition after the other; the column ``ending`` is
    empty where a row is censored (:func:`cardlab.analysis.inference.estimate_incidence`)."""
    found = []
    for condition, own in frame.groupby("condition"):
        of_one = inference.estimate_incidence(own[time], own["ending"], own["group"], endings)
        for ending, curve in of_one.items():
            found.append(pd.DataFrame({"condition": condition, "ending": ending, **curve._asdict()}))
    return pd.concat(found, ignore_index=True)


def survival_by_condition(frame: pd.DataFrame, time: str, happened: str) -> pd.DataFrame:
    """Survival curves, a condition after the other (:func:`cardlab.analysis.inference.estimate_survival`)."""
    found = []
    for condition, own in frame.groupby("condition"):
        of_one = inference.estimate_survival(own[time], own[happened], own["group"])
        found.append(pd.DataFrame({"condition": condition, **of_one._asdict()}))
    return pd.concat(found, ignore_index=True)


def describe_curve_bounds(frame: pd.DataFrame) -> str:
    """How the bounds of curves over time were made."""
    drawn = GROUPS if frame["group"].nunique() < _count_participants(frame) else PARTICIPANTS
    return (
        f"Bands are 95 % intervals by the cluster bootstrap over {drawn['many']} ({inference.DRAWS:,} draws, "
        f"fixed seed); Wilson’s with each {drawn['one']} as one observation where all agree, and below "
        f"{inference.MIN_CLUSTERS}."
    )


def _count_participants(frame: pd.DataFrame) -> int:
    return len(frame[PARTICIPANT_KEY].drop_duplicates())


def build_learning_curve_section(data: ReportData, column: str, label: str) -> Section:
    """The learning curve of each participant: a power function and an exponential one, by their AIC."""
    section, title = "Practice", "Learning curves"
    people = data.participants
    hands = add_panel_names(data, data.counted)
    hands = hands.assign(value=pd.to_numeric(hands[column], errors="coerce"))
    told = hands.dropna(subset=["value"])
    places, values = told["place"].to_numpy(float), told["value"].to_numpy(float)
    rows, lines, whose = (
        [],
        {form: np.full(len(told), np.nan) for form in FIT_STYLES},
        told.groupby("panel").indices,
    )
    for person in people.itertuples():
        own = whose.get(person.name, [])
        curves = learning_curves.fit_curves(places[own], values[own])
        who = [*(getattr(person, name) for name in PARTICIPANT_KEY), person.name, person.condition, len(own)]
        better = learning_curves.best_curve(curves).form if curves else ""
        rows += [[*who, *one, int(one.form == better)] for one in curves]
        for one in curves:
            if one.form in FIT_STYLES:
                lines[one.form][own] = one.at(places[own])
    columns = [*PARTICIPANT_KEY, "name", "condition", "hands", *learning_curves.Curve._fields, "best"]
    table = pd.DataFrame(rows, columns=columns)
    if table.empty:
        few = f"Nobody has {learning_curves.MIN_HANDS} hands that tell it, and differ."
        return Section(section, few)
    frame, names = told.assign(**lines), set(table["name"])
    fitted = [person for person in people["name"] if person in names]
    won = table[table["best"] == 1]["form"].value_counts()
    counts = ", ".join(
        f"{won.get(form, 0)} by {called}"
        for form, called in (
            *(("power", "the power function"), ("exponential", "the exponential one")),
            ("constant", "a constant, which says that nothing was learnt"),
        )
    )
    text = (
        f"{label} over the number of the hand, by least squares for each participant apart: a power function "
        "a + b · n^−c, an exponential one a + b · exp(−c (n − 1)), and a constant. By Akaike’s criterion "
        f"the best account of {len(fitted)} participants with {learning_curves.MIN_HANDS} hands or more: "
        f"{counts}."
    )
    highest, phases = frame["value"].max(), f" {BOUNDARY_NOTE}" if learning_boundary(data) else ""
    plot = Figure(
        "learning_curves",
        title,
        f"Points are hands ({label.lower()}; every panel goes from 0 to {highest:.3g}), lines the two "
        f"functions. n = {len(fitted)} participants, {len(frame):,} hands.{phases}",
        figures.draw_panels(frame, "place", "value", fitted, learning_boundary(data), FIT_STYLES),
        frame[[*PARTICIPANT_KEY, "condition", "place", "value", *FIT_STYLES]],
    )
    return Section(section, text, [Table("learning_fits", "What was fitted", table, shown=12)], [plot])


def build_transition_section(data: ReportData, moves: pd.DataFrame, order: list[str], what: str) -> Section:
    """Which move follows which; ``moves`` has ``before`` and ``move`` of each, and the condition."""
    plots = []
    for suffix, which, own in split_by_condition(moves):
        counts = pd.crosstab(own["before"], own["move"])
        rows = [name for name in (START, *order) if name in counts.index]
        counts = counts.reindex(index=rows, columns=[name for name in order if name in counts])
        shares = counts.div(counts.sum(axis=1), axis=0)
        tidy = counts.stack().rename("moves").reset_index()
        tidy["share"] = shares.stack().to_numpy()
        text = (
            f"{what} A cell has the share of the moves after that of its row; a row adds up to 1. "
            f"n = {len(own):,} moves of {_count_participants(own):,} participants."
        )
        labels = "Move", "Move before"
        plots.append(
            Figure(
                f"transitions{suffix}",
                f"Which move follows which{which}",
                text,
                figures.draw_heat_map(shares.round(2), labels),
                tidy,
            )
        )
    return Section("From move to move", "" if plots else "No move was made.", [], plots)


def build_score_parts_section(
    data: ReportData, what: str, points_by_part: Callable[[pd.DataFrame], pd.DataFrame]
) -> Section:
    """What the score is made of, from hand to hand; ``points_by_part`` gives a column for each part of it."""
    plots = []
    for suffix, which, own in split_by_condition(data.counted):
        by_hand = points_by_part(own).assign(hand=own["place"]).groupby("hand").mean()
        parts = list(by_hand.columns)
        by_hand["score"] = by_hand.sum(axis=1)
        drawing = figures.draw_stacked_bars(by_hand, parts, "score", ("Hand", "Points"))
        text = f"{what} n = {_count_participants(own)} participants, {len(own):,} hands."
        title = f"What the score is made of{which}"
        plots.append(Figure(f"score_parts{suffix}", title, text, drawing, by_hand.reset_index()))
    return Section("Parts of the score", "", [], plots)


START = "start"  # what comes before the first move of a hand


def add_panel_names(data: ReportData, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with what their participant is called in plots, ``panel``."""
    people = data.participants
    names = dict(zip(zip(people["session_code"], people["participant_code"]), people["name"]))
    return frame.assign(panel=[names[key] for key in zip(frame["session_code"], frame["participant_code"])])


def format_span(first: int, last: int) -> str:
    """From one hand to another, as it stands above a part of the session."""
    return str(first) if first == last else f"{first}–{last}"


def split_by_condition(frame: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The rows of each condition, with what is added to names and titles, nothing where there is but one."""
    several = frame["condition"].nunique() > 1
    for number, (condition, own) in enumerate(frame.groupby("condition"), 1):
        yield (f"_{number}", f", {condition}", own) if several else ("", "", own)


def build_participants_section(data: ReportData, curves: Curves) -> Section:
    """A panel a participant, of the first of the curves."""
    column, label = next(iter(curves.items()))
    people = data.participants
    frame = add_panel_names(data, data.counted)
    frame = frame.assign(**{column: pd.to_numeric(frame[column], errors="coerce")})
    solving = (frame["outcome"] == "solved").any()
    frame = frame.assign(failed=(frame["outcome"] != "solved") & solving)
    lowest, highest = np.nanmin([0, frame[column].min()]), frame[column].max()
    text = f"{label}, hand by hand; every panel goes from {lowest:g} to {highest:g}."
    if frame["failed"].any():
        text += " A cross marks a hand that was not solved."
    if learning_boundary(data):
        text += f" {BOUNDARY_NOTE}"
    text += f" n = {len(people):,} participants, {len(frame):,} hands."
    meanings = {
        measure.__name__: " ".join((measure.__doc__ or "").split())
        for measure in data.game.performance.PARTICIPANT_MEASURES
    }
    drawing = figures.draw_panels(
        frame, "place", column, list(people["name"]), learning_boundary(data), failed="failed"
    )
    numbers = frame[[*PARTICIPANT_KEY, "condition", "place", column, "failed"]].astype({"failed": int})
    return Section(
        "Each participant",
        "",
        [Table("participants", "Measures", people, meanings=meanings)],
        [Figure("each_participant", f"{label} of each participant", text, drawing, numbers)],
    )


def build_tables_section(data: ReportData) -> Section:
    """The files that are too long to be shown."""
    return Section(
        "Tables",
        "Every column is explained in the data dictionary of Card Lab.",
        [
            Table("hands", "All hands", data.all_hands, shown=0),
            *(Table(name, name.capitalize(), frame, shown=0) for name, frame in data.parts.items()),
        ],
    )
