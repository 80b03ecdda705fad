"""Writes the report as a Quarto document, from which a paper's supplement is made in HTML, Word or PDF.

The document shows the figures and tables in its folder, and can compute them again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template

from cardlab.analysis.report.methods import Command
from cardlab.analysis.report.page import Figure, Section, Table

_BEGIN = Path(__file__).with_name("supplement.qmd.txt")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|$~^@])")


def render_supplement(
    title: str, sections: Sequence[Section], folder: Path, command: Command
) -> Iterator[str]:
    """Yields the document in pieces. Paths of the input files are relative to ``folder``."""
    arguments = command.words(lambda path: _relative(path, folder))
    yield Template(_BEGIN.read_text("utf-8")).substitute(title=title.replace('"', "'"), arguments=arguments)
    for section in sections:
        shown = [table for table in section.tables if table.shown]
        if section.tables and not (section.figures or shown):
            continue  # it only links to files
        yield f"\n## {_escape(section.title)}\n\n{_escape(section.text)}\n"
        yield from map(_render_figure, section.figures)
        yield from map(_render_table, shown)


def _relative(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive of Windows
        return path.resolve().as_posix()


def _render_figure(figure: Figure) -> str:
    caption = f"{_escape(figure.title)}. *Note.* {_escape(figure.caption)}"
    return f"\n![{caption}]({figure.name}.svg){{#fig-{_label(figure.name)}}}\n"


def _render_table(table: Table) -> str:
    columns = f", {list(table.main)}" if table.main else ""
    return (
        f"\n::: {{#tbl-{_label(table.name)}}}\n\n```{{python}}\n#| output: asis\n"
        f'show("{table.name}.csv", {table.shown}{columns})\n```\n\n{_escape(table.title)}\n\n:::\n'
    )


def _label(name: str) -> str:
    """Returns a name for cross-references, without underscores, which Quarto takes for formatting."""
    return name.replace("_", "-")


def _escape(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)
