"""Caches compiled SQL for equality look-ups, and the players that a transaction has loaded.

SQLAlchemy 1.3 recompiles every query, which takes longer than running it; each page runs about six.

oTree loads the player of a participant and round, with a flush, for each page that it skips: about six times
per hand. This module loads it once per request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import otree.common
import otree.database
import otree.models.player
import otree.models.subsession
import sqlalchemy
from otree.database import IN_MEMORY, AnyModel, DBSession, db
from otree.models import Session
from sqlalchemy import bindparam
from sqlalchemy.ext import baked
from sqlalchemy.orm.exc import NoResultFound
from starlette.exceptions import HTTPException

from cardlab.core.patch import Patch, Wrapper

_bakery = baked.bakery()


@lru_cache(maxsize=500)
def _query(model: Any, columns: tuple[str, ...]) -> baked.BakedQuery:
    """Returns a query for the rows of a model, with the values of these columns as parameters."""
    query = _bakery(lambda session: session.query(model), model)
    cells = [getattr(model, column) == bindparam(column) for column in columns]
    query.add_criteria(lambda baked: baked.filter(*cells), columns)
    return query


def _plain_values(cells: dict[str, Any]) -> dict[str, str | int] | None:
    """Returns the values, with ids in place of rows; None if one is neither text nor an integer.

    Other values, such as None, need different SQL.
    """
    values = {
        **{name: cell for name, cell in cells.items() if not isinstance(cell, AnyModel)},
        **{f"{name}_id": cell.id for name, cell in cells.items() if isinstance(cell, AnyModel)},
    }
    return values if all(isinstance(cell, (str, int)) for cell in values.values()) else None


def _rows(model: Any, cells: dict[str, str | int]) -> Any:
    """Returns the query for the rows with these values. The caller adds ``one()`` or ``first()``."""
    return _query(model, tuple(cells))(db._db).params(**cells)


def _row(model: Any, number: int) -> Any:
    """Returns the row with this id, without a query if it is loaded and not expired."""
    with db._db.no_autoflush:  # a row with an id has been flushed
        row = _query(model, ())(db._db).get(number)
    if row is None:
        raise NoResultFound
    return row


_PLAYER_KEY = {"participant_id", "round_number"}
_PLAYERS = "players looked up"  # in SQLAlchemy's session, until its transaction ends


@sqlalchemy.event.listens_for(DBSession, "after_transaction_end")
def _drop_players(session: Any, transaction: Any) -> None:
    if transaction.parent is None:  # not a nested transaction
        session.info.pop(_PLAYERS, None)


def _player(model: type[AnyModel], cells: dict[str, str | int]) -> Any:
    """Returns the player of a participant in a round, cached until the transaction ends."""
    session = db._db
    # New players cannot be queried before a flush. Bots in memory have a session that never ends, and must
    # see the pages' writes.
    if session.new or IN_MEMORY:
        return _rows(model, cells).one()
    cache = session.info.setdefault(_PLAYERS, {})
    key = (model, cells["participant_id"], cells["round_number"])
    if key not in cache or cache[key] not in session:
        with session.no_autoflush:  # no pending change affects the key
            cache[key] = _rows(model, cells).one()
        cache[Session] = _row(Session, cache[key].session_id)  # which every page looks up
    return cache[key]


def cache_players(players: Iterable[Any]) -> None:
    """Caches loaded players until the transaction ends."""
    cache = db._db.info.setdefault(_PLAYERS, {})
    for player in players:
        cache[type(player), player.participant_id, player.round_number] = player


# The columns by which pages look up an app's rows, which are one per participant and round.
_INDEXES = {
    "player": (("participant_id", "round_number"), ("subsession_id",), ("group_id",)),
    "group": (("subsession_id",),),
}


@sqlalchemy.event.listens_for(AnyModel.metadata, "before_create")
def add_indexes(metadata: sqlalchemy.MetaData, _connection: Any = None, **_options: Any) -> None:
    """Adds indexes. oTree's only one is on the round number, which all sessions share."""
    for name, table in metadata.tables.items():
        existing = {tuple(index.columns.keys()) for index in table.indexes}
        for columns in _INDEXES.get(name.rpartition("_")[2], ()):
            if columns not in existing and set(columns) <= set(table.c.keys()):
                sqlalchemy.Index(None, *(table.c[column] for column in columns))


def _objects_get(original: Callable[..., Any], cls: type[AnyModel], *conditions: Any, **cells: Any) -> Any:
    values = None if conditions else _plain_values(cells)
    if values is None:
        return original(cls, *conditions, **cells)
    if values.keys() == {"id"}:
        return _row(cls, int(values["id"]))
    return _player(cls, values) if values.keys() == _PLAYER_KEY else _rows(cls, values).one()


def _objects_first(original: Callable[..., Any], cls: type[AnyModel], *conditions: Any, **cells: Any) -> Any:
    values = None if conditions else _plain_values(cells)
    return original(cls, *conditions, **cells) if values is None else _rows(cls, values).first()


def _objects_exists(cls: type[AnyModel], *conditions: Any, **cells: Any) -> bool:
    return cls.objects_first(*conditions, **cells) is not None


def _get_or_404(
    original: Callable[..., Any],
    self: otree.database.DBWrapper,
    model: type[AnyModel],
    msg: str = "Not found (maybe the session was deleted)",
    **cells: Any,
) -> Any:
    if (values := _plain_values(cells)) is None:
        return original(self, model, msg, **cells)
    try:
        return _rows(model, values).one()
    except NoResultFound:
        raise HTTPException(404, f"{msg}: {model.__name__}, {cells}") from None


def _in_round(original: Callable[..., Any], model: type[AnyModel], round_number: int, **cells: Any) -> Any:
    try:
        return model.objects_get(round_number=round_number, **cells)
    except NoResultFound:
        return original(model, round_number, **cells)  # raises with an explanation


_REASON = "Looks rows up with cached SQL: 0.23 instead of 1.02 ms, six times a page."
PATCHES = (
    Wrapper(AnyModel, "objects_get", _objects_get, "speed", "8c81427c15e2025e", _REASON),
    Wrapper(AnyModel, "objects_first", _objects_first, "speed", "a7ad31bc5d49728b", _REASON),
    Patch(AnyModel, "objects_exists", classmethod(_objects_exists), "speed", "7008e9b51fd52dd5", _REASON),
    Wrapper(
        *(otree.database.DBWrapper, "get_or_404", _get_or_404, "speed", "3d8d90b8ec209649"),
        _REASON,
    ),
    *(
        Wrapper(module, "in_round", _in_round, "speed", "67f8172237e591c0", _REASON)
        for module in (otree.models.player, otree.models.subsession)
    ),
)
