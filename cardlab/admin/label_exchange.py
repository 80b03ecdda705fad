"""Exports and imports the register of labels that took part in studies, for ``lab.py labels``."""

from __future__ import annotations

import csv
import io
from typing import Any

from otree.views.cbv import BaseRESTView
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cardlab.admin.csv_response import csv_response
from cardlab.games.text_file import shorten
from cardlab.sessions import study_register

PATH = "/api/labels"


class RestLabels(BaseRESTView):
    """The entries of the register: hashes, never labels."""

    def get(self) -> Response:
        """Returns the entries as CSV; with ``study`` in the address, those of one study."""
        entries = study_register.entries(self.request.query_params.get("study", ""))
        return csv_response("labels.csv", [study_register.Entry._fields, *entries])

    def post(self, entries: Any = "", forget: Any = "") -> Response:
        """Adds ``entries``, a CSV text of another server, or forgets a label; returns how many."""
        if not isinstance(entries, str) or not isinstance(forget, str) or bool(entries) == bool(forget):
            return Response("Send either entries, as CSV, or forget with a label.", status_code=400)
        try:
            count = study_register.forget(forget) if forget else study_register.add_entries(_read(entries))
        except study_register.WrongEntries as wrong:
            return Response(str(wrong), status_code=400)
        return JSONResponse({"count": count})


def _read(text: str) -> list[study_register.Entry]:
    """Reads the entries of a CSV file. Files of older versions lack the last column. Raises WrongEntries."""
    names = study_register.Entry._fields
    heading, *rows = list(csv.reader(io.StringIO(text))) or [[]]
    is_wrong = any(len(row) != len(heading) for row in rows)
    if tuple(heading) not in (names, names[:-1]) or is_wrong:
        raise study_register.WrongEntries(
            f"A file of labels has lines with {len(names)} cells: {', '.join(names)}."
        )
    return [study_register.Entry._make([*row[:6], _read_hour(*row[6:])]) for row in rows]


def _read_hour(text: str = "") -> int | None:
    if text and not (text.isdecimal() and len(text) < 8):
        raise study_register.WrongEntries(f"The hour of an entry is a number, not {shorten(text)}.")
    return int(text) if text else None


ROUTES = [Route(PATH, RestLabels)]
