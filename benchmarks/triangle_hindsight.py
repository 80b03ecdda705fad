"""Measures the time that hindsight of a Triangle Solitaire hand takes, and the speed-up by numba.

    .venv/bin/python benchmarks/triangle_hindsight.py

Computes the reachable scores of simulated hands in both modes in turn, and compares them. Exit code 1 if a
bar is missed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from statistics import mean
from types import ModuleType

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from compiled_modes import import_mode  # noqa: E402

VARIATIONS = [{}, {"doubled": 9}, {"mixed_in": 9}, {"doubled": 4, "mixed_in": 5}]
NODES = 20_000  # of a search, for which plain Python takes half a second
MEAN_BAR_MS = 50.0  # mean of a hand, compiled, at most
RATIO_BAR = 8.0  # plain : compiled, at least


def states_of(rules: ModuleType, strategies: ModuleType, seed: int) -> list[object]:
    """Returns the states of a hand that one of the strategies plays."""
    names, chance = list(strategies.VIEW_POLICIES), random.Random(seed)
    state = rules.start(rules.deal(f"benchmark {seed}", VARIATIONS[seed % 4]), {})
    states = [state]
    while not rules.is_over(state):
        action = strategies.VIEW_POLICIES[names[seed // 4 % 4]](rules.view(state, rules.SEAT), chance)
        state = rules.apply(state, rules.SEAT, action)
        states.append(state)
    return states


def modules(compiled: bool) -> list[ModuleType]:
    """Returns the modules hindsight, rules and strategies, which search in one of the modes."""
    names = [f"cardlab.games.triangle.{name}" for name in ("search", "hindsight", "rules", "strategies")]
    search, hindsight, *others = import_mode(compiled, *names)
    hindsight.oracle.find_score = lambda state, *limits: search.Search(state).run(*limits)
    return [hindsight, *others]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hands", type=int, default=64, help="how many hands are searched (64)")
    hands = parser.parse_args().hands
    modes = [modules(compiled) for compiled in (True, False)]
    for hindsight, *others in modes:
        hindsight.find_reachable_scores(states_of(*others, 2), 100)  # compiles
    seconds: list[tuple[float, ...]] = []
    for seed in range(hands):
        taken, found = [], []
        for hindsight, *others in modes:
            states = states_of(*others, seed)
            began = time.process_time()
            found.append([tuple(one) for one in hindsight.find_reachable_scores(states, NODES)])
            taken.append(time.process_time() - began)
        assert found[0] == found[1], seed
        seconds.append(tuple(taken))
    took = mean(compiled for compiled, _plain in seconds) * 1000
    ratio = sum(plain for _compiled, plain in seconds) / sum(compiled for compiled, _plain in seconds)
    print(f"{hands} hands, compiled: {took:.0f} ms each (bar {MEAN_BAR_MS:g})")
    print(f"Plain : compiled {ratio:.1f} (bar {RATIO_BAR:g})")
    return 0 if took <= MEAN_BAR_MS and ratio >= RATIO_BAR else 1


if __name__ == "__main__":
    sys.exit(main())
