"""Signs the requests of the timeout worker, which opens participants' pages without their cookies."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from itsdangerous import Signer
from otree import settings

HEADER = "X-Card-Lab-Worker"


def signature() -> str:
    """Returns the worker's signature, made with the secret key that it shares with the server."""
    return Signer(settings.SECRET_KEY, salt="card lab timeout worker").sign("worker").decode()


def is_from_worker(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Returns whether the headers have the worker's signature."""
    sent_signature = dict(headers).get(HEADER.lower().encode(), b"")
    return bool(sent_signature) and hmac.compare_digest(sent_signature, signature().encode())
