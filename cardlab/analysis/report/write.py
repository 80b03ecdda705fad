"""Writes the report of a session into a folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

import pandas as pd

from cardlab.analysis import parquet
from cardlab.analysis.games import module
from cardlab.analysis.report import common, page
from cardlab.analysis.report.data import ReportData
from cardlab.analysis.report.figures import render, render_svg
from cardlab.analysis.report.page import Section
from cardlab.analysis.report.progress import show_each
from cardlab.games.contract import BadFile
from cardlab.games.tables import guard_formula

NAME = "report.html"
KINDS = page.FileKinds()
HEAD_OF_SVG = b'<?xml version="1.0" encoding="utf-8"?>\n'


def build_sections(data: ReportData) -> Iterator[Section]:
    """All sections of the page, those of every game around those of this one."""
    own = module(data.game.name, "report")
    curves = own.CURVES if own else common.CURVES
    yield common.build_session_section(data)
    yield common.build_quality_section(data)
    if len(data.counted):
        yield common.build_curves_section(data, curves)
        if data.counted["condition"].nunique() > 1:
            yield common.build_comparison_section(data)
        yield from own.sections(data) if own else ()
        yield common.build_participants_section(data, curves)
    else:
        yield common.build_empty_section()
    yield common.build_tables_section(data)


def write_report(
    data: ReportData, folder: Path, sources: Sequence[Path] = (), kinds: page.FileKinds = KINDS
) -> int:
    """Write the report into ``folder``, made if it is not there; the number of files. ``kinds`` are those of
    the files of each plot (``figures.FORMATS``; the page has all plots in itself) and of each table (csv, and
    parquet beside it if that is asked for).

    All files appear when all are made, or none does; those of a report that was there before are gone.
    BadFile if the folder cannot be one, or if a file would replace one of the ``sources``.
    """
    if folder.exists() and not folder.is_dir():
        raise BadFile(str(folder), "This is no folder; give the name of a folder to write to.")
    there = next(place for place in (folder, *folder.absolute().parents) if place.is_dir())
    made = list(show_each(build_sections(data), lambda section: f"Computed: {section.title}"))
    figures = [figure for section in made for figure in section.figures]
    drawn = {
        figure.name: render_svg(figure.drawing)
        for figure in show_each(figures, lambda figure: f"Drawing {figure.title}")
    }
    with tempfile.TemporaryDirectory(dir=there, prefix=".report-") as unfinished:
        new = Path(unfinished)
        for section in made:
            for name, frame in show_each(section.frames.items(), lambda item: f"Writing {item[0]}"):
                save_table(frame, new / f"{name}.csv")
                if "parquet" in kinds.tables:
                    parquet.convert_table(new / f"{name}.csv", new / f"{name}.parquet")
            for figure in section.figures:
                for kind in kinds.figures:
                    (new / f"{figure.name}.{kind}").write_bytes(
                        HEAD_OF_SVG + drawn[figure.name].encode()
                        if kind == "svg"
                        else render(figure.drawing, kind)
                    )
        with (new / NAME).open("w", encoding="utf-8", newline="\n") as page_file:
            page_file.writelines(page.render_page(data, made, drawn, kinds))
        files = sorted(new.iterdir())
        read = {source.resolve() for source in sources}
        for file in files:
            if (folder / file.name).resolve() in read:
                raise BadFile(
                    str(folder / file.name), "This is one of the files to be read; write to another folder."
                )
        folder.mkdir(parents=True, exist_ok=True)
        for name in page.list_linked_files(folder / NAME):
            (folder / name).unlink(missing_ok=True)
        for file in files:
            os.replace(file, folder / file.name)
    return len(files)


def save_table(frame: pd.DataFrame, file: Path | TextIO) -> None:
    """Write a table as CSV; texts that a spreadsheet would run are guarded."""
    texts = frame.columns.intersection(["participant_label", "name", "condition", "first", "second"])
    frame = frame.assign(**{column: frame[column].map(guard_formula) for column in texts})
    frame.to_csv(file, index=False, lineterminator="\n", float_format=_format_number)


def _format_number(value: float) -> str:
    """A number in twelve digits: the last bits of sums and products differ from machine to machine."""
    return repr(float(f"{value:.12g}"))
