"""``lab.py simulate-faults``: looks for lost or duplicate actions under simulated faults."""

import argparse
import os
import subprocess
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.environment import install, venv_program
from cardlab.operations.terminal import Commands

PROGRAM = Path("tests", "simulation", "fault_runs.py")  # in the project's folder


def add_command(commands: Commands) -> None:
    """Adds ``lab.py simulate-faults``."""
    command = commands.add_parser("simulate-faults", help="look for lost actions under simulated faults")
    command.add_argument("--steps", type=count, default=100_000, metavar="N", help="default 100000")
    command.add_argument(
        "--jobs", type=count, default=os.cpu_count() or 1, metavar="J", help="processes; default: all cores"
    )
    command.add_argument(
        "--resume", type=Path, metavar="FILE", help="keep the figures in FILE, and continue from them"
    )
    command.add_argument("--seed", metavar="S", help="repeat one schedule, such as path-17")
    command.add_argument(
        "--world",
        choices=("hands", "path"),
        help="only the hand service over records in memory, or only the whole path over a real database",
    )
    command.set_defaults(do=simulate)


def count(text: str) -> int:
    """Parses a number from the command line."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"enter a whole number, 1 or more, not '{text}'")
    return int(text)


def simulate(options: argparse.Namespace) -> int:
    """Runs the simulation; returns 1 if a schedule has failed, 2 if it cannot run here, else 0."""
    install("dev")
    arguments = ["--steps", str(options.steps), "--jobs", str(options.jobs)]
    for name in ("resume", "seed", "world"):
        if value := getattr(options, name):
            arguments += [f"--{name}", str(value.resolve() if isinstance(value, Path) else value)]
    command = [str(venv_program("python")), str(project.FOLDER / PROGRAM), *arguments]
    return subprocess.run(command, cwd=project.FOLDER).returncode
