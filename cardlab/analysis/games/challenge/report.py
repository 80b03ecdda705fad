"""Builds the report of Challenge: results and length of games, losses of moves, planning depth."""

import json
from collections.abc import Iterator
from math import inf

import pandas as pd

from cardlab.analysis.games.challenge import move_search, planning_models
from cardlab.analysis.games.challenge.move_search import SEARCH_SETTINGS, Task, Worth
from cardlab.analysis.inference.intervals import rank_correlation
from cardlab.analysis.report import charts, hand_curves, shared_sections
from cardlab.analysis.report.captions import format_count
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData
from cardlab.analysis.report.page import Figure, Section, Table
from cardlab.games.challenge import planning
from cardlab.games.challenge.options import complete_options
from cardlab.games.challenge.planning import Choice
from cardlab.games.challenge.values import CERTAIN
from cardlab.games.events import PERSON

CURVES = {
    **{"score": "Score", "length": "Cards played and pick-ups", "pick_up_share": "Share of pick-ups"},
    **{"lead_in_cards": "Cards ahead at the end", "mean_response_ms": "Response, ms"},
}

# Limits of the search, so that a report takes seconds: choices per participant and in all, depth, and
# positions per move and depth.
CHOICES, CHOICES_OF_ALL, DEPTH, NODES = 40, 1500, 4, 5_000
BIN = 10  # moves

NO_SEARCH = (
    "This report has no search. Run python -m cardlab.analysis worth and python -m "
    "cardlab.analysis depth on an export."
)


def sections(data: ReportData) -> Iterator[Section]:
    """Yields the sections that only this game has."""
    yield _results(data)
    yield _length(data)
    yield shared_sections.build_response_time_section(
        data, _times(data), "First move of a game", "Later moves"
    )
    yield shared_sections.build_learning_curve_section(data, "mean_response_ms", "Response, ms")
    choices = _choices(data)
    yield _loss(data, choices)
    yield _depth(data, choices)


def _results(data: ReportData) -> Section:
    games = data.counted
    plot = hand_curves.plot_means(
        *(games, "place", "won", ("Game", "Share won"), "won_by_game", "Share of games won"),
        *("A draw does not count as a win.", "games"),
        within=hand_curves.SHARE,
    )
    endings = games["ended_by"].where(games["ended_by"] != "", games["outcome"])
    result = [_result(*cells) for cells in games[["won", "drawn"]].itertuples(index=False)]
    results = pd.Series(result, index=games.index, name="result", dtype=object)
    table = (
        pd.crosstab([games["condition"], endings.rename("ended_by")], results)
        .reset_index()
        .rename_axis(columns=None)
    )
    ends_table = Table("ends", "How games ended, for the participant", table)
    return Section("Games won", "", [ends_table], [plot])


def _result(share_won: float, share_drawn: float) -> str:
    """Returns how a game ended for the participant; an unfinished one has NaN."""
    if share_won != share_won:
        return "not ended"
    return "won" if share_won else "drawn" if share_drawn else "lost"


def _length(data: ReportData) -> Section:
    bins = (data.counted["length"].astype(int) // BIN) * BIN
    counts = pd.crosstab(bins, data.counted["condition"])
    counts = counts.reindex(range(0, bins.max() + 1, BIN), fill_value=0)
    drawing = charts.draw_counts(counts, ("Cards played and pick-ups", "Games"))
    text = (
        f"In steps of {BIN}: 0 stands for 0–{BIN - 1}. Where two people play, a game counts for each. "
        f"n = {format_count(len(bins), 'game')}."
    )
    plot = Figure("length", "Cards played and pick-ups", text, drawing, counts.reset_index())
    return Section("Length of games", "", [], [plot])


def _times(data: ReportData) -> pd.DataFrame:
    """Returns the participants' response times. ``first`` marks the first of each game."""
    moves = data.counted_parts("moves", seat="seat")
    ms = pd.to_numeric(moves["response_ms"], errors="coerce")
    moves = moves.assign(ms=ms, first=~moves.duplicated(["hand_id", "seat"]))
    return moves.dropna(subset=["ms"])


def _choices(data: ReportData) -> pd.DataFrame:
    """Returns a sample of choices with their ``choice`` and ``worth`` by search; empty without a search."""
    moves = data.counted_parts("moves", seat="seat")
    is_choice = (moves["by"] == PERSON) & (moves["could_play"] > 1) & (moves["advised"] == 0)
    moves = moves[is_choice & (moves["move"] != "pass")]
    details = data.counted.set_index(["hand_id", "seat"])[["deal", "settings", "sequence", "show"]]
    moves = moves.join(details, on=["hand_id", "seat"])
    moves = moves[moves["show"] == "all"]
    if not data.searches or moves.empty:
        return moves.head(0).assign(choice=[], worth=[])
    moves_by_person = list(moves.groupby(PARTICIPANT_KEY, sort=False))
    max_choices = min(CHOICES, max(1, CHOICES_OF_ALL // len(moves_by_person)))
    searched = pd.concat(
        [
            person_moves.iloc[planning.spread(range(len(person_moves)), max_choices)]
            for _person, person_moves in moves_by_person
        ]
    )
    scores_by_index: dict[int, tuple[Choice, Worth]] = {}
    for _hand, game_moves in searched.groupby(["hand_id", "seat"], sort=False):
        task = _task(game_moves)
        scores_by_index |= zip(
            game_moves.index, zip(move_search.search_choices(task), move_search.value_moves(task))
        )
    choices, scores = zip(*(scores_by_index[index] for index in searched.index))
    return searched.assign(choice=choices, worth=scores)


def _task(game_moves: pd.DataFrame) -> Task:
    """Returns the search task for the sampled choices of a game."""
    first_move = game_moves.iloc[0]
    options = complete_options(json.loads(first_move["settings"]))
    numbers = tuple(int(number) - 1 for number in game_moves["move_number"])
    return Task(
        first_move["deal"],
        {name: options[name] for name in SEARCH_SETTINGS},
        first_move["sequence"],
        numbers,
        DEPTH,
        NODES,
    )


def _bounds(choices: pd.DataFrame) -> str:
    return (
        f"{len(choices)} choices were analysed, at most {CHOICES} per participant, spread over "
        f"all games that count; {DEPTH} actions deep, with at most {NODES:,} positions each."
    )


def _loss(data: ReportData, choices: pd.DataFrame) -> Section:
    title = "Losses of moves"
    if choices.empty:
        return Section(title, NO_SEARCH)
    losses = [worth.loss for worth in choices["worth"]]
    sources = [worth.before.source for worth in choices["worth"]]
    first = (choices["move_number"].astype(int) - 1) // BIN * BIN + 1
    table = choices[[*PARTICIPANT_KEY, "condition", "group", "hand_id", "move_number", "move"]].assign(
        loss=losses, source=sources, moves=first
    )
    text = (
        "The loss of a move is the value of the best move minus its own value, in points of the "
        f"search's evaluation. A won position has the value {CERTAIN}, a lost one −{CERTAIN}: known because "
        f"all positions of small packs are solved, or by proof. {_bounds(choices)} python -m "
        "cardlab.analysis worth analyses all moves, and deeper."
    )
    caption = f"In steps of {BIN} moves: 1 stands for moves 1–{BIN}. 0 is the best move."
    plot = hand_curves.plot_means(
        *(table, "moves", "loss", ("Number of the move in the game", "Loss")),
        *("loss_by_move", "Loss by number of the move", caption, "choices"),
        within=(0, inf),
    )
    by_choice = table.drop(columns=["moves", "group"])
    return Section(title, text, [Table("loss", "Loss of each choice", by_choice, shown=0)], [plot])


def _depth(data: ReportData, choices: pd.DataFrame) -> Section:
    title = "Planning depth"
    if choices.empty:
        return Section(title, NO_SEARCH)
    names = dict(zip(zip(*(data.participants[name] for name in PARTICIPANT_KEY)), data.participants["name"]))
    rows = [
        {
            **dict(zip(PARTICIPANT_KEY, person)),
            "name": names[person],
            **{column: person_choices[column].iloc[0] for column in ("condition", "group")},
            "choices": len(person_choices),
            "loss": sum(worth.loss for worth in person_choices["worth"]) / len(person_choices),
            "median_response_ms": pd.to_numeric(person_choices["response_ms"], errors="coerce").median(),
            **_fit([*person_choices["choice"]]),
        }
        for person, person_choices in choices.groupby(PARTICIPANT_KEY, sort=False)
    ]
    table = pd.DataFrame(rows)
    verdicts = table["verdict"].value_counts()
    counts = ", ".join(f"{verdict}: {count}" for verdict, count in verdicts.items())
    text = (
        f"Models that look 1 to {DEPTH} actions ahead are compared with models that do not search: random, "
        "greedy, hoarding and recency players, a mixture of them, and players who value only their own move. "
        f"The verdict is search if the weight by BIC of all models that search is at least "
        f"{planning_models.EVIDENCE}. Participants by verdict: {counts}. The planning depth is the search "
        "depth with the highest likelihood, 0 for no search; without the verdict search it means nothing. "
        "The rank correlations are over participants with the verdict search; depth and loss come from the "
        "same choices. "
        f"{_bounds(choices)} python -m cardlab.analysis depth analyses more moves, to depth "
        f"{planning.DEPTHS[-1]}; the data dictionary explains the models."
    )
    shown = table.sort_values("condition", kind="stable")
    ends = {"mean": "depth", "low": "depth_low", "high": "depth_high"}
    shown = shown[["name"]].assign(
        condition=shown["condition"] + ": " + shown["verdict"],
        **{end: shown[name] for end, name in ends.items()},
    )
    drawing = charts.draw_intervals(shown, "Planning depth, actions", (-0.2, DEPTH + 0.2))
    caption = (
        "The most likely depth and the range of depths nearly as likely (a likelihood ratio, "
        "not an interval over participants), by condition and verdict. n = "
        f"{format_count(len(table), 'participant')}."
    )
    return Section(
        title,
        text,
        [
            Table("planning_depth", "Planning depth of each participant", table),
            Table("planning_relations", "Planning depth, losses and response times", _relations(table)),
        ],
        [Figure("planning_depth", "Planning depth", caption, drawing, table)],
    )


def _relations(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the rank correlations of planning depth over participants with evidence of search."""
    searching = table[table["verdict"] == planning_models.SEARCH]
    rows = []
    for column, name in (("loss", "loss per choice"), ("median_response_ms", "median response, ms")):
        found = rank_correlation(searching["depth"], searching[column], searching["group"])
        rows.append(
            {"depth_and": name, "rank_correlation": found.estimate, "low": found.low, "high": found.high}
            | {"participants": found.n, "method": found.method}
        )
    return pd.DataFrame(rows)


def _fit(choices: list[Choice]) -> dict[str, object]:
    """Returns the cells about planning from the choices of a participant."""
    fit = planning_models.fit(choices)
    if fit is None:  # there are no choices
        return {}
    return {
        **{"verdict": fit.verdict, "search_weight": fit.search_weight, "model": fit.model},
        **{"depth": fit.depth, "depth_low": fit.low, "depth_high": fit.high},
        **fit.at_depth.values,
        "gain": fit.gain,
    }
