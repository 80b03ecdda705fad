"""All that the browser of a participant gets, so that it can be compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

# What differs from one server and one minute to another: ports, clocks, oTree's own codes.
ANYWAY = re.compile(
    r'127\.0\.0\.1:\d+|"clock": \d+|seconds(?:"|&#x27;): [\d.]+'
    r"|\b\w{4}/P\d\b|/join/\w+"
)


def page_text(visitor) -> str:
    """Headers and text of the page that a visitor has opened."""
    anyway = ("date", "set-cookie", "content-length")
    headers = {key: value for key, value in visitor.page.headers.items() if key.lower() not in anyway}
    return json.dumps(headers, sort_keys=True) + visitor.page.text


def comparable(got: Iterable[str | dict], codes: Iterable[str]) -> list[str]:
    """Pages and messages as texts without what differs anyway; ``codes`` are those of the session."""
    texts = [thing if isinstance(thing, str) else json.dumps(thing) for thing in got]
    for code in codes:
        texts = [text.replace(code, "code") for text in texts]
    return [ANYWAY.sub("", text) for text in texts]
