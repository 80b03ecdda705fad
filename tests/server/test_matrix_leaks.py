"""What a seat of the matrix card game may not see is in no page, header or message that it gets.

Two servers deal games that differ in nothing but the others' hands, the stock and a choice that is not
disclosed, and that are played alike as far as the watched seat can see. It must get the same from both.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, NamedTuple

import pytest
from matrix_tables import Table, cards_in, create
from server_fixture import LabServer
from tabs import Tab, Visitor, advance
from visible import comparable, page_text

from games.matrix import rules
from games.matrix.deal import format_deal
from games.matrix.packs import PACKS

MODES = {"production": "1", "debug": ""}  # of OTREE_PRODUCTION
TURNS = 4  # disclosed before the secret choice
SAFE = 3  # the first cards of each hand are in both deals, to be played


class Watched(NamedTuple):
    """A seat, and who makes the choice that is not disclosed.

    The seed gives the seat to the last participant: when all are moved on, nothing is played for it.
    """

    seat: str
    chooser: str
    players: int
    seed: int
    fields: dict[str, Any]


WATCHED = [
    Watched("W", "S", 2, 1, {"games": 1}),
    Watched("S", "W", 2, 3, {"games": 2, "change_choice": True, "pack": "special"}),
    Watched("E", "S", 4, 7, {"games": 1, "change_choice": True}),
]


def deals(watched: Watched) -> tuple[str, str]:
    """Two deals which the seat cannot tell apart in the first turns: its own hand, the crosses, the safe
    cards and the first draws are the same; all others have other places."""
    options = {"players": watched.players, "pack": watched.fields.get("pack", "standard")}
    pack = PACKS[options["pack"]]
    one = format_deal([*pack[1::2], *pack[::2]], options)
    *sections, stock = (section.split() for section in one.split(" | "))
    others = [hand for seat, hand in zip("SWNE", sections[: watched.players]) if seat != watched.seat]
    hidden = [card for hand in others for card in hand[SAFE:]] + stock[2 * TURNS :]
    moved = iter(hidden[5:] + hidden[:5])
    for hand in others:
        hand[SAFE:] = [next(moved) for _card in hand[SAFE:]]
    two = " | ".join(map(" ".join, [*sections, [*stock[: 2 * TURNS], *moved]]))
    return one, two


@pytest.mark.parametrize("watched", WATCHED)
def test_the_two_deals_differ_in_all_that_is_hidden(watched):
    options = {"players": watched.players, "pack": watched.fields.get("pack", "standard")}
    one, two = (rules.start(deal, options) for deal in deals(watched))
    assert rules.view(one, watched.seat) == rules.view(two, watched.seat)
    for seat in set(one.seats) - {watched.seat}:
        assert not set(one.hand(seat)[SAFE:]) & set(two.hand(seat)[SAFE:])
    assert all(a != b for a, b in zip(one.stock[2 * TURNS :], two.stock[2 * TURNS :]))


class Watcher:
    """Keeps everything that the browser of one participant gets, in its order but by tab."""

    def __init__(self, server: LabServer, code: str):
        self.server, self.visitor = server, Visitor(server, code)
        self.pages: list[str] = []
        self.tabs: list[Tab] = []
        self.keep()

    def keep(self) -> None:
        self.pages.append(page_text(self.visitor))

    def load(self) -> None:
        self.visitor.come()
        self.keep()

    def open_tab(self) -> Tab:
        self.tabs.append(Tab(self.server, self.visitor.code, self.visitor.index))
        return self.tabs[-1]

    def got(self) -> list[Any]:
        return [*self.pages, *(said for tab in self.tabs for said in tab.heard)]


def everything_the_seat_gets(server: LabServer, watched: Watched, number: int) -> list[str]:
    """Play the first turns of the deals of this number, then a choice that is not disclosed."""
    deal = deals(watched)[number]
    (server.folder / "deals" / "matrix" / "hidden.txt").write_text(f"{deal}\n{deal}\n", "utf-8")
    fields = {"deal_file": "hidden.txt", "rotate_dealer": False, "check": True, "seed": watched.seed}
    people = {"players": watched.players, "group_size": watched.players}
    session = create(server, watched.players, **fields, **people, **watched.fields)
    watcher = Watcher(server, session.participants[-1])
    trial = watcher.open_tab()
    trial.act(f"play {trial.state['view']['hand'][0]}")
    for page in ("Check", "Gather"):
        watcher.visitor.walk_to(page)
        watcher.keep()
    others = [Visitor(server, code) for code in session.participants[:-1]]
    for other in others:
        other.walk_to("Gather" if other is not others[-1] else "Hand")
    watcher.load()
    table = Table(server, session, [*others, watcher.visitor])
    assert table.visitor(watched.seat) is watcher.visitor
    watcher.tabs += [table.tab(watched.seat), watcher.open_tab()]
    initial = {seat: table.tab(seat).state["view"]["hand"] for seat in table.seated}
    play_the_first_turns(table, watched)
    table.act(watched.chooser, f"play {initial[watched.chooser][SAFE]}")
    watcher.tabs[-2].until(lambda said: said["view"]["other_chosen"])
    watcher.load()
    watcher.open_tab()
    if watched.players == 2:  # of four, cards would be played for those who leave first
        advance(server, session.code)
        watcher.tabs[-1].until_elsewhere()
        watcher.load()
        if watcher.visitor.name == "Hand":
            watcher.open_tab()
        else:
            watcher.visitor.walk_to("Results")
            watcher.keep()
    return comparable(watcher.got(), [*session.participants, session.code])


def play_the_first_turns(table: Table, watched: Watched) -> None:
    """Everybody plays what is the same in both deals; the watched seat tries what is not allowed too."""
    played = dict.fromkeys(table.seated, 0)
    said = table.tab(watched.seat).state
    for _turn in range(TURNS):
        for seat in sorted(said["view"]["waiting_for"], key=lambda seat: seat != watched.chooser):
            tab = table.tab(seat)
            hand = tab.until(lambda heard, seat=seat: seat in heard["view"]["waiting_for"])["view"]["hand"]
            if watched.fields.get("change_choice") and seat == watched.chooser and played[seat] == 0:
                tab.act(f"play {hand[1]}")
            said = tab.act(f"play {hand[0] if played[seat] < SAFE else hand[-1]}")
            played[seat] += 1
        while rotator := said["view"]["rotator"]:
            said = table.act(rotator, "rotate NW")
        for tab in table.tabs:
            tab.until(lambda heard, now=said: heard["view"]["turn"] == now["view"]["turn"])
        table.tab(watched.seat).refused(f"play {said['view']['crosses'][0]['own']}")
        table.tab(watched.seat).refused("no move")


@pytest.mark.parametrize("mode", MODES)
def test_what_the_seat_does_not_see_makes_no_difference(tmp_path, mode):
    got: list[list[list[str]]] = []
    those = WATCHED if mode == "production" else WATCHED[::2]  # to be quick
    for number in (0, 1):
        environment = {"OTREE_PRODUCTION": MODES[mode]}
        with LabServer(tmp_path / f"card_lab_{number}", environment=environment) as server:
            got.append([everything_the_seat_gets(server, watched, number) for watched in those])
    for watched, ones, others in zip(those, *got):
        assert len(ones) > 25
        assert any("vars_for_template" in text for text in ones) == (mode == "debug")
        for one, other in zip_longest(ones, others):
            assert one == other, watched
        # All of this is about cards: many are named, and the pages themselves name none.
        pages = [text for text in ones if "<html" in text]
        assert len(pages) >= 5
        assert len(cards_in(" ".join(set(ones) - set(pages)))) > 15
        boards = [text for text in pages if 'id="board"' in text]
        assert len(boards) >= 3
        assert not cards_in(" ".join(boards))
