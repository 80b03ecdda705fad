"""Asking the running server through oTree's REST interface."""

from __future__ import annotations

import os
import urllib.request

from laboratory.keys import secret


def fetch(url: str, path: str, timeout: float = 600):
    """Ask the server's REST interface; an open response. Never by way of a proxy."""
    key = os.environ.get("OTREE_REST_KEY") or secret("rest_key")
    request = urllib.request.Request(url.rstrip("/") + path, headers={"otree-rest-key": key})
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=timeout)
