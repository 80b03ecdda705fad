"""Writes the scripts that fit a mixed model to the table of ``model``, in Python and in R.

Each row of the table is a hand. A cluster is a participant, or in games for several, all participants who
have met. Hands of a cluster depend on each other, so clusters have random intercepts.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template
from typing import NamedTuple

import pandas as pd

from cardlab.analysis.output import atomic_file
from cardlab.games.contract import BadFile
from cardlab.games.text_file import quote

LANGUAGES = {".py": "model.py.txt", ".R": "model.R.txt"}  # by the suffix of the script
BINARY, COUNT, TIME, NUMBER = "binary", "count", "time", "number"
MARK = "Fits a mixed model to "  # in the first line of a script
ADVICE = "Choose a column of the table."


class Model(NamedTuple):
    """A mixed model: the ``outcome``, its ``kind``, and the fixed ``terms``.

    ``used`` are the columns of the terms. Hands without a value in one of them are left out.
    """

    outcome: str
    kind: str
    terms: str
    used: tuple[str, ...]


def choose_model(
    table: pd.DataFrame,
    outcomes: Sequence[str],
    outcome: str | None = None,
    terms: str | None = None,
    counts: bool = False,
) -> Model | None:
    """Returns the model of a table of ``cardlab.analysis.model``; None if none is named and no default fits.

    Parameters:
        table: the table.
        outcomes: the possible outcomes; the first that varies is the default.
        outcome: the outcome.
        terms: the fixed terms, as in formulas of R and Python; by default the condition, or without
            conditions the place of the hand.
        counts: whether the model is about ratios of counts.

    Raises BadFile if the terms are no formula, if a name is no such column, if a named outcome or term does
    not vary, or if the outcome of ``counts`` is not a count.
    """
    if outcome is None:
        outcome = next((name for name in outcomes if _numbers(table, name).nunique() > 1), None)
        if outcome is None:
            return None
    else:
        _check_outcome(table, outcomes, outcome)
    if terms is None:
        terms = next((name for name in ("condition", "place") if table[name].nunique() > 1), None)
        if terms is None:
            return None
    names = _find_columns(table, terms)
    values = _numbers(table, outcome)
    if counts:
        _check_counts(outcome, values)
    return Model(outcome, COUNT if counts else _kind(outcome, values), terms, tuple(names))


def write_scripts(table: Path, model: Model, texts: Iterable[str]) -> list[Path]:
    """Writes the scripts next to a table, and returns them. ``texts`` are its columns with text.

    Raises BadFile if another file has the name of a script.
    """
    literals = {**model._asdict(), "table": table.name}
    lists = {"texts": texts, "used": literals.pop("used")}
    scripts = []
    for suffix, template in LANGUAGES.items():
        script = table.with_suffix(suffix)
        if script.exists() and MARK not in script.read_text("utf-8", errors="replace").partition("\n")[0]:
            sentence = "This file is not a script of this command. Name another table with -o."
            raise BadFile(str(script), sentence)
        text = Template(Path(__file__).with_name(template).read_text("utf-8")).substitute(
            {f"{name}_literal": json.dumps(value) for name, value in literals.items()}
            | {f"{name}_literal": _list_literal(names, suffix) for name, names in lists.items()},
            table=table.name,
            name=script.name,
            sentence=f"The model: {model.outcome} ~ {model.terms}, with a random intercept for each cluster.",
        )
        with atomic_file(script) as file:
            file.write(text)
        scripts.append(script)
    return scripts


def _find_columns(table: pd.DataFrame, terms: str) -> list[str]:
    """Returns the columns of the terms. Raises BadFile if they are no formula of columns that vary."""
    names = re.findall(r"[A-Za-z_]\w*(?![\w(])", terms)
    if not names:
        raise BadFile("--terms", f"{quote(terms)} names no column. {ADVICE}")
    try:
        ast.parse(terms.replace(":", "*"), mode="eval")
    except SyntaxError:
        raise BadFile("--terms", f"{quote(terms)} is not a formula such as 'condition * block'.") from None
    for name in names:
        if name not in table.columns:
            raise BadFile("--terms", f"There is no column {quote(name)}. {ADVICE}")
        if table[name].replace("", None).nunique() < 2:
            raise BadFile("--terms", f"The column {quote(name)} does not vary. {ADVICE}")
    return names


def _check_outcome(table: pd.DataFrame, outcomes: Sequence[str], outcome: str) -> None:
    if outcome not in outcomes:
        sentence = f"{quote(outcome)} is not a measure. Choose one of: {', '.join(outcomes)}."
        raise BadFile("--outcome", sentence)
    if _numbers(table, outcome).nunique() < 2:
        raise BadFile("--outcome", f"The column {quote(outcome)} does not vary. {ADVICE}")


def _check_counts(outcome: str, values: pd.Series[float]) -> None:
    if (values < 0).any() or (values % 1 != 0).any():
        wrong = values[(values < 0) | (values % 1 != 0)].iloc[0]
        sentence = f"The column {quote(outcome)} contains {wrong:g}, which is not a count."
        raise BadFile("--counts", f"{sentence} Choose another --outcome, or leave --counts out.")


def _list_literal(names: Iterable[str], suffix: str) -> str:
    texts = ", ".join(map(json.dumps, names))
    return f"[{texts}]" if suffix == ".py" else f"c({texts})"


def _numbers(table: pd.DataFrame, name: str) -> pd.Series[float]:
    return pd.to_numeric(table[name], errors="coerce").dropna()


def _kind(outcome: str, values: pd.Series[float]) -> str:
    if values.isin((0, 1)).all():
        return BINARY
    return TIME if "seconds" in outcome else NUMBER
