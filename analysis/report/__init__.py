"""The report of a session: one HTML page, and beside it the CSV of every table and the SVG of every plot.

What a game shows stands in a module of its name here, which has ``CURVES`` and ``sections(data)``.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pandas as pd

from analysis.report import common, page
from analysis.report.data import Data
from analysis.report.figures import svg
from analysis.report.page import Section
from games.contract import BadFile
from games.tables import guarded

NAME = "report.html"


def sections(data: Data) -> Iterator[Section]:
    """All sections of the page, those of every game around those of this one."""
    game = import_module(f"analysis.report.{data.game.name}")
    yield common.session(data)
    yield common.quality(data)
    if len(data.counted):
        yield common.over_the_session(data, game.CURVES)
        yield from game.sections(data)
        yield common.each_participant(data, game.CURVES)
    yield common.all_tables(data)


def write(data: Data, folder: Path) -> int:
    """Write the report into ``folder``, made if it is not there; the number of files.

    All files appear when all are made, or none does. Raises BadFile.
    """
    if folder.exists() and not folder.is_dir():
        raise BadFile(str(folder), "This is no folder; give the name of a folder to write to.")
    there = next(place for place in (folder, *folder.absolute().parents) if place.is_dir())
    made = list(sections(data))
    drawn = {figure.name: svg(figure.drawing) for section in made for figure in section.figures}
    with tempfile.TemporaryDirectory(dir=there, prefix=".report-") as unfinished:
        new = Path(unfinished)
        for section in made:
            for table in section.tables:
                _save(table.frame, new / f"{table.name}.csv")
        for name, drawing in drawn.items():
            (new / f"{name}.svg").write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{drawing}', "utf-8")
        (new / NAME).write_text(page.html(data, made, drawn), "utf-8", newline="\n")
        folder.mkdir(parents=True, exist_ok=True)
        files = sorted(new.iterdir())
        for file in files:
            os.replace(file, folder / file.name)
    return len(files)


def _save(frame: pd.DataFrame, file: Path) -> None:
    if "participant_label" in frame:
        frame = frame.assign(participant_label=frame["participant_label"].map(guarded))
    frame.to_csv(file, index=False, lineterminator="\n")
