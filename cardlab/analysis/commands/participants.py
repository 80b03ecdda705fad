"""``python -m cardlab.analysis participants``: one row a participant, with the measures of the game."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis.cli import (
    NAME,
    add_condition_arguments,
    add_sources_argument,
    add_strict_argument,
    expand_paths,
    format_count,
    load_data,
)
from cardlab.analysis.output import table_file

HELP = "one row a participant: measures, and what others would have shown on the same deals"


def declare(one: argparse.ArgumentParser) -> None:
    add_sources_argument(one)
    one.add_argument(
        "-o",
        dest="out",
        metavar="FILE",
        type=NAME,
        required=True,
        help="where to write, like people.csv",
    )
    add_condition_arguments(one)
    add_strict_argument(one)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import report  # its libraries take a second to load, which no other command needs

    paths = expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        data = load_data(arguments, paths)
        report.save_table(data.participants, file)
    print(f"Wrote {format_count(len(data.participants), 'participant')} to {arguments.out}")
