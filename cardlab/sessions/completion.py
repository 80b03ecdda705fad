"""How a session ends for a participant, and what the last page tells then: online, a link or a code.

Before its end it ends for who does not agree to take part, whom an app screens out, and who comes too late.
They go past all pages that are left, so nobody waits for them, and they are paid nothing; oTree's ``status``
of the participant says which.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from gettext import gettext as _
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from otree.database import db
from otree.lookup import get_page_lookup
from otree.models import Participant, Session
from otree.room import ROOM_DICT
from otree.templating import render
from otree.views.abstract import FormPageOrInGameWaitPage, Page, WaitPage
from otree.views.participant import (
    AssignVisitorToRoom,
    InitializeParticipant,
    OutOfRangeNotification,
    SessionWideLink,
)
from starlette.requests import Request
from starlette.responses import RedirectResponse

from cardlab.core import clock
from cardlab.core.patch import Wrapper
from cardlab.games.dealing import Config
from cardlab.games.text_file import shorten
from cardlab.games.treatments import ENDING_FIELDS
from cardlab.sessions import money
from cardlab.sessions.arrival import ARRIVAL, FINISHED, came, reached_the_end
from cardlab.sessions.config import OFF

REFUSED, SCREENED_OUT, LATE = EARLY = ("refused", "screened out", "late")
CODES = dict(zip([FINISHED, *EARLY], ("completion_code", "refused_code", "screened_out_code", "late_code")))
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
LONGEST_URL = 1000


def ended_early(participant) -> bool:
    """Whether the session has ended for the participant before its end."""
    return participant.status in EARLY


def refuse(participant) -> None:
    """The participant does not agree to take part. To be called in ``before_next_page``."""
    _end(participant, REFUSED)


def screen_out(participant) -> None:
    """The participant is none of those whom the study is about. To be called in ``before_next_page``."""
    _end(participant, SCREENED_OUT)


def _end(participant, status: str) -> None:
    participant.status = status
    participant._update_monitor_table()


# ------------------------------------------------------------------ what the last page tells


class Completion(NamedTuple):
    """The code that somebody takes back to where they came from, and the link there; "" is none. ``early``
    says that the session has ended for them before its end."""

    code: str
    link: str
    early: bool


def completion(config: Config, status: str, label: str | None) -> Completion:
    """What is told on the last page to who has this status and label.

    Who ended early has a code of their own, and a link only if it brings that code back.
    """
    early = status in EARLY
    code = config[CODES[status if early else FINISHED]]
    url, code = config["completion_url"], "" if code == OFF else code
    if url == OFF or (early and not (code and "{code}" in url)):
        return Completion(code, "", early)
    filled = {"label": label or "", "code": code}
    link = url.format(**{name: quote(text, safe="") for name, text in filled.items()})
    return Completion(code, link, early)


def completion_of(participant) -> Completion:
    """The same for a participant."""
    return completion(participant.session.config, participant.status, participant.label)


def told(participant) -> dict[str, Any]:
    """What the template of the last page is filled in with."""
    shown = participant.session.config["show_earnings"] and not ended_early(participant)
    paid = money.written(participant.payoff_plus_participation_fee()) if shown else ""
    return {**_words(participant.status), "paid": paid, **completion_of(participant)._asdict()}


def told_when_full(config: Config, label: str | None) -> dict[str, Any]:
    """The same for who has no place, because all are taken."""
    words = {**_words(LATE), "sentence": _("All places are taken, so you cannot take part this time.")}
    return {**words, "paid": "", **completion(config, LATE, label)._asdict()}


def _words(status: str) -> dict[str, str]:
    title, sentence = {
        REFUSED: (
            _("Thank you for reading"),
            _("You have not agreed to take part, so there is nothing more to do."),
        ),
        SCREENED_OUT: (
            _("Thank you for your answers"),
            _("This study looks for other people this time, so there is nothing more to do for you."),
        ),
        LATE: (
            _("Thank you for coming"),
            _("The others have begun already, so you cannot take part this time."),
        ),
    }.get(status, (_("This is the end"), _("Thank you for taking part!")))
    return {"title": title, "sentence": sentence}


# ------------------------------------------------------------------ what a session config may have


def check(config: Config) -> str | None:
    """What is wrong with the fields of a session's end, as a sentence; None if nothing is."""
    for key in ENDING_FIELDS:
        if key.endswith("_code") and not (isinstance(config[key], str) and CODE.fullmatch(config[key])):
            return (
                f"{key} must be {OFF}, or a code of letters, digits and . _ -, not '{shorten(config[key])}'."
            )
    minutes = config["late_after_minutes"]
    if type(minutes) not in (int, float) or not 0 <= minutes < 1e6:
        return f"late_after_minutes must be 0 (nobody is late) or more, not '{shorten(minutes)}'."
    url = config["completion_url"]
    if url == OFF:
        return None
    if wrong := _check_url(url):
        return f"completion_url {wrong}, not '{shorten(url)}'."
    if "{code}" in url and config["completion_code"] == OFF:
        return "completion_url has {code}, so completion_code must be set."
    return None


def _check_url(url: Any) -> str | None:
    if not isinstance(url, str) or len(url) > LONGEST_URL or not re.fullmatch(r"[!-~]+", url):
        return f"must be {OFF} or an address of at most {LONGEST_URL} characters, without blanks"
    try:
        parts = [*string.Formatter().parse(url)]
        split = urlsplit(url)
        host = split.hostname
    except ValueError:
        return "must be an address; braces stand in it only as {label} and {code}"
    if any(
        name is not None and (name not in ("label", "code") or form or how) for _t, name, form, how in parts
    ):
        return "may have {label} and {code} to be filled in, and no other braces"
    if split.scheme not in ("http", "https") or not host or re.search(r'["<>\\`{}]', split.netloc):
        return "must begin with https:// (or http://) and a server's name"
    return None


# ------------------------------------------------------------------ what oTree does then


def is_late(participant) -> bool:
    """Whether the participant comes later than their session allows, counted from who came first."""
    minutes = participant.session.config["late_after_minutes"]
    if not minutes or came(participant):
        return False
    there = [one.time_started_utc for one in participant.session.get_participants() if came(one)]
    now = datetime.fromtimestamp(clock.time(), timezone.utc).replace(tzinfo=None)  # as oTree writes it
    return bool(there) and now - datetime.fromisoformat(min(there)) > timedelta(minutes=minutes)


def _skips_to(page) -> int | None:
    """The index of the page to which a participant goes straight on: past the last one, or of another app."""
    ends_session = getattr(page, "ends_session", None)  # of cardlab.pages.pages.ResultsPage
    if ended_early(page.participant) or (ends_session and ends_session(page.player)):
        return page.participant._max_page_index + 1
    return page._get_next_page_index_if_skipping_apps() if hasattr(page, "app_after_this_page") else None


def _pass_by(page, target: int) -> None:
    """Go straight on, as oTree does, which looks up a row for each page that is passed by: a game has
    hundreds, and everybody waits meanwhile. Only pages on which all are waited for have to be told."""
    participant = page.participant
    for index in range(page._index_in_pages + 1, target):
        passed = get_page_lookup(participant._session_code, index).page_class
        if issubclass(passed, WaitPage) and not passed.group_by_arrival_time:
            participant._index_in_pages = index
            waiting = passed.instantiate_without_request()
            waiting.set_attributes(participant)
            db.commit()
            is_last, somebody_waits = waiting._tally_unvisited()
            if is_last and somebody_waits:
                waiting._run_aapa_and_notify(waiting._group_or_subsession)
    participant._index_in_pages = target


def _increment_index_in_pages(
    go_on: Callable[[FormPageOrInGameWaitPage], None], self: FormPageOrInGameWaitPage
) -> None:
    participant = self.participant
    if target := _skips_to(self):
        _pass_by(self, target)
    else:
        go_on(self)
    if participant._index_in_pages > participant._max_page_index:
        reached_the_end(participant)


def _get_page(show: Callable[[Page], Any], self: Page) -> Any:
    answer = show(self)
    last = self._index_in_pages == self.participant._index_in_pages == self.participant._max_page_index
    if last and not self.has_form():
        reached_the_end(self.participant)
    return answer


def _get_start(start: Callable[..., Any], self: InitializeParticipant, request: Request) -> Any:
    participant = db.get_or_404(Participant, code=request.path_params["code"])
    late = is_late(participant)
    answer = start(self, request)
    page = participant._get_page_instance()
    if not late or page is None:
        return answer
    _end(participant, LATE)
    page._increment_index_in_pages()
    return RedirectResponse(participant._url_i_should_be_on())


def _get_end(at_the_end: Callable[..., Any], self: OutOfRangeNotification, request: Request) -> Any:
    participant = db.get_or_404(Participant, code=request.path_params["code"])
    here = participant._url_i_should_be_on()
    if request.url.path != here:  # who is not there yet reads nothing of it
        return RedirectResponse(here, status_code=302)
    at_the_end(self, request)  # bots in browsers hear of it
    return render("otree/OutOfRangeNotification.html", {**told(participant), "participant": participant})


def _get_or_end(
    get: Callable[..., Any], self: SessionWideLink | AssignVisitorToRoom, request: Request
) -> Any:
    answer = get(self, request)
    if answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
        return answer
    if "room_name" in request.path_params:
        session = ROOM_DICT[request.path_params["room_name"]].get_session()
    else:
        session = Session.objects_first(_anonymous_code=request.path_params["anonymous_code"])
    if session is None or session.config["late_code"] == OFF:
        return answer
    label = request.query_params.get("participant_label")
    page = render("otree/OutOfRangeNotification.html", told_when_full(session.config, label))
    page.status_code = answer.status_code
    return page


_FULL = "Where all places are taken, the page gives the session's code for those who come too late."
PATCHES = (
    Wrapper(
        *(
            FormPageOrInGameWaitPage,
            "_increment_index_in_pages",
            _increment_index_in_pages,
            "feature",
            "db96ac6487624de2",
        ),
        "A participant whose session has ended early goes past all pages that are left, without a look-up "
        "for each; who is past the last page has finished.",
    ),
    Wrapper(
        *(Page, "get", _get_page, "feature", "29fb01653b51e50f"),
        "A participant has also finished on a last page that asks for nothing.",
    ),
    Wrapper(
        *(InitializeParticipant, "get", _get_start, "feature", "22cb6fdc30bf97ab"),
        "For a participant who comes too late the session ends at once.",
        after=ARRIVAL,
    ),
    Wrapper(
        *(OutOfRangeNotification, "get", _get_end, "feature", "64eed97dbf182149"),
        "The page past the last one says how the session has ended; oTree has no end of its own.",
    ),
    Wrapper(SessionWideLink, "get", _get_or_end, "feature", "ddffcba6ce210071", _FULL),
    Wrapper(AssignVisitorToRoom, "get", _get_or_end, "feature", "3d6a0be91ae012cf", _FULL),
)
