"""Exports and imports the register of labels that took part in studies, for ``lab.py labels``."""

from __future__ import annotations

import csv
import io
from typing import Any

from otree.views.cbv import BaseRESTView
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cardlab.admin.csv_response import csv_response
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
    """Reads the entries of a CSV file. Raises WrongEntries."""
    names = study_register.Entry._fields
    heading, *rows = list(csv.reader(io.StringIO(text))) or [[]]
    if tuple(heading) != names or any(len(row) != len(names) for row in rows):
        raise study_register.WrongEntries(
            f"A file of labels has lines with {len(names)} cells: {', '.join(names)}."
        )
    return [study_register.Entry(*row) for row in rows]


ROUTES = [Route(PATH, RestLabels)]
