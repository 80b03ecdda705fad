"""Finds a participant's language: from their link, choice or label, else the server's.

A link has it as ``?language=it``. The participant's vars keep it for all later visits. A session cookie keeps
it for pages without a participant, such as a room or an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from gettext import gettext as _
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

import otree.constants
from otree.forms.forms import ModelForm
from otree.i18n import core_gettext
from otree.models import Participant, Session
from otree.views.abstract import Page, WaitPage
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from cardlab import folders
from cardlab.core.patch import Wrapper
from cardlab.games.label_file import languages_in
from cardlab.games.language import SERVERS, in_language, set_language
from cardlab.guard.headers import PARTICIPANT_PAGES
from cardlab.sessions.room_labels import languages_by_label
from cardlab.sessions.treatments import session_treatments

LANGUAGE = "language"  # in the participant's vars and in links
COOKIE = "card_lab_language"


@cache
def available() -> tuple[str, ...]:
    """Returns the languages of this server, in oTree's spelling: ``pt-br`` for the folder ``pt_BR``."""
    return _languages("messages.mo")


def translated() -> tuple[str, ...]:
    """Returns the languages that a server has after its next start, which compiles all catalogues."""
    return _languages("messages.po")


def _languages(catalogue: str) -> tuple[str, ...]:
    found = sorted((folders.OWN / "_locale").glob(f"*/LC_MESSAGES/{catalogue}"))
    return ("en", *(file.parts[-3].replace("_", "-").lower() for file in found))


def valid_language(language: Any) -> str:
    """Returns a language of this server; "" for anything else."""
    return language if isinstance(language, str) and language in available() else SERVERS


def language_of(participant: Participant) -> str:
    """Returns a participant's language; "" is the server's."""
    return valid_language(participant._vars.get(LANGUAGE))


def choices() -> list[tuple[str, str]]:
    """Returns the languages and their own names, for the choice on a participant's first page."""
    language_names = []
    for language in available():
        with in_language(language):
            # Each catalogue translates "English" to the name of its own language.
            language_names.append((language, _("English")))
    return language_names


def store_language(participant: Participant, query: Mapping[str, str], answer: Response) -> None:
    """Stores the language of a participant's link, or else that of their label, and sets the cookie."""
    if asked := valid_language(query.get(LANGUAGE)):
        participant.vars[LANGUAGE] = asked
    elif not language_of(participant) and (
        of_label := language_of_label(participant.session, participant.label)
    ):
        participant.vars[LANGUAGE] = of_label
    if language := language_of(participant):
        answer.set_cookie(COOKIE, language, httponly=True)
    elif hasattr(answer, "delete_cookie"):
        answer.delete_cookie(COOKIE)


def add_to_start_link(answer: Response, request: Request) -> Response:
    """Adds the language of a room's or session's link to the start link that it leads to."""
    language, target = valid_language(request.query_params.get(LANGUAGE)), answer.headers.get("location", "")
    if language and target.startswith("/InitializeParticipant/"):
        answer.headers["location"] = f"{target}{'&' if '?' in target else '?'}{LANGUAGE}={language}"
    return answer


def set_early_language(scope: Scope) -> None:
    """Sets a request's language before its participant is known: that of the link or of the cookie."""
    set_language(_early_language(scope))


def _early_language(scope: Scope) -> str:
    if not PARTICIPANT_PAGES.match(scope["path"]):
        return SERVERS
    query = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
    if language := valid_language(query.get(LANGUAGE)):
        return language
    for name, value in scope["headers"]:
        if name == b"cookie" and COOKIE.encode() in value:
            try:
                cookie = SimpleCookie(value.decode("latin-1")).get(COOKIE)
            except CookieError:
                continue
            if cookie:
                return valid_language(cookie.value)
    return SERVERS


_of_labels = lru_cache(maxsize=64)(languages_in)


def language_of_label(session: Session, label: str | None) -> str:
    """Returns the language of a label in the label file of the treatments, or else in that of the room.

    Returns "" if neither has one.
    """
    label, treatments = (label or "").strip(), session_treatments(session)
    if not label:
        return SERVERS
    for file in treatments.files[1:] if treatments else ():
        if language := valid_language(_of_labels(file).get(label)):
            return language
    return valid_language(languages_by_label(session.get_room(), available()).get(label))


def _in_own_language(dispatch: Callable[..., Response], self: Any, request: Request) -> Response:
    with in_language(language_of(self.participant)):
        return dispatch(self, request)


def _validate(validate: Callable[[ModelForm], bool], self: ModelForm) -> bool:
    is_valid = validate(self)
    baked = otree.constants.field_required_msg
    for field in self._fields.values():
        field.errors = [
            core_gettext("This field is required.") if error == baked else error for error in field.errors
        ]
    return is_valid


_REASON = "A page is made in the language of its participant."
IN_OWN_LANGUAGE = Wrapper(Page, "inner_dispatch", _in_own_language, "feature", "3aff7f203537a8a7", _REASON)
PATCHES = (
    IN_OWN_LANGUAGE,
    Wrapper(WaitPage, "inner_dispatch", _in_own_language, "feature", "a5a3a7b64a13a873", _REASON),
    Wrapper(
        *(ModelForm, "validate", _validate, "feature", "5b6634e9ae12cbb4"),
        "oTree translates this sentence once, when it starts.",
    ),
)
