"""Finds the meanings of the fields of an app in its source, for the codebook of an archive.

The source is not run, because importing an app would open the database of the server.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

MODELS = ("Player", "Group", "Subsession")


def field_meanings(app: str, source: str) -> dict[str, str]:
    """Returns the ``doc`` or otherwise the ``label`` of each field that has one, by ``app.model.field``.

    Raises SyntaxError.
    """
    return {
        f"{app}.{model.name.lower()}.{field}": text
        for model in ast.parse(source).body
        if isinstance(model, ast.ClassDef) and model.name in MODELS
        for field, text in _described_fields(model)
    }


def _described_fields(model: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for line in model.body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
            texts = {part.arg: _text(part.value) for part in line.value.keywords}
            if meaning := texts.get("doc") or texts.get("label") or texts.get("verbose_name"):
                yield from ((name.id, meaning) for name in line.targets if isinstance(name, ast.Name))


def _text(value: ast.expr) -> str:
    """Returns a text constant in one line; empty if the value is computed."""
    constant = value.value if isinstance(value, ast.Constant) else None
    return " ".join(constant.split()) if isinstance(constant, str) else ""
