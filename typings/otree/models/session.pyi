from collections.abc import Iterable
from typing import Any

from sqlalchemy import Column
from sqlalchemy.orm import Query

from ..currency import RealWorldCurrency
from ..database import MixinVars, SSPPGModel
from ..room import BaseRoom
from ..session import SessionConfig
from .participant import Participant
from .subsession import BaseSubsession

class Session(MixinVars, SSPPGModel):
    code: Column[str]
    comment: Column[str | None]
    config: SessionConfig
    is_demo: Column[bool]
    label: Column[str | None]
    num_participants: Column[int]
    archived: Column[bool]
    pp_set: Query[Participant]
    _anonymous_code: Column[str]
    _created: Column[float]
    @property
    def participation_fee(self) -> RealWorldCurrency: ...
    @property
    def use_browser_bots(self) -> bool: ...
    def get_participants(self) -> list[Participant]: ...
    def get_subsessions(self) -> list[BaseSubsession]: ...
    def get_room(self) -> BaseRoom | None: ...
    _admin_report_app_names: Column[str]
    _admin_report_num_rounds: Column[str]
    def _set_admin_report_app_names(self) -> None: ...
    def advance_selected_participants(self, participants: Iterable[Participant]) -> Any: ...
