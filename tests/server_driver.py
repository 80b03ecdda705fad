"""Plays a hand through the server's transitions step by step, without a server; the test sets the clock."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from record_builder import play_due

from cardlab.core import transitions as server
from cardlab.core.protocol import Message
from cardlab.core.transitions import Draft
from cardlab.games.contract import Rules
from cardlab.games.events import ARRIVE, Event
from cardlab.games.hand import Hand
from cardlab.games.record import Opening

SHOWN_MS = 1_000_000


class ServerDriver:
    """A hand that is shown at once and at which every participant has arrived.

    ``hand`` is its current state and ``events`` its record so far. After each step the server plays what is
    due.
    """

    def __init__(self, rules: Rules, opening: Opening) -> None:
        self.now_ms = SHOWN_MS
        self.hand = Hand(rules, replace(opening, shown_ms=SHOWN_MS))
        self.events: list[Event] = []
        arrivals = [Event(None, seat, ARRIVE, None, SHOWN_MS, None) for seat in self.hand.human_seats]
        self._take(arrivals if len(self.hand.seats) > 1 else [])

    def _take(self, events: list[Event]) -> None:
        draft = Draft(self.hand)
        for event in events:
            draft.add(event)
        self._store(draft)

    def _store(self, draft: Draft) -> None:
        play_due(draft, self.now_ms)
        self.hand = draft.hand
        self.events += draft.events

    @property
    def done(self) -> list[tuple[str, str]]:
        """Returns the seat and action of each accepted action, without the end row."""
        return [(event.seat, event.action) for event in self.events if event.accepted and event.seat]

    def send_action(
        self, seat: str, action: str, ms: int = 0, traces: tuple = (), off: int = 0
    ) -> dict[str, Any]:
        """Sends an action of a seat, its sequence number wrong by ``off``; returns the response."""
        draft = Draft(self.hand)
        message = Message(1, max(0, self.hand.seats[seat].next_number + off), action, ms, traces)
        refused = server.play(draft, seat, message, self.now_ms)
        self._store(draft)
        return self.message_to(seat, refused)

    def pass_time(self, seconds: float) -> None:
        self.now_ms += int(1000 * seconds)
        self._take([])

    def leave(self, seat: str) -> None:
        draft = Draft(self.hand)
        server.leave(draft, seat, "advanced", self.now_ms)
        self._store(draft)

    def message_to(self, seat: str, refused: str = "") -> dict[str, Any]:
        """Returns the message that the server sends to the seat's browser."""
        return server.message_to_seat(self.hand, seat, 1, self.now_ms, refused)


milliseconds = st.integers(0, 100_000)


def histories(sent: st.SearchStrategy[str], most: int = 40) -> st.SearchStrategy[list]:
    """Draws steps of a hand for :func:`run_history`; ``sent`` is a strategy for what a browser may send."""
    message = st.tuples(
        st.integers(0, 3),  # whose browser
        st.one_of(st.integers(0, 30), sent),  # one of the legal actions, or anything
        milliseconds,
        st.lists(st.tuples(sent, milliseconds), max_size=3).map(tuple),
        st.sampled_from([0, 0, 0, 0, -1, 1]),
    )
    passes = st.sampled_from([("wait", 5), ("wait", 40)])
    left = st.tuples(st.just("leave"), st.integers(0, 3))
    return st.lists(st.one_of(message, message, message, message, message, passes, left), max_size=most)


def run_history(rules: Rules, opening: Opening, history: list):
    """Yields the initial hand and the hand after each step, with the seat that acted and its response."""
    hand = ServerDriver(rules, opening)
    yield hand, None, None
    for what, *how in history:
        seats = hand.hand.human_seats
        if what == "wait":
            hand.pass_time(*how)
        elif not seats:
            break
        elif what == "leave":
            hand.leave(seats[how[0] % len(seats)])
        else:
            seat, (action, *others) = seats[what % len(seats)], how
            if isinstance(action, int):
                legal = rules.legal_actions(hand.hand.state, seat) or ["nothing"]
                action = legal[action % len(legal)]
            yield hand, seat, hand.send_action(seat, action, *others)
            continue
        yield hand, None, None
