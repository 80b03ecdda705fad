"""Seats simulated participants at tables, and plays their hands."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from cardlab.games.contract import Policy, Reply
from cardlab.games.events import ARRIVE, END, SEARCHED, Event, server_note
from cardlab.games.hand import Hand
from cardlab.games.record import Opening
from cardlab.games.registry import Game
from cardlab.games.seating import GameTable, seat_session
from cardlab.games.simulation import Session

PAUSE_MS = (2000, 5000)  # minimum and maximum time between two hands


class SimulatedPlayer(Protocol):
    """A simulated player. ``ready_ms`` is when the next hand can begin, ``play`` returns the next action."""

    ready_ms: int
    play: Policy

    def thinking_ms(self, hand: int) -> int:
        """Returns how long the next action takes, in milliseconds; ``hand`` is the number of the hand."""

    def rest(self, since_ms: int, pause: tuple[int, int]) -> None:
        """Sets when the next hand can begin. ``pause`` is the minimum and maximum in milliseconds."""


def app_of_opening(game: Game, opening: Opening) -> str:
    """Returns the app for a hand, which depends on the number of its seats."""
    return game.app_for_seats(len(game.rules.seats(game.rules.start(opening.deal, opening.options))))


def table_size(game: Game, session: Session) -> int:
    """Returns the number of participants at a table of a session."""
    if session.groups:
        size: int = session.config["group_size"]
        return size
    return len(Hand(game.rules, session.hands_by_group[0][0]).human_seats)


def seat_tables(
    game: Game, session: Session, numbers: Sequence[int], treatment: str = ""
) -> list[list[GameTable]]:
    """Returns the tables of each hand of a session, with the participants' numbers.

    Without ``session.groups``, neighbours in ``numbers`` play together.
    """
    if session.groups:
        in_order = sorted(numbers)
        return [*seat_session(session.groups, session.config, session.hands_by_group, in_order, treatment)]
    (hands,), size = session.hands_by_group, table_size(game, session)
    groups = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    return [
        [
            GameTable(hand, rotate_seats(group, Hand(game.rules, hand).human_seats, number), number == 1)
            for group in groups
        ]
        for number, hand in enumerate(hands, 1)
    ]


def rotate_seats(group: Sequence[int], seats: Sequence[str], hand: int) -> dict[str, int]:
    """Returns the member in each seat. Members keep their order, and the first seat rotates each hand."""
    members = {seats[(index - hand + 1) % len(seats)]: member for index, member in enumerate(group)}
    return {seat: members[seat] for seat in seats}


def play_hand(
    game: Game, opening: Opening, players: Mapping[str, SimulatedPlayer], hand: int
) -> tuple[Opening, list[Event]]:
    """Plays a hand to its end, then lets all players rest.

    Seats that must act do so in the order of their thinking times, robots first.

    Parameters:
        game: the game.
        opening: the deal and settings.
        players: the players by seat.
        hand: the number of the hand, from 1.

    Returns:
        The opening with the time when it was shown, and the events of the record.
    """
    table = _Table(game, opening, players, hand)
    while not game.rules.is_over(table.state):
        table.play_action()
    return table.opening, table.end()


class _Table:
    """A hand that is being played: its state, its events and its clock."""

    def __init__(
        self, game: Game, opening: Opening, players: Mapping[str, SimulatedPlayer], hand: int
    ) -> None:
        self._game, self._options, self._players, self._hand = game, opening.options, players, hand
        self._arrival_ms = {seat: player.ready_ms for seat, player in players.items()}
        self._shown_ms = self._now_ms = min(self._arrival_ms.values())
        self._due_ms: dict[str, int] = {}
        self._client_ms: int | None = None
        self._events: list[Event] = []
        self._number = 1
        self.opening = replace(opening, shown_ms=self._shown_ms)
        self.state = game.rules.start(opening.deal, opening.options)
        self._seats, self._robots = game.rules.seats(self.state), opening.options.get("robots") or {}
        self._not_arrived = sorted(players, key=self._arrival_ms.__getitem__) if len(self._seats) > 1 else []

    def play_action(self) -> None:
        """Plays the next action: the forced one, a robot's, or that of the fastest player."""
        rules = self._game.rules
        waiting_seats = rules.waiting_for(self.state)
        action = rules.forced_action(self.state)
        if action:
            (seat,), self._client_ms = waiting_seats, None
        elif robots := [seat for seat in waiting_seats if seat in self._robots]:
            seat, self._client_ms = robots[0], None
            self._note_arrivals()
            action, searched = robot_reply(self._game, self.state, seat, self._options)
            if searched:
                self._events.append(server_note(seat, f"{SEARCHED}{searched}", self._now_ms))
        else:
            self._due_ms = {seat: self._due_ms.get(seat) or self._decision_ms(seat) for seat in waiting_seats}
            seat = min(waiting_seats, key=self._due_ms.__getitem__)
            self._now_ms = self._due_ms.pop(seat)
            self._client_ms = self._now_ms - self._shown_ms
            self._note_arrivals()
            action = self._players[seat].play(self.state, seat)
        self._events.append(Event(self._number, seat, action, self._client_ms, self._now_ms))
        self.state, self._number = rules.apply(self.state, seat, action), self._number + 1

    def _decision_ms(self, seat: str) -> int:
        """Returns when the player of a seat, whose turn begins now, will act."""
        return max(self._now_ms, self._arrival_ms[seat]) + self._players[seat].thinking_ms(self._hand)

    def _note_arrivals(self) -> None:
        while self._not_arrived and self._arrival_ms[self._not_arrived[0]] <= self._now_ms:
            seat = self._not_arrived.pop(0)
            self._events.append(server_note(seat, ARRIVE, self._arrival_ms[seat]))

    def end(self) -> list[Event]:
        """Adds the end of the hand, lets the players rest and returns all events."""
        outcome = self._game.rules.result(self.state, self._seats[0], 0).outcome
        self._events.append(Event(self._number, "", f"{END}{outcome}", self._client_ms, self._now_ms))
        for seat, player in self._players.items():
            player.rest(max(self._now_ms, self._arrival_ms[seat]), PAUSE_MS)
        return self._events


def robot_reply(game: Game, state: Any, seat: str, options: Mapping[str, Any]) -> Reply:
    """Returns the action of a robot, from the game's engine if it needs a search."""
    arguments = state, seat, options["robots"][seat], options["seed"]
    question = game.rules.engine_question(*arguments)
    if question is None:
        return Reply(game.rules.robot_action(*arguments))
    reply: Reply = game.load_module("engine").answer(question)
    return reply
