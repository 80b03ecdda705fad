"""The language of a participant: that of their link, of their choice or of their label; else the server's.

A link has it as ``?language=it``. The participant's vars keep it for all later visits. The browser keeps it
too, in a cookie until it is closed, for pages before and outside the participant's: a room, an error.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from gettext import gettext as _
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

import otree.constants
from otree.forms.forms import ModelForm
from otree.i18n import core_gettext
from otree.models import Participant
from otree.views.abstract import Page, WaitPage
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from cardlab import folders
from cardlab.core.patch import Wrapper
from cardlab.games.dealing import DealFile
from cardlab.games.label_file import LABEL_COLUMN
from cardlab.games.language import SERVERS, in_language, set_language
from cardlab.guard.headers import PARTICIPANT_PAGES
from cardlab.sessions.treatments import session_treatments

LANGUAGE = "language"  # in the participant's vars, in links, and the column of a label file
COOKIE = "card_lab_language"


@cache
def available() -> tuple[str, ...]:
    """Returns the languages of this server, in oTree's spelling: ``pt-br`` for the folder ``pt_BR``."""
    compiled = sorted((folders.OWN / "_locale").glob("*/LC_MESSAGES/messages.mo"))
    return ("en", *(file.parts[-3].replace("_", "-").lower() for file in compiled))


def valid_language(language: Any) -> str:
    """Returns a language of this server; "" for anything else."""
    return language if isinstance(language, str) and language in available() else SERVERS


def language_of(participant: Participant) -> str:
    """Returns a participant's language; "" is the server's."""
    return valid_language(participant._vars.get(LANGUAGE))


def choices() -> list[tuple[str, str]]:
    """Returns the languages and their own names, for the choice on a participant's first page."""
    named = []
    for language in available():
        with in_language(language):
            named.append((language, _("English")))  # each catalogue translates it to its language's name
    return named


def keep(participant: Participant, query: Mapping[str, str], answer: Response) -> None:
    """Keeps the language of a participant's link, or else that of their label, and sets the cookie."""
    if asked := valid_language(query.get(LANGUAGE)):
        participant.vars[LANGUAGE] = asked
    elif not language_of(participant) and (of_label := _language_of_label(participant)):
        participant.vars[LANGUAGE] = of_label
    if language := language_of(participant):
        answer.set_cookie(COOKIE, language, httponly=True)
    elif hasattr(answer, "delete_cookie"):
        answer.delete_cookie(COOKIE)


def pass_on(answer: Response, request: Request) -> Response:
    """Adds the language of a room's or session's link to the start link that it leads to."""
    asked, target = valid_language(request.query_params.get(LANGUAGE)), answer.headers.get("location", "")
    if asked and target.startswith("/InitializeParticipant/"):
        answer.headers["location"] = f"{target}{'&' if '?' in target else '?'}{LANGUAGE}={asked}"
    return answer


def begin(scope: Scope) -> None:
    """Sets the language of a request, before it is known whose it is: that of its link or of the cookie."""
    set_language(_early_language(scope))


def _early_language(scope: Scope) -> str:
    if not PARTICIPANT_PAGES.match(scope["path"]):
        return SERVERS
    query = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
    if asked := valid_language(query.get(LANGUAGE)):
        return asked
    for name, value in scope["headers"]:
        if name == b"cookie" and COOKIE.encode() in value:
            try:
                cookie = SimpleCookie(value.decode("latin-1")).get(COOKIE)
            except CookieError:
                continue
            if cookie:
                return valid_language(cookie.value)
    return SERVERS


def _language_of_label(participant: Participant) -> str:
    treatments = session_treatments(participant.session)
    if not treatments or len(treatments.files) < 2 or not participant.label:
        return SERVERS
    return valid_language(_languages_in(treatments.files[1]).get(participant.label.strip(), ""))


@lru_cache(maxsize=64)
def _languages_in(file: DealFile) -> dict[str, str]:
    """Returns the languages in a label file by label; {} without such a column."""
    lines = [line for line in file.text.splitlines() if line.strip() and not line.startswith("#")]
    separator = max(",;\t", key=lines[0].count)
    rows = csv.DictReader(lines, delimiter=separator, skipinitialspace=True)
    cells = [{str(key).strip(): str(value).strip() for key, value in row.items()} for row in rows]
    return {row[LABEL_COLUMN]: row[LANGUAGE].lower() for row in cells if row.get(LANGUAGE)}


def _in_own_language(dispatch: Callable[..., Response], self: Any, request: Request) -> Response:
    with in_language(language_of(self.participant)):
        return dispatch(self, request)


def _validate(validate: Callable[[ModelForm], bool], self: ModelForm) -> bool:
    is_valid = validate(self)
    baked = otree.constants.field_required_msg
    for field in self._fields.values():
        field.errors = [
            core_gettext("This field is required.") if one == baked else one for one in field.errors
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
