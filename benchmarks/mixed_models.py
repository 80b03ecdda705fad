"""Measures how often the scripts of ``model`` find an effect of a condition where there is none.

    .venv/bin/python benchmarks/mixed_models.py --studies 1000      # about ten minutes on one core
    .venv/bin/python benchmarks/mixed_models.py --studies 300 --r   # the scripts for R too

Each study has two conditions, drawn for whole units, and hands whose outcomes depend on the unit, the
participants and the deal. So a test at the 5 % level should reject in 5 % of the studies, and its 95 %
interval should contain 0 in 95 %. Exit code 1 if a share of rejections is outside 3 to 7 % by more than two
standard errors of the simulation.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pandas as pd

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from cardlab.analysis.model_scripts import BINARY, NUMBER, Model, write_scripts  # noqa: E402

LEVEL, BAR = 0.05, (0.03, 0.07)
UNIT_SD, PERSON_SD, DEAL_SD = 0.7, 0.5, 0.5  # of units, of participants in units of several, of deals


class Study(NamedTuple):
    """A design: the number of units, the participants of each, and the hands, played in pairs or alone."""

    units: int
    size: int
    hands: int

    def draw(self, rng: np.random.Generator, kind: str) -> pd.DataFrame:
        """Returns the table of one study without an effect."""
        deals = rng.normal(0, DEAL_SD, self.hands)
        rows = []
        for unit in range(self.units):
            level, persons = rng.normal(0, UNIT_SD), rng.normal(0, PERSON_SD, self.size)
            for hand in range(self.hands):
                for pair in rng.permutation(self.size).reshape(-1, min(self.size, 2)):
                    mean = level + (persons[pair].mean() if self.size > 1 else 0) + deals[hand]
                    rows.append((unit, hand, mean))
        table = pd.DataFrame(rows, columns=["cluster", "deal", "mean"])
        order = rng.permutation(self.units) % 2
        table["condition"] = np.where(order[table["cluster"]] == 1, "one", "two")
        noise = rng.normal(size=len(table))
        if kind == BINARY:
            table["outcome"] = (rng.random(len(table)) < 1 / (1 + np.exp(-table["mean"]))).astype(int)
        else:
            table["outcome"] = table["mean"] + noise
        return table


STUDIES = {
    "40 participants, 12 hands": Study(40, 1, 12),
    "16 participants, 12 hands": Study(16, 1, 12),
    "24 pairs, 12 hands": Study(24, 2, 12),
    "12 groups of four, 8 hands": Study(12, 4, 8),
}


def write_model(folder: Path, kind: str) -> ModuleType:
    """Writes the scripts for an outcome of this kind, and imports the one for Python."""
    file, _r_script = write_scripts(
        folder / "model.csv", Model("outcome", kind, "condition", ("condition",)), []
    )
    specification = importlib.util.spec_from_file_location("fitted", file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def p_values(script: ModuleType, tables: list[pd.DataFrame], folder: Path) -> list[float]:
    """Returns the p value of the condition in each study, by the script for Python."""
    values = []
    for table in tables:
        table.to_csv(folder / "model.csv", index=False)
        found, _method = script.fit(script.read(folder / "model.csv"))
        row = found.loc["condition[T.two]"]
        values.append(row["p"])
        assert (row["p"] < LEVEL) == (not row["low"] <= 0 <= row["high"]), "p and interval contradict"
    return values


R_LOOP = """
source("model.R")
studies <- read_table("studies.csv")
for (study in split(studies, studies$study)) {
  found <- coefficients_of(suppressMessages(suppressWarnings(fit(study))), study)
  cat("p", found["conditiontwo", ncol(found)], "\\n")
}
"""


def p_values_in_r(tables: list[pd.DataFrame], folder: Path) -> list[float]:
    """Returns the p value of the condition in each study, by the script for R."""
    numbered = [table.assign(study=number) for number, table in enumerate(tables)]
    pd.concat(numbered).to_csv(folder / "studies.csv", index=False)
    (folder / "loop.R").write_text(R_LOOP, "utf-8")
    command = [shutil.which("Rscript") or "Rscript", "--vanilla", "loop.R"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("p ")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--r", action="store_true", help="the scripts for R too; needs lme4 and lmerTest")
    chosen = parser.parse_args()
    met = True
    print(f"Share of {chosen.studies} studies with p < {LEVEL}", flush=True)
    for name, study in STUDIES.items():
        for kind in (NUMBER, BINARY):  # a time is modelled by its logarithm, a number
            rng = np.random.default_rng(chosen.seed)
            tables = [study.draw(rng, kind) for _study in range(chosen.studies)]
            with tempfile.TemporaryDirectory() as path:
                folder = Path(path)
                found = {"Python": p_values(write_model(folder, kind), tables, folder)}
                if chosen.r:
                    found["R"] = p_values_in_r(tables, folder)
            shares = {language: float(np.mean(np.array(ps) < LEVEL)) for language, ps in found.items()}
            text = ", ".join(f"{language} {share:.1%}" for language, share in shares.items())
            print(f"{name}, {kind}: {text}", flush=True)
            slack = 2 * (LEVEL * (1 - LEVEL) / chosen.studies) ** 0.5
            met &= all(BAR[0] - slack <= share <= BAR[1] + slack for share in shares.values())
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
