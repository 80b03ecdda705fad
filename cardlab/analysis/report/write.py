"""Writes the report of a session into a folder."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

import pandas as pd

from cardlab.analysis.games import module
from cardlab.analysis.output import convert_table
from cardlab.analysis.preregistration.review import Review
from cardlab.analysis.progress import show_each
from cardlab.analysis.report import hand_curves, page, sections, supplement
from cardlab.analysis.report.data import ReportData
from cardlab.analysis.report.drawing import render, render_svg
from cardlab.analysis.report.methods import Command, build_methods_section
from cardlab.analysis.report.page import Section
from cardlab.games.contract import BadFile
from cardlab.games.tables import guard_formula

NAME = "report.html"
KINDS = page.FileKinds()
NO_COMMAND = Command()
XML_DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>\n'


def build_sections(
    data: ReportData,
    command: Command = NO_COMMAND,
    planned: Review | None = None,
    first: Sequence[Section] = (),
) -> Iterator[Section]:
    """Yields all sections of the page, with those of the game between those of every game.

    ``planned`` is the comparison with a preregistration, ``first`` are sections to begin with.
    """
    yield from first
    game_report = module(data.game.name, "report")
    curves = game_report.CURVES if game_report else hand_curves.CURVES
    yield sections.build_session_section(data)
    if planned:
        yield sections.build_preregistration_section(data, planned)
    yield sections.build_quality_section(data)
    if len(data.counted):
        yield sections.build_curves_section(data, curves)
        if data.counted["condition"].nunique() > 1:
            yield sections.build_comparison_section(data, planned)
        yield from game_report.sections(data) if game_report else ()
        yield sections.build_participants_section(data, curves)
    else:
        yield sections.build_empty_section()
    yield build_methods_section(data, command)
    yield sections.build_tables_section(data)


def write_report(
    data: ReportData,
    folder: Path,
    command: Command = NO_COMMAND,
    kinds: page.FileKinds = KINDS,
    planned: Review | None = None,
    first: Sequence[Section] = (),
) -> int:
    """Writes the report into a folder, which is created if necessary, and returns the number of files.

    All files appear when all are complete, or none does. Files of an earlier report are removed.

    Parameters:
        data: the data of the report.
        folder: the folder.
        command: the input files, which must not be overwritten, and the options, for the methods.
        kinds: the file formats of plots (``drawing.FORMATS``) and tables (csv, parquet, sav, dta).
        planned: the comparison with a preregistration.
        first: sections to begin with.

    Raises:
        BadFile: If the folder is a file, or if a file would replace an input file.
    """
    if folder.exists() and not folder.is_dir():
        raise BadFile(str(folder), "This is not a folder. Name a folder to write to.")
    existing = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
    built = build_sections(data, command, planned, first)
    sections = list(show_each(built, lambda section: f"Computed: {section.title}"))
    figures = [figure for section in sections for figure in section.figures]
    svg_by_plot = {
        figure.name: render_svg(figure.drawing)
        for figure in show_each(figures, lambda figure: f"Drawing {figure.title}")
    }
    with tempfile.TemporaryDirectory(dir=existing, prefix=".report-") as unfinished:
        new_folder = Path(unfinished)
        for section in sections:
            _write_section(section, new_folder, svg_by_plot, kinds)
        with (new_folder / NAME).open("w", encoding="utf-8", newline="\n") as html:
            html.writelines(page.render_page(data, sections, svg_by_plot, kinds))
        with (new_folder / page.SUPPLEMENT).open("w", encoding="utf-8", newline="\n") as file:
            title = page.make_title(data)
            file.writelines(supplement.render_supplement(title, sections, folder, command))
        files = sorted(new_folder.iterdir())
        source_files = {source.resolve() for source in command.sources}
        for path in (folder / file.name for file in files):
            if path.resolve() in source_files:
                raise BadFile(str(path), "This is also an input file. Choose another folder for the output.")
        folder.mkdir(parents=True, exist_ok=True)
        for name in page.list_linked_files(folder / NAME):
            (folder / name).unlink(missing_ok=True)
        for path in files:
            os.replace(path, folder / path.name)
    return len(files)


def _write_section(
    section: Section, folder: Path, svg_by_plot: Mapping[str, str], kinds: page.FileKinds
) -> None:
    """Writes the tables and plots of a section. ``svg_by_plot`` has the SVG of each plot by name."""
    for name, frame in show_each(section.frames.items(), lambda item: f"Writing {item[0]}"):
        save_table(frame, folder / f"{name}.csv")
        for kind in kinds.tables:
            if kind != "csv":
                convert_table(folder / f"{name}.csv", folder / f"{name}.{kind}", f".{kind}")
    for figure in section.figures:
        for kind in kinds.figures:
            is_svg = kind == "svg"
            content = (
                XML_DECLARATION + svg_by_plot[figure.name].encode()
                if is_svg
                else render(figure.drawing, kind)
            )
            (folder / f"{figure.name}.{kind}").write_bytes(content)


def save_table(frame: pd.DataFrame, file: Path | TextIO) -> None:
    """Writes a table as CSV, and guards texts that a spreadsheet would run as formulas."""
    texts = frame.columns.intersection(["participant_label", "name", "condition", "first", "second"])
    frame = frame.assign(**{column: frame[column].map(guard_formula) for column in texts})
    frame.to_csv(file, index=False, lineterminator="\n", float_format=_format_number)


def _format_number(value: float) -> str:
    """Formats a number with twelve digits, because the last bits of sums differ between machines."""
    return repr(float(f"{value:.12g}"))
