"""The command ``replay``: writes hands as an HTML file to step through."""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from cardlab.analysis import browser_events, cli, replay, sources
from cardlab.analysis.output import atomic_file

HELP = "replay hands step by step in one HTML file"


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--hand", metavar="HAND_ID", help="one hand; for logs PARTICIPANT-NUMBER, such as Anna-3"
    )
    which.add_argument("--participant", metavar="CODE", help="all hands of a participant")
    parser.add_argument(
        "--seat", metavar="SEAT", help="the seat whose view is shown; default: the participant's"
    )
    parser.add_argument(
        "-o",
        dest="out",
        metavar="FILE",
        type=cli.NAME,
        default="replay.html",
        help="the file to write; default: replay.html",
    )
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    with ExitStack() as stack:
        opened = [stack.enter_context(cli.opened_archive(Path(name))) for name in arguments.sources]
        _write(arguments, cli.expand_paths([str(path) for path in opened]))


def _write(arguments: argparse.Namespace, paths: Sequence[Path]) -> None:
    choice = {"hand_id": arguments.hand, "participant": arguments.participant, "seat": arguments.seat}
    reported = browser_events.read_browser_events(paths)
    with atomic_file(Path(arguments.out), paths) as file:
        hands = sources.read_hands(paths, cli.warn, damage=cli.damage_policy(arguments))
        hand_count = replay.write_page(hands, file, **choice, reported=reported)
    print(f"Wrote {cli.format_count(hand_count, 'hand')} to {arguments.out}")
