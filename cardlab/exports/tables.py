"""The tables that every game exports: actions, hands, participants, and steps of the tutorial.

``cardlab/games/tables.py`` defines the columns. ``players`` are read block by block
(:mod:`cardlab.exports.players`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from types import ModuleType
from typing import Any, NamedTuple

from otree.export import sanitize_for_csv

from cardlab.core.hand_cache import UnreadableRecord, fold
from cardlab.core.record_chain import RecordEnd, RecordLine
from cardlab.exports.players import (
    Export,
    Players,
    TableRows,
    hand_blocks,
    players_by_participant,
    sessions_of,
)
from cardlab.games.contract import OUTCOMES, Rules
from cardlab.games.events import RECONNECT, Event
from cardlab.games.factors import COLUMN
from cardlab.games.hand import Hand, History
from cardlab.games.record import Opening, compact_json, is_opening_line, read_event, read_opening, read_record
from cardlab.games.tables import (
    ACTION_COLUMNS,
    DIGEST_COLUMN,
    HAND_COLUMNS,
    HAND_IDENTITY_COLUMNS,
    PART_COLUMNS,
    PARTICIPANT_COLUMNS,
    PARTICIPANT_ID_COLUMNS,
    RECORD_END_COLUMNS,
    TUTORIAL_COLUMNS,
    UNREADABLE,
    deal_cells,
    event_cells,
    format_utc,
    guard_formula,
)
from cardlab.live.lab import LAB
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import HandPage
from cardlab.pages.tutorial import TutorialPage
from cardlab.row_chain import RowChain
from cardlab.sessions import recruiting, treatments
from cardlab.sessions.arrival import has_ended_early, has_withdrawn
from cardlab.sessions.config import config_of, is_paid, payoff
from cardlab.sessions.money import to_money
from cardlab.sessions.participant_language import language_of


def created_ms(session: Any) -> int:
    """Returns the creation time of a session in Unix milliseconds (oTree stores seconds)."""
    return int(round(session._created * 1000))


def with_factors(table_rows: TableRows) -> Export:
    """Returns a table's export with a column for each factor of a factorial design, after the treatment."""

    def rows(players: Players) -> Iterator[list[Any]]:
        treatments_by_code = {
            session.code: each
            for session in sessions_of(players)
            if (each := treatments.session_treatments(session))
        }
        names = list(dict.fromkeys(name for each in treatments_by_code.values() for name in each.factors))
        table = table_rows(players)
        heading = next(table)
        if not names:
            yield heading
            yield from table
            return
        code, treatment = heading.index("session_code"), heading.index("treatment")
        next_column = treatment + 1
        yield [*heading[:next_column], *(f"{COLUMN}{name}" for name in names), *heading[next_column:]]
        for row in table:
            levels = (
                treatments_by_code[row[code]].levels(row[treatment])
                if row[code] in treatments_by_code
                else {}
            )
            yield [*row[:next_column], *(levels.get(name, "") for name in names), *row[next_column:]]

    return Export(rows)


def with_digests(export: Export) -> Export:
    """Returns the export with a digest at the end of each row, for which the heading has the last column."""

    def rows(players: Players) -> Iterator[list[Any]]:
        table = export(players)
        heading = next(table)
        yield heading
        chain, place = RowChain(heading), len(heading) - 1
        for row in table:
            cells = row[:place]
            yield [*cells, chain.digest_next([str(sanitize_for_csv(cell)) for cell in cells])]

    return Export(rows)


def game_exports(page: type[HandPage], measures: ModuleType) -> tuple[Export, Export, Export]:
    """Returns the exports of a game: ``custom_export``, ``custom_export_hands`` and ``…_participants``."""
    return (
        action_export(page),
        with_digests(with_factors(lambda players: hand_rows(players, page, measures))),
        with_factors(lambda players: participant_rows(players, page)),
    )


def action_export(page: type[BoardPage]) -> Export:
    """Returns the export of the actions on the boards of a page."""
    return with_digests(with_factors(lambda players: action_rows(players, page)))


def text_export(page: type[HandPage], lines_of: Callable[[History, str], Iterable[str]]) -> Export:
    """Returns the export of a text file.

    ``lines_of`` returns the lines of a hand; its second argument is a text that identifies the hand.
    """
    return Export(
        lambda players: text_rows(
            line
            for hand, history in readable_hands(players, page)
            for line in lines_of(history, f"session {hand.any_player.session.code} hand {hand.hand_id}")
        )
    )


def answer_export(columns: Iterable[str], **cells: Callable[[Any], Any]) -> Export:
    """Returns the export of an app that is not a game: a row for each participant, with their answers.

    A column has the answer in the field of its name, empty without one. A function in ``cells`` computes the
    cell of a column from the player instead.
    """
    cells["answered_utc"] = lambda player: format_utc(player.field_maybe_none("answered_ms"))
    own_columns = [*columns][len(PARTICIPANT_ID_COLUMNS) :]

    def rows(players: Players) -> Iterator[list[Any]]:
        yield [*columns]
        for player in without_withdrawn(players):
            answers = [
                cells[name](player) if name in cells else _answer(player, name) for name in own_columns
            ]
            yield [*participant_cells(player, player.participant), *answers]

    return with_factors(rows)


def _answer(player: Any, field: str) -> Any:
    answer = player.field_maybe_none(field)
    return guard_formula(answer) if isinstance(answer, str) else answer


def part_export(page: type[HandPage], measures: ModuleType, name: str) -> Export:
    """Returns the export of ``measures.PARTS[name]``, a table with a row for each part of a hand."""
    return with_digests(with_factors(lambda players: part_rows(players, page, *measures.PARTS[name])))


class StartedHand(NamedTuple):
    """A hand that has begun, with its oTree players by seat."""

    hand_id: str
    lines: list[RecordLine]
    players: dict[str, Any]

    @property
    def any_player(self) -> Any:
        """One of the players, for data that are the same for all."""
        return next(iter(self.players.values()))

    @property
    def record_end(self) -> RecordEnd:
        """The end of its record."""
        return RecordEnd(len(self.lines), self.lines[-1].digest)

    def fold(self, rules: Rules) -> Hand:
        """Returns the hand. Raises UnreadableRecord."""
        return fold(rules, self.hand_id, self.lines)

    def read(self) -> tuple[Opening, list[Event]]:
        """Returns the opening and the events."""
        return read_record([line.text for line in self.lines])

    def player_at(self, seat: str) -> Any:
        """Returns the player in a seat, None for a robot; without a seat, the only player or None."""
        return self.players.get(seat) or (self.any_player if not seat and len(self.players) == 1 else None)


def _started_hands(players: Players, page: type[BoardPage]) -> Iterator[StartedHand]:
    """Yields the hands that have begun, in the order of the players."""
    for hands in hand_blocks(players, page):
        lines = LAB.page_records.lines_of_hands([*hands])
        for hand_id, seated in hands.items():
            if hand_id in lines:
                yield StartedHand(hand_id, lines[hand_id], seated)


def participant_cells(row: Any, participant: Any) -> list[Any]:
    """Returns the cells of ``PARTICIPANT_ID_COLUMNS``; ``participant`` is None for a robot."""
    session = row.session
    own_cells = (
        [participant.code, guard_formula(participant.label), int(participant._is_bot)]
        if participant
        else [""] * 3
    )
    treatment = treatments.row_treatment(row)
    return [session.code, int(session.is_demo), format_utc(created_ms(session)), *own_cells, treatment]


def _identity(page: type[BoardPage], hand: StartedHand, seat: str) -> list[Any]:
    """Returns the cells of ``PARTICIPANT_ID_COLUMNS`` and ``HAND_IDENTITY_COLUMNS``."""
    row, player = hand.any_player, hand.player_at(seat)
    return [
        *participant_cells(row, player.participant if player else None),
        *(row.get_folder_name(), page.hand_number(row), hand.hand_id, seat),
    ]


def action_rows(players: Players, page: type[BoardPage]) -> Iterator[list[Any]]:
    """Yields a row for each action, without its digest. The table is enough to replay and score a hand."""
    yield list(ACTION_COLUMNS)
    for hand in _started_hands(players, page):
        try:
            shown_ms = hand.fold(page.rules).shown_ms
        except UnreadableRecord as damage:
            yield _damaged_row(hand, page, damage)
            continue
        opening, events = hand.read()
        identity = {seat: _identity(page, hand, seat) for seat in ("", *{event.seat for event in events})}
        solo_player = hand.player_at("")
        number = solo_player.participant.id_in_session if solo_player else ""
        yield [*identity[""], *deal_cells(opening, shown_ms, number, hand.record_end)]
        for event in events:
            yield [*identity[event.seat], *event_cells(event)]


def _damaged_row(hand: StartedHand, page: type[BoardPage], damage: UnreadableRecord) -> list[Any]:
    """Returns the only row of a hand with a damaged record: its text in ``reason``, and a notice."""
    cells = dict.fromkeys(ACTION_COLUMNS, "")
    cells |= zip([*PARTICIPANT_ID_COLUMNS, *HAND_IDENTITY_COLUMNS], _identity(page, hand, ""))
    cells |= {"action": UNREADABLE, "reason": guard_formula("\n".join(line.text for line in hand.lines))}
    cells["notice"] = f"This hand cannot be read: {damage}. The column reason has its record."
    return list(cells.values())


def readable_hands(players: Players, page: type[HandPage]) -> Iterator[tuple[StartedHand, History]]:
    """Yields the hands that have begun, except those with a damaged record."""
    for hand in _started_hands(players, page):
        try:
            hand.fold(page.rules)
        except UnreadableRecord:
            continue
        yield hand, History.replay(page.rules, *hand.read())


def hand_rows(players: Players, page: type[HandPage], measures: ModuleType) -> Iterator[list[Any]]:
    """Yields a row for each hand and seat, without its digest.

    ``measures`` is the game's module of measures. ``COLUMNS`` names them, and ``measure_hand(history, seat)``
    returns their values and the ``sequence`` of moves.
    """
    yield [*HAND_COLUMNS, *measures.COLUMNS, *RECORD_END_COLUMNS, *DIGEST_COLUMN]
    best_scores: dict[str, int] = {}  # the best score of each participant so far
    for hand, history in readable_hands(players, page):
        for seat in history.hand.seats:
            own_measures = measures.measure_hand(history, seat)
            cells = _hand_cells(hand.player_at(seat), history, seat, own_measures["sequence"], best_scores)
            values = [own_measures[name] for name in measures.COLUMNS]
            yield [*_identity(page, hand, seat), *cells, *values, *hand.record_end]


def _hand_cells(
    player: Any, history: History, seat: str, sequence: str, best_scores: dict[str, int]
) -> list[Any]:
    """Returns the cells of ``HAND_COLUMNS`` after the identity; updates ``best_scores``."""
    hand, opening = history.hand, history.opening
    result = hand.result(seat)
    over = hand.is_over_for(seat)
    best_before: int | None = None
    counts_for_pay: int | str = ""
    earned: float | str = ""
    if player:
        config, number, code = config_of(player), player.participant.id_in_session, player.participant.code
        best_before = best_scores.get(code)
        counts_for_pay = int(is_paid(config, opening, number) and not hand.seats[seat].stopped_before)
        earned = payoff(config, opening, number, result.score) if over and counts_for_pay else 0
        if over and not opening.practice:
            best_scores[code] = max(result.score, best_scores.get(code, result.score))
    own_events = [event for event in history.events if event.seat == seat]
    return [
        *(int(opening.practice), opening.deal, sequence),
        *(result.outcome, result.score, "" if best_before is None else best_before, counts_for_pay, earned),
        *(format_utc(hand.shown_ms), format_utc(hand.ended_ms_for(seat))),
        round(hand.seconds(seat), 3) if over else "",
        sum(event.accepted is True for event in own_events),
        sum(event.accepted is False for event in own_events),
        sum(event.action == RECONNECT for event in own_events if event.accepted is None),
        compact_json(opening.options),
        *(opening.source, opening.sha256, opening.notice, opening.version),
    ]


def part_rows(
    players: Players,
    page: type[HandPage],
    columns: Mapping[str, Any],
    parts_of: Callable[[History], Iterable[dict[str, Any]]],
) -> Iterator[list[Any]]:
    """Yields a row for each part of a hand, such as a turn, without its digest.

    ``parts_of`` yields the values of ``columns``.
    """
    yield [*PART_COLUMNS, *columns, *DIGEST_COLUMN]
    for hand, history in readable_hands(players, page):
        identity = _identity(page, hand, "")
        cells = dict(zip([*PARTICIPANT_ID_COLUMNS, *HAND_IDENTITY_COLUMNS], identity))
        part_cells = [cells[name] for name in PART_COLUMNS]
        for part in parts_of(history):
            yield [*part_cells, *(part[name] for name in columns)]


def text_rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yields a text file's lines as rows of one cell, which oTree writes unchanged."""
    return ([line] for line in lines)


def without_withdrawn(players: Players) -> Iterator[Any]:
    """Yields the players of participants who have not withdrawn."""
    return (player for player in players if not has_withdrawn(player.participant))


def participant_rows(players: Players, page: type[HandPage]) -> Iterator[list[Any]]:
    """Yields a row for each participant."""
    yield list(PARTICIPANT_COLUMNS)
    for rounds in players_by_participant(players):
        if has_withdrawn(rounds[0].participant):
            continue
        yield _participant_row(rounds, page)


def _participant_row(rounds: list[Any], page: type[HandPage]) -> list[Any]:
    first_player, participant = rounds[0], rounds[0].participant
    hands = [(hand, page.seat(player)) for player in rounds if (hand := page.hand(player))]
    shown_ms = [ms for hand, seat in hands if (ms := hand.seats[seat].arrived_ms) is not None]
    ended_ms = [ms for hand, seat in hands if (ms := hand.ended_ms_for(seat)) is not None]
    over = [(hand, seat) for hand, seat in hands if hand.is_over_for(seat) and not hand.opening.practice]
    hand_results = [hand.result(seat) for hand, seat in over]
    results = [player.results_shown_ms for player in rounds if player.results_shown_ms]
    return [
        *participant_cells(first_player, participant),
        first_player.get_folder_name(),
        _arrived_utc(participant),
        format_utc(first_player.instructions_done_ms),
        format_utc(first_player.check_done_ms),
        first_player.check_attempts.count("\n"),
        guard_formula(" ".join(first_player.check_attempts.split("\n")).strip()),
        format_utc(min(shown_ms, default=None)),
        format_utc(max(ended_ms, default=None)),
        format_utc(min(results, default=None)),
        len(hand_results),
        sum(OUTCOMES[result.outcome].is_goal for result in hand_results),
        sum(result.score for result in hand_results),
        points := sum(player.payoff for player in rounds),
        to_money(first_player.session.config, points),
        participant.payoff_plus_participation_fee(),
        participant.status if has_ended_early(participant) else "",
        compact_json(link) if (link := recruiting.stored_parameters(participant)) else "",
        language_of(participant),
    ]


def _arrived_utc(participant: Any) -> str:
    """Returns a participant's arrival time; oTree stores UTC such as ``2026-11-20 14:03:07.412345``."""
    if not participant.time_started_utc:
        return ""
    moment = datetime.fromisoformat(participant.time_started_utc).replace(tzinfo=timezone.utc)
    return format_utc(moment.timestamp() * 1000)


def tutorial_export(page: type[TutorialPage]) -> Export:
    """Returns the export of the steps of the instructions: ``custom_export_tutorial``."""
    return with_factors(lambda players: tutorial_rows(players, page))


def tutorial_rows(players: Players, page: type[TutorialPage]) -> Iterator[list[Any]]:
    """Yields a row for each completed step, except for boards with a damaged record."""
    yield list(TUTORIAL_COLUMNS)
    for rounds in players_by_participant(players):
        first_player = rounds[0]
        if page.hand(first_player) is None:
            continue
        texts = [line.text for line in LAB.page_records.lines(page.hand_id(first_player))]
        identity = [
            *participant_cells(first_player, first_player.participant),
            first_player.get_folder_name(),
        ]
        for cells in step_cells(page.rules, texts):
            yield [*identity, *cells]


def step_cells(rules: Rules, texts: Iterable[str]) -> Iterator[list[Any]]:
    """Yields the cells of ``TUTORIAL_COLUMNS`` after the participant's, from a record's lines."""
    hand: Hand | None = None
    since_ms = tries = refused = 0
    done_steps: set[str] = set()
    for text in texts:
        if hand is None or is_opening_line(text):  # later ones reset the board
            hand = Hand(rules, read_opening(text))
            since_ms = since_ms or hand.shown_ms or 0
            continue
        event, old_hand = read_event(text), hand
        hand = hand.after(event)
        if event.client_ms is not None and event.accepted is not None:
            refused += event.accepted is False
            tries += event.accepted is False or hand.state != old_hand.state
        if event.tutorial_step and event.tutorial_step not in done_steps:
            done_steps.add(event.tutorial_step)
            seconds = round(max(0, event.server_ms - since_ms) / 1000, 3)
            yield [event.tutorial_step, format_utc(event.server_ms), seconds, tries, refused]
            since_ms, tries, refused = event.server_ms, 0, 0
