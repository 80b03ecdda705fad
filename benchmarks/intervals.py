"""How often the intervals of the reports hold the truth.

    .venv/bin/python benchmarks/intervals.py     # half a minute

Samples of people who differ, with 1 to 8 values each for means and 8 truths for shares; the truth is known.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardlab.analysis.inference.intervals import estimate_interval

PEOPLE = (3, 6, 8, 12, 20, 40)
Sample = tuple[np.ndarray, np.ndarray]


def means(rng: np.random.Generator, people: int) -> Sample:
    """Values around people's own means; the truth is 0."""
    clusters = np.repeat(np.arange(people), rng.integers(1, 9, people))
    return rng.normal(size=people)[clusters] + rng.normal(size=len(clusters)), clusters


def shares(first: int) -> Callable[[np.random.Generator, int], Sample]:
    """Truths with shares of people's own, of a beta distribution (first, 1)."""

    def drawn(rng: np.random.Generator, people: int) -> Sample:
        clusters = np.repeat(np.arange(people), 8)
        return rng.binomial(1, rng.beta(first, 1, people)[clusters]), clusters

    return drawn


KINDS = {
    "means": (means, 0.0, (-inf, inf)),
    "shares around 3/4": (shares(3), 0.75, (0, 1)),
    "shares around 9/10": (shares(9), 0.9, (0, 1)),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1500, metavar="N", help="of each kind; 1500")
    samples = parser.parse_args().samples
    print("participants  " + "  ".join(KINDS))
    for people in PEOPLE:
        rng, cells = np.random.default_rng(1), []
        for name, (make, truth, within) in KINDS.items():
            found = [estimate_interval(*make(rng, people), within) for _sample in range(samples)]
            held = np.mean([one.low <= truth <= one.high for one in found])
            cells.append(f"{held:{len(name)}.3f}")
        print(f"{people:12}  " + "  ".join(cells), flush=True)


if __name__ == "__main__":
    main()
