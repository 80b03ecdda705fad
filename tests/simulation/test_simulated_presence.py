"""Tests which participants are shown as absent, with the world's simulated clock."""

import pytest
from world import World

from cardlab.games.events import AWAY, BACK, RECONNECT
from cardlab.games.matrix import rules
from cardlab.games.record import Opening, read_record
from cardlab.live.hand_hub import PING_SECONDS


class Lab(World):
    """People at one table of the matrix card game, each at a PC."""

    def __init__(self, people="SW", **options):
        options = {"seed": "test", "players": 2, **options}
        if robots := set("SW") - set(people):
            options["robots"] = dict.fromkeys(robots, "random")
        super().__init__(rules, [Opening(rules.deal("test", options), options)])
        for seat in people:
            self.come(seat)

    def pc(self, seat):
        return self.browsers[self.seats.index(seat)]

    def come(self, seat):
        """Loads the page of the seat."""
        self.open(self.pc(seat), 1)
        self.serve()

    def seconds_pass(self, seconds):
        """Lets time pass with one ping after the other."""
        for _question in range(int(seconds / PING_SECONDS)):
            self.pass_at_once(PING_SECONDS)

    def pass_at_once(self, seconds):
        """Lets time pass at once, as if the server had been blocked."""
        self.clock.ms += int(1000 * seconds)
        self.loop.ring()
        self.serve()
        self.look()

    def away(self, seat):
        """Returns the absent seats according to this seat's last message."""
        return self.pc(seat).tab.last_message["wait"]["away"]

    def act(self, seat):
        """Sends a legal action from the seat and waits for the answer."""
        self.send(self.pc(seat), 1)
        self.serve()

    def notes(self, seat):
        events = read_record([line.text for line in self.records.kept["hand 0"]])[1]
        return [event.action for event in events if event.accepted is None and event.seat == seat]


def test_answering_tabs_stay_connected():
    lab = Lab()
    lab.seconds_pass(600)
    assert lab.away("S") == lab.away("W") == []
    assert len(lab.hub._clients["hand 0"]) == 2


@pytest.mark.parametrize("goes", [World.fall_silent, World.vanish], ids=["cable pulled", "page closed"])
def test_absence_shows_within_six_seconds(goes):
    lab = Lab()
    goes(lab, lab.pc("W"), 0)
    lab.seconds_pass(4)  # as long as reloading a page may take
    assert lab.away("S") == []
    lab.seconds_pass(2)
    assert lab.away("S") == ["W"]
    assert lab.notes("W") == ["arrive"]
    lab.come("W")
    assert lab.away("S") == lab.away("W") == []
    assert lab.notes("W") == ["arrive", RECONNECT]


def test_a_silent_tab_that_sends_joins_again():
    lab = Lab()
    tab = lab.pc("W").tab
    lab.fall_silent(lab.pc("W"), 0)
    lab.seconds_pass(6)
    lab.act("W")
    assert lab.pc("W").tab is tab  # over the same connection
    assert lab.away("S") == []
    assert lab.notes("W") == ["arrive", RECONNECT]
    lab.arrive(lab.pc("W"), 1)  # the message sent meanwhile is not lost
    lab.serve()
    assert lab.pc("S").tab.last_message["view"]["other_chosen"]


def test_a_blocked_server_makes_nobody_absent():
    lab = Lab()
    lab.fall_silent(lab.pc("W"), 0)
    lab.pass_at_once(30)
    assert lab.away("S") == []
    lab.seconds_pass(5)
    assert lab.away("S") == ["W"]


def test_a_silent_tab_counts_as_absent():
    """With a turn limit, others stop waiting for it, as for a closed page."""
    lab = Lab(turn_limit_seconds=10, absent_after=2)
    lab.fall_silent(lab.pc("W"), 0)
    lab.seconds_pass(30)
    assert AWAY in lab.notes("W")
    assert AWAY not in lab.notes("S")  # connected but idle
    lab.come("W")
    assert lab.notes("W")[-2:] == [RECONNECT, BACK]


def test_one_open_tab_counts_as_presence():
    lab = Lab()
    laptop = lab.browsers[len(lab.seats) + lab.seats.index("W")]
    lab.open(laptop, 1)
    lab.serve()
    lab.vanish(lab.pc("W"), 0)
    lab.seconds_pass(60)
    assert lab.away("S") == []


def test_absence_shows_after_a_restart():
    lab = Lab()
    lab.start()
    lab.come("S")
    assert lab.away("S") == []
    lab.seconds_pass(5)
    assert lab.away("S") == ["W"]


def test_playing_with_robots_needs_no_pings():
    lab = Lab("S")
    lab.seconds_pass(60)
    assert lab.hub._missed_pings == {}
    assert lab.away("S") == []


def test_abandoned_hand_leaves_no_timer():
    lab = Lab()
    for seat in "SW":
        lab.vanish(lab.pc(seat), 0)
    lab.seconds_pass(2)
    assert lab.hub._missed_pings == {}
    lab.loop.ring()
    assert lab.loop.timers == []
