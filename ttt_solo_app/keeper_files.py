"""The ck and nk logs of a participant: as lines for the exports, and as files that grow during play.

A participant who moves both keepers has every hand in both logs; one with a partner has it only in the log of
their own keeper. If ``[LOGFILE] Path`` is set, each participant's logs grow in ``logs/<folder>/`` (ruling 5),
so that a lab keeps them even if the database is lost. The records are authoritative: a file is rewritten from
them when it first grows after a start of the server. Later lines are appended.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from otree.common import get_models_module
from otree.models import Participant

from cardlab import folders
from cardlab.core.hand_cache import UnreadableRecord, fold
from cardlab.exports import tables
from cardlab.exports.players import Export, Players, StoredPlayers, hand_blocks, players_by_participant
from cardlab.games.events import Event
from cardlab.games.hand import Hand
from cardlab.games.record import read_record
from cardlab.games.ttt import board, keeper_log, rules, transform
from cardlab.games.ttt.board import KEEPERS
from cardlab.guard import log_masking
from cardlab.live.lab import LAB
from cardlab.live.record_store import Records
from cardlab.live.seat import Playable, Seat
from cardlab.pages.hand import HandPage
from cardlab.sessions.arrival import has_withdrawn

logger = logging.getLogger("cardlab.keeper_files")

RULES: Any = rules
LOGS = folders.PROJECT / "logs"


class _SeatInHand(NamedTuple):
    """A participant's seat at a hand: the hand's number and ID, the seat, and the partner's code."""

    number: int
    hand_id: str
    seat: str
    partner: str


def exports_of(page: type[HandPage]) -> tuple[Export, Export, Export]:
    """Returns the exports ``custom_export_ck_log``, ``custom_export_nk_log``, ``custom_export_transform``."""
    return (
        Export(lambda players: tables.text_rows(_logs("ck", page, players))),
        Export(lambda players: tables.text_rows(_logs("nk", page, players))),
        Export(
            lambda players: tables.text_rows(
                line for play in _plays(page, players) for line in transform.summary([play])
            )
        ),
    )


def _logs(keeper: str, page: type[Playable], players: Players) -> Iterator[str]:
    codes = None if isinstance(players, StoredPlayers) else _codes_by_hand(page, _seated(page, players))
    for rounds in players_by_participant(players):
        seated = [] if has_withdrawn(rounds[0].participant) else _seated(page, rounds)
        if seated:
            participant, created = rounds[0].participant, tables.created_ms(rounds[0].session)
            places = [
                _seat_in_hand(page, player, codes or _codes_of_co_players(page, player)) for player in seated
            ]
            writer = _LogWriter(keeper, participant.code, participant.id_in_session, created)
            yield from writer.write_all(places, LAB.page_records)


def _plays(page: type[HandPage], players: Players) -> Iterator[tuple[board.Layout, str]]:
    """Yields layout and sequence of each hand, group by group."""
    groups: dict[frozenset[str], list[int]] = {}  # a player ID for each hand, by the members' codes
    for hands in hand_blocks(players, page):
        for seats in hands.values():
            if seated := [player for seat, player in seats.items() if seat]:
                codes = frozenset(player.participant.code for player in seated)
                groups.setdefault(codes, []).append(seated[0].id)
    for player in _players_with_ids(players, [number for numbers in groups.values() for number in numbers]):
        if hand := page.hand(player):
            yield board.parse_deal(hand.opening.deal)[0], hand.state.sequence


def _players_with_ids(players: Players, ids: list[int]) -> Iterator[Any]:
    if isinstance(players, StoredPlayers):
        return players.with_ids(ids)
    players_by_id = {player.id: player for player in players}
    return (players_by_id[number] for number in ids)


def _seated(page: type[Playable], players: Iterable[Any]) -> list[Any]:
    return [player for player in players if page.seat(player)]


def _codes_by_hand(page: type[Playable], players: Iterable[Any]) -> dict[str, dict[str, str]]:
    codes: dict[str, dict[str, str]] = {}
    for player in players:
        codes.setdefault(page.hand_id(player), {})[page.seat(player)] = player.participant.code
    return codes


def _seat_in_hand(page: type[Playable], player: Any, codes: dict[str, dict[str, str]]) -> _SeatInHand:
    hand_id, seat = page.hand_id(player), page.seat(player)
    return _SeatInHand(page.hand_number(player), hand_id, seat, keeper_log.partner_code(seat, codes[hand_id]))


class _LogWriter:
    """Writes a participant's log in the file of ``keeper`` from records."""

    def __init__(self, keeper: str, code: str, id_in_session: int, created_ms: int) -> None:
        self._keeper, self._who, self._created_ms = keeper, (code, id_in_session), created_ms
        self._log: keeper_log.ParticipantLog | None = None
        self._written = 0  # events of the latest hand

    def write_all(self, places: Iterable[_SeatInHand], records: Records) -> list[str]:
        """Returns the lines of all these hands that belong in the file."""
        return [line for place in places for line in self.begin_hand(place, records)]

    def begin_hand(self, place: _SeatInHand, records: Records) -> list[str]:
        """Returns the lines of another hand; none if it does not belong in the file or has not begun."""
        lines = records.lines(place.hand_id) if self._keeper in keeper_log.file_keepers(place.seat) else []
        if not lines:
            return []
        try:
            hand = fold(RULES, place.hand_id, lines)
        except UnreadableRecord:  # the actions table exports it unchanged
            return []
        if not keeper_log.is_logged(hand, place.seat):
            return []
        opening, events = read_record([line.text for line in lines])
        identity = *self._who, opening.hands, self._created_ms
        self._log = self._log or keeper_log.ParticipantLog(self._keeper, *identity)
        self._written = len(events)
        number, deal, options = place.number, opening.deal, opening.options
        return self._log.begin_hand(number, deal, options, hand.shown_ms, events, place.partner)

    def has_begun(self, place: _SeatInHand) -> bool:
        """Returns whether this is the latest hand of the log."""
        return self._log is not None and self._log.number == place.number

    def continue_hand(self, events: list[Event], all_events: int) -> list[str]:
        """Returns the lines of further events of the latest hand; ``all_events`` counts these and all before.

        Several requests are committed together, and each then calls this. The first lines of the hand are
        written from its record, which may already contain these events; they are not written again.
        """
        new_events = max(0, all_events - self._written)
        self._written += new_events
        return (
            [] if self._log is None else self._log.continue_hand(events[max(0, len(events) - new_events) :])
        )


class _GrowingFiles:
    """The growing files of one participant."""

    def __init__(
        self, page: type[Playable], code: str, place: _SeatInHand, folder: Path, records: Records
    ) -> None:
        """Rebuilds the logs from the records of all hands up to this one."""
        participant = Participant.objects_get(code=code)
        created = tables.created_ms(participant.session)
        day = datetime.fromtimestamp(created / 1000, timezone.utc).date()
        self._paths = [folder / keeper_log.file_name(keeper, day, code) for keeper in KEEPERS]
        self._writers = [_LogWriter(keeper, code, participant.id_in_session, created) for keeper in KEEPERS]
        places = [
            _seat_in_hand(page, player, _codes_of_co_players(page, player))
            for player in _seated(page, _players(page, participant).order_by("round_number"))
            if page.hand_number(player) <= place.number
        ]
        self._lines = [writer.write_all(places, records) for writer in self._writers]

    def write(self) -> None:
        """Writes the complete files."""
        for path, lines in zip(self._paths, self._lines):
            if lines:
                path.parent.mkdir(parents=True, exist_ok=True)
                unfinished = path.with_suffix(".part")
                unfinished.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")
                unfinished.replace(path)
        self._lines = []

    def add(self, place: _SeatInHand, hand: Hand, events: list[Event], records: Records) -> None:
        """Adds new events of a hand."""
        for path, writer in zip(self._paths, self._writers):
            if writer.has_begun(place):
                lines = writer.continue_hand(events, hand.event_count)
            else:
                lines = writer.begin_hand(place, records)
            if lines:
                with path.open("a", encoding="utf-8", newline="\n") as file:
                    file.write("".join(f"{line}\n" for line in lines))


def _players(page: type[Playable], participant: Participant) -> Any:
    """Returns oTree's query for the participant's players in the app of the page."""
    return get_models_module(page.__module__).Player.objects_filter(participant=participant)


def _codes_of_co_players(page: type[Playable], player: Any) -> dict[str, dict[str, str]]:
    """Returns the codes of the participants at the player's hand, like :func:`_codes_by_hand`."""
    row = page.row(player)
    return _codes_by_hand(page, [player] if row is player else _seated(page, row.get_players()))


_files_cache: dict[str, _GrowingFiles] = {}  # by the participants' codes
_codes_cache: dict[str, dict[str, str]] = {}  # by hand ID and seat, of pair hands in progress


def forget_files() -> None:
    """Clears all caches, so that each log is rewritten from the records when it next grows."""
    _files_cache.clear()
    _codes_cache.clear()


def grow_files(seat: Seat, hand: Hand, events: list[Event], records: Records) -> list[str]:
    """Adds new events of a hand to the files of all its participants.

    Returns sentences for the researcher about logs that could not be written.
    """
    if not hand.opening.options["Path"]:
        return []
    hand_id, sentences = seat.key.hand, []
    codes = {seat.name: seat.participant_code} if seat.name == board.SEAT else _codes_at(seat, records)
    for name, code in codes.items():
        departure = hand.seats[name].left
        has_left = any(event.seat == name and event.leave_outcome is not None for event in events)
        # A participant who left earlier may already be at another hand.
        if keeper_log.is_logged(hand, name) and (has_left or not departure):
            place = _SeatInHand(seat.hand_number, hand_id, name, keeper_log.partner_code(name, codes))
            sentences += _grow_files_of(seat, code, place, hand, events, records)
    if hand.is_over:
        _codes_cache.pop(hand_id, None)
    return sentences


def _codes_at(seat: Seat, records: Records) -> dict[str, str]:
    """Returns the codes of the participants at a seat's hand, by seat. They never change during a hand."""
    hand_id = seat.key.hand
    if hand_id not in _codes_cache:
        with records.otree_rows():
            participant = Participant.objects_get(code=seat.participant_code)
            number = int(hand_id.rpartition("-")[2])  # the hand's round; a note may be about a later one
            player = _players(seat.page, participant).filter_by(round_number=number).one()
            _codes_cache[hand_id] = _codes_of_co_players(seat.page, player)[hand_id]
    return _codes_cache[hand_id]


def _grow_files_of(
    seat: Seat, code: str, place: _SeatInHand, hand: Hand, events: list[Event], records: Records
) -> list[str]:
    """Adds new events of a hand to the files of one participant.

    A write error does not stop the hand. The researcher is notified, and the files are completely rewritten
    as soon as the disk is writable again.
    """
    folder = hand.opening.options["Path"]
    files = _files_cache.pop(code, None)
    try:
        if files is None:
            with records.otree_rows():
                files = _GrowingFiles(seat.page, code, place, LOGS / folder, records)
            files.write()
        else:
            files.add(place, hand, events, records)
    except OSError as error:
        logger.error("ck/nk logs of %s in logs/%s: %s", log_masking.name_of(code), folder, error)
        return [
            f"The ck and nk logs in logs/{folder}/ cannot be written ({error.strerror}). Play goes on and "
            "nothing is lost: the logs can be exported, and the files are completed once the disk is free."
        ]
    _files_cache[code] = files
    return []
