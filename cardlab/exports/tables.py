"""The tables every game exports: actions, hands, participants.

The columns of actions and hands stand in ``cardlab/games/tables.py``, where the analysis finds them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from types import ModuleType
from typing import Any, NamedTuple

from cardlab.core.hand_cache import UnreadableRecord, fold
from cardlab.core.record_chain import Line
from cardlab.games.contract import OUTCOMES, Rules
from cardlab.games.events import RECONNECT, Event
from cardlab.games.hand import Hand, History
from cardlab.games.record import Opening, compact_json, is_opening_line, read_event, read_opening, read_record
from cardlab.games.tables import (
    ACTION_COLUMNS,
    HAND_COLUMNS,
    HAND_IDENTITY_COLUMNS,
    PART_COLUMNS,
    PARTICIPANT_COLUMNS,
    PARTICIPANT_ID_COLUMNS,
    TUTORIAL_COLUMNS,
    UNREADABLE,
    deal_cells,
    event_cells,
    format_utc,
    guard_formula,
)
from cardlab.live.lab import LAB
from cardlab.pages.pages import HandPage, TutorialPage
from cardlab.sessions import treatments
from cardlab.sessions.completion import ended_early
from cardlab.sessions.config import config_of, is_paid, payoff
from cardlab.sessions.money import worth


def created_ms(session) -> int:
    """When the session was created, Unix milliseconds (oTree keeps seconds, on SQLite with fractions)."""
    return round(session._created * 1000)


def of_game(page: type[HandPage], measures: ModuleType) -> tuple[Callable, Callable, Callable]:
    """The three exports of every game: ``custom_export``, ``custom_export_hands`` and ``…_participants``."""
    return (
        lambda players: actions(players, page),
        lambda players: hands(players, page, measures),
        lambda players: participants(players, page),
    )


class Played(NamedTuple):
    """A hand that has been begun, with the oTree players at it by their seats."""

    hand_id: str
    lines: list[Line]
    players: dict[str, Any]

    @property
    def somebody(self):
        """One of the players, for what all of them have in common."""
        return next(iter(self.players.values()))

    def fold(self, rules: Rules) -> Hand:
        """The hand. Raises UnreadableRecord."""
        return fold(rules, self.hand_id, self.lines)

    def read(self) -> tuple[Opening, list[Event]]:
        """Its opening and its events."""
        return read_record([line.text for line in self.lines])

    def at(self, seat: str):
        """The player in a seat, None for a robot; without seat, the one who plays alone or None."""
        return self.players.get(seat) or (self.somebody if not seat and len(self.players) == 1 else None)


def _played(players, page: type[HandPage]) -> Iterator[Played]:
    """The hands that have been begun, each once, in the order of the players."""
    there: dict[str, dict[str, Any]] = {}  # by the hands' names
    for player in players:
        there.setdefault(page.hand_id(player), {})[page.seat(player)] = player
    for hand_id, seated in there.items():
        if lines := LAB.page_records.lines(hand_id):
            yield Played(hand_id, lines, seated)


def who(row, participant) -> list[Any]:
    """The cells of ``WHO_COLUMNS``; of a robot, without ``participant``, those of the row's session."""
    session = row.session
    own = (
        [participant.code, guard_formula(participant.label), int(participant._is_bot)]
        if participant
        else [""] * 3
    )
    treatment = treatments.of_row(row)
    return [session.code, int(session.is_demo), format_utc(created_ms(session)), *own, treatment]


def _identity(page: type[HandPage], hand: Played, seat: str) -> list[Any]:
    """The cells of ``WHO_COLUMNS`` and ``HAND_IDENTITY_COLUMNS``."""
    some, player = hand.somebody, hand.at(seat)
    return [
        *who(some, player.participant if player else None),
        *(some.get_folder_name(), page.hand_number(some), hand.hand_id, seat),
    ]


def actions(players, page: type[HandPage]) -> Iterator[list[Any]]:
    """One row an action: enough to rebuild logs, replay and re-score every hand."""
    yield list(ACTION_COLUMNS)
    for hand in _played(players, page):
        try:
            shown_ms = hand.fold(page.rules).shown_ms
        except UnreadableRecord as damage:
            yield _damaged(hand, page, damage)
            continue
        opening, events = hand.read()
        identity = {seat: _identity(page, hand, seat) for seat in ("", *{event.seat for event in events})}
        alone = hand.at("")
        number = alone.participant.id_in_session if alone else ""
        yield [*identity[""], *deal_cells(opening, shown_ms, number)]
        for event in events:
            yield [*identity[event.seat], *event_cells(event)]


def _damaged(hand: Played, page: type[HandPage], damage: UnreadableRecord) -> list[Any]:
    """The one row of a hand whose record cannot be read: its raw text as the reason, and a notice."""
    cells = dict.fromkeys(ACTION_COLUMNS, "")
    cells |= zip([*PARTICIPANT_ID_COLUMNS, *HAND_IDENTITY_COLUMNS], _identity(page, hand, ""))
    cells |= {"action": UNREADABLE, "reason": guard_formula("\n".join(line.text for line in hand.lines))}
    cells["notice"] = f"This hand cannot be read: {damage}. Its record stands in the column reason."
    return list(cells.values())


def histories(players, page: type[HandPage]) -> Iterator[tuple[Played, History]]:
    """The hands that have been begun but for those whose record is damaged."""
    for played in _played(players, page):
        try:
            played.fold(page.rules)
        except UnreadableRecord:
            continue
        yield played, History.replay(page.rules, *played.read())


def hands(players, page: type[HandPage], measures: ModuleType) -> Iterator[list[Any]]:
    """One row a hand and seat. ``measures`` is the game's module of measures: ``COLUMNS`` names them,
    ``of_hand(course, seat)`` gives them and the ``sequence`` of moves."""
    yield [*HAND_COLUMNS, *measures.COLUMNS]
    best: dict[str, int] = {}  # by participant, over the hands so far
    for played, history in histories(players, page):
        for seat in history.hand.seats:
            own = measures.measure_hand(history, seat)
            cells = _hand_cells(played.at(seat), history, seat, own["sequence"], best)
            yield [*_identity(page, played, seat), *cells, *(own[name] for name in measures.COLUMNS)]


def _hand_cells(player, history: History, seat: str, sequence: str, best: dict[str, int]):
    """The cells of ``HAND_COLUMNS`` after those of the identity; ``best`` is brought up to date."""
    hand, opening = history.hand, history.opening
    result = hand.result(seat)
    over = hand.is_over_for(seat)
    earlier, paid, earned = "", "", ""
    if player:
        config, who = config_of(player), player.participant.id_in_session
        earlier, paid = best.get(player.participant.code, ""), int(is_paid(config, opening, who))
        earned = payoff(config, opening, who, result.score) if over else 0
        if over and not opening.practice:
            best[player.participant.code] = max(result.score, result.score if earlier == "" else earlier)
    own = [event for event in history.events if event.seat == seat]
    return [
        *(int(opening.practice), opening.deal, sequence),
        *(result.outcome, result.score, earlier, paid, earned),
        *(format_utc(hand.shown_ms), format_utc(hand.ended_ms_for(seat))),
        round(hand.seconds(seat), 3) if over else "",
        sum(event.accepted is True for event in own),
        sum(event.accepted is False for event in own),
        sum(event.action == RECONNECT for event in own if event.accepted is None),
        compact_json(opening.options),
        *(opening.source, opening.sha256, opening.notice, opening.version),
    ]


def parts(
    players, page: type[HandPage], columns: dict[str, str], of_hand: Callable[..., Iterable[dict[str, Any]]]
) -> Iterator[list[Any]]:
    """One row for each part of a hand, such as a turn.

    ``of_hand(course)`` gives for each part the values of ``columns``.
    """
    yield [*PART_COLUMNS, *columns]
    for played, history in histories(players, page):
        identity = _identity(page, played, "")
        cells = dict(zip([*PARTICIPANT_ID_COLUMNS, *HAND_IDENTITY_COLUMNS], identity))
        own = [cells[name] for name in PART_COLUMNS]
        for part in of_hand(history):
            yield [*own, *(part[name] for name in columns)]


def lines(text: Iterable[str]) -> Iterator[list[str]]:
    """A text file as an export: oTree writes a row of one plain cell as that very text."""
    for line in text:
        yield [line]


def by_participant(players) -> dict[str, list[Any]]:
    """The players of each participant in the order of their rounds, participants as they come."""
    grouped: dict[str, list[Any]] = {}
    for player in players:
        grouped.setdefault(player.participant.code, []).append(player)
    return grouped


def participants(players, page: type[HandPage]) -> Iterator[list[Any]]:
    """One row a participant."""
    yield list(PARTICIPANT_COLUMNS)
    for rounds in by_participant(players).values():
        yield _participant_row(rounds, page)


def _participant_row(rounds: list[Any], page: type[HandPage]) -> list[Any]:
    first, participant = rounds[0], rounds[0].participant
    played = [(hand, page.seat(player)) for player in rounds if (hand := page.hand(player))]
    shown = [ms for hand, seat in played if (ms := hand.seats[seat].arrived_ms) is not None]
    ended = [ms for hand, seat in played if (ms := hand.ended_ms_for(seat)) is not None]
    over = [(hand, seat) for hand, seat in played if hand.is_over_for(seat) and not hand.opening.practice]
    counted = [hand.result(seat) for hand, seat in over]
    results = [player.results_shown_ms for player in rounds if player.results_shown_ms]
    return [
        *who(first, participant),
        first.get_folder_name(),
        _came(participant),
        format_utc(first.instructions_done_ms),
        format_utc(first.check_done_ms),
        first.check_attempts.count("\n"),
        guard_formula(" ".join(first.check_attempts.split("\n")).strip()),
        format_utc(min(shown, default=None)),
        format_utc(max(ended, default=None)),
        format_utc(min(results, default=None)),
        len(counted),
        sum(OUTCOMES[result.outcome].is_goal for result in counted),
        sum(result.score for result in counted),
        points := sum(player.payoff for player in rounds),
        worth(first.session.config, points),
        participant.payoff_plus_participation_fee(),
        participant.status if ended_early(participant) else "",
    ]


def _came(participant) -> str:
    """oTree keeps ``2026-11-20 14:03:07.412345``, UTC."""
    if not participant.time_started_utc:
        return ""
    moment = datetime.fromisoformat(participant.time_started_utc).replace(tzinfo=timezone.utc)
    return format_utc(moment.timestamp() * 1000)


def of_tutorial(page: type[TutorialPage]) -> Callable:
    """The export of the steps of the instructions: ``custom_export_tutorial``."""
    return lambda players: tutorial(players, page)


def tutorial(players, page: type[TutorialPage]) -> Iterator[list[Any]]:
    """One row a step that was done; none of a board whose record is damaged."""
    yield list(TUTORIAL_COLUMNS)
    for rounds in by_participant(players).values():
        first = rounds[0]
        if page.hand(first) is None:
            continue
        texts = [line.text for line in LAB.page_records.lines(page.hand_id(first))]
        identity = [*who(first, first.participant), first.get_folder_name()]
        for cells in steps(page.rules, texts):
            yield [*identity, *cells]


def steps(rules: Rules, texts: Iterable[str]) -> Iterator[list[Any]]:
    """The cells of ``TUTORIAL_COLUMNS`` after those of the participant, of a board's record: its texts."""
    hand, since_ms, tries, refused = None, None, 0, 0
    done: set[str] = set()
    for text in texts:
        if is_opening_line(text):
            hand = Hand(rules, read_opening(text))
            since_ms = since_ms or hand.shown_ms
            continue
        event, before = read_event(text), hand
        hand = hand.after(event)
        if event.client_ms is not None and event.accepted is not None:
            refused += event.accepted is False
            tries += event.accepted is False or hand.state != before.state
        if event.tutorial_step and event.tutorial_step not in done:
            done.add(event.tutorial_step)
            seconds = round(max(0, event.server_ms - since_ms) / 1000, 3)
            yield [event.tutorial_step, format_utc(event.server_ms), seconds, tries, refused]
            since_ms, tries, refused = event.server_ms, 0, 0
