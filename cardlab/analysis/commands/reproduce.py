"""The command ``reproduce``: rebuilds the tables of an archive from its actions and compares them."""

import argparse
import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cardlab.analysis import cli
from cardlab.analysis.codebook.table_names import table_name
from cardlab.analysis.reproduction.comparison import Comparison, compare_text
from cardlab.analysis.reproduction.tables import ACTIONS, REPORTS, compare_copies, compare_tables, is_played
from cardlab.games.contract import BadFile

HELP = "rebuild the tables and logs of an archive from its actions, and compare byte by byte"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "archive", metavar="ARCHIVE", type=Path, help="a ZIP file of lab.py archive, or a folder"
    )
    parser.add_argument("--no-reports", action="store_true", help="do not draw the reports again")


def run(arguments: argparse.Namespace) -> int:
    with cli.opened_archive(arguments.archive) as folder:
        comparisons = [*compare_tables(folder, cli.warn), *compare_copies(folder)]
        if not arguments.no_reports:
            comparisons += _compare_reports(folder)
    rebuilt = [comparison for comparison in comparisons if comparison.rows is not None]
    if not rebuilt:
        raise BadFile(str(arguments.archive), "This has no table of actions with a hand.")
    print(*comparisons, sep="\n")
    if arguments.no_reports:
        print(f"{REPORTS}/: not drawn again")
    different = [comparison for comparison in rebuilt if comparison.difference]
    same, files = len(rebuilt) - len(different), cli.format_count(len(rebuilt), "file")
    records = cli.format_count(len(comparisons) - len(rebuilt), "record")
    print(f"Rebuilt {files}, {same} of them byte for byte the same. Not rebuilt: {records}")
    return 1 if different else 0


@contextlib.contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """Makes a folder the current one within the block, as when the archive was made."""
    previous = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(previous)


def _compare_reports(folder: Path) -> list[Comparison]:
    """Draws the reports again, and compares their tables."""
    from cardlab.analysis.commands import main  # which imports this module

    comparisons = []
    for actions in sorted(folder.rglob("*.csv")):
        app = table_name(actions.as_posix()).removesuffix(ACTIONS)
        report = actions.parent.parent / REPORTS / app
        is_table = table_name(actions.as_posix()).endswith(ACTIONS) and is_played(actions)
        if not is_table or not report.is_dir():
            continue
        with tempfile.TemporaryDirectory(prefix="card-lab-") as new:
            with contextlib.redirect_stdout(io.StringIO()), _working_in(actions.parent.parent):
                main(["report", f"{actions.parent.name}/{actions.name}", "--out", new, "--no-search"])
            for table in sorted(report.glob("*.csv")):
                rebuilt = Path(new, table.name)
                name = table.relative_to(folder).as_posix()
                text = rebuilt.read_text("utf-8") if rebuilt.is_file() else ""
                comparisons.append(compare_text(name, table, text))
    return comparisons
