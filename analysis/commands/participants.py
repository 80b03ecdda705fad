"""``python -m analysis participants``: one row a participant, with the measures of the game."""

from __future__ import annotations

import argparse
from pathlib import Path

from analysis import sources
from analysis.command import (
    NAME,
    count,
    damage_of,
    expanded,
    takes_conditions,
    takes_sources,
    takes_strict,
    warn,
)
from analysis.output import table_file

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
    from analysis import report  # its libraries take a second to load, which no other command needs
    from analysis.report.data import gathered

    paths = expanded(arguments.sources)
    damage = damage_of(arguments)
    with table_file(Path(arguments.out), paths) as file:
        hands_told = sources.noticed(sources.hands(paths, warn, damage=damage), warn)
        data = gathered(hands_told, dict(arguments.threshold), arguments.by, 0, damage.by_session)
        for sentence in data.doubts:
            warn(sentence)
        report.save(data.participants, file)
    print(f"Wrote {count(len(data.participants), 'participant')} to {arguments.out}")
