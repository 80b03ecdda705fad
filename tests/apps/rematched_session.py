"""Runs a whole rematched session of the matrix card game in one process with a simulated clock.

The program of ``test_matrix_rematched.py``. Its one argument is JSON: ``participants``, ``pace`` (the seconds
of a game are drawn from these) and ``fields`` of the config. Participants arrive, poll the waiting page as
its script does, play and press "Next", without server, browser or real waiting. Prints the tables of hands
and participants as JSON.
"""

from __future__ import annotations

import csv
import heapq
import io
import itertools
import json
import random
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

ASKS_EVERY = 10  # seconds between two polls; a browser polls every 5

clock = 1_800_000_000.0  # Unix seconds
time.time = lambda: clock
time.time_ns = time.monotonic_ns = lambda: round(clock * 1e9)

import otree.main  # noqa: E402

otree.main.setup()

import otree.urls  # noqa: E402 - which sets the encoding of pages
from otree.database import db  # noqa: E402
from otree.export import custom_export_app  # noqa: E402
from otree.models import Participant  # noqa: E402
from otree.session import create_session  # noqa: E402

import matrix_game_app as app  # noqa: E402
from cardlab.core.clock import now_ms  # noqa: E402
from cardlab.core.record_chain import RecordEnd, chain  # noqa: E402
from cardlab.core.transitions import Draft, end_hand  # noqa: E402
from cardlab.games.events import Event  # noqa: E402
from cardlab.games.hand import Hand  # noqa: E402
from cardlab.games.matrix import rules  # noqa: E402
from cardlab.games.record import write_event, write_opening  # noqa: E402
from cardlab.live.lab import LAB  # noqa: E402
from cardlab.live.seat import seat_of_player  # noqa: E402

app.Gather._get_wait_page = lambda self: SimpleNamespace(status_code=200)  # no test uses it


def played(opening) -> list[str]:
    """Returns the record of a game in which everybody plays the first of their cards."""
    draft = Draft(Hand(rules, replace(opening, shown_ms=now_ms())))
    while not rules.is_over(state := draft.hand.state):
        seat = rules.waiting_for(state)[0]
        draft.add(Event(draft.hand.next_number, seat, rules.legal_actions(state, seat)[0], 0, now_ms()))
    end_hand(draft, "", now_ms())
    return [write_opening(draft.hand.opening), *map(write_event, draft.events)]


class Session:
    """Holds the participants and the next step of each."""

    def __init__(self, participants: int, pace: list[float], fields: dict):
        self.pace, self.chance = pace, random.Random(f"{pace}")
        config = {"modified_session_config_fields": fields}
        self.session = create_session("matrix_two", num_participants=participants, **config)
        self.agenda, self.number = [], itertools.count()
        self.ends: dict[int, float] = {}  # when each group's game ends
        for code in [each.code for each in self.session.get_participants()]:
            self.later(self.chance.uniform(0, 30), self.come, code)

    def later(self, seconds: float, do, code: str) -> None:
        heapq.heappush(self.agenda, (clock + seconds, next(self.number), do, code))

    def run(self) -> None:
        global clock
        while self.agenda:
            clock, _number, do, code = heapq.heappop(self.agenda)
            do(Participant.objects_get(code=code))
            db.commit()

    def come(self, participant) -> None:
        participant.initialize(None)
        self.look(participant)

    def look(self, participant) -> None:
        """Opens the participant's current page and performs or schedules the next step there."""
        page, code = participant._get_page_instance(), participant.code
        if isinstance(page, app.Gather):
            here = participant._index_in_pages
            page.request = SimpleNamespace(query_params={"here": "1"})
            page.get()
            if participant._index_in_pages == here:
                self.later(ASKS_EVERY, self.look, code)
            else:
                self.look(participant)
        elif isinstance(page, app.Hand):
            group = page.player.group
            ends = self.ends.setdefault(group.id, clock + self.chance.choice(self.pace))
            self.later(max(0, ends - clock) + self.chance.uniform(1, 4), self.end_the_game, code)
        elif not isinstance(page, app.Results):
            self.later(self.chance.uniform(1, 10), self.press_next, code)

    def end_the_game(self, participant) -> None:
        player = participant._get_page_instance().player
        key = seat_of_player(app.Hand, player).key
        if not LAB.page_records.lines(key.hand):
            LAB.page_records.append(key, RecordEnd(), chain(key.hand, "", played(app.Hand.opening(player))))
        self.press_next(participant)

    def press_next(self, participant) -> None:
        participant._submit_current_page()
        self.look(participant)

    def export(self, function: str) -> list[dict[str, str]]:
        text = io.StringIO(newline="")
        custom_export_app(app.__name__, text, self.session.code, function)
        return list(csv.DictReader(io.StringIO(text.getvalue())))


session = Session(**json.loads(sys.argv[1]))
session.run()
print(json.dumps([session.export(f"custom_export_{table}") for table in ("hands", "participants")]))
