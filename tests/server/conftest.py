"""One running server for all the tests of a module: they only ever look at their own sessions."""

from __future__ import annotations

import pytest
from server_fixture import LabServer


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A running Card Lab on SQLite, and at the end nothing unexpected in its log."""
    with LabServer(tmp_path_factory.mktemp("server") / "card_lab") as running:
        yield running
