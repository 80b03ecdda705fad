"""Exports, written beside the server: ``python -m cardlab.exports.worker FOLDER``.

Started by :mod:`cardlab.exports.jobs`. Each line on stdin asks for one, in JSON: the name of oTree's view and
the query of its address. The view writes it, as it would in the server, into ``FOLDER/export``; then a line
on stdout tells what its file is called, or with which HTTP status it failed. Why it did, and what an export
prints, goes to stderr, which is the server's. Each export reads what the database holds when its turn comes.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from cardlab.exports.worker_process import end_with_the_server, reading_now, set_up_otree, step_back, telling

RESULT = "export"  # the file that is written
NO_EXPORT, NO_SESSION, FAILED = 400, 404, 500
UNREACHABLE = 503  # the database cannot be reached

logger = logging.getLogger("cardlab.export")


def write(view: str, query: dict[str, str], file: Path) -> str:
    """Write the export into the file; what it is called before the date."""
    from otree.views import export

    from cardlab.sessions.dealing import openings_of_round

    openings_of_round.cache_clear()  # the session may have got further places since
    of_view = object.__new__(getattr(export, view))  # without a request
    with open(file, "w", encoding="utf-8", newline="") as text:
        if query.get("format") == "csv_bom":
            text.write(export.BOM)
        of_view.write_to_buf(text, query.get("session_code"), query)
    return of_view.file_name_stem()


def wrong_query(view: str, query: dict[str, str]) -> int | None:
    """The HTTP status for a query that names no app, export or session that there is; None for a good one."""
    from otree import settings
    from otree.export import get_custom_export_functions
    from otree.models import Session

    if view in ("ExportApp", "ExportAppCustom"):
        if (app := query.get("app")) not in settings.OTREE_APPS:
            return NO_EXPORT
        function = query.get("function_name", "custom_export")
        if view == "ExportAppCustom" and function not in get_custom_export_functions(app):
            return NO_EXPORT
    code = query.get("session_code")
    if code and not (code.isalnum() and Session.objects_exists(code=code)):
        return NO_SESSION
    return None


def written(view: str, query: dict[str, str], file: Path) -> dict[str, Any]:
    """The same; how it went."""
    from sqlalchemy.exc import OperationalError

    try:
        with reading_now():
            if wrong := wrong_query(view, query):
                return {"status": wrong}
            return {"stem": write(view, query, file)}
    except OperationalError as error:
        logger.error("export %s %s: %s", view, query, error.orig)
        return {"status": UNREACHABLE}
    except Exception:  # whatever a researcher's own export has met with
        logger.exception("export %s %s", view, query)
        return {"status": FAILED}


def main(folder: str) -> None:
    """Write what is asked for until the server closes the pipe."""
    asked: SimpleQueue[bytes] = SimpleQueue()
    step_back()
    end_with_the_server(folder, asked.put)
    tell = telling()
    set_up_otree()
    while True:
        tell(json.dumps(written(*json.loads(asked.get()), Path(folder, RESULT))))


if __name__ == "__main__":
    main(*sys.argv[1:])
