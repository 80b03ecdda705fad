"""The signature by which the server recognizes requests of its timeout worker.

The worker opens pages of all participants, so it must not need their cookies.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from itsdangerous import Signer
from otree import settings

HEADER = "X-Card-Lab-Worker"


def signature() -> str:
    """Returns what the worker shows the server: both know the secret key."""
    return Signer(settings.SECRET_KEY, salt="card lab timeout worker").sign("worker").decode()


def is_from_worker(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Returns whether a request with these headers comes from the worker."""
    shown = dict(headers).get(HEADER.lower().encode(), b"")
    return bool(shown) and hmac.compare_digest(shown, signature().encode())
