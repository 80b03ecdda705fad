"""Seats the participants of one hand of any game, each in a separate tab."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from harnesses import Game
from server_fixture import LabServer, LabSession
from tabs import Tab, Visitor


class SeatedPlayer(NamedTuple):
    """One participant at a table."""

    visitor: Visitor
    tab: Tab


class GameTable:
    """Seats all players of one hand; each acts only on the messages of their own tab."""

    def __init__(self, game: Game, server: LabServer, session: LabSession, visitors: Iterable[Visitor]):
        self.harness, self.server, self.session = game.harness, server, session
        seated = [SeatedPlayer(visitor, visitor.sit_down()) for visitor in visitors]
        self.players = {game.harness.seat(each.tab.first["view"]): each for each in seated}
        self.rng = random.Random(1)
        if len(seated) > 1:  # until each has seen everybody arrive
            self.until(lambda said: not self.players.keys() & set(said["wait"]["away"]))

    def tab(self, seat: str) -> Tab:
        return self.players[seat].tab

    def visitor(self, seat: str) -> Visitor:
        return self.players[seat].visitor

    @property
    def tabs(self) -> list[Tab]:
        return [each.tab for each in self.players.values()]

    def moves(self, seat: str) -> list[str]:
        """Returns the legal moves of the seat according to its tab's last message."""
        return self.harness.moves(self.tab(seat).state["view"])

    def act(self, seat: str, action: str | None = None) -> dict[str, Any]:
        """Waits until the seat knows that it may act, then plays ``action`` or a random legal move."""
        self.tab(seat).until(lambda said: self.harness.moves(said["view"]))
        return self.tab(seat).act(action or self.rng.choice(self.moves(seat)))

    def act_as_anyone(self) -> str:
        """Lets a seat that may act do so, and returns the seat."""
        seats = [seat for seat in self.players if self.moves(seat)]
        while not seats:  # actions of others or robots are still in flight
            for tab in self.tabs:
                tab.receives_within(0.01)
            seats = [seat for seat in self.players if self.moves(seat)]
        self.act(seats[0])
        return seats[0]

    def until(self, condition: Callable[[dict[str, Any]], Any]) -> None:
        """Receives messages in every tab until the condition holds there."""
        for tab in self.tabs:
            tab.until(condition)

    def next_page(self) -> list[Visitor]:
        """Presses "Next" for every player."""
        visitors = [each.visitor for each in self.players.values()]
        for visitor in visitors:
            visitor.send()
        return visitors


def gather_table(game: Game, server: LabServer, session: LabSession) -> GameTable:
    """Returns the table of the first group of a session, at its first hand."""
    visitors = [Visitor(server, code) for code in session.participants[: game.harness.PEOPLE]]
    for visitor in visitors:
        visitor.walk_to("Gather", "Hand")
    return GameTable(game, server, session, visitors)
