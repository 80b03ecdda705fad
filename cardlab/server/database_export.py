"""Exports a database file: ``python -m cardlab.server.database_export FILE FOLDER [SESSION]``.

``lab.py export --database`` starts it with a copy of the database, which is upgraded for these exports. They
need less than a server: other pages, removed fields and records of versions before 0.4 do not matter.

Prints a line of JSON with a list of :class:`Written`.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from otree.main import setup
from sqlalchemy.engine import Connection
from sqlalchemy.engine.url import make_url

PAYMENTS, NOTICES = "payments", "notices"


class Written(NamedTuple):
    """An export: its session, app and function, its file, and the reason if it could not be made.

    Without a ``function``, it is oTree's own export of the app. Without an ``app``, it is one of the session:
    ``kind`` is oTree's view, ``payments`` or ``notices``.
    """

    session: str
    kind: str
    app: str
    function: str
    file: str
    reason: str


def prepare_copy(database: Connection) -> None:
    """Adds what this version's exports need, within the transaction of ``database``."""
    from cardlab.server import upgrade
    from cardlab.server.schema import compare

    upgrade.app_pages()  # loads the apps
    difference = compare(upgrade.needed_schema(database.dialect), upgrade.existing_schema(database))
    upgrade.upgrade(database, upgrade.Plan("0", difference, dict(upgrade.completed_configs(database))))


def convert_records(database: Connection) -> None:
    """Copies records from fields of the apps, as versions before 0.4 stored them, to the table of lines."""
    from otree import settings

    from cardlab.server.upgrade import existing_schema

    tables = existing_schema(database)
    for app in settings.OTREE_APPS:
        for kind, column in (("player", "record"), ("group", "record"), ("player", "tutorial")):
            table = f"{app}_{kind}"
            if table in tables and column in tables[table].columns:
                rows = database.execute(f"SELECT id, {column} FROM {table}")  # noqa: S608 known names
                records = {row[0]: row[1] for row in rows.fetchall() if row[1]}
                _store_records(app, "group_id" if kind == "group" else "id", column, records)


def _store_records(app: str, key: str, column: str, records: dict[int, str]) -> None:
    from otree.common import get_models_module
    from otree.database import db

    from cardlab.core.record_chain import HandKey, RecordEnd, chain
    from cardlab.live.lab import LAB

    module = get_models_module(app)
    page = module.Instructions if column == "tutorial" else module.Hand
    for player in db.query(module.Player).order_by(module.Player.id.desc()):
        if record := records.pop(getattr(player, key), ""):
            hand = page.hand_id(player)
            LAB.page_records.append(
                HandKey(hand, player.session_id, player.participant_id),
                RecordEnd(),
                chain(hand, "", record.splitlines()),
            )


def exports_of(session: Any) -> Iterator[tuple[str, str, str]]:
    """Yields the kind, app and function of each export of a session."""
    from otree import settings
    from otree.export import get_custom_export_functions

    yield "ExportPageTimes", "", ""
    for app in session.config["app_sequence"]:
        yield "ExportApp", app, ""
        if app in settings.OTREE_APPS:
            yield from (("ExportAppCustom", app, name) for name in sorted(get_custom_export_functions(app)))
    yield PAYMENTS, "", ""
    yield NOTICES, "", ""
    yield "ExportBrowserEvents", "", ""
    yield "ExportWide", "", ""


def write_export(session: Any, kind: str, app: str, function: str, file: Path) -> None:
    """Writes one export of a session."""
    from otree import settings

    from cardlab.admin.monitor_views import notice_rows
    from cardlab.admin.payments import payment_rows
    from cardlab.exports import worker

    if app and app not in settings.OTREE_APPS:
        raise LookupError("no session config has this app any more")
    if kind in (PAYMENTS, NOTICES):
        rows = payment_rows(session) if kind == PAYMENTS else notice_rows(session)
        with open(file, "w", encoding="utf-8", newline="") as text:
            csv.writer(text).writerows(rows)
        return
    query = {"session_code": session.code, "app": app, "function_name": function}
    worker.write_export(kind, {name: value for name, value in query.items() if value}, file)


def export_sessions(folder: Path, only: str) -> Iterator[Written]:
    """Writes the exports of all sessions except those of the demo page, or of the session ``only``."""
    from otree.models import Session

    conditions = {"code": only} if only else {"is_demo": False}
    for session in Session.objects_filter(**conditions).order_by(Session.id):
        print(f"Session {session.code} …", file=sys.stderr, flush=True)
        for number, (kind, app, function) in enumerate(exports_of(session)):
            file, reason = folder / f"{session.code}-{number}", ""
            try:
                write_export(session, kind, app, function, file)
            except Exception as error:  # noqa: BLE001 an app of the researcher's own may raise anything
                reason = f"{type(error).__name__}: {error}".splitlines()[0]
            yield Written(session.code, kind, app, function, str(file), reason)


def main(file: str, folder: str, only: str = "") -> None:
    """Upgrades the copy and writes the exports."""
    from otree.database import DBSession, db

    from cardlab.server.upgrade import connect

    engine = connect(make_url(f"sqlite:///{file}"))
    with engine.begin() as database:
        prepare_copy(database)
    db._db = DBSession(bind=engine, autoflush=False)
    convert_records(db._db.connection())
    db.commit()
    print(json.dumps(list(export_sessions(Path(folder), only))))
    db.close()


if __name__ == "__main__":
    setup()  # in memory (lab.py says so): to know the tables and exports of the apps
    main(*sys.argv[1:])
