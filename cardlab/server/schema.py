"""Compares the tables that the apps need with those of a database. Reads and changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Column(NamedTuple):
    """A column: its SQL type, and whether a row may leave it out (it may be empty or has a default)."""

    type: str
    optional: bool = True


class Table(NamedTuple):
    """A table: its columns by name, and the names of its indexes."""

    columns: Mapping[str, Column]
    indexes: frozenset[str] = frozenset()


Schema = Mapping[str, Table]


class Part(NamedTuple):
    """A column or an index of a table."""

    table: str
    name: str

    def __str__(self) -> str:
        return f"{self.table}.{self.name}"


@dataclass
class Difference:
    """What a database lacks, which of its columns the apps no longer have, and why it cannot be upgraded."""

    tables: list[str] = field(default_factory=list)
    columns: list[Part] = field(default_factory=list)
    indexes: list[Part] = field(default_factory=list)
    removed: list[Part] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # clauses


def compare(needed: Schema, existing: Schema) -> Difference:
    """Returns the difference between the tables that the apps need and those of a database.

    Tables that the apps do not have, such as those of a removed app, are ignored.
    """
    difference = Difference(tables=[name for name in needed if name not in existing])
    for name, table in needed.items():
        if name in existing:
            _compare_columns(difference, name, table.columns, existing[name].columns)
            missing = sorted(table.indexes - existing[name].indexes)
            difference.indexes += [Part(name, index) for index in missing]
    return difference


def _compare_columns(
    difference: Difference, table: str, needed: Mapping[str, Column], existing: Mapping[str, Column]
) -> None:
    for name, column in needed.items():
        part, old = Part(table, name), existing.get(name)
        if old is None:
            difference.columns.append(part)
            if not column.optional:
                difference.faults.append(f"{part} is new and has no default for the rows that exist")
        elif old.type != column.type:
            difference.faults.append(f"{part} has the type {old.type}, but the field now has {column.type}")
    for name, column in existing.items():
        if name not in needed:
            difference.removed.append(Part(table, name))
            if not column.optional:
                difference.faults.append(
                    f"{table} has no field {name} any more, and new rows need a value for it"
                )


def removed_fault(parts: list[Part], sessions: Sequence[str]) -> str:
    """Returns a clause about removed fields that sessions in progress use."""
    are = "session {} is" if len(sessions) == 1 else "sessions {} are"
    fields = "field" if len(parts) == 1 else "fields"
    return (
        f"{are.format(shorten_list(sessions))} in progress, and the apps no longer have the {fields} "
        f"{shorten_list([str(part) for part in parts])}"
    )


def shorten_list(names: Sequence[str], limit: int = 3) -> str:
    """Returns the first names, and how many more there are."""
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")
