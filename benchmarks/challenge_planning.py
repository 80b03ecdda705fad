"""How well the planning depth of simulated players of Challenge is found from their moves.

    .venv/bin/python benchmarks/challenge_planning.py --size 3 --noise 60 --games 2 --players 40

Players of depth 0, 2 and 4 play against the search at depth 4; told is how many have the very depth, and how
many an interval that has it.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cardlab.games.challenge import planning
from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.planning import Choice
from cardlab.games.challenge.position import apply, legal_moves, start
from cardlab.games.challenge.search import best_move

NODES = 50_000
LONGEST = 60  # moves of a game


def choices(depth: int, noise: float, size: int, games: int, player: int) -> list[Choice]:
    """What a player of this depth and noise has chosen in some games."""
    found = []
    for game in range(games):
        chance = Random(f"{depth}, {player}, {game}")
        position, earlier = start(draw_deal(f"{player}, {game}", size, game % 2)), []
        while position.winner is None and len(earlier) < LONGEST:
            if position.mover == 0:
                move = best_move(position, depth=4, seed=player, earlier=earlier).move
            else:
                move = planning.softmax_move(position, earlier, depth, chance, noise)
                if len(legal_moves(position)) > 1:
                    found.append(planning.choice(position, earlier, move, nodes=NODES))
            earlier.append(position)
            position = apply(position, move)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=3)
    parser.add_argument("--noise", type=float, default=planning.NOISE)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--players", type=int, default=40)
    arguments = parser.parse_args()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for depth in (0, 2, 4):
            play = partial(choices, depth, arguments.noise, arguments.size, arguments.games)
            all_choices = list(pool.map(play, range(arguments.players)))
            fits = [planning.fit_depth(own) for own in all_choices]
            exact = sum(fit.depth == depth for fit in fits)
            within = sum(fit.low <= depth <= fit.high for fit in fits)
            mean = sum(map(len, all_choices)) / len(fits)
            print(
                f"depth {depth}: {mean:.0f} choices each; of {len(fits)} players {exact} are found at it, "
                f"{within} have it in their interval",
                flush=True,
            )


if __name__ == "__main__":
    main()
