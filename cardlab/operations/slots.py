"""``lab.py slots``: adds slots to a session of the running server."""

import argparse

from cardlab.operations.rest import check_session_code, fetch_json
from cardlab.operations.running_server import server_url
from cardlab.operations.terminal import Commands, say


def add_command(commands: Commands) -> None:
    """Adds ``lab.py slots``."""
    command = commands.add_parser("slots", help="add slots to a running session")
    command.add_argument("session", metavar="SESSION", help="the code of the session")
    command.add_argument("slots", metavar="N", type=number_of_slots, help="the number of slots to add")
    command.add_argument("--url", help="the server's address; default: the server running from this folder")
    command.set_defaults(do=lambda options: add_slots(options.session, options.slots, options.url))


def number_of_slots(text: str) -> int:
    """Parses a number of slots from the command line."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"enter a number of slots, 1 or more, not '{text}'")
    return int(text)


def add_slots(session: str, count: int, url: str | None = None) -> int:
    """Adds slots to a session, and prints their links. Raises Refusal with the server's reason."""
    check_session_code(session)
    url = url or server_url(session)
    answer = fetch_json(url, f"/api/slots/{session}", session, payload={"slots": count})
    say(f"Session {session} now has {answer['num_participants']} slots. Links of the new slots:")
    say(*(f"    {url}/InitializeParticipant/{one['code']}" for one in answer["participants"]))
    return 0
