"""How many files a process may open; each connection is one."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    import resource

MOST = 10_240  # macOS allows no more
WINDOWS_SOCKETS = 512 - 64  # no such limit there, but select() handles at most 512 sockets


def raise_limit() -> None:
    """Raises this process's limit of open files, up to MOST."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MOST if hard == resource.RLIM_INFINITY else min(MOST, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def max_connections(reserved: int) -> int:
    """Returns how many connections this process may have, if so many files are reserved for the rest."""
    if sys.platform == "win32":
        return WINDOWS_SOCKETS
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (MOST if soft == resource.RLIM_INFINITY else soft) - reserved
