"""The command ``depth``: estimates how deep participants looked ahead in Challenge."""

import argparse
import math
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple, TextIO

from cardlab.analysis import cli, parallel
from cardlab.analysis.cli import add_strict_argument
from cardlab.analysis.games.challenge import move_search
from cardlab.analysis.games.challenge.move_search import Task
from cardlab.analysis.output import write_rows
from cardlab.analysis.source_hand import SourceHand
from cardlab.analysis.table_command import add_search_arguments, run_search
from cardlab.games.challenge import planning
from cardlab.games.challenge.planning import Choice
from cardlab.games.hand import History
from cardlab.games.tables import HAND_COLUMNS, guard_formula

HELP = "Challenge: the planning depth of each participant"

CHOICES = 200  # default maximum per participant

COLUMNS = {
    "session_code": "oTree's code of the session",
    "participant_code": "oTree's code of the participant",
    "participant_label": HAND_COLUMNS["participant_label"],
    "games": "games with such choices, without practice",
    "choices": "own moves with several possibilities and without advice",
    "used": "choices that were searched, spread evenly",
    "depth": (
        "the planning depth: the search depth, 0 to 8, with the highest likelihood. "
        "Compare it with `greedy_depth` and `random_depth`"
    ),
    "depth_low": "the lowest depth with a log-likelihood at most 1.92 below the best",
    "depth_high": "the highest such depth",
    "noise": (
        "noise at `depth`, in points: of two moves that differ by this value, the better "
        "one is e times as likely; `inf` for random play"
    ),
    "gain": ("mean log-likelihood minus that of random choice, in nats; near 0 the depth means nothing"),
    **{
        f"{name}_{column}": meaning
        for name, player in (
            ("greedy", "the player `greedy`, who never looks ahead"),
            ("random", "a player who takes any move (fixed seed)"),
        )
        for column, meaning in (
            ("depth", f"the planning depth that the same fit gives to {player}, for the same choices"),
            ("depth_low", "the least depth that is nearly as likely for them"),
            ("depth_high", "the highest such depth"),
            ("gain", "how much better their choices are foretold than by chance, in nats"),
        )
    },
    **{
        f"log_likelihood_{depth}": f"log-likelihood of the choices at depth {depth}, with the noise that "
        "suits it best"
        for depth in planning.DEPTHS
    },
}


class ParticipantGames(NamedTuple):
    """A participant's games, each with the indices of the moves that are choices."""

    who: tuple[str, str, str]
    games: list[tuple[History, list[int]]]


def declare(parser: argparse.ArgumentParser) -> None:
    add_search_arguments(parser, "depth.csv")
    cli.add_budget_argument(parser, "--choices", CHOICES, "the most moves to search for each participant")
    cli.add_budget_argument(
        parser, "--nodes", planning.NODES, "the most positions to search for a move and depth"
    )
    parallel.add_engine_arguments(parser, "games to search")
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    writer = partial(write, max_choices=arguments.choices, nodes=arguments.nodes)
    run_search(arguments, move_search.search_choices, writer, "participant")


def write(
    hands: Iterable[SourceHand], compute: parallel.Compute, file: TextIO, max_choices: int, nodes: int
) -> int:
    """Writes a row for each participant as CSV and returns the number of rows.

    ``max_choices`` limits the choices of a participant, ``nodes`` the positions of a search.
    """
    participants = collect_participants(hands)
    tasks_by_person = [make_tasks(person, max_choices, nodes) for person in participants]
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

    Leaves out practice games, and games with hidden cards, because a search knows all cards.
    """
    games: dict[tuple[str, str, str], list[tuple[History, list[int]]]] = defaultdict(list)
    for hand, history in move_search.played_games(hands):
        for seat in history.hand.seats:
            cells = {**hand.cells, **hand.who(seat)}
            identity = (cells["session_code"], cells["participant_code"], cells["participant_label"])
            if identity[1] and seat not in history.hand.robots:
                own_games = games[identity]
                if hand.cells["practice"] != "1" and history.dealt.state.options["show"] == "all":
                    own_games.append((history, move_search.choice_indices(history, seat)))
    return [ParticipantGames(identity, own_games) for identity, own_games in games.items()]


def make_tasks(
    person: ParticipantGames, max_choices: int, nodes: int, depth: int = planning.DEPTHS[-1]
) -> list[Task]:
    """Returns the search tasks of a participant, one per game, with ``max_choices`` at most."""
    all_choices = [
        (game, number) for game, (_history, numbers) in enumerate(person.games) for number in numbers
    ]
    numbers_by_game: dict[int, list[int]] = defaultdict(list)
    for game, number in planning.spread(all_choices, max_choices):
        numbers_by_game[game].append(number)
    return [
        move_search.make_task(person.games[game][0], numbers, depth, nodes)
        for game, numbers in numbers_by_game.items()
    ]


def _cells(person: ParticipantGames, choices: list[Choice]) -> list[Any]:
    session, code, label = person.who
    counts = [len(person.games), sum(len(numbers) for _history, numbers in person.games), len(choices)]
    fit = planning.fit_depth(choices)
    cells: list[Any] = [session, code, guard_formula(label), *counts]
    if fit is None:
        return [*cells, *[""] * (len(COLUMNS) - len(cells))]
    noise = "inf" if math.isinf(fit.noise) else f"{fit.noise:.2f}"
    profile = [f"{value:.3f}" for value in fit.profile]
    cells += [fit.depth, fit.low, fit.high, noise, f"{fit.gain:.4f}"]
    for reference in planning.REFERENCES:
        if reference_fit := planning.fit_depth(planning.reference_choices(reference, choices)):
            cells += [reference_fit.depth, reference_fit.low, reference_fit.high, f"{reference_fit.gain:.4f}"]
    return [*cells, *profile]
