"""The command ``pairs``: writes a row for each pair of players and block of hands."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cardlab.analysis.cli import format_count
from cardlab.analysis.table_command import add_frame_arguments, write_frame
from cardlab.games.contract import BadFile

if TYPE_CHECKING:
    import pandas as pd

    from cardlab.analysis.report.data import ReportData

HELP = "Target the Two: one row per pair and block"


def declare(parser: argparse.ArgumentParser) -> None:
    add_frame_arguments(parser, "pairs.csv")


def run(arguments: argparse.Namespace) -> None:
    _data, table = write_frame(arguments, lambda data: _build_table(data, arguments.sources[0]))
    print(f"Wrote {format_count(len(table), 'row')} to {arguments.out}")


def _build_table(data: ReportData, source: str) -> pd.DataFrame:
    import pandas as pd  # both take a second to load

    from cardlab.analysis.games.ttt import pairs

    if data.game.name != "ttt" or not pairs.has_pairs(data):
        raise BadFile(source, "No finished hand in this file was played by two keepers.")
    return pd.DataFrame(
        pairs.build_rows(pairs.find_pairs(data), data.thresholds), columns=list(pairs.columns())
    )
