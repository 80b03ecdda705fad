"""Measures how well the models of planning in Challenge recover simulated players.

    python benchmarks/challenge_planning.py > docs/results/planning_recovery.csv
    python benchmarks/challenge_planning.py --drop-out --people 20 > docs/results/planning_drop_out.csv

Each player plays games against the search at depth 4, and their choices are fitted. Players of a search have
depths 1 to 6, those of ``static`` depth 0; their noise is log-uniform between 2 and 50 points. Those of the
heuristics have a noise of up to one rank. All lapse in up to a tenth of the moves, except ``always_greedy``,
the strategy ``greedy``. ``mixture`` draws one of the heuristics or a random move each time, with random
shares. With ``--outside``, ``features`` has random weights; ``collecting`` (picks up whenever possible) and
``highest`` (the highest playable card) are not among the fitted models. A game has at most 60 moves.

With ``--drop-out``, players of a depth overlook each feature of the evaluation with a probability of up to
0.4 and prune by one of the thresholds, and the models with drop-out are fitted, too. This takes an hour on
two cores.

``called_search`` counts the verdicts ``search``, ``called_by_aicc`` those by AICc instead of BIC. ``within``
is the share whose interval of depths contains the true one. ``r_depth``, ``r_noise`` and ``r_drop_out``
correlate the true depths, logarithms of the noise and drop-outs with the estimates, over the players of all
depths.
"""

from __future__ import annotations

import argparse
import csv
import os
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import exp
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cardlab.analysis.games.challenge import planning_models
from cardlab.games.challenge import planning
from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.heuristics import FEATURES, HEURISTICS, features, previous_suit, ranks
from cardlab.games.challenge.opponents import greedy_move
from cardlab.games.challenge.packs import height
from cardlab.games.challenge.position import PICK_UP, apply, legal_moves, start
from cardlab.games.challenge.search import best_move
from cardlab.games.challenge.variants import FEATURES as EVALUATED
from cardlab.games.challenge.variants import FULL, THRESHOLDS, VARIANTS, Variant

NODES = 50_000
LONGEST = 60  # moves of a game
NOISES = (2, 50)  # of players who value moves
DEPTHS = range(1, 7)
HEURISTIC = [*HEURISTICS]
RIVALS = ("static", "always_greedy", "hoarding", "recency", "random", "mixture")
OUTSIDE = ("greedy", "features", "collecting", "highest")  # noisy, or not among the fitted models

Player = Callable[[object, list], str]  # position and earlier positions → move


class Truth(NamedTuple):
    kind: str
    depth: int
    noise: float
    drop_out: float


def draw_index(values, noise, chance):
    best = max(values)
    return chance.choices(range(len(values)), [exp((value - best) / noise) for value in values])[0]


def make_player(kind: str, depth: int, chance: Random, drops: bool) -> tuple[Truth, Player]:
    """Draws a player of a kind, or of a depth, with random parameters."""
    low, high = np.log(NOISES)
    noise, rank_noise, lapse = exp(chance.uniform(low, high)), chance.uniform(0.02, 1), chance.uniform(0, 0.1)
    shares = [chance.expovariate(1) for _part in range(len(HEURISTIC) + 1)]
    weights = [chance.gauss(0, 1) / (10 if name in ("cards picked up", "height") else 1) for name in FEATURES]
    worth_weight = chance.choice((0, 0.05))
    drop_out, threshold = (chance.uniform(0, 0.4), chance.choice(THRESHOLDS)) if drops else (0, 0)

    def variant():
        dropped = frozenset(feature for feature in EVALUATED if chance.random() < drop_out)
        return Variant(dropped, threshold) if drops else FULL

    def by_rank(heuristic, position, earlier, moves):
        return moves[draw_index([-r for r in ranks(heuristic, position, earlier, moves)], rank_noise, chance)]

    def by_features(position, earlier, moves):
        suit = previous_suit(position, earlier)
        (scores,) = planning.scores_by_depth(position, earlier, (0,))
        totals = [
            worth_weight * scores[move]
            + sum(weight * part for weight, part in zip(weights, features(position, move, suit)))
            for move in moves
        ]
        return moves[draw_index(totals, 1, chance)]

    def play(position, earlier):
        moves = legal_moves(position)
        if kind == "always_greedy":
            return greedy_move(position)
        if kind == "random" or chance.random() < lapse:
            return chance.choice(moves)
        if kind in HEURISTIC:
            return by_rank(kind, position, earlier, moves)
        if kind == "mixture":
            part = chance.choices(["", *HEURISTIC], shares)[0]
            return by_rank(part, position, earlier, moves) if part else chance.choice(moves)
        if kind == "features":
            return by_features(position, earlier, moves)
        if kind == "collecting":
            return PICK_UP if PICK_UP in moves else min(moves, key=height)
        if kind == "highest":
            return max(moves, key=lambda move: 0 if move == PICK_UP else height(move))
        return planning.softmax_move(position, earlier, depth, chance, noise, variant())

    return Truth(kind, depth, noise, drop_out), play


def choices(size: int, games: int, drops: bool, task: tuple[str, int, int]):
    """Returns a player's true values and choices in some games."""
    kind, depth, number = task
    chance, found = Random(f"{task}"), []
    truth, play = make_player(kind, depth, chance, drops)
    for game in range(games):
        position, earlier = start(draw_deal(f"{number}, {game}", size, game % 2)), []
        while position.winner is None and len(earlier) < LONGEST:
            if position.mover == 0:
                move = best_move(position, depth=4, seed=number, earlier=earlier).move
            else:
                move = play(position, earlier)
                if len(legal_moves(position)) > 1:
                    found.append((position, [*earlier], move))
            earlier.append(position)
            position = apply(position, move)
    variants = VARIANTS if drops else ()
    return truth, [planning.choice(*one, nodes=NODES, variants=variants) for one in found]


def play_kind(task: tuple[str, int, int], arguments, pool):
    """Returns the truth, choices and fit of the players of a kind and depth."""
    kind, depth, people = task
    cache = arguments.cache and arguments.cache / f"{kind}_{depth}_{people}.pickle"
    if cache and cache.exists():
        played = pickle.loads(cache.read_bytes())
    else:
        play = partial(choices, arguments.size, arguments.games, arguments.drop_out)
        played = list(pool.map(play, [(kind, depth, number) for number in range(people)]))
        if cache:
            cache.write_bytes(pickle.dumps(played))
    fits = pool.map(planning_models.fit, [own for _truth, own in played])
    return [(truth, own, fit) for (truth, own), fit in zip(played, fits)]


def main() -> None:
    """Prints a row of CSV per kind of player."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=6)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--people", type=int, default=60, help="players of each rival")
    parser.add_argument("--searchers", type=int, default=20, help="players of each depth")
    parser.add_argument("--outside", type=int, default=0, help="players of each kind beyond the rivals")
    parser.add_argument("--drop-out", action="store_true", help="players and models overlook features")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cache", type=Path, help="a folder to keep the searched games in")
    arguments = parser.parse_args()
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["player", "people", "choices", "called_search", "called_by_aicc", "within"])
    rivals = [(kind, 0, arguments.people) for kind in RIVALS]
    searchers = [("search", depth, arguments.searchers) for depth in DEPTHS]
    outside = [(kind, 0, arguments.outside) for kind in OUTSIDE if arguments.outside]
    known = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for task in (*rivals, *searchers, *outside):
            rows = play_kind(task, arguments, pool)
            table.writerow(summary(task, rows))
            sys.stdout.flush()
            if task[0] in ("static", "search"):
                known += [(truth, fit) for truth, _own, fit in rows]
    pairs = {"r_depth": depth_pair, "r_noise": noise_pair}
    if arguments.drop_out:
        pairs["r_drop_out"] = drop_out_pair
    for name, pair in pairs.items():
        r = np.corrcoef(np.array([pair(truth, fit) for truth, fit in known], dtype=float).T)[0, 1]
        table.writerow([name, len(known), "", "", "", f"{r:.3f}"])


def summary(task, rows):
    """Returns the row of CSV of a kind of player."""
    kind, depth, _people = task
    by_bic = sum(fit.search_weight >= planning_models.EVIDENCE for _truth, _own, fit in rows)
    by_aicc = sum(fit.search_weight_aicc >= planning_models.EVIDENCE for _truth, _own, fit in rows)
    within = f"{np.mean([fit.low <= depth <= fit.high for _truth, _own, fit in rows]):.2f}"
    has_depth = kind in ("static", "search")
    count = round(np.mean([len(own) for _truth, own, _fit in rows]))
    name = f"search_{depth}" if depth else kind
    return [name, len(rows), count, by_bic, by_aicc, within if has_depth else ""]


def depth_pair(truth, fit):
    return truth.depth, fit.depth


def noise_pair(truth, fit):
    return np.log(truth.noise), np.log(fit.at_depth.values["noise"])


def drop_out_pair(truth, fit):
    return truth.drop_out, fit.at_depth.values.get("drop_out", 0)


if __name__ == "__main__":
    main()
