"""``python -m cardlab.analysis compare``: conditions compared, measure by measure."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis.cli import (
    add_condition_arguments,
    add_output_argument,
    add_sources_argument,
    add_strict_argument,
    expand_paths,
    format_count,
    load_data,
)
from cardlab.analysis.output import table_file

HELP = "conditions compared in each measure of participants: differences, intervals, effect sizes, p"


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_sources_argument(parser)
    add_output_argument(parser, "compare.csv")
    add_condition_arguments(parser)
    parser.add_argument(
        "--measure",
        metavar="NAME",
        action="append",
        default=[],
        help="a measure of participants; all if none is named",
    )
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Runs the command."""
    from cardlab.analysis import compare  # its libraries take a second to load
    from cardlab.analysis.report.write import save_table

    paths = expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        data = load_data(arguments, paths)
        found = compare.build_table(data, arguments.measure)
        save_table(found, file)
    conditions = format_count(data.participants["condition"].nunique(), "condition")
    print(f"Wrote {format_count(found['measure'].nunique(), 'measure')} of {conditions} to {arguments.out}")
