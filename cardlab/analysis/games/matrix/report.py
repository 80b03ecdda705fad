"""Builds the report of the matrix card game: choices by class of 2×2 game, and best responses."""

from collections.abc import Iterator

import pandas as pd

from cardlab.analysis.inference import comparisons
from cardlab.analysis.report import charts, curve_plots, hand_curves, shared_sections
from cardlab.analysis.report.captions import count_participants, describe_means
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData
from cardlab.analysis.report.hand_curves import SHARE
from cardlab.analysis.report.page import Figure, Section, Table
from cardlab.games.events import PERSON
from cardlab.games.matrix.two_by_two import order_names

CURVES = {
    "score": "Points",
    "best_response_share": "Share of best responses",
    "mean_response_ms": "Response, ms",
}


def sections(data: ReportData) -> Iterator[Section]:
    """Yields the sections that only this game has."""
    choices = free_choices(data)
    if len(choices):
        yield _by_game(choices)
        yield _by_turn(choices)
    yield shared_sections.build_response_time_section(
        data, _times(data), "First turn of a hand", "Later turns"
    )
    yield shared_sections.build_learning_curve_section(data, "mean_response_ms", "Response, ms")


def free_choices(data: ReportData) -> pd.DataFrame:
    """Returns one row for each choice that a person made with cards of both columns, in hands that count.

    The columns are the participant, group, condition and turn, and

    ``order``: the order of the own payoffs;
    ``cooperated``: whether the column was C; NaN if both columns hold the other's best payoff;
    ``best_response``, ``equilibrium``: whether the choice was a best response, and part of an equilibrium;
    ``chance``: the probability that a random column is a best response;
    ``collected``: the points collected.
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
        played = (turns[f"{other}_column"] == "right").astype(int)
        from_left, from_right = (
            turns[f"{own}_{cells[0]}"].where(played == 0, turns[f"{own}_{cells[1]}"])
            for cells in (left_cells, right_cells)
        )
        kept = turns[[*PARTICIPANT_KEY, "group", "condition", "turn"]]
        sides.append(
            kept.assign(
                order=turns[f"{own}_order"],
                cooperated=cooperated,
                best_response=turns[f"{own}_best"].astype(float),
                chance=(from_left == from_right).map({True: 1.0, False: 0.5}),
                equilibrium=turns["equilibrium"].astype(float),
                collected=turns[f"{own}_collected"],
            )
        )
    return pd.concat(sides, ignore_index=True)


def describe_class(order: str) -> str:
    """Returns the class of a game for one player: the order of the own payoffs and its name, or the ties."""
    names = order_names()
    if order in names:
        return f"{order} {names[order]}"
    ties: list[str] = []
    for place, letter in enumerate(order):
        if letter == "=":
            again = place > 2 and order[place - 2] == "="
            ties = (
                [*ties[:-1], ties[-1] + order[place + 1]]
                if again
                else [*ties, order[place - 1] + order[place + 1]]
            )
    return "ties " + ", ".join("=".join(sorted(tie)) for tie in sorted(ties))


def _by_game(choices: pd.DataFrame) -> Section:
    choices = choices.assign(
        game=choices["order"].map({one: describe_class(one) for one in choices["order"].unique()})
    )
    grouped = choices.groupby("game")
    table = pd.DataFrame(
        {
            "choices": grouped.size(),
            "participants": grouped.apply(count_participants, include_groups=False),
            "cooperated": grouped["cooperated"].mean(),
            "best_response": grouped["best_response"].mean(),
            "chance": grouped["chance"].mean(),
            "equilibrium": grouped["equilibrium"].mean(),
            "collected": grouped["collected"].mean(),
        }
    ).sort_values("choices", ascending=False)
    plots, several = [], choices["condition"].nunique() > 1
    for column, title, chance in (
        ("best_response", "Best responses", table["chance"]),
        ("cooperated", "Choices of C", pd.Series(0.5, index=table.index)),
    ):
        frame = curve_plots.compute_means(choices, "game", column, within=SHARE)
        if frame.empty:
            continue
        frame = frame.set_index("game").loc[[name for name in table.index if name in set(frame["game"])]]
        frame = frame.sort_index(key=lambda names: names.map(table.index.get_loc), kind="stable")
        frame["chance"] = chance.reindex(frame.index)
        what = (
            "The share among free choices, by class. A class is the order of the player’s own "
            "four payoffs, best first, or which of them are equal. The dashed mark is chance: a "
            "column drawn with equal odds (both are best responses if they pay the same)."
        )
        drawing = charts.draw_intervals(frame.reset_index(), "Share", names="game", chance=chance)
        numbers = frame.reset_index()
        plots.append(
            Figure(
                f"{column}_by_game",
                f"{title} by class of game",
                describe_means(numbers[["condition", *numbers.columns.drop("condition")]], what, "choices"),
                drawing,
                numbers,
            )
        )
    tables = [Table("choices_by_game", "Choices by class of game", table.reset_index())]
    if several:
        tables.append(Table("choices_compared", "Choices by condition", _compared(choices), shown=30))
    return Section(
        "Choices against classes of games",
        "A choice is free if the hand held cards of both columns. C is the column that holds the "
        "other player’s best payoff. A participant’s choices depend on each other, so intervals "
        "are computed over participants, or over groups of people who met. In the comparison of "
        "conditions, p holm is adjusted for all classes of games.",
        tables,
        plots,
    )


def _compared(choices: pd.DataFrame) -> pd.DataFrame:
    """Compares the conditions by the means of participants, in all classes of games and in each."""
    rows = []
    for name, own in (("all", choices), *choices.groupby("game")):
        for column in ("best_response", "cooperated"):
            each = own.groupby([*PARTICIPANT_KEY, "condition", "group"])[column].mean().dropna().reset_index()
            found = comparisons.compare_conditions(
                each[column], each["condition"], each["group"], within=SHARE
            )
            rows += [{"game": name, "choice": column, **one._asdict()} for one in found]
    table = pd.DataFrame(rows, columns=["game", "choice", *comparisons.Comparison._fields])
    for _choice, own in table.groupby("choice"):
        table.loc[own.index, "p_holm"] = comparisons.holm(own["p"].tolist())
    return table


def _by_turn(choices: pd.DataFrame) -> Section:
    chance = choices.groupby("turn", as_index=False)["chance"].mean().rename(columns={"chance": "mean"})
    plot = hand_curves.plot_means(
        *(choices, "turn", "best_response", ("Turn of the hand", "Share of best responses")),
        *("best_responses_by_turn", "Best responses by turn"),
        *("Free choices. Grey: a column drawn with equal odds.", "choices"),
        within=SHARE,
        baselines=chance.assign(baseline="random"),
    )
    return Section("Within a hand", "", [], [plot])


def _times(data: ReportData) -> pd.DataFrame:
    """Returns the participants' response times. ``first`` marks the first turn of a hand."""
    found = []
    for side in ("first", "second"):
        turns = data.counted_parts("turns", seat=f"{side}_seat")
        ms = pd.to_numeric(turns[f"{side}_response_ms"], errors="coerce")
        found.append(
            turns[[*PARTICIPANT_KEY, "group", "condition", "hand_place"]].assign(
                ms=ms, first=turns["turn"] == 1
            )
        )
    return pd.concat(found).dropna(subset=["ms"])
