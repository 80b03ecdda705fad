"""The matrix card game: choices against classes of 2×2 games, and best responses."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from scipy import stats

from analysis.report import figures
from analysis.report.common import BAND, SHARE_TOP
from analysis.report.data import Data
from analysis.report.page import Figure, Section, Table
from games.matrix.measures import PERSON
from games.matrix.two_by_two import order_names

CURVES = {
    "score": "Points",
    "best_response_share": "Share of best responses",
    "mean_response_ms": "Response, ms",
}
LEAST = None


def sections(data: Data) -> Iterator[Section]:
    """The sections that only this game has."""
    choices = free_choices(data)
    if len(choices):
        yield _by_game(choices)
        yield _by_turn(choices)


def free_choices(data: Data) -> pd.DataFrame:
    """One row for each choice that a person made with cards of both columns in hand, in hands that count.

    It has the participant and the condition, the order of the own payoffs, whether the column was C (empty
    where both columns hold the other's best payoff), whether it was a best response and part of an
    equilibrium, and what was collected.
    """
    sides = []
    for own, other, left_cells, right_cells in (
        ("first", "second", ("LL", "LR"), ("RL", "RR")),
        ("second", "first", ("LL", "RL"), ("LR", "RR")),
    ):
        turns = data.counted_parts("turns", seat=f"{own}_seat")
        turns = turns[(turns[f"{own}_by"] == PERSON) & (turns[f"{own}_free"] == 1)]
        left, right = (
            turns[[f"{other}_{cell}" for cell in cells]].max(axis=1) for cells in (left_cells, right_cells)
        )
        cooperative = pd.Series("", index=turns.index).mask(left > right, "left").mask(right > left, "right")
        cooperated = (turns[f"{own}_column"] == cooperative).astype(float).where(cooperative != "")
        kept = turns[["session_code", "participant_code", "condition", "turn"]]
        sides.append(
            kept.assign(
                order=turns[f"{own}_order"],
                cooperated=cooperated,
                best_response=turns[f"{own}_best"].astype(float),
                equilibrium=turns["equilibrium"].astype(float),
                collected=turns[f"{own}_collected"],
            )
        )
    return pd.concat(sides, ignore_index=True)


def _by_game(choices: pd.DataFrame) -> Section:
    names = order_names()
    label = choices["order"].map(lambda order: f"{order} {names[order]}" if order in names else "with ties")
    grouped = choices.groupby(label.rename("game"))
    table = pd.DataFrame(
        {
            "choices": grouped.size(),
            "cooperated": grouped["cooperated"].mean(),
            "best_response": grouped["best_response"].mean(),
            "equilibrium": grouped["equilibrium"].mean(),
            "collected": grouped["collected"].mean(),
        }
    ).sort_values("choices", ascending=False)
    plots = []
    for column, title in (("best_response", "Best responses"), ("cooperated", "Choices of C")):
        frame = _intervals(grouped[column].agg(["sum", "count"]).loc[table.index])
        frame.index = [f"{name} ({number:.0f})" for name, number in zip(frame.index, frame["count"])]
        plots.append(
            Figure(
                f"{column}_by_game",
                f"{title} by class of game",
                "The share among free choices, all conditions together, with Wilson's 95 % interval; in "
                "brackets how many. A class is the order of the player's own four payoffs.",
                figures.bars(frame, "share", "low", "high", "Share"),
            )
        )
    return Section(
        "Choices against classes of games",
        "A choice is free if the hand held cards of both columns. C is the column that holds the other's "
        "best payoff. The choices of one participant depend on each other: take the intervals as a guide.",
        [Table("choices_by_game", "Choices by class of game", table.reset_index())],
        plots,
    )


def _intervals(counts: pd.DataFrame) -> pd.DataFrame:
    counts = counts[counts["count"] > 0]
    found = [
        stats.binomtest(int(hits), int(number)).proportion_ci(method="wilson")
        for hits, number in zip(counts["sum"], counts["count"])
    ]
    return counts.assign(
        share=counts["sum"] / counts["count"],
        low=[interval.low for interval in found],
        high=[interval.high for interval in found],
    )


def _by_turn(choices: pd.DataFrame) -> Section:
    frame = figures.means(choices, "turn", "best_response")
    drawing = figures.curves(frame, "turn", ("Turn of the hand", "Share of best responses"), 0, SHARE_TOP)
    return Section(
        "Within a hand",
        "",
        [Table("best_responses_by_turn", "Best responses by turn", frame, shown=0)],
        [Figure("best_responses_by_turn", "Best responses by turn", f"Free choices. {BAND}", drawing)],
    )
