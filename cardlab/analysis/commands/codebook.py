"""The command ``codebook``: describes the columns of a folder's tables, and writes code that reads them."""

import argparse
import json
from pathlib import Path

from cardlab.analysis.cli import format_count
from cardlab.analysis.codebook import dataset
from cardlab.games.contract import BadFile

HELP = "type and meaning of every column in a folder, with code for pandas and R"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="FOLDER", type=Path, help="a folder with exports, such as exports/SESSION"
    )
    parser.add_argument(
        "--meanings",
        metavar="FILE",
        type=Path,
        help='JSON with the meanings of fields of your own apps: {"my_app.player.age": "age in years"}',
    )


def run(arguments: argparse.Namespace) -> None:
    if not arguments.folder.is_dir():
        raise BadFile(str(arguments.folder), "This folder does not exist.")
    own = _read_meanings(arguments.meanings) if arguments.meanings else {}
    tables = dataset.write_codebook(arguments.folder, own)
    names = f"{', '.join([dataset.DESCRIPTION, *dataset.READERS[:-1]])} and {dataset.READERS[-1]}"
    print(f"Wrote {dataset.NAME} for {format_count(tables, 'table')}, {names} to {arguments.folder}")


def _read_meanings(file: Path) -> dict[str, str]:
    """Reads the meanings by ``app.model.field``. Raises BadFile."""
    try:
        meanings = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise BadFile(str(file), f"This file cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise BadFile(str(file), "This file is not UTF-8. Save it as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise BadFile(
            str(file), f"This is not JSON: {error.msg} in column {error.colno}.", error.lineno
        ) from None
    if not isinstance(meanings, dict) or not all(isinstance(text, str) for text in meanings.values()):
        raise BadFile(str(file), 'Write an object of texts, such as {"my_app.player.age": "age in years"}.')
    return meanings
