"""Provides one running server for all modules of a process; each test looks only at its own sessions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from server_fixture import LabServer


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory) -> Iterator[LabServer]:
    """Provides a running Card Lab on SQLite; at the end its log must have no traceback of Card Lab."""
    with LabServer(tmp_path_factory.mktemp("server") / "card_lab") as running:
        yield running


@pytest.fixture(scope="module")
def server(shared_server) -> Iterator[LabServer]:
    """Provides the server that modules share, and checks its log after each module.

    A module whose tests stop the server, or need another environment, defines its own ``server``.
    """
    yield shared_server
    shared_server.api("/api/sessions")  # an error is logged after its response, but before the next response
    shared_server.assert_no_fault()
