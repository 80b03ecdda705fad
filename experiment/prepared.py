"""Looking a row up by its cells, as every page does half a dozen times, without putting the question into SQL
anew: SQLAlchemy takes longer for that than the database for its answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import otree.database
from otree.database import AnyModel, db
from sqlalchemy import bindparam
from sqlalchemy.ext import baked
from sqlalchemy.orm.exc import NoResultFound
from starlette.exceptions import HTTPException

_bakery = baked.bakery()


@lru_cache(maxsize=500)
def _question(model: type[AnyModel], columns: tuple[str, ...]) -> baked.BakedQuery:
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
    return _question(model, tuple(cells))(db._db).params(**cells)


def take_over() -> None:
    """oTree's own look-ups ask so."""
    usual_get: Callable[..., Any] = AnyModel.objects_get.__func__
    usual_first: Callable[..., Any] = AnyModel.objects_first.__func__
    usual_or_404 = otree.database.DBWrapper.get_or_404

    def objects_get(cls: type[AnyModel], *conditions: Any, **cells: Any) -> Any:
        plain = None if conditions else _plain(cells)
        return usual_get(cls, *conditions, **cells) if plain is None else _rows(cls, plain).one()

    def objects_first(cls: type[AnyModel], *conditions: Any, **cells: Any) -> Any:
        plain = None if conditions else _plain(cells)
        return usual_first(cls, *conditions, **cells) if plain is None else _rows(cls, plain).first()

    def get_or_404(
        self, Model: type[AnyModel], msg: str = "Not found (maybe the session was deleted)", **cells: Any
    ) -> Any:
        if (plain := _plain(cells)) is None:
            return usual_or_404(self, Model, msg, **cells)
        try:
            return _rows(Model, plain).one()
        except NoResultFound:
            raise HTTPException(404, f"{msg}: {Model.__name__}, {cells}") from None

    AnyModel.objects_get = classmethod(objects_get)
    AnyModel.objects_first = classmethod(objects_first)
    otree.database.DBWrapper.get_or_404 = get_or_404
