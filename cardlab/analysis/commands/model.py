"""The command ``model``: writes the table for mixed models."""

import argparse

from cardlab.analysis.cli import NUMBER, format_count
from cardlab.analysis.table_command import add_frame_arguments, write_frame

HELP = "one row per hand for mixed models"
PER = ("hand", "participant")


def declare(parser: argparse.ArgumentParser) -> None:
    add_frame_arguments(parser, "model.csv")
    parser.add_argument("--block", metavar="HANDS", type=NUMBER, default=8, help="hands in a block; 8")
    parser.add_argument(
        "--per",
        choices=PER,
        default=PER[0],
        help="games for several: a row per hand, or per hand and participant; hand",
    )


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import model  # its libraries take a second to load

    _data, table = write_frame(
        arguments, lambda data: model.build_table(data, arguments.block, arguments.per)
    )
    print(f"Wrote {format_count(len(table), 'row')} to {arguments.out}")
