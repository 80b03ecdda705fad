"""The command ``board``: opens hands on an analysis board in the browser."""

import argparse
import webbrowser

from cardlab.analysis.board import page
from cardlab.analysis.board.api import Board
from cardlab.analysis.board.server import BoardServer
from cardlab.analysis.board.starts import read_starts
from cardlab.analysis.board.values import Evaluator
from cardlab.analysis.cli import add_settings_argument, argument_type, format_count, warn
from cardlab.analysis.simulation import plan
from cardlab.games.registry import games_by_name

HELP = "analyse hands on a board in the browser: step, branch, and see what each move is worth"

PORT = argument_type(int, range(65_536).__contains__, "a whole number from 0 to 65535")


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="+",
        help="tables of actions (custom_export), logs, a file of deals, or a deal as text",
    )
    parser.add_argument(
        "--game",
        metavar="GAME",
        choices=[*games_by_name()],
        help=f"the files are deals of this game: {', '.join(games_by_name())}",
    )
    add_settings_argument(parser, "a setting of the deals, such as pack=tarocco")
    parser.add_argument(
        "--port", metavar="N", type=PORT, default=0, help="the port of the page; by default a free one"
    )
    parser.add_argument("--no-open", action="store_true", help="only print the address")


def run(arguments: argparse.Namespace) -> None:
    page.check_files()
    settings = plan.parse_settings(arguments.settings)
    starts = read_starts(arguments.sources, arguments.game, settings, warn)
    evaluator = Evaluator()
    server = BoardServer(Board(starts, evaluator), arguments.port)
    try:
        print(f"{format_count(len(starts), 'hand')}: {server.address}", flush=True)
        print("Keep this window open. To end, press Ctrl-C.", flush=True)
        if not arguments.no_open:
            webbrowser.open(server.address)
        server.serve_forever()
    except KeyboardInterrupt:
        print("Ended.")
    finally:
        server.server_close()
        evaluator.close()
