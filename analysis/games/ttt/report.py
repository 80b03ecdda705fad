"""Target the Two Solo: optimal play, routes, sequences, classes of participants."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis.report import figures
from analysis.report.common import BAND, SHARE_TOP, by_condition
from analysis.report.data import WHO, Data
from analysis.report.page import Figure, Section, Table
from games.ttt.routes import ROUTES

CURVES = {"moves": "Moves", "client_seconds": "Seconds", "seconds_per_move": "Seconds a move"}
LEAST = "least_moves"  # the least possible of the first of them

SEQUENCES_SHOWN = 20
BLOCKS = 8  # of the session, in the heat map


def sections(data: Data) -> Iterator[Section]:
    """The sections that only this game has."""
    yield _optimal(data)
    if data.counted["shorter_route"].isin(list(ROUTES)).any():
        yield _routes(data)
    yield _sequences(data)
    yield _classes(data)


def _optimal(data: Data) -> Section:
    frame = figures.means(data.counted, "place", "optimal")
    drawing = figures.curves(frame, "place", ("Hand", "Share of optimal hands"), 0, SHARE_TOP)
    caption = f"Hands solved in the least moves possible with all cards known. {BAND}"
    plots = [Figure("optimal_by_hand", "Optimal play", caption, drawing)]
    tables = [Table("optimal_by_hand", "Share of optimal hands", frame, shown=0)]
    lost = figures.means(data.counted, "place", "moves_lost")
    if len(lost):
        drawing = figures.curves(lost, "place", ("Hand", "Moves lost"))
        caption = (
            "By how many moves the choices fell short, in expectation, of best play by somebody who sees "
            f"what ViewCard lets see and forgets nothing; 0 is best play. {BAND}"
        )
        plots.append(Figure("moves_lost_by_hand", "Moves lost under the information given", caption, drawing))
        tables.append(Table("moves_lost_by_hand", "Moves lost", lost, shown=0))
    return Section("Best play", "", tables, plots)


def _routes(data: Data) -> Section:
    both = data.counted[data.counted["shorter_route"].isin(list(ROUTES))].copy()
    both["taken"] = both["route"].where(both["route"].isin(list(ROUTES)), "another")
    both.loc[both["outcome"] != "solved", "taken"] = "unsolved"
    tables, plots = [], []
    for suffix, which, own in by_condition(both):
        counts = pd.crosstab(own["place"], own["taken"])
        counts = counts.reindex(columns=[*ROUTES, "another", "unsolved"], fill_value=0)
        drawing = figures.shares(counts.div(counts.sum(axis=1), axis=0), "Hand")
        caption = "Hands in which the routes 422 and 442 compete: which was taken."
        plots.append(Figure(f"routes{suffix}", f"Routes{which}", caption, drawing))
        counts = counts.reset_index().rename(columns={"place": "hand"})
        tables.append(Table(f"routes{suffix}", f"Routes{which}", counts, shown=0))
    return Section("Routes over time", "", tables, plots)


def _sequences(data: Data) -> Section:
    solved = data.counted[data.counted["outcome"] == "solved"]
    grouped = solved.groupby("sequence")
    table = pd.DataFrame(
        {
            "hands": grouped.size(),
            "participants": grouped.apply(lambda own: len(own[WHO].drop_duplicates()), include_groups=False),
            "moves": grouped["moves"].first(),
            "optimal_share": grouped["optimal"].mean(),
        }
    ).reset_index() if len(solved) else pd.DataFrame(columns=["sequence", "hands"])  # fmt: skip
    table = table.sort_values(["hands", "sequence"], ascending=[False, True], ignore_index=True)
    plots = []
    if len(table):
        size = max(1, -(-int(solved["place"].max()) // BLOCKS))
        block = (solved["place"] - 1) // size
        last = int(solved["place"].max())
        shown = table["sequence"].head(SEQUENCES_SHOWN)
        counts = pd.crosstab(solved["sequence"], block).reindex(shown, fill_value=0)
        counts.columns = [
            _span(int(number) * size + 1, min(last, (int(number) + 1) * size)) for number in counts
        ]
        plots.append(
            Figure(
                "sequences",
                "Whole sequences of moves over the session",
                f"The {len(shown)} most frequent sequences of solved hands, and how many hands they solved "
                "in each part of the session.",
                figures.heat_map(counts, ("Hands", "Sequence")),
            )
        )
    return Section(
        "Sequences",
        "",
        [Table("sequences", "Sequences that solved hands, the most frequent first", table, SEQUENCES_SHOWN)],
        plots,
    )


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _classes(data: Data) -> Section:
    limits, people = data.thresholds, data.participants
    classes = pd.crosstab(people["condition"], people["participant_class"].fillna("not told")).reset_index()
    learning = f"{limits.learning_hands} hands" if limits.learning_hands else "as many as the design says"
    text = (
        f"An expert plays at least {limits.expert_from:.0%} of the learning hands ({learning}) without "
        f"a move lost; routinized is who plays the familiar route, at a cost, in at least "
        f"{limits.routinized_from:.0%} of the later hands in which keeping to it costs something under the "
        f"information given, creative who takes the other route in at least {limits.creative_from:.0%} of "
        "them. “Not told” stands where there are fewer than four hands of a kind, or no design says which "
        "hands are to learn."
    )
    plots = []
    if people["routinization"].notna().any():
        plots.append(
            Figure(
                "classes",
                "Skill and habit",
                "A number says how many participants share a point. Dashed: the thresholds of the classes.",
                figures.scatter(
                    people,
                    "learning_best_play_share",
                    "routinization",
                    ("Share of learning hands without a move lost", "Routinization"),
                    (limits.expert_from, limits.routinized_from),
                ),
            )
        )
    return Section("Experts and routines", text, [Table("classes", "Classes", classes)], plots)
