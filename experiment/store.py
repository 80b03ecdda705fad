"""Reading and writing a record in oTree's own database, fast, and sure before anybody is answered.

oTree shares one database connection among everything, and a rollback elsewhere would undo a write of
ours that is not committed yet. ``experiment.server`` keeps others off it while we write; as a safeguard
that costs little, :func:`write` still reads back after its commit and writes again if the line is gone.
Nothing here awaits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy
from otree.database import engine
from otree.models import Participant, Session

from experiment.seat import Key

_statements: dict[Any, Any] = {}
_connection = None


class NotWritten(Exception):
    """The database did not keep what was written to it."""


def _connected():
    global _connection
    if _connection is None:
        _connection = engine.connect().execution_options(compiled_cache=_statements)
    return _connection


@sqlalchemy.event.listens_for(engine, "connect")
def _forget(*_new_connection: Any) -> None:
    """oTree's one connection was made anew; ours stands on the old one, and must not close the new."""
    global _connection
    _connection = None


def _execute(statement, values: Any = ()):
    """Run a statement; again on a new connection if the database was restarted in the meantime.

    Each of ours may run twice: what it writes, it writes whole.
    """
    try:
        return _connected().execute(statement, values)
    except sqlalchemy.exc.DBAPIError as error:
        if not error.connection_invalidated:
            raise
        return _connected().execute(statement, values)


def _select(key: Key):
    table = Participant.metadata.tables[key.table]
    participant = Participant.__table__
    return sqlalchemy.select([table.c[key.column], participant.c._index_in_pages]).where(
        sqlalchemy.and_(
            table.c.id == sqlalchemy.bindparam("row_id"),
            participant.c.id == sqlalchemy.bindparam("participant_id"),
        )
    )


def _update(key: Key):
    table = Participant.metadata.tables[key.table]
    return (
        table.update()
        .where(table.c.id == sqlalchemy.bindparam("row_id"))
        .values({key.column: sqlalchemy.bindparam("text")})
    )


_built: dict[tuple[Any, str, str], Any] = {}


def _statement(build, key: Key):
    """The statement for this table and column: built once, so that its compiled form is found again."""
    kind = (build, key.table, key.column)
    if kind not in _built:
        _built[kind] = build(key)
    return _built[kind]


def read(key: Key) -> tuple[str, int] | None:
    """The record and the participant's page index, None if the row is gone (the session was deleted)."""
    ids = {"row_id": key.row_id, "participant_id": key.participant_id}
    found = _execute(_statement(_select, key), ids).first()
    return (found[0] or "", found[1]) if found else None


def write(key: Key, record: str) -> None:
    """Write and commit the record; when this returns, it is on disk. Raises NotWritten."""
    for _attempt in range(3):
        # SQLAlchemy commits an UPDATE that is executed outside a transaction of its own.
        _execute(_statement(_update, key), {"row_id": key.row_id, "text": record})
        found = read(key)
        if found and found[0] == record:
            return
    raise NotWritten(f"{key} was rolled back three times")


def end_transaction() -> None:
    """End the transaction that reading began (PostgreSQL keeps one open until told otherwise)."""
    _connected().connection.commit()


class Earlier(NamedTuple):
    """All that one participant has played in an app so far."""

    id_in_session: int
    session_id: int
    created_ms: int  # when the session was created, Unix milliseconds
    records: dict[int, str]  # round number → record, rounds not begun left out


def earlier_hands(table: str, participant_code: str) -> Earlier:
    """Read a participant's records of an app, for logs that are made anew when the server starts."""
    rows, people = Participant.metadata.tables[table], Participant.__table__
    sessions = Session.__table__
    columns = [people.c.id_in_session, sessions.c.id, sessions.c._created, rows.c.round_number, rows.c.record]
    found = _execute(
        sqlalchemy.select(columns)
        .where(people.c.code == participant_code)
        .where(rows.c.participant_id == people.c.id)
        .where(sessions.c.id == people.c.session_id)
        .order_by(rows.c.round_number)
    ).fetchall()
    id_in_session, session_id, created, _number, _record = found[0]
    records = {number: record for *_, number, record in found if record}
    return Earlier(id_in_session, session_id, round(created * 1000), records)


def tell_researcher(session_id: int, sentence: str) -> None:
    """Add a sentence to the session's comment, which the admin pages show; each only once."""
    sessions = Session.__table__
    said = _execute(sqlalchemy.select([sessions.c.comment]).where(sessions.c.id == session_id)).scalar()
    if sentence not in (said or ""):
        comment = f"{said or ''}\n{sentence}".strip()
        _execute(sessions.update().where(sessions.c.id == session_id).values(comment=comment))
