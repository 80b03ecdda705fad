"""The socket's own connection: what others do on oTree's does not undo it; one failed write spoils no other.

In a process of its own: ``cardlab.live.record_store`` lives on the database, which is opened on import.
"""

from __future__ import annotations

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
from cardlab.core.record_chain import End, Key, chain
from cardlab.live.service import SERVICE
from cardlab.live.record_store import ON_THE_PAGE, RECORDS

with session_scope():
    create_session("ttt_demo", num_participants=2)
codes = []
with session_scope():
    for participant in Participant.objects_filter().all():
        participant.initialize(None)
        codes.append(participant.code)
with session_scope():
    sitting = [seats.find(code, 1) for code in codes]

def on_disk(seat):
    import sqlite3
    question = "SELECT text FROM card_lab_line WHERE hand = ? ORDER BY number"
    return [text for (text,) in sqlite3.connect("db.sqlite3").execute(question, [seat.key.hand])]

def look():
    return SERVICE.commit_together([partial(SERVICE.look_and_write, seat) for seat in sitting])

def move(action, number):
    said = json.dumps({"hand": 0, "number": number, "action": action, "ms": 1, "traces": []})
    return SERVICE.commit_together([partial(SERVICE.receive_and_write, seat, said) for seat in sitting])

def actions(seat):
    return [json.loads(line)[2] for line in on_disk(seat)[1:]]
"""

ONE_COMMIT_FOR_ALL = """
commits = []
RECORDS.commit, commit = lambda: (commits.append(1), commit()), RECORDS.commit
look()
commits.clear()
assert [answer.said["view"]["moves"] for answer in move("P", 1)] == [1, 1]
assert len(commits) == 2, commits  # the second after those who follow the records were told
assert [actions(seat) for seat in sitting] == [["P"], ["P"]]
"""

A_ROLLBACK_OF_OTREE = """
look()
with session_scope():
    Participant.objects_first().label = "not kept"
    db.rollback()
assert [answer.said["view"]["moves"] for answer in move("P", 1)] == [1, 1]
db.new_session()
db.rollback()
assert [actions(seat) for seat in sitting] == [["P"], ["P"]]
"""

ONE_WRITE_FAILS = """
look()
append, failed = RECORDS.append, []

def fail_for_the_first(key, end, lines):
    append(key, end, lines)
    if key == sitting[0].key:
        failed.append(1)
        raise OSError("the disk is full")

RECORDS.append = fail_for_the_first
first, second = move("P", 1)
assert isinstance(first, OSError) and len(failed) == 2
assert second.said["view"]["moves"] == 1
assert [actions(seat) for seat in sitting] == [[], ["P"]]
RECORDS.append = append
first, second = move("P", 1)  # the same number again: it was not played
assert first.said["view"]["moves"] == 1 and "refused" not in first.said
assert "had changed" in second.said["refused"]
"""

THE_COMMIT_FAILS = """
look()
commit, fails = RECORDS.commit, [1, 1, 1]

def sometimes():
    if fails:
        fails.pop()
        raise OSError("the disk is full")
    commit()

RECORDS.commit = sometimes
first, second = move("P", 1)
assert isinstance(first, OSError) and isinstance(second, OSError), (first, second)
assert [actions(seat) for seat in sitting] == [[], []]
first, second = move("P", 1)
assert [first.said["view"]["moves"], second.said["view"]["moves"]] == [1, 1]
"""

TWO_AT_ONE_PLACE = """
look()
RECORDS.commit()
seat = sitting[0]
end = RECORDS.end(seat.key.hand)
lines = chain(seat.key.hand, end.digest, ["a line"])
RECORDS.append(seat.key, end, lines)
RECORDS.commit()
try:
    RECORDS.append(seat.key, end, lines)
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
assert move("P", 1)[0].said == {"reload": True}
"""

TWO_PAGES_OF_ONE_SEAT_AT_ONCE = """
import asyncio
from cardlab.live.hand_socket import _Arrival

class Browser:
    def __init__(self):
        self.told = []

    async def send_json(self, said):
        self.told.append(said)

async def arrive():
    arrivals = [_Arrival(Browser(), codes[0], 1, name, False) for name in ("PC", "laptop")]
    answers = SERVICE.commit_together([arrival.ask for arrival in arrivals])
    for arrival, answer in zip(arrivals, answers):
        await arrival.answered(answer)
    return arrivals

first, second = asyncio.run(arrive())
assert first.tab and "view" in first.websocket.told[0]
assert second.tab is None and second.websocket.told == [{"second_tab": "tell"}], second.websocket.told
"""

BESIDE_A_PAGE = """
import threading

def beside(action, number):
    said = json.dumps({"hand": 0, "number": number, "action": action, "ms": 1, "traces": []})
    return SERVICE.commit_beside_a_page([partial(SERVICE.receive_and_write, seat, said) for seat in sitting])

def page():
    with session_scope():  # as oTree makes one, in a thread
        Participant.objects_first(code=codes[0])
        reads.set()
        moved.wait()
        SERVICE.leave_and_write(sitting[0], "advanced", ON_THE_PAGE)
        writes.set()
        tried.wait()

reads, moved, writes, tried = (threading.Event() for _event in range(4))
look()
making = threading.Thread(target=page)
making.start()
reads.wait()
assert [answer.said["view"]["moves"] for answer in beside("P", 1)] == [1, 1]
assert [actions(seat) for seat in sitting] == [["P"], ["P"]]
moved.set()
writes.wait()
assert beside("P", 2) is None
assert [actions(seat) for seat in sitting] == [["P"], ["P"]]
tried.set()
making.join()
assert [actions(seat) for seat in sitting] == [["P", "end advanced"], ["P"]]
over, moves = beside("P", 3)
assert over.said["refused"] and "had changed" in moves.said["refused"]
"""

A_PAGE_WAITS_FOR_A_MOVE = """
import threading

look()
assert RECORDS.begin_at_once()

def page():
    with session_scope():
        asks.set()
        SERVICE.leave_and_write(sitting[0], "advanced", ON_THE_PAGE)

asks = threading.Event()
making = threading.Thread(target=page)
making.start()
asks.wait()
end = RECORDS.end(sitting[0].key.hand)
from cardlab.games.events import Event
from cardlab.games.record import write_event
text = write_event(Event(1, "solo", "P", 1, SERVICE.clock.now_ms()))
RECORDS.append(sitting[0].key, end, chain(sitting[0].key.hand, end.digest, [text]))
RECORDS.commit()
making.join()
assert actions(sitting[0]) == ["P", "end advanced"]
"""

A_PAGE_IS_ABOUT_TO_WRITE = """
import threading

def beside(number):
    said = json.dumps({"hand": 0, "number": number, "action": "P", "ms": 1, "traces": []})
    return SERVICE.commit_beside_a_page([partial(SERVICE.receive_and_write, sitting[0], said)])

look()
SERVICE.page_begins()
assert beside(1)
SERVICE.page_is_about_to_write()
assert beside(2) is None
SERVICE.page_begins()
assert beside(2)
about = threading.Thread(target=SERVICE.page_is_about_to_write)

def commit_at_last():  # while a move is written, the page waits
    about.start()
    while not SERVICE._page_writes:
        pass
    assert about.is_alive()
    commit()

RECORDS.commit, commit = commit_at_last, RECORDS.commit
assert beside(3)
about.join()
assert beside(4) is None
assert actions(sitting[0]) == ["P", "P", "P"]
"""

BESIDE_A_PAGE_IT_FAILS = """
look()
append, RECORDS.append = RECORDS.append, None  # whatever goes wrong
said = json.dumps({"hand": 0, "number": 1, "action": "P", "ms": 1, "traces": []})
asked = [partial(SERVICE.receive_and_write, seat, said) for seat in sitting]
assert SERVICE.commit_beside_a_page(asked) is None
RECORDS.append = append
assert [answer.said["view"]["moves"] for answer in SERVICE.commit_together(asked)] == [1, 1]
assert [actions(seat) for seat in sitting] == [["P"], ["P"]]
"""

STORIES = {
    "beside a page": BESIDE_A_PAGE,
    "a page is about to write": A_PAGE_IS_ABOUT_TO_WRITE,
    "beside a page it fails": BESIDE_A_PAGE_IT_FAILS,
    "a page waits for a move": A_PAGE_WAITS_FOR_A_MOVE,
    "one commit for all": ONE_COMMIT_FOR_ALL,
    "a rollback of oTree's": A_ROLLBACK_OF_OTREE,
    "one write fails": ONE_WRITE_FAILS,
    "the commit fails": THE_COMMIT_FAILS,
    "two at one place": TWO_AT_ONE_PLACE,
    "two pages of one seat at once": TWO_PAGES_OF_ONE_SEAT_AT_ONCE,
    "deleted with its session": DELETED_WITH_ITS_SESSION,
}


@pytest.mark.parametrize("story", STORIES)
def test_what_is_accepted_is_on_disk(tmp_path, story):
    folder = working_copy(tmp_path / "card_lab")
    python = [venv_program("python"), "-c", BEGINNING + STORIES[story]]
    done = subprocess.run(python, cwd=folder, env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
