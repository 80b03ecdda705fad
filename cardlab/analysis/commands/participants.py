"""The command ``participants``: writes a row per participant with the measures of the game."""

import argparse

from cardlab.analysis.cli import format_count
from cardlab.analysis.table_command import add_frame_arguments, write_frame

HELP = "one row per participant: measures and baselines"


def declare(parser: argparse.ArgumentParser) -> None:
    add_frame_arguments(parser, "people.csv")


def run(arguments: argparse.Namespace) -> None:
    _data, participants = write_frame(arguments, lambda data: data.participants)
    print(f"Wrote {format_count(len(participants), 'participant')} to {arguments.out}")
