"""The commands of ``lab.py``. Each module that has one says what its options are."""

from __future__ import annotations

import argparse
import signal
import sys

from cardlab.operations import (
    archive,
    backups,
    bundle,
    check,
    export,
    pack,
    places,
    project,
    rehearse,
    server,
)
from cardlab.operations.private_files import keep_private
from cardlab.operations.project import COMMAND
from cardlab.operations.terminal import Refusal, say


def main() -> int:
    """Run the command; the exit code: 2 for what the person at the keyboard can put right."""
    parser = command_line()
    arguments, further = parser.parse_known_args()
    if further and arguments.do is not test:
        parser.error(f"unknown: {' '.join(further)}")
    arguments.pytest = further
    for stop in server.stop_signals():
        if stop != getattr(signal, "SIGHUP", None) or signal.getsignal(stop) != signal.SIG_IGN:  # nohup
            signal.signal(stop, interrupt)
    if arguments.do is not test:  # which has no data of participants, and installs in parallel
        keep_private()
    try:
        return arguments.do(arguments)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("", "Stopped.")
        return 130


def test(arguments: argparse.Namespace) -> int:
    """The stages of the tests belong to the tests; they run before anything is installed, as this does."""
    sys.path.append(str(project.FOLDER / "tests"))
    from stages import run_stages

    return run_stages(arguments.pytest)


def command_line() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Card Lab for a laboratory.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (
        check,
        rehearse,
        server,
        places,
        export,
        archive,
        backups,
        pack,
        bundle,
    ):
        module.add_command(commands)
    test_it = commands.add_parser(
        "test", help="run all tests; further options go to pytest", allow_abbrev=False
    )
    test_it.set_defaults(do=test)
    return parser


def interrupt(*_signal) -> None:
    """Let every way of stopping be as Ctrl-C."""
    raise KeyboardInterrupt
