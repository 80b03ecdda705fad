"""Asking the running server through oTree's REST interface."""

from __future__ import annotations

import json
import os
import urllib.request

from cardlab.operations.keys import secret


def fetch(url: str, path: str, timeout: float = 600, payload: dict | None = None, method: str | None = None):
    """Ask the server's REST interface; an open response. Never by way of a proxy.

    With a ``payload`` it is sent as JSON, by POST unless ``method`` says otherwise.
    """
    key = os.environ.get("OTREE_REST_KEY") or secret("rest_key")
    data = None if payload is None else json.dumps(payload).encode()
    request = urllib.request.Request(
        url.rstrip("/") + path, data, headers={"otree-rest-key": key}, method=method
    )
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=timeout)
