"""Plays the fixed sessions of Challenge whose output is in ``tests/golden``."""

from __future__ import annotations

import random

from golden_session import Row, Seat, Session
from harnesses import GAMES

from cardlab.core.transitions import EngineAnswer
from cardlab.games.challenge import rules
from cardlab.games.challenge.engine import answer
from cardlab.games.record import Opening, read_opening, write_opening

SIMULATED = ("--mix", "random:1,depth_4:1", "--hands", "1", "--set", "size=3")
COMPUTER = {"N": rules.COMPUTER}
moves = GAMES["challenge"].harness.moves


def played() -> Session:
    """Returns a session of three participants: a pair with a reload, refusals and a no-show; and one who
    plays against the computer, asks for advice and analyses the game."""
    session = Session(
        "challenge", "challenge_analysing", 3, games=2, size=2, depth=2, hints=True, draw_offers=True,
        turn_limit_seconds=30, group_size=2, max_actions=60,
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
                    __tablename__="challenge_app_group", session=session.row,
                )  # fmt: skip
            player = session.new_player(participant, number)
            player.group = groups[which]
            if number > 1:
                player.seat = "SNS"[participant.id_in_session - 1]
                options = {**games[number - 2][0].options, "robots": {} if which == 1 else COMPUTER}
                opening = Opening(games[number - 2][0].deal, options, number - 1, 2, 2)
                groups[which].opening = write_opening(opening)
    for number in (2, 3):
        *pair, alone = (player for player in session.players if player.round_number == number)
        _two(session, number, pair, chance)
        _against_the_computer(session, number, alone, chance)
    return session


def _two(session: Session, number: int, players: list[Row], chance: random.Random) -> None:
    """Plays one game that ends by resignation after an absence, and one to its end, with refusals."""
    session.openings[number] = read_opening(players[0].group.opening)
    seats = [session.sit(player) for player in players]
    for at in seats:
        at.look()
    for step in range(80):
        if number == 2 and step == 6:
            for _limit in range(2):
                seats[0].look(after_ms=31_000)
            seats[1].look()
            seats[0].again()
            seats[0].send(rules.RESIGN)
        if number == 3 and step == 2:
            seats[1].look()
            seats[1].send("play XX")
            seats[1].send("mark off")
        for at in seats:
            if at.again()["over"] is None and (actions := moves(at.said["view"])):
                at.send(chance.choice(actions), after_ms=chance.randint(400, 4000))
    for at in seats:
        if at.again()["over"] is None:
            at.send(rules.RESIGN)
    for at in seats:
        at.leave()


def _against_the_computer(session: Session, number: int, player: Row, chance: random.Random) -> None:
    """Plays the first game with questions and analysis, and leaves the second open."""
    session.openings[number] = opening = read_opening(player.group.opening)
    at = session.sit(player)
    at.look()
    questions = [rules.CONSULT, rules.OFFER, rules.CLAIM, "log off"]
    for _step in range(30 if number == 2 else 3):
        _thought(session, at)
        if at.said["over"]:
            break
        if questions and (questions[0] in at.said["view"]["may"] or questions[0] in rules.TOGGLES):
            at.send(questions.pop(0))
        else:
            legal = [one for one in moves(at.said["view"]) if one.startswith(("play", "pick"))]
            lift = chance.choice([one for one in legal if one != "pick up"] or [""]).replace("play", "lift")
            at.send(chance.choice(legal), after_ms=900, traces=(lift,) if lift else ())
    if number == 3:
        return
    _thought(session, at)
    if at.again()["over"] is None:
        at.send(rules.RESIGN)
    at.leave()
    with session.served():
        session.openings[number] = session.app.Analyse.opening(player)
    session.page = session.app.Analyse
    at = session.sit(player)
    at.look()
    for action in (rules.BACK, rules.CONSULT, rules.RESIGN, rules.SETUP, rules.PASS):
        at.send(action)
        _thought(session, at)
    session.page, session.openings[number] = session.app.Hand, opening


def _thought(session: Session, at: Seat) -> None:
    """Answers the computer's pending questions, each after a while."""
    while questions := at.hand().engine_questions:
        (seat, question), *_others = questions.items()
        session.clock.ms += 300
        found = EngineAnswer(seat, question, *answer(question))
        session.ask(lambda found=found: session.service.play_due_and_write(at.seat, found))
    at.again()
