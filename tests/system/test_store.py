"""Tests the socket's own database connection: rollbacks and failed writes of others do not affect it.

Runs in a subprocess, because importing ``cardlab.live.record_store`` opens the database.
"""

import subprocess

import pytest
from server_fixture import working_copy
from stages import clean_environment

from cardlab.operations.environment import venv_program

BEGINNING = """
import json
import otree.main
otree.main.setup()
from functools import partial
from otree.database import AnyModel, db, engine, session_scope
AnyModel.metadata.create_all(engine)
from otree.models import Participant
from otree.session import create_session
from cardlab.live import seat as seats
from cardlab.core.record_chain import HandKey, RecordEnd, chain
from cardlab.live.lab import LAB

with session_scope():
    create_session("ttt_demo", num_participants=2)
codes = []
with session_scope():
    for participant in Participant.objects_filter().all():
        participant.initialize(None)
        codes.append(participant.code)
with session_scope():
    sitting = [seats.find_seat(code, 1) for code in codes]

def on_disk(seat):
    import sqlite3
    question = "SELECT text FROM card_lab_line WHERE hand = ? ORDER BY number"
    return [text for (text,) in sqlite3.connect("db.sqlite3").execute(question, [seat.key.hand])]

def look():
    return LAB.service.commit_batch([partial(LAB.service.connect_and_write, seat) for seat in sitting])

def move(action, number):
    said = json.dumps({"hand": 0, "number": number, "action": action, "ms": 1, "traces": []})
    return LAB.service.commit_batch([partial(LAB.service.receive_and_write, seat, said) for seat in sitting])

def actions(seat):
    return [json.loads(line)[2] for line in on_disk(seat)[1:]]
"""

ONE_COMMIT_FOR_ALL = """
commits = []
LAB.records.commit, commit = lambda: (commits.append(1), commit()), LAB.records.commit
look()
commits.clear()
assert [answer.message["view"]["moves"] for answer in move("P", 1)] == [1, 1]
assert len(commits) == 2, commits  # the second after the record listeners were notified
assert [actions(seat) for seat in sitting] == [["P"], ["P"]]
"""

A_ROLLBACK_OF_OTREE = """
look()
with session_scope():
    Participant.objects_first().label = "not kept"
    db.rollback()
assert [answer.message["view"]["moves"] for answer in move("P", 1)] == [1, 1]
db.new_session()
db.rollback()
assert [actions(seat) for seat in sitting] == [["P"], ["P"]]
"""

ONE_WRITE_FAILS = """
look()
append, failed = LAB.records.append, []

def fail_for_the_first(key, end, lines):
    append(key, end, lines)
    if key == sitting[0].key:
        failed.append(1)
        raise OSError("the disk is full")

LAB.records.append = fail_for_the_first
first, second = move("P", 1)
assert isinstance(first, OSError) and len(failed) == 2
assert second.message["view"]["moves"] == 1
assert [actions(seat) for seat in sitting] == [[], ["P"]]
LAB.records.append = append
first, second = move("P", 1)  # the same number again: it was not played
assert first.message["view"]["moves"] == 1 and "refused" not in first.message
assert "board changed" in second.message["refused"]
"""

THE_COMMIT_FAILS = """
look()
commit, fails = LAB.records.commit, [1, 1, 1]

def sometimes():
    if fails:
        fails.pop()
        raise OSError("the disk is full")
    commit()

LAB.records.commit = sometimes
first, second = move("P", 1)
assert isinstance(first, OSError) and isinstance(second, OSError), (first, second)
assert [actions(seat) for seat in sitting] == [[], []]
first, second = move("P", 1)
assert [first.message["view"]["moves"], second.message["view"]["moves"]] == [1, 1]
"""

TWO_AT_ONE_PLACE = """
look()
LAB.records.commit()
seat = sitting[0]
end = LAB.records.end(seat.key.hand)
lines = chain(seat.key.hand, end.digest, ["a line"])
LAB.records.append(seat.key, end, lines)
LAB.records.commit()
try:
    LAB.records.append(seat.key, end, lines)
except Exception as error:
    assert "UNIQUE" in str(error), error
else:
    raise AssertionError("written twice")
"""

DELETED_WITH_ITS_SESSION = """
look()
from otree.models import Session
with session_scope():
    Session.objects_filter(Session.id == sitting[0].key.session_id).delete(synchronize_session=False)
assert on_disk(sitting[0]) == []
assert move("P", 1)[0].message == {"reload": True}
"""

TWO_PAGES_OF_ONE_SEAT_AT_ONCE = """
import asyncio
from cardlab.live.hand_socket import HandConnection
from cardlab.live.lab import LAB

class Browser:
    def __init__(self):
        self.sent = []

    async def send_json(self, said):
        self.sent.append(said)

async def arrive():
    arrivals = [HandConnection(Browser(), codes[0], 1, name, False) for name in ("PC", "laptop")]
    answers = LAB.service.commit_batch([arrival.handle for arrival in arrivals])
    for arrival, answer in zip(arrivals, answers):
        await arrival.respond(answer)
    return arrivals

first, second = asyncio.run(arrive())
assert first.client and "view" in first.websocket.sent[0]
assert second.client is None and second.websocket.sent == [{"second_tab": "tell"}], second.websocket.sent
"""

A_PAGE_CLOSES_A_HAND = """
look()
move("P", 1)
with session_scope():  # as oTree makes a page
    LAB.service.leave_and_write(sitting[0], "advanced", LAB.page_records)
    assert [actions(seat) for seat in sitting] == [["P"], ["P"]]  # committed with the page, not before
assert [actions(seat) for seat in sitting] == [["P", "end advanced"], ["P"]]
over, moves = move("P", 2)
assert "is over" in over.message["refused"] and moves.message["view"]["moves"] == 2
"""

A_DROPOUT_WHO_PLAYS_ALONE = """
from cardlab.live import notices
with session_scope():
    participant = Participant.objects_first(code=codes[0])
    participant._timeout_page_index = 1  # as when oTree shows the page
    LAB.prepared_seats.prepare(sitting[0].page, participant._get_current_player())
    notices.add(LAB.page_records, participant.session_id, [participant.id], notices.DROPPED, 1)
with session_scope():
    found = seats.find_seat(codes[0], 1)
assert found.dropped == frozenset(), found.dropped  # so no row in the hand says so
assert LAB.prepared_seats.find(codes[0], 1) == found
"""

STORIES = {
    "a page closes a hand": A_PAGE_CLOSES_A_HAND,
    "one commit for all": ONE_COMMIT_FOR_ALL,
    "a rollback of oTree's": A_ROLLBACK_OF_OTREE,
    "one write fails": ONE_WRITE_FAILS,
    "the commit fails": THE_COMMIT_FAILS,
    "two at one place": TWO_AT_ONE_PLACE,
    "two pages of one seat at once": TWO_PAGES_OF_ONE_SEAT_AT_ONCE,
    "a dropout who plays alone": A_DROPOUT_WHO_PLAYS_ALONE,
    "deleted with its session": DELETED_WITH_ITS_SESSION,
}


@pytest.mark.long(
    "the other stories commit in the same way", only=("one commit for all", "two pages of one seat at once")
)
@pytest.mark.parametrize("story", STORIES)
def test_accepted_actions_are_on_disk(tmp_path, story):
    folder = working_copy(tmp_path / "card_lab")
    python = [venv_program("python"), "-c", BEGINNING + STORIES[story]]
    done = subprocess.run(python, cwd=folder, env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
