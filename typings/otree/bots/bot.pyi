from collections.abc import Iterable
from typing import Any

from ..models import Participant, Session
from ..views.abstract import Page

class Submission:
    post_data: dict[str, Any]
    page_class: type[Page]
    def __init__(
        self,
        PageClass: type[Page],
        post_data: dict[str, Any] | None = None,
        *,
        check_html: bool = True,
        timeout_happened: bool = False,
    ) -> None: ...

class SubmissionMustFail(Submission):
    def __init__(
        self,
        PageClass: type[Page],
        post_data: dict[str, Any] | None = None,
        *,
        check_html: bool = True,
        error_fields: Iterable[str] | None = None,
    ) -> None: ...

def expect(*args: Any) -> None: ...

# `otree.api.Bot`. The player, the group and the subsession are of the app's own classes.
class Bot:
    cases: list[str]
    case: str
    html: str
    player: Any
    group: Any
    subsession: Any
    participant: Participant
    session: Session
    round_number: int
