"""``lab.py places``: adds places to a session of the running server."""

from __future__ import annotations

from cardlab.operations.rest import check_session_code, fetch_json
from cardlab.operations.running_server import server_url
from cardlab.operations.terminal import Commands, say


def add_command(commands: Commands) -> None:
    """Adds ``lab.py places``."""
    command = commands.add_parser("places", help="add places to a running session")
    command.add_argument("session", metavar="SESSION", help="the session's code")
    command.add_argument("places", metavar="N", type=int, help="how many")
    command.add_argument("--url", help="the server's address; default: the one running from this folder")
    command.set_defaults(do=lambda options: add_places(options.session, options.places, options.url))


def add_places(session: str, places: int, url: str | None = None) -> int:
    """Adds places to a session, and prints their links; the server says why if it cannot."""
    check_session_code(session)
    url = url or server_url(session)
    answer = fetch_json(url, f"/api/places/{session}", session, payload={"places": places})
    say(f"Session {session} has {answer['num_participants']} places now; the links of the new ones:")
    say(*(f"    {url}/InitializeParticipant/{one['code']}" for one in answer["participants"]))
    return 0
