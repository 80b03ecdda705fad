"""``python -m cardlab.analysis best``: what each deal allows."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis import best, parallel, sources
from cardlab.analysis.cli import (
    add_output_argument,
    add_strict_argument,
    damage_policy,
    expand_paths,
    format_count,
    warn,
)
from cardlab.analysis.games import modules
from cardlab.analysis.output import table_file
from cardlab.analysis.simulation import plan, source_files
from cardlab.games.contract import BadFile
from cardlab.games.registry import games_by_name
from cardlab.games.simulation import load_simulation

HELP = f"best result of each deal ({', '.join(game.title for game in best.searchable_games().values())})"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        metavar="FILE",
        nargs="+",
        help="a table of actions (custom_export), or with --game a deal file",
    )
    add_output_argument(parser, "best.csv")
    parser.add_argument(
        "--game",
        metavar="GAME",
        choices=[*best.searchable_games()],
        help="the files are deal files of this game",
    )
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting of the deals, such as pack=tarocco",
    )
    for own in modules("best"):
        own.declare(parser)
    parallel.add_engine_arguments(parser, "deals to search")
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    if arguments.settings and not arguments.game:
        raise BadFile(
            "--set", "Use settings only with --game and files of deals. Hands have their own settings."
        )
    if arguments.game:
        _deals(arguments)
    else:
        _hands(arguments)


def _hands(arguments: argparse.Namespace) -> None:
    paths = expand_paths(arguments.sources)
    with (
        table_file(Path(arguments.out), paths) as file,
        parallel.open_engine(arguments, best.search_task) as compute,
    ):
        game, asked = best.requests_from_hands(
            sources.read_hands(paths, warn, damage=damage_policy(arguments))
        )
        effort = best.search_module(game.name).effort(arguments)
        written = best.write_table(game, asked, effort, best.COLUMNS, compute, file)
    print(f"Wrote {format_count(written, 'hand')} to {arguments.out}")


def _deals(arguments: argparse.Namespace) -> None:
    game, settings = games_by_name()[arguments.game], plan.parse_settings(arguments.settings)
    files, asked = source_files.deal_file_reader(game.name), []
    for name in arguments.sources:
        asked += best.requests_from_deals(load_simulation(game).hands(settings, name, None, "", files))
    with (
        table_file(Path(arguments.out), files.paths) as file,
        parallel.open_engine(arguments, best.search_task) as compute,
    ):
        effort = best.search_module(game.name).effort(arguments)
        written = best.write_table(game, asked, effort, best.DEAL_COLUMNS, compute, file)
    print(f"Wrote {format_count(written, 'deal')} to {arguments.out}")
