"""The export of the texts that participants of a session read: its pages of consent and instructions as HTML.

Each page is rendered as the session's first participant gets it, in their language. Nothing is changed: the
worker that writes exports reads a snapshot of the database.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import IO, Any

from otree.common import get_constants, get_models_module, get_pages_module, is_noself
from otree.models import Participant, Session
from otree.views import export
from otree.views.abstract import Page
from starlette.requests import Request

from cardlab.games.language import in_language
from cardlab.sessions.participant_language import language_of

TEXTS = ("Consent", "Introduction", "Instructions", "Check")  # the pages, by name
LABEL = "LABEL"  # replaces the participant's label in the texts

logger = logging.getLogger("cardlab.export")


def page_texts(session: Session) -> dict[str, str]:
    """Returns the HTML of each page of ``TEXTS`` in a session by ``APP/PAGE.html``; {} without participants.

    A page of another author's app that cannot be rendered outside a visit is left out.
    """
    participant = session.pp_set.order_by("id").first()
    if participant is None:
        return {}
    texts = {}
    participant.label = participant.label and LABEL  # in the snapshot, which is never written
    with in_language(language_of(participant)):
        for app, page in _pages(session):
            try:
                texts[f"{app}/{page.__name__}.html"] = _render(page, app, participant)
            except Exception:  # a page may need anything of a visit
                logger.warning("the text of %s.%s was not exported", app, page.__name__, exc_info=True)
    return texts


def _pages(session: Session) -> Iterator[tuple[str, type[Page]]]:
    for app in session.config["app_sequence"]:
        for page in get_pages_module(app).page_sequence:
            if issubclass(page, Page) and page.__name__ in TEXTS:
                yield app, page


def _render(page: type[Page], app: str, participant: Participant) -> str:
    """Returns a page as oTree renders it for a participant in the first round."""
    models = get_models_module(app)
    view: Any = page.instantiate_without_request()
    view.request = Request({"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""})
    view.participant, view.player = (
        participant,
        models.Player.objects_get(participant=participant, round_number=1),
    )
    view.is_noself, view.round_number, view._Constants = is_noself(app), 1, get_constants(app)
    view._index_in_pages = view._participant_pk = participant.id
    view._subsession_pk, view._session_pk = view.player.subsession_id, participant.session_id
    view.PlayerClass, view.GroupClass, view.SubsessionClass = models.Player, models.Group, models.Subsession
    context = view.get_context_data(form=view.get_form_or_mockform())
    return str(view.render_page(context).body.decode("utf-8"))


class ExportPageTexts(export.BaseExport):
    """The export for the REST interface: a JSON object."""

    url_pattern = "/api/export_page_texts"

    def file_name_stem(self) -> str:
        """Returns the name of the file, without the date."""
        return "page_texts"

    def write_to_buf(self, buf: IO[str], session_code: str | None, query_params: Any) -> None:
        """Writes the texts of a session."""
        session = Session.objects_get(code=session_code) if session_code else None
        json.dump(page_texts(session) if session else {}, buf, ensure_ascii=False, indent=1)


VIEWS: tuple[Any, ...] = (ExportPageTexts,)
