"""What one PC could do to the whole room, and does not: oTree and what it stands on are guarded here.

``layer`` stands before oTree and its lock, ``connections`` before uvicorn; the rest is one idea a file. What
a hand's own socket does with its messages is :mod:`experiment.socket`'s. Reasons: docs/architecture.md.
"""

from experiment import log_masking
from experiment.guard import (
    body,
    connections,
    cookies,
    hosts,
    labels,
    layer,
    log,
    login,
    logins,
    rest,
    static,
)


def install() -> None:
    """Put everything in its place; before oTree builds its routes and uvicorn its server."""
    log.install()
    log_masking.install()
    connections.install()
    layer.install()
    cookies.install()
    labels.install()
    hosts.install()
    body.install()
    rest.install()
    login.install()
    logins.install()
    static.install()
