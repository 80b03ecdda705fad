"""Measures how many deals of Solitario the solver decides in five seconds, and how many are solvable.

    .venv/bin/python benchmarks/solitario_solver.py               # a hundred deals of each kind
    .venv/bin/python benchmarks/solitario_solver.py tarocco-3 --deals 1000 --jobs 2
    .venv/bin/python benchmarks/solitario_solver.py --ratio       # compiled to plain

Deals are drawn by seeds 1, 2, …; each is solved in a single process. Exit code 1 if a bar is missed.
docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import subprocess
import sys
import time
from math import sqrt
from multiprocessing import Pool
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.solver import Position, dealt, solve

SECONDS = 5.0  # for a deal
BAR = 0.999  # share of the deals that must be decided in this time
MOST = 16_000_000  # nodes of a deal, at most; they take longer than ``SECONDS``
RATIO = 30  # nodes a second, compiled to plain, at least
PUBLISHED = 0.8195  # share of the French deals with three cards a draw that are solvable


class Kind(NamedTuple):
    """One kind of deal."""

    name: str
    pack: str
    draw: int
    ace_on_two: bool


KINDS = {
    kind.name: kind
    for kind in (
        Kind("briscola-1", "briscola", 1, False),
        Kind("tarocco-1", "tarocco", 1, False),
        Kind("french-3", "french", 3, True),
        Kind("briscola-3", "briscola", 3, False),
        Kind("tarocco-3", "tarocco", 3, False),
        Kind("french-1", "french", 1, True),
    )
}


def deal(pack: str, seed: int) -> Position:
    """Returns columns of one to seven cards and the stock, shuffled by the seed."""
    cards = list(PACKS[pack].cards)
    random.Random(seed).shuffle(cards)
    columns = [[cards.pop() for _card in range(size)] for size in range(1, 8)]
    return dealt(columns, cards)


def load_compiled() -> None:
    """Compiles the solver, or loads it from the cache, so that no deal waits for it."""
    timed((KINDS["tarocco-3"], 1, 100))


def timed(work: tuple[Kind, int, int]) -> tuple[int, bool | None, int, float]:
    """Solves one deal; returns its seed, whether it is solvable (None: undecided), nodes and seconds."""
    kind, seed, nodes = work
    position = deal(kind.pack, seed)
    began = time.perf_counter()
    found = solve(position, PACKS[kind.pack], draw=kind.draw, ace_on_two=kind.ace_on_two, nodes=nodes)
    return seed, found.solvable, found.nodes, time.perf_counter() - began


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Returns the 95 % Wilson score interval of a share."""
    z = 1.959964
    middle = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * sqrt(part * (whole - part) / whole + z * z / 4)
    return middle - half, middle + half


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)} (all)")
    parser.add_argument("--deals", type=int, default=100, help="of each kind (100)")
    parser.add_argument("--first", type=int, default=1, help="the first deal's seed (1)")
    parser.add_argument("--nodes", type=int, default=MOST, help=f"positions a deal at most ({MOST:,})")
    parser.add_argument("--jobs", type=int, default=1, help="deals solved side by side, a core each (1)")
    parser.add_argument(
        "--ratio", action="store_true", help="only compare the nodes a second, compiled and plain"
    )
    parser.add_argument(
        "--undecided", action="store_true", help="print the seeds that are not decided in time"
    )
    asked = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    if unknown := set(asked.kinds) - KINDS.keys():
        parser.error(f"there is no kind {', '.join(sorted(unknown))}; choose from {', '.join(KINDS)}")
    if asked.ratio:
        return 0 if compare_modes() else 1
    met = True
    with Pool(asked.jobs, load_compiled) as pool:
        for kind in [KINDS[name] for name in asked.kinds or KINDS]:
            seeds = range(asked.first, asked.first + asked.deals)
            work = [(kind, seed, asked.nodes) for seed in seeds]
            met &= report(kind, list(pool.imap_unordered(timed, work)), asked.undecided)
    return 0 if met else 1


def compare_modes() -> bool:
    """Prints the nodes a second of both modes, from the same deals; returns whether the bar is met."""
    speeds = []
    for mode in ("no", "yes"):
        environment = {**os.environ, "CARD_LAB_COMPILED": mode}
        program = "from benchmarks.solitario_solver import speed; print(speed())"
        found = subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parent.parent,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        speeds.append(float(found.stdout))
    plain, compiled = speeds
    met = compiled >= RATIO * plain
    print(
        f"nodes a second: plain {plain:,.0f}, compiled {compiled:,.0f}, ratio {compiled / plain:.0f}"
        f" (bar {RATIO}: {'met' if met else 'MISSED'})"
    )
    return met


def speed() -> float:
    """Returns the nodes per CPU second of this process, over deals that use nearly the whole budget."""
    pack = PACKS["tarocco"]
    positions = [deal("tarocco", seed) for seed in (20, 60, 121, 318)]
    solve(positions[0], pack, draw=3, nodes=100)  # compiles
    began = time.process_time()
    nodes = sum(solve(position, pack, draw=3, nodes=60_000).nodes for position in positions)
    return nodes / (time.process_time() - began)


def report(kind: Kind, found: list[tuple[int, bool | None, int, float]], undecided: bool) -> bool:
    """Prints the figures of a kind; returns whether the bar is met."""
    deals = len(found)
    in_time = sum(answer is not None and seconds <= SECONDS for _seed, answer, _nodes, seconds in found)
    known = [answer for _seed, answer, _nodes, _seconds in found if answer is not None]
    solvable, open_ = sum(known), deals - len(known)
    # The undecided deals may all be solvable, or none of them.
    least, most = wilson(solvable, deals)[0], wilson(solvable + open_, deals)[1]
    seconds = sorted(seconds for *_rest, seconds in found)
    met = in_time >= BAR * deals
    print(
        f"{kind.name:20} {deals} deals: decided within {SECONDS:g} s {in_time / deals:.2%}"
        f" (bar {BAR:.1%}: {'met' if met else 'MISSED'});"
        f" {solvable} solvable, {len(known) - solvable} not, {open_} undecided"
        f"\n{'':20} share solvable of the decided {solvable / max(1, len(known)):.2%},"
        f" 95 % interval {interval(solvable, len(known))};"
        f" with the undecided either way {least:.2%}–{most:.2%}"
        f"\n{'':20} seconds: median {median(seconds):.3f}, 90 % {seconds[int(0.9 * (deals - 1))]:.2f},"
        f" 99 % {seconds[int(0.99 * (deals - 1))]:.2f}, max {seconds[-1]:.2f}",
        flush=True,
    )
    if kind.pack == "french" and kind.draw == 3:
        held = least <= PUBLISHED <= most
        print(f"{'':20} the published {PUBLISHED:.2%} lies {'inside' if held else 'OUTSIDE'}")
        met &= held
    if undecided:
        slow = [seed for seed, answer, _nodes, time_ in sorted(found) if answer is None or time_ > SECONDS]
        print(f"{'':20} not in time: {' '.join(map(str, slow)) or 'none'}")
    return met


def interval(part: int, whole: int) -> str:
    low, high = wilson(part, whole) if whole else (0.0, 1.0)
    return f"{low:.2%}–{high:.2%}"


if __name__ == "__main__":
    sys.exit(main())
