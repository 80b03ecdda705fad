"""Tests which places in the series of treatments are free, and what is read for a visitor."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace

import pytest
import without_database  # noqa: F401
from otree.database import VarsDict
from otree.models import Participant
from sqlalchemy import create_engine, event
from sqlalchemy.orm import Session as DatabaseSession

from cardlab.games.pay import LEFT
from cardlab.sessions import rows
from cardlab.sessions.arrival import FINISHED

SERIES = {"app_sequence": [], "treatments": "some.toml"}
SLOTS = [("", {}), (FINISHED, {rows.PLACE: 4}), (LEFT, {rows.PLACE: 3}), ("", {rows.PLACE: 6})]


@pytest.fixture
def read():
    """A database with participants; returns the first free places, and the statements for them."""
    engine = create_engine("sqlite://")
    Participant.__table__.create(engine)
    people = [
        {"id": 10 + number, "id_in_session": number, "status": status, "_vars": VarsDict(variables)}
        for number, (status, variables) in enumerate(SLOTS, 1)
    ]
    engine.execute(Participant.__table__.insert(), people)
    database, statements = DatabaseSession(engine), []
    event.listen(engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))

    def read(lost=(), **config):
        statements.clear()
        session = SimpleNamespace(config={**SERIES, **config}, pp_set=database.query(Participant))
        return [*islice(rows._free_places(session, lost), 4)], statements

    yield read
    database.close()
    engine.dispose()


def test_places_of_lost_participants_are_free(read):
    assert read(slots="on_arrival")[0] == [2, 3, 5, 7]
    assert read(slots="on_arrival", lost={11})[0] == [1, 2, 3, 5]
    assert read()[0] == [2, 5, 7, 8]


def test_one_small_query_finds_free_places(read):
    (statement,) = read(slots="on_arrival")[1]
    columns = statement.partition("FROM")[0]
    assert columns.count("otree_participant.") == 3
    assert read(slots="on_arrival", treatments="")[1] == []
