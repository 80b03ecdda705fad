"""``python -m cardlab.analysis participants``: one row a participant, with the measures of the game."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis.command import (
    NAME,
    count,
    data_of,
    expanded,
    takes_conditions,
    takes_sources,
    takes_strict,
)
from cardlab.analysis.output import table_file

HELP = "one row a participant: measures, and what others would have shown on the same deals"


def declare(one: argparse.ArgumentParser) -> None:
    takes_sources(one)
    one.add_argument(
        "-o",
        dest="out",
        metavar="FILE",
        type=NAME,
        required=True,
        help="where to write, like people.csv",
    )
    takes_conditions(one)
    takes_strict(one)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import report  # its libraries take a second to load, which no other command needs

    paths = expanded(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        data = data_of(arguments, paths)
        report.save(data.participants, file)
    print(f"Wrote {count(len(data.participants), 'participant')} to {arguments.out}")
