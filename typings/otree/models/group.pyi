from collections.abc import Iterable
from typing import Any

from sqlalchemy import Column
from sqlalchemy.orm import Query
from typing_extensions import Self

from ..database import SPGModel
from .player import BasePlayer
from .session import Session
from .subsession import BaseSubsession

class BaseGroup(SPGModel):
    id_in_subsession: Column[int]
    round_number: Column[int]
    session_id: Column[int]
    session: Session
    subsession_id: Column[int]
    subsession: BaseSubsession
    player_set: Query[BasePlayer]
    def get_players(self) -> list[Any]: ...
    def get_player_by_id(self, id_in_group: int) -> Any: ...
    def set_players(self, players_list: Iterable[BasePlayer]) -> None: ...
    def in_round(self, round_number: int) -> Self: ...
    def in_rounds(self, first: int, last: int) -> list[Self]: ...
    def in_previous_rounds(self) -> list[Self]: ...
    def in_all_rounds(self) -> list[Self]: ...
    def __getattr__(self, name: str) -> Any: ...  # a column of the app
