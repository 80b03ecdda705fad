"""The command ``validate``: checks the statistics on simulated studies with known parameters."""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from cardlab.analysis import cli, parallel
from cardlab.analysis.cli import NUMBER, format_count
from cardlab.analysis.output import table_file, write_rows

HELP = "check intervals, p values and curves on simulated studies whose truth is known"

CHECKS = ("intervals", "comparisons", "learning_curves")
STUDIES = 1000

Task = tuple[str, str, int]  # check, case, number of studies


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "checks", metavar="CHECK", nargs="*", type=_parse_check, help=f"{', '.join(CHECKS)}; default: all"
    )
    parser.add_argument(
        "--studies",
        metavar="N",
        type=NUMBER,
        default=STUDIES,
        help=f"studies of each kind; default: {STUDIES}",
    )
    cli.add_output_argument(parser, "validation.csv")
    parallel.add_engine_arguments(parser, "kinds of studies")


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis.validation.figure import COLUMNS, MISSED  # its libraries take a second to load

    tasks = list(_list_tasks(arguments.checks or CHECKS, arguments.studies))
    with table_file(Path(arguments.out)) as file, parallel.open_engine(arguments, run_task) as compute:
        results = parallel.show_progress(compute(tasks), len(tasks), "Kinds of studies simulated")
        rows = [row for rows in results for row in rows]
        write_rows(file, COLUMNS, rows)
    missed = [row for row in rows if row[-1] == MISSED]
    print(f"Wrote {format_count(len(rows), 'figure')} to {arguments.out}; {len(missed)} missed")
    for check, case, figure, _studies, share, *_bounds, at_least, at_most, _verdict in missed:
        print(
            f"{check}, {case}: {figure} {share:.1%}, not {at_least:.0%} to {at_most:.0%}".replace("%", " %")
        )


def _parse_check(text: str) -> str:
    if text not in CHECKS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(CHECKS)}")
    return text


def _list_tasks(checks: list[str] | tuple[str, ...], studies: int) -> Iterator[Task]:
    for check in dict.fromkeys(checks):
        for case in import_module(f"cardlab.analysis.validation.{check}").CASES:
            yield check, case, studies


def run_task(task: Task) -> list[tuple[object, ...]]:
    """Returns the rows of a case. Its random numbers depend on the names of check and case alone."""
    import numpy as np

    check, case, studies = task
    simulate = import_module(f"cardlab.analysis.validation.{check}").CASES[case]
    rng = np.random.default_rng(zlib.crc32(f"{check}, {case}".encode()))
    return [(check, case, *figure.cells) for figure in simulate(rng, studies)]
