"""Installs the guard, before oTree builds its routes and uvicorn its server."""

from cardlab.guard import body, connections, cookies, hosts, labels, log, log_masking, login, logins, rest
from cardlab.server import guard_layer, static_guard


def install() -> None:
    """Put everything in its place; before oTree builds its routes and uvicorn its server."""
    log.install()
    log_masking.install()
    connections.install()
    guard_layer.install()
    cookies.install()
    labels.install()
    hosts.install()
    body.install()
    rest.install()
    login.install()
    logins.install()
    static_guard.install()
