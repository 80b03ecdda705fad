"""The command line of the analysis: arguments in, exit code out, errors as one line.

A command is a module: of this package, or of the package ``commands`` of a game in
``cardlab.analysis.games``. It has the command's name, and

``HELP``
    what it is for, in a few words,
``declare(parser)``
    which adds its arguments, and
``run(arguments)``
    which does what they ask for and says what it has written, and where. What is wrong it raises as BadFile.

It may have ``more_help()``: the lines that end its help, made when they are asked for.
"""

from __future__ import annotations

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

from cardlab import __version__
from cardlab.analysis import games
from cardlab.analysis.cli import to_one_line
from cardlab.games.contract import BadFile, NotInstalled


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. 0 when done, 2 with one line on stderr when the input is wrong, 130 when it is
    stopped by Ctrl-C or SIGTERM. SystemExit with 2 and one line when the arguments are wrong."""
    given = sys.argv[1:] if argv is None else argv
    parser = _parser(given)
    arguments = parser.parse_args(given)
    if arguments.run is None:
        parser.print_help()
        return 0
    try:
        with _stopped_cleanly():
            arguments.run(arguments)
    except (BadFile, NotInstalled) as error:
        return _failed(str(error))
    except BrokenPipeError:
        # The reader of stdout (`| head`) has enough; nothing is left to be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}." if error.filename else f"{error}.")
    except KeyboardInterrupt:
        print("Stopped; nothing was written.", file=sys.stderr)
        return 130
    return 0


@contextlib.contextmanager
def _stopped_cleanly() -> Iterator[None]:
    """SIGTERM stops the command as Ctrl-C does, so that nothing unfinished is left."""
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments."""

    more_help: Callable[[], str] | None = None

    def format_help(self) -> str:
        if self.more_help:
            self.epilog, self.formatter_class = self.more_help(), argparse.RawDescriptionHelpFormatter
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        self.exit(_failed(f"{message} ({self.prog} --help tells more)"))


@cache
def commands() -> dict[str, str]:
    """The names of the modules of all commands by their own, in the order of the alphabet."""
    packages = [sys.modules[__name__], *games.modules("commands")]
    found = {
        one.name: f"{package.__name__}.{one.name}"
        for package in packages
        for one in pkgutil.iter_modules(package.__path__)
    }
    return dict(sorted(found.items()))


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    """What reads these arguments. It knows the one command that they begin with, or if that is none, all: to
    load them and to declare what each takes is most of what a short command costs."""
    parser = _Parser(
        prog="python -m cardlab.analysis", description="Card Lab: what exports and logs tell about the hands."
    )
    parser.add_argument("--version", action="version", version=f"Card Lab {__version__}")
    parser.set_defaults(run=None)
    there = parser.add_subparsers(metavar="COMMAND")
    modules = commands()
    asked = given[:1] if given and given[0] in modules else modules
    for name in asked:
        command = import_module(modules[name])
        one = there.add_parser(name, help=command.HELP)
        command.declare(one)
        one.more_help = getattr(command, "more_help", None)
        one.set_defaults(run=command.run)
    return parser


def _failed(sentence: str) -> int:
    with contextlib.suppress(BrokenPipeError):
        print(f"error: {to_one_line(sentence)}", file=sys.stderr)
    return 2
