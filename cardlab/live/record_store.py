"""Where records are kept: their lines, in one table that all games share, in oTree's own database.

A line is added and never changed; it goes with its session and with nothing else. Each carries a digest of
all the lines up to it, so that whoever remembers a hand knows by one look at its last line whether it still
stands so on disk, and a line that is not as it was written is found when it is read.

The socket writes over a connection of its own (:func:`socket_records`): oTree shares its one connection among
everything, and a rollback elsewhere would undo what is not committed yet. A page writes over oTree's
(:func:`page_records`): what it adds is committed with the page, or not at all. Nothing here awaits.
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

from cardlab.core.record_chain import End, Key, Line
from cardlab.live.lock_timeout import MILLISECONDS
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
    """The statement with its parameters as PostgreSQL's driver writes them."""
    return re.sub(r":(\w+)", r"%(\1)s", statement)


class Payee(NamedTuple):
    """A player who is paid for a hand, as far as paying needs them; ``config`` as it holds for them."""

    seat: str
    model: type[BasePlayer]
    player_id: int
    participant_id: int
    id_in_session: int
    config: Mapping[str, Any]


class Records:
    """The records as one connection of the database sees them; what is added is on disk after a commit."""

    def __init__(self, connected: Callable[[], Any]) -> None:
        """``connected`` gives the driver's own connection: SQLAlchemy would take longer over a statement than
        the database does."""
        self._connected = connected

    def rows(self, statement: str, **values: Any) -> list[tuple]:
        """What a statement finds; its parameters are named ``:so``."""
        cursor, statement = self._prepared(statement)
        with closing(cursor):
            cursor.execute(statement, values)
            return cursor.fetchall()  # all: a statement not read to its end would hold SQLite up

    def write(self, statement: str, rows: list[Mapping[str, Any]]) -> None:
        """Do a statement with the values of each row."""
        cursor, statement = self._prepared(statement)
        with closing(cursor):
            cursor.executemany(statement, rows)

    def _prepared(self, statement: str) -> tuple[Any, str]:
        connection = self._connected()
        on_sqlite = isinstance(connection, sqlite3.Connection)
        return connection.cursor(), statement if on_sqlite else _for_psycopg2(statement)

    def end(self, hand: str) -> End:
        """The end of a hand's record."""
        found = self.rows(_LAST, hand=hand)
        return End(*found[0]) if found else End()

    def end_and_page(self, key: Key) -> tuple[End, int] | None:
        """The end of a hand's record, and the index of the page that its participant is on; None if the
        participant is gone (the session was deleted)."""
        found = self.rows(_LAST_AND_PAGE, hand=key.hand, participant_id=key.participant_id)
        if not found:
            return None
        ((page_index, number, digest),) = found
        return (End(number, digest) if number else End()), page_index

    def lines(self, hand: str) -> list[Line]:
        """All lines of a hand's record."""
        return [Line(*row) for row in self.rows(_ALL, hand=hand)]

    def append(self, key: Key, end: End, lines: list[Line]) -> None:
        """Add lines to the record that ends so. Fails if it does not: no line is written twice."""
        hand, session_id = key.hand, key.session_id
        self.write(
            _APPEND,
            [
                {"hand": hand, "number": number, "session_id": session_id, **line._asdict()}
                for number, line in enumerate(lines, end.lines + 1)
            ],
        )

    def otree_rows(self) -> AbstractContextManager[None]:
        """Where oTree's own rows may be looked at: on its pages they may be anyway."""
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
        """Makes oTree's session read a payoff anew."""
        rows = ((payee.model, payee.player_id, "_payoff"), (Participant, payee.participant_id, "payoff"))
        for model, number, column in rows:
            row = db._db.identity_map.get(identity_key(model, number))
            if row is not None:
                db._db.expire(row, [column])

    def commit(self) -> None:
        """Have all that was added on disk. Ends what reading began, too."""
        self._connected().commit()

    def rollback(self) -> bool:
        """Forget what was added since the last commit; whether the connection was gone and is made anew."""
        self._connected().rollback()
        return False


class _Apart:
    """A connection beside oTree's, made anew when the database was restarted."""

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
                self._held.execute(f"PRAGMA busy_timeout = {MILLISECONDS}")
                disable_autocheckpoint(self._held)
        return self._held.connection

    def drop(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.invalidate()


class _RecordsApart(Records):
    """Records over a connection of one's own: one that cannot even roll back is dropped."""

    def __init__(self, apart: _Apart) -> None:
        super().__init__(apart)
        self._apart = apart

    def otree_rows(self) -> AbstractContextManager[None]:
        return read_session()

    def _flush_otree(self) -> None:
        """Nothing: oTree's session is not used."""

    def _expire_otree(self, payee: Payee) -> None:
        """Nothing: oTree's pages begin with a new session."""

    def rollback(self) -> bool:
        try:
            return super().rollback()
        except Exception:  # noqa: BLE001 whatever the driver says of a connection that is gone
            self._apart.drop()
            return True


def page_records() -> Records:
    """Returns the records as oTree's own session sees them, in a page, an export, an admin's request."""
    return Records(lambda: db._db.connection().connection.connection)


def socket_records() -> Records:
    """Returns the records over a connection of their own, for the hand socket.

    Bots keep everything in memory, where another connection would find another database.
    """
    return Records(lambda: engine.raw_connection().connection) if IN_MEMORY else _RecordsApart(_Apart())
