"""Suspends the time limits of pages while their participant is paused.

A pause deletes the task of oTree's timeout worker and rejects the page's requests. Afterwards the limit is
extended by the part of the pause that was spent on this page. Turn limits belong to the hand
(``cardlab.games.hand``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otree.common import get_models_module
from otree.models import Participant
from otree.views.abstract import Page
from starlette.responses import RedirectResponse

from cardlab.core import clock
from cardlab.core.patch import Wrapper
from cardlab.live import notices, page_limits
from cardlab.live.lab import LAB
from cardlab.live.record_store import Records
from cardlab.sessions import participant_language

_PAGE = """
    SELECT code, _index_in_pages, _timeout_page_index, _timeout_expiration_time, _last_page_timestamp,
        _current_app_name, _round_number
    FROM otree_participant WHERE id = :participant_id
"""
_SHIFT_WAIT = """
    UPDATE {table} SET waiting_since_ms = waiting_since_ms + :ms
    WHERE participant_id = :participant_id AND round_number = :number
"""


def suspend_limits(records: Records, participant_ids: list[int]) -> None:
    """Suspends the time limits of these participants' pages until :func:`resume_limits`."""
    for participant_id in participant_ids:
        code, *_page = _page_of(records, participant_id)
        page_limits.suspend_limit(records, code)


def resume_limits(records: Records, participant_id: int, since_ms: int, now_ms: int) -> float | None:
    """Extends the limit of a participant's page, and the start of their wait for a group, by a pause.

    The pause lasted from ``since_ms`` to ``now_ms``, in Unix milliseconds. Returns the page's new limit in
    Unix seconds; None if it has none.
    """
    code, index, timed_index, deadline, page_since, app, number = _page_of(records, participant_id)
    paused_for_ms = max(0, now_ms - _suspended_since_ms(since_ms, page_since))
    _shift_waiting_time(records, participant_id, app, number, paused_for_ms)
    if timed_index != index or deadline is None:
        return None
    ends: float = deadline + paused_for_ms / 1000
    if since_ms > now_ms:  # the clock was set back in the pause
        ends = page_limits.without_excess(records, participant_id, ends, now_ms / 1000)
    page_limits.set_limit(records, participant_id, code, index, ends)
    return ends


def seconds_left(records: Records, participant_id: int, since_ms: int | None) -> float | None:
    """Returns the seconds left on a participant's page; in a pause, those at its start. None if unlimited."""
    _code, index, timed_index, ends, page_since, *_rest = _page_of(records, participant_id)
    if timed_index != index or ends is None:
        return None
    now = clock.time() if since_ms is None else _suspended_since_ms(since_ms, page_since) / 1000
    return max(0.0, float(ends) - now)


def _page_of(records: Records, participant_id: int) -> tuple[Any, ...]:
    return records.rows(_PAGE, participant_id=participant_id)[0]


def _suspended_since_ms(since_ms: int, page_since: int | None) -> int:
    """Returns the start of a pause on a page, in Unix ms: the later of the pause's and the page's start."""
    return max(since_ms, 1000 * (page_since or 0))


def _shift_waiting_time(
    records: Records, participant_id: int, app: str | None, number: int | None, ms: int
) -> None:
    """Excludes a pause of ``ms`` from the time that a participant has waited for a group."""
    table = get_models_module(app).Player.__table__ if app else None
    if table is None or "waiting_since_ms" not in table.c:
        return
    records.write(
        _SHIFT_WAIT.format(table=table.name), [{"ms": ms, "participant_id": participant_id, "number": number}]
    )


def paused_ms(participant: Participant) -> int | None:
    """Returns the start of a participant's pause on the requested page, Unix ms; None if not paused."""
    since_ms = notices.standing_since_ms(LAB.page_records, participant.id, notices.PAUSE)
    return None if since_ms is None else _suspended_since_ms(since_ms, participant._last_page_timestamp)


def page_time(participant: Participant) -> float:
    """Returns the current time for a page's limit, in Unix seconds; during a pause, its start."""
    since_ms = paused_ms(participant)
    return clock.time() if since_ms is None else since_ms / 1000


def _refuse_while_paused(dispatch: Callable[[Page, Any], Any], self: Page, request: Any) -> Any:
    if request.method == "POST" and paused_ms(self.participant) is not None:
        return RedirectResponse(request.url.path, status_code=302)
    return dispatch(self, request)


def _remaining_seconds(remaining: Callable[[Page], float | None], self: Page) -> float | None:
    seconds = remaining(self)
    if seconds is None:
        return None
    return max(0, seconds + clock.time() - page_time(self.participant))


PATCHES = (
    Wrapper(
        *(Page, "inner_dispatch", _refuse_while_paused, "feature", "3aff7f203537a8a7"),
        "Pages accept nothing from a paused participant.",
        after=participant_language.IN_OWN_LANGUAGE,
    ),
    Wrapper(
        *(Page, "remaining_timeout_seconds_inner", _remaining_seconds, "feature", "7f1beab9ceda3a62"),
        "Pauses stop a page's time limit.",
    ),
)
