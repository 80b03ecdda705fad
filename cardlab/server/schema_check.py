"""Checks whether a database fits this installation: ``python -m cardlab.server.schema_check URL``.

Prints a line of JSON, ``{"fault": null}`` if it fits; lab.py runs it before it starts a server. A database
that fits and has no signature, because it is new or oTree's, is signed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

import otree
import sqlalchemy
from otree.main import setup
from sqlalchemy.engine import Connection
from sqlalchemy.engine.url import make_url

from cardlab import __version__

SIGNATURE = sqlalchemy.Table(
    "card_lab_made_by",
    sqlalchemy.MetaData(),  # not oTree's: its tables are the apps' alone
    sqlalchemy.Column("otree", sqlalchemy.Text),
    sqlalchemy.Column("card_lab", sqlalchemy.Text),
)
NOW = {"otree": otree.__version__, "card_lab": __version__}


def release_of(version: str) -> str:
    """Returns ``0.1`` for ``0.1.4``: the third number never changes tables, pages, rounds or records.

    A database works with every version of one release; with another release, sessions could not continue.
    """
    return ".".join(version.split(".")[:2])


def database_fault(
    made_by: Mapping[str, str] | None, missing: list[str], now: Mapping[str, str] = NOW
) -> str | None:
    """Returns the rest of a sentence "The database …" if it cannot be used; None if it can.

    ``made_by`` (None: unsigned) and ``now`` hold the versions ``otree`` and ``card_lab``; ``missing``
    names columns that the apps need and the tables lack.
    """
    if made_by and made_by["otree"] != now["otree"]:
        return f"was created by oTree {made_by['otree']}, but this is oTree {now['otree']}"
    if made_by and release_of(made_by["card_lab"]) != release_of(now["card_lab"]):
        return f"was created by Card Lab {made_by['card_lab']}, but this is Card Lab {now['card_lab']}"
    if missing:
        some = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
        return f"was created by another version: it lacks {some}"
    return None


def missing_columns(database: Connection, needed: Mapping[str, sqlalchemy.Table]) -> list[str]:
    """Returns the columns of the ``needed`` tables that the database's tables lack.

    A missing table is no fault, because oTree creates it.
    """
    look = sqlalchemy.inspect(database)
    missing = []
    for table in needed.keys() & set(look.get_table_names()):
        there = {column["name"] for column in look.get_columns(table)}
        missing += [f"{table}.{column.name}" for column in needed[table].columns if column.name not in there]
    return sorted(missing)


def read_signature(database: Connection) -> dict[str, str] | None:
    """Returns the versions that created a database, from our table or the mark of ``otree devserver``."""
    from otree.database import version_for_pragma

    if SIGNATURE.exists(database):
        row = database.execute(SIGNATURE.select()).fetchone()
        return dict(row) if row else None
    if database.dialect.name == "sqlite":
        mark = database.execute("PRAGMA user_version").scalar()
        if mark not in (0, version_for_pragma()):
            return {"otree": f"in another version (its mark is {mark})", "card_lab": __version__}
    return None


def write_signature(database: Connection) -> None:
    """Writes the versions for :func:`read_signature` and ``otree devserver``."""
    from otree.database import version_for_pragma

    SIGNATURE.create(database, checkfirst=True)
    database.execute(SIGNATURE.insert(), **NOW)
    if database.dialect.name == "sqlite":
        database.execute(f"PRAGMA user_version = {version_for_pragma()}")


def check_database(url: str) -> dict[str, str | None]:
    """Returns ``{"fault": …}``, or ``{"unreachable": …}`` with the reason."""
    from otree.database import AnyModel

    try:
        address = make_url(url)
        patience = {} if address.drivername == "sqlite" else {"connect_timeout": 10}
        with sqlalchemy.create_engine(address, connect_args=patience).begin() as database:
            made_by = read_signature(database)
            found = database_fault(made_by, missing_columns(database, AnyModel.metadata.tables))
            if not found and not made_by:
                write_signature(database)
            return {"fault": found}
    except (sqlalchemy.exc.SQLAlchemyError, ValueError) as error:
        driver = getattr(error, "orig", None)  # other errors may quote the address with its password
        return {
            "unreachable": str(driver).strip().splitlines()[0] if driver else "its address cannot be parsed"
        }


if __name__ == "__main__":
    setup()  # in memory (lab.py says so): only to know the tables that the apps need
    print(json.dumps(check_database(sys.argv[1])))
