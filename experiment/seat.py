"""A participant's place at a hand: which page it is on, which record tells the hand, who is meant.

``Playable`` is what a page says of its hand. Found here, looked after by :mod:`experiment.service`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from otree.common import get_models_module
from otree.lookup import get_page_lookup
from otree.models import Participant

from experiment.config import TELL
from games.contract import Rules
from games.events import Event
from games.record import Opening

Table = tuple[str, str, int]
"""The place of a hand's record, which all who sit at the hand have in common: table of the database, column,
row."""


class Key(NamedTuple):
    """Where a hand's record stands, and who looks at it."""

    table: str
    column: str
    row_id: int
    participant_id: int


class Playable:
    """What a page says of the hand that is played on it. Subclasses set ``rules`` and what differs."""

    rules: Rules
    record_field = "record"  # the column of the row that owns the hand
    repeatable = False  # whether the browser may ask for the same deal again (a board to try)

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """The hand of this round for the player, None if the round has none."""
        raise NotImplementedError("the page says which hand is played on it")

    @classmethod
    def row(cls, player: Any) -> Any:
        """The oTree row that owns the hand: the player, or the group where several seats share it."""
        return player

    @classmethod
    def seat(cls, player: Any) -> str:
        """The player's seat."""
        return "solo"

    @classmethod
    def hand_number(cls, player: Any) -> int:
        """What messages call this hand: unique among the participant's hand pages of the app."""
        return player.round_number

    @classmethod
    def get_timeout_seconds(cls, player: Any) -> float | None:
        """The time limit of the page; None for none."""
        return None

    @classmethod
    def followed(cls, participant_code: str, hand_number: int, record: str, events: list[Event]) -> None:
        """Told what has just been added to a record; for logs that grow while play goes on."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One participant's place at one hand, looked up once when they connect."""

    page: type[Playable]
    key: Key
    page_index: int
    name: str
    hand_number: int
    opening: Opening
    deadline: float | None  # Unix seconds, of oTree's page timeout
    participant_code: str
    session_id: int
    second_tab: str  # what happens to a second page at this seat, as the session config says

    @property
    def table(self) -> Table:
        """What all who look at this hand have in common."""
        return self.key[:3]


def of_player(page: type[Playable], player: Any) -> Seat:
    """The seat of a player whose participant is on this page."""
    row, participant, session = page.row(player), player.participant, player.session
    index = participant._index_in_pages
    timed = participant._timeout_page_index == index
    return Seat(
        page,
        Key(row.__tablename__, page.record_field, row.id, participant.id),
        index,
        page.seat(player),
        page.hand_number(player),
        page.opening(player),
        participant._timeout_expiration_time if timed else None,
        participant.code,
        session.id,
        session.config.get("second_tab", TELL),
    )


def find(participant_code: str, page_index: int) -> Seat | None:
    """The seat of a participant who is on this hand page now, None if they are elsewhere.

    A page with a time limit must have been loaded: who plays before its clock starts would play for longer.
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
    return of_player(page, player)
