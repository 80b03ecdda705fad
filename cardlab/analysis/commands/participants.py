"""``python -m cardlab.analysis participants``: one row a participant, with the measures of the game."""

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

HELP = "one row a participant: measures, and what others would have shown on the same deals"


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_sources_argument(parser)
    add_output_argument(parser, "people.csv")
    add_condition_arguments(parser)
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Runs the command."""
    from cardlab.analysis.report.write import save_table  # its libraries take a second to load

    paths = expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        data = load_data(arguments, paths)
        save_table(data.participants, file)
    print(f"Wrote {format_count(len(data.participants), 'participant')} to {arguments.out}")
