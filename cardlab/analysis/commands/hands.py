"""``python -m cardlab.analysis hands``: the table of hands."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager
from pathlib import Path

from cardlab.analysis import hands, parallel, parallel_reader, sources
from cardlab.analysis.cli import (
    add_output_argument,
    add_sources_argument,
    add_strict_argument,
    argument_type,
    damage_policy,
    expand_paths,
    format_count,
    warn,
)
from cardlab.analysis.output import table_file

HELP = "one row per hand and seat"

MEGABYTES = argument_type(float, lambda number: 0.001 <= number < 1e6, "a number from 0.001 to 999999")


def declare(parser: argparse.ArgumentParser) -> None:
    add_sources_argument(parser)
    add_output_argument(parser, "hands.csv")
    parser.add_argument(
        "--engine",
        choices=("parts", "dask"),
        default="parts",
        help="parts (default) reads tables piece by piece on this computer; dask uses a Dask cluster",
    )
    parallel.add_jobs_argument(
        parser,
        "the number of pieces of a large table to read at a time; default: one per core where that is faster",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the address of the Dask cluster, such as tcp://192.0.2.7:8786",
    )
    parser.add_argument(
        "--part-megabytes",
        metavar="MB",
        type=MEGABYTES,
        default=parallel_reader.DASK_PART_BYTES / 1e6,
        help=f"the size of a piece for Dask; {parallel_reader.DASK_PART_BYTES / 1e6:g}",
    )
    add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    paths = expand_paths(arguments.sources)
    with table_file(Path(arguments.out), paths) as file, _engine(arguments) as read:
        found = sources.read_hands(paths, warn, read, damage=damage_policy(arguments))
        written = hands.write_table(sources.warn_at_end(found, warn), file)
    print(f"Wrote {format_count(written, 'hand')} to {arguments.out}")


def _engine(arguments: argparse.Namespace) -> AbstractContextManager[sources.TableReader]:
    """What reads tables."""
    parallel.check_engine(arguments)
    if arguments.engine == "dask":
        return parallel_reader.open_dask_reader(arguments.scheduler, int(1e6 * arguments.part_megabytes))
    return parallel_reader.open_reader(arguments.jobs)
