from typing import Any

from sqlalchemy import Column

from ..currency import Currency, RealWorldCurrency
from ..database import MixinVars, SSPPGModel
from .player import BasePlayer
from .session import Session

class Participant(MixinVars, SSPPGModel):
    session_id: Column[int]
    session: Session
    label: Column[str | None]
    id_in_session: Column[int]
    payoff: Column[Currency]
    status: Column[str]
    code: Column[str]
    visited: Column[bool]
    time_started_utc: Column[str | None]
    is_on_wait_page: Column[bool]
    is_browser_bot: Column[bool]
    _current_app_name: Column[str | None]
    _current_form_page_url: Column[str | None]
    _current_page_name: Column[str | None]
    _gbat_grouped: Column[bool | None]
    _gbat_page_index: Column[int | None]
    _index_in_pages: Column[int]
    _is_bot: Column[bool]
    _last_page_timestamp: Column[int | None]
    _last_request_timestamp: Column[int | None]
    _max_page_index: Column[int]
    _round_number: Column[int | None]
    _session_code: Column[str]
    _timeout_expiration_time: Column[float | None]
    _timeout_page_index: Column[int | None]
    _waitpage_is_connected: Column[bool]
    _waitpage_tab_hidden: Column[bool]
    finished: bool  # of PARTICIPANT_FIELDS, as treatment
    treatment: str
    def initialize(self, participant_label: str | None) -> None: ...
    def set_label(self, label: str | None) -> None: ...
    def get_players(self) -> list[BasePlayer]: ...
    def get_player(self, app_name: str, round_number: int) -> BasePlayer: ...
    def payoff_in_real_world_currency(self) -> RealWorldCurrency: ...
    def payoff_plus_participation_fee(self) -> RealWorldCurrency: ...
    def current_page_(self) -> str: ...
    def _get_current_player(self) -> BasePlayer: ...
    def _get_page_instance(self) -> Any: ...
    def _numeric_label(self) -> str: ...
    def _start_url(self) -> str: ...
    def _submit_current_page(self) -> None: ...
    def _update_monitor_table(self) -> None: ...
    def _url_i_should_be_on(self) -> str: ...
    def _visit_current_page(self) -> None: ...
