"""The command ``solve``: computes the best play for each hand of a show file of Target the Two."""

import argparse
import csv
from pathlib import Path
from typing import Any, TextIO

from cardlab.analysis.cli import add_output_argument, format_count, read_text, warn
from cardlab.analysis.output import table_file
from cardlab.analysis.sources import Warn
from cardlab.games.cards import TTT_PACK
from cardlab.games.columns import Integer, Number
from cardlab.games.contract import BadFile
from cardlab.games.ttt import belief, board, measures, routes, show_file, solver
from cardlab.games.ttt.belief import VIEWS
from cardlab.games.ttt.board import KEEPERS
from cardlab.games.ttt.settings_file import KEYS

HELP = "Target the Two: the best play for each hand of a show file"

COLUMNS = {
    "hand": Integer("number of the hand in the show file"),
    **{name: measures.COLUMNS[name] for name in ("layout", "goal", "first", "least_moves")},
    "shortest": "a shortest sequence; the first in the order U C N T P",
    "expected_moves": Number(
        "least expected number of moves under ViewCard with perfect memory: a mean over "
        "all layouts that look alike, so it can be below `least_moves`"
    ),
    "moves_422": Integer(
        "the fewest moves by this route with all cards known; empty unless 4C is in Target and the goal is 2H"
    ),
    "moves_442": Integer(
        "the fewest moves by this route with all cards known; empty unless 4C is in Target and the goal is 2H"
    ),
    **{
        f"problem_{name}": (
            "the kind of problem if this route is familiar (Luchins 1942): `practice` if it costs nothing "
            "under ViewCard, `critical` if it does, `extinction` if it cannot solve the hand"
        )
        for name in routes.ROUTES
    },
}


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("show", metavar="SHOWFILE", help="a show file, such as those in deals/ttt/")
    add_output_argument(parser, "solve.csv")
    parser.add_argument(
        "--order",
        choices=("linear", "circular"),
        default="linear",
        help="the order of the cards, if the file names none; default: linear",
    )
    parser.add_argument(
        "--view", choices=VIEWS, default="all", help="the ViewCard of expected_moves; default: all"
    )
    parser.add_argument(
        "--goal", choices=TTT_PACK, default="2H", help="the goal, if the file names none; default: 2H"
    )
    parser.add_argument(
        "--first", choices=KEEPERS, default="ck", help="the first mover, if the file names none; default: ck"
    )


def run(arguments: argparse.Namespace) -> None:
    show = Path(arguments.show)
    with table_file(Path(arguments.out), [show]) as file:
        row_count = write(
            show,
            file,
            warn,
            order=arguments.order.upper(),
            goal=arguments.goal,
            first_move=arguments.first,
            view_card=arguments.view,
        )
    print(f"Wrote {format_count(row_count, 'hand')} to {arguments.out}")


def write(
    show: Path,
    file: TextIO,
    warn: Warn,
    *,
    order: str = KEYS["syntaxinput"].default,
    goal: str = KEYS["Goal"].default,
    first_move: str = KEYS["FirstMove"].default,
    view_card: str = KEYS["ViewCard"].default,
) -> int:
    """Writes the table as CSV, one row per hand, and returns the number of hands.

    Parameters:
        show: the show file.
        file: the table.
        warn: is called with each warning.
        order: the order of the cards unless the file has its own, like the setting syntaxinput.
        goal: the goal of hands for which the file has none, like the setting Goal.
        first_move: the first mover of such hands, like the setting FirstMove.
        view_card: all, mix or none, for the expected number of moves.

    Raises:
        BadFile: if the file is not a valid show file.
    """
    show_files = show_file.read(_text(show), str(show), order=order, goal=goal, first=first_move)
    for warning in show_files.warnings:
        warn(warning)
    rows = csv.DictWriter(file, list(COLUMNS), restval="", extrasaction="ignore", lineterminator="\n")
    rows.writeheader()
    for number, deal in enumerate(show_files.hands, start=1):
        rows.writerow({"hand": number, **row(*board.parse_deal(deal), view_card)})
    return len(show_files.hands)


def row(layout: board.Layout, goal: str, first_move: str, view_card: str) -> dict[str, Any]:
    """Returns the cells of a hand except its number."""
    by_route = routes.route_moves(layout, goal, first_move)
    return {
        **measures.deal_measures(layout, goal, first_move),
        "shortest": solver.shortest(layout, goal, first_move),
        "expected_moves": f"{float(belief.expected_moves(layout, goal, first_move, view_card)):.6f}",
        **{f"moves_{name}": moves for name, moves in by_route.items()},
        **{
            f"problem_{name}": _kind_of_problem(name, layout, goal, first_move, view_card)
            for name in routes.ROUTES
        },
    }


def _kind_of_problem(name: str, layout: board.Layout, goal: str, first_move: str, view_card: str) -> str:
    if not routes.compete(layout[board.TARGET], goal):
        return "extinction"
    is_costly = routes.extra_moves(name, belief.after_deal(layout, first_move, view_card)) > 0
    return "critical" if is_costly else "practice"


def _text(path: Path) -> str:
    if path.is_dir():
        raise BadFile(str(path), "This is a folder. Name a show file in it.")
    if not path.exists():
        raise BadFile(str(path), "There is no such file.")
    return read_text(path)
