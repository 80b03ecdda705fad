"""The command ``challenge``: analyses the games of a log, or any position, in the terminal."""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cardlab.analysis.cli import argument_type, format_count, read_text
from cardlab.analysis.games.challenge.terminal import Session, start_at_end, start_set_up
from cardlab.games.challenge import log
from cardlab.games.challenge.options import NUMBERS
from cardlab.games.challenge.packs import SIZES
from cardlab.games.challenge.search import DEPTH
from cardlab.games.contract import BadFile

HELP = "Challenge: analyse games of a log, or any position, in the terminal"
SIZE = 8

_DEPTHS = range(NUMBERS["depth"][0], NUMBERS["depth"][1] + 1)


def _within(numbers: range) -> Callable[[str], Any]:
    return argument_type(int, numbers.__contains__, f"a whole number from {numbers[0]} to {numbers[-1]}")


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", nargs="?", help="a log of games; without it, set up positions")
    parser.add_argument(
        "--depth",
        metavar="N",
        type=_within(_DEPTHS),
        default=DEPTH,
        help=f"the search depth of the computer; default: {DEPTH}",
    )
    parser.add_argument(
        "--size", metavar="N", type=_within(SIZES), help=f"cards of each suit to set up; default: {SIZE}"
    )


def run(arguments: argparse.Namespace) -> None:
    if arguments.log is None:
        starts = [start_set_up(arguments.size or SIZE)]
    elif arguments.size:
        raise BadFile(arguments.log, "Do not use --size with a log, because its games have their own size.")
    else:
        games = log.read(read_text(Path(arguments.log)), arguments.log)
        starts = [
            start_at_end(game, f"Game {number} of {len(games)}, line {game.line}")
            for number, game in enumerate(games, 1)
        ]
        print(f"{format_count(len(games), 'game')} in {arguments.log}")
    print("Type !i for instructions, !w for the list of commands.")
    session = Session(starts, arguments.depth, print, again=arguments.log is None)
    for line in _lines():
        session.handle_line(line)
        if session.over:
            break


def _lines() -> Iterator[str]:
    """Yields the typed lines up to the end of the input, and prints them if they come from a file."""
    from_file = not sys.stdin.isatty()
    while True:
        try:
            line = input("> ")
        except EOFError:
            print()
            return
        if from_file:
            print(line)
        yield line
