"""The command ``compare``: compares conditions, measure by measure."""

from __future__ import annotations

import argparse
from math import inf
from typing import TYPE_CHECKING

from cardlab.analysis import cli
from cardlab.analysis.cli import format_count
from cardlab.analysis.table_command import add_frame_arguments, write_frame
from cardlab.games.contract import BadFile

if TYPE_CHECKING:
    import pandas as pd

    from cardlab.analysis.report.data import ReportData

HELP = "compare conditions, or within persons: differences, intervals, effect sizes, p values"


def declare(parser: argparse.ArgumentParser) -> None:
    add_frame_arguments(parser, "compare.csv")
    parser.add_argument(
        "--within",
        metavar="COLUMN",
        default="",
        help="compare each person's hands between the values of a column, such as phase or tempting",
    )
    parser.add_argument(
        "--same-deals",
        action="store_true",
        help="count only hands with deals that were played in every condition",
    )
    parser.add_argument(
        "--measure",
        metavar="NAME",
        action="append",
        default=[],
        help="a primary measure, chosen before the data were seen; repeatable",
    )
    parser.add_argument(
        "--adjust",
        choices=("holm", "fdr"),
        help="how p values of secondary measures are adjusted within their family: holm (default), or fdr "
        "by Benjamini and Hochberg",
    )
    parser.add_argument(
        "--equivalence",
        metavar="NAME=BOUND",
        action="append",
        default=[],
        help="test whether the conditions are equivalent in a measure: BOUND is the smallest difference of "
        "interest, or for times the smallest ratio, such as 1.1; repeatable",
    )
    parser.add_argument(
        "--bayes-factors",
        action="store_true",
        help="add Bayes factors of t (Cauchy prior, scale 0.707)",
    )
    cli.add_preregistration_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import compare, within  # its libraries take a second to load
    from cardlab.analysis.preregistration.arguments import apply_preregistration
    from cardlab.analysis.preregistration.review import review

    document = apply_preregistration(arguments)
    bounds = dict(_parse_bound(text) for text in arguments.equivalence)
    levels: pd.DataFrame | None = None

    def build(data: ReportData) -> pd.DataFrame:
        nonlocal levels
        if arguments.within:
            levels = within.measure_levels(data, arguments.within)
        return compare.build_table(
            data, arguments.measure, arguments.adjust or "holm", bounds, levels, arguments.bayes_factors
        )

    rules = document.plan.exclusions if document else ()
    data, table = write_frame(arguments, build, rules)
    people, noun = (data.participants, "condition") if levels is None else (levels, "level")
    conditions = format_count(people["condition"].nunique(), noun)
    print(f"Wrote {format_count(table['measure'].nunique(), 'measure')} of {conditions} to {arguments.out}")
    if compare.deals_differ(data, levels):
        print(compare.CONFOUNDED)
    for name in sorted({*arguments.measure, *bounds} - {*table["measure"]}):
        cli.warn(f"{name} is not compared: it is text, or fewer than two {noun}s have a value.")
    if not arguments.measure:
        print("No measure is primary: name the one that answers your question with --measure.")
    if document:
        planned = review(document, data)
        for result in planned.results.itertuples():
            print(cli.to_one_line(f"{result.measure}, {result.prediction}: {result.result}"))
        for sentence in planned.deviations:
            cli.warn(f"Not as planned: {sentence}")


def _parse_bound(text: str) -> tuple[str, float]:
    """Returns the measure and the bound of an option like ``mean_moves=0.5``. Raises BadFile."""
    name, _sign, number = text.partition("=")
    try:
        bound = float(number)
    except ValueError:
        bound = 0.0
    if not 0 < bound < inf:
        raise BadFile("--equivalence", f"{text!r} is not like mean_moves=0.5, with a number above 0.")
    return name, bound
