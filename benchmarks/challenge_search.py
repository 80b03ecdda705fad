"""How strong and how fast the search of Challenge is.

    .venv/bin/python benchmarks/challenge_search.py                # 200 deals, from both sides: hours
    .venv/bin/python benchmarks/challenge_search.py --deals 10     # a first impression
    .venv/bin/python benchmarks/challenge_search.py --only nodes   # or: speed, play, deep, perfect

Deals are drawn by seeds 1, 2, …; every pair of players plays each of them from both sides. A game ends as
drawn at the third occurrence of a position or after 400 actions. Exit code 1 if a bar is missed.
docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
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
from cardlab.games.challenge.search import NODES, Search, best_move
from cardlab.games.challenge.tablebase import best_moves

MAX_ACTIONS = 400
PARTS = ("nodes", "speed", "play", "deep", "perfect")


class Match(NamedTuple):
    """Who plays whom; the bars are shares of games won, at least, and drawn, less than."""

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
    """One game: ``winner`` is "one", "other" or how it was drawn; the rest is of the player ``one``."""

    winner: str
    actions: int
    moves: int
    spent: int
    seconds: float


def player(name: str, seed: str) -> Callable[[Position, list[Position]], tuple[str, bool]]:
    """What a player plays in a position with these before it, and whether the budget was spent."""
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
    """The deal of a seed, ``one`` on side 0 or 1; against perfect play ``one`` leads and could win."""
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
    """A share with its 95 % interval by Wilson's score."""
    z = 1.959964
    middle = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * sqrt(part * (whole - part) / whole + z * z / 4)
    return f"{part / whole:.1%} ({middle - half:.1%}–{middle + half:.1%})"


def play(match: Match, deals: int, jobs: int) -> bool:
    """Play a match and print it; whether its bars are met."""
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


def nodes(depth: int, plain: str, bar: float, deals: int) -> bool:
    """Nodes from the deal, all the shallower depths counted, against plain alpha-beta without those.

    Where that takes very long it is given up when the bar is met three times over.
    """
    ours = theirs = given_up = 0
    for seed in range(1, deals + 1):
        position = start(draw_deal(str(seed), 8, seed % 2))
        search, other = Search(position), Search(position, (), plain)
        found = search.run(depth, 10**12, 0)
        value = other.value(depth, round(3 * search.nodes / bar))
        assert value in (None, found.value), "table or order have changed a value"
        ours, theirs, given_up = ours + search.nodes, theirs + other.nodes, given_up + (value is None)
    met = ours <= bar * theirs
    said = {"pick": "the pick-up first", "high": "high cards first and the pick-up last"}[plain]
    print(
        f"nodes at depth {depth}, {deals} deals: {ours / deals:,.0f} against {theirs / deals:,.0f} of plain "
        f"alpha-beta with {said} (given up in {given_up}), "
        f"{'below ' if given_up else ''}{ours / theirs:.3f} (bar {bar}: {verdict(met)})",
        flush=True,
    )
    return met


def speed(deals: int) -> bool:
    """Nodes a second, and seconds for depth 10 from a deal, by the process's own time and by the clock."""
    count, clock, took = 0, 0.0, []
    for seed in range(1, deals + 1):
        search = Search(start(draw_deal(str(seed), 8, seed % 2)))
        began, cpu = time.perf_counter(), time.process_time()
        search.run(10, 10**12, 0)
        took.append(time.process_time() - cpu)
        clock += time.perf_counter() - began
        count += search.nodes
    mean, fast = sum(took) / deals, count / sum(took)
    met = fast >= 300_000 and mean <= 1
    print(
        f"depth 10 from a deal, {deals} deals: {fast:,.0f} nodes a second of CPU (bar 300,000; "
        f"{count / clock:,.0f} by the clock), {mean:.2f} s of CPU (bar 1 s for the mean; "
        f"median {sorted(took)[deals // 2]:.2f}, most {max(took):.2f}): {verdict(met)}",
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
    if "nodes" in parts:
        met &= nodes(8, "pick", 0.1, min(asked.deals, 10))
        met &= nodes(12, "high", 0.15, min(asked.deals, 3))
    if "speed" in parts:
        met &= speed(min(asked.deals, 20))
    for match in MATCHES:
        if match.part in parts:
            met &= play(match, asked.deals, asked.jobs)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
