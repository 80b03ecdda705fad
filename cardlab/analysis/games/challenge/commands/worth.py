"""The command ``worth``: computes the value of each move of Challenge by search."""

import argparse
from collections.abc import Iterable
from functools import partial
from typing import Any, TextIO

from cardlab.analysis import best, cli, parallel
from cardlab.analysis.cli import add_strict_argument, argument_type
from cardlab.analysis.games.challenge import move_search
from cardlab.analysis.games.challenge.move_search import Worth
from cardlab.analysis.output import write_rows
from cardlab.analysis.source_hand import SourceHand
from cardlab.analysis.table_command import add_search_arguments, run_search
from cardlab.games.challenge.measures import MOVE_COLUMNS, Move, moves_of
from cardlab.games.columns import Integer, YesNo
from cardlab.games.tables import guard_formula

HELP = "Challenge: the value of each move"

DEPTH, NODES = 6, 50_000
DEPTHS = argument_type(int, range(21).__contains__, "a whole number from 0 to 20")

COLUMNS = {
    **best.COLUMNS,
    **{name: MOVE_COLUMNS[name] for name in ("move_number", "seat", "by", "move", "could_play", "advised")},
    "best_move": "the best move",
    "worth_before": Integer(
        "value of the position to the seat in points of the evaluation; 500 if it is won, −500 if lost"
    ),
    "worth_after": Integer("value after the move"),
    "loss": Integer("`worth_before` minus `worth_after`"),
    "result_before": "`won`, `drawn` or `lost` with best play; empty if unknown",
    "result_after": "`won`, `drawn` or `lost` after the move",
    "source": (
        "how value and result before the move are known: `exact` (all positions of the pack are solved), "
        "`proved` (a forced win or loss), or `searched depth` and a number"
    ),
    "source_after": "how value and result after the move are known",
    "kept_win": YesNo("1 if a won position stayed won, 0 if not; else empty"),
}


def declare(parser: argparse.ArgumentParser) -> None:
    add_search_arguments(parser, "worth.csv")
    parser.add_argument(
        "--depth",
        metavar="D",
        type=DEPTHS,
        default=DEPTH,
        help=f"the number of actions to look ahead; default: {DEPTH}",
    )
    cli.add_budget_argument(parser, "--nodes", NODES, "the most positions to search for a move")
    parallel.add_engine_arguments(parser, "games to search")
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    writer = partial(write, depth=arguments.depth, nodes=arguments.nodes)
    run_search(arguments, move_search.value_moves, writer, "move")


def write(
    hands: Iterable[SourceHand], compute: parallel.Compute, file: TextIO, depth: int, nodes: int
) -> int:
    """Writes a row for each move of both seats as CSV and returns the number of rows."""
    games: list[tuple[SourceHand, list[Move]]] = []
    tasks = []
    for hand, history in move_search.played_games(hands):
        moves = moves_of(history)
        games.append((hand, moves))
        tasks.append(move_search.make_task(history, range(len(moves)), depth, nodes))
    results = parallel.show_progress(compute(tasks), len(tasks), "Games searched")
    rows = (
        _cells(hand, number, move, worth)
        for (hand, moves), scores in zip(games, results)
        for number, (move, worth) in enumerate(zip(moves, scores), 1)
    )
    return write_rows(file, COLUMNS, rows)


def _cells(hand: SourceHand, number: int, move: Move, worth: Worth) -> list[Any]:
    identity = {**hand.cells, **hand.participant_cells(move.seat)}
    identity["participant_label"] = guard_formula(identity["participant_label"])
    return [
        *(identity[name] for name in best.COLUMNS),
        *(number, move.seat, move.by, move.move, move.could_play, int(move.advised)),
        *(worth.best, worth.before.worth, worth.after.worth, worth.loss),
        *(worth.before.result, worth.after.result, worth.before.source, worth.after.source),
        "" if worth.kept is None else int(worth.kept),
    ]
