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
from cardlab.operations.running_server import read_server_state, server_lock
from cardlab.operations.terminal import Commands, Refusal, confirm, say

WARNING = """\
This removes all data of participant {code}: from the database, the backups and the logs of this folder.
Nothing can bring them back. What stays:
  - the fact that somebody withdrew, without who
  - in hands with co-players, the moves, under a random code
  - what has to be paid, until you mark it as paid with --paid"""
TIMEOUT_SECONDS = 3600  # for a database and many backups of gigabytes


def add_command(commands: Commands) -> None:
    """Adds ``lab.py withdraw``."""
    command = commands.add_parser("withdraw", help="remove the data of a participant who withdraws")
    command.add_argument("participant", metavar="PARTICIPANT", help="the participant's code")
    command.add_argument("--yes", action="store_true", help="do not ask first")
    command.add_argument(
        "--paid", action="store_true", help="the participant has been paid: remove also what was kept to pay"
    )
    command.add_argument("--url", help="the server's address; default: the server running from this folder")
    command.set_defaults(do=run_command)


def run_command(options: argparse.Namespace) -> int:
    """Asks for confirmation, removes the data, and prints what was removed and what remains."""
    code = options.participant
    if not (code.isascii() and code.isalnum()):
        raise Refusal(f"'{code}' is not a participant's code, such as q7bdn3xy. See the tab Progress.")
    say(WARNING.format(code=code))
    if not options.yes and not confirm("Remove the data?"):
        say("Nothing was removed.")
        return 1
    state = read_server_state()
    urls = [options.url] if options.url else [*state.get("servers", {}).values()] or [state.get("url")]
    if urls == [None]:
        sentences = withdraw_without_server(code, options.paid)
    else:
        sentences = withdraw_on_servers(urls, code, options.paid)
    say("", *sentences)
    return 0


def withdraw_on_servers(urls: list[str], code: str, is_paid: bool) -> list[str]:
    """Withdraws a participant on the server that has them; returns its sentences. Raises Refusal."""
    for url in urls:
        answer = _ask(url, {"participant": code, "paid": is_paid})
        if answer is not None:
            sentences: list[str] = answer["sentences"]
            return [f"Server: {url}", *sentences] if len(urls) > 1 else sentences
    raise Refusal(f"There is no participant {code} at {', '.join(urls)}. Nothing was removed.")


def _ask(url: str, payload: dict[str, Any]) -> Any:
    """Returns the server's answer; None if it does not have the participant. Raises Refusal."""
    try:
        with fetch(url, "/api/withdraw", timeout=TIMEOUT_SECONDS, payload=payload) as response:
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


def withdraw_without_server(code: str, is_paid: bool) -> list[str]:
    """Withdraws a participant in the database of this folder; returns sentences. Raises Refusal."""
    install()
    with server_lock():
        if not database_url() and not has_content(database_file()):
            raise Refusal(f"No server runs from this folder, and {database_file().name} has no data.")
        prepare_database(fresh=False, ask=False)
        answer = subprocess.run(
            module_command("cardlab.server.withdraw", code, *(["paid"] if is_paid else [])),
            cwd=project.FOLDER,
            env={**os.environ, **server_keys()},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    if answer.returncode:
        raise Refusal("The withdrawal failed. The lines above give the reason. Run the command again.")
    sentences: list[str] | None = json.loads(answer.stdout.splitlines()[-1])
    if sentences is None:
        raise Refusal(f"There is no participant {code} in the database of this folder. Nothing was removed.")
    return sentences
