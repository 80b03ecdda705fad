"""The process that enforces time limits for participants whose browser is disconnected.

:mod:`cardlab.server.run` starts and watches it: ``python -m cardlab.server.timeout_worker PORT``. oTree's own
worker imports all apps first, which takes as long as starting the server. An app is needed only for the
address of a page whose time limit is up, and is imported then.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from urllib import request

import otree.main
import otree.tasks
from otree import settings
from otree.database import db, engine, init_orm, session_scope
from otree.models_concrete import TaskQueueMessage
from sqlalchemy.exc import SQLAlchemyError

from cardlab.core import clock
from cardlab.core.patch import Patch
from cardlab.guard import log_masking
from cardlab.guard.worker_signature import HEADER, signature
from cardlab.server.otree_patches import registry
from cardlab.sessions import page_lookup

logger = logging.getLogger("cardlab.server")

MAX_ATTEMPTS = 5  # for a task that fails, a few seconds apart


class TimeoutWorker(otree.tasks.Worker):
    """oTree's worker with its own start and loop (``otree_patches.time_limits`` gives the reasons)."""

    def __init__(self, port: int) -> None:
        self.base_url = f"http://127.0.0.1:{port}"
        self._failed: Counter[int] = Counter()

    def listen(self) -> None:
        """Runs due tasks for ever."""
        print("timeoutworker is listening for messages through DB", flush=True)
        without_database = False
        while True:
            try:
                with session_scope():
                    due = TaskQueueMessage.epoch_time <= clock.time()
                    for task in TaskQueueMessage.objects_filter(due).order_by("epoch_time").all():
                        self._do(task)
                without_database = False
            except SQLAlchemyError as error:
                if not without_database:
                    logger.warning("No time limit is enforced until the database responds again: %s", error)
                without_database = True
            time.sleep(3)

    def _do(self, task: TaskQueueMessage) -> None:
        try:
            getattr(self, task.method)(**task.kwargs())
        except SQLAlchemyError:
            raise
        except Exception:
            self._failed[task.id] += 1
            if self._failed[task.id] < MAX_ATTEMPTS:
                return
            logger.exception("a time limit could not be enforced: %s %s", task.method, task.kwargs_json)
        db.delete(task)
        db.commit()


def send_signature() -> None:
    """Sends the signature with every request of this process."""
    opener = request.build_opener()
    opener.addheaders = [*opener.addheaders, (HEADER, signature())]
    request.install_opener(opener)


def set_up_without_apps() -> None:
    """Sets up oTree's own tables and the database, but no apps and no patches."""
    otree.main.init_i18n(settings.LANGUAGE_CODE_ISO)
    apps, settings.OTREE_APPS = settings.OTREE_APPS, []
    init_orm()
    settings.OTREE_APPS = apps


def main(port: int) -> None:
    """Enforces time limits until it gets a signal to stop."""
    set_up_without_apps()
    log_masking.mask_codes()
    send_signature()
    registry.apply([RECONNECT, *page_lookup.PATCHES])
    TimeoutWorker(port).listen()


RECONNECT = Patch(
    *(engine.pool, "_pre_ping", engine.url.get_backend_name() != "sqlite", "correctness", "60a33e6cf5151f2d"),
    "The first query after a restart of PostgreSQL reconnects instead of failing.",
    label="otree.database.engine.pool",
)

if __name__ == "__main__":
    main(int(sys.argv[1]))
