"""Fits mixed models to simulated experiments, with the script that ``model`` writes for Python."""

from __future__ import annotations

import runpy
import warnings
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pandas as pd

from cardlab.analysis import model, model_scripts
from cardlab.analysis.design import Design
from cardlab.analysis.persons import PERSON
from cardlab.analysis.report.data import ReportData
from cardlab.analysis.simulated_people import Played
from cardlab.games.columns import column_type
from cardlab.games.contract import BadFile


class Coefficient(NamedTuple):
    """A coefficient of the fixed terms, by its name in the script; ``p`` is two-sided."""

    name: str
    estimate: float
    p: float


def build_table(design: Design, played: Sequence[Played]) -> pd.DataFrame:
    """Returns the table that ``model`` would write for simulated participants."""
    rows = [
        {
            **row,
            **{"session_code": f"session {row['visit']}", "participant_code": one.person},
            **{"participant_label": "", "treatment": one.condition, "condition": one.condition},
            **{"hand_id": f"{one.condition} {row['hand_id']}", "group": one.group, PERSON: one.person},
        }
        for one in played
        for row in one.hands
    ]
    frame = pd.DataFrame(rows, dtype=object)
    if design.sessions == 1:
        frame = frame.drop(columns=PERSON)
    none = pd.DataFrame()  # the table needs only hands
    data = ReportData(design.game, frame, frame, none, {}, none, none, design.thresholds, False, none)
    return model.build_table(data)


def fit_model(design: Design, outcome: str, table: pd.DataFrame) -> list[Coefficient]:
    """Returns the coefficients of the model of an outcome, without the intercept.

    Raises BadFile if the outcome or a term does not fit the table, or if statsmodels is not installed.
    """
    try:
        chosen = model_scripts.choose_model(table, [outcome], outcome, design.terms)
    except BadFile as wrong:
        raise BadFile(design.file, f"{wrong.file.removeprefix('--')}: {wrong.message}") from None
    if chosen is None:
        raise BadFile(design.file, "The treatments are alike, so the model has no term. Set terms.")
    columns = model.table_columns(design.game).items()
    texts = [name for name, meaning in columns if column_type(meaning) == "text"]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "model.csv"
        table.to_csv(file, index=False)
        script, _r_script = model_scripts.write_scripts(file, chosen, texts)
        try:
            names = runpy.run_path(str(script))
        except ImportError:
            raise BadFile(
                design.file, 'test = "model" needs statsmodels: python -m pip install statsmodels'
            ) from None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about estimates at a bound, which the script handles
            found, _method = names["fit"](names["read"](file))
    return [
        Coefficient(str(name), float(row["estimate"]), float(row["p"]))
        for name, row in found.iterrows()
        if name != "Intercept"
    ]
