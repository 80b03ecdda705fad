"""Triangle Solitaire: the parts of the score, the distance from the best, the time for a card."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pandas as pd

from analysis.games.triangle.best import Search
from analysis.report import figures
from analysis.report.common import BAND, by_condition
from analysis.report.data import WHO, Data
from analysis.report.page import Figure, Section, Table
from games.triangle.oracle import NoSolver
from games.triangle.scoring import POINTS

CURVES = {"score": "Score", "mean_placement_ms": "Time a card, ms"}
LEAST = None


def sections(data: Data) -> Iterator[Section]:
    """The sections that only this game has."""
    yield _parts(data)
    yield _distance(data)
    yield _times(data.counted_parts("placements"))


def _parts(data: Data) -> Section:
    worth = ", ".join(f"{part} {points:+d} each" for part, points in POINTS.items())
    caption = f"Mean points over participants, by what they were given for ({worth}); the line is the score."
    tables, plots = [], []
    for suffix, which, own in by_condition(data.counted):
        points = own[[*POINTS]] * pd.Series(POINTS)
        by_hand = points.assign(hand=own["place"]).groupby("hand").mean()
        by_hand["score"] = by_hand.sum(axis=1)
        drawing = figures.stacked(by_hand, list(POINTS), "score", ("Hand", "Points"))
        plots.append(Figure(f"score_parts{suffix}", f"What the score is made of{which}", caption, drawing))
        table = by_hand.reset_index()
        tables.append(Table(f"score_parts{suffix}", f"Points by hand{which}", table, shown=0))
    return Section("Parts of the score", "", tables, plots)


def _distance(data: Data) -> Section:
    title = "Distance from the best"
    if not data.search_seconds:
        return Section(title, "No search was made; python -m analysis best makes one from an export.")
    search = Search(data.search_seconds)
    options = data.counted["settings"].map(json.loads)
    try:
        found = [search(deal, own) for deal, own in zip(data.counted["deal"], options)]
    except NoSolver as error:
        return Section(title, f"{error}")
    table = data.counted[[*WHO, "participant_label", "condition", "place", "hand_id", "score"]].assign(
        best_score=[best.score for best in found],
        distance=[best.score - score for best, score in zip(found, data.counted["score"])],
        proved=[int(best.proved) for best in found],
    )
    frame = figures.means(table, "place", "distance")
    text = (
        "The best is the most that play by the rules could reach for somebody who knew the whole deck. "
        f"It is proved for {int(table['proved'].sum())} of {len(table)} hands"
    )
    text += "." if table["proved"].all() else "; for the others the search ended before, and it may be more."
    drawing = figures.curves(frame, "place", ("Hand", "Points below the best"))
    return Section(
        title,
        text,
        [Table("distance", "Distance of each hand", table.rename(columns={"place": "hand"}), shown=0)],
        [Figure("distance_by_hand", "Distance from the best by hand", f"0 is the best. {BAND}", drawing)],
    )


def _times(placements: pd.DataFrame) -> Section:
    timed = placements.assign(decision_ms=pd.to_numeric(placements["decision_ms"], errors="coerce"))
    frame = figures.means(timed, "fitted", "decision_ms")
    drawing = figures.curves(frame, "fitted", ("Places that the card fitted", "Time, ms"))
    return Section(
        "Time for a card",
        "",
        [Table("time_by_places", "Time by places that fitted", frame, shown=0)],
        [Figure("time_by_places", "Time for a card by the places it fitted", BAND, drawing)],
    )
