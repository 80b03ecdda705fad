"""Tests that time limits survive a killed timeout worker and a restarted database.

The worker is the process that closes expired hands of participants whose browser is gone.
"""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from exported_hands import export_rows, hands_by_participant
from server_fixture import LabServer, timeout_workers, wait_for, working_copy
from stages import clean_environment
from tabs import Tab, Visitor

from cardlab.operations.environment import venv_program
from cardlab.operations.project import WINDOWS

pytestmark = pytest.mark.skipif(WINDOWS, reason="these tests send POSIX signals")


def open_timed_hand(server: LabServer, seconds: int = 5) -> str:
    """Opens a session's only timed hand, leaves it, and returns the session code."""
    session = server.create_session("ttt_demo", time_limit_seconds=seconds)
    Visitor(server, session.participants[0]).walk_to("Hand")
    return session.code


def closed(server: LabServer, session: str) -> bool:
    """Returns whether the first hand has ended; checks that only a time limit ended it."""
    outcomes = [row["outcome"] for row in export_rows(server, session, "custom_export_hands")]
    assert set(outcomes) <= {"open", "timeout"}
    return outcomes[:1] == ["timeout"]


def test_killed_timeout_worker_is_replaced(tmp_path):
    with LabServer(tmp_path / "card_lab") as server:
        session = open_timed_hand(server, 600)
        [worker] = wait_for(lambda: timeout_workers(server.port), "the timeout worker")
        os.kill(worker, signal.SIGKILL)
        with server.sqlite() as database, database:  # as if the hand had begun an hour earlier
            database.execute("UPDATE otree_taskqueuemessage SET epoch_time = epoch_time - 3600")
            database.execute(
                "UPDATE otree_participant SET _timeout_expiration_time = _timeout_expiration_time - 3600"
            )
        wait_for(
            lambda: timeout_workers(server.port) not in ([], [worker]), "another timeout worker", seconds=5
        )
        wait_for(lambda: closed(server, session), "the hand whose time is over", seconds=25)
        server.stop()
        assert timeout_workers(server.port) == []
        assert server.stderr_text().count("timeout worker") == 1, server.stderr_text()


@pytest.mark.long("restarts PostgreSQL")
def test_play_continues_after_database_restart(tmp_path, own_postgres):
    unbuffered = {"PYTHONUNBUFFERED": "1"}
    with LabServer(tmp_path / "card_lab", own_postgres.new_database(), unbuffered) as server:
        playing = server.create_session("ttt_demo")
        visitor = Visitor(server, playing.participants[0])
        tab = visitor.sit_down()
        tab.play("P")
        timed = open_timed_hand(server)
        said = server.folder / "stdout.txt"
        wait_for(lambda: "timeoutworker is listening" in said.read_text(), "the timeout worker")
        [worker] = timeout_workers(server.port)

        own_postgres.halt()
        assert "could not be saved" in tab.send_action("P", number=2)["refused"]
        wait_for(lambda: "No time limit is enforced" in server.stderr_text(), "the worker to say so")
        own_postgres.start()
        tab.play("P")
        assert timeout_workers(server.port) == [worker]  # the same worker continued

        own_postgres.restart()
        os.kill(worker, signal.SIGKILL)
        visitor.open_start_link()
        tab = Tab(server, visitor.code, visitor.index)
        tab.play("CTT")
        assert visitor.next_hand().state["view"]["moves"] == 0

        wait_for(lambda: closed(server, timed), "the five-second hand", seconds=25)
        [hand, *_] = hands_by_participant(server, playing.code).values()
        assert hand.final_state().sequence == hand.moves == "PPCTT"
        server.stop()
        assert "server closed the connection unexpectedly" in server.take_log()


A_WORKER = """
import os, time, urllib.error
import otree.main
otree.main.setup()
import otree.tasks
from otree.database import session_scope
from otree.models import Participant
from otree.models_concrete import TaskQueueMessage
from otree.session import create_session

class Enough(Exception): pass

def nap(seconds, rounds=iter(range(8))):
    if next(rounds, None) is None:
        raise Enough

def post(url, data):
    asked.append(url)
    if len(asked) < answers_at:
        raise urllib.error.URLError("the server is being started")

asked, answers_at = [], int(os.environ["ANSWERS_AT"])
time.sleep, otree.tasks.post = nap, post
with session_scope():
    create_session("ttt_demo", num_participants=1)
    Participant.objects_first().initialize(None)
    otree.tasks.submit_expired_url(-90, participant_code=Participant.objects_first().code, page_index=1)
try:
    otree.tasks.Worker(1).listen()
except Enough:
    with session_scope():
        print("asked", len(asked), "left", TaskQueueMessage.objects_filter().count())
"""


@pytest.mark.parametrize(("answers_at", "requested"), [(1, 1), (3, 3), (9, 5)])
def test_failed_timeout_is_retried(tmp_path, answers_at, requested):
    folder = working_copy(tmp_path / "card_lab")
    environment = {**clean_environment(), "ANSWERS_AT": str(answers_at)}
    python = [venv_program("python"), "-c", A_WORKER]
    done = subprocess.run(python, cwd=folder, env=environment, capture_output=True, text=True)
    assert f"asked {requested} left 0" in done.stdout, done.stderr
    assert ("could not be enforced" in done.stderr) == (answers_at > 5)
