"""A session's report, drawn beside the server: ``python -m experiment.report_child SESSION APP FOLDER``.

Started by :mod:`experiment.admin_report`, in the server's folder and environment. Writes the table of
actions, the very export of oTree, into ``FOLDER``, has ``python -m analysis report`` draw ``FOLDER/report``
from it, and ends; with ``ROUND HAND SEAT`` after these, ``python -m analysis replay`` draws that hand so far,
from the table of its round. It ends with ``REFUSED`` after one line on stderr, ``NOTHING_PLAYED`` if there is
no hand yet. Stdout has a line for each stage: its name, and the time in Unix milliseconds.

The database is read over a connection of this process that cannot write. oTree itself is given an empty
database in memory (the environment says so), where it may make its tables.
"""

from __future__ import annotations

import csv
import os
import runpy
import shutil
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from experiment.clock import now_ms

READING, DRAWING = "reading", "drawing"  # the stages
REFUSED, NOTHING_PLAYED, ENDED = 2, 3, 143  # exit codes
RESULT = "report"  # the folder that is drawn into
REPLAY = "replay.html"  # in it, where a hand is replayed


def step_back() -> None:
    """Let everybody else go first; on Windows the server has seen to it."""
    if hasattr(os, "nice"):
        os.nice(10)


def end_with_the_server(folder: str) -> None:
    """Clear the folder away and end at once when the server is gone or everything is told to stop."""

    def end(*_signal) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(ENDED)

    def wait() -> None:
        os.read(0, 1)  # nothing ever comes, until the server's end of the pipe is closed
        end()

    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=wait, daemon=True).start()


def progress() -> Callable[[str], None]:
    """What tells the stages on stdout. Whatever else is printed goes to stderr from now on."""
    told = os.dup(1)
    os.dup2(2, 1)
    return lambda stage: os.write(told, f"{stage} {now_ms()}\n".encode()) and None


def read_only():
    """An engine for what the server's database holds now, which cannot write to it."""
    import sqlalchemy
    from otree.database import DB_FILE
    from sqlalchemy.pool import NullPool, StaticPool

    url = os.environ.get("DATABASE_URL", "sqlite:")
    if url.startswith("sqlite"):  # oTree, too, takes no other file
        return sqlalchemy.create_engine("sqlite://", creator=lambda: copied(DB_FILE), poolclass=StaticPool)
    engine = sqlalchemy.create_engine(url, poolclass=NullPool)

    @sqlalchemy.event.listens_for(engine, "connect")
    def restrict(connection, _record) -> None:
        connection.set_session("REPEATABLE READ", readonly=True)

    return engine


def copied(file: str) -> sqlite3.Connection:
    """The database as it stands, in memory.

    As long as somebody reads the file SQLite cannot empty its write-ahead log, and commits come to wait for
    the disk; a copy takes some milliseconds, an export seconds.
    """
    memory = sqlite3.connect(":memory:", check_same_thread=False)
    with closing(sqlite3.connect(Path(file).resolve().as_uri() + "?mode=ro", uri=True)) as source:
        source.backup(memory)
    return memory


def write_actions(session: str, app: str, file: Path, round_number: int | None = None) -> bool:
    """Write the table of actions of an app, or of one round; False if nothing has been played."""
    import otree.main

    otree.main.setup()
    from otree.database import DBSession, NoResultFound, db
    from otree.export import custom_export_app

    db._db = DBSession(bind=read_only())
    try:
        with open(file, "w", encoding="utf-8", newline="") as table:
            if round_number is None:
                custom_export_app(app, table, session_code=session)
            else:
                csv.writer(table).writerows(_of_round(session, app, round_number))
    except NoResultFound:
        print(f"There is no session {session} any more.", file=sys.stderr)
        sys.exit(REFUSED)
    finally:
        db.close()
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
    tell = progress()
    tell(READING)
    actions, result = Path(folder, "actions.csv"), Path(folder, RESULT)
    if not write_actions(session, app, actions, int(hand[0]) if hand else None):
        sys.exit(NOTHING_PLAYED)
    tell(DRAWING)
    if hand:
        result.mkdir()
        of_hand = ["--hand", hand[1], "--seat", hand[2]]
        sys.argv = ["analysis", "replay", str(actions), *of_hand, "-o", str(result / REPLAY)]
    else:
        # No search for the best play of each deal: for a hundred participants it would take an hour.
        sys.argv = ["analysis", "report", str(actions), "--out", str(result), "--time-limit", "0"]
    try:
        runpy.run_module("analysis", run_name="__main__", alter_sys=True)
    except ModuleNotFoundError as missing:
        needed = f"The plots need the Python package {missing.name}"
        print(f"{needed}: docs/analysing-data.md says how to install it.", file=sys.stderr)
        sys.exit(REFUSED)


if __name__ == "__main__":
    main(*sys.argv[1:])
