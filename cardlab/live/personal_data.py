"""Removes a withdrawn participant's data from a database: the server's, or a backup of any version.

An empty row stays in each of oTree's tables, because oTree counts participants and players. It has a random
code, the pseudonym, and nothing that leads back to the participant. The participant's own hands are deleted.
The record of a hand with several seats is kept, because it belongs to the co-players too; there the seat has
the pseudonym.

A row of ``card_lab_withdrawal`` has a keyed hash of the code that withdrew, and the amount to pay. It does
not lead to the empty row. Everything is written in the caller's transaction. The schema is read from the
database, so that columns of removed fields and apps are emptied too.
"""

from __future__ import annotations

import secrets
import string
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import sqlalchemy
from otree.database import AnyModel, _PickleField
from sqlalchemy.dialects import postgresql, sqlite

from cardlab.games.text_file import quote
from cardlab.games.treatments import treatment_file_name
from cardlab.live import notices
from cardlab.live.record_store import Records
from cardlab.live.table_columns import owner_column
from cardlab.sessions import study_register
from cardlab.sessions.arrival import WITHDRAWN
from cardlab.sessions.treatment_assignment import PLACE
from cardlab.sessions.treatments import TREATMENT

CODE_LENGTH = 8  # of a participant's code, as oTree makes it
BY_WITHDRAWAL = "withdrew"  # the text of the dropout of a participant who withdrew

WITHDRAWALS = sqlalchemy.Table(
    "card_lab_withdrawal",
    AnyModel.metadata,
    sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True),
    owner_column("session"),
    sqlalchemy.Column("code_hash", sqlalchemy.String(64), nullable=False),
    # The open payment; all "" once it is paid.
    sqlalchemy.Column("code", sqlalchemy.String(16), nullable=False),
    sqlalchemy.Column("label", sqlalchemy.String(100), nullable=False),
    sqlalchemy.Column("total", sqlalchemy.String(40), nullable=False),  # money, as a decimal number
)

# Columns that an empty row keeps: they place it in its session, its group and the order of pages.
_KEPT_OF_PARTICIPANT = {
    *("id", "session_id", "id_in_session", "_session_code", "_max_page_index", "_is_bot", "is_browser_bot"),
    *("_gbat_page_index", "_gbat_grouped"),
}
_KEPT_OF_PLAYER = {
    *("id", "session_id", "subsession_id", "group_id", "participant_id", "round_number"),
    *("id_in_group", "_role", "seat"),
}

_PARTICIPANT = """
    SELECT person.id, person.session_id, person.label, person._vars, person._max_page_index,
        session.code, session.config, session.comment
    FROM otree_participant AS person JOIN otree_session AS session ON session.id = person.session_id
    WHERE person.code = :code
"""
_OWN_HANDS = """
    SELECT DISTINCT hand FROM card_lab_line
    WHERE session_id = :session_id AND (hand LIKE :begun OR hand LIKE :ended)
"""
_DELETE_HAND = "DELETE FROM card_lab_line WHERE hand = :hand"
_PAGE_TIMES = "SELECT id, text FROM otree_pagetimebatch WHERE text LIKE :pattern"
_SET_PAGE_TIMES = "UPDATE otree_pagetimebatch SET text = :text WHERE id = :id"
_SET_COMMENT = "UPDATE otree_session SET comment = :comment WHERE id = :id"
_DELETE_TASKS = "DELETE FROM otree_taskqueuemessage WHERE kwargs_json LIKE :pattern"
_DELETE_VARS = "DELETE FROM otree_participantvarsfromrest WHERE participant_label = :label"
_DELETE_ENTRY = "DELETE FROM card_lab_study_label WHERE id = :entry"
_DELETE_ENTRIES = "DELETE FROM card_lab_study_label WHERE session = :session AND label = :label"
_LABELS = "SELECT label FROM otree_participant WHERE session_id = :session_id AND label IS NOT NULL"
_ADD = """
    INSERT INTO card_lab_withdrawal (session_id, code_hash, code, label, total)
    VALUES (:session_id, :code_hash, :code, :label, :total)
"""
_FIND = "SELECT session_id, code, label, total FROM card_lab_withdrawal WHERE code_hash = :code_hash"
_OF_SESSION = """
    SELECT session_id, code, label, total FROM card_lab_withdrawal WHERE session_id = :session_id ORDER BY id
"""
_PAY = """
    UPDATE card_lab_withdrawal SET code = '', label = '', total = '' WHERE code_hash = :code_hash
"""
_HASHES = "SELECT code_hash FROM card_lab_withdrawal"
_EMPTY_ROWS = "SELECT code FROM otree_participant WHERE status = :status"

# The statement that creates WITHDRAWALS like oTree, by whether the database is SQLite.
_CREATE = {
    on_sqlite: f"""
        CREATE TABLE card_lab_withdrawal (
            id {"INTEGER" if on_sqlite else "SERIAL"} NOT NULL PRIMARY KEY,
            session_id INTEGER NOT NULL REFERENCES otree_session (id) ON DELETE CASCADE,
            code_hash VARCHAR(64) NOT NULL,
            code VARCHAR(16) NOT NULL,
            label VARCHAR(100) NOT NULL,
            total VARCHAR(40) NOT NULL
        )
    """
    for on_sqlite in (True, False)
}

# Names of tables and columns come from the database's schema.
_FIND_ROWS = 'SELECT id FROM "{table}" WHERE "{column}" = :key'
_DELETE_ROWS = 'DELETE FROM "{table}" WHERE "{column}" = :key'
_EMPTY = 'UPDATE "{table}" SET {cells} WHERE "{column}" = :key'

_COLUMNS_OF_SQLITE = """
    SELECT tables.name, columns.name, columns."notnull"
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'
"""
_LINKS_OF_SQLITE = """
    SELECT tables.name, links."from", links."table"
    FROM sqlite_master AS tables, pragma_foreign_key_list(tables.name) AS links WHERE tables.type = 'table'
"""
_COLUMNS_OF_POSTGRES = """
    SELECT table_name, column_name, CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END
    FROM information_schema.columns WHERE table_schema = current_schema()
"""
_LINKS_OF_POSTGRES = """
    SELECT child.relname, col.attname, parent.relname
    FROM pg_constraint AS link
    JOIN pg_class AS child ON child.oid = link.conrelid
    JOIN pg_class AS parent ON parent.oid = link.confrelid
    JOIN pg_namespace AS space ON space.oid = link.connamespace AND space.nspname = current_schema()
    JOIN pg_attribute AS col ON col.attrelid = link.conrelid AND col.attnum = link.conkey[1]
    WHERE link.contype = 'f'
"""


class Payment(NamedTuple):
    """The payment of a participant who withdrew: code, label and total in money; "" if there is none."""

    code: str = ""
    label: str = ""
    total: str = ""


class Removed(NamedTuple):
    """The result of a removal: the session's id, the ids of deleted hands, and the changed tables."""

    session_id: int
    hands: list[str]
    tables: list[str]


class Link(NamedTuple):
    """A foreign key: its table and column."""

    table: str
    column: str


def new_pseudonym() -> str:
    """Returns a random code, like those of participants."""
    return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(CODE_LENGTH))


def hash_code(code: str) -> str:
    """Returns the keyed hash of a participant's code."""
    return study_register.keyed_hash(f"withdrawn {code}")


def without_person(row: str, code: str) -> bool:
    """Returns whether a row of oTree's page times is not about the participant with this code."""
    return row.split(",")[2:3] != [code]


class Database:
    """A database whose schema is read when it is first needed; ``records`` is its connection."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self._dialect: Any = sqlite.dialect() if records.on_sqlite else postgresql.dialect()

    @cached_property
    def columns(self) -> Mapping[str, Mapping[str, bool]]:
        """The columns of each table, and whether they are NOT NULL."""
        tables: dict[str, dict[str, bool]] = defaultdict(dict)
        statement = _COLUMNS_OF_SQLITE if self.records.on_sqlite else _COLUMNS_OF_POSTGRES
        for table, column, needs_value in self.records.rows(statement):
            tables[table][column] = bool(needs_value)
        return tables

    @cached_property
    def links(self) -> Mapping[str, Sequence[Link]]:
        """The foreign keys that refer to each table."""
        links: dict[str, list[Link]] = defaultdict(list)
        statement = _LINKS_OF_SQLITE if self.records.on_sqlite else _LINKS_OF_POSTGRES
        for table, column, parent in self.records.rows(statement):
            links[parent].append(Link(table, column))
        return links

    def create_missing_table(self) -> None:
        """Creates the table of withdrawals in a database of an older version."""
        if WITHDRAWALS.name not in self.columns:
            self.records.write(_CREATE[self.records.on_sqlite], [{}])

    def delete_rows(self, link: Link, parent_id: int) -> None:
        """Deletes, recursively, the rows that refer to this row by a foreign key."""
        self.delete_children(link, parent_id)
        self.records.write(_DELETE_ROWS.format(**link._asdict()), [{"key": parent_id}])

    def delete_children(self, link: Link, parent_id: int) -> None:
        """Deletes, recursively, the rows that refer to the rows whose foreign key is ``parent_id``."""
        children = self.links.get(link.table, ())
        if not children or "id" not in self.columns[link.table]:
            return
        for (row_id,) in self.records.rows(_FIND_ROWS.format(**link._asdict()), key=parent_id):
            for child in children:
                self.delete_rows(child, row_id)

    def empty_rows(self, table: str, kept: set[str], where: Link, key: int, **values: Any) -> None:
        """Sets all columns of rows, except ``kept``, to their defaults or to ``values``."""
        cells = {
            column: values[column] if column in values else self._initial(table, column, needs_value)
            for column, needs_value in self.columns[table].items()
            if column not in kept
        }
        assignments = ", ".join(f'"{column}" = :value{number}' for number, column in enumerate(cells))
        row = {f"value{number}": cell for number, cell in enumerate(cells.values())}
        statement = _EMPTY.format(table=table, cells=assignments, column=where.column)
        self.records.write(statement, [{**row, "key": key}])

    def _initial(self, table: str, name: str, needs_value: bool) -> Any:
        known_columns: Any = getattr(AnyModel.metadata.tables.get(table), "c", {})
        column = known_columns.get(name)
        if column is None or column.default is None or not column.default.is_scalar:
            return "0" if needs_value else None  # a text that every type of column can hold
        process = column.type.dialect_impl(self._dialect).bind_processor(self._dialect)
        return process(column.default.arg) if process else column.default.arg


def find_withdrawal(records: Records, code: str) -> tuple[int, Payment] | None:
    """Returns the session's id and the open payment of a code that withdrew; None if it did not."""
    for session_id, *payment in records.rows(_FIND, code_hash=hash_code(code)):
        return session_id, Payment(*payment)
    return None


def open_payments(records: Records, session_id: int) -> list[Payment]:
    """Returns the payments of a session that have not been marked as paid yet."""
    payments = [Payment(*row[1:]) for row in records.rows(_OF_SESSION, session_id=session_id)]
    return [payment for payment in payments if payment.total]


def mark_paid(records: Records, code: str) -> None:
    """Removes the data that were kept for the payment of a code that withdrew."""
    records.write(_PAY, [{"code_hash": hash_code(code)}])


def refused_hashes(records: Records) -> set[str]:
    """Returns the hashes of refused codes: those of withdrawn participants, and the pseudonyms."""
    pseudonyms = records.rows(_EMPTY_ROWS, status=WITHDRAWN)
    return {
        *(code_hash for (code_hash,) in records.rows(_HASHES)),
        *(hash_code(code) for (code,) in pseudonyms),
    }


def remove_data(records: Records, code: str, pseudonym: str, payment: Payment, now_ms: int) -> Removed | None:
    """Removes a participant's data; returns None if the database has no participant with this code."""
    found = records.rows(_PARTICIPANT, code=code)
    if not found:
        return None
    person_id, session_id, label, variables, last_page, session_code, config, comment = found[0]
    database = Database(records)
    database.create_missing_table()
    hands = _delete_own_hands(database, session_id, code)
    tables = _empty_tables(database, person_id)
    kept_vars = _pickled(_kept_vars(variables, config))
    database.empty_rows(
        "otree_participant",
        _KEPT_OF_PARTICIPANT,
        Link("otree_participant", "id"),
        person_id,
        code=pseudonym,
        status=WITHDRAWN,
        visited=True,
        _index_in_pages=last_page + 1,
        _vars=kept_vars,
    )
    _delete_page_times(records, code)
    _delete_comments(records, session_id, comment, code, label)
    records.write(_DELETE_TASKS, [{"pattern": f'%"{code}"%'}])
    if label:
        records.write(_DELETE_VARS, [{"label": label}])
    if "card_lab_study_label" in database.columns:
        entry = _unpickled(variables).get(study_register.ENTRY)
        if isinstance(entry, int):
            records.write(_DELETE_ENTRY, [{"entry": entry}])
        elif label:
            _delete_entries(records, session_id, session_code, label)
    if "card_lab_notice" in database.columns:  # for the co-players, the participant dropped out
        notices.add(records, session_id, [person_id], notices.DROPPED, now_ms, BY_WITHDRAWAL)
    records.write(_ADD, [{"session_id": session_id, "code_hash": hash_code(code), **payment._asdict()}])
    return Removed(session_id, hands, tables)


def _delete_own_hands(database: Database, session_id: int, code: str) -> list[str]:
    """Deletes the records of the participant's own hands and boards to try; returns their ids."""
    if "card_lab_line" not in database.columns:  # a backup of a version before 0.4
        return []
    patterns = {"begun": f"%-{code}-%", "ended": f"%-{code}"}
    rows = database.records.rows(_OWN_HANDS, session_id=session_id, **patterns)
    hands = [hand for (hand,) in rows]
    database.records.write(_DELETE_HAND, [{"hand": hand} for hand in hands])
    return hands


def _empty_tables(database: Database, person_id: int) -> list[str]:
    """Empties the participant's players, and deletes all other rows that belong to them or to a player.

    Returns the names of the tables.
    """
    tables = ["otree_participant"]
    for link in database.links["otree_participant"]:
        tables.append(link.table)
        if not {"subsession_id", "round_number"} <= database.columns[link.table].keys():
            database.delete_rows(link, person_id)
            continue
        database.delete_children(link, person_id)
        database.empty_rows(link.table, _KEPT_OF_PLAYER, link, person_id)
    return tables


def _kept_vars(variables: str | None, config: str) -> dict[str, Any]:
    """Returns the variables that an empty row keeps: those of the treatment, which the co-players share."""
    if not treatment_file_name(_unpickled(config)):
        return {}  # the variables may be another app's
    return {name: value for name, value in _unpickled(variables).items() if name in (PLACE, TREATMENT)}


def _unpickled(text: str | None) -> Mapping[str, Any]:
    """Returns the dict that oTree has pickled as text; {} if it has objects of an app that was changed."""
    with suppress(Exception):
        value = _PickleField().process_result_value(text or "", None)
        if isinstance(value, dict):
            return value
    return {}


def _pickled(value: Mapping[str, Any]) -> str:
    return str(_PickleField().process_bind_param(value, None))


def _delete_page_times(records: Records, code: str) -> None:
    for row_id, text in records.rows(_PAGE_TIMES, pattern=f"%,{code},%"):
        lines = [line for line in text.splitlines(keepends=True) if without_person(line, code)]
        records.write(_SET_PAGE_TIMES, [{"id": row_id, "text": "".join(lines)}])


def _delete_comments(
    records: Records, session_id: int, comment: str | None, code: str, label: str | None
) -> None:
    """Deletes the server's sentences about the participant from the session's comment."""
    kept_lines = list(_lines_without(comment or "", code, label))
    if kept_lines != (comment or "").splitlines():
        records.write(_SET_COMMENT, [{"id": session_id, "comment": "\n".join(kept_lines)}])


def _lines_without(comment: str, code: str, label: str | None) -> Iterator[str]:
    for line in comment.splitlines():
        if code not in line and not (label and quote(label) in line):
            yield line


def _delete_entries(records: Records, session_id: int, session_code: str, label: str) -> None:
    """Deletes a label's entries of a session from the register of studies.

    This is for participants whose variables do not name their entry. They need not have one: a session
    excludes a second slot with the same label. So the entries stay while another slot has the label.
    """
    others = {other.strip() for (other,) in records.rows(_LABELS, session_id=session_id)}
    if label.strip() not in others:
        row = {"session": session_code, "label": study_register.hash_label(label)}
        records.write(_DELETE_ENTRIES, [row])
