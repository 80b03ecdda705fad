from typing import NamedTuple

from .views.abstract import FormPageOrInGameWaitPage

class PageLookup(NamedTuple):
    app_name: str
    page_class: type[FormPageOrInGameWaitPage]
    round_number: int
    subsession_id: int
    name_in_url: str
    session_pk: int

def get_page_lookup(session_code: str, idx: int) -> PageLookup: ...
def get_min_idx_for_app(session_code: str, app_name: str) -> int: ...
def url_i_should_be_on(participant_code: str, session_code: str, index_in_pages: int) -> str: ...
