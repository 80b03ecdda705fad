"""The tables every game exports: actions, hands, participants.

Each column stands here with its meaning; docs/data-dictionary.md repeats them and a test holds the
two together. Times are UTC with milliseconds, ``2026-11-20T14:03:07.412Z``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from types import ModuleType
from typing import Any

from experiment.config import is_paid, payoff
from experiment.hand import fold
from experiment.pages import HandPage
from experiment.record import dump, read
from games.contract import Event

WHO_COLUMNS = {
    "session_code": "oTree's code of the session",
    "is_demo": "1 for a demo session, else 0",
    "session_created_utc": "when the session was created; the zero of the clock in the ck and nk logs",
    "participant_code": "oTree's code of the participant",
    "participant_label": "the label from the room or the link; a leading apostrophe guards a spreadsheet",
    "is_bot": "1 for oTree's bots, else 0",
}

HAND_IDENTITY_COLUMNS = {
    "app": "the app the hand was played in",
    "hand": "number of the hand in the app, practice hands included (oTree's round)",
    "hand_id": "unique across sessions and servers: app, session, participant, hand",
    "seat": "the seat in the hand (`solo` where one person plays)",
}

ACTION_COLUMNS = {
    **WHO_COLUMNS,
    **HAND_IDENTITY_COLUMNS,
    "action_number": "0 for the deal, then 1, 2 … for accepted rows; a refused row has the number it asked "
    "for; empty for a note",
    "action": "`deal …` first, then the actions in the game's own grammar, `reconnect` notes, `end …` last",
    "accepted": "1 accepted, 0 refused, empty for a note of the server",
    "reason": "for a refused action the sentence that the participant read",
    "client_ms": "milliseconds since the hand was first shown, by the participant's clock",
    "server_time_utc": "when the server wrote the row",
    "shown_utc": "on the deal row: when the hand was first shown; empty if it never was",
    "practice": "on the deal row: 1 for a practice hand, else 0",
    "settings": "on the deal row: the settings in force, as JSON",
    "show_file": "on the deal row: the file that the deal came from",
    "show_file_sha256": "on the deal row: SHA-256 of that file",
    "notice": "on the deal row: a warning about that file, empty if there is none",
    "card_lab_version": "on the deal row: the version of Card Lab that dealt the hand",
    "id_in_session": "on the deal row: oTree's number of the participant, as the ck and nk logs have it",
    "hands": "on the deal row: how many hands the session has, practice included",
}

HAND_COLUMNS = {
    **WHO_COLUMNS,
    **HAND_IDENTITY_COLUMNS,
    "practice": "1 for a practice hand, else 0",
    "deal": "the deal, one line (docs/rulings.md, ruling 0)",
    "sequence": "the moves made, without looks and pick-ups",
    "outcome": "`solved`, `failed` (MaxRounds), `gave_up`, `timeout`, `advanced` (by the researcher), `open`",
    "score": "points for the hand by the game's rule",
    "paid": "1 if this hand counts for the earnings, else 0",
    "payoff": "points earned with it: max(floor, base + rate × score) if it is paid and over, else 0; booked "
    "to the participant when they leave its page",
    "shown_utc": "when the hand was first shown; empty if it never was",
    "ended_utc": "when it ended; empty while it is open",
    "seconds": "from first shown to the end, by the server's clock; empty while it is open",
    "actions": "accepted rows between deal and end",
    "refused": "refused actions",
    "reconnects": "how often the page was loaded or connected again",
    "settings": "the settings in force, as JSON",
    "show_file": "the file that the deal came from",
    "show_file_sha256": "SHA-256 of that file",
    "notice": "a warning about that file, empty if there is none",
    "card_lab_version": "the version of Card Lab that dealt the hand",
}

PARTICIPANT_COLUMNS = {
    **WHO_COLUMNS,
    "app": "the app",
    "came_utc": "when the participant opened the start link",
    "instructions_done_utc": "when they left the instructions",
    "check_done_utc": "when they passed the comprehension check; empty if there is none",
    "check_attempts": "how often they sent the check in",
    "check_answers": "every attempt as JSON: Unix time in milliseconds, answers",
    "first_hand_shown_utc": "when their first hand was shown",
    "last_hand_ended_utc": "when their last hand so far ended",
    "results_shown_utc": "when they reached the results; empty if they have not",
    "hands_over": "hands that are over, without practice",
    "hands_solved": "those with outcome `solved`",
    "score": "sum of the scores of these hands",
    "payoff": "points earned in the app, with the hands whose page they have left",
    "earnings": "points of the whole session in money, plus the participation fee",
}

# A cell that begins so would be run as a formula by a spreadsheet; readers take the apostrophe off.
_FORMULA = ("=", "+", "-", "@", "\t", "'")


def guarded(text: str | None) -> str:
    """Text from outside with an apostrophe in front where a spreadsheet would run it."""
    text = text or ""
    return f"'{text}" if text.startswith(_FORMULA) else text


def utc(ms: float | None) -> str:
    """Unix milliseconds as ``2026-11-20T14:03:07.412Z``; nothing for None."""
    if ms is None:
        return ""
    moment = datetime.fromtimestamp(ms / 1000, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def created_ms(session) -> int:
    """When the session was created, Unix milliseconds (oTree keeps seconds, on SQLite with fractions)."""
    return round(session._created * 1000)


def _who(player) -> list[Any]:
    session, participant = player.session, player.participant
    return [
        session.code,
        int(session.is_demo),
        utc(created_ms(session)),
        participant.code,
        guarded(participant.label),
        int(participant._is_bot),
    ]


def hand_id(player) -> str:
    app = player.get_folder_name()
    return f"{app}-{player.session.code}-{player.participant.code}-{player.round_number}"


def _identity(player, seat: str) -> list[Any]:
    return [player.get_folder_name(), player.round_number, hand_id(player), seat]


def _record(page: type[HandPage], player) -> str:
    return getattr(page.row(player), page.record_field) or ""


def actions(players, page: type[HandPage]) -> Iterator[list[Any]]:
    """One row an action: enough to rebuild logs, replay and re-score every hand."""
    yield list(ACTION_COLUMNS)
    for player in players:
        record = _record(page, player)
        if not record:
            continue
        opening, events = read(record)
        who = _who(player)
        shown = utc(opening.shown_ms)
        yield [
            *who,
            *_identity(player, ""),
            *(0, f"deal {opening.deal}", 1, "", 0, shown),
            *(shown, int(opening.practice), dump(opening.options)),
            *(opening.source, opening.sha256, opening.notice, opening.version),
            *(player.participant.id_in_session, opening.hands),
        ]
        for event in events:
            yield [*who, *_identity(player, event.seat), *_action_cells(event), *([""] * 9)]


def _action_cells(event: Event) -> list[Any]:
    return [
        event.number,
        guarded(event.action),
        "" if event.accepted is None else int(event.accepted),
        guarded(event.reason),
        event.client_ms,
        utc(event.server_ms),
    ]


def hands(players, page: type[HandPage], measures: ModuleType) -> Iterator[list[Any]]:
    """One row a hand and seat. ``measures`` is the game's module of measures: ``COLUMNS`` names them,
    ``of_hand(deal, events)`` gives them and the ``sequence`` of moves."""
    yield [*HAND_COLUMNS, *measures.COLUMNS]
    for player in players:
        record = _record(page, player)
        if record:
            yield _hand_row(player, page, record, measures)


def _hand_row(player, page, record: str, measures: ModuleType) -> list[Any]:
    hand = fold(page.rules, record)
    opening, events = read(record)
    own = measures.of_hand(opening.deal, events)
    config, who = player.session.config, player.participant.id_in_session
    result = hand.result(page.seat(player))
    return [
        *_who(player),
        *_identity(player, page.seat(player)),
        int(opening.practice),
        opening.deal,
        own["sequence"],
        result.outcome,
        result.score,
        int(is_paid(config, opening, who)),
        payoff(config, opening, who, result.score) if hand.over else 0,
        utc(opening.shown_ms),
        utc(hand.ended_ms),
        round(hand.seconds, 3) if hand.over else "",
        sum(event.accepted is True and not event.action.startswith("end ") for event in events),
        sum(event.accepted is False for event in events),
        sum(event.action == "reconnect" for event in events if event.accepted is None),
        dump(opening.options),
        *(opening.source, opening.sha256, opening.notice, opening.version),
        *(own[name] for name in measures.COLUMNS),
    ]


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
    played = [fold(page.rules, record) for player in rounds if (record := _record(page, player))]
    shown = [hand.opening.shown_ms for hand in played if hand.opening.shown_ms is not None]
    ended = [hand.ended_ms for hand in played if hand.ended_ms is not None]
    counted = [hand for hand in played if hand.over and not hand.opening.practice]
    results = [player.results_shown_ms for player in rounds if player.results_shown_ms]
    return [
        *_who(first),
        first.get_folder_name(),
        _came(participant),
        utc(first.instructions_done_ms),
        utc(first.check_done_ms),
        first.check_attempts.count("\n"),
        guarded(" ".join(first.check_attempts.split("\n")).strip()),
        utc(min(shown, default=None)),
        utc(max(ended, default=None)),
        utc(min(results, default=None)),
        len(counted),
        sum(hand.outcome == "solved" for hand in counted),
        sum(hand.result(page.seat(first)).score for hand in counted),
        sum(player.payoff for player in rounds),
        participant.payoff_plus_participation_fee(),
    ]


def _came(participant) -> str:
    """oTree keeps ``2026-11-20 14:03:07.412345``, UTC."""
    if not participant.time_started_utc:
        return ""
    moment = datetime.fromisoformat(participant.time_started_utc).replace(tzinfo=timezone.utc)
    return utc(moment.timestamp() * 1000)
