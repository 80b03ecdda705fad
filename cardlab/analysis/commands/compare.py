"""The command ``compare``: compares conditions, measure by measure."""

import argparse

from cardlab.analysis.cli import format_count
from cardlab.analysis.table_command import add_frame_arguments, write_frame

HELP = "compare conditions: differences, intervals, effect sizes, p values"


def declare(parser: argparse.ArgumentParser) -> None:
    add_frame_arguments(parser, "compare.csv")
    parser.add_argument(
        "--measure",
        metavar="NAME",
        action="append",
        default=[],
        help="a measure of participants; repeatable; default all",
    )


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import compare  # its libraries take a second to load

    data, table = write_frame(arguments, lambda data: compare.build_table(data, arguments.measure))
    conditions = format_count(data.participants["condition"].nunique(), "condition")
    print(f"Wrote {format_count(table['measure'].nunique(), 'measure')} of {conditions} to {arguments.out}")
