"""``python -m cardlab.analysis model``: the table for mixed models."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis.cli import (
    NUMBER,
    add_condition_arguments,
    add_output_argument,
    add_sources_argument,
    add_strict_argument,
    expand_paths,
    format_count,
    load_data,
)
from cardlab.analysis.output import table_file

HELP = "one row a hand with what a mixed model needs: phase, block, condition, habit, pair"
PER = ("hand", "participant")


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_sources_argument(parser)
    add_output_argument(parser, "model.csv")
    parser.add_argument("--block", metavar="HANDS", type=NUMBER, default=8, help="hands that make a block; 8")
    parser.add_argument(
        "--per",
        choices=PER,
        default=PER[0],
        help="where several participants play: a row a hand with what they did together (hand), or a row a "
        "hand and participant with what is their own (participant); hand",
    )
    add_condition_arguments(parser)
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Runs the command."""
    from cardlab.analysis import model  # its libraries take a second to load
    from cardlab.analysis.report.write import save_table

    paths = expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        data = load_data(arguments, paths)
        found = model.build_table(data, arguments.block, arguments.per)
        save_table(found, file)
    print(f"Wrote {format_count(len(found), 'row')} to {arguments.out}")
