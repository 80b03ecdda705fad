"""The command ``codebook``: describes the columns of a folder's tables, and writes code that reads them."""

import argparse
from pathlib import Path

from cardlab.analysis.cli import format_count
from cardlab.analysis.codebook import book, meanings
from cardlab.games.contract import BadFile

HELP = "type and meaning of every column in a folder, with code for pandas and R"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="FOLDER", type=Path, help="a folder with exports, such as exports/SESSION"
    )
    meanings.add_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    if not arguments.folder.is_dir():
        raise BadFile(str(arguments.folder), "This folder does not exist.")
    own = meanings.read_meanings(arguments.meanings)
    tables = book.write_codebook(arguments.folder, own)
    first, *others, last = book.WRITTEN
    print(
        f"Wrote {first} for {format_count(tables, 'table')}, {', '.join(others)} and {last} to "
        f"{arguments.folder}"
    )
