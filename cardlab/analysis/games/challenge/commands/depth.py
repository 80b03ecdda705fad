"""The command ``depth``: tests whether participants look ahead in Challenge, and estimates how far."""

import argparse
from functools import partial

from cardlab.analysis import cli, parallel
from cardlab.analysis.cli import add_strict_argument
from cardlab.analysis.games.challenge import move_search
from cardlab.analysis.table_command import add_search_arguments, run_search
from cardlab.games.challenge import planning

HELP = "Challenge: whether and how far each participant looks ahead"

CHOICES = 200  # default maximum per participant


def declare(parser: argparse.ArgumentParser) -> None:
    add_search_arguments(parser, "depth.csv")
    cli.add_budget_argument(parser, "--choices", CHOICES, "the most moves to search for each participant")
    cli.add_budget_argument(
        parser, "--nodes", planning.NODES, "the most positions to search for a move and depth"
    )
    add_drop_out_argument(parser)
    parallel.add_engine_arguments(parser, "games to search")
    add_strict_argument(parser)


def add_drop_out_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--drop-out",
        action="store_true",
        help="also fit searches with drop-out and pruning, which takes 50 times as long",
    )


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis.games.challenge import depth_table  # its libraries take a second to load

    writer = partial(
        depth_table.write,
        max_choices=arguments.choices,
        nodes=arguments.nodes,
        drop_out=arguments.drop_out,
    )
    run_search(arguments, move_search.search_choices, writer, "participant")
