"""The process that keeps the time limits of those whose browser is gone, started and watched by
:mod:`cardlab.server.run` in place of oTree's own: ``python -m cardlab.server.timeout_worker PORT``.

oTree's begins with all apps, and takes as long for that as the server to start. But an app is needed only
when a time limit is up, for the address of the page: so it is imported then.
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
from otree.database import db, engine, session_scope
from otree.models_concrete import TaskQueueMessage
from sqlalchemy.exc import SQLAlchemyError

from cardlab.core import clock
from cardlab.guard import log_masking
from cardlab.guard.worker_signature import HEADER, signature

logger = logging.getLogger("cardlab.server")

TRIES = 5  # for a task that fails, a few seconds apart


def reconnect_when_the_database_was_restarted() -> None:
    """oTree asks nobody whether its one connection still stands, so each page after a restart of PostgreSQL
    would fail once. It is asked each time now; ``cardlab.live.record_store`` looks after its own.
    """
    if engine.url.get_backend_name() != "sqlite":
        engine.pool._pre_ping = True


class Worker(otree.tasks.Worker):
    """oTree's, with a beginning and a loop of its own: ``cardlab.server.app.keep_time_limits`` says why."""

    def __init__(self, port: int) -> None:
        self.base_url = f"http://127.0.0.1:{port}"
        self._failed: Counter[int] = Counter()

    def listen(self) -> None:
        """Do what is due, for ever."""
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
                    logger.warning("No time limit is kept until the database answers again: %s", error)
                without_database = True
            time.sleep(3)

    def _do(self, task: TaskQueueMessage) -> None:
        try:
            getattr(self, task.method)(**task.kwargs())
        except SQLAlchemyError:
            raise
        except Exception:
            self._failed[task.id] += 1
            if self._failed[task.id] < TRIES:
                return
            logger.exception("a time limit could not be kept: %s %s", task.method, task.kwargs_json)
        db.delete(task)
        db.commit()


def show_signature() -> None:
    """Send the signature with every request of this process."""
    opener = request.build_opener()
    opener.addheaders = [*opener.addheaders, (HEADER, signature())]
    request.install_opener(opener)


def set_up_without_apps() -> None:
    """oTree's own tables, and the database."""
    apps, settings.OTREE_APPS = settings.OTREE_APPS, []
    otree.main.setup()
    settings.OTREE_APPS = apps


def main(port: int) -> None:
    """Keep time limits until told to stop."""
    set_up_without_apps()
    log_masking.install()
    show_signature()
    reconnect_when_the_database_was_restarted()
    Worker(port).listen()


if __name__ == "__main__":
    main(int(sys.argv[1]))
