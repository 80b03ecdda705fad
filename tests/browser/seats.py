"""Seats simulated people at browser windows: one at Target the Two, or a whole table of the matrix game."""

from __future__ import annotations

from matrix_player import Game, MatrixPlayer
from player import DESK, Player
from playwright.sync_api import Browser, BrowserContext
from server_fixture import LabServer, LabSession
from ttt_player import SHOW_FILE, TargetPlayer


class Browsers:
    """Chromium, with one window for each kind of screen: what is loaded once is quick the next time.

    People who sit at one table each have a window of their own, numbered from 0.
    """

    def __init__(self, program: Browser) -> None:
        self.program = program
        self._contexts: dict[str, BrowserContext] = {}

    def context(self, at: dict, person: int = 0) -> BrowserContext:
        """Returns the window for this kind of screen and this person, which later tests use, too."""
        kind = repr((at, person))
        if kind not in self._contexts:
            context = self._contexts[kind] = self.program.new_context(**at)
            context.clock.install = _refuse_clock
        return self._contexts[kind]


def _refuse_clock(*_time: object, **_options: object) -> None:
    """Keeps tests from a clock of a shared window: it would go on in the pages of all later tests there.

    A clock that one test had moved 30 s ahead made two players of another press their keys 30 s apart.
    """
    raise AssertionError("Use a window of its own: a clock holds for all pages of a window, later ones too.")


class Seats:
    """Seats participants. In the end no browser may have complained, unless ``lenient``."""

    player_class: type[Player]

    def __init__(self, browsers: Browsers, server: LabServer) -> None:
        self._browsers, self._server = browsers, server
        self.players: list[Player] = []
        self.lenient = False

    def tab(self, context: BrowserContext, server: LabServer, session: LabSession, number: int = 0) -> Player:
        """Returns a participant of ``session`` at a new tab of a window; all windows count as one browser."""
        cookies = [
            {"name": name, "value": value, "url": server.url} for name, value in server.browser.items()
        ]
        context.add_cookies(cookies)
        player = self.player_class(context.new_page(), server, session, number)
        self.players.append(player)
        return player

    def window(self, player: Player, **options) -> Player:
        """Returns the same participant at a window of their own, with ``options`` of the browser."""
        context = self._browsers.program.new_context(**{**DESK, **options})
        return self.tab(context, player.server, player.session, player.number)

    def leave(self) -> None:
        """Everybody closes their page."""
        faults = [fault for player in self.players for fault in player.faults]
        for player in self.players:
            player.page.close()  # which may itself break off a request
        assert self.lenient or faults == []


class TargetSeats(Seats):
    """Seats participants of Target the Two, each in a session of their own."""

    player_class = TargetPlayer

    def __call__(self, at: dict = DESK, server: LabServer | None = None, **fields) -> TargetPlayer:
        """A participant of a new session, the demo with ``fields`` changed, at a screen like ``at``."""
        server = server or self._server
        session = server.create_session("ttt_demo", **{"ShowFileName": SHOW_FILE, **fields})
        return self.tab(self._browsers.context(at), server, session)


class MatrixSeats(Seats):
    """Seats co-players of the matrix card game, each in a window of their own."""

    player_class = MatrixPlayer

    def __call__(
        self, people: int = 2, at: dict = DESK, server: LabServer | None = None, **fields
    ) -> list[MatrixPlayer]:
        """The participants of a new session: one group, one game, no check, unless ``fields`` say so."""
        server = server or self._server
        table = {"players": max(2, people), "group_size": people, "games": 1, "check": False, **fields}
        players, pack = table["players"], table.get("pack", "standard")
        deal_file = f"browser_{players}_{pack}.txt"
        session = server.create_session("matrix_two", people, **{"deal_file": deal_file, **table})
        return [
            self.tab(self._browsers.context(at, number), server, session, number) for number in range(people)
        ]

    def game(self, *people: MatrixPlayer, **options) -> Game:
        """Returns the game of these people, once they are all at its table."""
        return Game(people, **options)
