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

    ``order``: the order of the participant's payoffs;
    ``cooperated``: whether the column was C; NaN if both columns hold the other's best payoff;
    ``best_response``, ``equilibrium``: whether the choice was a best response, and part of an equilibrium;
    ``chance``: the probability that a random column is a best response;
    ``collected``: the points collected.
    """
    sides = []
    for own_seat, other_seat, left_cells, right_cells in (
        ("first", "second", ("LL", "LR"), ("RL", "RR")),
        ("second", "first", ("LL", "RL"), ("LR", "RR")),
    ):
        turns = data.counted_parts("turns", seat=f"{own_seat}_seat")
        turns = turns[(turns[f"{own_seat}_by"] == PERSON) & (turns[f"{own_seat}_free"] == 1)]
        left_value, right_value = (
            turns[[f"{other_seat}_{cell}" for cell in cells]].max(axis=1)
            for cells in (left_cells, right_cells)
        )
        cooperative = (
            pd.Series("", index=turns.index)
            .mask(left_value > right_value, "left")
            .mask(right_value > left_value, "right")
        )
        cooperated = (turns[f"{own_seat}_column"] == cooperative).astype(float).where(cooperative != "")
        other_column = (turns[f"{other_seat}_column"] == "right").astype(int)
        from_left, from_right = (
            turns[f"{own_seat}_{cells[0]}"].where(other_column == 0, turns[f"{own_seat}_{cells[1]}"])
            for cells in (left_cells, right_cells)
        )
        turn_columns = turns[[*PARTICIPANT_KEY, "group", "condition", "turn"]]
        sides.append(
            turn_columns.assign(
                order=turns[f"{own_seat}_order"],
                cooperated=cooperated,
                best_response=turns[f"{own_seat}_best"].astype(float),
                chance=(from_left == from_right).map({True: 1.0, False: 0.5}),
                equilibrium=turns["equilibrium"].astype(float),
                collected=turns[f"{own_seat}_collected"],
            )
        )
    return pd.concat(sides, ignore_index=True)


def describe_class(order: str) -> str:
    """Returns the class of a game for one player: the order of their payoffs and its name, or the ties."""
    names = order_names()
    if order in names:
        return f"{order} {names[order]}"
    ties: list[str] = []
    for place, letter in enumerate(order):
        if letter == "=":
            is_tied = place > 2 and order[place - 2] == "="
            ties = (
                [*ties[:-1], ties[-1] + order[place + 1]]
                if is_tied
                else [*ties, order[place - 1] + order[place + 1]]
            )
    return "ties " + ", ".join("=".join(sorted(tie)) for tie in sorted(ties))


def _by_game(choices: pd.DataFrame) -> Section:
    choices = choices.assign(
        game=choices["order"].map({order: describe_class(order) for order in choices["order"].unique()})
    )
    by_game = choices.groupby("game")
    table = pd.DataFrame(
        {
            "choices": by_game.size(),
            "participants": by_game.apply(count_participants, include_groups=False),
            "cooperated": by_game["cooperated"].mean(),
            "best_response": by_game["best_response"].mean(),
            "chance": by_game["chance"].mean(),
            "equilibrium": by_game["equilibrium"].mean(),
            "collected": by_game["collected"].mean(),
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
        caption = (
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
                describe_means(
                    numbers[["condition", *numbers.columns.drop("condition")]], caption, "choices"
                ),
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
        "are computed over participants, or over groups of those who met. In the comparison of "
        "conditions, p holm is adjusted for all classes of games.",
        tables,
        plots,
    )


def _compared(choices: pd.DataFrame) -> pd.DataFrame:
    """Compares the conditions by the means of participants, in all classes of games and in each."""
    rows = []
    for name, game_choices in (("all", choices), *choices.groupby("game")):
        for column in ("best_response", "cooperated"):
            means = (
                game_choices.groupby([*PARTICIPANT_KEY, "condition", "group"])[column]
                .mean()
                .dropna()
                .reset_index()
            )
            comparisons_found = comparisons.compare_conditions(
                means[column], means["condition"], means["group"], within=SHARE
            )
            rows += [
                {"game": name, "choice": column, **comparison._asdict()} for comparison in comparisons_found
            ]
    table = pd.DataFrame(rows, columns=["game", "choice", *comparisons.Comparison._fields])
    for _choice, choice_rows in table.groupby("choice"):
        table.loc[choice_rows.index, "p_holm"] = comparisons.holm(choice_rows["p"].tolist())
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
    rows = []
    for side in ("first", "second"):
        turns = data.counted_parts("turns", seat=f"{side}_seat")
        ms = pd.to_numeric(turns[f"{side}_response_ms"], errors="coerce")
        rows.append(
            turns[[*PARTICIPANT_KEY, "group", "condition", "hand_place"]].assign(
                ms=ms, first=turns["turn"] == 1
            )
        )
    return pd.concat(rows).dropna(subset=["ms"])
