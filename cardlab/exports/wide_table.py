"""Leaves columns without a value out of oTree's wide export.

oTree writes every field of an app for every round, also those that only the first round fills.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import otree.export

from cardlab.core.patch import Wrapper

Rows = list[list[Any]]  # the first has the names of the columns


def _rows_of_app(rows_of_app: Callable[..., Rows], *arguments: Any) -> Rows:
    header, *rows = rows_of_app(*arguments)
    filled = [place for place in range(len(header)) if any(row[place] not in ("", None) for row in rows)]
    return [[row[place] for place in filled] for row in (header, *rows)]


PATCHES = (
    Wrapper(
        *(otree.export, "get_rows_for_wide_csv_app", _rows_of_app, "feature", "8fd677b5b4ed6653"),
        "Fields that only the first round fills were empty columns in all other rounds.",
    ),
)
