"""``python -m cardlab.analysis report``: a session in tables and plots."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis import parquet
from cardlab.analysis.command import (
    NAME,
    TABLES,
    count,
    data_of,
    expanded,
    takes_conditions,
    takes_figures,
    takes_sources,
    takes_strict,
    typed,
)

HELP = "one HTML page with tables and plots, and the files of each"

SECONDS = typed(float, lambda number: 0 <= number < 1e6, "a number of seconds from 0 to 999999")


def declare(one: argparse.ArgumentParser) -> None:
    takes_sources(one)
    one.add_argument(
        "--out", metavar="DIR", type=NAME, required=True, help="where to write; made if it is not there"
    )
    takes_conditions(one)
    one.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=SECONDS,
        default=10,
        help="for the best play of each deal, in games that have a search; 10, and 0 for no search",
    )
    takes_figures(one)
    one.add_argument(
        "--tables",
        metavar="KINDS",
        type=TABLES,
        default=["csv"],
        help="the files of each table: csv, or csv,parquet (requirements-analysis.txt)",
    )
    takes_strict(one)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import report  # its libraries take a second to load, which no other command needs
    from cardlab.analysis.report.page import Kinds

    kinds = Kinds(arguments.figures, list(dict.fromkeys(["csv", *arguments.tables])))
    if "parquet" in kinds.tables:
        parquet.check_installed()
    paths = expanded(arguments.sources)
    data = data_of(arguments, paths, arguments.time_limit)
    written = report.write(data, Path(arguments.out), paths, kinds)
    print(f"Wrote {count(written, 'file')} to {arguments.out}; open {Path(arguments.out) / report.NAME}")
