"""Steps without a person: time passes, pages expire, the engine answers, the disk is written.

One function for each kind of step.
"""

from __future__ import annotations

import json
import sqlite3

from otree.common import get_constants
from path_lab import Life, Person
from path_server import Request
from simulated_disk import FILE, InjectedFault

from cardlab.core import clock
from cardlab.guard.worker_signature import HEADER, signature


def time_passes(life: Life, _person: Person, how: int) -> str:
    ms = 1 + how * how if how % 8 else 1000 * (1 + how)
    life.pass_ms(ms)
    return f"— {ms} ms pass"


def timeout_worker(life: Life, _person: Person, _how: int) -> str:
    """Runs one task of the process that ends expired pages, over a separate connection."""
    if life.worker_is_busy:
        return ""
    try:
        return run_task(life)
    except InjectedFault:
        life.worker_connection = None
        return "— the timeout worker cannot read the database"


def run_task(life: Life) -> str:
    connection = life.worker_connection = life.worker_connection or sqlite3.connect(FILE)
    task = connection.execute(
        "SELECT id, method, kwargs_json FROM otree_taskqueuemessage WHERE epoch_time <= ? "
        "ORDER BY epoch_time LIMIT 1",
        [clock.time()],  # the server's clock
    ).fetchone()
    if task is None:
        return ""
    number, method, fields = task
    fields = json.loads(fields)
    if method == "submit_expired_url":
        who, limit, verb = [fields["participant_code"]], fields["page_index"], "POST"
        people = [code for code in who if life.index_of(code) == limit]
    else:
        ids, limit, verb = fields["participant_pks"], fields["page_index"] + 1, "GET"
        rows = life.state.participants.values()
        people = [row.code for row in rows if row.id in ids and row.index <= limit]
    waiting, failed = set(people), []
    life.worker_is_busy = True

    def done(code: str, request: Request | None) -> None:
        waiting.discard(code)
        if request is not None and request.status >= 400:
            failed.append(code)
        if waiting:
            return
        life.worker_is_busy = False
        if not failed:
            delete_task(life, number)

    if not people:
        done("", None)
    for code in people:
        form = {"timeout_happened": "True"} if verb == "POST" else None
        headers = {HEADER.lower(): signature()}
        path = address_of(life, code)
        life.ask("worker", verb, path, lambda request, code=code: done(code, request), form, headers)
    return f"— the timeout worker: {method} for {len(people)} participants"


def delete_task(life: Life, number: int) -> None:
    connection = life.worker_connection
    try:
        connection.execute("DELETE FROM otree_taskqueuemessage WHERE id = ?", [number])
        connection.commit()
    except sqlite3.OperationalError:  # a fault, or a page has the lock, on which nobody waits here
        connection.give_up()
        connection.close()
        life.worker_connection = None  # the task will be repeated


def address_of(life: Life, code: str) -> str:
    """Returns the address of the page that a participant is at."""
    index = life.index_of(code)
    url = get_constants(life.app).get_normalized("name_in_url")
    return life.page_class(index).get_url(code, url, index)


def engine_answers(life: Life, _person: Person, how: int) -> str:
    """Ends an engine search; now and then starts a second search for an earlier question."""
    engine = life.server.engine
    questions = engine.open_searches()
    if not questions:
        return ""
    question, is_in_vain = questions[how % len(questions)], how % 8 == 0
    hands = [fold.hand for fold in life.state.folds.values() if fold.hand]
    is_late = not any(question in hand.engine_questions.values() for hand in hands)
    life.model.tallies["engine answers, too late" if is_late else "engine answers"] += 1
    engine.end_search(how, is_in_vain)
    if how % 4 == 3:
        engine.search_again(how // 8)
    return f"— the engine {'finds nothing in time' if is_in_vain else 'answers'}"


def checkpoint(life: Life, _person: Person, how: int) -> str:
    life.disk.checkpoint(is_interrupted=how % 8 == 7)
    return "— the WAL is checkpointed"


def write_journal(life: Life, _person: Person, _how: int) -> str:
    try:
        life.server.lab.journal.write_changes()
    except Exception as error:
        if not life.disk.raised:
            raise
        return f"— the journal is not written: {type(error).__name__}"
    return "— the journal is written"
