"""A participant's seat at a hand: its page, its record and its participant.

A page describes its hand as a ``Playable``. :mod:`cardlab.live.hand_service` uses the seats that are found
here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

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


def hand_id(row: Any, whose: str | int, number: int | str) -> str:
    """Returns the id of a hand from the app and session of an oTree row, its owner, and its number."""
    return f"{row.get_folder_name()}-{row.session.code}-{whose}-{number}"


class Playable:
    """A page on which a hand is played. Subclasses set ``rules`` and override what differs."""

    rules: Rules
    repeatable = False  # whether the browser may ask for the same deal again (a board to try)
    endless = False  # whether the rules never end it (a game that is analysed): then its record is bounded

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """Returns the hand of this round for the player, None if the round has none."""
        raise NotImplementedError("the page says which hand is played on it")

    @classmethod
    def row(cls, player: Any) -> Any:
        """Returns the oTree row that owns the hand: the player, or the group where several seats share it."""
        return player

    @classmethod
    def hand_id(cls, player: Any) -> str:
        """Returns the id of the hand and its record, which is unique across servers."""
        row = cls.row(player)
        whose = player.participant.code if row is player else row.id_in_subsession
        return hand_id(player, whose, player.round_number)

    @classmethod
    def seat(cls, player: Any) -> str:
        """Returns the player's seat."""
        return "solo"

    @classmethod
    def hand_number(cls, player: Any) -> int:
        """Returns the hand's number in messages, unique among the participant's hand pages of the app."""
        number: int = player.round_number
        return number

    @classmethod
    def can_note(cls, name: str) -> bool:
        """Returns whether the browser may add a note of this name to the record."""
        return False

    @classmethod
    def get_timeout_seconds(cls, player: Any) -> float | None:
        """Returns the time limit of the page; None for none."""
        return None

    @classmethod
    def update_logs(cls, seat: Seat, hand: Hand, events: list[Event], records: Any) -> list[str]:
        """Called after events were added to a record, for logs that grow during play.

        ``hand`` is the hand after them; ``records`` is where they were written (a
        ``cardlab.live.record_store.Records``). Returns sentences that tell the researcher what is wrong.
        """
        return []

    @classmethod
    def pay(cls, seat: Seat, hand: Hand, records: Any) -> None:
        """Pays everybody for whom the hand is over; called in the transaction that ends it for somebody.

        ``records`` is where the record was written (an ``cardlab.live.record_store.Records``). May be called
        again: it pays only what is still due. A page that pays nothing leaves it as it is.
        """


@dataclass(frozen=True, slots=True)
class Seat:
    """One participant's seat at one hand, looked up once when they connect."""

    page: type[Playable]
    key: HandKey
    page_index: int
    name: str
    hand_number: int
    opening: Opening
    deadline: float | None  # Unix seconds, of oTree's page timeout
    participant_code: str
    second_tab: str  # what happens to a second page at this seat, as the session config says
    paused: bool = False  # whether the researcher has paused the participant
    dropped: frozenset[str] = frozenset()  # the seats whose participants have dropped out
    stopped: frozenset[str] = frozenset()  # the other seats whose participants stopped in an earlier hand
    co_players: tuple[tuple[str, str], ...] = ()  # the other participants' seats and codes
    partner_away_seconds: float = 0  # after which one may choose what happens about an absent co-player
    may_stop: bool = False  # whether to stop is one of the choices
    payee: Payee | None = None

    @property
    def app(self) -> str:
        """The app whose hand it is."""
        return self.key.hand.split("-")[0]

    @property
    def session_code(self) -> str:
        """The session's code."""
        return self.key.hand.split("-")[1]


def payee_of(page: type[Playable], player: Any) -> Payee:
    """Returns the player as one who is paid for the hand of the page."""
    participant = player.participant
    who = player.id, participant.id, participant.id_in_session
    return Payee(page.seat(player), type(player), *who, config_of(player))


def seat_of_player(page: type[Playable], player: Any) -> Seat:
    """Returns the seat of a player whose participant is on this page."""
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
    )


def find_seat(participant_code: str, page_index: int) -> Seat | None:
    """Returns the seat of a participant who is on this hand page now, None if they are on another.

    A page with a time limit must have been loaded: playing before its clock starts would extend the limit.
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
    return _with_notices(seat_of_player(page, player), player)


def _with_notices(seat: Seat, player: Any) -> Seat:
    """Returns the seat with its co-players and the standing notices about all of them."""
    session_id = seat.key.session_id
    held, row, config = (
        notices.held_kinds(LAB.page_records, session_id),
        seat.page.row(player),
        config_of(player),
    )
    members = [] if row is player else row.get_players()
    others = [one for one in members if one.id != player.id]
    stopped = (
        notices.stopped_participants(LAB.page_records, session_id, player.get_folder_name())
        if others
        else set()
    )
    return replace(
        seat,
        paused=notices.PAUSE in held.get(seat.key.participant_id, ()),
        dropped=frozenset(
            seat.page.seat(one) for one in members if notices.DROPPED in held.get(one.participant_id, ())
        ),
        stopped=frozenset(seat.page.seat(one) for one in others if one.participant_id in stopped),
        co_players=tuple((seat.page.seat(one), one.participant.code) for one in others),
        partner_away_seconds=config.get("partner_away_seconds", 0),
        may_stop=config["pay_hands"] == "all",  # else the one hand that is paid might never be played
    )


def current_seat(participant: Participant) -> Seat | None:
    """Returns the seat of a participant at the hand of their page, None if no hand is played there.

    They need not have the page open.
    """
    if not 0 < participant._index_in_pages <= participant._max_page_index:
        return None
    page = get_page_lookup(participant._session_code, participant._index_in_pages).page_class
    if not issubclass(page, Playable):
        return None
    player = participant._get_current_player()
    return seat_of_player(page, player) if page.opening(player) else None
