"""The worker process that writes exports: ``python -m cardlab.exports.worker FOLDER``.

:mod:`cardlab.exports.jobs` starts it. Each line of JSON on stdin requests an export: the name of the view,
the query of its address, and a file. The view writes ``FOLDER/FILE`` from a snapshot of the database. Each
line on stdout has the name for the download and the progress (:class:`cardlab.exports.progress.Progress`), up
to which the file can be read. The last line has ``done``, or the HTTP ``status`` of a failure. Errors and
prints go to the server's stderr.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from cardlab.exports.progress import Progress, ProgressFile
from cardlab.exports.snapshot import NoSpace, read_snapshot
from cardlab.exports.worker_process import exit_with_server, lower_priority, set_up_otree, take_stdout

NO_EXPORT, NO_SESSION, FAILED, UNREACHABLE, NO_SPACE = 400, 404, 500, 503, 507

Report = Callable[[str, Progress], object]  # called with the name for the download, without the date

logger = logging.getLogger("cardlab.export")


def write_export(
    view: str,
    query: dict[str, str],
    file: Path,
    report: Report = lambda _stem, _progress: None,
) -> str:
    """Writes an export into ``file``; returns the name for its download, without the date.

    ``report`` is called now and then with this name and the progress.
    """
    from otree.views import export

    from cardlab.exports import browser_events, page_texts
    from cardlab.sessions.dealing import openings_of_round

    openings_of_round.cache_clear()  # slots may have been added to the session
    views = {**vars(export), **{one.__name__: one for one in (*browser_events.VIEWS, *page_texts.VIEWS)}}
    exporter = object.__new__(views[view])  # its __init__ needs a request
    with open(file, "w", encoding="utf-8", newline="") as text:
        if query.get("format") == "csv_bom":
            text.write(export.BOM)
        table = ProgressFile(text, lambda progress: report(exporter.file_name_stem(), progress))
        exporter.write_to_buf(table, query.get("session_code"), query)
    stem: str = exporter.file_name_stem()
    return stem


def query_error(view: str, query: dict[str, str]) -> int | None:
    """Returns the HTTP status for a query with an unknown app, export or session; None for a valid one."""
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


def handle_request(view: str, query: dict[str, str], file: Path, report: Report) -> dict[str, Any]:
    """Writes an export; returns its ``stem`` and that it is ``done``, or the ``status`` of a failure."""
    from sqlalchemy.exc import OperationalError

    try:
        with read_snapshot(file.parent):
            if status := query_error(view, query):
                return {"status": status}
            return {"stem": write_export(view, query, file, report), "done": True}
    except NoSpace as error:
        logger.error("export %s %s: %s", view, query, error)
        return {"status": NO_SPACE}
    except OperationalError as error:
        logger.error("export %s %s: %s", view, query, error.orig)
        return {"status": UNREACHABLE}
    except Exception:  # custom exports may raise anything
        logger.exception("export %s %s", view, query)
        return {"status": FAILED}


def main(folder: str) -> None:
    """Writes requested exports until the server closes the pipe."""
    requests: SimpleQueue[bytes] = SimpleQueue()
    lower_priority()
    exit_with_server(folder, requests.put)
    send = take_stdout()
    set_up_otree()
    while True:
        view, query, name = json.loads(requests.get())
        result = handle_request(
            *(view, query, Path(folder, name)),
            lambda stem, progress: send(json.dumps({"stem": stem, "progress": progress})),
        )
        send(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
