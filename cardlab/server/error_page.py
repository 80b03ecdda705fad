"""The page of an error, for browsers: oTree answers with a bare line, or with advice for developers.

Requests of scripts are answered with the bare line, which they read.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from gettext import gettext as _

from otree import settings
from otree.templating import render
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import Scope

from cardlab.games.language import current_language
from cardlab.guard.headers import PARTICIPANT_PAGES

STARLETTE_404 = b"Not Found"  # the body of Starlette's answer to an address without a page
PERMANENT_STATUSES = (400, 404, 413, 414, 431)  # statuses of requests that fail again


def shows_page(scope: Scope) -> bool:
    """Returns whether a browser shows the answer: it asks for a page, which a script does not."""
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def sentence_for(scope: Scope, status: int, body: bytes) -> str | None:
    """Returns the sentence that replaces an error's answer; None if the answer is sent unchanged.

    Errors of the server keep oTree's page in debug mode, and on the admin pages.
    """
    is_participants = PARTICIPANT_PAGES.match(scope["path"]) is not None
    if status == 404 and (is_participants or body == STARLETTE_404):
        return _("There is no page at this address. Please check the link, or ask for help.")
    if status == 500 and is_participants and not settings.DEBUG:
        return _("Something went wrong. Please reload the page, or ask for help.")
    return None


def error_response(scope: Scope, status: int, sentence: str, headers: Mapping[str, str]) -> Response:
    """Returns the answer to a request that failed: a page for a browser, a line for a script."""
    if shows_page(scope):
        return HTMLResponse(
            _page(sentence, status not in PERMANENT_STATUSES, current_language()), status, {**headers}
        )
    return PlainTextResponse(sentence + "\n", status, {**headers})


@lru_cache(maxsize=32)
def _page(sentence: str, can_retry: bool, _language: str) -> bytes:
    """Renders the page, once for each sentence and language, because anybody can request it often."""
    return bytes(render("cardlab/Error.html", {"sentence": sentence, "again": can_retry}).body)
