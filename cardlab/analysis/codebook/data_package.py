"""Describes a folder of tables as a Frictionless Data Package, version 2: ``datapackage.json``.

See https://datapackage.org. Each table is a resource with the types of its fields, the key of its rows, and
the keys by which it refers to other tables. A key is only declared if the rows have it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cardlab import row_chain
from cardlab.analysis.codebook.columns import MATCHES_TYPE, Column, read_header, strip_round
from cardlab.analysis.codebook.table_names import table_name
from cardlab.analysis.spreadsheets import detect_encoding, open_table

DESCRIPTION = "datapackage.json"  # the name that the standard requires
PROFILE = "https://datapackage.org/profiles/2.0"

KEYS = (
    ("hand_id", "seat"),
    ("participant_code", "app", "step"),
    ("participant_code",),
    ("participant.code",),
    ("participant_code", "page_index"),
    ("tab", "event_number"),
)
"""The columns that may identify the rows of a table without digests, in the order in which they are tried."""

REFERENCES = (("hand_id", "hands", "hand_id"), ("participant_code", "all_apps_wide", "participant.code"))
"""The columns that refer to another table: a column, the other table's name or its end, and its column."""

_TYPES = {"integer": "integer", "number": "number", "logical": "boolean", "time": "datetime"}
_NOT_IN_NAMES = re.compile("[^a-z0-9._-]+")


class Resource(NamedTuple):
    """A table of the package: its file, its name without ending, and its columns as in the file."""

    file: str
    table: str
    columns: list[Column]


def describe_package(
    about: Mapping[str, Any], folder: Path, book: Mapping[str, list[Column]]
) -> dict[str, Any]:
    """Returns the description of all tables.

    Parameters:
        about: The properties of the dataset in schema.org.
        folder: The folder of the tables.
        book: The columns of each table by the path of its file.
    """
    resources = [_resource(folder, file, columns) for file, columns in book.items()]
    names = {resource.file: _resource_name(resource, resources) for resource in resources}
    descriptions = []
    for resource in resources:
        schema = _schema(folder, resource)
        if references := [*_references(folder, resource, resources, names)]:
            schema["foreignKeys"] = references
        descriptions.append(
            {
                "name": names[resource.file],
                "type": "table",
                "path": resource.file,
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": detect_encoding(folder / resource.file).removesuffix("-sig"),
                "schema": schema,
            }
        )
    package = {
        "$schema": f"{PROFILE}/datapackage.json",
        "name": _NOT_IN_NAMES.sub("-", str(about["name"]).lower()).strip("-") or "tables",
        **{key: about[name] for key, name in (("title", "name"), *_SAME) if name in about},
    }
    return {**package, "resources": descriptions}


_SAME = (("description", "description"), ("version", "version"), ("keywords", "keywords"))


def _resource(folder: Path, file: str, columns: Sequence[Column]) -> Resource:
    known = {column.column: column for column in columns}
    header = read_header(folder / file)
    return Resource(
        file, table_name(file), [known[strip_round(name)]._replace(column=name) for name in header]
    )


def _resource_name(resource: Resource, resources: Sequence[Resource]) -> str:
    """Returns the table's name, or its path if several tables have it."""
    same = [one for one in resources if one.table == resource.table]
    name = resource.table if len(same) == 1 else resource.file.removesuffix(".csv")
    return _NOT_IN_NAMES.sub("-", name.lower())


def _schema(folder: Path, resource: Resource) -> dict[str, Any]:
    fields, key = _read_fields(folder, resource)
    schema: dict[str, Any] = {
        "$schema": f"{PROFILE}/tableschema.json",
        "fields": fields,
        "missingValues": [""],
    }
    return schema | ({"primaryKey": list(key)} if key else {})


def _read_fields(folder: Path, resource: Resource) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Reads a table once; returns its fields, and its key or an empty tuple."""
    names = [column.column for column in resource.columns]
    has_digests = row_chain.has_digests(names)  # they differ; a set of millions would fill the memory
    keys = {key: set[tuple[str, ...]]() for key in KEYS if not has_digests and set(key) <= set(names)}
    decimals: set[str] = set()
    integers = [
        (i, name) for i, (name, column) in enumerate(zip(names, resource.columns)) if column.type == "integer"
    ]
    with_blank: set[str] = set()
    times = [
        (i, name) for i, (name, column) in enumerate(zip(names, resource.columns)) if column.type == "time"
    ]
    for row in _rows(folder / resource.file):
        decimals |= {name for i, name in integers if row[i] and not MATCHES_TYPE["integer"](row[i])}
        with_blank |= {name for i, name in times if row[i][10:11] == " "}
        keys = {
            key: seen for key, seen in keys.items() if _is_new(tuple(row[names.index(n)] for n in key), seen)
        }
    fields = [
        _field(column, column.column in decimals, column.column in with_blank) for column in resource.columns
    ]
    return fields, (row_chain.COLUMN,) if has_digests else next(iter(keys), ())


def _is_new(key: tuple[str, ...], seen: set[tuple[str, ...]]) -> bool:
    """Whether a row's key is complete and no earlier row has it; adds it to those seen."""
    is_new = all(key) and key not in seen
    seen.add(key)
    return is_new


def _field(column: Column, has_decimals: bool, has_blanks: bool) -> dict[str, Any]:
    kind = _TYPES.get(column.type, "string")
    if has_decimals:  # pandas writes 3.0 if a column has empty cells
        kind = "number"
    field: dict[str, Any] = {"name": column.column, "type": kind, "description": str(column.meaning)}
    if kind == "boolean":
        field |= {"trueValues": ["1", "True"], "falseValues": ["0", "False"]}
    if kind == "datetime":
        field["format"] = "%Y-%m-%d %H:%M:%S.%f" if has_blanks else "%Y-%m-%dT%H:%M:%S.%fZ"
    return field


def _references(
    folder: Path, resource: Resource, resources: Sequence[Resource], names: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yields the foreign keys of a table whose cells are all in the other table."""
    columns = [column.column for column in resource.columns]
    for name, table, other_name in REFERENCES:
        other = _referred(resource, table, resources)
        if name not in columns or other is None:
            continue
        if _values(folder, resource, name) <= _values(folder, other, other_name) | {""}:
            yield {"fields": [name], "reference": {"resource": names[other.file], "fields": [other_name]}}


def _referred(resource: Resource, table: str, resources: Sequence[Resource]) -> Resource | None:
    """Returns the table with this name, or that of the same app whose name ends so."""
    for other in resources:
        app = other.table.removesuffix(f"_{table}")
        of_app = app != other.table and resource.table.startswith(f"{app}_")
        if other.file != resource.file and (other.table == table or of_app):
            return other
    return None


def _values(folder: Path, resource: Resource, name: str) -> set[str]:
    place = [column.column for column in resource.columns].index(name)
    return {row[place] for row in _rows(folder / resource.file)}


def _rows(file: Path) -> Iterator[list[str]]:
    with open_table(file) as text:
        rows = csv.reader(text)
        next(rows, None)
        yield from rows
