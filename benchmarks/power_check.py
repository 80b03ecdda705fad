"""Compares the simulated power of designs with known power.

    .venv/bin/python benchmarks/power_check.py     # some minutes; docs/results/power_check.csv

The measures of participants are drawn from known distributions instead of played. Everything after that is
the code of the command ``power``: the comparison, the adjustment and the count. The known power is that of
statsmodels for t tests (``TTestIndPower``, ``TTestPower``), and for equivalence that of two one-sided z
tests: 2 Φ(bound / standard error − z) − 1 if there is no difference. The power of a mixed model with equally
many hands per participant is that of a t test of their means. Where the treatments are identical, the
experiment is played, and the known power is the level.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.power import TTestIndPower, TTestPower

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cardlab.analysis import design, power, simulated_tests
from cardlab.analysis.exclusions import Rule, parse_rule
from cardlab.analysis.persons import PERSON

ROOT = Path(__file__).parent.parent
MEASURE, SHARE = "routinization", "optimal_share"
COLUMNS = ("case", "participants", "repeats", "known_power", "power", "power_low", "power_high", "without_p")
HANDS, PERSON_SD = 12, 0.7  # hands per participant; SD between participants in the mixed model
RULES = ("hands", "moves < 5"), ("participants", "hands_over < 2")
TEXT = """
game = "ttt"
participants = {size}
measure = "{measure}"
{further}
[a]
strategy = "informed:1,random:1"
hands = 4
players = {players}
[b]
strategy = "informed:1,random:1"
hands = 4
players = {players}
"""


class Case(NamedTuple):
    """A design, the number of people in a repeat, and the known power.

    ``draw`` returns the people's values by condition; without it, the experiment is played.
    """

    name: str
    size: int
    known: float
    draw: Callable[[np.random.Generator, int], dict[str, Any]] | None
    measure: str = MEASURE
    further: str = ""
    players: int = 1
    exclusions: tuple[Rule, ...] = ()


def normal(difference: float) -> Callable[[np.random.Generator, int], dict[str, Any]]:
    return lambda rng, size: {"a": rng.normal(difference, 1, size), "b": rng.normal(0, 1, size)}


def correlated(difference: float, correlation: float) -> Callable[[np.random.Generator, int], dict[str, Any]]:
    """Returns a function that draws two correlated values of unit variance for each person."""

    def draw(rng: np.random.Generator, size: int) -> dict[str, Any]:
        person = rng.normal(0, math.sqrt(correlation), size)
        own = math.sqrt(1 - correlation)
        return {
            "a": difference + person + rng.normal(0, own, size),
            "b": person + rng.normal(0, own, size),
        }

    return draw


def shares(first: float, second: float) -> Callable[[np.random.Generator, int], dict[str, Any]]:
    return lambda rng, size: {
        name: rng.binomial(HANDS, chance, size) / HANDS for name, chance in (("a", first), ("b", second))
    }


def equivalence_power(bound: float, error: float, level: float = design.LEVEL) -> float:
    return float(2 * stats.norm.cdf(bound / error - stats.norm.ppf(1 - level)) - 1)


def share_effect(first: float, second: float) -> float:
    """Returns the difference of two shares in units of the root mean square of their SDs."""
    return (first - second) / math.sqrt((first * (1 - first) + second * (1 - second)) / 2 / HANDS)


def hands_of(difference: float) -> Callable[[np.random.Generator, int], dict[str, Any]]:
    """Returns a function that draws the outcomes of ``HANDS`` hands of each participant.

    Participants' means have the SD ``PERSON_SD``.
    """

    def draw(rng: np.random.Generator, size: int) -> dict[str, Any]:
        return {
            name: mean + rng.normal(0, PERSON_SD, (size, 1)) + rng.normal(0, 1, (size, HANDS))
            for name, mean in (("a", 0.0), ("b", difference))
        }

    return draw


BETWEEN, PAIRED = TTestIndPower(), TTestPower()
CASES = [
    Case("difference of 0.8 SD", 30, BETWEEN.power(0.8, 30, 0.05), normal(0.8)),
    Case("no difference", 30, 0.05, normal(0)),
    Case(
        "within persons, 0.5 SD, correlation 0.6",
        24,
        PAIRED.power(0.5 / math.sqrt(2 * 0.4), 24, 0.05),
        correlated(0.5, 0.6),
        further='within = "phase"',
    ),
    Case(
        "shares 0.5 and 0.6 of 12 hands",
        25,
        BETWEEN.power(share_effect(0.6, 0.5), 25, 0.05),
        shares(0.6, 0.5),
        measure=SHARE,
    ),
    Case(
        "equivalence within 0.6 SD",
        60,
        equivalence_power(0.6, math.sqrt(2 / 60)),
        normal(0),
        further=f"equivalence = {{ {MEASURE} = 0.6 }}",
    ),
    Case(
        "equivalence at its bound",
        60,
        0.05,
        normal(0.6),
        further=f"equivalence = {{ {MEASURE} = 0.6 }}",
    ),
    Case(
        "mixed model, difference of 0.7",
        20,
        BETWEEN.power(0.7 / math.sqrt(PERSON_SD**2 + 1 / HANDS), 20, 0.05),
        hands_of(0.7),
        measure="score",
        further='test = "model"',
    ),
    Case("mixed model, no difference", 20, 0.05, hands_of(0), measure="score", further='test = "model"'),
    Case(
        "no difference, pairs drawn twice in sessions of 4",
        32,
        0.05,
        None,
        measure="mean_excess_moves",
        further="session_size = 4\nsessions = 2",
        players=2,
    ),
    Case(
        "no difference, exclusions",
        30,
        0.05,
        None,
        measure="mean_moves",
        further="excluded = 0.2",
        exclusions=tuple(parse_rule("", *rule, "") for rule in RULES),
    ),
]


def simulate(case: Case, repeats: int) -> list[Any]:
    """Returns the rows of the power table for a case."""
    text = TEXT.format(**case._asdict())
    tables = design.toml_file.read_toml(text, case.name)
    experiment = replace(
        design.parse_design(design.DesignFile(case.name, text, tables)), exclusions=case.exclusions
    )

    def tabulate(_design: Any, repeat: int, size: int) -> pd.DataFrame:
        assert case.draw
        values = case.draw(np.random.default_rng(repeat), size)
        place, conditions = np.tile(np.arange(size), 2), np.repeat([*values], size)
        cells = np.concatenate([*values.values()])
        if cells.ndim == 2:
            rows = np.repeat(np.arange(2 * size), HANDS)
            columns = {"condition": conditions[rows], "cluster": rows, "order": place[rows]}
            return pd.DataFrame(columns | {case.measure: cells.ravel()})
        people = pd.DataFrame({"condition": conditions, case.measure: cells})
        if experiment.within:
            return people.assign(order=place, group=place, **{PERSON: place})
        return people.assign(order=place, group=np.arange(2 * size))

    drawn = (
        mock.patch.object(simulated_tests, "_tabulate", tabulate) if case.draw else contextlib.nullcontext()
    )
    with drawn:
        found = [simulated_tests.simulate_repeat((experiment, number)) for number in range(1, repeats + 1)]
    return power.build_table(experiment, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=300)
    arguments = parser.parse_args()
    with (ROOT / "docs/results/power_check.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for case in CASES:
            (row,) = simulate(case, arguments.repeats)
            kind = power.power_kind(row)
            cells = [row[kind], row[f"{kind}_low"], row[f"{kind}_high"], row["without_p"]]
            table.writerow([case.name, case.size, arguments.repeats, round(case.known, 4), *cells])
            print(case.name, round(case.known, 4), *cells, flush=True)


if __name__ == "__main__":
    main()
