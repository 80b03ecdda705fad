"""The worker process that draws a report: ``python -m cardlab.admin.report_worker SESSION APP FOLDER``.

:mod:`cardlab.admin.report_jobs` starts it. It exports the tables of actions and of browser events into
``FOLDER``, from which ``python -m cardlab.analysis report`` draws ``FOLDER/report``. With ``ROUND HAND SEAT``
as further arguments, ``python -m cardlab.analysis replay`` draws that hand so far.

The exit code is ``REFUSED`` after an error message on stderr, and ``NOTHING_PLAYED`` without a hand. Stdout
has a line for each stage: its name and start in Unix milliseconds.
"""

from __future__ import annotations

import csv
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from cardlab.core.clock import now_ms
from cardlab.exports.snapshot import read_snapshot
from cardlab.exports.worker_process import exit_with_server, lower_priority, set_up_otree, take_stdout

READING, DRAWING = "reading", "drawing"  # the stages
REFUSED, NOTHING_PLAYED = 2, 3  # exit codes
RESULT = "report"  # the folder of the result
REPLAY = "replay.html"  # the replay in it


def write_actions(session: str, app: str, file: Path, round_number: int | None = None) -> bool:
    """Writes the table of actions of an app, or of one round; returns whether a hand has begun."""
    set_up_otree()
    from otree.database import NoResultFound
    from otree.export import custom_export_app

    from cardlab.exports import browser_events

    events = file.with_name("browser_events.csv")  # where the report looks for it
    try:
        with read_snapshot(file.parent), _open(file) as table, _open(events) as table_of_events:
            browser_events.write_table(table_of_events, session)
            if round_number is None:
                custom_export_app(app, table, session_code=session)
            else:
                csv.writer(table).writerows(_round_rows(session, app, round_number))
    except NoResultFound:
        print(f"There is no session {session} any more.", file=sys.stderr)
        sys.exit(REFUSED)
    with open(file, encoding="utf-8", newline="") as table:
        next(table)
        return any(table)


def _open(file: Path) -> IO[str]:
    return open(file, "w", encoding="utf-8", newline="")


def _round_rows(session: str, app: str, round_number: int) -> Iterator[list[Any]]:
    from otree.common import get_models_module
    from otree.models import Session

    models, row = get_models_module(app), Session.objects_get(code=session)
    players = models.Player.objects_filter(session_id=row.id, round_number=round_number).order_by("id").all()
    for player in players:
        player._is_frozen = False  # so that an empty field may be read
    rows: Iterator[list[Any]] = models.custom_export(players)
    return rows


def main(session: str, app: str, folder: str, *hand: str) -> None:
    """Draws the report; with ``hand``, a round, a hand_id and a seat, the replay for that seat."""
    lower_priority()
    exit_with_server(folder)
    send = take_stdout()
    send(f"{READING} {now_ms()}")
    actions, result = Path(folder, "actions.csv"), Path(folder, RESULT)
    if not write_actions(session, app, actions, int(hand[0]) if hand else None):
        sys.exit(NOTHING_PLAYED)
    send(f"{DRAWING} {now_ms()}")
    if hand:
        result.mkdir()
        seat = ["--hand", hand[1], "--seat", hand[2]]
        sys.argv = ["analysis", "replay", str(actions), *seat, "-o", str(result / REPLAY)]
    else:  # without searching the best play of each deal: for a hundred participants, an hour
        sys.argv = ["analysis", "report", str(actions), "--out", str(result), "--no-search"]
    try:
        runpy.run_module("cardlab.analysis", run_name="__main__", alter_sys=True)
    except ModuleNotFoundError as missing:
        message = f"The plots need the Python package {missing.name}"
        print(f"{message}. Install it with: pip install -r requirements.txt", file=sys.stderr)
        sys.exit(REFUSED)


if __name__ == "__main__":
    main(*sys.argv[1:])
