"""The seal of a folder of exported tables: what each hand consists of, signed with a key.

``seal.json`` has the SHA-256 of each table, and for every hand of a table the number of its rows and the last
digest (:mod:`cardlab.row_chain`). So a missing or added hand is noticed, and a hand whose digests were
computed again. The HMAC shows that the seal was not written by somebody without the key.

Needs only the standard library, because the commands of ``lab.py`` write it and the analysis checks it.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import json
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from cardlab import __version__, row_chain

NAME = "seal.json"
KEY_VARIABLE = "CARD_LAB_SEAL_KEY"  # set by cardlab.operations.keys
SIGNATURE = "hmac_sha256"


def write_seal(folder: Path, key: str) -> Path:
    """Seals all tables in a folder and its subfolders; returns the file, which replaces an earlier seal."""
    names = sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*.csv"))
    tables = {name: summarize_table(path, StoredHands) for name, path in names}
    hands = (hand for table in tables.values() for hand, _summary in table.get("hands", {}).items())
    content: dict[str, Any] = {
        "card_lab": __version__,
        "sessions": sorted({hand.split("-")[1] for hand in hands if hand.count("-") > 1}),
        "tables": tables,
    }
    sealed = {**content, SIGNATURE: sign(content, key, is_sorted=True)}
    file = folder / NAME
    encoder = json.JSONEncoder(ensure_ascii=False, indent=1)
    with file.open("w", encoding="utf-8", newline="") as text:
        text.writelines(encoder.iterencode({name: sealed[name] for name in sorted(sealed)}))
        text.write("\n")
    return file


def sign(content: Mapping[str, Any], key: str, is_sorted: bool = False) -> str:
    """Returns the HMAC-SHA256 of a seal's content without its signature, as canonical JSON.

    ``is_sorted`` says that all keys are in order already.
    """
    unsigned = {name: value for name, value in content.items() if name != SIGNATURE}
    encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=not is_sorted, separators=(",", ":"))
    signature = hmac.new(key.encode(), digestmod=hashlib.sha256)
    for text in encoder.iterencode(unsigned):
        signature.update(text.encode())
    return signature.hexdigest()


def is_signed(content: Mapping[str, Any], key: str) -> bool:
    """Whether a seal was signed with this key."""
    return hmac.compare_digest(str(content.get(SIGNATURE, "")).encode(), sign(content, key).encode())


def read_seal(folder: Path) -> dict[str, Any] | None:
    """Returns the content of a folder's seal, None if it has none. Raises ValueError if it is damaged."""
    file = folder / NAME
    if not file.exists():
        return None
    content = json.loads(file.read_text("utf-8"))
    tables = content.get("tables") if isinstance(content, dict) else None
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise ValueError("it has no tables")
    return dict(content)


class StoredHands(dict[str, list[Any]]):
    """The hands of a table in a temporary file, so that a large table takes little memory.

    A dict, because JSON can be written of nothing else. Only :meth:`get`, setting with ``[]`` and
    :meth:`items`, in the order of the hands, are usable.
    """

    def __init__(self) -> None:
        super().__init__()
        self._database = sqlite3.connect("")
        weakref.finalize(self, self._database.close)
        self._database.execute("CREATE TABLE hand (name TEXT PRIMARY KEY, summary TEXT) WITHOUT ROWID")

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM hand").fetchone()[0])

    def __setitem__(self, hand: str, summary: list[Any]) -> None:
        self._database.execute("INSERT OR REPLACE INTO hand VALUES (?, ?)", (hand, json.dumps(summary)))

    def get(self, hand: str, default: Any = None) -> Any:
        """Returns the summary of a hand."""
        found = self._database.execute("SELECT summary FROM hand WHERE name = ?", (hand,)).fetchone()
        return json.loads(found[0]) if found else default

    def items(self) -> Any:
        """Yields hands with their summaries, in order."""
        rows = self._database.execute("SELECT name, summary FROM hand ORDER BY name")
        return ((hand, json.loads(summary)) for hand, summary in rows)


def compare_with_seal(file: Path) -> bool | None:
    """Whether a table is the one in its seal; None without a seal, or if it cannot be read.

    The seal is in the folder of the table or, in an archive, in the folder above.
    """
    try:
        for folder in (file.parent, file.resolve().parent.parent):
            tables = (read_seal(folder) or {"tables": {}})["tables"]
            name = file.resolve().relative_to(folder.resolve()).as_posix()
            if name in tables:
                return bool(tables[name].get("sha256") == hash_file(file))
    except (OSError, ValueError):
        return None
    return None


def summarize_table(file: Path, make_hands: Callable[[], dict[str, list[Any]]] = dict) -> dict[str, Any]:
    """Returns what a seal has of a table: ``hands`` if its rows have digests, and ``sha256``.

    ``hands`` has by hand the number of its rows and the last digest, in the deal row of an actions table also
    the number of lines of the record and their digest.
    """
    summary: dict[str, Any] = {}
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    with file.open(encoding="utf-8-sig", newline="") as text:
        rows = csv.reader(text)
        heading = next(rows, [])
        if row_chain.has_digests(heading):
            summary["hands"] = hands = make_hands()
            _summarize_hands(heading, rows, hands)
    return {**summary, "sha256": hash_file(file)}


def hash_file(file: Path) -> str:
    """Returns the SHA-256 of a file."""
    digest = hashlib.sha256()
    with file.open("rb") as content:
        for block in iter(lambda: content.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def _summarize_hands(
    heading: Sequence[str], rows: Iterable[Sequence[str]], hands: dict[str, list[Any]]
) -> None:
    """Adds what a seal has of each hand."""
    hand_place, digest_place = heading.index(row_chain.HAND), heading.index(row_chain.COLUMN)
    end_places = [heading.index(name) for name in ("record_lines", "record_digest") if name in heading]
    for hand, own_rows in groupby(_whole_rows(heading, rows), itemgetter(hand_place)):
        summary = hands.get(hand)
        for row in own_rows:
            summary = summary or [0, "", *(row[place] for place in end_places)]
            summary[:2] = summary[0] + 1, row[digest_place]
        hands[hand] = summary or []


def _whole_rows(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    return (row for row in rows if len(row) == len(heading))
