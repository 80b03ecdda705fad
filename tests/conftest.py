"""Fixtures that several rooms of tests share: a running Card Lab, a PostgreSQL server."""

from __future__ import annotations

import pytest
from server_fixture import LabServer, Postgres


@pytest.fixture
def lab_server(tmp_path):
    """A running Card Lab on SQLite, alone in a folder of its own."""
    with LabServer(tmp_path / "card_lab") as server:
        yield server


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server; ``postgres.new_database()`` gives a DATABASE_URL."""
    if not Postgres.programs():
        pytest.skip("PostgreSQL (initdb, postgres) is not installed on this machine")
    server = Postgres()
    try:
        yield server.start()
    finally:
        server.stop()
