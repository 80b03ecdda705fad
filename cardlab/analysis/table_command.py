"""What the commands have in common that write one table made of the data of a report."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cardlab.analysis.cli import (
    add_condition_arguments,
    add_output_argument,
    add_sources_argument,
    add_strict_argument,
    expand_paths,
    load_data,
)
from cardlab.analysis.output import table_file

if TYPE_CHECKING:
    import pandas as pd

    from cardlab.analysis.report.data import ReportData


def add_table_arguments(parser: argparse.ArgumentParser, example: str) -> None:
    """Adds the sources, the file to write, such as ``example``, conditions, thresholds and ``--strict``."""
    add_sources_argument(parser)
    add_output_argument(parser, example)
    add_condition_arguments(parser)
    add_strict_argument(parser)


def write_frame(
    arguments: argparse.Namespace, build: Callable[[ReportData], pd.DataFrame]
) -> tuple[ReportData, pd.DataFrame]:
    """Writes the table that ``build`` makes of the data; returns data and table. Raises BadFile."""
    from cardlab.analysis.report.write import save_table  # its libraries take a second to load

    paths = expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        data = load_data(arguments, paths)
        frame = build(data)
        save_table(frame, file)
    return data, frame
