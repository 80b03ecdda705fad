"""Plays whole hands of each game in English and Italian: the pages differ, the data are the same."""

from __future__ import annotations

import csv
import importlib
import io
import json
import random
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import Any

import pytest
import requests
from game_table import GameTable
from harnesses import GAMES, Game
from tabs import Visitor, advance
from untranslated import english_pattern

from cardlab.operations.languages import catalogues, translations

ENGLISH = english_pattern(translations(catalogues()["it"].read_text("utf-8"), "it"))
SHORT = {  # fields that make sessions short
    "ttt": {"ShowFileName": "demo.txt", "MaxRounds": 4, "practice_hands": 0},
    "ttt_pair": {"ShowFileName": "demo.txt", "MaxRounds": 4, "practice_hands": 0},
    "matrix": {"games": 1, "pack": "special"},
    "challenge": {"games": 1},
    "triangle": {"hands": 1},
    "solitario": {"hands": 1},
}
CASES = [
    *(pytest.param(game, game.harness.PEOPLE, {}, id=name) for name, game in GAMES.items()),
    *(
        pytest.param(GAMES[name], 1, {"group_size": 1, "check": False}, id=f"{name}-robot")
        for name in ("ttt_pair", "matrix", "challenge")
    ),
]
SHOWN = re.compile("aria-label|title|alt|placeholder")
# Columns that differ between any two sessions: times, and values derived from codes.
DIFFER = re.compile(r".*_ms|.*_utc|.*_?seconds|.*digest|language")
TIME = re.compile(r"\b\d{13}\b|\b\d+\.\d{3}\b")  # in check answers and logs
LOGS = ("custom_export_ck_log", "custom_export_nk_log", "custom_export_log")
Script = list[tuple[str, str]]


class Texts(HTMLParser):
    """Collects the texts of a page: visible ones, and those that its scripts may show."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._within = tag
        for name, text in attrs:
            if text and (SHOWN.fullmatch(name) or (name.startswith("data-") and " " in text)):
                self.found.append(text)

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "script" and (variables := re.search(r"js_vars = (\{.*\})", data)):
            self.found += sentences(json.loads(variables[1]))
        elif self._within not in ("script", "style"):
            self.found.append(" ".join(data.split()))


def sentences(message: Any) -> Iterator[str]:
    """Yields all texts of several words in a message, at any depth."""
    if isinstance(message, str):
        if " " in message:
            yield message
    elif isinstance(message, dict | list):
        for value in message.values() if isinstance(message, dict) else message:
            yield from sentences(value)


def texts_of(page: str) -> list[str]:
    parser = Texts()
    parser.feed(page)
    return parser.found


class Participant(Visitor):
    """A participant who records the texts of all pages."""

    def __init__(self, server, session: str, code: str, language: str) -> None:
        self.session, self.texts = session, []
        start = f"{server.url}/InitializeParticipant/{code}?language={language}"
        requests.get(start, cookies=server.browser, proxies={})
        super().__init__(server, code)

    def go_on(self) -> None:
        """Goes on; the researcher advances past a check whose questions depend on the hand."""
        if self.name != "Check":
            super().go_on()
            return
        self.send(**self.right_answers())
        if self.name == "Check":
            advance(self.server, self.session, self.code)
            self.open_start_link()

    def _opened(self, page: requests.Response) -> None:
        assert '<html lang="' in page.text
        self.texts += texts_of(page.text)
        super()._opened(page)


def play(table: GameTable, chance: random.Random) -> Script:
    """Plays a hand at random; returns the actions."""
    played: Script = []
    while not any(tab.state["over"] for tab in table.tabs):
        if seats := [seat for seat in table.players if table.moves(seat)]:
            played.append((seats[0], chance.choice(table.moves(seats[0]))))
            table.act(*played[-1])
        else:  # a robot or a co-player is about to move
            for tab in table.tabs:
                tab.receives_within(0.01)
    return played


def replay(table: GameTable, script: Script) -> Script:
    """Plays the actions of a script, each when its seat may act; returns the script."""
    for seat, action in script:
        table.act(seat, action)
    return script


class Study:
    """A session that participants play from start link to results in one language."""

    def __init__(self, server, game: Game, people: int, fields: dict[str, Any], language: str) -> None:
        self.server, self.game = server, game
        fields = {**game.harness.FIELDS, "check": True, **SHORT[game.name], **fields}
        self.session = server.create_session(game.harness.CONFIG, people, **fields)
        self.people = [
            Participant(server, self.session.code, code, language) for code in self.session.participants
        ]
        self.messages: list[str] = []

    def play(self, scripts: Sequence[Script] = ()) -> list[Script]:
        """Plays all hands, by ``scripts`` if given, otherwise at random; returns each hand's actions."""
        played, chance = [], random.Random(1)
        for person in self.people:
            person.walk_to("Gather", "Hand")
        while self.people[0].name != "Results":
            table = GameTable(self.game, self.server, self.session, self.people)
            for tab in table.tabs:
                tab.refused("no such move")
            played.append(replay(table, scripts[len(played)]) if scripts else play(table, chance))
            table.until(lambda said: said["over"])
            for tab in table.tabs:
                self.messages += [text for said in tab.received for text in sentences(said)]
            for person in table.next_page():
                person.walk_to("Hand", "Results")
        return played

    def english_texts(self) -> set[str]:
        """Returns the English sentences that anybody received, except actions, which are not translated."""
        texts = {*self.messages, *(text for person in self.people for text in person.texts)}
        return {text for text in texts if ENGLISH.fullmatch(text)} - {*self.game.rules.EXAMPLES}

    def data(self) -> dict[str, Any]:
        """Returns the app's exports without the values that differ between any two sessions."""
        names = [name for name in vars(importlib.import_module(self.game.app)) if "custom_export" in name]
        return {name: self._table(name) for name in names}

    def _table(self, function: str) -> Any:
        text = self.server.export(self.session.code, self.game.app, function)
        for number, code in enumerate([self.session.code, *self.session.participants]):
            text = text.replace(code, f"code{number}")
        text = TIME.sub("time", text)
        if function in LOGS:
            return text
        rows = list(csv.DictReader(io.StringIO(text)))
        return [{name: cell for name, cell in row.items() if not DIFFER.fullmatch(str(name))} for row in rows]


@pytest.mark.long("the same texts as with people", only=("ttt_pair-robot", "challenge-robot"))
@pytest.mark.parametrize(("game", "people", "fields"), CASES)
def test_italian_hands_have_english_data(server, game, people, fields):
    english, italian = (Study(server, game, people, fields, language) for language in ("en", "it"))
    italian.play(english.play())
    assert len(english.english_texts()) > 20
    assert italian.english_texts() == set()
    tables = italian.data()
    for name, table in english.data().items():
        assert tables[name] == table, name
    assert any(row["reason"] for row in tables["custom_export"])
