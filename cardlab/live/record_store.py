"""Stores the lines of records, in one table that all games share, in oTree's own database.

A line is added and never changed; only the deletion of its session deletes it. Each line has a digest of all
lines up to it (:mod:`cardlab.core.record_chain`).

The hand socket writes over a connection of its own (:func:`socket_records`): all of oTree shares one
connection, and a rollback elsewhere would undo what is not committed yet. A page writes over oTree's
connection (:func:`page_records`): what it adds is committed with the page, or not at all. Nothing here
awaits.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy
from otree.api import cu
from otree.database import IN_MEMORY, AnyModel, db, engine
from otree.models import BasePlayer, Participant
from sqlalchemy.orm.util import identity_key

from cardlab.core.record_chain import HandKey, RecordEnd, RecordLine
from cardlab.live.lock_timeout import TIMEOUT_MS
from cardlab.live.read_session import read_session
from cardlab.live.wal_checkpoints import disable_autocheckpoint
from cardlab.sessions.comment import add_sentence

LINES = sqlalchemy.Table(
    "card_lab_line",
    AnyModel.metadata,
    sqlalchemy.Column("hand", sqlalchemy.String(200), primary_key=True),  # as exports name it: hand_id
    sqlalchemy.Column("number", sqlalchemy.Integer, primary_key=True, autoincrement=False),  # from 1
    sqlalchemy.Column(
        "session_id",
        sqlalchemy.ForeignKey("otree_session.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    sqlalchemy.Column("text", sqlalchemy.Text, nullable=False),  # cardlab.games.record
    sqlalchemy.Column("digest", sqlalchemy.String(32), nullable=False),
)


# ------------------------------------------------------------------ the statements

_LAST = "SELECT number, digest FROM card_lab_line WHERE hand = :hand ORDER BY number DESC LIMIT 1"
_LAST_AND_PAGE = """
    SELECT person._index_in_pages, line.number, line.digest
    FROM otree_participant AS person
    LEFT JOIN card_lab_line AS line ON line.hand = :hand
        AND line.number = (SELECT max(number) FROM card_lab_line WHERE hand = :hand)
    WHERE person.id = :participant_id
"""
_ALL = "SELECT text, digest FROM card_lab_line WHERE hand = :hand ORDER BY number"
_APPEND = """
    INSERT INTO card_lab_line (hand, number, session_id, text, digest)
    VALUES (:hand, :number, :session_id, :text, :digest)
"""
_COMMENT = "SELECT comment FROM otree_session WHERE id = :session_id"
_SET_COMMENT = "UPDATE otree_session SET comment = :comment WHERE id = :session_id"
# oTree keeps amounts as text.
_PAYOFFS = """
    SELECT player._payoff, person.payoff
    FROM {table} AS player JOIN otree_participant AS person ON person.id = player.participant_id
    WHERE player.id = :player_id
"""
_SET_PAYOFF = "UPDATE {table} SET _payoff = :paid WHERE id = :player_id"
_SET_TOTAL = "UPDATE otree_participant SET payoff = :total WHERE id = :participant_id"


@cache
def _for_psycopg2(statement: str) -> str:
    """Returns the statement with its parameters as PostgreSQL's driver writes them."""
    return re.sub(r":(\w+)", r"%(\1)s", statement)


class Payee(NamedTuple):
    """A player who is paid for a hand; ``config`` is the one of their treatment."""

    seat: str
    model: type[BasePlayer]
    player_id: int
    participant_id: int
    id_in_session: int
    config: Mapping[str, Any]


class Records:
    """The records over one database connection; what is added is on disk after a commit."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        """``connect`` returns the driver's connection; SQLAlchemy would take longer than the database."""
        self._connect = connect

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """Returns all rows of a query, whose parameters are written ``:name``."""
        cursor, statement = self._prepared(statement)
        with closing(cursor):
            cursor.execute(statement, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()  # all: an open statement holds SQLite's lock
            return rows

    def write(self, statement: str, rows: list[Mapping[str, Any]]) -> None:
        """Executes a statement with the values of each row."""
        cursor, statement = self._prepared(statement)
        with closing(cursor):
            cursor.executemany(statement, rows)

    def _prepared(self, statement: str) -> tuple[Any, str]:
        connection = self._connect()
        on_sqlite = isinstance(connection, sqlite3.Connection)
        return connection.cursor(), statement if on_sqlite else _for_psycopg2(statement)

    def end(self, hand: str) -> RecordEnd:
        """Returns the end of a hand's record."""
        rows = self.rows(_LAST, hand=hand)
        return RecordEnd(*rows[0]) if rows else RecordEnd()

    def end_and_page(self, key: HandKey) -> tuple[RecordEnd, int] | None:
        """Returns the end of a hand's record, and the index of its participant's page.

        None without participant: the session was deleted.
        """
        rows = self.rows(_LAST_AND_PAGE, hand=key.hand, participant_id=key.participant_id)
        if not rows:
            return None
        ((page_index, number, digest),) = rows
        return (RecordEnd(number, digest) if number else RecordEnd()), page_index

    def lines(self, hand: str) -> list[RecordLine]:
        """Returns all lines of a hand's record."""
        return [RecordLine(*row) for row in self.rows(_ALL, hand=hand)]

    def append(self, key: HandKey, end: RecordEnd, lines: list[RecordLine]) -> None:
        """Adds lines to the record with this end; fails if it has another, so no line is written twice."""
        hand, session_id = key.hand, key.session_id
        self.write(
            _APPEND,
            [
                {"hand": hand, "number": number, "session_id": session_id, **line._asdict()}
                for number, line in enumerate(lines, end.lines + 1)
            ],
        )

    def otree_rows(self) -> AbstractContextManager[None]:
        """Returns the context in which oTree's own rows may be read; on its pages they may be anyway."""
        return nullcontext()

    def tell_researcher(self, session_id: int, sentence: str) -> None:
        """Adds a sentence to the session's comment over this connection; the caller commits."""
        for (comment,) in self.rows(_COMMENT, session_id=session_id):
            if (longer := add_sentence(comment, sentence)) != comment:
                self.write(_SET_COMMENT, [{"session_id": session_id, "comment": longer}])

    def set_payoff(self, payee: Payee, points: float) -> None:
        """Sets what a player has earned, in points; the participant's sum changes by the difference.

        Written in SQL, because oTree's ``player.payoff`` commits. Only under oTree's lock, so that no other
        page has loaded these rows.
        """
        self._flush_otree()
        table = payee.model.__tablename__
        ((paid, total),) = self.rows(_PAYOFFS.format(table=table), player_id=payee.player_id)
        paid, total = Decimal(paid or 0), Decimal(total or 0)
        more = Decimal(cu(points)) - paid
        if more:
            amounts = {"paid": str(paid + more), "total": str(total + more)}
            row = {"player_id": payee.player_id, "participant_id": payee.participant_id, **amounts}
            self.write(_SET_PAYOFF.format(table=table), [row])
            self.write(_SET_TOTAL, [row])
            self._expire_otree(payee)

    def _flush_otree(self) -> None:
        """Writes what oTree's session has changed in memory only."""
        db._db.flush()

    def _expire_otree(self, payee: Payee) -> None:
        """Makes oTree's session read a payoff from the database again."""
        rows = ((payee.model, payee.player_id, "_payoff"), (Participant, payee.participant_id, "payoff"))
        for model, number, column in rows:
            row = db._db.identity_map.get(identity_key(model, number))
            if row is not None:
                db._db.expire(row, [column])

    def commit(self) -> None:
        """Commits what was added; also ends a transaction that only read."""
        self._connect().commit()

    def rollback(self) -> bool:
        """Discards what was added since the last commit; returns whether the connection was replaced."""
        self._connect().rollback()
        return False


class _OwnConnection:
    """A connection besides oTree's, replaced when the database was restarted."""

    def __init__(self) -> None:
        self._engine = sqlalchemy.create_engine(
            engine.url, poolclass=sqlalchemy.pool.NullPool, hide_parameters=True
        )
        self._held: Any = None

    def __call__(self) -> Any:
        if self._held is None:
            self._held = self._engine.raw_connection()
            if self._engine.dialect.name == "sqlite":
                self._held.execute("PRAGMA foreign_keys = on")
                self._held.execute(f"PRAGMA busy_timeout = {TIMEOUT_MS}")
                disable_autocheckpoint(self._held)
        return self._held.connection

    def drop(self) -> None:
        """Drops the connection; the next use makes another."""
        held, self._held = self._held, None
        if held is not None:
            held.invalidate()


class _OwnRecords(Records):
    """Records over an own connection, which is dropped if it cannot even roll back."""

    def __init__(self, connection: _OwnConnection) -> None:
        super().__init__(connection)
        self._connection = connection

    def otree_rows(self) -> AbstractContextManager[None]:
        return read_session()

    def _flush_otree(self) -> None:
        """Does nothing, because oTree's session is not used."""

    def _expire_otree(self, payee: Payee) -> None:
        """Does nothing, because oTree's pages begin with a new session."""

    def rollback(self) -> bool:
        try:
            return super().rollback()
        except Exception:  # noqa: BLE001 whatever the driver raises for a lost connection
            self._connection.drop()
            return True


def page_records() -> Records:
    """Returns the records over oTree's own session: in a page, an export, an admin's request."""
    return Records(lambda: db._db.connection().connection.connection)


def socket_records() -> Records:
    """Returns the records over a connection of their own, for the hand socket.

    Bots keep everything in memory, where another connection would find another database.
    """
    if IN_MEMORY:
        return Records(lambda: engine.raw_connection().connection)
    return _OwnRecords(_OwnConnection())
