"""``python -m cardlab.analysis pairs``: one row for each two who played a block of hands together."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis.cli import (
    add_condition_arguments,
    add_output_argument,
    add_sources_argument,
    add_strict_argument,
    expand_paths,
    format_count,
    load_data,
)
from cardlab.analysis.output import table_file
from cardlab.games.contract import BadFile

HELP = "Target the Two for two: one row a pair and block, with the measures of both together"


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    add_sources_argument(parser)
    add_output_argument(parser, "pairs.csv")
    add_condition_arguments(parser)
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Runs the command."""
    import pandas as pd  # which takes a second to load, as what follows does

    from cardlab.analysis.games.ttt import pairs
    from cardlab.analysis.report.write import save_table

    paths = expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file:
        data = load_data(arguments, paths)
        if data.game.name != "ttt" or not pairs.has_pairs(data):
            raise BadFile(arguments.sources[0], "No hand in it that is over was played by two keepers.")
        found = pairs.rows(pairs.pairs(data), data.thresholds)
        save_table(pd.DataFrame(found, columns=list(pairs.columns())), file)
    print(f"Wrote {format_count(len(found), 'row')} to {arguments.out}")
