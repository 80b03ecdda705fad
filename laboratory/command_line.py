"""The commands of ``lab.py`` and their options."""

from __future__ import annotations

import argparse
import signal
import sys

from laboratory import backups, project
from laboratory.export import export
from laboratory.pack import pack
from laboratory.project import COMMAND
from laboratory.server import only_server, run, stop_signals
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


def restore(arguments: argparse.Namespace) -> int:
    """List the copies of the database, or put one in its place while no server uses it."""
    if arguments.name is None:
        return backups.tell()
    with only_server():
        return backups.restore(arguments.name)


def command_line() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(
        prog=COMMAND, description="Card Lab: run a lab server, export, restore, zip, test."
    )
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="run | export | restore | zip | test"
    )
    serve_it = commands.add_parser("run", help="start the server", allow_abbrev=False)
    serve_it.add_argument("--port", type=port_number, default=8000, help="default 8000")
    serve_it.add_argument(
        "--host", default="127.0.0.1", help="0.0.0.0 for the whole network; default 127.0.0.1"
    )
    serve_it.add_argument(
        "--fresh", action="store_true", help="keep a copy of the database, start with an empty one"
    )
    serve_it.add_argument("--language", help="what participants read, such as it; default en (English)")
    serve_it.add_argument(
        "--backup-minutes",
        type=minutes,
        default=backups.MINUTES,
        metavar="N",
        help=f"between two copies of the database, 0 for none; default {backups.MINUTES}",
    )
    serve_it.set_defaults(
        do=lambda asked: run(asked.host, asked.port, asked.fresh, asked.language, asked.backup_minutes)
    )
    fetch_it = commands.add_parser("export", help="fetch every export of a session", allow_abbrev=False)
    fetch_it.add_argument("session", metavar="SESSION", help="the session's code")
    fetch_it.add_argument("--out", metavar="DIR", help="where to write; default exports/SESSION")
    fetch_it.add_argument("--url", help="the server's address; default: the one running from this folder")
    fetch_it.set_defaults(do=lambda asked: export(asked.session, asked.out, asked.url))
    restore_it = commands.add_parser("restore", help="go back to a copy of the database", allow_abbrev=False)
    restore_it.add_argument("name", nargs="?", metavar="NAME", help="which; without it they are listed")
    restore_it.set_defaults(do=restore)
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


def minutes(text: str) -> int:
    """A number of minutes from the command line."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a whole number of minutes, 0 or more, not '{text}'")
    return int(text)


def interrupt(*_signal) -> None:
    """Let every way of stopping be as Ctrl-C."""
    raise KeyboardInterrupt
