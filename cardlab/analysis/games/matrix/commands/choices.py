"""The command ``choices``: writes the table of choices of the matrix game."""

import argparse
from pathlib import Path

from cardlab.analysis import cli, sources
from cardlab.analysis.games.matrix import choices, later_turns
from cardlab.analysis.output import table_file, write_rows

HELP = "matrix game: one row per turn and participant, for models of choice"


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    cli.add_output_argument(parser, "choices.csv")
    parser.add_argument(
        "--look-ahead",
        metavar="N",
        type=cli.argument_type(
            int, range(later_turns.MOST).__contains__, f"a whole number below {later_turns.MOST}"
        ),
        default=0,
        help="add the expected points of this number of later turns to the payoffs; default: 0",
    )
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    paths = cli.expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        hands = sources.read_hands(paths, cli.warn, damage=cli.damage_policy(arguments))
        rows = choices.build_rows(sources.warn_at_end(hands, cli.warn), (arguments.look_ahead,))
        row_count = write_rows(file, choices.COLUMNS, (map(row.get, choices.COLUMNS) for row in rows))
    print(f"Wrote {cli.format_count(row_count, 'row')} to {arguments.out}")
