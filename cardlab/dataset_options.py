"""The options of datasets, which ``lab.py archive`` and ``cardlab.analysis dataset`` share.

Needs only the standard library, because ``lab.py`` uses it.
"""

from __future__ import annotations

import argparse

STANDARDS = PSYCH_DS, BIDS = ("psych-ds", "bids")


def add_to(parser: argparse.ArgumentParser) -> None:
    """Adds ``--as`` and ``--study``."""
    parser.add_argument(
        "--as",
        dest="standard",
        choices=STANDARDS,
        default=PSYCH_DS,
        help="the standard of the dataset; psych-ds (default) is also a Frictionless Data Package",
    )
    parser.add_argument(
        "--study", metavar="NAME", default="study", help="the name of several sessions together"
    )
