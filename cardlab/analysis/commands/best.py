"""The command ``best``: searches for the best result of each deal."""

import argparse
from functools import partial
from pathlib import Path

from cardlab.analysis import best, cli, parallel, table_command
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
    cli.add_output_argument(parser, "best.csv")
    parser.add_argument(
        "--game",
        metavar="GAME",
        choices=[*best.searchable_games()],
        help="the files are deal files of this game",
    )
    cli.add_settings_argument(parser, "a setting of the deals, such as pack=tarocco")
    defaults = ", ".join(
        f"{game.title} {best.search_module(name).NODES}" for name, game in best.searchable_games().items()
    )
    help_text = f"the most positions to search for each deal; default: {defaults}"
    parser.add_argument("--nodes", metavar="N", type=cli.BUDGET, help=help_text)
    for search in modules("best"):
        search.declare(parser)
    parallel.add_engine_arguments(parser, "deals to search")
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    if arguments.settings and not arguments.game:
        raise BadFile(
            "--set", "Use settings only with --game and files of deals. Hands have their own settings."
        )
    if arguments.game:
        _search_deals(arguments)
    else:
        writer = partial(best.write_hands, arguments=arguments)
        table_command.run_search(arguments, best.search_task, writer, "hand")


def _search_deals(arguments: argparse.Namespace) -> None:
    game, settings = games_by_name()[arguments.game], plan.parse_settings(arguments.settings)
    files, requests = source_files.deal_file_reader(game.name), []
    for name in arguments.sources:
        requests += best.requests_from_deals(load_simulation(game).hands(settings, name, None, "", files))
    with (
        table_file(Path(arguments.out), files.paths) as file,
        parallel.open_engine(arguments, best.search_task) as compute,
    ):
        row_count = best.write_table(game, requests, best.DEAL_COLUMNS, compute, file, arguments)
    print(f"Wrote {cli.format_count(row_count, 'deal')} to {arguments.out}")
