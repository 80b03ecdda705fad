"""Writes a hand to the ck or nk log, line by line, as its events arrive (ruling 6)."""

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote as percent_encode

from cardlab.games.events import PAUSE, RESUME, Event
from cardlab.games.ttt import board, rules
from cardlab.games.ttt.keeper_log.names import KEEPER_NAMES, VIEWS


def head_lines(
    participant_code: str, id_in_session: int, hands: int, ms: int, partner: str = ""
) -> list[str]:
    """Returns the four lines of the head of a participant; ``hands`` is the number of hands to play.

    ``partner`` is the code of the participant with the other keeper, or ``ROBOT``. Without it the participant
    is written as their own partner.
    """
    t = _clock(ms)
    own_id, other_id = (participant_code, partner) if partner else (id_in_session, id_in_session)
    return [
        f"{t}:Game begins",
        f"{t}:userID:userName {participant_code} {own_id} :gameNum {hands}:partner {other_id}",
        f"{t}:errorsMade 0:score 0:row 0column 0",
        f"{t}:{t}:GS:;Game started;;",
    ]


def deal_texts(layout: board.Layout) -> list[str]:
    """Returns the texts after the clocks in the lines of the six cards, in the order of dealing."""
    return [f"GC:{layout[board.PLACES.index(place)]};{view}:Card dealt" for place, view in VIEWS.items()]


def action_text(
    keeper: str, layout: board.Layout, turn: str, action: str, by_server: bool = False
) -> str | None:
    """Returns the text after the clocks for an accepted action in the file of ``keeper``; None for no line.

    ``layout`` and ``turn`` are those before the action. ``by_server`` marks a pass by the server for an
    absent participant.
    """
    is_own, name = turn == keeper, KEEPER_NAMES[keeper]
    if action == "P":
        by = " by the server" if by_server else ""
        return f"PP::Pass sent{by};;;" if is_own else f"RP::Remote pass{by} received;;;"
    if action in board.MOVES:
        cards = f"{_card(layout, board.MOVE_PLACE[action])};{_card(layout, board.KEEPER_PLACE[turn])}"
        return f"PM:{cards}:{name} Keeper moved card" if is_own else f"RM:{cards}:Remote move card"
    if not is_own:
        return None
    if action.startswith("look "):
        return f"VC:{_card(layout, board.KEEPER_PLACE[action[5:]])}:{name}KeeperViewed card"
    card = _card(layout, rules.PICKS.index(action)).replace(";", ":")
    return f"pR:{card}:{name}KeeperRemoved card"


def _card(layout: board.Layout, place: int) -> str:
    return f"{layout[place]};{VIEWS[board.PLACES[place]]}"


class HandWriter:
    """Writes the lines of one hand in the file of ``keeper``, as its events arrive.

    The clock follows the participant's (``shown_ms + client_ms``) and never runs backwards. The end of a hand
    by the server has the server's time. ``ms`` is the clock of the last line.

    If two participants play, the file has what the PC of the keeper's player saw: the partner's moves at the
    server's time, when they were sent, and nothing after the player left the page.

    Parameters:
        keeper: the keeper whose file it is.
        number: the number of the hand.
        deal: the deal.
        options: the options of the hand.
        shown_ms: when the hand was first shown, in Unix milliseconds.
        after_ms: the clock of the previous line, 0 if there is none.
        created_ms: the zero of the clock, in Unix milliseconds.
    """

    def __init__(
        self,
        keeper: str,
        number: int,
        deal: str,
        options: dict[str, Any],
        shown_ms: int,
        after_ms: int = 0,
        created_ms: int = 0,
    ):
        self.ms = max(shown_ms - created_ms, after_ms)
        self._keeper, self._number, self._shown_ms, self._created_ms = keeper, number, shown_ms, created_ms
        self._state = rules.start(deal, options)
        self._own_moves = 0
        self._two = self._state.two
        self._robots = options.get("robots") or {}
        self._acted = ""  # the seat that acted last
        self._left = False
        self._paused_ms: int | None = None
        self._pauses_ms = 0

    def deal_lines(self) -> list[str]:
        """Returns the hand's ``HS`` line and the six cards, a millisecond apart."""
        state = self._state
        settings = _settings_text(state, self._keeper)
        lines = [self._line(f"HS:{self._number};{state.goal};{state.turn};{settings}:Hand started")]
        for text in deal_texts(state.layout):
            lines.append(self._line(text))
            self.ms += 1
        self.ms -= 1
        return lines

    def event_lines(self, event: Event) -> list[str]:
        """Returns the lines that an event of the record adds to this keeper's file; often none."""
        if self._left:
            return []
        if event.accepted is None:
            return self._note_lines(event)
        two = self._two
        is_own = (event.seat if two else self._state.turn) == self._keeper
        now_ms = event.server_ms
        if event.client_ms is not None and not (two and (event.seat or self._acted) != self._keeper):
            now_ms = self._shown_ms + event.client_ms  # an action on this PC has the time of its clock
        self.ms = max(self.ms, now_ms - self._created_ms)
        self._acted = event.seat or self._acted
        if not event.accepted:
            return [self._refusal_line(event)] if is_own else []
        if event.action.startswith("end "):
            return self._end_lines(event)
        self._own_moves += is_own and event.action in board.MOVES
        by_server = two and event.client_ms is None and event.seat not in self._robots
        state = self._state
        text = action_text(self._keeper, state.layout, state.turn, event.action, by_server)
        self._state = rules.apply(state, event.seat, event.action)
        return [self._line(text)] if text else []

    def _note_lines(self, event: Event) -> list[str]:
        """Handles notes: the player left (returns the end lines), or the hand was paused or resumed."""
        if event.leave_outcome is not None and event.seat == self._keeper:
            self._left = True
            self.ms = max(self.ms, event.server_ms - self._created_ms)
            return self._end_lines(event)
        if event.is_note(PAUSE) and self._paused_ms is None:
            self._paused_ms = event.server_ms
        elif event.is_note(RESUME):
            self._end_pause(event.server_ms)
        return []

    def _end_pause(self, server_ms: int) -> None:
        if self._paused_ms is not None:
            self._pauses_ms, self._paused_ms = self._pauses_ms + server_ms - self._paused_ms, None

    def _refusal_line(self, event: Event) -> str:
        action, reason = _one_field(event.action), _one_field(event.reason)
        return self._line(f"ER:{action};{reason}:{KEEPER_NAMES[self._keeper]} Keeper refused")

    def _end_lines(self, event: Event) -> list[str]:
        """Returns the lines of the end. If paid by time, score and payoff use the server's time."""
        self._end_pause(event.server_ms)
        seconds = max(0, event.server_ms - self._shown_ms - self._pauses_ms) / 1000
        score = rules.result(self._state, rules.seats(self._state)[0], seconds).score
        return [self._line(f"GE:{self._own_moves};{score}:Hand Ended"), f"{_clock(self.ms)}::Hand Ended"]

    def _line(self, text: str) -> str:
        t = _clock(self.ms)
        return f"{t}:{t}:{text}"


class ParticipantLog:
    """Writes the log of one participant in the file of ``keeper``, hand by hand.

    ``hands`` is the number of hands of the session. All times are Unix milliseconds. The clock of the lines
    begins at ``created_ms`` (ruling 7).
    """

    def __init__(self, keeper: str, participant_code: str, id_in_session: int, hands: int, created_ms: int):
        self.number = 0  # the number of the last hand
        self._keeper, self._created_ms = keeper, created_ms
        self._who = participant_code, id_in_session, hands
        self._partner: str | None = None  # the partner in the last head
        self._writer: HandWriter | None = None

    def begin_hand(
        self,
        number: int,
        deal: str,
        options: dict[str, Any],
        shown_ms: int | None,
        events: Sequence[Event],
        partner: str = "",
    ) -> list[str]:
        """Returns the lines of the next hand up to its last event.

        A head precedes the first hand and the first with another ``partner``; see :func:`head_lines`.
        ``shown_ms`` is None for a hand that ended before it was shown; it then begins at its first event.
        """
        if shown_ms is None:
            shown_ms = events[0].server_ms if events else self._created_ms
        after_ms = self._writer.ms if self._writer else 0
        self.number = number
        self._writer = HandWriter(self._keeper, number, deal, options, shown_ms, after_ms, self._created_ms)
        lines = [] if partner == self._partner else head_lines(*self._who, 0, partner)
        self._partner = partner
        return [*lines, *self._writer.deal_lines(), *self.continue_hand(events)]

    def continue_hand(self, events: Iterable[Event]) -> list[str]:
        """Returns the lines of further events of the last hand. Raises ValueError if there is no hand."""
        writer = self._writer
        if writer is None:
            raise ValueError("No hand has been begun in this log, so none goes on.")
        return [line for event in events for line in writer.event_lines(event)]


def _clock(ms: int) -> str:
    return f"{ms // 1000}.{ms % 1000:03d}"


def _one_field(text: str) -> str:
    """Returns the text as a single field, which is also a CSV cell that needs no quotation marks.

    A rejected action is any text that a browser sent: of any length, perhaps with half a surrogate pair.
    """
    text = text[:200].encode("utf-8", "replace").decode()
    return re.sub(r'[\s,":;\x00-\x1f\x7f]+', " ", text).strip()


def _settings_text(state: board.State, keeper: str) -> str:
    """Returns ``key=value`` pairs separated by spaces; spaces and separators in values are percent-encoded.

    If two participants play, ``players``, ``seat`` (of this file) and ``block`` (of hands) come last.
    """
    settings = {key: state.options[key] for key in rules.DEFAULT_OPTIONS}
    if state.two:
        settings |= {"players": 2, "seat": keeper}
        if "block" in state.options:
            settings["block"] = state.options["block"]
    return " ".join(f"{key}={percent_encode(_text(value), safe='')}" for key, value in settings.items())


def _text(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)
