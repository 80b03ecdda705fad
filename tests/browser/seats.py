"""Seats simulated people at browser windows: one at Target the Two, or a table of the matrix card game."""

from __future__ import annotations

from matrix_player import Game, MatrixPlayer
from player import DESK, Player
from playwright.sync_api import Browser, BrowserContext
from server_fixture import LabServer, LabSession
from ttt_player import SHOW_FILE, TargetPlayer


class Browsers:
    """Chromium, with one shared window for each kind of screen, so that later tests use its cache.

    Each person at a table has a separate window, numbered from 0.
    """

    def __init__(self, program: Browser) -> None:
        self.program = program
        self._contexts: dict[str, BrowserContext] = {}

    def context(self, at: dict, person: int = 0) -> BrowserContext:
        """Returns the window for this kind of screen and this person; later tests share it."""
        kind = repr((at, person))
        if kind not in self._contexts:
            context = self._contexts[kind] = self.program.new_context(**at)
            context.clock.install = _refuse_clock
        return self._contexts[kind]


def _refuse_clock(*_time: object, **_options: object) -> None:
    """Prevents tests from installing a clock in a shared window, where it would affect all later tests.

    A clock that one test had moved by 30 s made two players of another test press keys 30 s apart.
    """
    raise AssertionError("Use a window of its own: a clock holds for all pages of a window, later ones too.")


class Seats:
    """Seats participants. At the end, checks that no browser reported a fault, unless ``lenient``."""

    player_class: type[Player]

    def __init__(self, browsers: Browsers, server: LabServer) -> None:
        self._browsers, self._server = browsers, server
        self.players: list[Player] = []
        self.lenient = False

    def tab(self, context: BrowserContext, server: LabServer, session: LabSession, number: int = 0) -> Player:
        """Opens a tab for a participant of ``session``; all windows share the same seat cookies."""
        cookies = [
            {"name": name, "value": value, "url": server.url} for name, value in server.browser.items()
        ]
        context.add_cookies(cookies)
        player = self.player_class(context.new_page(), server, session, number)
        self.players.append(player)
        return player

    def window(self, player: Player, **options) -> Player:
        """Opens a separate window for the same participant, with ``options`` of the browser."""
        context = self._browsers.program.new_context(**{**DESK, **options})
        return self.tab(context, player.server, player.session, player.number)

    def leave(self) -> None:
        """Closes all pages and checks the faults."""
        faults = [fault for player in self.players for fault in player.faults]
        for player in self.players:
            player.page.close()  # closing may abort a request
        assert self.lenient or faults == []


class TargetSeats(Seats):
    """Seats participants of Target the Two, each in a separate session."""

    player_class = TargetPlayer

    def __call__(self, at: dict = DESK, server: LabServer | None = None, **fields) -> TargetPlayer:
        """Seats a participant in a new session of the demo, with ``fields`` changed; ``at`` is the screen."""
        server = server or self._server
        session = server.create_session("ttt_demo", **{"ShowFileName": SHOW_FILE, **fields})
        return self.tab(self._browsers.context(at), server, session)


class MatrixSeats(Seats):
    """Seats co-players of the matrix card game, each in a separate window."""

    player_class = MatrixPlayer

    def __call__(
        self, people: int = 2, at: dict = DESK, server: LabServer | None = None, **fields
    ) -> list[MatrixPlayer]:
        """Seats the participants of a new session: by default one group, one game, no check."""
        server = server or self._server
        table = {"players": max(2, people), "group_size": people, "games": 1, "check": False, **fields}
        players, pack = table["players"], table.get("pack", "standard")
        deal_file = f"browser_{players}_{pack}.txt"
        session = server.create_session("matrix_two", people, **{"deal_file": deal_file, **table})
        return [
            self.tab(self._browsers.context(at, number), server, session, number) for number in range(people)
        ]

    def game(self, *people: MatrixPlayer, **options) -> Game:
        """Returns the game once all these people are at its table."""
        return Game(people, **options)
