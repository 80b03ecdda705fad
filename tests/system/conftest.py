"""Provides one running server for all modules of a process; tests look only at their own sessions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from server_fixture import LabServer


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory) -> Iterator[LabServer]:
    """Provides a running Card Lab on SQLite, in which nothing has failed at the end."""
    with LabServer(tmp_path_factory.mktemp("server") / "card_lab") as running:
        yield running


@pytest.fixture(scope="module")
def server(shared_server) -> Iterator[LabServer]:
    """The server that other modules use too; its log begins with the module, and has no error at the end.

    A module whose tests stop the server, or need another environment, has a ``server`` of its own.
    """
    yield shared_server
    shared_server.api("/api/sessions")  # an error is logged after its answer, but before the next
    shared_server.assert_no_fault()
