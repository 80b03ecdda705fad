"""The command ``verify``: names every row and hand that was altered, removed, repeated or added."""

import argparse
import os
import zipfile
from pathlib import Path

from cardlab import folders, seal
from cardlab.analysis.cli import format_count
from cardlab.analysis.verification.databases import (
    is_database,
    is_postgres,
    verify_database,
    verify_postgres,
)
from cardlab.analysis.verification.folders import Verification, first_lines
from cardlab.games.contract import BadFile

HELP = "name every row and hand that was altered, removed, repeated or added"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a table, a folder of exports, an archive (ZIP), a SQLite database, or a URL of PostgreSQL",
    )
    parser.add_argument(
        "--key",
        metavar="FILE",
        type=Path,
        help="the key that signed the seals; default: the project's secrets/seal_key",
    )
    parser.add_argument(
        "--journal",
        metavar="FILE",
        type=Path,
        help="the journal of a database; default: journal/NAME.jsonl beside it, or in the project",
    )


def run(arguments: argparse.Namespace) -> int:
    verification = Verification(_read_key(arguments.key))
    for path in arguments.paths:
        if is_postgres(path):
            verification.add(verify_postgres(path, arguments.journal))
        else:
            _verify(Path(path), verification, arguments.journal)
    findings = first_lines(verification.findings)
    for sentence in findings + [f"note: {note}" for note in verification.notes]:
        print(sentence)
    hands = format_count(verification.hand_count, "hand")
    print(f"Verified {hands}: {format_count(len(findings), 'finding') if findings else 'all whole'}")
    return 1 if findings else 0


def _read_key(file: Path | None) -> str | None:
    """Returns the key that signed the seals, None if there is none. Raises BadFile."""
    own = folders.PROJECT / "secrets" / "seal_key"
    if file is None and (key := os.environ.get(seal.KEY_VARIABLE)):
        return key
    if file is None and not own.exists():
        return None
    try:
        return (file or own).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(str(file or own), f"This key cannot be read ({error}).") from None


def _verify(path: Path, verification: Verification, journal: Path | None) -> None:
    if not path.exists():
        raise BadFile(str(path), "There is no such file or folder.")
    if path.is_dir():
        verification.verify_folder(path, str(path))
    elif is_database(path):
        verification.add(verify_database(path, journal))
    elif path.suffix.lower() == ".zip" or zipfile.is_zipfile(path):
        verification.verify_archive(path)
    else:
        verification.verify_file(path)
