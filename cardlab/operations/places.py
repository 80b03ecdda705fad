"""``lab.py places``: adds places to a session of the running server."""

from __future__ import annotations

import json
import urllib.error

from cardlab.operations.project import COMMAND
from cardlab.operations.rest import check_session_code, fetch
from cardlab.operations.running_server import server_url
from cardlab.operations.terminal import Commands, Refusal, say


def add_command(commands: Commands) -> None:
    """Adds ``lab.py places``."""
    command = commands.add_parser("places", help="add places to a running session", allow_abbrev=False)
    command.add_argument("session", metavar="SESSION", help="the session's code")
    command.add_argument("places", metavar="N", type=int, help="how many")
    command.add_argument("--url", help="the server's address; default: the one running from this folder")
    command.set_defaults(do=lambda options: add_places(options.session, options.places, options.url))


def add_places(session: str, places: int, url: str | None = None) -> int:
    """Adds places to a session, and prints their links; the server says why if it cannot."""
    check_session_code(session)
    url = url or server_url(session)
    try:
        with fetch(url, f"/api/places/{session}", payload={"places": places}) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        reason = {
            400: error.read().decode("utf-8", "replace"),
            403: "The server refuses the key of this folder: ask from the folder that started it.",
            404: f"There is no session {session} at {url}; its code stands on {url}/sessions.",
        }.get(error.code, f"The server at {url} failed ({error}); its own messages say why.")
        raise Refusal(reason) from error
    except (OSError, ValueError) as error:
        raise Refusal(f"No Card Lab server answers at {url}: start it with {COMMAND} run.") from error
    say(f"Session {session} has {answer['num_participants']} places now; the links of the new ones:")
    say(*(f"    {url}/InitializeParticipant/{one['code']}" for one in answer["participants"]))
    return 0
