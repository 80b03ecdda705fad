"""The export of what participants' browsers reported in a session, one row for each event."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from typing import IO, Any

from otree.common import get_models_module
from otree.lookup import get_page_lookup
from otree.models import Participant, Session
from otree.views import export

from cardlab.exports.players import forgotten_rows
from cardlab.games.tables import BROWSER_EVENT_COLUMNS, format_utc, guard_formula
from cardlab.live.browser_events import events_of_participant
from cardlab.live.lab import LAB
from cardlab.pages.board import BoardPage
from cardlab.sessions import treatments

NO_PAGE = ("", "", "", "")


def event_rows(session: Session) -> Iterator[list[Any]]:
    """Yields the events of a session as rows of ``BROWSER_EVENT_COLUMNS``."""
    code = session.code
    for number in [number for (number,) in session.pp_set.with_entities(Participant.id).order_by("id")]:
        with forgotten_rows():
            participant = Participant.objects_get(id=number)
            label, treatment = guard_formula(participant.label), treatments.treatment_of(participant)
            pages = _Pages(participant)
            for one in events_of_participant(LAB.page_records, number):
                yield [
                    *(code, participant.code, label, treatment),
                    *pages.cells(one.page),
                    *(one.tab, one.number, one.event),
                    *(format_utc(one.client_ms), format_utc(one.ms), one.details),
                ]


class _Pages:
    """The pages of a participant."""

    def __init__(self, participant: Participant) -> None:
        self._participant = participant
        self.cells = cache(self._read_cells)
        self._players = cache(self._read_players)

    def _read_cells(self, page_index: int) -> tuple[Any, ...]:
        """Returns the app, the name, and the number and id of the hand of a page."""
        try:
            found = get_page_lookup(self._participant._session_code, page_index)
        except KeyError:
            return NO_PAGE
        page = found.page_class
        player = self._players(found.app_name).get(found.round_number)
        if player is None or not issubclass(page, BoardPage):
            return found.app_name, page.__name__, "", ""
        return found.app_name, page.__name__, page.hand_number(player), page.hand_id(player)

    def _read_players(self, app: str) -> dict[int, Any]:
        """Returns the participant's players in an app, by round."""
        players = get_models_module(app).Player.objects_filter(participant=self._participant)
        return {player.round_number: player for player in players}


def write_table(file: IO[str], session_code: str | None) -> None:
    """Writes the events of a session, or without one those of all sessions except demos."""
    wanted: dict[str, Any] = {"code": session_code} if session_code else {"is_demo": False}
    table = csv.writer(file)
    table.writerow(BROWSER_EVENT_COLUMNS)
    for session in Session.objects_filter(**wanted).order_by(Session.id):
        table.writerows(event_rows(session))


class _Export(export.ExportMixin):
    """The export of :func:`write_table`."""

    def file_name_stem(self) -> str:
        """Returns the name of the file, without the date."""
        return "browser_events"

    def write_to_buf(self, buf: IO[str], session_code: str | None, query_params: Any) -> None:
        """Writes the table."""
        write_table(buf, session_code)


class ExportBrowserEvents(_Export, export.BaseExport):
    """The export for the REST interface."""

    url_pattern = "/api/export_browser_events"


class ExportBrowserEventsLogin(_Export, export.LoginProtectedExport):
    """The export for the tab Progress."""

    url_pattern = "/ExportBrowserEvents"

    def _is_unauthorized(self) -> bool:
        return bool(export.ExportWideLogin._requires_login and not self._is_logged_in())


VIEWS: tuple[Any, ...] = (ExportBrowserEvents, ExportBrowserEventsLogin)
