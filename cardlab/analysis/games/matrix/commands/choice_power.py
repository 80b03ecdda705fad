"""The command ``choice_power``: simulates how many participants distinguish a model from its rivals."""

import argparse
from pathlib import Path

from cardlab.analysis import cli, parallel, sources
from cardlab.analysis.games.matrix import choices
from cardlab.analysis.output import format_cell, table_file, write_rows
from cardlab.games.contract import BadFile

HELP = "matrix game: how many participants tell one model of choice from the others"

MAX_PARTICIPANTS = 10_000


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    cli.add_output_argument(parser, "choice_power.csv")
    parser.add_argument(
        "--participants",
        metavar="N,N",
        type=cli.number_list(range(1, MAX_PARTICIPANTS + 1)),
        default=[5, 10, 20, 40],
        help="numbers of participants; default: 5,10,20,40",
    )
    parser.add_argument(
        "--model", metavar="NAME", action="append", help="a true model; repeatable; default: all"
    )
    parallel.add_engine_arguments(parser, "participants to fit")
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis.choice_models import MODELS  # its libraries take a second to load
    from cardlab.analysis.games.matrix import choice_fits, choice_power

    models = cli.model_indices([model.name for model in MODELS], arguments.model)
    paths = cli.expand_paths(arguments.sources)
    with (
        table_file(Path(arguments.out), paths) as file,
        parallel.open_engine(arguments, choice_power.score_models) as compute,
    ):
        hands = sources.read_hands(paths, cli.warn, damage=cli.damage_policy(arguments))
        rows = choices.build_rows(sources.warn_at_end(hands, cli.warn), [0])
        people = [person.choices[0] for person in choice_fits.group_people(rows)]
        if not people:
            raise BadFile(str(paths[0]), f"No participant made {choice_fits.FEWEST} choices.")
        tasks = choice_power.make_tasks(models, people)
        found = list(parallel.show_progress(compute(tasks), len(tasks), "Participants fitted"))
        scores = choice_power.as_scores(found, len(models))
        mean = sum(int(each.counted.sum()) for each in people) / len(people)
        table = (
            row
            for model, own_scores in zip(models, scores)
            for row in choice_power.build_rows(model, own_scores, arguments.participants, mean)
        )
        columns = choice_power.COLUMNS
        write_rows(file, columns, (map(format_cell, map(row.get, columns)) for row in table))
    print(f"Wrote {cli.format_count(len(models), 'model')} of {len(people)} participants to {arguments.out}")
