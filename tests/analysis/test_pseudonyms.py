"""Tests which cells an archive replaces, and how."""

import json

import pytest

from cardlab.analysis.codebook.pseudonyms import Pseudonyms, timestamp_ms
from cardlab.games.columns import (
    ExactUnixMs,
    GuardedIdentifier,
    GuardedText,
    Identifier,
    IdentifyingJson,
    TimedJson,
    Timestamp,
    Undescribed,
    UnixMs,
    UnixSeconds,
)

CREATED = timestamp_ms("2026-11-20T14:00:00.000Z")
PSEUDONYMS = Pseudonyms(b"a secret key", CREATED, frozenset({"results"}))


@pytest.mark.parametrize(
    ("kind", "cell", "replaced"),
    [
        (Timestamp, "2026-11-20T14:03:07.412Z", "1970-01-01T00:03:07.412Z"),
        (Timestamp, "2026-11-20 14:03:07.412345", "1970-01-01 00:03:07.412345"),
        (Timestamp, "2026-11-20T13:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        (UnixMs, str(CREATED + 17), "17"),
        (ExactUnixMs, f"{CREATED + 17}.25", "17.25"),
        (UnixSeconds, str(CREATED // 1000 + 17), "17"),
        (TimedJson, f'{{"shown_ms":{CREATED + 17},"seed":1234567890123456}}', None),
        (Undescribed, "42.5", "42.5"),
        (GuardedIdentifier, "results", "results"),
        (GuardedText, "'=1+1", "'=1+1"),
        (str, "a card", "a card"),
        (str, "2026-11-20T14:03:07.412Z", "1970-01-01T00:03:07.412Z"),
        (Identifier, "", ""),
    ],
)
def test_times_are_relative_and_other_cells_kept(kind, cell, replaced):
    expected = '{"shown_ms":17,"seed":1234567890123456}' if replaced is None else replaced
    assert PSEUDONYMS.replace(kind("meaning"), cell) == expected


def test_pseudonyms_are_keyed_and_the_same_everywhere():
    name = PSEUDONYMS.replace(Identifier("label"), "=007")
    assert PSEUDONYMS.replace(GuardedIdentifier("label"), "'=007") == name
    assert PSEUDONYMS.replace(Undescribed("name of the player"), "=007") == name
    assert json.loads(PSEUDONYMS.replace(IdentifyingJson("link"), "=007")) == name
    assert PSEUDONYMS._replace(key=b"another key").replace(Identifier("label"), "=007") != name
    assert "007" not in name
    assert PSEUDONYMS.replace(Identifier("label"), "=008") != name
