"""Measures what each level of the computer of Challenge wins, and how often it errs.

    .venv/bin/python benchmarks/challenge_levels.py --games 40 --size 8

Each level plays every opponent of the pool, in pairs of games with the same deal, each side leading once. A
draw counts half. The interval is Wilson's of 95 %, over games. Errors are counted in solved positions that
are not lost and leave a choice. An error makes the result worse: a won position drawn or lost, a drawn one
lost. Their number is given per hundred such moves. docs/explanation/performance.md has the table.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cardlab.games.challenge import rules
from cardlab.games.challenge.deal import SIDES
from cardlab.games.challenge.levels import LEVELS, Level, draw_error
from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.position import legal_moves
from cardlab.games.challenge.rules import State
from cardlab.games.challenge.search import best_move
from cardlab.games.challenge.tablebase import exact_scores

Player = Callable[[State, random.Random], str]


def play_level(level: Level, state: State, chance: random.Random) -> str:
    """Returns the move of a computer of this level."""
    seed = chance.random()
    found = best_move(state.position, depth=level.depth, seed=seed, earlier=state.positions[:-1])
    return draw_error(found.move, legal_moves(state.position), level.errors, seed) or found.move


POOL: dict[str, Player] = {
    "random": lambda state, chance: random_move(state.position, chance),
    "greedy": lambda state, _chance: greedy_move(state.position),
    "depth 0": partial(play_level, Level(0, 0)),
    "depth 2": partial(play_level, Level(2, 0)),
    "depth 4": partial(play_level, Level(4, 0)),
}


class Game(NamedTuple):
    """A game's result: points of the level (1, ½ or 0), and its moves and errors in solved positions."""

    points: float
    moves: int
    errors: int


def play(level: int, opponent: str, size: int, number: int) -> Game:
    """Plays the numbered game of a level, in seat N, against an opponent of the pool."""
    options = {"size": size, "dealer": SIDES[number % 2]}
    chance = random.Random(f"{opponent}, {size}, {number}")
    state = rules.start(rules.deal(f"level {size} {number // 2}", options), {"size": size})
    moves = errors = 0
    while not rules.is_over(state):
        if state.mover == "S":
            move = POOL[opponent](state, chance)
        else:
            move = play_level(LEVELS[level], state, chance)
            scores = exact_scores(state.position) or {}
            best = max(scores.values(), default=-1)
            if len(scores) > 1 and best >= 0:
                moves += 1
                errors += (scores[move] > 0) < (best > 0) or scores[move] < 0
        state = rules.apply(state, state.mover, rules.action_of(move))
    points = 0.5 if not state.winner else float(state.winner == "N")
    return Game(points, moves, errors)


def interval(share: float, games: int) -> tuple[float, float]:
    """Returns Wilson's interval of 95 %."""
    z2 = 1.96**2
    middle = (share + z2 / 2 / games) / (1 + z2 / games)
    half = 1.96 * sqrt(share * (1 - share) / games + z2 / 4 / games**2) / (1 + z2 / games)
    return middle - half, middle + half


def results(size: int, games: int, jobs: int, opponents: list[str]) -> Iterator[tuple[int, list[list[Game]]]]:
    """Yields each level with its games against each opponent."""
    with ProcessPoolExecutor(jobs) as pool:
        waiting = {
            level: [
                [pool.submit(play, level, opponent, size, number) for number in range(games)]
                for opponent in opponents
            ]
            for level in LEVELS
        }
        for level, all_games in waiting.items():
            yield level, [[one.result() for one in each] for each in all_games]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=40, help="games of a level against each opponent (40)")
    parser.add_argument("--size", type=int, default=8, help="cards of each suit (8)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--opponents", nargs="*", choices=POOL, default=[*POOL])
    arguments = parser.parse_args()
    opponents = arguments.opponents
    print(
        "| Level | Depth | Errors on purpose, % |", *(f"{name} |" for name in opponents), "All | Errors, % |"
    )
    shares: list[float] = []
    for level, all_games in results(arguments.size, arguments.games, arguments.jobs, opponents):
        games = [game for each in all_games for game in each]
        won = [sum(game.points for game in each) / len(each) for each in all_games]
        share = sum(game.points for game in games) / len(games)
        low, high = interval(share, len(games))
        moves, errors = sum(game.moves for game in games), sum(game.errors for game in games)
        erring = f"{100 * errors / moves:.1f}" if moves else "–"
        cells = [level, LEVELS[level].depth, LEVELS[level].errors, *(f"{100 * each:.0f}" for each in won)]
        print(
            "|",
            *(f"{cell} |" for cell in cells),
            f"{100 * share:.0f} ({100 * low:.0f}–{100 * high:.0f}) |",
            end="",
        )
        print(f" {erring} |", flush=True)
        shares.append(share)
    rises = all(later > earlier for earlier, later in zip(shares, shares[1:], strict=False))
    print(f"Each level wins more than the one before: {'yes' if rises else 'NO'}")
    return 0 if rises else 1


if __name__ == "__main__":
    sys.exit(main())
