"""Patches of oTree's time limits: the clock that they follow and the worker that ends pages."""

from __future__ import annotations

import otree.common2
import otree.models.participant
import otree.models.session
import otree.models.subsession
import otree.tasks
import otree.views.abstract
from otree.models import Session

from cardlab.core import clock
from cardlab.core.patch import Patch
from cardlab.server import timeout_worker


def _now(_context: object) -> float:
    return clock.time()


_CLOCK = "Setting the computer's clock does not end time limits."
PATCHES = (
    *(
        Patch(module, "time", clock, "correctness", "27a7d04ade6a7841", _CLOCK)
        for module in (
            *(otree.tasks, otree.common2, otree.views.abstract),
            *(otree.models.participant, otree.models.session, otree.models.subsession),
        )
    ),
    Patch(
        *(Session.__table__.c._created.default, "arg", _now, "correctness", None),
        _CLOCK,
        label="otree.models.Session._created.default",
    ),
    # The worker commits each finished task before the next begins. SQLite lets one process write at a time:
    # if the worker asked the server for a page within a transaction, each would wait for the other.
    Patch(
        *(otree.tasks, "Worker", timeout_worker.TimeoutWorker, "correctness", "2e4ce1f92fb7a14f"),
        "Retries failed tasks and runs overdue ones; oTree's worker drops them.",
    ),
)
