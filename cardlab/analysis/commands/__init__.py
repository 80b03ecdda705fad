"""The command line of the analysis.

A command is a module of this package, or of the package ``commands`` of a game in ``cardlab.analysis.games``.
The module has the name of the command, and

``HELP``
    A short description.
``declare(parser)``
    Adds the arguments.
``run(arguments)``
    Runs the command and prints what was written, and where. May return an exit code. Raises BadFile.
``more_help()``, optional
    Returns the last lines of the help.
"""

import argparse
import contextlib
import os
import pkgutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import NoReturn

from cardlab import __version__, folders
from cardlab.analysis import games
from cardlab.analysis.cli import to_one_line
from cardlab.games.contract import BadFile, NotInstalled


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns the exit code.

    0 means done, 1 that ``verify`` has found something, 2 wrong input (with one line on stderr), 130 stopped
    by Ctrl-C or SIGTERM. Raises SystemExit with 2 if the arguments are wrong.
    """
    command_line = sys.argv[1:] if argv is None else argv
    parser = _parser(command_line)
    arguments = parser.parse_args(command_line)
    if arguments.run is None:
        parser.print_help()
        return 0
    try:
        with _stopped_cleanly():
            return int(arguments.run(arguments) or 0)
    except (BadFile, NotInstalled) as error:
        return _failed(str(error))
    except BrokenPipeError:
        # The reader of stdout (such as `| head`) closed it, so flushing it at exit would fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}." if error.filename else f"{error}.")
    except KeyboardInterrupt:
        print("Stopped. No unfinished file is left.", file=sys.stderr)
        return 130
    return 0


@contextlib.contextmanager
def _stopped_cleanly() -> Iterator[None]:
    """Makes SIGTERM stop the command like Ctrl-C, so that unfinished files are removed."""
    is_main_thread = threading.current_thread() is threading.main_thread()
    if not is_main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class _Parser(argparse.ArgumentParser):
    """Reports invalid arguments in one line."""

    more_help: Callable[[], str] | None = None

    def format_help(self) -> str:
        """Returns the help with the command's ``more_help``."""
        if self.more_help:
            self.epilog, self.formatter_class = self.more_help(), argparse.RawDescriptionHelpFormatter
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Exits with a message of one line."""
        self.exit(_failed(f"{message} (for help: {self.prog} --help)"))


@cache
def commands() -> dict[str, str]:
    """Returns the name of the module of each command, by command in alphabetical order."""
    packages = [sys.modules[__name__], *games.modules("commands")]
    modules = {
        module_info.name: f"{package.__name__}.{module_info.name}"
        for package in packages
        for module_info in pkgutil.iter_modules(package.__path__)
    }
    return dict(sorted(modules.items()))


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Returns the parser for these arguments.

    If they begin with a command, the parser has only this one, because loading all commands takes longer
    than running a short one.
    """
    parser = _Parser(prog=folders.command("analysis"), description="Analyses exports and logs of Card Lab.")
    parser.add_argument("--version", action="version", version=f"Card Lab {__version__}")
    parser.set_defaults(run=None)
    subparsers = parser.add_subparsers(metavar="COMMAND")
    modules = commands()
    names = arguments[:1] if arguments and arguments[0] in modules else modules
    for name in names:
        command = import_module(modules[name])
        subparser = subparsers.add_parser(name, help=command.HELP)
        command.declare(subparser)
        subparser.more_help = getattr(command, "more_help", None)
        subparser.set_defaults(run=command.run)
    return parser


def _failed(sentence: str) -> int:
    with contextlib.suppress(BrokenPipeError):
        print(f"error: {to_one_line(sentence)}", file=sys.stderr)
    return 2
