"""The command ``choice_models``: fits models of choice to each participant of the matrix game."""

import argparse
from pathlib import Path

from cardlab.analysis import cli, parallel, sources
from cardlab.analysis.games.matrix import choices, later_turns
from cardlab.analysis.output import format_cell, table_file, write_rows
from cardlab.games.contract import BadFile

HELP = "matrix game: fit QRE, level-k, learning and social preferences to each participant"

LOOK_AHEADS = cli.number_list(range(later_turns.MOST))


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    cli.add_output_argument(parser, "models.csv")
    parser.add_argument(
        "--look-ahead",
        metavar="N,N",
        type=LOOK_AHEADS,
        default=[0],
        help="compare numbers of later turns whose expected points are added to the payoffs; default: 0",
    )
    parallel.add_engine_arguments(parser, "models to fit")
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis.games.matrix import choice_fits  # its libraries take a second to load

    paths = cli.expand_paths(arguments.sources)
    with (
        table_file(Path(arguments.out), paths) as file,
        parallel.open_engine(arguments, choice_fits.fit_model) as compute,
    ):
        hands = sources.read_hands(paths, cli.warn, damage=cli.damage_policy(arguments))
        rows = choices.build_rows(sources.warn_at_end(hands, cli.warn), arguments.look_ahead)
        people = choice_fits.group_people(rows)
        if not people:
            raise BadFile(str(paths[0]), f"No participant made {choice_fits.FEWEST} choices.")
        tasks = choice_fits.make_tasks(people, arguments.look_ahead)
        fits = list(parallel.show_progress(compute(tasks), len(tasks), "Models fitted"))
        rows = choice_fits.join_models(people, fits)
        columns = choice_fits.COLUMNS
        write_rows(file, columns, (map(format_cell, map(row.get, columns)) for row in rows))
    print(f"Wrote {cli.format_count(len(people), 'participant')} with {len(tasks)} models to {arguments.out}")
