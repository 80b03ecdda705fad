"""The command ``choice_models``: fits models of choice to each participant of the matrix game."""

import argparse
from pathlib import Path

from cardlab.analysis import cli, parallel, sources
from cardlab.analysis.games.matrix import choices
from cardlab.analysis.output import table_file, write_rows
from cardlab.games.contract import BadFile

HELP = "matrix game: fit QRE, level-k, learning and social preferences to each participant"


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    cli.add_output_argument(parser, "models.csv")
    parallel.add_engine_arguments(parser, "models to fit")
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis.choice_models import MODELS  # its libraries take a second to load
    from cardlab.analysis.games.matrix import choice_fits

    paths = cli.expand_paths(arguments.sources)
    with (
        table_file(Path(arguments.out), paths) as file,
        parallel.open_engine(arguments, choice_fits.fit_model) as compute,
    ):
        hands = sources.read_hands(paths, cli.warn, damage=cli.damage_policy(arguments))
        people = list(choice_fits.group_people(choices.build_rows(sources.warn_at_end(hands, cli.warn))))
        if not people:
            raise BadFile(str(paths[0]), f"No participant made {choice_fits.FEWEST} choices.")
        tasks = [
            choice_fits.Task(model, [own_choices for _identity, own_choices in people])
            for model in range(len(MODELS))
        ]
        by_model = list(parallel.show_progress(compute(tasks), len(tasks), "Models fitted"))
        rows = choice_fits.join_models([identity for identity, _choices in people], by_model)
        columns = choice_fits.COLUMNS
        write_rows(file, columns, (map(choice_fits.format_cell, map(row.get, columns)) for row in rows))
    print(
        f"Wrote {cli.format_count(len(people), 'participant')} with {len(MODELS)} models to {arguments.out}"
    )
