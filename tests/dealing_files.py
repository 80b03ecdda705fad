"""Provides a session's files as texts by name, for the tests of dealing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from cardlab.games.contract import BadFile
from cardlab.games.dealing import DealFile, ReadFile


def files(texts: Mapping[str, str]) -> ReadFile:
    """Returns a reader that knows only these files."""

    def read(name: str, expected: str) -> DealFile:
        if name not in texts:
            raise BadFile(name, f"there is no such {expected}.")
        return DealFile(name, texts[name], hashlib.sha256(texts[name].encode()).hexdigest())

    return read


def expect_refusal(deal: Callable[[], Any], *words: str) -> None:
    """Checks that the dealing is refused with one sentence that contains these words."""
    with pytest.raises(BadFile) as refused:
        deal()
    for word in words:
        assert word in str(refused.value)
    assert "\n" not in str(refused.value)
