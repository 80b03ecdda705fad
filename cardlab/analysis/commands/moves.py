"""``python -m cardlab.analysis moves``: the table of moves."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis import moves, sources
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

HELP = "one row per move, turn or placement"


def declare(parser: argparse.ArgumentParser) -> None:
    add_sources_argument(parser)
    add_output_argument(parser, "moves.csv")
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    paths = expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        found = sources.read_hands(paths, warn, damage=damage_policy(arguments))
        written = moves.write_table(sources.warn_at_end(found, warn), file)
    print(f"Wrote {format_count(written, 'row')} to {arguments.out}")
