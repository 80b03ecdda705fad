"""The command ``routines``: compares sequences of moves with chance, and tests times for automaticity."""

import argparse
from pathlib import Path

from cardlab.analysis import cli, parallel, sources
from cardlab.analysis.output import table_file, write_rows
from cardlab.games.contract import BadFile

HELP = "Target the Two for one: sequences against chance, sudden changes and automaticity of each participant"


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    cli.add_output_argument(parser, "routines.csv")
    parallel.add_engine_arguments(parser, "participants to analyse")
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis.games.ttt import routines  # its libraries take a second to load

    paths = cli.expand_paths(arguments.sources)
    with (
        table_file(Path(arguments.out), paths) as file,
        parallel.open_engine(arguments, routines.measure_person) as compute,
    ):
        hands = sources.read_hands(paths, cli.warn, damage=cli.damage_policy(arguments))
        people = routines.gather_people(sources.warn_at_end(hands, cli.warn))
        if not people:
            raise BadFile(
                str(paths[0]),
                f"No participant has {routines.FEWEST} hands of the game for one that are over.",
            )
        rows = parallel.show_progress(compute(people), len(people), "Participants analysed")
        write_rows(file, routines.COLUMNS, routines.format_rows(rows))
    print(f"Wrote {cli.format_count(len(people), 'participant')} to {arguments.out}")
