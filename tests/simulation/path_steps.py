"""The steps of a schedule: their kinds, their frequencies, and the checks at the end."""

from __future__ import annotations

from collections.abc import Callable

from path_background import (
    checkpoint,
    engine_answers,
    time_passes,
    timeout_worker,
    write_journal,
)
from path_faults import crash, fail, forget, set_clock
from path_lab import TAKEN, Laboratory, Person
from path_participants import (
    fall_silent,
    go_on,
    reload,
    second_tab,
    send_again,
    slow_down,
    speak,
    vanish,
)
from path_researcher import advance, create_session, end_now, export, pay, register, steer, withdraw
from simulated_disk import Crash
from simulated_machine import Computer

SETTLING_SECONDS, POLL_SECONDS = 40, 4

# A step of a person; the last argument says how. Returns its description for the story, with "— " in front if
# it is not the person's, or "" if the step was not possible.
Step = Callable[[Laboratory, Person, int], str]
TIMES: dict[Step, int] = {  # out of 256
    go_on: 137,
    **{register: 6, pay: 2},
    **{send_again: 8, reload: 5, vanish: 4, second_tab: 3, slow_down: 6, fall_silent: 4, speak: 4},
    **{steer: 6, advance: 2, end_now: 2, export: 3, withdraw: 1, create_session: 2},
    **{time_passes: 20, timeout_worker: 8, engine_answers: 10},
    **{checkpoint: 4, write_journal: 3, fail: 8, crash: 4, set_clock: 2, forget: 2},
}
STEPS = [step for step, times in TIMES.items() for _time in range(times)]  # one for each value of a byte
assert len(STEPS) == 256, len(STEPS)


def take_step(lab: Laboratory, kind: int, who: int, how: int, turns: int) -> None:
    """Performs one step, then runs the server for some callbacks or until it is idle."""
    perform = STEPS[kind]
    person = lab.model.people[who % len(lab.model.people)]
    lab.model.story.append(f"{person.name} …")  # shown if this step crashes
    try:
        description = perform(lab, person, how)
        if not description:
            lab.model.story.pop()
            return
        lab.model.tallies[f"step: {perform.__name__}"] += 1
        is_of_nobody = description.startswith("— ")
        lab.model.story[-1] = description[2:] if is_of_nobody else f"{person.name} {description}"
        Computer.machine.pass_ms(1)
        lab.run(None if turns < 160 else (turns - 160) // 2)
    except Crash:
        lab.model.story.append("the server crashes, and starts again")
        raise
    lab.look()


def settle(lab: Laboratory) -> None:
    """Checks that, without further faults, all requests are answered and everybody can continue."""
    lab.disk.plans.clear()
    lab.silent.clear()
    for socket in lab.sockets.values():
        socket.release()
    lab.run()
    for _second in range(SETTLING_SECONDS):
        lab.pass_ms(1000)
    open_requests = [f"{one.method} {one.path}" for each in lab.requests.values() for one in each]
    assert not open_requests, f"without an answer: {open_requests}"
    for person in lab.model.people:
        reload(lab, person, 0)
        lab.run()
        if person.page == TAKEN:  # caused by themselves: two simultaneous first requests get two cookies
            lab.pass_ms(1000 * SETTLING_SECONDS)
            reload(lab, person, 0)
            lab.run()
        assert not lab.requests.get(person.name), f"{person.code} gets no page"
        if person.withdrawal == "done":
            continue
        if person.withdrawal == "asked" and person.code not in lab.state.participants:
            continue
        if lab.is_turned_away(person) or (not person.code and lab.is_full()):
            continue
        assert person.page not in ("", TAKEN), f"{person.code} gets no page"
        if person.page_name == "Hand":
            lab.sit_down(person)
            lab.run()
            assert person.board or not person.page, f"{person.code} gets no board"
            fold, _seat = lab.fold_of(person)
            open_questions = {*fold.hand.engine_questions.values()} if fold and fold.hand else set()
            assert open_questions <= {*lab.server.engine.open_searches()}, "nobody has asked the engine"
    find_groups(lab)
    lab.look()
    lab.model.tallies.update(lab.state.figures())


def find_groups(lab: Laboratory) -> None:
    """Checks that nobody waits longer than ``gather_seconds``, unless paused or dropped out."""
    for _time in range(lab.kind.fields.get("gather_seconds", 0) // POLL_SECONDS + 2):
        for person in waiting_people(lab):
            if person.page and person.page_name == "Gather":
                lab.browse(person, "GET", person.page, "here=1")
            else:
                lab.open_start_link(person)
        lab.pass_ms(1000 * POLL_SECONDS)
    waiting = [person.code for person in waiting_people(lab)]
    assert not waiting, f"these participants still wait for a group: {waiting}"


def waiting_people(lab: Laboratory) -> list[Person]:
    """Returns the people at the page where groups are formed who may join one."""
    held = lab.state.held_participants()
    return [
        person
        for person in lab.model.people
        if (row := lab.state.participants.get(person.code)) and row.id not in held
        if row.index > 0 and not row.is_past_the_end and lab.page_class(row.index).__name__ == "Gather"
        if not lab.is_turned_away(person)  # who comes too early may have been moved on
    ]
