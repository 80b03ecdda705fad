"""Makes the table of planning in Challenge: a row per participant with the models and the verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import median
from typing import Any, NamedTuple, TextIO

from cardlab.analysis import parallel
from cardlab.analysis.games.challenge import move_search, planning_checks, planning_models
from cardlab.analysis.games.challenge.move_search import Task
from cardlab.analysis.output import write_rows
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.challenge import measures, planning
from cardlab.games.challenge.planning import Choice
from cardlab.games.columns import Integer, Number
from cardlab.games.hand import History
from cardlab.games.tables import HAND_COLUMNS, guard_formula

COLUMNS = {
    "session_code": "oTree's code of the session",
    "participant_code": "oTree's code of the participant",
    "participant_label": HAND_COLUMNS["participant_label"],
    "games": Integer("games with such choices, without practice"),
    "choices": Integer("own moves with several possibilities and without advice"),
    "used": Integer("choices that were searched, spread evenly"),
    "verdict": (
        f"`{planning_models.SEARCH}` if `search_weight` is at least {planning_models.EVIDENCE}, else "
        f"`{planning_models.NO_EVIDENCE}`; `{planning_models.TOO_FEW}` below {planning_models.FEWEST} choices"
    ),
    "search_weight": Number("weight by BIC of all models that search"),
    "search_weight_aicc": Number("the same by AICc"),
    "model": "the model with the highest weight by BIC",
    "depth": Integer(
        "the planning depth: the search depth, 0 to 8, with the highest likelihood; 0 is no search. It means "
        f"nothing unless `verdict` is `{planning_models.SEARCH}`"
    ),
    "depth_low": Integer("the lowest depth with a log-likelihood at most 1.92 below the best"),
    "depth_high": Integer("the highest such depth"),
    "noise": Number(
        "noise at `depth`, in points: of two moves that differ by this value, the better one is e times as "
        "likely"
    ),
    "lapse": Number("share of random moves at `depth`"),
    "drop_out": Number(
        "probability that a feature of the evaluation is overlooked at `depth`; empty without `--drop-out`"
    ),
    "threshold": Integer(
        "points below the best evaluation beyond which moves are not searched at `depth`; empty if all are"
    ),
    "gain": Number("mean log-likelihood at `depth` minus that of random choice, in nats"),
    "median_response_ms": Integer("median response time of the choices, in milliseconds"),
    **{name: Number(meaning) for name, (meaning, _values) in planning_checks.STATISTICS.items()},
    **{
        f"{name}_simulated": Number(f"mean of `{name}` in choices simulated from `model`")
        for name in planning_checks.STATISTICS
    },
    **{
        f"check_{name}": Number(f"p of simulated choices as extreme as the participant's in `{name}`")
        for name in planning_checks.STATISTICS
    },
    "weight_drop_out": Number("weight by BIC of all models with drop-out; empty without `--drop-out`"),
    **{f"weight_{one.name}": Number(f"weight by BIC: {one.meaning}") for one in planning_models.GROUPS},
    **{
        f"log_likelihood_{one.name}": Number(f"log-likelihood at the most likely parameters: {one.meaning}")
        for one in planning_models.GROUPS
    },
}


class ParticipantGames(NamedTuple):
    """A participant's games, each with the indices of the moves that are choices."""

    who: tuple[str, str, str]
    games: list[tuple[History, list[int]]]


def write(
    hands: Iterable[SourceHand],
    compute: parallel.Compute,
    file: TextIO,
    max_choices: int,
    nodes: int,
    drop_out: bool,
) -> int:
    """Writes a row for each participant as CSV and returns the number of rows.

    ``max_choices`` limits the choices of a participant, ``nodes`` the positions of a search. With
    ``drop_out``, models that drop features and prune moves are fitted, too.
    """
    participants = collect_participants(hands)
    tasks_by_person = [make_tasks(person, max_choices, nodes, drop_out) for person in participants]
    every = [task for tasks in tasks_by_person for task in tasks]
    answers = parallel.show_progress(compute(every), len(every), "Games searched")
    rows = (
        _cells(person, [choice for _task in tasks for choice in next(answers)])
        for person, tasks in zip(participants, tasks_by_person)
    )
    row_count = write_rows(file, COLUMNS, rows)
    next(answers, None)  # completes the progress bar
    return row_count


def collect_participants(hands: Iterable[SourceHand]) -> list[ParticipantGames]:
    """Returns the participants with their games.

    Leaves out practice games, and games with hidden cards, because the search sees all cards.
    """
    games: dict[tuple[str, str, str], list[tuple[History, list[int]]]] = defaultdict(list)
    for hand, history in move_search.played_games(hands):
        for seat in history.hand.seats:
            cells = {**hand.cells, **hand.participant_cells(seat)}
            identity = (cells["session_code"], cells["participant_code"], cells["participant_label"])
            if identity[1] and seat not in history.hand.robots:
                own_games = games[identity]
                if hand.cells["practice"] != "1" and history.dealt.state.options["show"] == "all":
                    own_games.append((history, move_search.choice_indices(history, seat)))
    return [ParticipantGames(identity, own_games) for identity, own_games in games.items()]


def make_tasks(
    person: ParticipantGames,
    max_choices: int,
    nodes: int,
    drop_out: bool = False,
    depth: int = planning.DEPTHS[-1],
) -> list[Task]:
    """Returns the search tasks of a participant, one per game, with ``max_choices`` at most."""
    all_choices = [
        (game, number) for game, (_history, numbers) in enumerate(person.games) for number in numbers
    ]
    numbers_by_game: dict[int, list[int]] = defaultdict(list)
    for game, number in planning.spread(all_choices, max_choices):
        numbers_by_game[game].append(number)
    return [
        move_search.make_task(person.games[game][0], numbers, depth, nodes, drop_out)
        for game, numbers in numbers_by_game.items()
    ]


def _cells(person: ParticipantGames, choices: list[Choice]) -> list[Any]:
    session, code, label = person.who
    counts = [len(person.games), sum(len(numbers) for _history, numbers in person.games), len(choices)]
    cells: list[Any] = [session, code, guard_formula(label), *counts]
    if not choices:
        return [*cells, planning_models.TOO_FEW, *[""] * (len(COLUMNS) - len(cells) - 1)]
    data = planning_models.make_data(choices)
    fit = planning_models.fit_data(data)
    estimate = fit.at_depth.values
    checked = planning_checks.check_predictions(fit.model, fit.estimates[fit.model], data)
    return [
        *(*cells, fit.verdict, f"{fit.search_weight:.4f}", f"{fit.search_weight_aicc:.4f}", fit.model),
        *(fit.depth, fit.low, fit.high, f"{estimate['noise']:.2f}", f"{estimate['lapse']:.3f}"),
        *_limit_cells(fit),
        *(f"{fit.gain:.4f}", _median_response_ms(person)),
        *(f"{check[part]:.3f}" for part in range(3) for check in checked.values()),
        *_group_cells(fit),
    ]


def _limit_cells(fit: planning_models.Fit) -> list[str | int]:
    """Returns the drop-out and the pruning threshold at the most likely depth."""
    if not any(model.threshold is not None for model in fit.models):
        return ["", ""]
    return [f"{fit.at_depth.values.get('drop_out', 0):.3f}", fit.threshold or ""]


def _group_cells(fit: planning_models.Fit) -> list[str]:
    """Returns the weight of drop-out, and each group's weight and highest log-likelihood."""
    weights, best = defaultdict[str, float](float), dict[str, float]()
    for model in fit.models:
        weights[model.group] += fit.weights[model.name]
        likelihood = fit.estimates[model.name].log_likelihood
        best[model.group] = max(likelihood, best.get(model.group, likelihood))
    limited = [fit.weights[model.name] for model in fit.models if model.threshold is not None]
    share = f"{sum(limited):.4f}" if limited else ""
    return [share, *(f"{one:.4f}" for one in weights.values()), *(f"{one:.3f}" for one in best.values())]


def _median_response_ms(person: ParticipantGames) -> int | str:
    """Returns the median response time of all choices, "" if no time is known."""
    times = [
        moves[number].response_ms
        for history, numbers in person.games
        for moves in [measures.moves_of(history)]
        for number in numbers
    ]
    known = [time for time in times if time is not None]
    return round(median(known)) if known else ""
