"""Builds the report of Solitario: hands solved, parts of the score, cards home over time, lost hands."""

from collections.abc import Iterator
from math import inf

import numpy as np
import pandas as pd

from cardlab.analysis.report import (
    charts,
    endings,
    hand_curves,
    participant_panels,
    shared_sections,
)
from cardlab.analysis.report.captions import format_count
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData, add_panel_names
from cardlab.analysis.report.page import Figure, Section, Table
from cardlab.analysis.report.shared_sections import START
from cardlab.games.solitario.performance import NODES
from cardlab.games.solitario.scoring import POINTS

CURVES = {
    **{"score": "Score", "cards_home": "Cards home", "client_seconds": "Seconds", "moves": "Moves"},
    **{"home_left": "Possible cards home left", "led_nowhere": "Moves that led nowhere"},
}

PART_NAMES = {
    **{"from_stock": "stock to column", "turned_up": "turned up", "sent_home": "home"},
    **{"brought_back": "brought back", "turn_overs": "turn-overs", "time_points": "time", "bonus": "bonus"},
}
STEPS = 40  # time steps of the curve of home cards
BIN = 10  # moves
KINDS = ("draw", "turn", "up", "move", "home", "finish", "back", "shift", "undo", "give_up")

# The results of a hand, as far as the search can decide.
FATES = ("solved", "lost", "not lost", "not solvable", "undecided")


def sections(data: ReportData) -> Iterator[Section]:
    """Yields the sections that only this game has."""
    yield _solved(data)
    yield endings.build_solution_section(data)
    yield shared_sections.build_response_time_section(
        data, _times(data), "First action of a hand", "Later actions"
    )
    yield shared_sections.build_learning_curve_section(data, "client_seconds", "Seconds")
    yield _transitions(data)
    yield _parts(data)
    yield _over_time(data)
    yield _lost(data)


def _solved(data: ReportData) -> Section:
    plot = hand_curves.plot_curve(data, "solved", "Share solved", share=True, title="Share of hands solved")
    return Section("Solved hands", "", [], [plot[1]] if plot else [])


def _times(data: ReportData) -> pd.DataFrame:
    """Returns the time of each action. ``first`` marks the first of each hand."""
    moves = data.counted_parts("moves")
    ms = pd.to_numeric(moves["decision_ms"], errors="coerce")
    return moves.assign(ms=ms, first=~moves["hand_id"].duplicated()).dropna(subset=["ms"])


def _transitions(data: ReportData) -> Section:
    moves = data.counted_parts("moves")
    moves = moves.assign(before=moves.groupby("hand_id")["kind"].shift().fillna(START), move=moves["kind"])
    return shared_sections.build_transition_section(moves, list(KINDS), "Actions by what they do.")


def _parts(data: ReportData) -> Section:
    points_text = ", ".join(f"{PART_NAMES[part]} {points:+d}" for part, points in POINTS.items())
    caption = f"Mean points over hands, by reason ({points_text}, a second −1); the line is the score."

    def points_by_part(hands: pd.DataFrame) -> pd.DataFrame:
        points = [hands[[*POINTS]] * pd.Series(POINTS), hands[["time_points", "bonus"]]]
        return pd.concat(points, axis=1).rename(columns=PART_NAMES)

    return shared_sections.build_score_parts_section(data, caption, points_by_part)


def _over_time(data: ReportData) -> Section:
    frame = _home_by_second(data)
    mean = hand_curves.plot_means(
        *(frame, "seconds", "cards_home", ("Seconds since the hand was first shown", "Cards home")),
        *("home_over_time", "Mean over participants", "A finished hand keeps its final number of cards."),
        "moments",
        within=(0, inf),
    )
    panel_rows = add_panel_names(data, frame)
    max_cards, max_seconds = panel_rows["cards_home"].max(), panel_rows["seconds"].max()
    caption = (
        f"Means over each participant’s hands; all panels extend to {max_seconds:g} seconds and "
        f"{max_cards:.3g} cards. n = {format_count(len(data.participants), 'participant')}."
    )
    panels = participant_panels.draw_panels(
        panel_rows, "seconds", "cards_home", list(data.participants["name"])
    )
    numbers = panel_rows.drop(columns=["group", "panel"])
    by_person = Figure("home_over_time_each", "Each participant", caption, panels, numbers)
    return Section("Cards home over time", "", [], [mean, by_person])


def _home_by_second(data: ReportData) -> pd.DataFrame:
    """Returns the mean number of home cards of each participant at ``STEPS`` + 1 moments.

    The last moment is the 95th percentile of the durations of hands, rounded up.
    """
    moves = data.counted_parts("moves")
    ms = pd.to_numeric(moves["decision_ms"], errors="coerce").fillna(0)
    moves = moves.assign(second=ms.groupby(moves["hand_id"]).cumsum() / 1000)
    by_hand = dict(iter(moves.groupby("hand_id")))
    last_second = max(1, np.ceil(data.counted["client_seconds"].quantile(0.95) / STEPS)) * STEPS
    seconds = np.linspace(0, last_second, STEPS + 1)
    rows = []
    for hand in data.counted.itertuples():
        hand_moves = by_hand.get(hand.hand_id)
        home = np.zeros(len(seconds))
        if hand_moves is not None:
            moves_done = np.searchsorted(hand_moves["second"].to_numpy(), seconds, side="right")
            home = np.concatenate([[0], hand_moves["cards_home_after"].to_numpy(dtype=float)])[moves_done]
        identity = {name: getattr(hand, name) for name in (*PARTICIPANT_KEY, "condition", "group")}
        rows.append(pd.DataFrame({**identity, "seconds": seconds, "cards_home": home}))
    frame = pd.concat(rows)
    return frame.groupby([*PARTICIPANT_KEY, "condition", "group", "seconds"], as_index=False)[
        "cards_home"
    ].mean()


def _lost(data: ReportData) -> Section:
    title = "Where hands were lost"
    if not data.searches:
        return Section(title, "This report has no search. Run python -m cardlab.analysis hands on an export.")
    hands = data.counted[
        [*PARTICIPANT_KEY, "participant_label", "condition", "place", "hand_id", "lost_at"]
    ].assign(
        fate=[_fate(*cells) for cells in data.counted[["solved", "solvable", "lost"]].itertuples(index=False)]
    )
    counts = pd.crosstab(hands["condition"], hands["fate"]).reindex(columns=[*FATES], fill_value=0)
    moves = data.parts["moves"][["hand_id", "move_number", "cards_home_after"]]
    lost_moves = hands.merge(moves, left_on=["hand_id", "lost_at"], right_on=["hand_id", "move_number"])
    lost_moves = lost_moves.drop(columns="move_number").rename(columns={"cards_home_after": "cards_home"})
    lost_count, undecided_count = int(counts["lost"].sum()), int(counts["undecided"].sum())
    text = (
        "A hand is lost with the last action before which it could still be solved with all "
        "cards known; undone actions do not count. The solver knows cards that a player cannot "
        f"see, so the action need not have been a mistake. Of {len(hands)} hands, {lost_count} were "
        f"lost. The search looks at {NODES:,} positions at most. This leaves undecided for "
        f"{undecided_count} hands whether they could be solved or were lost, and for "
        f"{lost_count - len(lost_moves)} with which action."
    )
    plots = []
    if len(lost_moves):
        at = (lost_moves["lost_at"].astype(int) - 1) // BIN * BIN + 1
        counts_at = _count_values(at, lost_moves["condition"], BIN)
        drawing = charts.draw_counts(counts_at, ("Action that lost the hand", "Hands"))
        size = f"n = {format_count(len(lost_moves), 'hand')}."
        caption = f"In steps of {BIN} actions: 1 stands for actions 1–{BIN}. {size}"
        plots.append(
            Figure("lost_at", "The action that lost the hand", caption, drawing, counts_at.reset_index())
        )
        home = _count_values(lost_moves["cards_home"].astype(int), lost_moves["condition"], 1)
        drawing = charts.draw_counts(home, ("Cards home when the hand was lost", "Hands"))
        plots.append(
            Figure("home_when_lost", "Cards home when hands were lost", size, drawing, home.reset_index())
        )
    return Section(
        title,
        text,
        [
            Table("fates", "Outcomes of hands", counts.reset_index()),
            Table("lost", "Hands that were lost", lost_moves.rename(columns={"place": "hand"}), shown=0),
        ],
        plots,
    )


def _fate(solved: float, solvable: float, lost: float) -> str:
    """Returns one of ``FATES``; unknown values are NaN."""
    if solved == 1:
        return "solved"
    if solvable == 0:
        return "not solvable"
    return "lost" if lost == 1 else "not lost" if lost == 0 else "undecided"


def _count_values(values: pd.Series, condition: pd.Series, step: int) -> pd.DataFrame:
    """Counts each value in each condition, including values that do not occur."""
    counts = pd.crosstab(values, condition)
    return counts.reindex(range(values.min(), values.max() + 1, step), fill_value=0)
