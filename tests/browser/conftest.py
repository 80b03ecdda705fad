"""Provides the fixtures of the browser tests: Chromium, a server, and seated participants.

``seat_participant()`` seats one person at Target the Two, ``seat_group()`` a table of the matrix card game.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import layout
import pytest
from matrix_player import with_deal_files
from playwright.sync_api import expect, sync_playwright
from seats import Browsers, MatrixSeats, TargetSeats
from server_fixture import LabServer
from system_packages import find_browser
from ttt_player import with_show_file

expect.set_options(timeout=15_000)  # ms; other test processes may be running

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--no-first-run"),
]


@pytest.fixture(scope="session", autouse=True)
def window_sizes(pytestconfig) -> None:
    """Adds window sizes that pages are checked in with ``--long``."""
    if pytestconfig.getoption("long"):
        for kind, sizes in layout.BETWEEN.items():
            layout.SMALL[kind] = [*layout.SMALL[kind], *sizes]
        layout.SIZES["desk"][1].append(layout.LARGER)
        layout.EXTREMES[:] = layout.ALL_SIZES


@pytest.fixture(scope="session")
def chromium() -> str:
    """Provides the path of the browser's program."""
    return os.environ.get("CARD_LAB_CHROMIUM") or find_browser()


@pytest.fixture(scope="session")
def browsers(chromium) -> Iterator[Browsers]:
    """Provides the browsers, whose event loop prevents ``asyncio.run`` in the main thread from then on."""
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield Browsers(program)
        program.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[LabServer]:
    """Provides a shared server; a test may kill and restart it, and uses only its own sessions."""
    with LabServer(tmp_path_factory.mktemp("browser") / "card_lab") as running:
        yield with_deal_files(with_show_file(running))


@pytest.fixture
def own_server(lab_server) -> LabServer:
    """Provides a server for a single test, without other sessions."""
    return with_show_file(lab_server)


@pytest.fixture
def seat_participant(browsers, server) -> Iterator[TargetSeats]:
    """Provides a function that seats a :class:`TargetPlayer` in a new session."""
    seats = TargetSeats(browsers, server)
    yield seats
    seats.leave()


@pytest.fixture
def seat_group(browsers, server) -> Iterator[MatrixSeats]:
    """Provides a function that seats several :class:`MatrixPlayer` in a new session."""
    seats = MatrixSeats(browsers, server)
    yield seats
    seats.leave()
