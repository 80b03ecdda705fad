"""The commands of ``lab.py`` and their options."""

from __future__ import annotations

import argparse
import signal
import sys

from laboratory import project
from laboratory.export import export
from laboratory.pack import pack
from laboratory.project import COMMAND
from laboratory.server import run, stop_signals
from laboratory.terminal import Refusal, say


def main() -> int:
    """Run the command; the exit code: 2 for what the person at the keyboard can put right."""
    parser = command_line()
    arguments, further = parser.parse_known_args()
    if further and arguments.do is not test:
        parser.error(f"unknown: {' '.join(further)}")
    arguments.pytest = further
    for stop in stop_signals():
        if stop != getattr(signal, "SIGHUP", None) or signal.getsignal(stop) != signal.SIG_IGN:  # nohup
            signal.signal(stop, interrupt)
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
    parser = argparse.ArgumentParser(
        prog=COMMAND, description="Card Lab: run a lab server, export, zip, test."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="run | export | zip | test")
    serve_it = commands.add_parser("run", help="start the server", allow_abbrev=False)
    serve_it.add_argument("--port", type=port_number, default=8000, help="default 8000")
    serve_it.add_argument(
        "--host", default="127.0.0.1", help="0.0.0.0 for the whole network; default 127.0.0.1"
    )
    serve_it.add_argument(
        "--fresh", action="store_true", help="keep a copy of the database, start with an empty one"
    )
    serve_it.add_argument("--language", help="what participants read, such as it; default en (English)")
    serve_it.set_defaults(do=lambda asked: run(asked.host, asked.port, asked.fresh, asked.language))
    fetch_it = commands.add_parser("export", help="fetch every export of a session", allow_abbrev=False)
    fetch_it.add_argument("session", metavar="SESSION", help="the session's code")
    fetch_it.add_argument("--out", metavar="DIR", help="where to write; default exports/SESSION")
    fetch_it.add_argument("--url", help="the server's address; default: the one running from this folder")
    fetch_it.set_defaults(do=lambda asked: export(asked.session, asked.out, asked.url))
    pack_it = commands.add_parser("zip", help="pack the project without data and secrets", allow_abbrev=False)
    pack_it.set_defaults(do=lambda _asked: pack())
    test_it = commands.add_parser(
        "test", help="run all tests; further options go to pytest", allow_abbrev=False
    )
    test_it.set_defaults(do=test)
    return parser


def port_number(text: str) -> int:
    """A TCP port from the command line."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not '{text}'")
    return int(text)


def interrupt(*_signal) -> None:
    """Let every way of stopping be as Ctrl-C."""
    raise KeyboardInterrupt
