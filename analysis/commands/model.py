"""``python -m analysis model``: the table for mixed models."""

from __future__ import annotations

import argparse
from pathlib import Path

from analysis import sources
from analysis.command import NAME, NUMBER, count, damage_of, expanded, takes_sources, takes_strict, warn
from analysis.commands.report import takes_conditions
from analysis.output import table_file

HELP = "one row a hand with what a mixed model needs: phase, block, condition, habit, pair"


def declare(one: argparse.ArgumentParser) -> None:
    takes_sources(one)
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=NAME, required=True, help="where to write, like model.csv"
    )
    one.add_argument("--block", metavar="HANDS", type=NUMBER, default=8, help="hands that make a block; 8")
    takes_conditions(one)
    takes_strict(one)


def run(arguments: argparse.Namespace) -> None:
    from analysis import model, report  # their libraries take a second to load, which few commands need
    from analysis.report.data import gathered

    paths = expanded(arguments.sources)
    damage = damage_of(arguments)
    with table_file(Path(arguments.out), paths) as file:
        hands_told = sources.noticed(sources.hands(paths, warn, damage=damage), warn)
        data = gathered(hands_told, dict(arguments.threshold), arguments.by, 0, damage.by_session)
        for sentence in data.doubts:
            warn(sentence)
        found = model.table(data, arguments.block)
        report.save(found, file)
    print(f"Wrote {count(len(found), 'hand')} to {arguments.out}")
