from typing import Any

from otree.common import in_round as in_round
from otree.common import in_rounds as in_rounds
from sqlalchemy import Column
from typing_extensions import Self

from ..currency import Currency
from ..database import SPGModel
from .group import BaseGroup
from .participant import Participant
from .session import Session
from .subsession import BaseSubsession

class BasePlayer(SPGModel):
    id_in_group: Column[int]
    round_number: Column[int]
    session_id: Column[int]
    session: Session
    subsession_id: Column[int]
    subsession: BaseSubsession
    group_id: Column[int]
    group: BaseGroup
    participant_id: Column[int]
    participant: Participant
    _payoff: Column[Currency]
    _role: Column[str]
    @property
    def role(self) -> str: ...
    @property
    def payoff(self) -> Currency: ...
    @payoff.setter
    def payoff(self, value: float | Currency | None) -> None: ...
    @property
    def id_in_subsession(self) -> int: ...
    def in_round(self, round_number: int) -> Self: ...
    def in_rounds(self, first: int, last: int) -> list[Self]: ...
    def in_previous_rounds(self) -> list[Self]: ...
    def in_all_rounds(self) -> list[Self]: ...
    def get_others_in_group(self) -> list[Self]: ...
    def get_others_in_subsession(self) -> list[Self]: ...
    def __getattr__(self, name: str) -> Any: ...  # a column of the app
    def __setattr__(self, name: str, value: Any) -> None: ...
