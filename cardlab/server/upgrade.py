"""Upgrades the database when the server starts: adds what the apps need and the database lacks.

Everything is added in one transaction, after a copy of the database was made. What cannot be upgraded is a
fault: nothing is changed then.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import otree
import otree.database
import sqlalchemy
from otree.common import get_constants, get_pages_module
from otree.database import DB_FILE, IN_MEMORY, AnyModel, _PickleField
from sqlalchemy.engine import Connection, Dialect, Engine
from sqlalchemy.engine.url import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.types import TypeEngine

from cardlab import __version__
from cardlab.core.patch import Wrapper
from cardlab.games.session_config import settings_of
from cardlab.games.shared_settings import OFF
from cardlab.live.query_cache import add_indexes
from cardlab.server import signature
from cardlab.server.database_copy import CopyFailed, copy_database
from cardlab.server.open_sessions import AppPages, OpenSession, session_fault
from cardlab.server.schema import (
    Column,
    Difference,
    Part,
    Schema,
    Table,
    compare,
    removed_fault,
    shorten_list,
)
from cardlab.sessions.rows import deals_hands

# The commands of oTree that start a server; lab.py upgrades by cardlab.server.schema_check.
COMMANDS = ("devserver_inner", "prodserver", "prodserver1of2", "runprodserver", "webandworkers")
WAYS_OUT = (
    "Nothing was changed. Either go back to the earlier apps and version, and finish, export or archive the "
    "sessions, or start with a new database. `lab.py export --database FILE` (or `cardlab export …`) exports "
    "the old one."
)
# With these, a session stays as it was before the setting existed; otherwise it gets the default.
OF_EARLIER_SESSIONS = {
    "study_progress": False,
    "browser_events": False,
    "one_browser_per_seat": False,
    "expected_duration": OFF,
    "expected_pay": OFF,
}
MAX_SHOWN_FAULTS = 3  # that a message names


class Fault(Exception):
    """Raised if the database does not fit; its text is the rest of a sentence "The database …"."""


class UpgradeFailed(Exception):
    """Raised if a database that fits could not be upgraded; its text is one or two sentences."""


# ------------------------------------------------------------------ what the apps need


def needed_schema(dialect: Dialect) -> Schema:
    """Returns the tables of oTree and the apps, with the types that they have in a database."""
    add_indexes(AnyModel.metadata)
    return {
        name: Table(
            {
                column.name: Column(_type_name(column.type, dialect), column.nullable or _has_default(column))
                for column in table.columns
            },
            frozenset(_index_name(index, dialect) for index in table.indexes),
        )
        for name, table in AnyModel.metadata.tables.items()
    }


def _has_default(column: sqlalchemy.Column[Any]) -> bool:
    return bool(column.default and column.default.is_scalar)


def _index_name(index: sqlalchemy.Index, dialect: Dialect) -> str:
    return str(dialect.identifier_preparer.format_index(index)).strip('"')


def _type_name(kind: TypeEngine, dialect: Dialect) -> str:
    """Returns the name of a type: ``VARCHAR``, in PostgreSQL with its length, which SQLite ignores."""
    name = kind.compile(dialect)
    if dialect.name == "sqlite":
        return re.sub(r"\(.*\)", "", name)
    return "DOUBLE PRECISION" if name == "FLOAT" else name


def app_pages() -> dict[str, AppPages]:
    """Returns the pages of each app of the project."""
    from otree import settings

    return {
        app: AppPages(
            None if deals_hands(app) else get_constants(app).get_normalized("num_rounds"),
            tuple(page.__name__ for page in get_pages_module(app).page_sequence),
        )
        for app in settings.OTREE_APPS
    }


# ------------------------------------------------------------------ what the database has


def existing_schema(database: Connection) -> Schema:
    """Returns the tables of a database, without SQLite's own: their columns have no type."""
    inspector, dialect = sqlalchemy.inspect(database), database.dialect
    return {
        name: Table(
            {
                column["name"]: Column(
                    _type_name(column["type"], dialect),
                    column["nullable"] or column["default"] is not None,
                )
                for column in inspector.get_columns(name)
            },
            frozenset(index["name"] for index in inspector.get_indexes(name)),
        )
        for name in inspector.get_table_names()
        if not name.startswith("sqlite_")
    }


_SESSIONS = "SELECT id, code, config, is_demo, archived FROM otree_session ORDER BY id"
_PARTICIPANTS = sqlalchemy.text(
    "SELECT visited, status, _index_in_pages, _max_page_index FROM otree_participant WHERE session_id = :id"
)


def open_sessions(database: Connection, tables: Schema) -> list[OpenSession]:
    """Returns the sessions in progress: neither finished, nor archived, nor of the demo page.

    A session in which nobody has started is in progress. Participants who never started do not keep one in
    progress that the others have finished.
    """
    sessions = []
    visited = _visited_pages(database)
    for row in database.execute(_SESSIONS).fetchall():
        people = database.execute(_PARTICIPANTS, id=row.id).fetchall()
        started = [person for person in people if person.visited]
        is_finished = started and all(
            person.status or person._index_in_pages > person._max_page_index for person in started
        )
        if is_finished or not people or row.is_demo or row.archived:
            continue
        apps = [app for app in _config(row.config)["app_sequence"] if f"{app}_subsession" in tables]
        rounds = {app: _rounds(database, app, row.id) for app in apps}
        sessions.append(OpenSession(row.code, rounds, people[0]._max_page_index, visited.get(row.code, {})))
    return sessions


def _rounds(database: Connection, app: str, session_id: int) -> int:
    """Returns the rounds of an app with which a session was created."""
    table = sqlalchemy.Table(
        f"{app}_subsession",
        sqlalchemy.MetaData(),  # not oTree's: the app may have been removed
        sqlalchemy.Column("round_number", sqlalchemy.Integer),
        sqlalchemy.Column("session_id", sqlalchemy.Integer),
    )
    last = sqlalchemy.select([sqlalchemy.func.max(table.c.round_number)])
    return database.execute(last.where(table.c.session_id == session_id)).scalar() or 0


def _config(text: str) -> dict[str, Any]:
    return _PickleField().process_result_value(text, None)


def _visited_pages(database: Connection) -> dict[str, dict[int, tuple[str, str]]]:
    """Returns the app and name of each completed page, by session and page index, from oTree's page times."""
    pages: dict[str, dict[int, tuple[str, str]]] = {}
    for (text,) in database.execute("SELECT text FROM otree_pagetimebatch ORDER BY id"):
        for session, _number, _code, index, app, page, *_times in csv.reader(text.splitlines()):
            if app:
                pages.setdefault(session, {})[int(index)] = (app, page)
    return pages


# ------------------------------------------------------------------ the plan


@dataclass
class Plan:
    """What an upgrade does.

    Attributes:
        version: that of the Card Lab which the database fits; None if it is unsigned.
        difference: what the tables lack.
        configs: by session id, the config with the settings that it lacked.
        pages: those of each app, to be noted; None if they are noted already.
    """

    version: str | None
    difference: Difference
    configs: dict[int, dict[str, Any]] = field(default_factory=dict)
    pages: signature.Pages | None = None

    @property
    def made_by(self) -> str:
        """The version that created the database: without a signature, that of oTree."""
        return f"Card Lab {self.version}" if self.version else f"oTree {otree.__version__}"

    @property
    def is_upgrade(self) -> bool:
        """Whether a copy must be made first. New tables alone need none, because oTree adds them."""
        release = signature.release_of(self.version or __version__)
        changed = self.difference.columns or self.difference.indexes or self.configs
        return bool(changed) or release != signature.release_of(__version__)

    def lines(self, name: str, copy: str) -> list[str]:
        """Returns the messages about an upgrade of the database ``name``, whose backup is ``copy``."""
        difference = self.difference
        indexes, sessions = len(difference.indexes), len(self.configs)
        added = [
            *_describe_names("table", difference.tables),
            *_describe_names("field", [str(part) for part in difference.columns]),
            *([f"{indexes} index{'es' * (indexes > 1)}"] if indexes else []),
            *([f"new settings in {sessions} session{'s' * (sessions > 1)}"] if sessions else []),
        ]
        lines = []
        if self.is_upgrade:
            additions = f"; added: {', '.join(added)}" if added else ""
            lines += [f"{name} (of {self.made_by}) was upgraded{additions}. Backup: {copy}"]
        if difference.removed:
            removed = shorten_list([str(part) for part in difference.removed])
            lines += [f"{name} keeps data of removed fields, which exports do not show: {removed}"]
        return lines


def _describe_names(kind: str, names: list[str]) -> list[str]:
    return [f"{kind}{'s' * (len(names) > 1)} {shorten_list(names)}"] if names else []


def make_plan(database: Connection) -> Plan:
    """Compares a database with the apps. Raises Fault."""
    made_by = signature.read_signature(database)
    if fault := signature.version_fault(made_by):
        raise Fault(fault)
    existing, pages = existing_schema(database), app_pages()
    page_names = {app: entry.names for app, entry in pages.items()}
    version = made_by["card_lab"] if made_by else None
    if "otree_session" not in existing:  # a new database, in which oTree creates all tables
        return Plan(version, Difference(), pages=page_names)
    difference = compare(needed_schema(database.dialect), existing)
    sessions, noted = open_sessions(database, existing), signature.read_pages(database)
    faults = [
        *difference.faults,
        *_removed_faults(difference.removed, sessions),
        *(fault for session in sessions if (fault := session_fault(session, pages, noted))),
    ]
    if faults:
        raise Fault(f"does not fit the apps: {'; '.join(faults[:MAX_SHOWN_FAULTS])}")
    changed = any(noted.get(app) != names for app, names in page_names.items())
    return Plan(version, difference, dict(completed_configs(database)), page_names if changed else None)


def _removed_faults(removed: list[Part], sessions: list[OpenSession]) -> Iterator[str]:
    """Yields clauses about removed fields of an app, or of oTree, that sessions in progress use."""
    apps = sorted({app for session in sessions for app in session.rounds}, key=len, reverse=True)
    parts_by_codes: dict[tuple[str, ...], list[Part]] = {}  # by the codes of the sessions that use them
    for part in removed:
        app = next((app for app in apps if part.table.startswith(f"{app}_")), "")
        codes = tuple(session.code for session in sessions if app in session.rounds)
        if not app and part.table.startswith(("otree_", "card_lab_")):
            codes = tuple(session.code for session in sessions)
        if codes:
            parts_by_codes.setdefault(codes, []).append(part)
    for codes, parts in parts_by_codes.items():
        yield removed_fault(parts, codes)


def completed_configs(database: Connection) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the id and the new config of each session whose config lacks a setting of its apps."""
    for row in database.execute(_SESSIONS).fetchall():
        config = _config(row.config)
        missing = {
            name: OF_EARLIER_SESSIONS.get(name, setting.default)
            for app in config["app_sequence"]
            for name, setting in settings_of(app).items()
            if name not in config and f"{app}.{name}" not in config
        }
        if missing:
            yield row.id, {**config, **missing}


# ------------------------------------------------------------------ the upgrade


def upgrade(database: Connection, plan: Plan) -> None:
    """Carries out a plan, within the transaction of ``database``."""
    tables = AnyModel.metadata.tables
    if database.dialect.name == "postgresql":
        database.execute("SET LOCAL lock_timeout = '10s'")
    if plan.is_upgrade:
        AnyModel.metadata.create_all(database)
    for part in plan.difference.columns:
        _add_column(database, tables[part.table], part.name)
    for part in plan.difference.indexes:
        for index in tables[part.table].indexes:
            if _index_name(index, database.dialect) == part.name:
                index.create(database)
    sessions = tables["otree_session"]
    for number, config in plan.configs.items():
        database.execute(sessions.update().where(sessions.c.id == number).values(config=config))
    if plan.pages is not None:
        signature.write_pages(database, plan.pages)
    if plan.is_upgrade or plan.version is None:
        signature.write_signature(database)


def _add_column(database: Connection, table: sqlalchemy.Table, name: str) -> None:
    """Adds a column to a table; existing rows get its default."""
    column, quote = table.c[name], database.dialect.identifier_preparer
    kind = column.type.compile(database.dialect)
    database.execute(
        f"ALTER TABLE {quote.format_table(table)} ADD COLUMN {quote.format_column(column)} {kind}"
    )
    if column.default and column.default.is_scalar:
        database.execute(table.update().values({name: column.default.arg}))


def connect(url: URL) -> Engine:
    """Returns an engine whose transactions include changes of tables, also on SQLite."""
    on_sqlite = url.get_backend_name() == "sqlite"
    options = {} if on_sqlite else {"connect_timeout": 10}
    engine = sqlalchemy.create_engine(url, connect_args=options, poolclass=sqlalchemy.pool.NullPool)
    if on_sqlite:  # Python's driver begins a transaction only before rows are changed

        @sqlalchemy.event.listens_for(engine, "connect")
        def leave_transactions(connection: Any, _record: object) -> None:
            connection.isolation_level = None

        @sqlalchemy.event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")

    return engine


def prepare(address: str, only_look: bool = False) -> list[str]:
    """Upgrades the database at an address if necessary; returns what to say about it.

    Args:
        address: as in DATABASE_URL.
        only_look: Change nothing.

    Raises Fault, UpgradeFailed, and SQLAlchemyError if the database cannot be reached.
    """
    url = make_url(address)
    name = Path(url.database or "").name if url.get_backend_name() == "sqlite" else "The database"
    engine = connect(url)
    with engine.connect() as database:
        plan = make_plan(database)
    if only_look:
        return []
    try:
        copy = copy_database(url, plan.made_by) if plan.is_upgrade else ""
        with engine.begin() as database:
            upgrade(database, plan)
    except CopyFailed as error:
        raise UpgradeFailed(f"The database must be backed up before its upgrade. {error}") from error
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", error)).strip().splitlines()[0]
        raise UpgradeFailed(
            f"The database could not be upgraded ({reason}). Nothing was changed. Close other programs that "
            "use it, and try again."
        ) from error
    return plan.lines(name, copy)


# ------------------------------------------------------------------ oTree's own commands


def _configure_mappers(configure: Callable[[], None]) -> None:
    """Upgrades the database when all models are known, and before oTree creates tables."""
    configure()
    if sys.argv[1:2] and sys.argv[1] in COMMANDS:
        _prepare_or_exit()


def _prepare_or_exit() -> None:
    """Upgrades the database of an oTree command; ends the process if it does not fit."""
    in_file = f"sqlite:///{DB_FILE}"
    address = in_file if IN_MEMORY else os.environ.get("DATABASE_URL", in_file)
    if address == in_file and not (Path(DB_FILE).exists() and Path(DB_FILE).stat().st_size):
        return
    try:
        for line in prepare(address):
            print(line, flush=True)
    except Fault as fault:
        sys.exit(f"The database {fault}. {WAYS_OUT}")
    except UpgradeFailed as failed:
        sys.exit(str(failed))


PATCHES = (
    Wrapper(
        *(otree.database, "configure_mappers", _configure_mappers, "correctness", "3201ef81864ce83e"),
        "Upgrades the database first. Otherwise a new field makes it unusable, and `devserver` drops the "
        "data of removed fields.",
    ),
)
