"""Prints the peak memory of each table for a small and a large session.

The program of ``test_table_memory.py``. It measures Python's allocations, without the in-memory database.
"""

from __future__ import annotations

import gc
import json
import sys
import tracemalloc
from dataclasses import replace

import otree.main

otree.main.setup()

import otree.export  # noqa: E402
from otree.database import db  # noqa: E402

import triangle_app as app  # noqa: E402
from cardlab.core import hand_cache  # noqa: E402
from cardlab.core.record_chain import HandKey, RecordEnd, chain  # noqa: E402
from cardlab.exports import otree_tables, players  # noqa: E402
from cardlab.games.record import write_opening  # noqa: E402
from cardlab.live.lab import LAB  # noqa: E402
from cardlab.sessions.create import create_session  # noqa: E402

FUNCTIONS = ("custom_export", "custom_export_hands", "custom_export_participants")
APP, HANDS = "triangle_app", 5

# Small enough that the small session fills them, too.
players.BLOCK_PLAYERS, players.BLOCK_PARTICIPANTS = 4, 2
otree_tables.BLOCK_ROWS, otree_tables.BLOCK_PARTICIPANTS = 4, 2
hand_cache.CACHE_SIZE = 4


class Nowhere:
    """A file that discards all data."""

    def write(self, text: str) -> int:
        return len(text)


def make_session(participants: int) -> str:
    fields = {"hands": HANDS, "check": False, "practice_hands": 0}
    session = create_session(
        "triangle_standard", num_participants=participants, modified_session_config_fields=fields
    )
    for player in app.Player.objects_filter(session=session):
        if opening := app.Hand.opening(player):
            hand_id = app.Hand.hand_id(player)
            lines = chain(hand_id, "", [write_opening(replace(opening, shown_ms=1_800_000_000_000))])
            key = HandKey(hand_id, session.id, player.participant_id)
            LAB.page_records.append(key, RecordEnd(), lines)
    db.commit()
    return session.code


def peak_kb(write, *arguments) -> int:
    """Returns the peak memory of writing a table, in KB."""
    db.new_session()
    gc.collect()
    tracemalloc.start()
    write(*arguments)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak // 1000


def peaks(code: str) -> dict[str, int]:
    export, file = otree.export, Nowhere()
    found = {function: peak_kb(export.custom_export_app, APP, file, code, function) for function in FUNCTIONS}
    found["app"] = peak_kb(export.export_app, APP, file, code)
    found["wide"] = peak_kb(export.export_wide, file, code)
    return found


if __name__ == "__main__":
    codes = [make_session(participants) for participants in map(int, sys.argv[1:])]
    gc.set_threshold(50, 5, 5)  # so that garbage does not count
    peaks(codes[0])  # fills caches
    print(json.dumps([*map(peaks, codes)]))
