"""Files of a session for the tests of dealing: texts by name, and no folder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from games.contract import BadFile
from games.dealing import DealFile, ReadFile


def files(texts: Mapping[str, str]) -> ReadFile:
    """What reads these files, and no others."""

    def read(name: str, expected: str) -> DealFile:
        if name not in texts:
            raise BadFile(name, f"there is no such {expected}.")
        return DealFile(name, texts[name], hashlib.sha256(texts[name].encode()).hexdigest())

    return read
