"""Measures the strength and the speed of the Challenge search.

    .venv/bin/python benchmarks/challenge_search.py                # 200 deals, from both sides: hours
    .venv/bin/python benchmarks/challenge_search.py --deals 10     # a first impression
    .venv/bin/python benchmarks/challenge_search.py --only speed   # or: play, deep, perfect

Deals are drawn by seeds 1, 2, …; every pair of players plays each of them from both sides. A game ends as
drawn at the third occurrence of a position or after 400 actions. Exit code 1 if a bar is missed.
docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from math import sqrt
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.position import Position, apply, start
from cardlab.games.challenge.search import NODES, best_move
from cardlab.games.challenge.tablebase import best_moves

MAX_ACTIONS = 400
PARTS = ("speed", "play", "deep", "perfect")


class Match(NamedTuple):
    """A pairing with its bars: the least share of games won, and the share that draws must stay below."""

    part: str
    one: str
    other: str
    size: int
    won: float
    drawn: float | None = None


MATCHES = (
    Match("play", "depth 4", "random", 8, 0.95),
    Match("play", "depth 4", "greedy", 8, 0.75),
    Match("deep", "depth 8", "depth 4", 8, 0.60, 0.15),
    Match("perfect", "depth 8", "perfect", 4, 0.5),
)


class Played(NamedTuple):
    """One game. ``winner`` is "one", "other" or the kind of draw.

    ``moves``, ``spent`` (moves that used up the node budget) and ``seconds`` are those of player ``one``.
    """

    winner: str
    actions: int
    moves: int
    spent: int
    seconds: float


def player(name: str, seed: str) -> Callable[[Position, list[Position]], tuple[str, bool]]:
    """Returns a function from a position and those before it to a move and whether the budget was spent."""
    chance = random.Random(seed)

    def move(position: Position, earlier: list[Position]) -> tuple[str, bool]:
        if name == "random":
            return random_move(position, chance), False
        if name == "greedy":
            return greedy_move(position), False
        if name == "perfect":
            return chance.choice(best_moves(position)), False
        depth = int(name.removeprefix("depth "))
        found = best_move(position, depth=depth, seed=f"{seed} {len(earlier)}", earlier=earlier)
        return found.move, not found.whole

    return move


def game(work: tuple[Match, int, int]) -> Played:
    """Plays a seed's deal with ``one`` on side 0 or 1. Against perfect play, ``one`` leads and can win."""
    match, seed, side = work
    dealer = 1 - side if match.other == "perfect" else seed % 2
    position = start(draw_deal(str(seed), match.size, dealer))
    one, other = player(match.one, f"{seed} {side}"), player(match.other, f"{seed} {side}")
    earlier: list[Position] = []
    occurred: Counter = Counter()
    moves = spent = 0
    seconds = 0.0
    while True:
        occurred[position.key] += 1
        if position.winner is not None:
            return Played("one" if position.winner == side else "other", len(earlier), moves, spent, seconds)
        if occurred[position.key] == 3:
            return Played("repeated", len(earlier), moves, spent, seconds)
        if len(earlier) == MAX_ACTIONS:
            return Played("too long", len(earlier), moves, spent, seconds)
        began = time.perf_counter()
        move, over = (one if position.mover == side else other)(position, earlier)
        if position.mover == side:
            seconds += time.perf_counter() - began
            moves, spent = moves + 1, spent + over
        earlier.append(position)
        position = apply(position, move)


def wilson(part: int, whole: int) -> str:
    """Returns a share with its 95 % Wilson score interval, as text."""
    z = 1.959964
    middle = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * sqrt(part * (whole - part) / whole + z * z / 4)
    return f"{part / whole:.1%} ({middle - half:.1%}–{middle + half:.1%})"


def play(match: Match, deals: int, jobs: int) -> bool:
    """Plays a match and prints its figures; returns whether its bars are met."""
    work = [(match, seed, side) for seed in range(1, deals + 1) for side in (0, 1)]
    with Pool(jobs) as pool:
        games = list(pool.imap_unordered(game, work))
    ends = Counter(one.winner for one in games)
    drawn = ends["repeated"] + ends["too long"]
    met = ends["one"] >= match.won * len(games) and (match.drawn is None or drawn < match.drawn * len(games))
    moves = sum(one.moves for one in games)
    bars = f"bar {match.won:.0%}" + (f", drawn below {match.drawn:.0%}" if match.drawn else "")
    print(
        f"{match.one} against {match.other}, size {match.size}, {len(games)} games: "
        f"won {wilson(ends['one'], len(games))} ({bars}: {verdict(met)})\n"
        f"    lost {ends['other']}, repeated {ends['repeated']}, too long {ends['too long']}; "
        f"{sum(one.actions for one in games) / len(games):.0f} actions a game; "
        f"{sum(one.seconds for one in games) / moves * 1000:.1f} ms a move of {match.one}, "
        f"{sum(one.spent for one in games) / moves:.1%} of them spent the budget of {NODES:,} nodes",
        flush=True,
    )
    return met


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"


MEASURE = """
import json, sys, time
from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.position import start
from cardlab.games.challenge.search import NODES, Search, warm_up
warm_up()
nodes, spent = 0, []
for seed in range(int(sys.argv[1])):
    began = time.process_time()
    search = Search(start(draw_deal(str(seed), 8, seed % 2)))
    search.run(8, NODES, 0)
    spent.append(time.process_time() - began)
    nodes += search.nodes
print(json.dumps([nodes, spent]))
"""


def measure(compiled: str, deals: int) -> tuple[int, list[float]]:
    """Returns the nodes, and the CPU seconds of each search of depth 8, in one of the modes."""
    root, environment = Path(__file__).parent.parent, {**os.environ, "CARD_LAB_COMPILED": compiled}
    command = [sys.executable, "-c", MEASURE, str(deals)]
    done = subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True, text=True)
    nodes, seconds = json.loads(done.stdout)
    return nodes, seconds


def speed(deals: int) -> bool:
    """Compares the nodes per CPU second of depth-8 searches in both modes; returns if the bars are met."""
    compiled, plain = measure("yes", deals), measure("no", deals)
    assert compiled[0] == plain[0], "the modes differ"
    fast, slow = (nodes / sum(seconds) for nodes, seconds in (compiled, plain))
    mean = sum(compiled[1]) / deals
    met = fast >= 30 * slow and mean <= 0.03
    print(
        f"depth 8 from a deal, {deals} deals: {fast:,.0f} nodes a second compiled, {slow:,.0f} as Python: "
        f"ratio {fast / slow:.1f} (bar 30); {mean * 1000:.1f} ms of CPU a search compiled (bar 30), "
        f"{sum(plain[1]) / deals * 1000:.0f} as Python: {verdict(met)}",
        flush=True,
    )
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--deals", type=int, default=200, help="of each match (200)")
    parser.add_argument("--jobs", type=int, default=1, help="games played side by side, a core each (1)")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part; may be given again")
    asked = parser.parse_args()
    parts = asked.only or PARTS
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    met = True
    if "speed" in parts:
        met &= speed(min(asked.deals, 20))
    for match in MATCHES:
        if match.part in parts:
            met &= play(match, asked.deals, asked.jobs)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
