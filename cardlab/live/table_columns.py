"""Columns that Card Lab's own tables in oTree's database share."""

from __future__ import annotations

from typing import Any

import sqlalchemy


def owner_column(owner: str) -> sqlalchemy.Column[Any]:
    """Returns the column of the ``session`` or ``participant`` of a row, with which the row is deleted."""
    key = sqlalchemy.ForeignKey(f"otree_{owner}.id", ondelete="CASCADE")
    return sqlalchemy.Column(f"{owner}_id", key, nullable=False, index=True)
