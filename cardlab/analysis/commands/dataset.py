"""The command ``dataset``: exports of sessions as one dataset of Psych-DS, Frictionless or BIDS."""

import argparse
from pathlib import Path

from cardlab import dataset_options
from cardlab.analysis.cli import format_count
from cardlab.analysis.codebook import about, bids, book, dataset, meanings, readme
from cardlab.games.contract import BadFile

HELP = "exports of one or several sessions as a dataset in an open standard, with pseudonyms"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "exports",
        metavar="EXPORTS",
        nargs="+",
        type=Path,
        help="a folder of exports, such as exports/SESSION",
    )
    parser.add_argument("--out", metavar="FOLDER", type=Path, required=True, help="a folder to create")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--key", metavar="FILE", type=Path, help="the secret key from which pseudonyms are made")
    who.add_argument("--identified", action="store_true", help="keep labels, texts and times as they are")
    dataset_options.add_to(parser)
    parser.add_argument("--about", metavar="FILE", type=Path, help="author, license, … (archive.toml)")
    meanings.add_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    out: Path = arguments.out
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadFile(str(out), "This exists already. Name a new folder.")
    own = meanings.read_meanings(arguments.meanings)
    key = None if arguments.identified else _read_key(arguments.key)
    given = about.read_about(arguments.about) if arguments.about else {}
    exports = [dataset.read_exports(folder) for folder in arguments.exports]
    apps = list(dict.fromkeys(app for one in exports for app in one.apps))
    described = about.describe(given, [one.session for one in exports], apps, replaced=key is not None)
    is_bids = arguments.standard == dataset_options.BIDS
    root = out / bids.SOURCE if is_bids else out
    tables = dataset.write_tables(exports, root, arguments.study, own, key)
    book.write_codebook(root, own, described)
    readme.write_texts(root, described, replaced=key is not None)
    if is_bids:
        bids.write_bids(out, described, book.read_book(root, own))
    print(f"Wrote {format_count(len(tables), 'table')} of {format_count(len(exports), 'session')} to {out}")


def _read_key(file: Path) -> bytes:
    try:
        key = file.read_bytes().strip()
    except OSError as error:
        raise BadFile(str(file), f"This file cannot be read ({error.strerror}).") from None
    if len(key) < 16:
        raise BadFile(str(file), "The key is too short. Write at least 16 random characters.")
    return key
