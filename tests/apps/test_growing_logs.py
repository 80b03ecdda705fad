"""Tests that events of two players at the same moment are each appended to the logs once."""

import random

import without_database  # noqa: F401
from memory_records import MemoryRecords
from random_play import CREATED_MS, Table

from cardlab.games.events import ARRIVE
from cardlab.games.record import Opening, read_record
from cardlab.games.ttt import rules
from ttt_solo_app import keeper_files

OPTIONS = {**rules.DEFAULT_OPTIONS, "players": 2, "Path": "logfile", "seed": "7"}


def test_growing_log_writes_each_event_once():
    """Both players act before one commit, so Ck's file starts when the record has Nk's action too."""
    play = Table(rules, Opening("3H 2C 2H 4C 4H 3C | 2H | ck", OPTIONS), None, random.Random(1))
    play.now = CREATED_MS + 1000
    for seat in ("ck", "nk"):
        play.note(seat, ARRIVE)
    for seat, action in [("ck", "T"), ("nk", "U"), ("ck", "P"), ("nk", "T")]:
        play.now += 1000
        play.send_action(seat, action)
    records, events = MemoryRecords(), read_record(play.record)[1]
    place = keeper_files._SeatInHand(1, "hand", "ck", "nk1")
    whole = keeper_files._LogWriter("ck", "ck1", 1, CREATED_MS)
    records.put("hand", play.record)
    log_lines = whole.begin_hand(place, records)
    for so_far in range(1, len(events) + 1):  # events recorded when the file begins
        records.put("hand", play.record[: so_far + 1])
        writer = keeper_files._LogWriter("ck", "ck1", 1, CREATED_MS)
        lines = writer.begin_hand(place, records)
        for upto in range(2, len(events) + 1, 2):  # each update contains two events
            lines += writer.continue_hand(events[upto - 2 : upto], upto)
        if len(events) % 2:
            lines += writer.continue_hand(events[-1:], len(events))
        assert lines == log_lines
