"""``python -m cardlab.analysis moves``: the table of moves."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis import moves, sources
from cardlab.analysis.command import NAME, count, damage_of, expanded, takes_sources, takes_strict, warn
from cardlab.analysis.output import table_file

HELP = "one tidy row a move, a turn or a placement"


def declare(one: argparse.ArgumentParser) -> None:
    takes_sources(one)
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=NAME, required=True, help="where to write, like moves.csv"
    )
    takes_strict(one)


def run(arguments: argparse.Namespace) -> None:
    paths = expanded(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        hands_told = sources.hands(paths, warn, damage=damage_of(arguments))
        written = moves.write(sources.noticed(hands_told, warn), file)
    print(f"Wrote {count(written, 'row')} to {arguments.out}")
