"""The command ``hands``: writes the table of hands."""

import argparse
from pathlib import Path

from cardlab.analysis import cli, hands, parallel, parallel_reader, sources
from cardlab.analysis.output import table_file

HELP = "one row per hand and seat"


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    cli.add_output_argument(parser, "hands.csv")
    parallel.add_engine_arguments(parser, "pieces of a large table", "one per core where that is faster")
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    paths = cli.expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file, parallel_reader.open_reader(arguments) as read:
        hands_read = sources.read_hands(paths, cli.warn, read, damage=cli.damage_policy(arguments))
        row_count = hands.write_table(sources.warn_at_end(hands_read, cli.warn), file)
    print(f"Wrote {cli.format_count(row_count, 'row')} to {arguments.out}")
