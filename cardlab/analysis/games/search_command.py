"""What the commands share that search the hands of tables of actions and write a table."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from cardlab.analysis import parallel, sources
from cardlab.analysis.cli import add_output_argument, damage_policy, expand_paths, format_count, warn
from cardlab.analysis.output import table_file
from cardlab.analysis.source_hand import SourceHand


def add_table_arguments(parser: argparse.ArgumentParser, example: str) -> None:
    """Adds the tables to read and the file to write, such as ``example``."""
    parser.add_argument("sources", metavar="FILE", nargs="+", help="a table of actions (custom_export)")
    add_output_argument(parser, example)


def run_search(
    arguments: argparse.Namespace,
    work: parallel.Work,
    write: Callable[[Iterable[SourceHand], parallel.Compute, TextIO], int],
    noun: str,
) -> None:
    """Reads the hands, lets ``write`` write their table and prints how many rows it has, each a ``noun``."""
    paths = expand_paths(arguments.sources)
    with (
        table_file(Path(arguments.out), paths) as file,
        parallel.open_engine(arguments, work) as compute,
    ):
        hands = sources.read_hands(paths, warn, damage=damage_policy(arguments))
        written = write(hands, compute, file)
    print(f"Wrote {format_count(written, noun)} to {arguments.out}")
