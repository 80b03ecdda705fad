"""Ends the session early for a participant, and detects participants who have finished.

A participant has finished on the page after the last one, or on a last page without a form.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from otree.common import get_models_module
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
from starlette.responses import RedirectResponse, Response

from cardlab.core.patch import Wrapper
from cardlab.games.language import current_language, in_language
from cardlab.games.pay import EXCLUDED, LATE, LEFT
from cardlab.games.shared_settings import OFF
from cardlab.sessions import participant_language, recruiting, study_register, treatment_assignment
from cardlab.sessions.arrival import ARRIVAL, has_arrived, has_ended_early, is_closed, mark_finished
from cardlab.sessions.completion import end_early, end_vars, excluded_vars, full_session_vars, late_vars
from cardlab.sessions.own_sessions import has_card_lab_app
from cardlab.sessions.participant_language import language_of


def _skip_target(page: Any) -> int | None:
    """Returns the index of the page to skip to: past the last page, or in another app; None for no skip."""
    ends_session = getattr(page, "ends_session", None)  # of cardlab.pages.results.ResultsPage
    if has_ended_early(page.participant) or (ends_session and ends_session(page.player)):
        return int(page.participant._max_page_index) + 1
    if not hasattr(page, "app_after_this_page"):
        return None
    target: int | None = page._get_next_page_index_if_skipping_apps()
    return target


def skip_to(page: Any, target: int) -> None:
    """Skips to a page. oTree would look up a row for each of the hundreds of pages in between.

    Of these, only wait pages must be notified.
    """
    participant = page.participant
    for index in range(page._index_in_pages + 1, target):
        page_class = get_page_lookup(participant._session_code, index).page_class
        if issubclass(page_class, WaitPage) and not page_class.group_by_arrival_time:
            participant._index_in_pages = index
            wait_page = page_class.instantiate_without_request()
            wait_page.set_attributes(participant)
            db.commit()
            is_last, somebody_waits = wait_page._tally_unvisited()
            if is_last and somebody_waits:
                wait_page._run_aapa_and_notify(wait_page._group_or_subsession)
    participant._index_in_pages = target


def _pass_hidden_pages(page: Any) -> None:
    """Skips Card Lab's pages that are not displayed. oTree would create an object for each of them."""
    participant = page.participant
    for index in range(page._index_in_pages + 1, participant._max_page_index + 1):
        lookup = get_page_lookup(participant._session_code, index)
        hidden: Any = lookup.page_class
        if not getattr(hidden, "in_shell", False) or issubclass(hidden, WaitPage):
            return
        model = get_models_module(lookup.app_name).Player
        participant._index_in_pages = index
        if hidden.is_displayed(model.objects_get(participant=participant, round_number=lookup.round_number)):
            participant._index_in_pages = index - 1
            return
        page._index_in_pages = index


def _increment_index_in_pages(
    go_on: Callable[[FormPageOrInGameWaitPage], None], self: FormPageOrInGameWaitPage
) -> None:
    participant = self.participant
    if target := _skip_target(self):
        skip_to(self, target)
    else:
        _pass_hidden_pages(self)
        go_on(self)
    if participant._index_in_pages > participant._max_page_index:
        mark_finished(participant)


def _show_page(show: Callable[[Page], Any], self: Page) -> Any:
    page: Any = self
    if self.participant.status == LEFT:
        page.call_user_defined("before_next_page", timeout_happened=True)
        page._record_page_completion_time()
        return _go_to_end(page)
    answer = show(self)
    is_last_page = (
        self._index_in_pages == self.participant._index_in_pages == self.participant._max_page_index
    )
    if is_last_page and not page.has_form():
        mark_finished(self.participant)
    return answer


def _show_wait_page(show: Callable[[WaitPage], Any], self: WaitPage) -> Any:
    return _go_to_end(self) if self.participant.status == LEFT else show(self)


def _go_to_end(page: Any) -> Any:
    page._increment_index_in_pages()
    return page._redirect_to_page_the_user_should_be_on()


def _start_unless_kept_out(start: Callable[..., Any], self: InitializeParticipant, request: Request) -> Any:
    participant = db.get_or_404(Participant, code=request.path_params["code"])
    session, is_new = participant.session, not has_arrived(participant)
    label = participant.label or recruiting.with_label(request).query_params.get("participant_label")
    if is_new and not study_register.is_bot(participant) and study_register.hours_to_wait(session, label):
        return _end_page(session, label, study_register.TOO_EARLY)
    arrives_late = is_closed(session)
    answer = start(self, request)
    page = participant._get_page_instance()
    if not is_new or page is None:
        return answer
    if not arrives_late and not study_register.is_excluded(participant):
        study_register.add_entry(participant)
        treatment_assignment.tell_kept_treatment(participant)
        return answer
    end_early(participant, LATE if arrives_late else EXCLUDED)
    page._increment_index_in_pages()
    return RedirectResponse(participant._url_i_should_be_on())


def _show_end(at_the_end: Callable[..., Any], self: OutOfRangeNotification, request: Request) -> Any:
    participant = db.get_or_404(Participant, code=request.path_params["code"])
    current = participant._url_i_should_be_on()
    if request.url.path != current:  # the participant is on another page
        return RedirectResponse(current, status_code=302)
    answer = at_the_end(self, request)  # notifies browser bots
    if not has_card_lab_app(participant.session.config):
        return answer
    with in_language(language_of(participant)):
        return render("cardlab/End.html", {**end_vars(participant), "participant": participant})


def _get_or_show_code(
    get: Callable[..., Any], self: SessionWideLink | AssignVisitorToRoom, request: Request
) -> Any:
    request = recruiting.with_label(request)
    answer = get(self, request)
    if answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
        return participant_language.add_to_start_link(recruiting.add_to_start_link(answer, request), request)
    if "room_name" in request.path_params:
        session = ROOM_DICT[request.path_params["room_name"]].get_session()
    else:
        session = Session.objects_first(_anonymous_code=request.path_params["anonymous_code"])
    label = request.query_params.get("participant_label")
    if session and (reason := study_register.exclusion(session, label)):
        return _end_page(session, label, reason)
    if session and is_closed(session):
        return render("cardlab/End.html", late_vars(session.config, label))
    if session is None or session.config["late_code"] == OFF:
        return answer
    page = render("cardlab/End.html", full_session_vars(session.config, label))
    page.status_code = answer.status_code
    return page


def _end_page(session: Session, label: str | None, reason: str) -> Response:
    """Returns the page for a visitor whom the session does not admit."""
    with in_language(current_language() or participant_language.language_of_label(session, label)):
        return render("cardlab/End.html", excluded_vars(session, label, reason))


_FULL_REASON = (
    "Visitors without a slot get the code for late or for excluded participants. Keeps a recruiting "
    "service's link parameters."
)
PATCHES = (
    Wrapper(
        *(
            FormPageOrInGameWaitPage,
            "_increment_index_in_pages",
            _increment_index_in_pages,
            "feature",
            "db96ac6487624de2",
        ),
        "After an early end a participant skips all remaining pages and has finished.",
    ),
    Wrapper(
        *(Page, "get", _show_page, "feature", "29fb01653b51e50f"),
        "A participant on a last page without a form has finished; one who left goes to the end.",
    ),
    Wrapper(
        *(WaitPage, "get", _show_wait_page, "feature", "efaedfe9bb468002"),
        "A participant who left the study goes to the end.",
    ),
    Wrapper(
        *(InitializeParticipant, "get", _start_unless_kept_out, "feature", "22cb6fdc30bf97ab"),
        "The session ends at once for a late participant, and for one whom it excludes.",
        after=ARRIVAL,
    ),
    Wrapper(
        *(OutOfRangeNotification, "get", _show_end, "feature", "64eed97dbf182149"),
        "The page after the last says how the session ended.",
    ),
    Wrapper(SessionWideLink, "get", _get_or_show_code, "feature", "ddffcba6ce210071", _FULL_REASON),
    Wrapper(AssignVisitorToRoom, "get", _get_or_show_code, "feature", "3d6a0be91ae012cf", _FULL_REASON),
)
