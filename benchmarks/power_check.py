"""Compares the simulated power of designs with known power.

    .venv/bin/python -m benchmarks.power_check     # some minutes; docs/results/power_check.csv

The measures of participants are drawn from known distributions instead of played. Everything after that is
the code of the command ``power``: the comparison, the adjustment and the count. The known power is that of
statsmodels for t tests (``TTestIndPower``, ``TTestPower``), and for equivalence that of two one-sided z
tests: 2 Φ(bound / standard error − z) − 1 if there is no difference.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from cardlab.analysis import design, power
from cardlab.analysis.persons import PERSON

ROOT = Path(__file__).parent.parent
MEASURE, SHARE = "routinization", "optimal_share"
COLUMNS = ("case", "participants", "repeats", "known_power", "power", "power_low", "power_high", "without_p")
HANDS = 12  # of which a share is measured
TEXT = """
game = "ttt"
participants = {size}
measure = "{measure}"
{further}
[a]
strategy = "random"
[b]
strategy = "random"
"""


class Case(NamedTuple):
    """A design, the people of a repeat, and the known power. ``draw`` returns their values by condition."""

    name: str
    size: int
    known: float
    draw: Callable[[np.random.Generator, int], dict[str, Any]]
    measure: str = MEASURE
    further: str = ""


def normal(difference: float) -> Callable[[np.random.Generator, int], dict[str, Any]]:
    return lambda rng, size: {"a": rng.normal(difference, 1, size), "b": rng.normal(0, 1, size)}


def correlated(difference: float, correlation: float) -> Callable[[np.random.Generator, int], dict[str, Any]]:
    """Returns two values of each person with unit variance and a correlation."""

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
]


def simulate(case: Case, repeats: int) -> list[Any]:
    """Returns the rows of the table of power for people who are drawn."""
    text = TEXT.format(size=case.size, measure=case.measure, further=case.further)
    tables = design.toml_file.read_toml(text, case.name)
    experiment = design.parse_design(design.DesignFile(case.name, text, tables))

    def draw_people(_design: Any, repeat: int, size: int, _times: Any) -> pd.DataFrame:
        values = case.draw(np.random.default_rng(repeat), size)
        place = np.tile(np.arange(size), 2)
        people = pd.DataFrame(
            {"condition": np.repeat([*values], size), case.measure: np.concatenate([*values.values()])}
        )
        if experiment.within:
            return people.assign(order=place, group=place, **{PERSON: place})
        return people.assign(order=place, group=np.arange(2 * size))

    with mock.patch.object(power, "_measure_people", draw_people):
        found = [power.simulate_repeat((experiment, number)) for number in range(1, repeats + 1)]
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
