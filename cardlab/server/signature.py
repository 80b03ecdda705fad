"""Card Lab's notes about itself in a database: the versions that it fits, and the pages of the apps.

The tables are among oTree's, so that ``otree devserver``, which rewrites its database, keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping

import otree
import sqlalchemy
from otree.database import AnyModel, version_for_pragma
from sqlalchemy.engine import Connection

from cardlab import __version__

SIGNATURE = sqlalchemy.Table(
    "card_lab_made_by",
    AnyModel.metadata,
    sqlalchemy.Column("otree", sqlalchemy.Text),
    sqlalchemy.Column("card_lab", sqlalchemy.Text),
)
PAGES = sqlalchemy.Table(
    "card_lab_app_pages",
    AnyModel.metadata,
    sqlalchemy.Column("app", sqlalchemy.String(200), primary_key=True),
    sqlalchemy.Column("pages", sqlalchemy.Text, nullable=False),  # names in the order of page_sequence
)
NOW = {"otree": otree.__version__, "card_lab": __version__}
OLDEST = (0, 10)  # the first release whose databases can be upgraded

Pages = Mapping[str, tuple[str, ...]]  # the names of each app's pages


def release_of(version: str) -> tuple[int, ...]:
    """Returns ``(0, 1)`` for ``0.1.4``: the third number never changes tables, pages, rounds or records."""
    return tuple(int(number) for number in version.split(".")[:2])


def version_fault(made_by: Mapping[str, str] | None, now: Mapping[str, str] = NOW) -> str | None:
    """Returns the rest of a sentence "The database …" if its version cannot be used; None if it can.

    ``made_by`` (None: unsigned) and ``now`` hold the versions ``otree`` and ``card_lab``.
    """
    if not made_by:
        return None
    if made_by["otree"] != now["otree"]:
        return f"was created by oTree {made_by['otree']}, but this is oTree {now['otree']}"
    release = release_of(made_by["card_lab"])
    if release < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return f"was created by Card Lab {made_by['card_lab']}; only databases since {oldest} can be upgraded"
    if release > release_of(now["card_lab"]):
        return f"was created by Card Lab {made_by['card_lab']}, but this is Card Lab {now['card_lab']}"
    return None


def read_signature(database: Connection) -> dict[str, str] | None:
    """Returns the versions that created a database, from our table or the mark of ``otree devserver``."""
    row = database.execute(SIGNATURE.select()).fetchone() if SIGNATURE.exists(database) else None
    if row:
        return dict(row)
    if database.dialect.name == "sqlite":
        mark = database.execute("PRAGMA user_version").scalar()
        if mark not in (0, version_for_pragma()):
            return {"otree": f"in another version (its mark is {mark})", "card_lab": __version__}
    return None


def write_signature(database: Connection) -> None:
    """Writes the versions for :func:`read_signature` and ``otree devserver``."""
    SIGNATURE.create(database, checkfirst=True)
    database.execute(SIGNATURE.delete())
    database.execute(SIGNATURE.insert(), **NOW)
    if database.dialect.name == "sqlite":
        database.execute(f"PRAGMA user_version = {version_for_pragma()}")


def read_pages(database: Connection) -> Pages:
    """Returns the pages of each app when the server last started; empty if that was not noted."""
    if not PAGES.exists(database):
        return {}
    return {row.app: tuple(row.pages.split()) for row in database.execute(PAGES.select())}


def write_pages(database: Connection, pages: Pages) -> None:
    """Notes the pages of each app for :func:`read_pages`; keeps those of apps that are not in ``pages``."""
    PAGES.create(database, checkfirst=True)
    database.execute(PAGES.delete().where(PAGES.c.app.in_(pages)))
    database.execute(PAGES.insert(), [{"app": app, "pages": " ".join(names)} for app, names in pages.items()])
