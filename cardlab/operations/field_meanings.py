"""Finds the meanings of the fields of an app in its source, for the codebook of an archive.

The source is not run, because importing an app would open the database of the server.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

MODELS = ("Player", "Group", "Subsession")
NOT_IDENTIFYING = "not identifying"  # in a field's doc: an archive keeps its texts


class Field(NamedTuple):
    """A field of an app: its ``doc`` or else its ``label``, and whether it may identify a person."""

    meaning: str
    identifies: bool


def field_meanings(app: str, source: str) -> dict[str, Field]:
    """Returns the fields of an app by ``app.model.field``. Raises SyntaxError.

    A text without ``choices`` may identify a person, unless its ``doc`` says ``not identifying``.
    """
    return {
        f"{app}.{model.name.lower()}.{name}": field
        for model in ast.parse(source).body
        if isinstance(model, ast.ClassDef) and model.name in MODELS
        for name, field in _fields(model)
    }


def _fields(model: ast.ClassDef) -> Iterator[tuple[str, Field]]:
    for line in model.body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
            texts = {part.arg: _text(part.value) for part in line.value.keywords}
            meaning = texts.get("doc") or texts.get("label") or texts.get("verbose_name") or ""
            kind = ast.unparse(line.value.func).rpartition(".")[2]
            is_free_text = kind == "LongStringField" or (kind == "StringField" and "choices" not in texts)
            field = Field(meaning, is_free_text and NOT_IDENTIFYING not in texts.get("doc", ""))
            yield from ((name.id, field) for name in line.targets if isinstance(name, ast.Name))


def _text(value: ast.expr) -> str:
    """Returns a text constant in one line; empty if the value is computed."""
    constant = value.value if isinstance(value, ast.Constant) else None
    return " ".join(constant.split()) if isinstance(constant, str) else ""
