"""Fits the evaluation of Challenge on exact results, and writes cardlab/games/challenge/weights_5.txt.

    .venv/bin/python benchmarks/challenge_fit.py            # a minute
    .venv/bin/python benchmarks/challenge_fit.py --check    # only compares

In each phase of the game, a logistic regression on all positions of size 5 with an empty table says how often
the leader wins with best play. Its columns are those that ``kernel.lead_value`` adds up. It penalizes large
worths of cards and bends in the curve by number of cards. Larger packs take the curves stretched.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardlab.games.challenge import evaluation
from cardlab.games.challenge.evaluation import PHASES, Curves
from cardlab.games.challenge.tablebase import tablebase

SIZE = 5
SCALE = 10  # points of a logit
LARGE, LEVEL, BENT = 3.0, 0.3, 3.0  # the penalties
FILE = Path(evaluation.__file__).with_name(f"weights_{SIZE}.txt")


def columns(hands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The phase of each leader's hand, and its columns: trumps and other cards by rank, and the number."""
    held = hands[:, None] >> np.arange(4 * SIZE) & 1
    own, others, side, other_side = (held[:, SIZE * suit : SIZE * (suit + 1)] for suit in range(4))
    phase = own.any(1) + 2 * (others == 0).any(1)
    # Without own trumps of a player, all those trumps are in one place, and tell nothing.
    trumps = own * np.isin(phase, (1, 3))[:, None] + others * np.isin(phase, (2, 3))[:, None]
    number = np.eye(4 * SIZE + 1)[held.sum(1)]
    return phase, np.concatenate([trumps, side + other_side, number], 1)


def fitted(matrix: np.ndarray, won: np.ndarray) -> np.ndarray:
    """The penalized maximum-likelihood weights."""
    cards, count = 2 * SIZE, 4 * SIZE + 1
    bends = np.diff(np.eye(count), 2, axis=0)
    penalty = np.zeros((cards + count, cards + count))
    penalty[:cards, :cards] = LARGE * np.eye(cards)
    penalty[cards:, cards:] = LEVEL * np.eye(count) + BENT * bends.T @ bends

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logits = matrix @ weights
        share = 1 / (1 + np.exp(-logits))
        value = (np.logaddexp(0, logits) - won * logits).sum() + weights @ penalty @ weights / 2
        return value, matrix.T @ (share - won) + penalty @ weights

    start = np.zeros(cards + count)
    result = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.round(SCALE * result.x).astype(int)


def fit() -> Curves:
    rounds = np.array(tablebase(SIZE))
    hands = np.arange(1, len(rounds) - 1)
    phase, matrix = columns(hands)
    curves: Curves = {}
    for number, name in enumerate(PHASES):
        here = phase == number
        weights = fitted(matrix[here], (rounds[hands[here]] > 0).astype(float))
        for kind, part in zip(("trump", "side", "cards"), np.split(weights, [SIZE, 2 * SIZE]), strict=True):
            curves[f"{name}, {kind}"] = tuple(int(weight) for weight in part)
    return curves


def main() -> int:
    lines = [f"{name}: {' '.join(map(str, figures))}" for name, figures in fit().items()]
    text = "".join(f"{textwrap.fill(line, 106, subsequent_indent='    ')}\n" for line in lines)
    if "--check" in sys.argv:
        return int(text != FILE.read_text("utf-8"))
    FILE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
