"""Fixtures of the browser tests: Chromium, a server, and ``sit``, which seats a participant at it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from player import DESK, SHOW_FILE, Player, assert_no_fault, with_show_file
from playwright.sync_api import Browser, BrowserContext, sync_playwright
from server_fixture import LabServer, LabSession

import lab

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--no-first-run"),
]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's program."""
    return os.environ.get("CARD_LAB_CHROMIUM") or lab.find_browser()


class Browsers:
    """Chromium, with one window for each kind of screen: what is loaded once is quick the next time."""

    def __init__(self, program: Browser) -> None:
        self.program = program
        self._contexts: dict[str, BrowserContext] = {}

    def context(self, at: dict) -> BrowserContext:
        kind = repr(at)
        if kind not in self._contexts:
            self._contexts[kind] = self.program.new_context(**at)
        return self._contexts[kind]


@pytest.fixture(scope="module")
def browsers(chromium) -> Iterator[Browsers]:
    """They end with the module: while they run, so does an event loop that other tests must not meet."""
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield Browsers(program)
        program.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[LabServer]:
    """A server that the tests share; each has sessions of its own on it."""
    with LabServer(tmp_path_factory.mktemp("browser") / "card_lab") as running:
        yield with_show_file(running)
        assert_no_fault(running)


@pytest.fixture
def own_server(lab_server) -> Iterator[LabServer]:
    """A server for one test alone, which may kill it."""
    yield with_show_file(lab_server)
    assert_no_fault(lab_server)


class Tables:
    """Seats participants. In the end no browser may have complained, unless ``lenient``."""

    def __init__(self, browsers: Browsers, server: LabServer) -> None:
        self._browsers, self._server = browsers, server
        self.players: list[Player] = []
        self.lenient = False

    def __call__(self, at: dict = DESK, server: LabServer | None = None, **fields) -> Player:
        """A participant of a new session, the demo with ``fields`` changed, at a screen like ``at``."""
        server = server or self._server
        session = server.create_session("ttt_demo", **{"ShowFileName": SHOW_FILE, **fields})
        return self.tab(self._browsers.context(at), server, session)

    def tab(self, context: BrowserContext, server: LabServer, session: LabSession) -> Player:
        """The participant of ``session`` at a new tab of a window."""
        player = Player(context.new_page(), server, session)
        self.players.append(player)
        return player

    def window(self, player: Player, **options) -> Player:
        """The same participant at a window of their own, with ``options`` of the browser."""
        context = self._browsers.program.new_context(**{**DESK, **options})
        return self.tab(context, player.server, player.session)


@pytest.fixture
def sit(browsers, server) -> Iterator[Tables]:
    """``sit()`` gives a :class:`Player` of a new session."""
    tables = Tables(browsers, server)
    yield tables
    faults = [fault for player in tables.players for fault in player.faults]
    for player in tables.players:
        player.page.close()  # which may itself break off a request
    assert tables.lenient or faults == []
