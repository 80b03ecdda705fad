"""The command ``winnability``: counts the deals of Solitario that can be won with all cards known."""

import argparse
import csv
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from cardlab.analysis import cli, parallel
from cardlab.analysis.cli import NUMBER, format_count
from cardlab.analysis.output import atomic_file
from cardlab.games.columns import Integer
from cardlab.games.contract import BadFile
from cardlab.games.solitario.deal import draw_deal
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.solver import dealt, decide

HELP = "how many deals of Solitario can be won with all cards known"

KINDS = {f"{pack}-{draw}": (pack, draw) for pack in PACKS for draw in (1, 3)}
SEED = "winnability"
NODES = 2_000_000
BLOCK = 200  # deals per task; the file is written after each task

Task = tuple[str, int, str, int, int, int]  # pack, draw, seed, number of the first deal, deals, nodes


@dataclass(frozen=True)
class Tally:
    """A row of the file: counts for the first ``deals`` deals of a kind. The seed and number give a deal."""

    pack: str
    draw: int
    seed: str
    nodes: int
    deals: int = 0
    solvable: int = 0
    unsolvable: int = 0

    @property
    def undecided(self) -> int:
        """The number of deals for which the search reached its limit."""
        return self.deals - self.solvable - self.unsolvable


COLUMNS = {
    "pack": "the pack: briscola, tarocco or french",
    "draw": Integer("cards drawn from the stock at a time"),
    "seed": "the seed of the deals",
    "nodes": Integer("the most positions to search for each deal"),
    "deals": Integer("deals searched: those with the numbers from 1 to this"),
    "solvable": Integer("those that can be won with all cards known"),
    "unsolvable": Integer("those that cannot; the search did not decide the others"),
}


def argument_kind(text: str) -> str:
    """Returns a name of ``KINDS``. Raises ArgumentTypeError."""
    if text not in KINDS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(KINDS)}")
    return text


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kinds", metavar="KIND", nargs="*", type=argument_kind, help=f"{', '.join(KINDS)}; default: all"
    )
    parser.add_argument(
        "--resume", metavar="FILE", type=Path, required=True, help="the table, continued if it exists"
    )
    parser.add_argument(
        "--deals", metavar="N", type=NUMBER, default=10_000, help="deals of each kind; default: 10000"
    )
    cli.add_budget_argument(
        parser, "--nodes", NODES, "the most positions to search for each deal of a new table"
    )
    parallel.add_engine_arguments(parser, "deals to search")


def run(arguments: argparse.Namespace) -> None:
    path, tallies = arguments.resume, dict[str, Tally]()
    if path.exists():
        tallies = read_tallies(path)
    kinds = arguments.kinds or [*KINDS]
    for kind in kinds:
        tallies.setdefault(kind, Tally(*KINDS[kind], SEED, arguments.nodes))
    tasks = list(_tasks([tallies[kind] for kind in kinds], arguments.deals))
    with parallel.open_engine(arguments, count_solvable) as compute:
        results = parallel.show_progress(compute(tasks), len(tasks), "Blocks searched")
        for (pack, draw, *_seed, deals, _nodes), (solvable, unsolvable) in zip(tasks, results):
            tally = tallies[f"{pack}-{draw}"]
            tallies[f"{pack}-{draw}"] = replace(
                tally,
                deals=tally.deals + deals,
                solvable=tally.solvable + solvable,
                unsolvable=tally.unsolvable + unsolvable,
            )
            _write(path, tallies)
    print(f"{path} has {format_count(sum(tally.deals for tally in tallies.values()), 'deal')}.")
    print(*table(tallies), sep="\n")


def _tasks(tallies: list[Tally], deals: int) -> Iterator[Task]:
    """Yields the missing blocks, alternating between the kinds."""
    for first_deal in range(1, deals + 1, BLOCK):
        for tally in tallies:
            start, end = max(first_deal, tally.deals + 1), min(first_deal + BLOCK - 1, deals)
            if start <= end:
                yield tally.pack, tally.draw, tally.seed, start, end - start + 1, tally.nodes


def count_solvable(task: Task) -> tuple[int, int]:
    """Returns the number of deals of a block that can be won, and of those that cannot."""
    name, draw, seed, first_deal, deals, nodes = task
    pack, answers = PACKS[name], []
    for number in range(first_deal, first_deal + deals):
        deal = draw_deal(f"{seed} {number}", pack)
        position = dealt(deal.columns, deal.stock)
        answers.append(decide(position, pack, draw=draw, ace_on_two=name == "french", nodes=nodes))
    return answers.count(True), answers.count(False)


def read_tallies(path: Path) -> dict[str, Tally]:
    """Returns the rows of the file by kind. Raises BadFile."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [*csv.DictReader(file)]
        tallies = [
            Tally(row["pack"], int(row["draw"]), row["seed"], *(int(row[name]) for name in [*COLUMNS][3:]))
            for row in rows
        ]
        return {f"{tally.pack}-{tally.draw}": tally for tally in tallies}
    except (KeyError, ValueError):
        raise BadFile(str(path), "This is not a table of the command winnability.") from None


def _write(path: Path, tallies: dict[str, Tally]) -> None:
    with atomic_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(astuple(tally) for tally in tallies.values())


def table(tallies: dict[str, Tally]) -> Iterator[str]:
    """Yields the lines of a Markdown table with the share of deals that can be won and its 95 % interval.

    The interval counts undecided deals as lost at its lower end and as won at its upper end.
    """
    from cardlab.analysis.inference.intervals import wilson_interval  # its libraries take a second to load

    yield "| Pack, cards per draw | Deals | Can be won | Undecided | 95 % interval |"
    yield "|---|---:|---:|---:|---:|"
    for tally in filter(lambda tally: tally.deals, tallies.values()):
        low = wilson_interval(tally.solvable, tally.deals).low
        high = wilson_interval(tally.deals - tally.unsolvable, tally.deals).high
        yield (
            f"| {tally.pack.capitalize()}, {tally.draw} | {tally.deals:,} | {tally.solvable:,} "
            f"({tally.solvable / tally.deals:.2%}) | {tally.undecided:,} | {low:.2%} to {high:.2%} |"
        ).replace("%", " %")
