"""Faults other than those of browsers and networks: one function for each kind of step."""

from __future__ import annotations

from path_lab import Laboratory, Person
from simulated_disk import Plan
from simulated_machine import Computer

PLANS = (
    Plan("statement", "statement fails"),
    Plan("write", "statement fails"),
    Plan("write", "statement fails, rolled back"),
    Plan("commit", "commit fails"),
    Plan("commit", "commit fails, rolled back"),
    Plan("commit", "commit fails, but is kept"),
    Plan("statement", "connection lost"),
    Plan("write", "disk full", times=6),
    Plan("commit", "disk full", times=3),
)
CRASHES = (
    *("crash at a statement", "crash before a commit", "crash in a commit", "crash in a commit"),
    "crash after a commit",
)


def fail(lab: Laboratory, _person: Person, how: int) -> str:
    plan = PLANS[how % len(PLANS)]
    after = (how * 7 // len(PLANS)) % (12 if plan.at == "statement" else 3)
    lab.disk.plans.append(Plan(plan.at, plan.kind, after, plan.times))
    return f"— will happen at the next {plan.at} but {after}: {plan.kind}"


def crash(lab: Laboratory, _person: Person, how: int) -> str:
    if how % 2:
        kind = CRASHES[how // 2 % len(CRASHES)]
        at = "statement" if kind == "crash at a statement" else "commit"
        lab.disk.plans.append(Plan(at, kind, how // 16 % 12 if at == "statement" else how // 16 % 3))
        return f"— will happen: {kind}"
    lab.disk.crash("crash")
    return ""


def set_clock(lab: Laboratory, _person: Person, how: int) -> str:
    lab.model.clock_was_set = True
    Computer.machine.set_wall_clock(60 * (how - 128))
    return f"— somebody sets the clock by {60 * (how - 128)} s"


def forget(lab: Laboratory, _person: Person, _how: int) -> str:
    from cardlab.core import hand_cache

    hand_cache._cache.clear()
    return "— what was remembered is forgotten"
