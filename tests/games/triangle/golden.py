"""Plays the fixed sessions of Triangle Solitaire whose output is in ``tests/golden``."""

from __future__ import annotations

import random

from golden_session import Session, solo

from cardlab.games.triangle.strategies import STRATEGIES

SIMULATED = ("--strategy", "look_ahead", "--hands", "2")


def played() -> Session:
    """Returns a session of two: reminders, pick-ups, both variations; hands finished, left and begun."""
    session, (one, two) = solo(
        "triangle", "triangle_hard", 2, hands=2, practice_hands=1, payoff_base=40.0, pay_hands="one"
    )
    names = sorted(STRATEGIES)
    for number, players in enumerate((one, two)):
        for hand, player in enumerate(players[: 3 - number]):
            decide = STRATEGIES[names[(number + hand) % len(names)]].new_policy(random.Random(hand))
            at = session.sit(player)
            at.look()
            (single, _count) = next(iter(at.said["view"]["spares"].items()), ("H", 0))
            for action in (f"mark {single} 3", f"unmark {single} 3", f"mark {single} 30"):
                at.send(action, traces=("pick card", "pick Z"))
            while at.said["over"] is None:
                at.send(decide(at.hand().state, "solo"), after_ms=1500 + 11 * hand)
            at.leave()
    at = session.sit(two[2])
    at.look()
    at.send("place 99")
    at.leave()
    return session
