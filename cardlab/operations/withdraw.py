"""``lab.py withdraw``: removes the data of a participant who withdraws."""

import argparse
import json
import os
import subprocess
import urllib.error
from typing import Any

from cardlab.operations import project
from cardlab.operations.database import database_file, database_url, has_content, prepare_database
from cardlab.operations.environment import install, module_command
from cardlab.operations.keys import server_keys
from cardlab.operations.rest import fetch
from cardlab.operations.running_server import server_lock, server_urls
from cardlab.operations.terminal import Commands, Refusal, confirm, say

WARNING = """\
This removes all data of participant {code} of session {session}: from the database, the
backups and the logs of this folder. Nothing can bring them back. What stays:
  - the fact that somebody withdrew, but not who
  - in hands with co-players, the moves, under a random code
  - what has to be paid, until you mark it as paid with --paid"""
TIMEOUT_SECONDS = 3600  # for a database and many backups of gigabytes


def add_command(commands: Commands) -> None:
    """Adds ``lab.py withdraw``."""
    command = commands.add_parser("withdraw", help="remove the data of a participant who withdraws")
    command.add_argument("participant", metavar="PARTICIPANT", help="the participant's code")
    command.add_argument("--yes", action="store_true", help="do not ask first")
    command.add_argument(
        "--paid",
        action="store_true",
        help="the participant has been paid: also remove what was kept for payment",
    )
    command.add_argument("--url", help="the server's address; default: the server running from this folder")
    command.set_defaults(do=run_command)


def run_command(options: argparse.Namespace) -> int:
    """Finds the participant, asks, removes the data, and prints what was removed and what remains."""
    code = options.participant
    if not (code.isascii() and code.isalnum()):
        raise Refusal(f"'{code}' is not a participant's code, such as q7bdn3xy. See the tab Progress.")
    urls = [options.url] if options.url else server_urls()
    url, session = find_participant(urls, code) if urls else ("", run_without_server(code, "find"))
    say(WARNING.format(code=code, session=session))
    if not options.yes and not confirm("Remove the data?"):
        say("Nothing was removed.")
        return 1
    if url:
        sentences = _ask(url, "", {"participant": code, "paid": options.paid})["sentences"]
    else:
        sentences = run_without_server(code, "paid" if options.paid else "remove")
    say("", *([f"Server: {url}"] if len(urls) > 1 else []), *sentences)
    return 0


def find_participant(urls: list[str], code: str) -> tuple[str, str]:
    """Returns the server that has a participant, and the code of their session. Raises Refusal."""
    for url in urls:
        if answer := _ask(url, f"?participant={code}"):
            return url, answer["session"]
    raise Refusal(f"There is no participant {code} at {', '.join(urls)}. Nothing was removed.")


def _ask(url: str, query: str, payload: dict[str, Any] | None = None) -> Any:
    """Returns the server's answer; None if it does not have the participant. Raises Refusal."""
    try:
        with fetch(url, f"/api/withdraw{query}", timeout=TIMEOUT_SECONDS, payload=payload) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        reason = error.read().decode("utf-8", "replace").strip()
        raise Refusal(f"The server at {url} answered: {reason}") from error
    except (OSError, ValueError) as error:
        raise Refusal(
            f"The server at {url} did not answer ({error}). Run the command again to complete the withdrawal."
        ) from error


def run_without_server(code: str, task: str) -> Any:
    """Runs a task of :mod:`cardlab.server.withdraw` in this folder; returns its answer. Raises Refusal."""
    install()
    with server_lock():
        if not database_url() and not has_content(database_file()):
            raise Refusal(f"No server runs from this folder, and {database_file().name} has no data.")
        prepare_database(fresh=False, ask=False)
        process = subprocess.run(
            module_command("cardlab.server.withdraw", code, task),
            cwd=project.FOLDER,
            env={**os.environ, **server_keys()},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    if process.returncode:
        raise Refusal("The withdrawal failed. The lines above give the reason. Run the command again.")
    answer = json.loads(process.stdout.splitlines()[-1])
    if answer is None:
        raise Refusal(f"There is no participant {code} in the database of this folder. Nothing was removed.")
    return answer
