"""Steps without a person: time passes, pages expire, the engine answers, the disk is written.

One function for each kind of step.
"""

from __future__ import annotations

import json
import sqlite3

from otree.common import get_constants
from path_lab import Laboratory, Person
from path_server import Request
from simulated_disk import FILE, InjectedFault

from cardlab.core import clock
from cardlab.guard.worker_signature import HEADER, signature


def time_passes(lab: Laboratory, _person: Person, how: int) -> str:
    ms = 1 + how * how if how % 8 else 1000 * (1 + how)
    lab.pass_ms(ms)
    return f"— {ms} ms pass"


def timeout_worker(lab: Laboratory, _person: Person, _how: int) -> str:
    """Runs one task of the process that ends expired pages, over a separate connection."""
    if lab.worker_is_busy:
        return ""
    try:
        return run_task(lab)
    except InjectedFault:
        lab.worker_connection = None
        return "— the timeout worker cannot read the database"


def run_task(lab: Laboratory) -> str:
    connection = lab.worker_connection = lab.worker_connection or sqlite3.connect(FILE)
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
        people = [code for code in who if lab.index_of(code) == limit]
    else:
        ids, limit, verb = fields["participant_pks"], fields["page_index"] + 1, "GET"
        rows = lab.state.participants.values()
        people = [row.code for row in rows if row.id in ids and row.index <= limit]
    waiting, failed = set(people), []
    lab.worker_is_busy = True

    def done(code: str, request: Request | None) -> None:
        waiting.discard(code)
        if request is not None and request.status >= 400:
            failed.append(code)
        if waiting:
            return
        lab.worker_is_busy = False
        if not failed:
            delete_task(lab, number)

    if not people:
        done("", None)
    for code in people:
        form = {"timeout_happened": "True"} if verb == "POST" else None
        headers = {HEADER.lower(): signature()}
        path = address_of(lab, code)
        lab.ask("worker", verb, path, lambda request, code=code: done(code, request), form, headers)
    return f"— the timeout worker: {method} for {len(people)} participants"


def delete_task(lab: Laboratory, number: int) -> None:
    connection = lab.worker_connection
    try:
        connection.execute("DELETE FROM otree_taskqueuemessage WHERE id = ?", [number])
        connection.commit()
    except sqlite3.OperationalError:  # a fault, or a page has the lock, on which nobody waits here
        connection.give_up()
        connection.close()
        lab.worker_connection = None  # the task will be repeated


def address_of(lab: Laboratory, code: str) -> str:
    """Returns the address of the page that a participant is at."""
    index = lab.index_of(code)
    url = get_constants(lab.app).get_normalized("name_in_url")
    return lab.page_class(index).get_url(code, url, index)


def engine_answers(lab: Laboratory, _person: Person, how: int) -> str:
    """Ends an engine search; now and then starts a second search for an earlier question."""
    engine = lab.server.engine
    questions = engine.open_searches()
    if not questions:
        return ""
    question, is_in_vain = questions[how % len(questions)], how % 8 == 0
    hands = [fold.hand for fold in lab.state.folds.values() if fold.hand]
    is_late = not any(question in hand.engine_questions.values() for hand in hands)
    lab.model.tallies["engine answers, too late" if is_late else "engine answers"] += 1
    engine.end_search(how, is_in_vain)
    if how % 4 == 3:
        engine.search_again(how // 8)
    return f"— the engine {'finds nothing in time' if is_in_vain else 'answers'}"


def checkpoint(lab: Laboratory, _person: Person, how: int) -> str:
    lab.disk.checkpoint(is_interrupted=how % 8 == 7)
    return "— the WAL is checkpointed"


def write_journal(lab: Laboratory, _person: Person, _how: int) -> str:
    try:
        lab.server.lab.journal.write_changes()
    except Exception as error:
        if not lab.disk.raised:
            raise
        return f"— the journal is not written: {type(error).__name__}"
    return "— the journal is written"
