"""Plays the fixed sessions of Target the Two for two whose output is in ``tests/golden``."""

from __future__ import annotations

import random

from golden_session import Row, Seat, Session
from harnesses import own_module

from cardlab.games.record import Opening, write_opening
from cardlab.games.ttt.strategies import STRATEGIES

SIMULATED = (
    *("--mix", "informed:0.5,routinizing:0.5", "--set", "players=2", "--set", "ViewCard=none"),
    *("--set", "blocks=game422.txt/game442.txt:3, mixed.txt:2", "--set", "partners=mixed"),
)
also_written = own_module("ttt", "golden").also_written


def played() -> Session:
    """Returns a session of a pair, with looks, pick-ups, refusals, a reload, a pass by the server and a
    player who is moved on; and of one with a robot that has the other keeper."""
    session = Session(
        "ttt_pair", "ttt_pair_demo", 3, ViewCard="mix", ViewCkNk="FALSE", MaxRounds="9",
        turn_limit_seconds=30, no_shows="robot", robot="routinizing",
    )  # fmt: skip
    hands = session.app.deal(session.config, 4).hands
    for number in range(1, 2 + len(hands)):
        groups = [
            Row(
                id=10 * number + which,
                id_in_subsession=which,
                opening="",
                __tablename__="ttt_pair_app_group",
                session=session.row,
            )
            for which in (1, 2)
        ]
        for participant, group, seat in zip(session.people, [*groups[:1] * 2, groups[1]], ("ck", "nk", "nk")):
            player = session.new_player(participant, number)
            player.group = group
            player.seat = seat if number > 1 else ""
            if number > 1:
                robots = {} if group is groups[0] else {"ck": "routinizing"}
                group.opening = write_opening(_dealt(hands[number - 2][0], robots))
    for number, (shared_opening, *_ways) in enumerate(hands, 2):
        ck, nk, alone = (player for player in session.players if player.round_number == number)
        session.openings[number] = _dealt(shared_opening, {})
        _pair(session, [session.sit(ck), session.sit(nk)], number)
        session.openings[number] = _dealt(shared_opening, {"ck": "routinizing"})
        at = session.sit(alone)
        at.look()
        while at.said["over"] is None:
            at.send(STRATEGIES["informed"].new_policy(random.Random(1))(at.hand().state, "nk"))
        at.leave()
    return session


def _dealt(hand: Opening, robots: dict[str, str]) -> Opening:
    """Returns the hand as a group plays it."""
    return Opening(
        hand.deal, {**hand.options, "robots": robots}, hand.number, hand.of, hand.hands, source=hand.source
    )


def _pair(session: Session, seats: list[Seat], number: int) -> None:
    for at in seats:
        at.look()
    by_seat = {at.player.seat: at for at in seats}
    players = {seat: STRATEGIES["informed"].new_policy(random.Random(number)) for seat in by_seat}
    for step in range(20):
        state = seats[0].hand().state
        if seats[0].again()["over"] is not None:
            break
        at = by_seat[state.turn]
        at.again()
        if number == 2 and step == 2:
            at.send("no such move", traces=("pick up",))
            by_seat["nk" if state.turn == "ck" else "ck"].again()
            by_seat["nk" if state.turn == "ck" else "ck"].send("U")
        if number == 3 and step == 1:
            at.look(after_ms=31_000)  # time is up, so the server passes
            continue
        if number == 4 and step == 2:
            seats[1].leave()
        if at.again()["over"] is None:
            at.send(players[state.turn](at.hand().state, state.turn), after_ms=900 + 137 * number)
    for at in seats:
        if at.again()["over"] is not None or number == len(session.openings) + 1:
            at.leave()
