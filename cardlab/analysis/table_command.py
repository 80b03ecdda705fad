"""Shared parts of the commands that read hands and write one table."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cardlab.analysis import cli, parallel, sources
from cardlab.analysis.output import table_file
from cardlab.analysis.source_hand import SourceHand

if TYPE_CHECKING:
    import pandas as pd

    from cardlab.analysis.exclusions import Rule
    from cardlab.analysis.report.data import ReportData


def add_frame_arguments(parser: argparse.ArgumentParser, example: str) -> None:
    """Adds the sources, the file to write (``example``), conditions, thresholds and ``--strict``."""
    cli.add_sources_argument(parser)
    cli.add_output_argument(parser, example)
    cli.add_condition_arguments(parser)
    cli.add_strict_argument(parser)


def write_frame(
    arguments: argparse.Namespace,
    build: Callable[[ReportData], pd.DataFrame],
    rules: Sequence[Rule] = (),
) -> tuple[ReportData, pd.DataFrame]:
    """Writes the table that ``build`` makes, and returns data and table. Raises BadFile.

    ``rules`` exclude participants and hands.
    """
    from cardlab.analysis.report.write import save_table  # its libraries take a second to load

    paths = cli.expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        data = cli.load_data(arguments, paths, rules=rules)
        frame = build(data)
        save_table(frame, file)
    return data, frame


def add_search_arguments(parser: argparse.ArgumentParser, example: str) -> None:
    """Adds the tables to read and the file to write (``example``)."""
    parser.add_argument("sources", metavar="FILE", nargs="+", help="a table of actions (custom_export)")
    cli.add_output_argument(parser, example)


def run_search(
    arguments: argparse.Namespace,
    work: parallel.Work,
    write: Callable[[Iterable[SourceHand], parallel.Compute, TextIO], int],
    noun: str,
) -> None:
    """Reads the hands, lets ``write`` write their table and prints the number of rows.

    Parameters:
        arguments: those of :func:`add_search_arguments` and of the engine.
        work: computes one search task.
        write: writes the table and returns the number of rows.
        noun: the singular noun for a row in the message.
    """
    paths = cli.expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file, parallel.open_engine(arguments, work) as compute:
        row_count = write(
            sources.read_hands(paths, cli.warn, damage=cli.damage_policy(arguments)), compute, file
        )
    print(f"Wrote {cli.format_count(row_count, noun)} to {arguments.out}")
