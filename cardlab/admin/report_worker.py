"""A session's report, drawn beside the server: ``python -m cardlab.admin.report_worker SESSION APP FOLDER``.

Started by :mod:`cardlab.admin.report_jobs`, in the server's folder and environment. Writes the table of
actions, the very export of oTree, into ``FOLDER``, has ``python -m cardlab.analysis report`` draw
``FOLDER/report`` from it, and ends; with ``ROUND HAND SEAT`` after these, ``python -m cardlab.analysis
replay`` draws that hand so far, from the table of its round. It ends with ``REFUSED`` after one line on
stderr, ``NOTHING_PLAYED`` if there is no hand yet. Stdout has a line for each stage: its name, and the time
in Unix milliseconds.
"""

from __future__ import annotations

import csv
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cardlab.core.clock import now_ms
from cardlab.exports.worker_process import end_with_the_server, reading_now, set_up_otree, step_back, telling

READING, DRAWING = "reading", "drawing"  # the stages
REFUSED, NOTHING_PLAYED = 2, 3  # exit codes
RESULT = "report"  # the folder that is drawn into
REPLAY = "replay.html"  # in it, where a hand is replayed


def write_actions(session: str, app: str, file: Path, round_number: int | None = None) -> bool:
    """Write the table of actions of an app, or of one round; False if nothing has been played."""
    set_up_otree()
    from otree.database import NoResultFound
    from otree.export import custom_export_app

    try:
        with reading_now(), open(file, "w", encoding="utf-8", newline="") as table:
            if round_number is None:
                custom_export_app(app, table, session_code=session)
            else:
                csv.writer(table).writerows(_of_round(session, app, round_number))
    except NoResultFound:
        print(f"There is no session {session} any more.", file=sys.stderr)
        sys.exit(REFUSED)
    with open(file, encoding="utf-8", newline="") as table:
        next(table)
        return any(table)


def _of_round(session: str, app: str, round_number: int) -> Iterator[list[Any]]:
    """The same table, of one round."""
    from otree.common import get_models_module
    from otree.models import Session

    models, found = get_models_module(app), Session.objects_get(code=session)
    players = (
        models.Player.objects_filter(session_id=found.id, round_number=round_number).order_by("id").all()
    )
    for player in players:
        player._is_frozen = False  # so that an empty field may be read
    return models.custom_export(players)


def main(session: str, app: str, folder: str, *hand: str) -> None:
    """``hand``: its round, its name, and the seat whose view is shown."""
    step_back()
    end_with_the_server(folder)
    tell = telling()
    tell(f"{READING} {now_ms()}")
    actions, result = Path(folder, "actions.csv"), Path(folder, RESULT)
    if not write_actions(session, app, actions, int(hand[0]) if hand else None):
        sys.exit(NOTHING_PLAYED)
    tell(f"{DRAWING} {now_ms()}")
    if hand:
        result.mkdir()
        of_hand = ["--hand", hand[1], "--seat", hand[2]]
        sys.argv = ["analysis", "replay", str(actions), *of_hand, "-o", str(result / REPLAY)]
    else:
        # No search for the best play of each deal: for a hundred participants it would take an hour.
        sys.argv = ["analysis", "report", str(actions), "--out", str(result), "--time-limit", "0"]
    try:
        runpy.run_module("cardlab.analysis", run_name="__main__", alter_sys=True)
    except ModuleNotFoundError as missing:
        needed = f"The plots need the Python package {missing.name}"
        print(f"{needed}: docs/analysing-data.md says how to install it.", file=sys.stderr)
        sys.exit(REFUSED)


if __name__ == "__main__":
    main(*sys.argv[1:])
