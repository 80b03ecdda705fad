"""Builds the report of pairs in Target the Two: routes, durations of turns, costs of changing partners."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from cardlab.analysis.games.ttt import pairs
from cardlab.analysis.games.ttt.pairs import Pair
from cardlab.analysis.inference import intervals
from cardlab.analysis.report import captions, charts, hand_curves
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData
from cardlab.analysis.report.page import Figure, Section, Table
from cardlab.games.statistics import Row
from cardlab.games.ttt import joint
from cardlab.games.ttt.board import KEEPERS

SPANS = 8  # parts of the session in the heat map
NEAR = 2 * joint.LAST  # hands shown before and after the start of a block
_KEEPER_NAMES = {"ck": "Ck", "nk": "Nk"}
# Columns that are compared around the start of a block, with their labels.
_RECOVERS = {"moves_lost": "Moves lost by both", "seconds_per_move": "Seconds per move"}


def sections(data: ReportData) -> Iterator[Section]:
    """Yields the sections about hands of two players."""
    all_pairs = pairs.find_pairs(data)
    rows = pairs.build_rows(all_pairs, data.thresholds)
    yield _pairs(all_pairs, rows)
    yield _turns(data)
    if any(row.get("partners") for row in rows):
        yield _recovery(all_pairs, rows)


def _pairs(all_pairs: list[Pair], rows: list[Row]) -> Section:
    table = pd.DataFrame(rows, columns=list(pairs.columns()))
    text = (
        "One row per pair and block, and one row over all blocks for a pair that stayed "
        "together. A hand counts once. Its moves lost are the sum of both players’, each judged "
        "by what that player could see. Two players who act on their own knowledge can expect no "
        "fewer moves than expected_union, and need no more than expected_common: the moves of "
        "one player who sees what either sees, or only what both see together."
    )
    pair_table = Table("pairs", "Measures of pairs", table, meanings=pairs.columns())
    plot = _routes(all_pairs)
    return Section("Pairs", text, [pair_table], [plot] if plot else [])


def _routes(all_pairs: list[Pair]) -> Figure | None:
    """Draws the share of hands solved by route 422 over the session, pair by pair."""
    several = len({pair.session for pair in all_pairs}) > 1
    rows = [
        (_name(pair, several), hand["number"], float(hand["outcome"] == "solved" and hand["route"] == "422"))
        for pair in all_pairs
        for hand in pair.hands
        if hand["shorter_route"]
    ]
    if not rows:
        return None
    frame = pd.DataFrame(rows, columns=["pair", "number", "by_422"])
    last_number = int(frame["number"].max())
    size = max(1, -(-last_number // SPANS))
    span = (frame["number"] - 1) // size
    counts = frame.groupby(["pair", span], sort=False)["by_422"].agg(["mean", "size"])
    shares = counts["mean"].unstack().reindex(dict.fromkeys(frame["pair"])).sort_index(axis=1)
    shares.columns = [
        captions.format_span(int(block) * size + 1, min(last_number, (int(block) + 1) * size))
        for block in shares
    ]
    numbers = counts.reset_index(names=["pair", "span"]).rename(
        columns={"mean": "share_422", "size": "hands"}
    )
    numbers["span"] = [
        captions.format_span(int(block) * size + 1, min(last_number, (int(block) + 1) * size))
        for block in numbers["span"]
    ]
    text = (
        "The share of hands in which both routes compete that the pair solved by route 422, in "
        "each part of the session. A gap means that there was no such hand, or that none was "
        f"solved by route 422 (the CSV tells them apart). n = "
        f"{captions.format_count(frame['pair'].nunique(), 'pair')}, "
        f"{captions.format_count(len(frame), 'hand')}."
    )
    drawing = charts.draw_heat_map(shares.fillna(0), ("Hands", "Pair"))
    return Figure("routes_of_pairs", "Route 422, pair by pair", text, drawing, numbers)


def _name(pair: Pair, several: bool) -> str:
    """Returns the name of a pair in a plot: the session if there are several, the number and the members."""
    first_hand, session = pair.hands[0], f"{pair.session} " if several else ""
    names = (first_hand["labels"][keeper] or first_hand["members"][keeper] for keeper in KEEPERS)
    return f"{session}{pair.number}: {', '.join(names)}"


def _turns(data: ReportData) -> Section:
    """Builds the section about the durations of turns by keeper."""
    title, hands = "Duration of turns", data.counted
    hands = hands[hands["seat"].isin(KEEPERS)]
    hands = hands.assign(
        seat=hands["seat"].map(_KEEPER_NAMES),
        seconds=pd.to_numeric(hands["seconds_per_turn"], errors="coerce"),
    )
    caption = (
        "Duration of a participant’s own turns in seconds, from the start of the turn to the "
        "move, by the server’s clock. Passes made by the server are left out."
    )
    if boundary := hand_curves.learning_boundary(data):
        caption += f" {captions.BOUNDARY_NOTE}"
    plot = hand_curves.plot_means(
        *(hands, "place", "seconds", ("Hand", "Seconds per turn")),
        *("turns_by_seat", "Seconds per turn, by keeper", caption),
        by="seat",
        boundary=boundary,
    )
    if plot.numbers.empty:
        return Section(title, "The data have no times of participants’ turns.")
    return Section(title, "", [], [plot])


def _recovery(all_pairs: list[Pair], rows: list[Row]) -> Section:
    """Builds the section that compares the first hands of a block with the members' last hands before it."""
    text = (
        f"The cost of a change is the mean over the first {joint.LAST} hands of a block minus "
        f"the mean over the last {joint.LAST} hands that each of its members played before. "
        "Moves lost are judged by what each player could see, so a harder deal alone costs "
        "nothing. A deal with a tempting route costs players who are used to that route, "
        "whoever the partner is. Compare new pairs with pairs that stayed together or were trained "
        "alike to see the cost of a new partner. Two players were trained differently if their "
        "earlier hands came from different show files. People who met, directly or through "
        "others, are one observation (a group) for intervals; if all have met, there is no "
        "interval."
    )
    pairs_with_change = [row for row in rows if row.get("partners")]
    costs = pd.DataFrame([{**row, "partners": _kind(row)} for row in pairs_with_change])
    rows_by_kind = []
    for kind, kind_costs in costs.groupby("partners"):
        for name in pairs.RECOVERY:
            values = pd.to_numeric(kind_costs[name], errors="coerce")
            cost = intervals.estimate_interval(values, kind_costs["cluster"])
            rows_by_kind.append({"partners": kind, "cost": name, **cost._asdict()})
    table = pd.DataFrame(rows_by_kind).rename(columns={"n": "pairs", "clusters": "groups"})
    frame = _around(
        all_pairs, {(row["session_code"], row["pair"], row["block"]): _kind(row) for row in pairs_with_change}
    )
    plots = [plot for column, label in _RECOVERS.items() if (plot := _curve(frame, column, label))]
    title = "Mean over the first hands of a block minus the last hands before"
    return Section("Change between blocks", text, [Table("recovery", title, table)], plots)


def _kind(row: Row) -> str:
    """Describes whether the partner is new, and how both were trained."""
    if row["partners"] != "new":
        return {"kept": "partner kept", "again": "same partner"}[row["partners"]]
    ck, nk = row["ck_trained_with"], row["nk_trained_with"]
    if not ck or not nk:  # unknown in logs, and a robot was not trained
        return "new partner"
    return f"new partner, trained {'alike' if ck == nk else 'differently'}"


def _around(all_pairs: list[Pair], kinds: dict[tuple[str, int, Any], str]) -> pd.DataFrame:
    """Returns the hands around each start of a block, by person. ``since`` is 1 for its first hand."""
    by_person, rows = pairs.hands_by_person(all_pairs), list[dict[str, Any]]()
    for pair in all_pairs:
        for block, hands in pair.blocks().items():
            kind = kinds.get((pair.session, pair.number, block))
            for member in pair.people if kind else ():
                member_hands = by_person[pair.session, member]
                hands_before = [hand for hand in member_hands if int(hand["hand"]) < int(hands[0]["hand"])][
                    -NEAR:
                ]
                identity = dict(zip(PARTICIPANT_KEY, (pair.session, member))) | {
                    "group": pair.cluster,
                    "partners": kind,
                }
                near = [*enumerate(hands_before, 1 - len(hands_before)), *enumerate(hands[:NEAR], 1)]
                for offset, hand in near:
                    rows.append({**identity, "since": offset, **{name: hand[name] for name in _RECOVERS}})
    frame = pd.DataFrame(rows)
    return frame.assign(**{name: pd.to_numeric(frame[name], errors="coerce") for name in _RECOVERS})


def _curve(frame: pd.DataFrame, column: str, label: str) -> Figure | None:
    caption = (
        f"{label}; 1 is the first hand of a block, 0 the last hand that each of the two played "
        "before it, with any partner. Dotted: the start of the block. A hand counts for both "
        "players."
    )
    plot = hand_curves.plot_means(
        *(frame, "since", column, ("Hand since the start of the block", label)),
        *(f"recovery_{column}", f"{label} around the start of a block", caption),
        by="partners",
        boundary=0.5,
    )
    return plot if np.isfinite(plot.numbers["mean"].astype(float)).any() else None
