"""Suspends the time limits of pages while their participant is paused.

oTree keeps a limit twice: as the moment when the page expires, and as a task of its timeout worker. During a
pause no task is run and nothing that the page sends is accepted. Afterwards both are extended by the length
of the pause on this page. The limits of turns belong to the hand (``cardlab.games.hand``).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from otree.common import get_models_module
from otree.models import Participant
from otree.views.abstract import Page
from starlette.responses import RedirectResponse

from cardlab.core import clock
from cardlab.core.patch import Wrapper
from cardlab.live import notices
from cardlab.live.lab import LAB
from cardlab.live.record_store import Records

WORKER_LATER = 6  # seconds after the limit that oTree's timeout worker acts

_PAGE = """
    SELECT code, _index_in_pages, _timeout_page_index, _timeout_expiration_time, _last_page_timestamp,
        _current_app_name, _round_number
    FROM otree_participant WHERE id = :participant_id
"""
_LATER = "UPDATE otree_participant SET _timeout_expiration_time = :ends WHERE id = :participant_id"
_WAIT_LATER = """
    UPDATE {table} SET waiting_since_ms = waiting_since_ms + :ms
    WHERE participant_id = :participant_id AND round_number = :number
"""
_NO_TASK = """
    DELETE FROM otree_taskqueuemessage WHERE method = 'submit_expired_url' AND kwargs_json LIKE :names
"""
_TASK = """
    INSERT INTO otree_taskqueuemessage (method, kwargs_json, epoch_time)
    VALUES ('submit_expired_url', :kwargs, :epoch)
"""


def suspend_limits(records: Records, participant_ids: list[int]) -> None:
    """Suspends the limits of these participants' pages until :func:`resume_limits`."""
    for participant_id in participant_ids:
        code, *_page = _page_of(records, participant_id)
        records.write(_NO_TASK, [{"names": f'%"{code}"%'}])


def resume_limits(records: Records, participant_id: int, since_ms: int, now_ms: int) -> float | None:
    """Moves the limit of a participant's page, and the start of their wait for a group, by a pause.

    Returns the new end of the page in Unix seconds, None if it has none.
    """
    code, index, timed_index, deadline, page_since, app, number = _page_of(records, participant_id)
    stood_ms = max(0, now_ms - _begun(since_ms, page_since))
    _wait_later(records, participant_id, app, number, stood_ms)
    if timed_index != index or deadline is None:
        return None
    ends: float = deadline + stood_ms / 1000
    records.write(_LATER, [{"ends": ends, "participant_id": participant_id}])
    records.write(_NO_TASK, [{"names": f'%"{code}"%'}])
    kwargs = json.dumps({"participant_code": code, "page_index": index})
    records.write(_TASK, [{"kwargs": kwargs, "epoch": round(ends) + WORKER_LATER}])
    return ends


def seconds_left(records: Records, participant_id: int, since_ms: int | None) -> float | None:
    """Returns the seconds left on a participant's page at the beginning of the pause; None without limit."""
    _code, index, timed_index, ends, page_since, *_rest = _page_of(records, participant_id)
    if timed_index != index or ends is None:
        return None
    now = clock.time() if since_ms is None else _begun(since_ms, page_since) / 1000
    return max(0.0, float(ends) - now)


def _page_of(records: Records, participant_id: int) -> tuple[Any, ...]:
    return records.rows(_PAGE, participant_id=participant_id)[0]


def _begun(since_ms: int, page_since: int | None) -> int:
    """Returns when a pause began to suspend a page. The page may have been opened after the pause began."""
    return max(since_ms, 1000 * (page_since or 0))


def _wait_later(records: Records, participant_id: int, app: str | None, number: int | None, ms: int) -> None:
    """Does not count a pause as time that a participant has waited for a group."""
    table = get_models_module(app).Player.__table__ if app else None
    if table is None or "waiting_since_ms" not in table.c:
        return
    records.write(
        _WAIT_LATER.format(table=table.name), [{"ms": ms, "participant_id": participant_id, "number": number}]
    )


def paused_ms(participant: Participant) -> int | None:
    """Returns since when a participant is paused on the requested page; None if they are not."""
    since_ms = notices.standing_since_ms(LAB.page_records, participant.id, notices.PAUSE)
    return None if since_ms is None else _begun(since_ms, participant._last_page_timestamp)


def page_time(participant: Participant) -> float:
    """Returns the time as it counts for the limit of a participant's page, Unix seconds."""
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
        "A page takes nothing from a paused participant.",
    ),
    Wrapper(
        *(Page, "remaining_timeout_seconds_inner", _remaining_seconds, "feature", "7f1beab9ceda3a62"),
        "The time limit of a page stands still during a pause.",
    ),
)
