"""``python -m cardlab.analysis hands``: the table of hands."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis import hands, parallel, parallel_reader, sources
from cardlab.analysis.cli import (
    add_output_argument,
    add_sources_argument,
    add_strict_argument,
    damage_policy,
    expand_paths,
    format_count,
    warn,
)
from cardlab.analysis.output import table_file

HELP = "one row per hand and seat"


def declare(parser: argparse.ArgumentParser) -> None:
    add_sources_argument(parser)
    add_output_argument(parser, "hands.csv")
    parallel.add_engine_arguments(parser, "pieces of a large table", "one per core where that is faster")
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    paths = expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file, parallel_reader.open_reader(arguments) as read:
        found = sources.read_hands(paths, warn, read, damage=damage_policy(arguments))
        written = hands.write_table(sources.warn_at_end(found, warn), file)
    print(f"Wrote {format_count(written, 'hand')} to {arguments.out}")
