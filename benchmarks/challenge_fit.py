"""Fits the evaluation of Challenge on exact results, and writes cardlab/games/challenge/weights_*.txt.

    .venv/bin/python benchmarks/challenge_fit.py            # a quarter of a minute
    .venv/bin/python benchmarks/challenge_fit.py --check    # only compares

For each phase of the game, a logistic regression on all positions with an empty table estimates how often the
leader wins with best play. Its columns are the terms of ``kernel.lead_value``. It penalizes large card
weights, and bends in the curve by number of cards. The positions are those of the largest pack whose exact
results are known: size 5, or 4 if a better card leads.

``--check`` compares the loss of the weights in the files with the smallest loss. Some of these weights differ
by a point or more from the best ones: an earlier optimizer stopped shortly before the minimum. They are kept,
because all published figures about the computer player are theirs.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardlab.games.challenge import evaluation
from cardlab.games.challenge.evaluation import FITS, KINDS, PHASES, Curves
from cardlab.games.challenge.position import Form
from cardlab.games.challenge.tablebase import tablebase

SIZES = {"pass": 5, "lead": 4}  # by ``Form.after_better``
SCALE = 10  # points of a logit
LARGE, LEVEL, BENT = 3.0, 0.3, 3.0  # penalties on card weights, and on the level and bends of the curve
MAX_STEPS, SMALLEST_STEP = 50, 1e-9
MAX_EXCESS = 0.003  # of the loss of the files' weights over the smallest; rounding costs up to 0.002


class Regression(NamedTuple):
    """The penalized logistic regression of a phase.

    ``matrix`` has a row for each position and a column for each weight; ``won`` is 1.0 where the leader wins.
    """

    matrix: np.ndarray
    won: np.ndarray
    penalty: np.ndarray

    def loss(self, weights: np.ndarray) -> float:
        """Returns the negative log-likelihood plus the penalty."""
        logits = self.matrix @ weights
        negative_log_likelihood = (np.logaddexp(0, logits) - self.won * logits).sum()
        return float(negative_log_likelihood + weights @ self.penalty @ weights / 2)

    def best_weights(self) -> np.ndarray:
        """Returns the only minimum of the loss, by Newton's method."""
        weights = np.zeros(self.matrix.shape[1])
        for _step in range(MAX_STEPS):
            share = 1 / (1 + np.exp(-self.matrix @ weights))
            slope = self.matrix.T @ (share - self.won) + self.penalty @ weights
            curvature = (self.matrix * (share * (1 - share))[:, None]).T @ self.matrix + self.penalty
            step = np.linalg.solve(curvature, slope)
            weights -= step
            if np.abs(step).max() < SMALLEST_STEP:
                return weights
        raise ArithmeticError("Newton's method has not converged.")


def columns(hands: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns each leader's phase and columns: trumps and side cards by rank, and the number of cards."""
    held = hands[:, None] >> np.arange(4 * size) & 1
    own, others, side, other_side = (held[:, size * suit : size * (suit + 1)] for suit in range(4))
    phase = own.any(1) + 2 * (others == 0).any(1)
    # If a player holds none of their own trumps, the other holds them all, so the columns tell nothing.
    trumps = own * np.isin(phase, (1, 3))[:, None] + others * np.isin(phase, (2, 3))[:, None]
    number = np.eye(4 * size + 1)[held.sum(1)]
    return phase, np.concatenate([trumps, side + other_side, number], 1)


def penalty_of(size: int) -> np.ndarray:
    """Returns the matrix of the quadratic penalty on the weights."""
    cards, count = 2 * size, 4 * size + 1
    bends = np.diff(np.eye(count), 2, axis=0)
    penalty = np.zeros((cards + count, cards + count))
    penalty[:cards, :cards] = LARGE * np.eye(cards)
    penalty[cards:, cards:] = LEVEL * np.eye(count) + BENT * bends.T @ bends
    return penalty


def regressions(after_better: str) -> Iterator[tuple[str, Regression]]:
    """Yields each phase's name and regression."""
    size = SIZES[after_better]
    rounds = np.array(tablebase(size, Form(after_better=after_better)))
    hands = np.arange(1, len(rounds) - 1)
    phase, matrix = columns(hands, size)
    for number, name in enumerate(PHASES):
        here = phase == number
        won = (rounds[hands[here]] > 0).astype(float)
        yield name, Regression(matrix[here], won, penalty_of(size))


def write_fit(after_better: str) -> None:
    """Fits the weights of a form, and writes its file."""
    size, curves = SIZES[after_better], Curves()
    for name, regression in regressions(after_better):
        weights = np.round(SCALE * regression.best_weights()).astype(int)
        for kind, part in zip(KINDS, np.split(weights, [size, 2 * size]), strict=True):
            curves[f"{name}, {kind}"] = tuple(int(weight) for weight in part)
    lines = [f"{name}: {' '.join(map(str, figures))}" for name, figures in curves.items()]
    text = "".join(f"{textwrap.fill(line, 106, subsequent_indent='    ')}\n" for line in lines)
    Path(evaluation.__file__).with_name(f"weights_{after_better}.txt").write_text(text, "utf-8")


def is_near_best(after_better: str) -> bool:
    """Prints the loss of the file's weights in each phase; returns whether all are near the smallest."""
    excesses = []
    for name, regression in regressions(after_better):
        weights = np.concatenate([FITS[after_better][f"{name}, {kind}"] for kind in KINDS]) / SCALE
        smallest = regression.loss(regression.best_weights())
        excesses.append(regression.loss(weights) / smallest - 1)
        print(f"{after_better}, {name}: smallest loss {smallest:.1f}, of the file {excesses[-1]:.2%} more")
    return max(excesses) <= MAX_EXCESS


def main() -> int:
    """Writes or checks the weights; returns 1 if the files' weights fit badly, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    if not parser.parse_args().check:
        for after_better in SIZES:
            write_fit(after_better)
        return 0
    return 0 if all([*map(is_near_best, SIZES)]) else 1


if __name__ == "__main__":
    sys.exit(main())
