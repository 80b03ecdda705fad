"""Checks REST requests: first the key, then the body, then the fields.

oTree requires no key if the admin pages need no login, and answers unexpected JSON with an error 500.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Iterator
from typing import Any

from otree.views import cbv
from otree.views.cbv import REST_KEY_HEADER, REST_KEY_NAME
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Scope

from cardlab.core.patch import Patch
from cardlab.guard.errors import Refused

BROWSER_BOTS = {"/create_browser_bots_session", "/close_browser_bots_session"}
MAX_DEPTH = 50  # levels of lists and objects in a request

# Types of the fields that are checked here; ``cardlab.sessions.create`` checks those of a session.
FIELD_TYPES: dict[str, tuple[type, str]] = {
    "vars": (dict, "an object"),
    "participant_label": (str, "a string"),
    "session_config_name": (str, "a string"),
    "case_number": (int, "a whole number"),
    "participant_labels": (list, "a list of strings"),
    "participant_vars": (list, "a list of strings"),
    "session_vars": (list, "a list of strings"),
    "is_mturk": (bool, "true or false"),
    "is_demo": (bool, "true or false"),
}
NULLABLE_FIELDS = {"case_number", "participant_labels", "participant_vars", "session_vars"}


def is_rest(scope: Scope) -> bool:
    """Returns whether the request is for the REST interface."""
    return scope["path"].startswith("/api/") or scope["path"] in BROWSER_BOTS


def check_key(scope: Scope) -> None:
    """Raises Refused if a REST request does not have the right key."""
    if not is_rest(scope):
        return
    key = os.environ.get(REST_KEY_NAME, "")
    if not key:
        raise Refused(
            403,
            f"The REST API is disabled, because the server was started without {REST_KEY_NAME}. Set "
            f"{REST_KEY_NAME} and restart the server.",
        )
    sent_key = dict(scope["headers"]).get(REST_KEY_HEADER.encode())
    if sent_key is None:
        raise Refused(403, f"Send the server's REST key in the header {REST_KEY_HEADER}.")
    if not hmac.compare_digest(sent_key, key.encode()):
        raise Refused(403, f"The key in the header {REST_KEY_HEADER} is wrong.")


def check_body(scope: Scope, content: bytes) -> None:
    """Raises Refused if a REST request's body is not a JSON object with fields of the right types."""
    if not is_rest(scope) or not content:
        return
    try:
        fields = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused(400, "The request body is not valid JSON in UTF-8.") from None
    if not isinstance(fields, dict):
        raise Refused(400, "The request body must be a JSON object.")
    for name, value in fields.items():
        if name in FIELD_TYPES and not _has_right_type(name, value):
            raise Refused(400, f"{name} must be {FIELD_TYPES[name][1]}.")
    for value in _values(fields):
        if isinstance(value, str) and not _can_be_stored(value):
            raise Refused(400, "A string in the request contains characters that cannot be stored.")


def _has_right_type(name: str, value: Any) -> bool:
    if value is None:
        return name in NULLABLE_FIELDS
    field_type, _description = FIELD_TYPES[name]
    if isinstance(value, list):
        return field_type is list and all(isinstance(item, str) for item in value)
    return isinstance(value, field_type) and (field_type is bool or not isinstance(value, bool))


def _values(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yields all keys and scalar values. Raises Refused for nesting deeper than MAX_DEPTH."""
    if depth > MAX_DEPTH:
        raise Refused(400, f"Lists and objects in the request are nested more than {MAX_DEPTH} levels deep.")
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _values(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _values(item, depth + 1)
    else:
        yield value


def _can_be_stored(text: str) -> bool:
    """Returns whether a text has no lone surrogate and no NUL, which PostgreSQL cannot store."""
    try:
        return b"\0" not in text.encode("utf-8")
    except UnicodeEncodeError:
        return False


def _dispatch_checked(self: cbv.BaseRESTView, request: Request) -> Any:
    if request.method not in ("GET", "HEAD", "POST"):
        return PlainTextResponse("Method not allowed\n", 405)
    if refusal := cbv.validate_rest_key(request):  # again, for paths that an app has added
        return refusal
    try:
        return self.outer_post() if request.method == "POST" else self.outer_get()
    except TypeError as error:  # oTree passes the fields as keyword arguments
        return PlainTextResponse(f"Invalid fields in the request: {error}\n", 400)


PATCHES = (
    Patch(
        *(cbv.BaseRESTView, "inner_dispatch", _dispatch_checked, "security", "a3e55da78df74d2d"),
        "Unknown methods get 405, unknown fields 400 (oTree: 403); the key is always required.",
    ),
)
