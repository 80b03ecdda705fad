"""Reading the files that a session config names: show files, deal files, settings files.

They lie in ``deals/<game>/`` and are named without a path, so that no setting reaches outside it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from games.contract import BadFile

DEALS = Path(__file__).resolve().parent.parent / "deals"


class DealFile(NamedTuple):
    name: str
    text: str
    sha256: str


def read_deal_file(game: str, name: str, expected: str) -> DealFile:
    """The file ``deals/<game>/<name>``; ``expected`` says in two words what it should be.

    Raises BadFile if the name is no bare name, or the file is missing, unreadable or no text.
    """
    folder = DEALS / game
    if not name or "/" in name or "\\" in name:
        raise BadFile(
            name or expected, f"the {expected} is named without a folder; it lies in deals/{game}/."
        )
    there = {path.name: path for path in folder.iterdir() if path.suffix.lower() in (".txt", ".ini")}
    if name not in there:
        names = ", ".join(sorted(there))
        raise BadFile(name[:80], f"there is no such {expected} in deals/{game}/. There are: {names}.")
    try:
        content = there[name].read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise BadFile(name, f"the {expected} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BadFile(name, f"the {expected} must be text in UTF-8.", line) from None
    return DealFile(name, text, hashlib.sha256(content).hexdigest())
