"""Plays the fixed sessions of Target the Two whose output is in ``tests/golden``."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from golden_session import Session, solo

from cardlab.games.ttt.strategies import STRATEGIES

SIMULATED = ("--mix", "informed:0.5,routinizing:0.5", "--deals", "transfer422.txt", "--hands", "6")


def played() -> Session:
    """Returns a session of two: looks, pick-ups, refusals, resends, a reload, a second tab, all outcomes."""
    session, (one, two) = solo(
        "ttt", "ttt_dynamic", 2, ViewCkNk="FALSE", MaxRounds="9", practice_hands=1, payoff_floor=100.0
    )
    at = session.sit(one[0])
    at.look()
    at.send("look ck" if at.said["view"]["turn"] == "ck" else "look nk")
    for move in "UCPN":
        at.send(move, traces=("pick up", "pick ck"))
    at.send("Q")
    at.send("U", number=1)
    at.look()
    for move in "PPPPPP":
        at.send(move)
    at.leave()
    for number, name in ((1, "informed"), (2, "always_422"), (3, "random")):
        player = STRATEGIES[name].new_policy(random.Random(number))
        at = session.sit(one[number])
        at.look()
        while at.said["over"] is None:
            at.send(player(at.hand().state, "solo"), after_ms=900 + 37 * number)
        at.leave()
    at = session.sit(one[4])
    at.look()
    at.send("P")
    at.leave(timeout=True)
    at = session.sit(one[5])
    at.look()
    at.second_look()
    at.send("U")
    at.leave()
    session.sit(two[0]).leave()
    at = session.sit(two[1])
    at.look()
    at.send("P", traces=("pick n",))
    return session


def also_written(run, actions: Path, folder: Path) -> Iterator[Path]:
    """Yields the logs of an actions table and their summary; ``run`` runs a command of the analysis."""
    run("split", actions, "--out", folder / "logs")
    logs = sorted((folder / "logs").iterdir())
    yield from logs
    run("transform", *logs, "-o", folder / "transform.txt")
    yield folder / "transform.txt"
