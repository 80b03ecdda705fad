"""The command line of ``lab.py``. Each module of a command adds its own options."""

import argparse
import importlib
import signal
import sys
from typing import Any

from cardlab.operations import (
    archive,
    backups,
    bundle,
    check,
    documentation,
    export,
    pack,
    packages,
    places,
    project,
    rehearse,
    run,
    server,
)
from cardlab.operations.private_files import keep_private
from cardlab.operations.project import COMMAND
from cardlab.operations.terminal import Refusal, say


def main() -> int:
    """Runs the command; returns its exit code, 2 for an error that the user can fix."""
    parser = command_line()
    options, others = parser.parse_known_args()
    if others and options.do is not test:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    options.pytest = others
    for stop in server.stop_signals():
        if stop != getattr(signal, "SIGHUP", None) or signal.getsignal(stop) != signal.SIG_IGN:  # nohup
            signal.signal(stop, interrupt)
    if options.do is not test:  # the tests have no participants' data, and install in parallel
        keep_private()
    try:
        code: int = options.do(options)
        return code
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("", "Stopped.")
        return 130


def test(options: argparse.Namespace) -> int:
    """Runs the stages of the tests, which need no installed packages."""
    sys.path.append(str(project.FOLDER / "tests"))
    code: int = importlib.import_module("stages").run_stages(options.pytest)
    return code


class StrictParser(argparse.ArgumentParser):
    """A parser that accepts no abbreviated options; those of its commands are of the same class."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)


def command_line() -> argparse.ArgumentParser:
    """Returns the parser with all commands and their options."""
    parser: argparse.ArgumentParser = StrictParser(
        prog=COMMAND, description="Runs Card Lab and manages its sessions."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (run, check, rehearse, places, export, archive, backups, pack, bundle, documentation):
        module.add_command(commands)
    packages.add_commands(commands)
    command = commands.add_parser("test", help="run all tests; further options are passed to pytest")
    command.set_defaults(do=test)
    return parser


def interrupt(*_signal: object) -> None:
    """Handles every stop signal like Ctrl-C."""
    raise KeyboardInterrupt
