"""Removes the parts of pages and messages that differ between two servers, so that they can be compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

# What differs between servers and over time: ports, clocks, oTree's own codes.
VOLATILE = re.compile(
    r'127\.0\.0\.1:\d+|"(?:clock|time)": \d+|seconds(?:"|&#x27;): [\d.]+'
    r"|\b\w{4}/P\d\b|/join/\w+"
)


def page_text(visitor) -> str:
    """Returns the headers and text of the page that a visitor has opened."""
    volatile = ("date", "set-cookie", "content-length")
    headers = {key: value for key, value in visitor.page.headers.items() if key.lower() not in volatile}
    return json.dumps(headers, sort_keys=True) + visitor.page.text


def without_volatile_parts(got: Iterable[str | dict], codes: Iterable[str]) -> list[str]:
    """Returns pages and messages as texts without volatile parts, such as the session's ``codes``."""
    texts = [thing if isinstance(thing, str) else json.dumps(thing) for thing in got]
    for code in codes:
        texts = [text.replace(code, "code") for text in texts]
    return [VOLATILE.sub("", text) for text in texts]
