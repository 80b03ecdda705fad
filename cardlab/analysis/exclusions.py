"""Rules that exclude participants, or hands, by a column of their table."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pandas as pd

from cardlab.games.columns import Integer
from cardlab.games.contract import BadFile
from cardlab.games.text_file import quote

PARTICIPANTS, HANDS = "participants", "hands"
COLUMNS = {
    "table": "`participants`, or `hands`, which then do not count",
    "rule": "what is excluded",
    "reason": "the reason given in the preregistration",
    "excluded": Integer("number of participants, or of hands and seats, that the rule excludes"),
    "conditions": "that number in each condition",
}
_RULE = re.compile(r"(\w+)\s*(<=|>=|!=|<|>|=)\s*(.+)|(\w+) is empty")
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
_EMPTY = "is empty"


class Rule(NamedTuple):
    """Excludes the rows of a table in which the cell of ``column`` is ``relation`` ``value``."""

    table: str
    column: str
    relation: str
    value: str
    reason: str

    def __str__(self) -> str:
        return " ".join(part for part in (self.column, self.relation, self.value) if part)

    def matches(self, frame: pd.DataFrame) -> pd.Series:
        """Returns which rows are excluded. An empty cell matches only "is empty"."""
        cells = frame[self.column]
        is_empty = cells.isna() | cells.eq("")
        if self.relation == _EMPTY:
            return is_empty
        number = _read_number(self.value)
        if number is None:
            return _OPERATORS[self.relation](cells.astype(str), self.value) & ~is_empty
        numbers = pd.to_numeric(cells, errors="coerce")
        return _OPERATORS[self.relation](numbers, number) & ~is_empty


def parse_rule(file: str, table: str, text: str, reason: str) -> Rule:
    """Parses a rule such as ``hands_over < 16`` or ``outcome = timeout``. Raises BadFile."""
    match = _RULE.fullmatch(text.strip())
    if not match:
        raise BadFile(
            file,
            'rule must be like "hands_over < 16", "outcome = timeout" or "moves is empty", '
            f"not {quote(text)}.",
        )
    column, relation, value, empty_column = match.groups()
    if empty_column:
        return Rule(table, empty_column, _EMPTY, "", reason)
    if relation not in ("=", "!=") and _read_number(value) is None:
        raise BadFile(file, f"rule compares with {quote(value)}. After {relation} write a number.")
    return Rule(table, column, relation, value.strip(), reason)


def _read_number(text: str) -> float | None:
    """Returns the number in a text; None for a text without one, and for nan and infinity."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def find_excluded(frame: pd.DataFrame, rules: Sequence[Rule], table: str) -> pd.Series:
    """Returns which rows of a table are excluded by any of its rules."""
    excluded = pd.Series(False, index=frame.index)
    for rule in rules:
        if rule.table == table:
            excluded |= rule.matches(frame)
    return excluded


def count_excluded(frame: pd.DataFrame, rules: Sequence[Rule], table: str) -> list[dict[str, Any]]:
    """Returns a row with ``COLUMNS`` for each rule of a table. ``frame`` has its rows, with ``condition``."""
    rows = []
    for rule in rules:
        if rule.table == table:
            conditions = frame[rule.matches(frame)]["condition"].value_counts().sort_index()
            counts = ", ".join(f"{name} {count}" for name, count in conditions.items())
            cells = table, str(rule), rule.reason, int(conditions.sum()), counts
            rows.append(dict(zip(COLUMNS, cells)))
    return rows
