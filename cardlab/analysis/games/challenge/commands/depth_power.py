"""The command ``depth_power``: simulates how many choices the command ``depth`` needs for its results."""

import argparse
from pathlib import Path

from cardlab.analysis import cli, parallel, sources
from cardlab.analysis.games.challenge import move_search
from cardlab.analysis.games.challenge.commands.depth import add_drop_out_argument
from cardlab.analysis.output import format_cell, table_file, write_rows
from cardlab.games.challenge import planning
from cardlab.games.challenge.planning import Choice
from cardlab.games.contract import BadFile

HELP = "Challenge: how many choices it takes to tell search from no search, and how far it looks"

FEWEST, MOST = 20, 10_000  # choices of a participant
SIMULATED = 50  # default number of players


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    cli.add_output_argument(parser, "depth_power.csv")
    parser.add_argument(
        "--choices",
        metavar="N,N",
        type=cli.number_list(range(FEWEST, MOST + 1)),
        default=[40, 80, 160],
        help="numbers of choices of a player; default: 40,80,160",
    )
    parser.add_argument(
        "--model", metavar="NAME", action="append", help="a true model; repeatable; default: all"
    )
    cli.add_budget_argument(parser, "--simulated", SIMULATED, "players for each model and number of choices")
    cli.add_budget_argument(
        parser, "--nodes", planning.NODES, "the most positions to search for a move and depth"
    )
    add_drop_out_argument(parser)
    parallel.add_engine_arguments(parser, "games to search and players to fit")
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis.games.challenge import depth_power  # its libraries take a second to load
    from cardlab.analysis.games.challenge.planning_models import GROUPS, MODELS, make_data

    names = [model.name for model in (MODELS if arguments.drop_out else GROUPS)]
    models = cli.model_indices(names, arguments.model)
    sizes, paths = arguments.choices, cli.expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        played = [make_data(choices) for choices in _search_choices(arguments, paths) if choices]
        most = max((len(data.chosen) for data in played), default=0)
        if most < sizes[-1]:
            raise BadFile("--choices", f"No participant made {sizes[-1]} choices; the most are {most}.")
        kinds, count = [(model, size) for size in sizes for model in models], arguments.simulated
        tasks = [task for kind in kinds for task in depth_power.make_tasks(*kind, played, count)]
        with parallel.open_engine(arguments, depth_power.find) as compute:
            found = list(parallel.show_progress(compute(tasks), len(tasks), "Players fitted"))
        rows = (
            depth_power.build_row(*kind, found[number * count :][:count]) for number, kind in enumerate(kinds)
        )
        columns = depth_power.COLUMNS
        write_rows(file, columns, (map(format_cell, map(row.get, columns)) for row in rows))
    print(f"Wrote {cli.format_count(len(kinds), 'row')} to {arguments.out}")


def _search_choices(arguments: argparse.Namespace, paths: list[Path]) -> list[list[Choice]]:
    """Returns the first choices of each participant, at most the largest number in the arguments."""
    from cardlab.analysis.games.challenge import depth_power, depth_table

    hands = sources.read_hands(paths, cli.warn, damage=cli.damage_policy(arguments))
    most = arguments.choices[-1]
    people = [depth_power.limit_choices(person, most) for person in depth_table.collect_participants(hands)]
    tasks_by_person = [
        depth_table.make_tasks(person, most, arguments.nodes, arguments.drop_out) for person in people
    ]
    every = [task for tasks in tasks_by_person for task in tasks]
    with parallel.open_engine(arguments, move_search.search_choices) as compute:
        answers = iter(list(parallel.show_progress(compute(every), len(every), "Games searched")))
    return [[choice for _task in tasks for choice in next(answers)] for tasks in tasks_by_person]
