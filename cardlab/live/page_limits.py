"""Changes the time limits of pages.

oTree stores a limit twice: as the page's expiry, and as a task of its timeout worker.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from otree.models import Participant

from cardlab.core import clock
from cardlab.live.lab import LAB
from cardlab.live.record_store import Records

logger = logging.getLogger("cardlab.server")

WORKER_DELAY_SECONDS = 6  # after the limit, until oTree's timeout worker acts

_SET_LIMIT = "UPDATE otree_participant SET _timeout_expiration_time = :ends WHERE id = :participant_id"
_DELETE_TASK = """
    DELETE FROM otree_taskqueuemessage WHERE method = 'submit_expired_url' AND kwargs_json LIKE :names
"""
_ADD_TASK = """
    INSERT INTO otree_taskqueuemessage (method, kwargs_json, epoch_time)
    VALUES ('submit_expired_url', :kwargs, :epoch)
"""
_REQUESTED_IN_THE_FUTURE = """
    SELECT id, code, _index_in_pages, _timeout_expiration_time FROM otree_participant
    WHERE _timeout_page_index = _index_in_pages AND _timeout_expiration_time > :now
        AND _last_request_timestamp > :now AND id NOT IN (
            SELECT participant_id FROM card_lab_notice WHERE kind = 'pause' AND over_ms IS NULL
        )
"""


def suspend_limit(records: Records, code: str) -> None:
    """Deletes the task that ends a participant's page."""
    records.write(_DELETE_TASK, [{"names": f'%"{code}"%'}])


def set_limit(records: Records, participant_id: int, code: str, index: int, ends: float) -> None:
    """Lets a participant's page, which has a limit, end at ``ends``, in Unix seconds."""
    records.write(_SET_LIMIT, [{"ends": ends, "participant_id": participant_id}])
    suspend_limit(records, code)
    kwargs = json.dumps({"participant_code": code, "page_index": index})
    records.write(_ADD_TASK, [{"kwargs": kwargs, "epoch": round(ends) + WORKER_DELAY_SECONDS}])


def without_excess(records: Records, participant_id: int, ends: float, now: float) -> float:
    """Returns ``ends``, but not later than the whole limit of a participant's page from ``now``."""
    try:
        with records.otree_rows():
            page: Any = Participant.objects_get(id=participant_id)._get_page_instance()
            has_function = hasattr(page, "get_timeout_seconds")
            limit = page.call_user_defined("get_timeout_seconds") if has_function else page.timeout_seconds
            return ends if limit is None else min(ends, now + limit)
    except Exception:  # raised by the page's own function
        logger.exception("The time limit of participant %s could not be shortened.", participant_id)
        return ends


def shorten_limits() -> None:
    """Begins the time limits of open pages again if the clock was set back while the server was stopped.

    Otherwise they would be longer by the change. How long a page was open is unknown. A limit that is
    suspended by a pause is shortened at its end (``cardlab.live.pauses``).
    """
    now = clock.time()
    for participant_id, code, index, ends in LAB.records.rows(_REQUESTED_IN_THE_FUTURE, now=now):
        end = without_excess(LAB.records, participant_id, ends, now)
        set_limit(LAB.records, participant_id, code, index, end)
    LAB.records.commit()
