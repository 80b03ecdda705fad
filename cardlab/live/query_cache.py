"""Looking a row up by its cells, as every page does half a dozen times, without putting the question into SQL
anew: SQLAlchemy takes longer for that than the database for its answer.

And the player of a participant in a round is looked up once in a request: oTree asks for them at each page
that is gone by on the way to the next, half a dozen for each hand, and writes to the database before it asks.
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
from sqlalchemy import bindparam
from sqlalchemy.ext import baked
from sqlalchemy.orm.exc import NoResultFound
from starlette.exceptions import HTTPException

from cardlab.core.patch import Patch, Wrapper

_bakery = baked.bakery()


@lru_cache(maxsize=500)
def _query(model: type[AnyModel], columns: tuple[str, ...]) -> baked.BakedQuery:
    """The rows of a model whose cells in these columns are those that are given by the same names."""
    question = _bakery(lambda session: session.query(model), model)
    cells = [getattr(model, column) == bindparam(column) for column in columns]
    question.add_criteria(lambda query: query.filter(*cells), columns)
    return question


def _plain(cells: dict[str, Any]) -> dict[str, str | int] | None:
    """The cells, with the number of a row in the place of the row. None if one is not plain: even None is a
    question of its own in SQL."""
    named = {
        **{name: cell for name, cell in cells.items() if not isinstance(cell, AnyModel)},
        **{f"{name}_id": cell.id for name, cell in cells.items() if isinstance(cell, AnyModel)},
    }
    return named if all(isinstance(cell, (str, int)) for cell in named.values()) else None


def _rows(model: type[AnyModel], cells: dict[str, str | int]) -> Any:
    """The rows with these plain cells; of the answer one takes ``one()`` or ``first()``."""
    return _query(model, tuple(cells))(db._db).params(**cells)


def _row(model: type[AnyModel], number: int) -> Any:
    """The row of this number: without a question, if it has been looked up and not been written since."""
    found = _query(model, ())(db._db).get(number)
    if found is None:
        raise NoResultFound
    return found


_PLAYER_OF = {"participant_id", "round_number"}
_PLAYERS = "players looked up"  # in SQLAlchemy's session, until its transaction ends


@sqlalchemy.event.listens_for(DBSession, "after_transaction_end")
def _forget(session: Any, transaction: Any) -> None:
    if transaction.parent is None:  # else it is only one step of it
        session.info.pop(_PLAYERS, None)


def _player(model: type[AnyModel], cells: dict[str, str | int]) -> Any:
    """The player of a participant in a round, remembered until the transaction ends."""
    session = db._db
    # Players in the making cannot be found before they are written; and bots in memory look at what the pages
    # have written meanwhile, in a session of their own that does not end.
    if session.new or IN_MEMORY:
        return _rows(model, cells).one()
    known = session.info.setdefault(_PLAYERS, {})
    key = (model, cells["participant_id"], cells["round_number"])
    if key not in known or known[key] not in session:
        with session.no_autoflush:  # who they are does not hang on what is not written yet
            known[key] = _rows(model, cells).one()
    return known[key]


def cache_players(players: Iterable[Any]) -> None:
    """Players who were found together need not be looked up one by one until the transaction ends."""
    known = db._db.info.setdefault(_PLAYERS, {})
    known.update({(type(one), one.participant_id, one.round_number): one for one in players})


# By what pages look up the rows of an app, which has one for each round of each participant of each session.
# A database that was made without these is asked all the same, and reads all rows.
_INDEXES = {
    "player": (("participant_id", "round_number"), ("subsession_id",), ("group_id",)),
    "group": (("subsession_id",),),
}


@sqlalchemy.event.listens_for(AnyModel.metadata, "before_create")
def _add_indexes(metadata: sqlalchemy.MetaData, _connection: Any, **_options: Any) -> None:
    """oTree has no index but by the number of the round, which all sessions share."""
    for name, table in metadata.tables.items():
        there = {tuple(index.columns.keys()) for index in table.indexes}
        for columns in _INDEXES.get(name.rpartition("_")[2], ()):
            if columns not in there and set(columns) <= set(table.c.keys()):
                sqlalchemy.Index(None, *(table.c[column] for column in columns))


def _objects_get(usual: Callable[..., Any], cls: type[AnyModel], *conditions: Any, **cells: Any) -> Any:
    plain = None if conditions else _plain(cells)
    if plain is None:
        return usual(cls, *conditions, **cells)
    if plain.keys() == {"id"}:
        return _row(cls, plain["id"])
    return _player(cls, plain) if plain.keys() == _PLAYER_OF else _rows(cls, plain).one()


def _objects_first(usual: Callable[..., Any], cls: type[AnyModel], *conditions: Any, **cells: Any) -> Any:
    plain = None if conditions else _plain(cells)
    return usual(cls, *conditions, **cells) if plain is None else _rows(cls, plain).first()


def _objects_exists(cls: type[AnyModel], *conditions: Any, **cells: Any) -> bool:
    return cls.objects_first(*conditions, **cells) is not None


def _get_or_404(
    usual: Callable[..., Any],
    self: otree.database.DBWrapper,
    Model: type[AnyModel],
    msg: str = "Not found (maybe the session was deleted)",
    **cells: Any,
) -> Any:
    if (plain := _plain(cells)) is None:
        return usual(self, Model, msg, **cells)
    try:
        return _rows(Model, plain).one()
    except NoResultFound:
        raise HTTPException(404, f"{msg}: {Model.__name__}, {cells}") from None


def _in_round(usual: Callable[..., Any], model: type[AnyModel], round_number: int, **cells: Any) -> Any:
    try:
        return model.objects_get(round_number=round_number, **cells)
    except NoResultFound:
        return usual(model, round_number, **cells)  # which says so in words


_REASON = "Looks rows up with cached SQL: SQLAlchemy 1.3 takes longer to compile a query than to run it."
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
