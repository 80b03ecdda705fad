"""The command ``model``: writes the table for mixed models, and scripts that fit one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cardlab.analysis.cli import NUMBER, format_count
from cardlab.analysis.table_command import add_frame_arguments, write_frame
from cardlab.games.columns import column_type

if TYPE_CHECKING:
    import pandas as pd

    from cardlab.analysis.model_scripts import Model
    from cardlab.analysis.report.data import ReportData

HELP = "one row per hand for mixed models, with scripts for Python and R"
PER = ("hand", "participant")


def declare(parser: argparse.ArgumentParser) -> None:
    add_frame_arguments(parser, "model.csv")
    parser.add_argument(
        "--block", metavar="HANDS", type=NUMBER, default=8, help="hands in a block; default: 8"
    )
    parser.add_argument(
        "--per",
        choices=PER,
        default=PER[0],
        help="games for several: a row per hand, or per hand and participant; default: hand",
    )
    parser.add_argument(
        "--outcome", metavar="COLUMN", help="the column to explain; default: the first that varies"
    )
    parser.add_argument(
        "--terms",
        metavar="FORMULA",
        help='fixed terms, such as "condition * block"; default: condition, or with only one, place',
    )
    parser.add_argument("--counts", action="store_true", help="fit a model of ratios of mean counts")


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import model, model_scripts  # their libraries take a second to load

    chosen: list[Model | None] = []

    def build(data: ReportData) -> pd.DataFrame:
        table = model.build_table(data, arguments.block, arguments.per)
        outcomes = list(model.outcome_columns(data.game))
        named = arguments.outcome, arguments.terms, arguments.counts
        chosen.append(model_scripts.choose_model(table, outcomes, *named))
        return table

    data, table = write_frame(arguments, build)
    print(f"Wrote {format_count(len(table), 'row')} to {arguments.out}")
    if chosen[0] and Path(arguments.out).suffix == ".csv":
        columns = model.table_columns(data.game).items()
        texts = [name for name, meaning in columns if column_type(meaning) == "text"]
        scripts = model_scripts.write_scripts(Path(arguments.out), chosen[0], texts)
        print(f"Wrote {' and '.join(map(str, scripts))}: {chosen[0].outcome} ~ {chosen[0].terms}")
