"""``python -m cardlab.analysis compare``: conditions compared, measure by measure."""

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

HELP = "conditions compared in each measure of participants: differences, intervals, effect sizes, p"


def declare(one: argparse.ArgumentParser) -> None:
    takes_sources(one)
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=NAME, required=True, help="where to write, like compare.csv"
    )
    takes_conditions(one)
    one.add_argument(
        "--measure",
        metavar="NAME",
        action="append",
        default=[],
        help="a measure of participants; all if none is named",
    )
    takes_strict(one)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import compare, report  # whose libraries take a second to load

    paths = expanded(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        data = data_of(arguments, paths)
        found = compare.table(data, arguments.measure)
        report.save(found, file)
    conditions = count(data.participants["condition"].nunique(), "condition")
    print(f"Wrote {count(found['measure'].nunique(), 'measure')} of {conditions} to {arguments.out}")
