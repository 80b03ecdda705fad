from starlette.requests import Request

from .models import Session

class BaseRoom:
    name: str
    display_name: str
    has_participant_labels: bool
    welcome_page: str | None
    def has_session(self) -> bool: ...
    def get_session(self) -> Session | None: ...
    def set_session(self, session: Session | None) -> None: ...
    def get_room_wide_url(self, request: Request) -> str: ...
    def get_participant_urls(self, request: Request) -> list[str]: ...

class NoLabelRoom(BaseRoom):
    present_count: int

class LabelRoom(BaseRoom):
    use_secure_urls: bool
    present_list: list[str]
    participant_label_file: str
    def get_participant_labels(self) -> list[str]: ...

ROOM_DICT: dict[str, BaseRoom]
