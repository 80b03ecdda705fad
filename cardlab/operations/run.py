"""``lab.py run``: starts one server, or several behind one address."""

import argparse
import os
from functools import partial
from pathlib import Path

from cardlab.operations import addresses, backups, languages, several_servers
from cardlab.operations.database import prepare_database
from cardlab.operations.environment import install
from cardlab.operations.reload import serve_again
from cardlab.operations.running_server import server_lock
from cardlab.operations.server import serve
from cardlab.operations.terminal import Commands, Refusal, say


def add_command(commands: Commands) -> None:
    """Adds ``lab.py run``."""
    command = commands.add_parser("run", help="start the server")
    command.add_argument("--port", type=addresses.port_number, default=8000, help="the port; default 8000")
    command.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address to listen on: 0.0.0.0 for the whole network; default 127.0.0.1",
    )
    command.add_argument(
        "--host-name",
        type=addresses.host_name,
        action="append",
        default=[],
        metavar="NAME",
        help="another host name that browsers may use for the server, such as lab.example.org; repeatable",
    )
    command.add_argument(
        "--fresh",
        action="store_true",
        help="keep the database under another name and start with an empty one",
    )
    command.add_argument(
        "--language", help="the participants' language, such as it (Italian); default en (English)"
    )
    command.add_argument(
        "--backup-minutes",
        type=minutes,
        default=backups.MINUTES,
        metavar="N",
        help=f"the minutes between backups, 0 for no backups; default {backups.MINUTES}",
    )
    command.add_argument(
        "--servers", type=Path, metavar="FILE", help="start the servers in this file behind one address"
    )
    command.add_argument(
        "--reload",
        action="store_true",
        help="restart when a file of an app or a template changes, and adopt added fields; one server only",
    )
    command.set_defaults(do=run_command)


def minutes(text: str) -> int:
    """Parses a number of minutes from the command line."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"enter a whole number of minutes, 0 or more, not '{text}'")
    return int(text)


def run_command(options: argparse.Namespace) -> int:
    """Runs one server, or several with the settings in a file."""
    addresses.add_host_names(options.host_name, os.environ.get("OTREE_ADMIN_PASSWORD"))
    if options.servers is None:
        return run(options)
    given = (options.host, options.port, options.fresh, options.language, options.reload)
    if given != ("127.0.0.1", 8000, False, None, False):
        raise Refusal(
            "With --servers, the file sets host, port and language. --fresh and --reload work only with one "
            "server."
        )
    return several_servers.run(options.servers, options.backup_minutes)


def run(options: argparse.Namespace) -> int:
    """Serves until Ctrl-C or SIGTERM; returns the exit code."""
    port = options.port
    languages.check_project_language(options.language)
    language = languages.check_language(
        options.language or os.environ.get(languages.VARIABLE) or languages.ENGLISH
    )
    address = addresses.listening_address(options.host, os.environ.get("OTREE_ADMIN_PASSWORD"))
    addresses.check_port(address, port)
    install()
    with server_lock() as lock:
        prepare_database(options.fresh)

        start = partial(serve, address, port, language, lock)
        try:
            with backups.backup_thread(options.backup_minutes):
                if options.reload:
                    return serve_again(partial(prepare_database, fresh=False, ask=False), start)
                return start()
        finally:
            say("Card Lab has stopped.")
