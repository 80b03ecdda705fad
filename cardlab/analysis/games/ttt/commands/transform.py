"""The command ``transform``: writes the Transform summary of all hands, by participant (ruling 10)."""

import argparse
import itertools
import sys
from collections.abc import Iterable, Sequence
from operator import attrgetter
from pathlib import Path

from cardlab.analysis import cli, sources
from cardlab.analysis.folding import final_state
from cardlab.analysis.games.ttt.logs import LogSourceHand
from cardlab.analysis.output import atomic_file
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.ttt import APPS, board, rules, transform

HELP = "Target the Two: write the Transform summary"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", metavar="LOG", nargs="+", help=cli.SOURCE_HELP)
    parser.add_argument(
        "-o", dest="out", metavar="FILE", type=cli.NAME, help="the file to write; default: the terminal"
    )
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    paths = cli.expand_paths(arguments.sources)
    if arguments.out is None:
        summary = _summary(paths, cli.damage_policy(arguments))
        print("".join(f"{line}\n" for line in summary), end="", flush=True)
        print(f"{_describe_result(summary)} to the standard output", file=sys.stderr)
        return
    with atomic_file(Path(arguments.out), paths) as file:
        summary = _summary(paths, cli.damage_policy(arguments))
        file.writelines(f"{line}\n" for line in summary)
    print(f"{_describe_result(summary)} to {arguments.out}")


def _summary(paths: Sequence[Path], damage: sources.DamagePolicy) -> list[str]:
    hands = sources.read_hands(paths, cli.warn, damage=damage)
    return lines(sources.warn_at_end(hands, cli.warn, "the sequence is the current one"))


def _describe_result(summary: Sequence[str]) -> str:
    return f"Wrote the layout and sequence of {cli.format_count(len(summary) // 2, 'hand')}"


def lines(hands: Iterable[SourceHand]) -> list[str]:
    """Returns two lines for each hand, grouped by participant or by pair.

    The groups are in the order of first occurrence. They must be collected, because a table of actions has
    everybody's first hands, then everybody's second hands. Raises BadFile.
    """
    hands_by_pair: dict[frozenset[str], list[tuple[board.Layout, str]]] = {}
    for codes, own_hands in itertools.groupby(hands, attrgetter("codes")):
        hands_by_pair.setdefault(frozenset(codes), []).extend(map(_play, own_hands))
    return transform.summary(play for own_plays in hands_by_pair.values() for play in own_plays)


def _play(hand: SourceHand) -> tuple[board.Layout, str]:
    """Returns the layout and the sequence of a hand. Raises BadFile."""
    if isinstance(hand, LogSourceHand):
        log = hand.logs.longest
        return log.layout, log.sequence
    return board.parse_deal(hand.deal)[0], final_state(hand, APPS, rules).sequence
