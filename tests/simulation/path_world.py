"""The slow world: the whole path of pages, sockets and sessions over a real database (``path_lab.py``).

The playing process has loaded the server. Each run of the server is a fork of it, which returns the model
when it crashes, so that nothing else in memory survives.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import random
import shutil
import tempfile
import traceback
from functools import cache
from pathlib import Path

import path_server
from schedules import Outcome, Schedule, draw
from simulated_disk import FILE, Crash, restart_on_crashed_files
from simulated_machine import Computer

STEPS = 150  # per schedule
IN_MEMORY = Path("/dev/shm")
PLANTED = "+"  # comes before the name of a planted mistake, as in ``path-17+pay_again``


def schedule_of(seed: str) -> Schedule:
    """Returns the schedule of a seed, such as ``path-17``."""
    return draw(seed.partition(PLANTED)[0], STEPS, 4)


@cache
def load_server() -> Path:
    """Loads the server once; returns the folder of its database, which is removed when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="card-lab-faults-", dir=IN_MEMORY if IN_MEMORY.is_dir() else None))
    owner = os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
    path_server.prepare(folder)
    import path_steps  # noqa: F401 once for all runs

    return folder


def play(seed: str, schedule: Schedule) -> Outcome:
    """Plays a schedule; the seed's number chooses the session. A name after ``+`` plants that mistake."""
    load_server()
    seed, _plus, mistake = seed.partition(PLANTED)
    for file in (FILE, f"{FILE}-wal", f"{FILE}-shm", "crashed.db", "crashed.wal"):
        Path(file).unlink(missing_ok=True)
    shutil.rmtree("journal", ignore_errors=True)
    shutil.copy("empty.db", FILE)
    from path_lab import SESSIONS, Model

    model, place, runs = Model(int(seed.rpartition("-")[2]) % len(SESSIONS)), -1, 0
    while True:
        model, place, failure, is_over = run_in_fork(model, schedule, place, f"{seed} {runs}", mistake)
        runs += 1
        if failure or is_over:
            return Outcome(max(0, place), model.tallies, failure, model.story)
        restart_on_crashed_files()


def run_in_fork(model, schedule: Schedule, place: int, seed: str, mistake: str):
    """Calls :func:`run_until_crash` in a fork, and returns what that returns."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading)
        with contextlib.suppress(BaseException):
            content = pickle.dumps(run_until_crash(model, schedule, place, seed, mistake))
            with open(writing, "wb") as pipe:
                pipe.write(content)
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        content = pipe.read()
    os.waitpid(process, 0)
    assert content, f"the process of seed {seed} ended"
    return pickle.loads(content)


def run_until_crash(model, schedule: Schedule, place: int, seed: str, mistake: str):
    """Plays from a step on; returns the model, the next step, the failure, and whether all is done."""
    import otree.common
    from path_lab import Laboratory
    from path_steps import settle, take_step
    from planted_mistakes import MISTAKES

    if mistake:
        MISTAKES[mistake]()
    Computer.chance = random.Random(seed)
    random.seed(f"{seed} of the module")
    otree.common.rng.seed(f"{seed} of codes")
    failure = ""
    try:
        lab = Laboratory(model, Computer.chance)
        if place < 0:
            begin(lab)
            place = 0
        while place < len(schedule):
            place += 1
            take_step(lab, *schedule[place - 1])
        settle(lab)
    except Crash:
        model.machine.pass_ms(2000)
        return model, place, "", False
    except Exception as error:  # noqa: BLE001 whatever it is: the caller reports it
        last = traceback.extract_tb(error.__traceback__)[-1]
        failure = f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
    return model, place, failure, True


def begin(lab) -> None:
    """Creates the first session, without faults. Most of its people have a part in the study it continues."""
    from path_lab import Person
    from path_researcher import create_session, earlier_part, import_parts

    create_session(lab, None, 0)
    lab.run()
    (session,) = lab.model.acknowledged_sessions
    codes = [*lab.state.participants] or [""] * lab.kind.visitors
    lab.model.people = [
        Person(f"P{number}", session, code, lab.kind.label(number)) for number, code in enumerate(codes, 1)
    ]
    if "continues" in lab.kind.fields:
        returning = enumerate(lab.model.people[:-2])
        import_parts(lab, [earlier_part(person.label, how) for how, person in returning])
        lab.run()
