"""Triangle Solitaire: the parts of the score, what was still possible, the time for a card."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis.games.triangle.losses import Task, cells, possibles
from analysis.report import figures
from analysis.report.common import BAND, by_condition
from analysis.report.data import WHO, Data
from analysis.report.page import Figure, Section, Table
from games.triangle.oracle import NoSolver
from games.triangle.scoring import POINTS

CURVES = {"score": "Score", "mean_placement_ms": "Time a card, ms"}
LEAST = None

SAMPLE = 20  # hands that are searched, spread evenly over all; each takes half a second


def sections(data: Data) -> Iterator[Section]:
    """The sections that only this game has."""
    yield _parts(data)
    yield _hindsight(data)
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


def _hindsight(data: Data) -> Section:
    title = "What was still possible"
    if not data.search_seconds:
        return Section(title, "No search was made; python -m analysis hindsight makes one from an export.")
    hands = data.counted
    sample = hands.iloc[:: max(1, -(-len(hands) // SAMPLE))]
    placements = data.parts["placements"].sort_values("card_number")
    actions = placements.groupby("hand_id")["action"].agg(tuple)
    rows = []
    try:
        for hand in sample.to_dict("records"):
            own = actions.get(hand["hand_id"], ())
            found = possibles(Task(hand["deal"], own, data.search_seconds))
            who = {name: hand[name] for name in (*WHO, "participant_label", "condition", "hand_id")}
            for number in range(1, len(own) + 1):
                place = {"hand": hand["place"], "card_number": number}
                rows.append({**who, **place, **cells(found, number)})
    except NoSolver as error:
        return Section(title, f"{error}")
    table = pd.DataFrame(rows)
    frame = figures.means(table, "card_number", "possible_after")
    text = (
        "After each card, the best score that could still be reached by somebody who knew the whole deck; "
        f"where it falls, something was lost. Searched were {len(sample)} of {len(hands)} hands."
    )
    if not table["proved"].all():
        text += " Where a search ended before it had proved its score, it may be more."
    drawing = figures.curves(frame, "card_number", ("Card", "Best score still possible"), None)
    return Section(
        title,
        text,
        [
            Table("hindsight", "What each placement lost", table, shown=0),
            Table("possible_by_card", "Best score still possible", frame, shown=0),
        ],
        [Figure("possible_by_card", "Best score still possible, card by card", BAND, drawing)],
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
