"""A hand written into the ck or nk log, line by line, as its events come in (ruling 6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote as percent_encode

from cardlab.games.events import PAUSE, RESUME, Event
from cardlab.games.ttt import rules
from cardlab.games.ttt.keeper_log.names import KEEPER_NAMES, VIEWS


def head(participant_code: str, id_in_session: int, hands: int, ms: int, partner: str = "") -> list[str]:
    """The four lines at the head of each participant; ``hands`` is the number of hands to play.

    ``partner`` is the code of who has the other keeper, or ``ROBOT``. Who plays alone is their own partner.
    """
    t = _clock(ms)
    own, other = (participant_code, partner) if partner else (id_in_session, id_in_session)
    return [
        f"{t}:Game begins",
        f"{t}:userID:userName {participant_code} {own} :gameNum {hands}:partner {other}",
        f"{t}:errorsMade 0:score 0:row 0column 0",
        f"{t}:{t}:GS:;Game started;;",
    ]


def deal_texts(layout: rules.Layout) -> list[str]:
    """What the lines of the six cards say after the clocks, in the order of dealing."""
    return [f"GC:{layout[rules.PLACES.index(place)]};{view}:Card dealt" for place, view in VIEWS.items()]


def action_text(
    keeper: str, layout: rules.Layout, turn: str, action: str, by_server: bool = False
) -> str | None:
    """What the file of ``keeper`` says after the clocks about an accepted action; None if it says nothing.

    ``layout`` and ``turn`` are as the action found them; ``by_server`` says that the server has passed for
    one of two who stayed away.
    """
    own, name = turn == keeper, KEEPER_NAMES[keeper]
    if action == "P":
        by = " by the server" if by_server else ""
        return f"PP::Pass sent{by};;;" if own else f"RP::Remote pass{by} received;;;"
    if action in rules.MOVES:
        cards = f"{_card(layout, rules.MOVE_PLACE[action])};{_card(layout, rules.KEEPER_PLACE[turn])}"
        return f"PM:{cards}:{name} Keeper moved card" if own else f"RM:{cards}:Remote move card"
    if not own:
        return None
    if action.startswith("look "):
        return f"VC:{_card(layout, rules.KEEPER_PLACE[action[5:]])}:{name}KeeperViewed card"
    picked = _card(layout, rules.PICKS.index(action)).replace(";", ":")
    return f"pR:{picked}:{name}KeeperRemoved card"


def _card(layout: rules.Layout, place: int) -> str:
    return f"{layout[place]};{VIEWS[rules.PLACES[place]]}"


class HandWriter:
    """The lines of one hand in the file of ``keeper``, as its events come in.

    ``number`` is the hand's number, ``shown_ms`` when it was first shown, ``created_ms`` the zero of the
    clock (both Unix milliseconds), and ``after_ms`` the clock of the line before, if there is one. The
    clock follows the participant's own (``shown_ms + client_ms``) and never runs backwards; a hand that
    was closed by the server ends by the server's. ``ms`` is the clock of the last line.

    Where two play, the file of a keeper has what the PC of that keeper's player saw: the partner's moves at
    the server's time, which brought them, and nothing after its player went on to the next page.
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
        self._rested_ms = 0

    def dealt(self) -> list[str]:
        """The hand's ``HS`` line and the six cards, a millisecond apart."""
        state = self._state
        settings = _settings_text(state, self._keeper)
        lines = [self._line(f"HS:{self._number};{state.goal};{state.turn};{settings}:Hand started")]
        for text in deal_texts(state.layout):
            lines.append(self._line(text))
            self.ms += 1
        self.ms -= 1
        return lines

    def event(self, event: Event) -> list[str]:
        """The lines that an event of the record adds to this keeper's file; often none."""
        if self._left:
            return []
        if event.accepted is None:
            return self._noted(event)
        two = self._two
        own = (event.seat if two else self._state.turn) == self._keeper
        now_ms = event.server_ms
        if event.client_ms is not None and not (two and (event.seat or self._acted) != self._keeper):
            now_ms = self._shown_ms + event.client_ms  # by the own PC's clock, since it was done there
        self.ms = max(self.ms, now_ms - self._created_ms)
        self._acted = event.seat or self._acted
        if not event.accepted:
            return [self._refused(event)] if own else []
        if event.action.startswith("end "):
            return self._ended(event)
        self._own_moves += own and event.action in rules.MOVES
        by_server = two and event.client_ms is None and event.seat not in self._robots
        state = self._state
        text = action_text(self._keeper, state.layout, state.turn, event.action, by_server)
        self._state = rules.apply(state, event.seat, event.action)
        return [self._line(text)] if text else []

    def _noted(self, event: Event) -> list[str]:
        """The player of the keeper goes on to the next page; or the researcher has had the hand stand still,
        or go on."""
        if event.leave_outcome is not None and event.seat == self._keeper:
            self._left = True
            self.ms = max(self.ms, event.server_ms - self._created_ms)
            return self._ended(event)
        if event.is_note(PAUSE) and self._paused_ms is None:
            self._paused_ms = event.server_ms
        elif event.is_note(RESUME):
            self._rest(event.server_ms)
        return []

    def _rest(self, until_ms: int) -> None:
        if self._paused_ms is not None:
            self._rested_ms, self._paused_ms = self._rested_ms + until_ms - self._paused_ms, None

    def _refused(self, event: Event) -> str:
        action, reason = _one_field(event.action), _one_field(event.reason)
        return self._line(f"ER:{action};{reason}:{KEEPER_NAMES[self._keeper]} Keeper refused")

    def _ended(self, event: Event) -> list[str]:
        """The hand is over for the keeper. Paid by time it is timed as its payoff is: by the server."""
        self._rest(event.server_ms)
        seconds = max(0, event.server_ms - self._shown_ms - self._rested_ms) / 1000
        score = rules.result(self._state, rules.seats(self._state)[0], seconds).score
        return [self._line(f"GE:{self._own_moves};{score}:Hand Ended"), f"{_clock(self.ms)}::Hand Ended"]

    def _line(self, text: str) -> str:
        t = _clock(self.ms)
        return f"{t}:{t}:{text}"


def hand_lines(
    keeper: str,
    number: int,
    deal: str,
    options: dict[str, Any],
    shown_ms: int,
    events: Iterable[Event],
    after_ms: int = 0,
    *,
    created_ms: int = 0,
) -> list[str]:
    """All lines of one hand in the file of ``keeper``; see :class:`HandWriter`."""
    writer = HandWriter(keeper, number, deal, options, shown_ms, after_ms, created_ms)
    lines = writer.dealt()
    for event in events:
        lines += writer.event(event)
    return lines


class ParticipantLog:
    """The whole log of one participant in the file of ``keeper``, told hand by hand as it is played.

    ``hands`` is how many hands the session has; ``created_ms`` and all other times are Unix
    milliseconds. The clock of the lines begins at ``created_ms`` (ruling 7).
    """

    def __init__(self, keeper: str, participant_code: str, id_in_session: int, hands: int, created_ms: int):
        self.number = 0  # of the hand told last
        self._keeper, self._created_ms = keeper, created_ms
        self._who = participant_code, id_in_session, hands
        self._partner: str | None = None  # of the head told last
        self._writer: HandWriter | None = None

    def begin(
        self,
        number: int,
        deal: str,
        options: dict[str, Any],
        shown_ms: int | None,
        events: Sequence[Event],
        partner: str = "",
    ) -> list[str]:
        """The lines of a further hand as far as it is played, after a head if it is the first or the first
        with this ``partner`` (see :func:`head`).

        ``shown_ms`` is None for a hand that was closed before it was shown: it begins when it was closed.
        """
        if shown_ms is None:
            shown_ms = events[0].server_ms if events else self._created_ms
        after_ms = self._writer.ms if self._writer else 0
        self.number = number
        self._writer = HandWriter(self._keeper, number, deal, options, shown_ms, after_ms, self._created_ms)
        lines = [] if partner == self._partner else head(*self._who, 0, partner)
        self._partner = partner
        return [*lines, *self._writer.dealt(), *self.go_on(events)]

    def go_on(self, events: Iterable[Event]) -> list[str]:
        """The lines of further events of the hand begun last; ValueError if none has been begun."""
        writer = self._writer
        if writer is None:
            raise ValueError("No hand has been begun in this log, so none goes on.")
        return [line for event in events for line in writer.event(event)]


def _clock(ms: int) -> str:
    return f"{ms // 1000}.{ms % 1000:03d}"


def _one_field(text: str) -> str:
    """Text that stays one field of one line, and one cell of a table without quotes around it.

    A refused action is whatever a browser sent: of any length, perhaps with half a surrogate pair.
    """
    text = text[:200].encode("utf-8", "replace").decode()
    return re.sub(r'[\s,":;\x00-\x1f\x7f]+', " ", text).strip()


def _settings_text(state: rules.State, keeper: str) -> str:
    """``key=value`` pairs parted by blanks; a value's own blanks and marks are percent-encoded. Where two
    play, that they do, whose file it is and the block of hands stand at the end."""
    told = {key: state.options[key] for key in rules.DEFAULT_OPTIONS}
    if state.two:
        told |= {"players": 2, "seat": keeper}
        if "block" in state.options:
            told["block"] = state.options["block"]
    return " ".join(f"{key}={percent_encode(_text(value), safe='')}" for key, value in told.items())


def _text(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)
