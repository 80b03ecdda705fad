"""The players of an app as exports read them: all in a list, or block by block from the database.

A block is forgotten when the next one is read, so an export of any length needs the same memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from otree.database import db, dbq
from otree.models import Session
from sqlalchemy import func
from sqlalchemy.orm import joinedload

from cardlab.live.seat import Playable
from cardlab.sessions.arrival import has_withdrawn

BLOCK_PLAYERS = 100
BLOCK_PARTICIPANTS = 5  # each with the players of all rounds

Seated = dict[str, Any]  # the players at a hand, by seat


@contextmanager
def forgotten_rows() -> Iterator[None]:
    """Removes the rows that are loaded within the block from oTree's session.

    The session would keep some of them, because oTree treats some reads as changes.
    """
    session = db._db
    known = set(session.identity_map.keys())
    yield
    for key, row in [*session.identity_map.items()]:
        if key not in known:
            session.expunge(row)


def pieces(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """Yields a sequence in pieces of a size."""
    return (items[start : start + size] for start in range(0, len(items), size))


class StoredPlayers:
    """The players of an app in the database, in the order of their ids.

    Use a player only until the next one is read.

    Args:
        model: the app's model.
        session_code: only the players of this session; by default those of all sessions.
        count: called with the number of players or participants that are done, and the number of all.
    """

    def __init__(
        self,
        model: Any,
        session_code: str | None = None,
        count: Callable[[int, int], object] = lambda _done, _total: None,
    ) -> None:
        self._model, self._count = model, count
        relations = (model.participant, model.group, model.subsession, model.session)
        self._query = dbq(model).options(*(joinedload(one, innerjoin=True) for one in relations))
        if session_code:
            session_id = Session.objects_get(code=session_code).id
            self._query = self._query.filter(model.session_id == session_id)

    def __iter__(self) -> Iterator[Any]:
        for block in self._blocks():
            yield from block

    def _blocks(self) -> Iterator[list[Any]]:
        total = self._query.with_entities(func.count(self._model.id)).scalar()
        last_id = done = 0
        is_complete = False
        while not is_complete:
            with forgotten_rows():
                block = self._read(self._model.id > last_id, limit=BLOCK_PLAYERS)
                is_complete = len(block) < BLOCK_PLAYERS
                if block:
                    last_id = block[-1].id
                    yield block
            done += len(block)
            self._count(done, total)

    def _read(self, condition: Any, limit: int | None = None) -> list[Any]:
        players: list[Any] = self._query.filter(condition).order_by(self._model.id).limit(limit).all()
        for player in players:
            player._is_frozen = False  # so that an empty field may be read
        return players

    def list_present(self) -> list[Any]:
        """Returns all players at once, except those of participants who have withdrawn."""
        return [player for player in self._read(self._model.id > 0) if not has_withdrawn(player.participant)]

    def with_ids(self, ids: Sequence[int]) -> Iterator[Any]:
        """Yields the players with these ids, in the order of ``ids``."""
        for piece in pieces(ids, BLOCK_PLAYERS):
            with forgotten_rows():
                players = {player.id: player for player in self._read(self._model.id.in_(piece))}
                yield from (players[number] for number in piece)

    def sessions(self) -> list[Any]:
        """Returns the sessions, in the order of their first players."""
        ids = self._ids_by_first_player(self._model.session_id)
        sessions = {session.id: session for session in dbq(Session).filter(Session.id.in_(ids))}
        return [sessions[number] for number in ids]

    def by_participant(self) -> Iterator[list[Any]]:
        """Yields each participant's players, in the order of rounds."""
        ids, done = self._ids_by_first_player(self._model.participant_id), 0
        for piece in pieces(ids, BLOCK_PARTICIPANTS):
            with forgotten_rows():
                rounds: dict[int, list[Any]] = {number: [] for number in piece}
                for player in self._read(self._model.participant_id.in_(piece)):
                    rounds[player.participant_id].append(player)
                yield from rounds.values()
            done += len(piece)
            self._count(done, len(ids))

    def _ids_by_first_player(self, column: Any) -> list[int]:
        rows = self._query.with_entities(column).group_by(column).order_by(func.min(self._model.id))
        return [number for (number,) in rows]

    def hand_blocks(self, page: type[Playable]) -> Iterator[dict[str, Seated]]:
        """Yields the hands of a page in blocks, by hand_id, in the order of their first players."""
        for block in self._blocks():
            if all(page.row(player) is player for player in block):
                yield hands_by_id(block, page)
            else:
                yield hands_by_id(self._members_of_new_groups(block), page)

    def _members_of_new_groups(self, block: list[Any]) -> list[Any]:
        """Returns all players of the groups whose first player is in the block."""
        members = self._read(self._model.group_id.in_({player.group_id for player in block}))
        first_ids = {player.group_id: player.id for player in reversed(members)}
        return [player for player in members if first_ids[player.group_id] >= block[0].id]


Players = Sequence[Any] | StoredPlayers  # oTree's rows, by round and participant
TableRows = Callable[[Players], Iterator[list[Any]]]  # yields the rows of a table, the heading first


@dataclass(frozen=True)
class Export:
    """An export that reads the players block by block, so it can be called with :class:`StoredPlayers`."""

    rows: TableRows

    def __call__(self, players: Players) -> Iterator[list[Any]]:
        """Yields the rows."""
        return self.rows(players)


def hands_by_id(players: Iterable[Any], page: type[Playable]) -> dict[str, Seated]:
    """Returns the players at each hand of a page, by hand_id and seat, in the order of the players."""
    hands: dict[str, Seated] = {}
    for player in players:
        hands.setdefault(page.hand_id(player), {})[page.seat(player)] = player
    return hands


def hand_blocks(players: Players, page: type[Playable]) -> Iterable[Mapping[str, Seated]]:
    """Yields the hands of a page in blocks, by hand_id; those in a list all at once."""
    if isinstance(players, StoredPlayers):
        return players.hand_blocks(page)
    return [hands_by_id(players, page)]


def sessions_of(players: Players) -> list[Any]:
    """Returns the sessions of players."""
    if isinstance(players, StoredPlayers):
        return players.sessions()
    return [*{player.session.code: player.session for player in players}.values()]


def players_by_participant(players: Players) -> Iterable[list[Any]]:
    """Yields each participant's players, in the order of rounds."""
    if isinstance(players, StoredPlayers):
        return players.by_participant()
    by_code: dict[str, list[Any]] = {}
    for player in players:
        by_code.setdefault(player.participant.code, []).append(player)
    return by_code.values()
