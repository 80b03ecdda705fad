"""Stores the lines of records of all games in one table of oTree's database.

Lines are appended, never changed, and deleted only with their session, or if the only participant of a hand
withdraws (:mod:`cardlab.live.personal_data`). Each line has a digest of all lines up to it
(:mod:`cardlab.core.record_chain`).

Hand sockets write over a separate connection (:func:`socket_records`), because all of oTree shares one
connection and a rollback elsewhere would discard uncommitted lines. A page writes over oTree's connection
(:func:`page_records`), in the page's transaction. Nothing here awaits.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy
from otree.api import cu
from otree.common import get_models_module
from otree.database import IN_MEMORY, AnyModel, db, engine
from otree.models import BasePlayer, Participant
from sqlalchemy.orm.util import identity_key

from cardlab.core.record_chain import HandKey, RecordEnd, RecordLine
from cardlab.live.lock_timeout import TIMEOUT_MS
from cardlab.live.read_session import read_session
from cardlab.live.table_columns import owner_column
from cardlab.live.wal_checkpoints import disable_autocheckpoint, sync_commits
from cardlab.sessions.comment import add_sentence

HANDS_PER_QUERY = 500  # SQLite allowed at most 999 parameters before version 3.32

LINES = sqlalchemy.Table(
    "card_lab_line",
    AnyModel.metadata,
    sqlalchemy.Column("hand", sqlalchemy.String(200), primary_key=True),  # as exports name it: hand_id
    sqlalchemy.Column("number", sqlalchemy.Integer, primary_key=True, autoincrement=False),  # from 1
    owner_column("session"),
    sqlalchemy.Column("text", sqlalchemy.Text, nullable=False),  # cardlab.games.record
    sqlalchemy.Column("digest", sqlalchemy.String(32), nullable=False),
)


# ------------------------------------------------------------------ statements

_LAST = "SELECT number, digest FROM card_lab_line WHERE hand = :hand ORDER BY number DESC LIMIT 1"
_LAST_AND_PAGE = """
    SELECT person._index_in_pages, line.number, line.digest
    FROM otree_participant AS person
    LEFT JOIN card_lab_line AS line ON line.hand = :hand
        AND line.number = (SELECT max(number) FROM card_lab_line WHERE hand = :hand)
    WHERE person.id = :participant_id
"""
_ALL = "SELECT text, digest FROM card_lab_line WHERE hand = :hand ORDER BY number"
_ALL_ENDS = """
    SELECT line.hand, line.number, line.digest
    FROM card_lab_line AS line
    JOIN (SELECT hand, max(number) AS number FROM card_lab_line GROUP BY hand) AS last
    ON line.hand = last.hand AND line.number = last.number
"""
_OF_HANDS = "SELECT hand, text, digest FROM card_lab_line WHERE hand IN ({names}) ORDER BY hand, number"
_APPEND = """
    INSERT INTO card_lab_line (hand, number, session_id, text, digest)
    VALUES (:hand, :number, :session_id, :text, :digest)
"""
_COMMENT = "SELECT comment FROM otree_session WHERE id = :session_id"
_SET_COMMENT = "UPDATE otree_session SET comment = :comment WHERE id = :session_id"
# oTree stores amounts as text.
_PAYOFFS = """
    SELECT player._payoff, person.payoff
    FROM {table} AS player JOIN otree_participant AS person ON person.id = player.participant_id
    WHERE player.id = :player_id
"""
_POINTS = "SELECT _payoff FROM {table} WHERE participant_id = :participant_id"
_SET_PAYOFF = "UPDATE {table} SET _payoff = :paid WHERE id = :player_id"
_SET_TOTAL = "UPDATE otree_participant SET payoff = :total WHERE id = :participant_id"


@cache
def _for_psycopg2(statement: str) -> str:
    """Returns the statement with parameters in the style of PostgreSQL's driver."""
    return re.sub(r":(\w+)", r"%(\1)s", statement)


class Payee(NamedTuple):
    """A player who is paid for a hand; ``config`` is that of their treatment."""

    seat: str
    model: type[BasePlayer]
    player_id: int
    participant_id: int
    id_in_session: int
    config: Mapping[str, Any]


class Records:
    """The records, over one database connection.

    ``connect`` returns the driver's connection, because SQLAlchemy would take longer than the database.
    """

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """Returns all rows of a query with parameters such as ``:name``."""
        cursor, statement = self._cursor_and_statement(statement)
        with closing(cursor):
            cursor.execute(statement, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()  # an open statement would hold SQLite's lock
            return rows

    def write(self, statement: str, rows: list[Mapping[str, Any]]) -> None:
        """Executes a statement with the values of each row."""
        cursor, statement = self._cursor_and_statement(statement)
        with closing(cursor):
            cursor.executemany(statement, rows)

    @property
    def on_sqlite(self) -> bool:
        """Whether the database is SQLite; else it is PostgreSQL."""
        return isinstance(self._connect(), sqlite3.Connection)

    def _cursor_and_statement(self, statement: str) -> tuple[Any, str]:
        return self._connect().cursor(), statement if self.on_sqlite else _for_psycopg2(statement)

    def end(self, hand: str) -> RecordEnd:
        """Returns the end of a hand's record."""
        rows = self.rows(_LAST, hand=hand)
        return RecordEnd(*rows[0]) if rows else RecordEnd()

    def end_and_page(self, key: HandKey) -> tuple[RecordEnd, int] | None:
        """Returns the end of a hand's record and its participant's page index; None if they were deleted."""
        rows = self.rows(_LAST_AND_PAGE, hand=key.hand, participant_id=key.participant_id)
        if not rows:
            return None
        ((page_index, number, digest),) = rows
        return (RecordEnd(number, digest) if number else RecordEnd()), page_index

    def lines(self, hand: str) -> list[RecordLine]:
        """Returns all lines of a hand's record."""
        return [RecordLine(*row) for row in self.rows(_ALL, hand=hand)]

    def lines_of_hands(self, hands: Sequence[str]) -> dict[str, list[RecordLine]]:
        """Returns all lines of several hands' records, by hand; without the hands that have none."""
        lines: dict[str, list[RecordLine]] = {}
        for start in range(0, len(hands), HANDS_PER_QUERY):
            names = {f"hand{n}": hand for n, hand in enumerate(hands[start : start + HANDS_PER_QUERY])}
            statement = _OF_HANDS.format(names=", ".join(f":{name}" for name in names))
            for hand, *line in self.rows(statement, **names):
                lines.setdefault(hand, []).append(RecordLine(*line))
        return lines

    def append(self, key: HandKey, end: RecordEnd, lines: list[RecordLine]) -> None:
        """Appends lines to a record; fails if its end is no longer ``end``, so no line is written twice."""
        hand, session_id = key.hand, key.session_id
        self.write(
            _APPEND,
            [
                {"hand": hand, "number": number, "session_id": session_id, **line._asdict()}
                for number, line in enumerate(lines, end.lines + 1)
            ],
        )

    def otree_rows(self) -> AbstractContextManager[None]:
        """Returns the context in which oTree's rows can be read; on a page, one that does nothing."""
        return nullcontext()

    def tell_researcher(self, session_id: int, sentence: str) -> None:
        """Adds a sentence to the session's comment; the caller commits."""
        for (comment,) in self.rows(_COMMENT, session_id=session_id):
            if (new_comment := add_sentence(comment, sentence)) != comment:
                self.write(_SET_COMMENT, [{"session_id": session_id, "comment": new_comment}])

    def set_payoff(self, payee: Payee, points: float) -> None:
        """Sets a player's payoff, in points; changes the participant's total by the difference.

        Uses SQL, because oTree's ``player.payoff`` commits. Call it under oTree's lock, so that no other page
        has loaded these rows.
        """
        table, payoff = payee.model.__tablename__, Decimal(cu(points))
        if self._payoffs(payee)[0] != payoff:
            self._flush_otree()
            paid, total = self._payoffs(payee)
            difference = payoff - paid
            amounts = {"paid": str(paid + difference), "total": str(total + difference)}
            row = {"player_id": payee.player_id, "participant_id": payee.participant_id, **amounts}
            self.write(_SET_PAYOFF.format(table=table), [row])
            self.write(_SET_TOTAL, [row])
            self._expire_otree(payee)

    def points_by_app(self, payee: Payee) -> dict[str, Decimal]:
        """Returns a participant's points in each app; under "" those that belong to no player."""
        points = {}
        for app in payee.config["app_sequence"]:
            statement = _POINTS.format(table=get_models_module(app).Player.__tablename__)
            payoffs = self.rows(statement, participant_id=payee.participant_id)
            points[app] = sum((Decimal(payoff or 0) for (payoff,) in payoffs), Decimal(0))
        return {**points, "": self._payoffs(payee)[1] - sum(points.values())}

    def _payoffs(self, payee: Payee) -> tuple[Decimal, Decimal]:
        """Returns the payoffs of a player and of their participant, in points."""
        statement = _PAYOFFS.format(table=payee.model.__tablename__)
        ((paid, total),) = self.rows(statement, player_id=payee.player_id)
        return Decimal(paid or 0), Decimal(total or 0)

    def _flush_otree(self) -> None:
        """Flushes the pending changes of oTree's session."""
        db._db.flush()

    def _expire_otree(self, payee: Payee) -> None:
        """Makes oTree's session reload a payoff from the database."""
        rows = ((payee.model, payee.player_id, "_payoff"), (Participant, payee.participant_id, "payoff"))
        for model, number, column in rows:
            row = db._db.identity_map.get(identity_key(model, number))
            if row is not None:
                db._db.expire(row, [column])

    def commit(self) -> None:
        """Commits; also ends a transaction that only read."""
        self._connect().commit()

    def rollback(self) -> bool:
        """Rolls back to the last commit; returns whether the connection was replaced."""
        self._connect().rollback()
        return False


class _OwnConnection:
    """A connection separate from oTree's, replaced when it is lost."""

    def __init__(self) -> None:
        self._engine = sqlalchemy.create_engine(
            engine.url, poolclass=sqlalchemy.pool.NullPool, hide_parameters=True
        )
        self._raw_connection: Any = None

    def __call__(self) -> Any:
        if self._raw_connection is None:
            self._raw_connection = self._engine.raw_connection()
            if self._engine.dialect.name == "sqlite":
                self._raw_connection.execute("PRAGMA foreign_keys = on")
                self._raw_connection.execute(f"PRAGMA busy_timeout = {TIMEOUT_MS}")
                sync_commits(self._raw_connection)
                disable_autocheckpoint(self._raw_connection)
        return self._raw_connection.connection

    def drop(self) -> None:
        """Drops the connection; the next use opens another."""
        connection, self._raw_connection = self._raw_connection, None
        if connection is not None:
            connection.invalidate()


class _OwnRecords(Records):
    """Records over a separate connection, which is dropped if even a rollback fails."""

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
        except Exception:  # noqa: BLE001 drivers raise different errors for a lost connection
            self._connection.drop()
            return True


def committed_ends(hands: Iterable[str] | None = None) -> dict[str, RecordEnd]:
    """Returns the ends of the records of these hands, or of all, by hand.

    Reads over a new connection, which sees only what is committed. For a thread without oTree's lock.
    """
    connection = _OwnConnection()
    records = Records(connection)
    try:
        if hands is not None:
            return {hand: records.end(hand) for hand in hands}
        return {hand: RecordEnd(*end) for hand, *end in records.rows(_ALL_ENDS)}
    finally:
        connection.drop()


def page_records() -> Records:
    """Returns the records over oTree's session, for a page, an export or an admin's request."""
    return Records(lambda: db._db.connection().connection.connection)


def socket_records() -> Records:
    """Returns the records over a separate connection, for hand sockets.

    Bots use a database in memory, which a separate connection could not open.
    """
    if IN_MEMORY:
        return Records(lambda: engine.raw_connection().connection)
    return _OwnRecords(_OwnConnection())
