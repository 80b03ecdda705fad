"""Plays the fixed sessions of the matrix card game whose output is in ``tests/golden``."""

from __future__ import annotations

import random

from golden_session import Row, Seat, Session
from harnesses import GAMES

from cardlab.games.record import Opening, read_opening, write_opening

SIMULATED = ("--strategy", "random", "--hands", "1")
moves = GAMES["matrix"].harness.moves


def played() -> Session:
    """Returns a session of three: a pair with a reload, refusals and a no-show, and one with a robot."""
    session = Session(
        "matrix", "matrix_two", 3, games=2, change_choice=True, turn_limit_seconds=30, absent_after=2,
        no_shows="robot", robot="best_response", pack="special",
    )  # fmt: skip
    games = session.app.deal({**session.config, "group_size": 1}, 3).hands
    chance = random.Random(5)
    for number in range(1, 4):
        groups: dict[int, Row] = {}
        for participant in session.people:
            which = 1 if participant.id_in_session < 3 else 2
            if which not in groups:
                groups[which] = Row(
                    id=10 * number + which, id_in_subsession=which, opening="",
                    __tablename__="matrix_game_app_group", session=session.row,
                )  # fmt: skip
            player = session.new_player(participant, number)
            player.group = groups[which]
            if number > 1:
                player.seat = ["S", "W", "S"][participant.id_in_session - 1]
                options = {
                    **games[number - 2][0].options,
                    "robots": {} if which == 1 else {"W": "best_response"},
                }
                deal = games[number - 2][0].deal
                opening = Opening(deal, options, number - 1, 2, 2)
                groups[which].opening = write_opening(opening)
                session.openings[number] = opening
    by_round = {
        number: [player for player in session.players if player.round_number == number] for number in (2, 3)
    }
    for number, players in by_round.items():
        options = {}
        seats = []
        for player in players:
            session.openings[number] = read_opening(player.group.opening)
            seats.append(session.sit(player))
            options[player.seat] = session.openings[number]
        pair, alone = seats[:2], seats[2:]
        for at in pair:
            at.look()
        _play_together(session, pair, chance, stop_at=9 if number == 2 else None)
        if number == 2:
            pair[1].leave()  # the researcher moves W on; S plays to the end
        while pair[0].again()["over"] is None:
            _turn(pair[:1], chance)
        for at in pair if number == 3 else pair[:1]:
            at.leave()
        (at,) = alone
        at.look()
        while at.said["over"] is None:
            _turn([at], chance)
        at.leave()
    return session


def _turn(seats: list[Seat], chance: random.Random) -> None:
    """Lets a seat that may act do so; otherwise lets the turn limit of the absent player pass."""
    for at in seats:
        if at.again()["over"] is None and (actions := moves(at.said["view"])):
            at.send(chance.choice(actions), after_ms=chance.randint(400, 4000))
            return
    seats[0].look(after_ms=31_000)


def _play_together(session: Session, seats: list[Seat], chance: random.Random, stop_at: int | None) -> None:
    turns = 0
    while seats[0].again()["over"] is None and (stop_at is None or turns < stop_at):
        turns += 1
        if turns == 4:
            seats[1].look()
            seats[1].send("play XX")
        if turns == 6:
            for _missed in range(3):
                _turn(seats[:1], chance)
            seats[1].look()
        _turn(chance.sample(seats, len(seats)), chance)
