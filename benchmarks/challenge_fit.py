"""Fits the evaluation of Challenge on exact results, and writes cardlab/games/challenge/weights_*.txt.

    .venv/bin/python benchmarks/challenge_fit.py            # a minute
    .venv/bin/python benchmarks/challenge_fit.py --check    # only compares

For each phase of the game, a logistic regression on all positions with an empty table estimates how often the
leader wins with best play. Its columns are the terms of ``kernel.lead_value``. It penalizes large card
weights, and bends in the curve by number of cards. The positions are those of the largest pack whose exact
results are known: size 5, or 4 if a better card leads.
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
from cardlab.games.challenge.position import Form
from cardlab.games.challenge.tablebase import tablebase

SIZES = {"pass": 5, "lead": 4}  # by ``Form.after_better``
SCALE = 10  # points of a logit
LARGE, LEVEL, BENT = 3.0, 0.3, 3.0  # penalties on card weights, and on the level and bends of the curve


def columns(hands: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns each leader's phase and columns: trumps and side cards by rank, and the number of cards."""
    held = hands[:, None] >> np.arange(4 * size) & 1
    own, others, side, other_side = (held[:, size * suit : size * (suit + 1)] for suit in range(4))
    phase = own.any(1) + 2 * (others == 0).any(1)
    # If a player holds none of their own trumps, the other holds them all, so the columns tell nothing.
    trumps = own * np.isin(phase, (1, 3))[:, None] + others * np.isin(phase, (2, 3))[:, None]
    number = np.eye(4 * size + 1)[held.sum(1)]
    return phase, np.concatenate([trumps, side + other_side, number], 1)


def fitted(matrix: np.ndarray, won: np.ndarray, size: int) -> np.ndarray:
    """Returns the penalized maximum-likelihood weights."""
    cards, count = 2 * size, 4 * size + 1
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


def fit(size: int, form: Form) -> Curves:
    rounds = np.array(tablebase(size, form))
    hands = np.arange(1, len(rounds) - 1)
    phase, matrix = columns(hands, size)
    curves: Curves = {}
    for number, name in enumerate(PHASES):
        here = phase == number
        weights = fitted(matrix[here], (rounds[hands[here]] > 0).astype(float), size)
        for kind, part in zip(("trump", "side", "cards"), np.split(weights, [size, 2 * size]), strict=True):
            curves[f"{name}, {kind}"] = tuple(int(weight) for weight in part)
    return curves


def main() -> int:
    stale = 0
    for after_better, size in SIZES.items():
        curves = fit(size, Form(after_better=after_better))
        lines = [f"{name}: {' '.join(map(str, figures))}" for name, figures in curves.items()]
        text = "".join(f"{textwrap.fill(line, 106, subsequent_indent='    ')}\n" for line in lines)
        file = Path(evaluation.__file__).with_name(f"weights_{after_better}.txt")
        if "--check" not in sys.argv:
            file.write_text(text, "utf-8")
        elif text != file.read_text("utf-8"):
            print(f"{file.name} differs.")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
