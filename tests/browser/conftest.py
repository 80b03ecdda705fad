"""Provides the fixtures of the browser tests: Chromium, a server, and seated participants.

``seat_participant()`` seats one at Target the Two, ``seat_group()`` a whole table of the matrix card game.
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
    """Adds the sizes of windows that pages are looked at in with ``--long``."""
    if pytestconfig.getoption("long"):
        for kind, sizes in layout.BETWEEN.items():
            layout.SMALL[kind] = [*layout.SMALL[kind], *sizes]


@pytest.fixture(scope="session")
def chromium() -> str:
    """Provides the browser's program."""
    return os.environ.get("CARD_LAB_CHROMIUM") or find_browser()


@pytest.fixture(scope="session")
def browsers(chromium) -> Iterator[Browsers]:
    """While they run, so does an event loop that other tests must not meet: those have run by then."""
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield Browsers(program)
        program.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[LabServer]:
    """A server that the tests share, and may kill and start again; each has sessions of its own on it."""
    with LabServer(tmp_path_factory.mktemp("browser") / "card_lab") as running:
        yield with_deal_files(with_show_file(running))


@pytest.fixture
def own_server(lab_server) -> LabServer:
    """Provides a server for one test alone, with no other sessions."""
    return with_show_file(lab_server)


@pytest.fixture
def seat_participant(browsers, server) -> Iterator[TargetSeats]:
    """``seat_participant()`` gives a :class:`TargetPlayer` of a new session."""
    seats = TargetSeats(browsers, server)
    yield seats
    seats.leave()


@pytest.fixture
def seat_group(browsers, server) -> Iterator[MatrixSeats]:
    """``seat_group(2)`` gives two :class:`MatrixPlayer` of a new session."""
    seats = MatrixSeats(browsers, server)
    yield seats
    seats.leave()
