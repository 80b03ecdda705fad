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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cardlab import __version__, row_chain

NAME = "seal.json"
KEY_VARIABLE = "CARD_LAB_SEAL_KEY"  # set by cardlab.operations.keys
SIGNATURE = "hmac_sha256"


def write_seal(folder: Path, key: str) -> Path:
    """Seals all tables in a folder and its subfolders; returns the file, which replaces an earlier seal."""
    tables = {
        path.relative_to(folder).as_posix(): summarize_table(path) for path in sorted(folder.rglob("*.csv"))
    }
    hands = {hand for table in tables.values() for hand in table.get("hands", {})}
    content: dict[str, Any] = {
        "card_lab": __version__,
        "sessions": sorted({hand.split("-")[1] for hand in hands if hand.count("-") > 1}),
        "tables": tables,
    }
    file = folder / NAME
    sealed = {**content, SIGNATURE: sign(content, key)}
    file.write_text(json.dumps(sealed, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")
    return file


def sign(content: Mapping[str, Any], key: str) -> str:
    """Returns the HMAC-SHA256 of a seal's content without its signature, as canonical JSON."""
    unsigned = {name: value for name, value in content.items() if name != SIGNATURE}
    text = json.dumps(unsigned, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()


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


def summarize_table(file: Path) -> dict[str, Any]:
    """Returns what a seal has of a table: ``sha256``, and ``hands`` if its rows have digests.

    ``hands`` has by hand the number of its rows and the last digest, in the deal row of an actions table also
    the number of lines of the record and their digest.
    """
    summary: dict[str, Any] = {"sha256": hash_file(file)}
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    with file.open(encoding="utf-8-sig", newline="") as text:
        rows = csv.reader(text)
        heading = next(rows, [])
        if row_chain.has_digests(heading):
            summary["hands"] = _summarize_hands(heading, rows)
    return summary


def hash_file(file: Path) -> str:
    """Returns the SHA-256 of a file."""
    digest = hashlib.sha256()
    with file.open("rb") as content:
        for block in iter(lambda: content.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def _summarize_hands(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> dict[str, list[Any]]:
    hand_place, digest_place = heading.index(row_chain.HAND), heading.index(row_chain.COLUMN)
    end_places = [heading.index(name) for name in ("record_lines", "record_digest") if name in heading]
    hands: dict[str, list[Any]] = {}
    for row in _whole_rows(heading, rows):
        summary = hands.setdefault(row[hand_place], [0, "", *(row[place] for place in end_places)])
        summary[:2] = summary[0] + 1, row[digest_place]
    return hands


def _whole_rows(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    return (row for row in rows if len(row) == len(heading))
