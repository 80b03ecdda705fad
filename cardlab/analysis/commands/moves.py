"""The command ``moves``: writes the table of moves."""

import argparse
from pathlib import Path

from cardlab.analysis import cli, moves, sources
from cardlab.analysis.output import table_file

HELP = "one row per move, turn or placement"


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    cli.add_output_argument(parser, "moves.csv")
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    paths = cli.expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        hands_read = sources.read_hands(paths, cli.warn, damage=cli.damage_policy(arguments))
        row_count = moves.write_table(sources.warn_at_end(hands_read, cli.warn), file)
    print(f"Wrote {cli.format_count(row_count, 'row')} to {arguments.out}")
