"""``python -m cardlab.analysis participants``: one row a participant, with the measures of the game."""

from __future__ import annotations

import argparse

from cardlab.analysis.cli import format_count
from cardlab.analysis.table_command import add_table_arguments, write_frame

HELP = "one row a participant: measures, and what others would have shown on the same deals"


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_table_arguments(parser, "people.csv")


def run(arguments: argparse.Namespace) -> None:
    """Runs the command."""
    _data, participants = write_frame(arguments, lambda data: data.participants)
    print(f"Wrote {format_count(len(participants), 'participant')} to {arguments.out}")
