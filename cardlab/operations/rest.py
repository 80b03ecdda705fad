"""Requests to the running server's REST interface."""

import http.client
import json
import os
import urllib.error
import urllib.request
from typing import Any

from cardlab.operations.keys import secret
from cardlab.operations.project import COMMAND
from cardlab.operations.terminal import Refusal


def fetch(
    url: str,
    path: str,
    timeout: float = 600,
    payload: dict[str, Any] | None = None,
    method: str | None = None,
) -> http.client.HTTPResponse:
    """Sends a request, never through a proxy, and returns the open response.

    A ``payload`` is sent as JSON, by POST unless ``method`` says otherwise; ``timeout`` is in seconds. Raises
    OSError, also for an invalid address and for the answer of another program.
    """
    key = os.environ.get("OTREE_REST_KEY") or secret("rest_key")
    data = None if payload is None else json.dumps(payload).encode()
    headers = {"otree-rest-key": key}
    no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url} does not begin with http:// or https://")
        request = urllib.request.Request(  # noqa: S310 the scheme was checked above
            url.rstrip("/") + path, data, headers=headers, method=method
        )
        response: http.client.HTTPResponse = no_proxy.open(request, timeout=timeout)
    except (http.client.HTTPException, ValueError) as error:
        raise ConnectionError(str(error)) from error
    return response


def fetch_json(url: str, path: str, session: str = "", payload: dict[str, Any] | None = None) -> Any:
    """Returns the JSON of a response. Raises Refusal with the reason; with status 400, the server's own.

    ``session`` is the code of the session in the path, for the message that there is none.
    """
    try:
        with fetch(url, path, payload=payload) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        reasons = {
            400: error.read().decode("utf-8", "replace"),
            403: f"The server at {url} rejected the key of this folder. Run this command in the "
            "folder from which the server was started, or set OTREE_REST_KEY to the server's "
            "key.",
            404: f"There is no session {session} at {url}. The session codes are listed at {url}/sessions.",
        }
        failure = (
            f"The server at {url} failed ({error}). For the reason, see the terminal in which the "
            "server runs."
        )
        raise Refusal(reasons.get(error.code, failure)) from error
    except (OSError, ValueError) as error:
        raise Refusal(
            f"No Card Lab server answers at {url}. Start it with {COMMAND} run, or name its "
            "address with --url."
        ) from error


def check_session_code(session: str) -> None:
    """Raises Refusal for an invalid session code."""
    if not (session.isascii() and session.replace("_", "a").isalnum()):
        raise Refusal(
            f"'{session}' is not a session code. A code has only letters and digits, such as x8f2k1qz."
        )
