"""Rejects requests whose Host is not a name of this server (DNS rebinding).

A foreign page whose name is made to resolve to 127.0.0.1 could read this server. Only the Host header then
shows the foreign name.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import re
import socket
import sys
from collections.abc import Collection

from otree import settings
from starlette.types import Scope

from cardlab.guard.errors import Refused

logger = logging.getLogger("cardlab.guard")

VARIABLE = "CARD_LAB_HOSTS"  # as cardlab.operations.addresses calls it
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
NAME_PATTERN = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")


def host_of(scope: Scope) -> str:
    """Returns the request's Host in lower case, with its port. Raises Refused if there is not exactly one."""
    values: list[bytes] = [value for name, value in scope["headers"] if name == b"host"]
    if len(values) != 1 or not values[0]:
        raise Refused(400, "A request must have exactly one Host header.")
    return values[0].decode("latin-1").lower()


def check_host(scope: Scope, added_hosts: Collection[str]) -> None:
    """Raises Refused if the server does not answer under the request's Host.

    Without an admin password every client is the admin, so only LOOPBACK is accepted. With a password, also
    this machine's addresses and names and those in ``added_hosts`` (lower case, without port).
    """
    name = without_port(host_of(scope))
    if name in LOOPBACK:
        return
    if not settings.ADMIN_PASSWORD:
        reason = (
            f"This server does not answer requests for {name}. Without an admin password it "
            f"accepts only 127.0.0.1, localhost and [::1]. To allow {name}, set "
            f"OTREE_ADMIN_PASSWORD and start the server with --host-name {name}."
        )
    elif not (name in added_hosts or name in machine_names() or is_own_address(name)):
        reason = (
            f"This server does not answer requests for {name}. To allow it, start the server "
            f"with --host-name {name}, or add {name} to {VARIABLE}."
        )
    else:
        return
    logger.warning("A request was rejected. %s", reason)
    raise Refused(400, reason)


def without_port(host: str) -> str:
    """Returns ``lab.example.org`` for ``lab.example.org:8000``, and ``[::1]`` for ``[::1]:8000``."""
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def machine_names() -> set[str]:
    """Returns this machine's names in lower case: its hostname, also without domain and with .local."""
    hostname = socket.gethostname().lower()
    short_name = hostname.partition(".")[0]
    return {hostname, short_name, f"{short_name}.local"}


def is_own_address(name: str) -> bool:
    """Returns whether ``name`` is an IP address of this machine, by binding a socket to it."""
    try:
        address = ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    if address.is_unspecified:  # 0.0.0.0 can be bound, but is not an address
        return False
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def read_environment() -> frozenset[str]:
    """Returns the host names in the environment; exits with an error message if one is invalid."""
    names = os.environ.get(VARIABLE, "").lower().replace(",", " ").split()
    for name in names:
        if not NAME_PATTERN.fullmatch(name):
            sys.exit(
                f"{VARIABLE} must list names or addresses of this server, separated by commas, "
                f"without http:// or port, such as lab.example.org. It contains {name!r}."
            )
    return frozenset(names)
