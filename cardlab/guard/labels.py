"""Restricts participant labels to harmless characters: letters, digits, spaces and ``_ . -``.

oTree inserts labels unescaped into admin pages, as HTML, and into exports, where a spreadsheet would evaluate
a formula. So a label begins with a letter, a digit or ``_``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from gettext import gettext as _
from typing import Any
from urllib.parse import parse_qsl

from otree.models import Participant
from otree.views import rest
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import Scope

from cardlab.core.patch import Wrapper
from cardlab.guard.errors import Refused

MAX_LENGTH = 100  # as in oTree


def is_valid_label(label: object) -> bool:
    """Returns whether a label is valid. Letters of any script are allowed, with combining marks."""
    return (
        isinstance(label, str)
        and 0 < len(label) <= MAX_LENGTH
        and (label[0].isalnum() or label[0] == "_")
        and all(_is_allowed(character) for character in label)
    )


def _is_allowed(character: str) -> bool:
    return character.isalnum() or character in "_ .-" or unicodedata.category(character)[0] == "M"


def invalid_label_sentence() -> str:
    """Returns the error message for an invalid label."""
    return _(
        "This label is not valid. Use only letters, digits, spaces and . _ - (at most 100 "
        "characters). Begin with a letter or a digit."
    )


def check_label(scope: Scope) -> None:
    """Raises Refused if the address of a page or socket has an invalid label."""
    if b"participant_label" not in scope["query_string"] and b"%" not in scope["query_string"]:
        return
    for name, value in parse_qsl(scope["query_string"].decode("latin-1")):
        if name == "participant_label" and not is_valid_label(value):
            raise Refused(400, invalid_label_sentence())


def _set_checked_label(set_label: Callable[[Participant, Any], None], self: Participant, label: Any) -> None:
    if label and not is_valid_label(label):
        raise HTTPException(400, invalid_label_sentence())
    set_label(self, label)


def _post_checked_label(
    post: Callable[..., Any],
    self: rest.RESTParticipantVarsByRoom,
    room_name: Any,
    participant_label: Any,
    vars: Any,
) -> Any:
    if not is_valid_label(participant_label):
        return PlainTextResponse(invalid_label_sentence(), 400)
    return post(self, room_name, participant_label, vars)


PATCHES = (
    Wrapper(
        *(Participant, "set_label", _set_checked_label, "security", "a4b369e4bce97017"),
        "Rejects labels that could be HTML or a spreadsheet formula.",
    ),
    Wrapper(
        *(rest.RESTParticipantVarsByRoom, "post", _post_checked_label, "security", "f7b52a2e2c26ede9"),
        "The same for the REST interface.",
    ),
)
