"""Renders the report as one self-contained HTML page."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from cardlab.analysis.report.data import ReportData, one_row_per_hand
from cardlab.analysis.report.drawing import Drawing

GENERATOR = '<meta name="generator" content="Card Lab, python -m cardlab.analysis report">'
SUPPLEMENT = "supplement.qmd"  # the file of cardlab.analysis.report.supplement
WIDE_COLUMNS = 12  # minimum number of columns of a table that is printed in landscape
STYLES = Path(__file__).with_name("report.css")


@dataclass(frozen=True)
class Table:
    """A table of a report.

    ``name`` is the name of its file, ``title`` its heading. The page shows the first ``shown`` rows, or with
    0 only a link to the file. ``meanings`` are the tooltips of the column heads. A ``transposed`` table has a
    row for each column instead, with the meaning at the end. ``main`` are the columns that a paper needs, by
    default all.
    """

    name: str
    title: str
    frame: pd.DataFrame
    shown: int = 60
    meanings: dict[str, str] = field(default_factory=dict)
    transposed: bool = False
    main: Sequence[str] = ()


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
    """A section of the page. ``text`` is plain text, with an empty line between paragraphs."""

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


def make_title(data: ReportData) -> str:
    """Returns the title of the report: the game, and the session or the number of sessions."""
    codes = list(data.quality["session_code"]) or list(data.hands["session_code"].unique())
    which = f"session {codes[0] or 'known from logs'}" if len(codes) == 1 else f"{len(codes)} sessions"
    return f"{data.game.title}: {which}"


def render_page(
    data: ReportData, sections: list[Section], svg_by_plot: dict[str, str], kinds: FileKinds
) -> Iterator[str]:
    """Yields the page in pieces. ``svg_by_plot`` has the SVG of each figure by name.

    Figures, and tables that are shown, are numbered in their order.
    """
    title, figure_numbers, table_numbers = make_title(data), count(1), count(1)
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
<header><h1>{escape(title)}</h1><p>{escape(_summarize(data))}</p>
<p><small>Quarto makes Word, PDF or HTML of <a href="{SUPPLEMENT}">{SUPPLEMENT}</a>.</small></p></header>
<nav aria-label="Contents"><ol>{contents}</ol></nav>
<main>"""
    for number, section in enumerate(sections, 1):
        text = "".join(f"<p>{escape(part)}</p>" for part in section.text.split("\n\n") if part)
        yield f'<section id="s{number}"><h2>{escape(section.title)}</h2>{text}'
        if section.figures:
            yield '<div class="figures">'
            for figure in section.figures:
                yield from _render_figure(figure, next(figure_numbers), svg_by_plot[figure.name], kinds)
            yield "</div>"
        for table in section.tables:
            yield (
                _render_table(table, next(table_numbers), kinds) if table.shown else _link_table(table, kinds)
            )
        yield "</section>"
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
    sentence = f"{people:,} participant{'' if people == 1 else 's'}, "
    sentence += f"{hands:,} finished hand{'' if hands == 1 else 's'}"
    times = pd.to_datetime(data.hands["shown_utc"], format="ISO8601", errors="coerce", utc=True).dropna()
    if len(times):
        first_time, last_time = (f"{time:%Y-%m-%d %H:%M}" for time in (times.min(), times.max()))
        sentence += f", the first shown {first_time}, the last {last_time} (UTC)"
    return f"{sentence}."


def _render_figure(figure: Figure, number: int, drawing: str, kinds: FileKinds) -> Iterator[str]:
    names = [f"{figure.name}.{kind}" for kind in (*kinds.figures, *kinds.tables)]
    title = escape(figure.title)
    yield f"<figure><h3>{_number_title('Figure', number, title)}</h3>"
    yield f'<div class="plot" role="img" aria-label="{title}">'
    yield drawing
    note = f"<i>Note.</i> {escape(figure.caption)} <small>{_link(names)}</small>"
    yield f"</div><figcaption>{note}</figcaption></figure>"


def _number_title(noun: str, number: int, title: str) -> str:
    """Returns a heading in the style of the APA: the number, and below it the title in italics."""
    return f"{noun} {number}<br><i>{title}</i>"


def _link(names: Iterable[str]) -> str:
    return " ".join(f'<a href="{name}">{name}</a>' for name in names)


def _link_table(table: Table, kinds: FileKinds) -> str:
    """Returns a line about a table that is not shown; it is hidden in print."""
    link = _link(f"{table.name}.{kind}" for kind in kinds.tables)
    rows = f"{len(table.frame):,} row{'' if len(table.frame) == 1 else 's'}"
    return f'<p class="file">{escape(table.title)}: {rows}, <small>{link}</small></p>'


def _render_table(table: Table, number: int, kinds: FileKinds) -> str:
    link = _link(f"{table.name}.{kind}" for kind in kinds.tables)
    frame = _transpose(table) if table.transposed else table.frame
    heads = "".join(
        f'<th scope="col"{_number_class(column)} title="{escape(_meaning(table, name))}">'
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
    title = _number_title("Table", number, escape(table.title))
    return (
        f'<h3>{title} <small>{link}</small></h3><div class="table{wide}" tabindex="0"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{hidden_text}"
    )


def _transpose(table: Table) -> pd.DataFrame:
    """Returns a row for each column except the first, whose cells become the column heads."""
    first_column, *other_columns = table.frame.columns
    rows = table.frame.astype(object).set_index(first_column)[other_columns].T
    rows.insert(0, "", [_format_heading(name) for name in other_columns], allow_duplicates=True)
    rows["meaning"] = [_meaning(table, name) for name in other_columns]
    return rows


def _meaning(table: Table, column: str) -> str:
    """Returns a column's meaning without the marks of the documentation."""
    return table.meanings.get(column, "").replace("`", "")


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
