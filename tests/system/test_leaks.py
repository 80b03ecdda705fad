"""Tests that no page, header or message contains what a seat may not see, also in debug mode.

Two servers deal hands that differ only in what one seat cannot see; the same actions are played on both. That
seat's browser must get the same from both, so that no encoding of a hidden card goes unnoticed.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

import pytest
from comparable_output import page_text, without_volatile_parts
from exported_hands import hands_by_id
from game_table import GameTable, gather_table
from harnesses import GAMES, Game, Hidden
from server_fixture import LabServer
from tabs import Tab, Visitor, advance

CASES = [
    pytest.param(mode, game, hidden, id=f"{mode}-{game.name}-{name}")
    for mode in ("production", "debug")
    for game in GAMES.values()
    for name, hidden in game.harness.HIDDEN.items()
    if mode == "production" or hidden.debug
]
MODES = {"production": "1", "debug": ""}  # values of OTREE_PRODUCTION


@pytest.fixture(scope="module")
def twins(tmp_path_factory) -> Iterator[Callable[[str], list[LabServer]]]:
    """Provides two servers per mode; tests do the same on both, so that even oTree's own numbers agree."""
    with contextlib.ExitStack() as running:

        @functools.cache
        def started(mode: str) -> list[LabServer]:
            folders = [tmp_path_factory.mktemp("server") / "card_lab" for _ in range(2)]
            environment = {"OTREE_PRODUCTION": MODES[mode]}
            return [running.enter_context(LabServer(folder, environment=environment)) for folder in folders]

        yield started


class Watcher:
    """Records everything that one participant's browser receives: all pages, and the messages by tab."""

    def __init__(self, server: LabServer, code: str):
        self.server, self.visitor = server, Visitor(server, code)
        self.pages: list[str] = []
        self.tabs: list[Tab] = []
        self.keep()

    def keep(self) -> None:
        self.pages.append(page_text(self.visitor))

    def load(self) -> None:
        self.visitor.open_start_link()
        self.keep()

    def walk_to(self, *names: str) -> None:
        """Goes on page by page, and records each."""
        while self.visitor.name not in names:
            self.visitor.go_on()
            self.keep()

    def open_tab(self) -> Tab:
        self.tabs.append(Tab(self.server, self.visitor.code, self.visitor.index))
        return self.tabs[-1]

    def hear_all(self, tabs: list[Tab]) -> None:
        """Receives all messages; a refusal, which only its own tab receives, marks the end."""
        for tab in tabs:
            tab.refused("no such move")

    def got(self) -> list[Any]:
        return [*self.pages, *(message for tab in self.tabs for message in tab.received)]


def record_everything_received(server: LabServer, game: Game, hidden: Hidden, number: int) -> list[str]:
    """Returns every page and message of a session with these deals, from the start link to the results."""
    file = server.folder / "deals" / game.folder / "hidden.txt"
    file.write_text(hidden.deals[number], "utf-8")
    session = server.create_session(hidden.config, hidden.participants, **{"check": True, **hidden.fields})
    watcher = Watcher(server, session.participants[-1])
    trial = watcher.open_tab()
    trial.act(game.harness.moves(trial.state["view"])[0])
    watcher.walk_to("Gather", "Hand")
    others = [Visitor(server, code) for code in session.participants[:-1]]
    for other in others:
        other.walk_to("Hand" if other is others[-1] else "Gather")
    watcher.load()
    watcher.walk_to("Hand")
    play_a_hand(watcher, game, hidden, server, session, others)
    while watcher.visitor.name == "Hand" and (hidden.leave or watcher.tabs[-1].state["over"]):
        last = watcher.tabs[-1]
        if last.state["over"]:
            watcher.visitor.send()
        else:
            advance(server, session.code)
            last.wait_for_reload()
            watcher.visitor.open_start_link()
        watcher.keep()
        watcher.walk_to("Hand", "Results")
        if watcher.visitor.name == "Hand" and not others:
            play_a_hand(watcher, game, hidden, server, session, others)
        elif watcher.visitor.name == "Hand":
            watcher.open_tab()
    return without_volatile_parts(watcher.got(), [*session.participants, session.code])


def play_a_hand(watcher, game, hidden, server, session, others) -> None:
    """Plays a hand while its page is loaded several times and open in several tabs."""
    watcher.load()
    table = GameTable(game, server, session, [*others, watcher.visitor])
    assert table.visitor(hidden.seat) is watcher.visitor
    tabs = [table.tab(hidden.seat)]
    watcher.tabs += tabs
    tabs.append(watcher.open_tab())
    hidden.play(table)
    watcher.load()
    tabs.append(watcher.open_tab())
    watcher.hear_all(tabs)


@pytest.mark.long("the same as in production mode", only="debug")
@pytest.mark.parametrize(("mode", "game", "hidden"), CASES)
def test_hidden_cards_change_nothing_for_a_seat(twins, mode, game, hidden):
    ones, others = (
        record_everything_received(server, game, hidden, number) for number, server in enumerate(twins(mode))
    )
    assert len(ones) > 20
    assert any("vars_for_template" in text for text in ones) == (mode == "debug")
    for one, other in zip_longest(ones, others):
        assert one == other
    for text in ones:
        assert not [untold for untold in hidden.untold if untold in text]
        # The settings may contain the file's name, but not its content.
        assert "hidden.txt" not in text or mode == "debug"
    # The checks above saw cards: messages name many, but a board's HTML names none.
    pages = [text for text in ones if "<html" in text]
    assert len(pages) >= 5
    assert len(named_in(game, set(ones) - set(pages))) > 1
    boards = [RULES.sub("", text) for text in pages if 'id="result"' in text]
    assert len(boards) >= 2
    assert not named_in(game, boards)


# The rules drawer names some cards in its examples, always the same ones.
RULES = re.compile(r'<dialog id="rules-drawer".*?</dialog>', re.DOTALL)


def named_in(game: Game, texts) -> set[str]:
    return set(game.harness.CARD.findall(" ".join(texts)))


WALKS = [
    pytest.param(game, fields, id=f"{game.name}-{number}")
    for game in GAMES.values()
    for number, fields in enumerate(game.harness.SETTINGS, 1)
]


@pytest.mark.parametrize(("game", "fields"), WALKS)
def test_every_message_names_only_visible_cards(server, game, fields):
    """Each message equals the view at some step, in the order of the steps."""
    harness = game.harness
    session = server.create_session(
        harness.CONFIG, harness.PEOPLE, **{**harness.FIELDS, "check": False, **fields}
    )
    table = gather_table(game, server, session)
    traces = [[name, 1] for name in harness.TRACES[:1]]
    for step in range(25):
        if any(tab.state["over"] for tab in table.tabs):
            break
        seat = table.act_as_anyone()
        for action in (game.rules.EXAMPLES[step % len(game.rules.EXAMPLES)], "no such move"):
            message = table.tab(seat).ask(action, traces=traces)
            if message["over"]:
                break
    for tab in table.tabs:
        tab.refused("no such move")
    (hand,) = hands_by_id(server, session.code, game.app).values()
    moments = list(hand.replay_steps())
    for seat, (visitor, tab) in table.players.items():
        assert not harness.CARD.findall(RULES.sub("", visitor.page.text))
        follow(game, seat, tab.received, moments)


def follow(game: Game, seat: str, heard: list[dict[str, Any]], moments: list[tuple[Any, list]]) -> None:
    step = 0
    for message in heard:
        while (view := as_json(game.rules.view(moments[step][0], seat))) != message["view"]:
            step += 1
            assert step < len(moments), ("no step of the hand looks so", message, view)
        leaked = game.harness.named(message) & game.harness.unseen(moments[step][0], seat, moments[step][1])
        assert not leaked, (leaked, message)


def as_json(view: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(view))
