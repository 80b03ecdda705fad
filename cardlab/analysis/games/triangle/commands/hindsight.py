"""``python -m cardlab.analysis hindsight``: what each placement of Triangle Solitaire lost, by the oracle."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from cardlab.analysis import best, parallel, sources
from cardlab.analysis.command import NAME, count, damage_of, expanded, takes_strict, warn
from cardlab.analysis.folding import history
from cardlab.analysis.games.triangle import losses
from cardlab.analysis.games.triangle.best import SECONDS
from cardlab.analysis.games.triangle.losses import Task
from cardlab.analysis.hands import game_of
from cardlab.analysis.output import whole_file
from cardlab.analysis.source_hand import ToldHand
from cardlab.games.tables import guard_formula
from cardlab.games.triangle import APPS, rules
from cardlab.games.triangle.measures import PLACEMENT_COLUMNS, placements_of

HELP = "Triangle Solitaire: what each placement lost, and what was still possible then"

COLUMNS = {
    **best.COLUMNS,
    **{name: PLACEMENT_COLUMNS[name] for name in ("card_number", "card", "action", "place", "fitted")},
    **losses.COLUMNS,
}


def declare(one: argparse.ArgumentParser) -> None:
    one.add_argument("sources", metavar="FILE", nargs="+", help="a table of actions (custom_export)")
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=NAME, required=True, help="where to write, like hindsight.csv"
    )
    one.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=SECONDS,
        default=10,
        help="for each moment that is searched; 10",
    )
    parallel.declare(one, "hands that are searched")
    takes_strict(one)


def run(arguments: argparse.Namespace) -> None:
    paths = expanded(arguments.sources)
    with (
        whole_file(Path(arguments.out), paths) as file,
        parallel.chosen(arguments, losses.possibles) as compute,
    ):
        told = sources.hands(paths, warn, damage=damage_of(arguments))
        written = write(told, arguments.time_limit, compute, file)
    print(f"Wrote {count(written, 'placement')} to {arguments.out}")


def write(hands: Iterable[ToldHand], time_limit: float, compute: parallel.Compute, file: TextIO) -> int:
    """Write the table as CSV, a row for each card; the number of rows. Who played alike is searched once."""
    told = []
    for hand in hands:
        if game_of(hand).apps != APPS:
            raise hand.bad(
                f"This is a hand of {hand.cells['app']}; only hands of {APPS[0]} can be read here."
            )
        placements = list(placements_of(history(hand, rules)))
        actions = tuple(placement["action"] for placement in placements)
        told.append((hand, placements, Task(hand.deal, actions, time_limit)))
    tasks = [*dict.fromkeys(task for _hand, _placements, task in told)]
    found = dict(zip(tasks, parallel.with_progress(compute(tasks), len(tasks), "Hands searched")))
    table, written = csv.writer(file, lineterminator="\n"), 0
    table.writerow(COLUMNS)
    for hand, placements, task in told:
        who = {**hand.cells, "participant_label": guard_formula(hand.cells["participant_label"])}
        for placement in placements:
            row = {**who, **placement, **losses.cells(found[task], placement["card_number"])}
            table.writerow([row[name] for name in COLUMNS])
            written += 1
    return written
