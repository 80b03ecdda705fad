"""Renders the report as one self-contained HTML page."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from cardlab.analysis.report.data import ReportData, one_row_per_hand
from cardlab.analysis.report.drawing import Drawing

GENERATOR = '<meta name="generator" content="Card Lab, python -m cardlab.analysis report">'
WIDE_COLUMNS = 12  # minimum number of columns of a table that is printed in landscape
STYLES = Path(__file__).with_name("report.css")


@dataclass(frozen=True)
class Table:
    """A table of a report.

    ``name`` is the name of its file, ``title`` its heading. The page shows the first ``shown`` rows, or with
    0 only a link to the file. ``meanings`` are the tooltips of the column heads. A ``transposed`` table has a
    row for each column instead, with the meaning at the end.
    """

    name: str
    title: str
    frame: pd.DataFrame
    shown: int = 60
    meanings: dict[str, str] = field(default_factory=dict)
    transposed: bool = False


@dataclass(frozen=True)
class Figure:
    """A plot. ``name`` is the name of its files, and ``numbers`` are the data of the drawing."""

    name: str
    title: str
    caption: str
    drawing: Drawing
    numbers: pd.DataFrame


@dataclass(frozen=True)
class Section:
    """A section of the page. ``text`` is one paragraph of plain text."""

    title: str
    text: str = ""
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """The frames to write as files, by name: tables, and the numbers of plots."""
        tables = {table.name: table.frame for table in self.tables}
        return {**{figure.name: figure.numbers for figure in self.figures}, **tables}


class FileKinds(NamedTuple):
    """The file formats of each plot and of each table."""

    figures: Sequence[str] = ("svg",)
    tables: Sequence[str] = ("csv",)


def render_page(
    data: ReportData, sections: list[Section], svg_by_plot: dict[str, str], kinds: FileKinds
) -> Iterator[str]:
    """Yields the page in pieces. ``svg_by_plot`` has the SVG of each figure by name."""
    codes = list(data.quality["session_code"]) or list(data.hands["session_code"].unique())
    which = f"session {codes[0]}" if len(codes) == 1 else f"{len(codes)} sessions"
    title = f"{data.game.title}: {which}"
    contents = "".join(
        f'<li><a href="#s{number}">{escape(section.title)}</a></li>'
        for number, section in enumerate(sections, 1)
    )
    yield f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{GENERATOR}
<title>{escape(title)}</title>
<style>{STYLES.read_text("utf-8")}</style>
</head>
<body>
<header><h1>{escape(title)}</h1><p>{escape(_summarize(data))}</p></header>
<nav aria-label="Contents"><ol>{contents}</ol></nav>
<main>"""
    for number, section in enumerate(sections, 1):
        yield from _render_section(number, section, svg_by_plot, kinds)
    yield "</main>\n</body>\n</html>\n"


def list_linked_files(page: Path) -> list[str]:
    """Returns the files that an earlier report links to; none if the page is not a report."""
    text = page.read_text("utf-8", errors="replace") if page.is_file() else ""
    return (
        sorted(set(re.findall(r'href="(\w+\.(?:csv|parquet|sav|dta|svg|pdf|png))"', text)))
        if GENERATOR in text
        else []
    )


def _summarize(data: ReportData) -> str:
    people, hands = len(data.participants), len(one_row_per_hand(data.counted))
    sentence = (
        f"{people:,} participant{'' if people == 1 else 's'}, {hands:,} hand{'' if hands == 1 else 's'} over"
    )
    times = pd.to_datetime(data.hands["shown_utc"], format="ISO8601", errors="coerce", utc=True).dropna()
    if len(times):
        first_time, last_time = (f"{time:%Y-%m-%d %H:%M}" for time in (times.min(), times.max()))
        sentence += f", the first shown {first_time}, the last {last_time} (UTC)"
    return f"{sentence}."


def _render_section(
    number: int, section: Section, svg_by_plot: dict[str, str], kinds: FileKinds
) -> Iterator[str]:
    text = f"<p>{escape(section.text)}</p>" if section.text else ""
    yield f'<section id="s{number}"><h2>{escape(section.title)}</h2>{text}'
    if section.figures:
        yield '<div class="figures">'
        for figure in section.figures:
            yield from _render_figure(figure, svg_by_plot[figure.name], kinds)
        yield "</div>"
    yield from (_render_table(table, kinds) for table in section.tables)
    yield "</section>"


def _render_figure(figure: Figure, drawing: str, kinds: FileKinds) -> Iterator[str]:
    names = [f"{figure.name}.{kind}" for kind in (*kinds.figures, *kinds.tables)]
    files = " ".join(f'<a href="{name}">{name}</a>' for name in names)
    title = escape(figure.title)
    yield f'<figure><h3>{title}</h3><div class="plot" role="img" aria-label="{title}">'
    yield drawing
    yield f"</div><figcaption>{escape(figure.caption)} <small>{files}</small></figcaption></figure>"


def _render_table(table: Table, kinds: FileKinds) -> str:
    names = [f"{table.name}.{kind}" for kind in kinds.tables]
    link = " ".join(f'<a href="{name}">{name}</a>' for name in names)
    file = f"<small>{link}</small>"  # hidden in print
    count = f"{len(table.frame):,} row{'' if len(table.frame) == 1 else 's'}"
    if not table.shown:
        return f'<p class="file">{escape(table.title)}: {count}, {file}</p>'
    frame = _transpose(table) if table.transposed else table.frame
    heads = "".join(
        f'<th scope="col"{_number_class(column)} title="{escape(table.meanings.get(name, ""))}">'
        f"{_format_heading(name)}</th>"
        for name, column in frame.items()
    )
    rows = "".join(
        f"<tr>{''.join(_render_cell(value) for value in row)}</tr>"
        for row in frame.head(table.shown).itertuples(index=False)
    )
    hidden_rows = 0 if table.transposed else len(table.frame) - table.shown
    wide = " wide" if len(frame.columns) >= WIDE_COLUMNS else ""
    hidden_text = f"<p>… and {hidden_rows} more in {link}</p>" if hidden_rows > 0 else ""
    return (
        f'<h3>{escape(table.title)} {file}</h3><div class="table{wide}" tabindex="0"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{hidden_text}"
    )


def _transpose(table: Table) -> pd.DataFrame:
    """Returns a row for each column except the first, whose cells become the column heads."""
    first_column, *other_columns = table.frame.columns
    rows = table.frame.astype(object).set_index(first_column)[other_columns].T
    rows.insert(0, "", [_format_heading(name) for name in other_columns], allow_duplicates=True)
    rows["meaning"] = [table.meanings.get(name, "") for name in other_columns]
    return rows


def _format_heading(name: str) -> str:
    return escape(str(name).replace("_", " "))


def _number_class(column: pd.Series) -> str:
    return ' class="number"' if pd.api.types.is_numeric_dtype(column) else ""


def _render_cell(value: object) -> str:
    if value is None or value != value or value == "":
        return "<td></td>"
    if isinstance(value, float):
        is_whole = value == round(value) or abs(value) >= 1000
        return f'<td class="number">{value:,.0f}</td>' if is_whole else f'<td class="number">{value:.3g}</td>'
    kind = ' class="number"' if isinstance(value, int) or hasattr(value, "dtype") else ""
    return f"<td{kind}>{escape(str(value))}</td>"
