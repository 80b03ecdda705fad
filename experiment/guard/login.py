"""Ten passwords a minute from one address; then the login page answers in words, and the log says so once."""

from __future__ import annotations

import logging
import time
from collections import deque

from experiment.guard.connections import network
from experiment.guard.refused import Refused

logger = logging.getLogger("cardlab.guard")

MOST = 10
SECONDS = 60

_tried: dict[str, deque[float]] = {}  # when each address has tried, the last minute
_told: set[str] = set()


def _is_login(scope) -> bool:
    return scope["method"] == "POST" and scope["path"] == "/login"


def check(scope) -> None:
    """Count a password that is sent; raises Refused if its address has tried too often."""
    if not _is_login(scope):
        return
    now, address = time.monotonic(), network(scope["client"])
    for each in [each for each, times in _tried.items() if times[-1] < now - SECONDS]:
        del _tried[each]
        _told.discard(each)
    times = _tried.setdefault(address, deque(maxlen=MOST))
    if len(times) == MOST and times[0] > now - SECONDS:
        if address not in _told:
            _told.add(address)
            logger.warning("%d wrong passwords for the admin pages within a minute, from %s.", MOST, address)
        raise Refused(429, "Too many wrong passwords. Please wait a minute and try again.")
    times.append(now)


def result(scope, status: int | None) -> None:
    """The right password, which leads on to another page, clears its address."""
    if _is_login(scope) and status == 302:
        _tried.pop(network(scope["client"]), None)
        _told.discard(network(scope["client"]))
