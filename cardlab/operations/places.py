"""More places for a session of the running server."""

from __future__ import annotations

import json
import re
import urllib.error

from cardlab.operations.one_server import address_of
from cardlab.operations.project import COMMAND
from cardlab.operations.rest import fetch
from cardlab.operations.terminal import Refusal, say


def add_command(commands) -> None:
    """``lab.py places``."""
    command = commands.add_parser("places", help="add places to a running session", allow_abbrev=False)
    command.add_argument("session", metavar="SESSION", help="the session's code")
    command.add_argument("places", metavar="N", type=int, help="how many")
    command.add_argument("--url", help="the server's address; default: the one running from this folder")
    command.set_defaults(do=lambda asked: add_places(asked.session, asked.places, asked.url))


def add_places(session: str, places: int, url: str | None = None) -> int:
    """Ask the server for so many more places in a session; the server says why if it cannot."""
    if not re.fullmatch(r"\w+", session, re.ASCII):
        raise Refusal(f"'{session}' is not a session code: it has letters and digits only, such as x8f2k1qz.")
    url = url or address_of(session)
    try:
        with fetch(url, f"/api/places/{session}", payload={"places": places}) as answer:
            told = json.load(answer)
    except urllib.error.HTTPError as error:
        why = {
            400: error.read().decode("utf-8", "replace"),
            403: "The server refuses the key of this folder: ask from the folder that started it.",
            404: f"There is no session {session} at {url}; its code stands on {url}/sessions.",
        }.get(error.code, f"The server at {url} failed ({error}); its own messages say why.")
        raise Refusal(why) from error
    except (OSError, ValueError) as error:
        raise Refusal(f"No Card Lab server answers at {url}: start it with {COMMAND} run.") from error
    say(f"Session {session} has {told['num_participants']} places now; the links of the new ones:")
    say(*(f"    {url}/InitializeParticipant/{one['code']}" for one in told["participants"]))
    return 0
