"""Plays the fixed sessions of Solitario whose output is in ``tests/golden``."""

from __future__ import annotations

from golden_session import Seat, Session, solo

from cardlab.games.solitario import rules
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.solver import solve, with_clicks

SIMULATED = ("--mix", "greedy:1,solver:1", "--hands", "1")


def played() -> Session:
    """Returns a session of two participants: hands solved, given up after undos, left, and timed out."""
    session, (one, two) = solo(
        "solitario", "solitario_briscola", 2, hands=3, practice_hands=1, undo=True, which_deals="solvable",
        own_deals=False, pay_hands="one",
    )  # fmt: skip
    for players in (one, two):
        at = session.sit(players[0])
        at.look()
        _begin(at, 6)
        at.send(rules.GIVE_UP)
        at.leave()
    at = session.sit(one[1])
    at.look()
    state = at.hand().state
    line = solve(state.position, PACKS["briscola"], draw=1, ace_on_two=state.options["ace_on_two"]).line
    for action in with_clicks(line, state.position):
        at.send(action, after_ms=900, traces=("pick w",) if action.startswith("move w") else ())
    at.leave()
    at = session.sit(one[2])
    at.look()
    _begin(at, 30)
    at.second_look()
    at.leave()
    at = session.sit(two[1])
    at.look()
    _begin(at, 14)
    at.send("turn")
    at.send("move 7 1 7", traces=("pick 7 1", "pick 9 9"))
    for _move in range(3):
        at.send(rules.UNDO)
    at.leave(timeout=True)
    at = session.sit(two[2])
    at.look()
    at.send("end solved")
    at.leave()
    return session


def _begin(at: Seat, moves: int) -> None:
    """Makes so many moves: the last legal one, and every third time the first, which is mostly a draw."""
    for number in range(moves):
        found = list(rules.legal_moves(at.hand().state))
        at.send(found[0 if number % 3 == 0 else -1], after_ms=700 + 150 * number)
