"""Races: requests that exclude one another are sent at the same time, over several connections.

The first request wins. Nothing may happen twice, and no request may fail.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import requests
from exported_hands import hands_by_id
from findings import Findings
from game_table import gather_table
from harnesses import GAMES, Game
from server_fixture import LabServer
from tabs import Tab, Visitor, advance, send_at_once
from test_kill import points

from cardlab.guard.rate_limits import TABS_PER_SEAT

TABS = TABS_PER_SEAT - 1  # tabs that act at once at a seat; the table has one more
BROWSERS = 16  # requests for the same thing at once
PLACES = 10  # in the session that the browsers join


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Makes all calls at the same time, each in its own thread; returns what they return."""
    barrier = Barrier(len(calls))

    def call(one: Callable[[], Any]) -> Any:
        barrier.wait()
        return one()

    with ThreadPoolExecutor(len(calls)) as threads:
        return [*threads.map(call, calls)]


def race_of_moves(server: LabServer, game: Game) -> int:
    """Sends an action with the same number from all tabs of a seat; returns how many were duplicated."""
    session = server.create_session(game.harness.CONFIG, game.harness.PEOPLE, **game.harness.FIELDS)
    table = gather_table(game, server, session)
    seat = next(seat for seat in table.players if table.moves(seat))
    visitor = table.visitor(seat)
    tabs = [Tab(server, visitor.code, visitor.index) for _ in range(TABS)]
    moves, number = game.harness.moves(tabs[-1].state["view"]), tabs[-1].state["next"]
    send_at_once(
        [(one, one.message(moves[place % len(moves)], number=number)) for place, one in enumerate(tabs)]
    )
    for one in tabs:
        one.until(lambda message: message["next"] > number)
    (hand,) = hands_by_id(server, session.code, game.app).values()
    numbers = [int(row["action_number"]) for row in hand.accepted_rows]
    return len(numbers) - len({*numbers})


def race_of_pages(server: LabServer) -> int:
    """Submits a page many times at once; returns the distance to a participant who submitted it once."""
    visitors = [Visitor(server, code) for code in server.create_session("ttt_demo", 2).participants]
    once, often = visitors
    once.send()
    url, cookies = often.page.url, often.http.cookies
    answers = at_once([lambda: requests.post(url, cookies=cookies, timeout=60)] * BROWSERS)
    assert {answer.status_code for answer in answers} == {200}
    often.open_start_link()
    return abs(often.index - once.index)


def race_of_places(server: LabServer) -> int:
    """Opens the session's link in too many browsers; returns how many share a place or lack one wrongly."""
    session = server.create_session("ttt_demo", PLACES)
    link = json.loads(server.api(f"/api/get_session/{session.code}", {}))["session_wide_url"]
    cookies = [server.new_browser() for _ in range(BROWSERS)]
    answers = at_once([lambda one=one: requests.get(link, cookies=one, timeout=60) for one in cookies])
    assert {answer.status_code for answer in answers} == {200, 503}  # the session is full
    seated = [answer.url.split("/")[4] for answer in answers if answer.status_code == 200]
    return abs(PLACES - len({*seated})) + len(seated) - len({*seated})


def race_at_the_end(server: LabServer) -> int:
    """Sends the last move, its page and the researcher's advance at once.

    Returns the number of missing or repeated ends of the hand and of wrong payments.
    """
    fields = {"MaxRounds": "2", "payoff_base": 1000.0, "gather_seconds": 10_000}
    session = server.create_session("ttt_pair_demo", 2, **fields)
    table = gather_table(GAMES["ttt_pair"], server, session)
    table.tab("ck").act("P")
    last = table.tab("nk")
    last.until(lambda message: "nk" in message["view"]["waiting_for"])
    page = table.visitor("nk")
    at_once(
        [
            lambda: last.send(last.message("P")),
            *[lambda: requests.post(page.page.url, cookies=page.http.cookies, timeout=60)] * 3,
            lambda: advance(server, session.code),
        ]
    )
    rows = list(hands_by_id(server, session.code, "ttt_pair_app").values())
    ends = [outcome for hand in rows[:1] for outcome in hand.outcomes]
    paid = {*points(server, session.code, "ttt_pair_app").values()}
    return abs(len(ends) - 1) + (not paid <= {0.0, 1000.0}) + len(paid) - 1


RACES: dict[str, Callable[[LabServer], int]] = {
    "pages": race_of_pages,
    "places": race_of_places,
    "the end": race_at_the_end,
    **{
        f"moves of {name}": lambda server, game=game: race_of_moves(server, game)
        for name, game in GAMES.items()
    },
}


def run(server: LabServer, times: int) -> Findings:
    """Runs each race so many times."""
    losses = 0
    for name, race in RACES.items():
        wrong = sum(race(server) for _ in range(times))
        if wrong:
            print(f"race of {name}: {wrong} wrong of {times}", flush=True)
        losses += wrong
    return Findings("races", times * len(RACES), losses=losses)
