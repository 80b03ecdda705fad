"""Pages that the browser shows one after another in the same document (``_static/cardlab/shell.js``).

A script sends the form and gets the next page in the answer, instead of a redirect to it. oTree decides which
page that is, and handles every request as if a browser had followed the redirect. Without the script's header
nothing differs.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from otree.lookup import get_page_lookup
from starlette.requests import Request
from starlette.responses import Response

from cardlab.pages.study_progress import StudyProgress, progress_at
from cardlab.sessions.config import config_of
from cardlab.sessions.treatments import row_treatment

if TYPE_CHECKING:
    from otree.views.abstract import FormPageOrInGameWaitPage as _Page
else:
    _Page = object

REQUEST_HEADER = "card-lab-shell"  # the header of a request by the script
ADDRESS = "Card-Lab-Page"  # the header of the answer: the address of the page in it
MAX_REDIRECTS = 10

_PATH = re.compile(r"/p/\w+/\w+/\w+/\d+")


class ShellPage(_Page):
    """A page that may take the place of another one in its document. A mixin, before oTree's class."""

    in_shell = True
    ends_app = False  # whether the page follows the last hand, also of a participant who stopped

    def study_progress(self) -> StudyProgress | None:
        """Returns how far the participant is in the study; None where the session does not show it."""
        if not config_of(self.player)["study_progress"]:
            return None
        return progress_at(self, row_treatment(self.player))

    def inner_dispatch(self, request: Request) -> Response:
        """Answers a request; the script gets the next page, or its address if it needs a new document."""
        response: Response = super().inner_dispatch(request)
        if REQUEST_HEADER not in request.headers or self.participant.is_browser_bot:
            return response
        page, path = self, request.url.path
        for _redirect in range(MAX_REDIRECTS):
            if response.status_code != HTTPStatus.FOUND:
                break
            path = response.headers["location"]
            next_page = _shell_page_at(page, path)
            if next_page is None:
                response = Response(status_code=HTTPStatus.NO_CONTENT)
                break
            page = next_page
            response = super(ShellPage, page).inner_dispatch(page.request)
        response.headers[ADDRESS] = path
        return response


def _shell_page_at(page: Any, path: str) -> Any:
    """Returns the page to which a participant is redirected; None if it cannot be shown in the document."""
    participant = page.participant
    if not _PATH.fullmatch(path):
        return None
    page_class = get_page_lookup(participant._session_code, participant._index_in_pages).page_class
    if not issubclass(page_class, ShellPage):
        return None
    scope = {**page.scope, "method": "GET", "path": path, "query_string": b""}
    instance = page_class(scope, page.receive, page.send)
    instance.request = Request(scope)
    instance.set_attributes(participant)
    return instance
