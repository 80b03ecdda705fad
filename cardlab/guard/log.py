"""Limits repeated messages in the server's log, so that a client cannot fill it."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable
from typing import Any

import websockets.exceptions

MAX_LINES = 20  # of one kind, per window
WINDOW_SECONDS = 60
MAX_LENGTH = 2_000  # characters of a message

Kind = tuple[Any, ...]


class RepetitionFilter(logging.Filter):
    """Passes MAX_LINES warnings and errors of a kind per WINDOW_SECONDS; then logs how many it suppressed.

    A kind is the line of code that logs and, for an exception, the line that raises. Clients control neither.
    """

    def __init__(self, handler: logging.Handler, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._handler, self._clock = handler, clock
        self._kinds: dict[Kind, list[Any]] = {}  # by kind: start of its window, lines, last record

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns whether the record is written. May shorten its message."""
        if record.levelno < logging.WARNING:
            return True
        now = self._clock()
        for kind, (start, lines, last) in list(self._kinds.items()):
            if start <= now - WINDOW_SECONDS:
                del self._kinds[kind]
                if lines > MAX_LINES:
                    self._handler.emit(_suppression_record(lines - MAX_LINES, last))
        state = self._kinds.setdefault(_kind(record), [now, 0, record])
        state[1:] = [state[1] + 1, record]
        if state[1] > MAX_LINES:
            return False
        text = record.getMessage()
        if len(text) > MAX_LENGTH:
            record.msg, record.args = text[:MAX_LENGTH] + "…", ()
        elif state[1] == MAX_LINES:
            record.msg, record.args = f"{text.rstrip()} (Similar messages are suppressed for a while.)", ()
        return True


def all_handlers(*names: str) -> list[logging.Handler]:
    """Returns the handlers of the root logger and the named loggers, and logging's last resort."""
    handlers = [handler for name in (None, *names) for handler in logging.getLogger(name).handlers]
    return [*handlers, logging.lastResort] if logging.lastResort else handlers


def _kind(record: logging.LogRecord) -> Kind:
    traceback = record.exc_info[2] if record.exc_info else None
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    raised_at = (traceback.tb_frame.f_code.co_filename, traceback.tb_lineno) if traceback else None
    return record.name, record.pathname, record.lineno, raised_at


def _suppression_record(number: int, last: logging.LogRecord) -> logging.LogRecord:
    text = " ".join(last.getMessage().split())[:200]
    return logging.makeLogRecord(
        {
            "name": last.name,
            "levelno": last.levelno,
            "levelname": last.levelname,
            "msg": "%d similar messages were suppressed: %s",
            "args": (number, text),
        }
    )


def is_not_lost_connection(record: logging.LogRecord) -> bool:
    """Returns False for a lost connection, which needs no traceback."""
    error = record.exc_info[1] if record.exc_info else None
    is_unconnected = isinstance(error, OSError) and error.errno == errno.ENOTCONN
    return not (
        is_unconnected
        or isinstance(error, (websockets.exceptions.ConnectionClosed, ConnectionError, EOFError))
    )


def add_filters() -> None:
    """Limits repeated messages on stderr, where logging's last resort also writes uvicorn's errors."""
    for handler in all_handlers():
        handler.addFilter(RepetitionFilter(handler))
    logging.getLogger("websockets.server").addFilter(is_not_lost_connection)
