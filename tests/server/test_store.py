"""Another thread's rollback between our UPDATE and its commit: the line is written again, or not accepted.

In a process of its own: ``experiment.store`` lives on oTree's one connection, which is opened on import.
"""

from __future__ import annotations

import subprocess

import pytest

import lab

BEGINNING = """
import threading
import otree.main
otree.main.setup()
import sqlalchemy
from otree.database import AnyModel, db, engine, session_scope
AnyModel.metadata.create_all(engine)
from otree.models import Participant
from otree.session import create_session
from experiment import store
from experiment.seat import Key

with session_scope():
    create_session("ttt_demo", num_participants=1)
    key = Key("ttt_solo_app_player", "record", 1, Participant.objects_first().id)

rollbacks, updates = [], []

def count(_connection, _cursor, statement, *_rest):
    if statement.startswith("UPDATE"):
        updates.append(statement)

def roll_back(connection):
    # SQLAlchemy says so when it is about to commit; a thread takes the connection from under it.
    if rollbacks:
        rollbacks.pop()
        thread = threading.Thread(target=connection.connection.rollback)
        thread.start()
        thread.join()

sqlalchemy.event.listen(engine, "after_cursor_execute", count)
sqlalchemy.event.listen(engine, "commit", roll_back)

def on_disk():
    import sqlite3
    rows = sqlite3.connect("db.sqlite3").execute("SELECT record FROM ttt_solo_app_player WHERE id = 1")
    return rows.fetchone()[0]
"""

UNDISTURBED = """
store.write(key, "one line")
assert on_disk() == "one line" and len(updates) == 1, (on_disk(), updates)
"""

ROLLED_BACK_TWICE = """
rollbacks += [1, 1]
store.write(key, "one line")
assert on_disk() == "one line", on_disk()
assert len(updates) == 3, updates
"""

ROLLED_BACK_ALWAYS = """
rollbacks += [1] * 10
try:
    store.write(key, "one line")
except store.NotWritten as not_written:
    assert "rolled back" in str(not_written)
else:
    raise AssertionError("accepted, though it is not on disk")
assert on_disk() == "", on_disk()
"""

NOT_ANSWERED_AS_PLAYED = """
from experiment import seat as seats
from experiment.service import SERVICE
from experiment.socket import _answer
with session_scope():
    participant = Participant.objects_first()
    participant.initialize(None)
    code = participant.code
class Tab:
    seat = seats.find(code, 1)

tab = Tab()
said = SERVICE.look_and_write(tab.seat).said
assert said["view"]["moves"] == 0, said

import json
message = json.dumps({"hand": 0, "number": 1, "action": "P", "ms": 1, "traces": []})
rollbacks += [1] * 3
said, others = _answer(tab, message)
assert set(said) == {"refused"}, said
assert "could not be saved" in said["refused"], said
rollbacks.clear()
said, others = _answer(tab, message)  # the same number again: it was not played
assert said["view"]["moves"] == 1 and "refused" not in said, said
assert said["next"] == 2
"""


@pytest.mark.parametrize(
    "story",
    [UNDISTURBED, ROLLED_BACK_TWICE, ROLLED_BACK_ALWAYS, NOT_ANSWERED_AS_PLAYED],
    ids=["undisturbed", "rolled back twice", "rolled back always", "not answered as played"],
)
def test_a_rollback_between_the_update_and_its_commit(tmp_path, story):
    folder = lab.copy_project(tmp_path / "card_lab")
    python = [lab.venv_program("python"), "-c", BEGINNING + story]
    done = subprocess.run(python, cwd=folder, env=lab.test_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
