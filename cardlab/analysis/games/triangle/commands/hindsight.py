"""The command ``hindsight``: computes the loss of each placement of Triangle Solitaire."""

import argparse
from collections.abc import Iterable
from functools import partial
from typing import TextIO

from cardlab.analysis import best, parallel
from cardlab.analysis.cli import add_budget_argument, add_strict_argument
from cardlab.analysis.folding import history
from cardlab.analysis.games.triangle import losses
from cardlab.analysis.games.triangle.losses import Task
from cardlab.analysis.output import write_rows
from cardlab.analysis.source_hand import SourceHand
from cardlab.analysis.table_command import add_search_arguments, run_search
from cardlab.games.tables import guard_formula
from cardlab.games.triangle import APPS, rules
from cardlab.games.triangle.measures import PLACEMENT_COLUMNS, placement_rows

HELP = "Triangle Solitaire: what each placement lost"

COLUMNS = {
    **best.COLUMNS,
    **{name: PLACEMENT_COLUMNS[name] for name in ("card_number", "card", "action", "place", "fitted")},
    **losses.COLUMNS,
}


def declare(parser: argparse.ArgumentParser) -> None:
    add_search_arguments(parser, "hindsight.csv")
    add_budget_argument(parser, "--nodes", losses.NODES, "the most positions to search for a card")
    parallel.add_engine_arguments(parser, "hands to search")
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    writer = partial(write, nodes=arguments.nodes)
    run_search(arguments, losses.find_reachable_scores, writer, "placement")


def write(hands: Iterable[SourceHand], compute: parallel.Compute, file: TextIO, nodes: int) -> int:
    """Writes a row for each card as CSV and returns the number of rows. Equal hands are searched once."""
    hands_read = []
    for hand in hands:
        hand.check_app(APPS)
        placements = list(placement_rows(history(hand, rules)))
        actions = tuple(placement["action"] for placement in placements)
        hands_read.append((hand, placements, Task(hand.deal, actions, nodes)))
    tasks = [*dict.fromkeys(task for _hand, _placements, task in hands_read)]
    scores_by_task = dict(zip(tasks, parallel.show_progress(compute(tasks), len(tasks), "Hands searched")))
    rows = []
    for hand, placements, task in hands_read:
        identity = {**hand.cells, "participant_label": guard_formula(hand.cells["participant_label"])}
        for placement in placements:
            row = {**identity, **placement, **losses.cells(scores_by_task[task], placement["card_number"])}
            rows.append([row[name] for name in COLUMNS])
    return write_rows(file, COLUMNS, rows)
