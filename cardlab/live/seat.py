"""A participant's seat at a hand: its page, its record and its participant.

A page describes its hand as a ``Playable``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from otree.common import get_models_module
from otree.lookup import get_page_lookup
from otree.models import Participant

from cardlab.core.record_chain import HandKey
from cardlab.games.contract import Rules
from cardlab.games.events import Event
from cardlab.games.hand import Hand
from cardlab.games.record import Opening
from cardlab.games.shared_settings import TELL
from cardlab.live import notices
from cardlab.live.lab import LAB
from cardlab.live.record_store import Payee
from cardlab.sessions.config import config_of
from cardlab.sessions.participant_language import language_of


def hand_id(row: Any, owner: str | int, number: int | str) -> str:
    """Returns the id of a hand from the app and session of an oTree row, its owner, and its number."""
    return f"{row.get_folder_name()}-{row.session.code}-{owner}-{number}"


class Playable:
    """A page on which a hand is played. Subclasses set ``rules`` and override what differs."""

    rules: Rules
    repeatable = False  # whether the browser may restart the deal (a board to try)
    endless = False  # whether the rules never end it (a game under review): then its record is bounded

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """Returns the opening of the player's hand in this round; None if the round has none."""
        raise NotImplementedError("A page defines the opening of its hand.")

    @classmethod
    def row(cls, player: Any) -> Any:
        """Returns the oTree row that owns the hand: the player, or the group if it has several seats."""
        return player

    @classmethod
    def hand_id(cls, player: Any) -> str:
        """Returns the id of the hand and its record, unique across servers."""
        row = cls.row(player)
        owner = player.participant.code if row is player else row.id_in_subsession
        return hand_id(player, owner, player.round_number)

    @classmethod
    def seat(cls, player: Any) -> str:
        """Returns the player's seat."""
        return "solo"

    @classmethod
    def hand_number(cls, player: Any) -> int:
        """Returns the hand's number in messages, unique among the app's hands of the participant."""
        number: int = player.round_number
        return number

    @classmethod
    def can_note(cls, name: str) -> bool:
        """Returns whether the browser may add a note of this name to the record."""
        return False

    @classmethod
    def deal_of_step(cls, opening: Opening, step: str) -> Opening:
        """Returns the opening of a board to try, for a step of the instructions with its own deal or ""."""
        return opening

    @classmethod
    def get_timeout_seconds(cls, player: Any) -> float | None:
        """Returns the time limit of the page in seconds, or None."""
        return None

    @classmethod
    def update_logs(cls, seat: Seat, hand: Hand, events: list[Event], records: Any) -> list[str]:
        """Updates log files that grow during play, after events were added to a record.

        ``hand`` is the hand after the events. They were written to ``records``, which is a
        ``cardlab.live.record_store.Records``. Returns error messages for the researcher.
        """
        return []

    @classmethod
    def forget_logs(cls) -> None:
        """Drops cached parts of log files, which may have the code of a participant who has withdrawn."""

    @classmethod
    def pay(cls, seat: Seat, hand: Hand, records: Any) -> None:
        """Pays each seat for which the hand is over, in the transaction that ends it for one of them.

        The record was written to ``records``, which is a ``cardlab.live.record_store.Records``. May be called
        repeatedly, so it pays only what is still due. The default pays nothing.
        """

    @classmethod
    def end_message(cls, seat: Seat, records: Any) -> dict[str, Any]:
        """Returns the fields to add to the message to a seat whose hand is over and paid."""
        return {}


@dataclass(frozen=True, slots=True)
class Seat:
    """A participant's seat at one hand, looked up once per connection."""

    page: type[Playable]
    key: HandKey
    page_index: int
    name: str
    hand_number: int
    opening: Opening
    deadline: float | None  # Unix seconds, of oTree's page timeout
    participant_code: str
    second_tab: str  # what happens to a second tab at this seat, from the session config
    paused: bool = False  # whether the researcher has paused the participant
    dropped: frozenset[str] = frozenset()  # the seats whose participants have dropped out
    stopped: frozenset[str] = frozenset()  # the other seats whose participants stopped in an earlier hand
    co_players: tuple[tuple[str, str], ...] = ()  # the other participants' seats and codes
    partner_away_seconds: float = 0  # until the participant may choose about an absent co-player
    may_stop: bool = False  # whether stopping is one of the choices
    payee: Payee | None = None
    language: str = ""  # of the participant; "" is the server's

    @property
    def app(self) -> str:
        """The hand's app."""
        return self.key.hand.split("-")[0]

    @property
    def session_code(self) -> str:
        """The session's code."""
        return self.key.hand.split("-")[1]


def payee_of(page: type[Playable], player: Any) -> Payee:
    """Returns the player as the payee of the page's hand."""
    participant = player.participant
    ids = player.id, participant.id, participant.id_in_session
    return Payee(page.seat(player), type(player), *ids, config_of(player))


def seat_of_player(page: type[Playable], player: Any) -> Seat:
    """Returns the seat of a player at the hand of this page."""
    participant, session = player.participant, player.session
    index = participant._index_in_pages
    timed = participant._timeout_page_index == index
    payee = payee_of(page, player)
    return Seat(
        page,
        HandKey(page.hand_id(player), session.id, participant.id),
        index,
        payee.seat,
        page.hand_number(player),
        page.opening(player),  # type: ignore[arg-type]  # None only where no hand is played, so nobody sits
        participant._timeout_expiration_time if timed else None,
        participant.code,
        payee.config.get("second_tab", TELL),
        payee=payee,
        language=language_of(participant),
    )


MAX_SEATS = 2048  # prepared; each has the session config, which takes some 10 kB
PREPARED_SECONDS = 600  # so that the seats of a day of sessions do not stay in memory

_PAGE = """
    SELECT _index_in_pages, _timeout_page_index, _timeout_expiration_time
    FROM otree_participant WHERE code = :code
"""


class _Prepared(NamedTuple):
    """A seat, and when its page was shown, in seconds."""

    seat: Seat
    at: float


class PreparedSeats:
    """Caches the seats of the pages last shown, so that hand sockets need not load oTree's rows again.

    Keeps the latest MAX_SEATS that are not older than PREPARED_SECONDS.
    """

    def __init__(self) -> None:
        self._seats: dict[str, _Prepared] = {}  # by participant code, the latest at the end

    def prepare(self, page: type[Playable], player: Any) -> None:
        """Caches the seat of a player whose page is being shown, unless several share the hand."""
        if page.row(player) is player and page.opening(player):
            seat = seat_of_player(page, player)
            self.drop(seat.participant_code)
            seat, now = replace(seat, **_choices(config_of(player))), time.monotonic()
            self._seats[seat.participant_code] = _Prepared(seat, now)
            while len(self._seats) > MAX_SEATS or self._oldest.at < now - PREPARED_SECONDS:
                self.drop(self._oldest.seat.participant_code)

    @property
    def _oldest(self) -> _Prepared:
        return next(iter(self._seats.values()))

    def drop(self, participant_code: str) -> None:
        """Drops a participant's seat."""
        self._seats.pop(participant_code, None)

    def find(self, participant_code: str, page_index: int) -> Seat | None:
        """Returns what :func:`find_seat` would; None if the seat is not prepared."""
        seat, _at = self._seats.get(participant_code, (None, 0))
        if seat is None or seat.page_index != page_index:
            return None
        page = LAB.records.rows(_PAGE, code=participant_code)
        if [row[:2] for row in page] != [(page_index, page_index)]:  # left, or its time has not begun
            return None
        kinds = notices.standing_kinds(LAB.records, seat.key.session_id).get(seat.key.participant_id, ())
        return replace(seat, deadline=page[0][2], paused=notices.PAUSE in kinds)


def find_seat(participant_code: str, page_index: int) -> Seat | None:
    """Returns a participant's seat at the hand page ``page_index``; None if they are on another page.

    Also None if a page with a time limit was not loaded, because playing before its clock starts would extend
    the limit.
    """
    if not participant_code.isalnum():
        return None
    participant = Participant.objects_first(code=participant_code)
    if participant is None or participant._index_in_pages != page_index:
        return None
    if page_index > participant._max_page_index:
        return None
    lookup = get_page_lookup(participant._session_code, page_index)
    page = lookup.page_class
    if not issubclass(page, Playable):
        return None
    player = get_models_module(lookup.app_name).Player.objects_get(
        participant=participant, round_number=lookup.round_number
    )
    if participant._timeout_page_index != page_index and page.get_timeout_seconds(player):
        return None
    return _with_notices(seat_with_stopped(page, player), player)


def seat_with_stopped(page: type[Playable], player: Any) -> Seat:
    """Returns a player's seat with the other seats whose participants play no more hands.

    These seats leave the hand too, if it has not begun.
    """
    seat = seat_of_player(page, player)
    others = [member for member in _members(page, player) if member.id != player.id]
    if not others:
        return seat
    app = player.get_folder_name()
    stopped = notices.stopped_participants(LAB.page_records, seat.key.session_id, app)
    names = frozenset(page.seat(other) for other in others if other.participant_id in stopped)
    return replace(seat, stopped=names)


def _members(page: type[Playable], player: Any) -> list[Any]:
    """Returns the players of the group that shares the page's hand; none if it is not shared."""
    row = page.row(player)
    return [] if row is player else list(row.get_players())


def _with_notices(seat: Seat, player: Any) -> Seat:
    """Returns the seat with its co-players and the standing notices about all of them."""
    kinds = notices.standing_kinds(LAB.page_records, seat.key.session_id)
    members = _members(seat.page, player)
    others = [member for member in members if member.id != player.id]
    return replace(
        seat,
        paused=notices.PAUSE in kinds.get(seat.key.participant_id, ()),
        dropped=frozenset(
            seat.page.seat(member)
            for member in members
            if notices.DROPPED in kinds.get(member.participant_id, ())
        ),
        co_players=tuple((seat.page.seat(other), other.participant.code) for other in others),
        **_choices(config_of(player)),
    )


def _choices(config: Any) -> dict[str, Any]:
    """Returns the fields of a seat that define the choices about an absent co-player."""
    return {
        "partner_away_seconds": config.get("partner_away_seconds", 0),
        "may_stop": config["pay_hands"] == "all",  # otherwise the one paid hand might never be played
    }


def current_seat(participant: Participant) -> Seat | None:
    """Returns a participant's seat at the hand of their current page, open or not; None without a hand."""
    if not 0 < participant._index_in_pages <= participant._max_page_index:
        return None
    page = get_page_lookup(participant._session_code, participant._index_in_pages).page_class
    if not issubclass(page, Playable):
        return None
    player = participant._get_current_player()
    return seat_of_player(page, player) if page.opening(player) else None
