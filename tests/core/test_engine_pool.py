"""Tests the pool of engine workers: crashes, time-outs, shutdown, questions and answers."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from inspect import signature
from pathlib import Path

import pytest
import without_database  # noqa: F401
from memory_records import MemoryRecords
from server_fixture import wait_for

from cardlab.core import compilation, hand_cache
from cardlab.core import engine_pool as engine_module
from cardlab.core.engine_pool import EnginePool
from cardlab.core.record_chain import HandKey
from cardlab.core.transitions import EngineAnswer
from cardlab.games.challenge import engine, rules
from cardlab.games.contract import OUTCOMES, Reply
from cardlab.games.record import Opening, read_record
from cardlab.live.hand_hub import HandHub
from cardlab.live.hand_service import HandService
from cardlab.live.presence import Presence
from cardlab.live.seat import Playable, Seat

TESTED = "engine_to_test"


@pytest.fixture
def searching():
    """Provides an engine with two workers."""
    one = EnginePool(workers=2)
    yield one
    one.end()


def ask(one, *questions, seconds=60.0):
    async def all_at_once():
        searches = asyncio.gather(*(one.search(TESTED, question) for question in questions))
        return [reply and reply.action for reply in await asyncio.wait_for(searches, seconds)]

    return asyncio.run(all_at_once())


def thinkers(file):
    """Returns the IDs of the processes that have searched so far."""
    return [int(number) for number in file.read_text().split()] if file.exists() else []


def lives(number):
    """Returns whether a process exists and is not a zombie."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


# ---------------------------------------------------------------- the workers


def test_workers_have_low_priority_and_no_otree(searching):
    number, niceness, imported = ask(searching, "number", "nice", "imported")
    assert int(number) != os.getpid()
    assert int(niceness) >= 10
    own_modules = {name for name in imported.split() if name.startswith("cardlab.")}
    assert "cardlab.core.engine_pool" in own_modules
    of_the_engine = {"cardlab.games", "cardlab.games.contract"}
    assert {name for name in own_modules if not name.startswith("cardlab.core")} == of_the_engine
    assert not {"otree", "settings", "pytest", "sqlalchemy", "starlette"} & set(imported.split())


@pytest.fixture
def compiling(tmp_path, monkeypatch):
    """Provides a pool whose workers compile, and the folder in which each warm worker has a file."""
    monkeypatch.setenv("WARMED_UP", str(tmp_path))
    monkeypatch.setenv(compilation.VARIABLE, "")
    monkeypatch.setattr(compilation, "workers_compile", lambda: True)
    one = EnginePool(workers=2, engines=[TESTED])
    one.start()
    yield one, tmp_path
    one.end()


def test_workers_that_compile_warm_up_with_the_server(compiling):
    pool, folder = compiling
    wait_for(lambda: len([*folder.iterdir()]) == 2, "both workers to be warm")
    assert os.environ[compilation.VARIABLE] == "no"
    assert {file.read_text() for file in folder.iterdir()} == {
        compilation.worker_environment()["CARD_LAB_COMPILED"]
    }
    (number,) = ask(pool, "number")
    assert number in {file.name for file in folder.iterdir()}


def test_a_new_worker_is_warm_before_it_answers(compiling):
    pool, folder = compiling
    wait_for(lambda: len([*folder.iterdir()]) == 2, "both workers to be warm")
    for file in folder.iterdir():
        os.kill(int(file.name), signal.SIGKILL)
        file.unlink()
    (number,) = ask(pool, "number")
    assert (folder / number).exists()


def test_workers_without_a_compiler_start_with_a_question(monkeypatch):
    monkeypatch.setenv(compilation.VARIABLE, "")
    monkeypatch.setattr(compilation, "workers_compile", lambda: False)
    pool = EnginePool(workers=1, engines=[TESTED])
    pool.start()
    assert pool._pool is None
    assert ask(pool, "number") != [None]
    pool.end()


def test_an_engine_that_cannot_warm_up_still_answers(monkeypatch, capfd):
    monkeypatch.delenv("WARMED_UP", raising=False)
    monkeypatch.setenv(compilation.VARIABLE, "")
    monkeypatch.setattr(compilation, "workers_compile", lambda: True)
    pool = EnginePool(workers=1, engines=[TESTED])
    pool.start()
    assert ask(pool, "number") != [None]
    pool.end()
    assert "engine_to_test cannot be warmed up" in capfd.readouterr().err


def test_a_killed_worker_is_replaced(searching, tmp_path):
    file = tmp_path / "thinkers"

    async def killed():
        search = asyncio.ensure_future(searching.search(TESTED, f"think {file}"))
        while not thinkers(file):
            await asyncio.sleep(0.01)
        os.kill(thinkers(file)[0], signal.SIGKILL)
        return await search

    assert asyncio.run(killed()).action == "found"
    first, second = thinkers(file)
    assert first != second


def test_a_question_that_kills_workers_is_dropped(searching, caplog):
    assert ask(searching, "die") == [None]
    assert [record.getMessage() for record in caplog.records].count(
        "A search process ended unexpectedly. Another one is being started."
    ) == 1 + engine_module.MAX_RETRIES
    assert ask(searching, "nice") != [None]


def test_a_failing_engine_gives_no_action(searching, caplog):
    assert ask(searching, "riddle") == [None]
    assert "riddle is no question" in caplog.text


def test_an_endless_search_times_out(searching, tmp_path, monkeypatch):
    """The search never ends, so the limit comes first however slow the machine is."""
    monkeypatch.setattr(engine_module, "TIMEOUT_SECONDS", 0.01)
    assert ask(searching, f"think {tmp_path / 'thinkers'}") == [None]


def test_a_worker_with_an_endless_search_ends(searching, tmp_path):
    (first,) = ask(searching, "number")
    endless = f"think {tmp_path / 'thinkers'}"
    ended = searching._pool.submit(engine_module._answer_in_time, TESTED, endless, 0.01)
    with pytest.raises(BrokenProcessPool):
        ended.result(60)
    (second,) = ask(searching, "number")
    assert None not in (first, second)
    assert first != second


PROGRAM = """
import asyncio, pathlib, sys
sys.path[:0] = {path!r}
from cardlab.core.engine_pool import EnginePool
ENGINE = EnginePool()
print("begun", flush=True)

async def search():
    searching = asyncio.ensure_future(ENGINE.search("engine_to_test", "think {file}"))
    file = pathlib.Path({file!r})
    while {killed} or not (file.exists() and file.read_text()):
        await asyncio.sleep(0.01)

try:
    asyncio.run(search())
finally:
    ENGINE.end()
"""


@pytest.mark.parametrize("end", ["killed", "over"])
def test_workers_end_with_their_server(tmp_path, end):
    """A worker must not start the main program again, as a spawned process would."""
    file, program = tmp_path / "thinkers", tmp_path / "program.py"
    path = [str(Path.cwd()), str(Path(__file__).parent)]
    program.write_text(PROGRAM.format(path=path, file=str(file), killed=end == "killed"))
    server = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: thinkers(file), "the worker to think")
    if end == "killed":
        server.kill()
    said = server.communicate(timeout=60)[0]
    wait_for(lambda: not lives(thinkers(file)[0]), "the worker to end")
    assert said.decode().split() == ["begun"]
    assert len(thinkers(file)) == 1


# ---------------------------------------------------------------- questions and answers


class Thinker:
    """Simulates an engine that answers when told by the test."""

    def __init__(self):
        self.searches = []

    async def search(self, name, question):
        assert name == "cardlab.games.challenge.engine"
        self.searches.append((question, asyncio.get_running_loop().create_future()))
        return await self.searches[-1][1]

    def answer(self, reply, which=-1):
        self.searches[which][1].set_result(reply)


class Tab:
    """Simulates a tab and records its messages."""

    def __init__(self, seat):
        self.seat, self.name, self.last_message = seat, "tab", {}

    def send(self, said):
        self.last_message = said

    def ask(self):
        pass


class Clock:
    jumps = ()

    @staticmethod
    def now_ms():
        return 1_800_000_000_000


OPTIONS = {"size": 2, "robots": {"N": "computer"}, "seed": "test", "max_actions": 400}
OPENING = Opening(rules.deal("1", OPTIONS), OPTIONS)
PAGE = type("Page", (Playable,), {"rules": rules})
SEAT = Seat(PAGE, HandKey("hand", 1, 1), 7, "S", 1, OPENING, None, "abc", "tell")


class Table:
    """Seats a participant on page 7 against the computer, on the test's event loop."""

    def __init__(self, records=None):
        hand_cache._cache.clear()
        self.page = 7
        self.records = records or MemoryRecords()
        self.records.page_of = lambda _participant: self.page
        self.thinker = Thinker()
        self.service = HandService(self.records, Clock(), None, 0)
        self.hub = self.service.connections = HandHub(self.service, self.thinker, self, Presence())
        self.tab = Tab(SEAT)

    async def submit(self, ask, then, is_move=False):
        (answer,) = self.service.commit_batch([ask])
        return then(answer)

    async def come(self):
        await self.submit(partial(self.service.connect_and_write, SEAT), self._joined)
        await asyncio.sleep(0)

    def _joined(self, answer):
        self.hub.send_all([(self.tab, answer.message), *self.hub.join(self.tab, answer.hand)])

    async def send_action(self, action):
        number = self.hand.seats["S"].next_number
        message = f'{{"hand": 1, "number": {number}, "action": "{action}", "ms": 5}}'
        await self.submit(partial(self.service.receive_and_write, SEAT, message), self._answered)
        for _turn in range(3):
            await asyncio.sleep(0)

    def _answered(self, answer):
        assert "refused" not in answer.message
        self.hub.send_all(
            [(self.tab, answer.message), *self.hub.messages_to_others("hand", answer.hand, sender=self.tab)]
        )

    async def answer(self, reply):
        self.thinker.answer(reply)
        for _turn in range(5):
            await asyncio.sleep(0)

    @property
    def hand(self):
        return self.service.hand(SEAT)

    @property
    def rows(self):
        """Returns seat and action of the events after the arrival."""
        events = read_record([line.text for line in self.records.lines("hand")])[1]
        return [(event.seat, event.action) for event in events if event.action != "arrive"]


def play(scene):
    """Makes a test of a scene, which gets a table and runs on a new event loop."""

    def test(monkeypatch, caplog):
        async def run():
            table = Table()
            await table.come()
            await scene(table, *([caplog] if "caplog" in signature(scene).parameters else []))

        asyncio.run(run())

    test.__name__ = scene.__name__
    return test


async def play_until_search(table):
    """Plays until the computer has to search; returns its question."""
    while not table.hand.engine_questions:
        await table.send_action(rules.legal_actions(table.hand.state, "S")[0])
    return table.hand.engine_questions["N"]


@play
async def test_the_engine_is_asked_once_per_question(table):
    question = await play_until_search(table)
    assert table.tab.last_message["view"]["waiting_for"] == ["N"]
    assert table.tab.last_message["wait"] == {"ms": None, "away": []}
    await table.send_action("mark off")  # the question is the same
    assert [asked for asked, _search in table.thinker.searches] == [question]
    assert ("N", engine.answer(question).action) not in table.rows
    await table.answer(engine.answer(question))
    reply = engine.answer(question)
    assert table.rows[-2:] == [("N", f"searched {reply.searched}"), ("N", reply.action)]
    assert table.tab.last_message["view"]["last"] == ["N", reply.action]


@play
async def test_a_late_answer_changes_nothing(table):
    question = await play_until_search(table)
    await table.send_action("resign")
    rows, hand = table.rows, table.hand
    assert rows[-2:] == [("S", "resign"), ("", "end lost")]
    assert [hand.result(seat).outcome for seat in "SN"] == ["lost", "won"]
    assert table.thinker.searches[-1][1].cancelled()
    deliver = partial(
        table.service.play_due_and_write, SEAT, EngineAnswer("N", question, *engine.answer(question))
    )
    table.service.commit_batch([deliver])
    assert (table.rows, table.hand) == (rows, hand)


@play
async def test_without_an_answer_the_robot_plays_alone(table):
    await play_until_search(table)
    last_resort = rules.robot_action(table.hand.state, "N", "computer", "test")
    await table.answer(None)
    assert table.rows[-2:] == [("N", "unsearched"), ("N", last_resort)]
    assert table.tab.last_message["view"]["last"] == ["N", last_resort]


@play
async def test_after_an_illegal_answer_the_robot_plays_alone(table, caplog):
    caplog.set_level(logging.ERROR)
    await play_until_search(table)
    await table.answer(Reply("play 1X", "depth 4 nodes 7"))
    assert [action for _seat, action in table.rows].count("unsearched") == 1
    assert not any(action.startswith("searched") for _seat, action in table.rows)
    assert "Unknown move" in caplog.text


@play
async def test_an_answer_needs_the_participant_on_the_page(table):
    question = await play_until_search(table)
    table.hub.leave(table.tab)
    await table.answer(engine.answer(question))
    assert table.rows[-1] == ("N", engine.answer(question).action)
    await table.come()
    await play_until_search(table)
    rows, table.page = table.rows, 8
    await table.answer(Reply("pick up"))
    assert table.rows == rows


@play
async def test_after_a_restart_the_engine_is_asked_again(table):
    question = await play_until_search(table)
    again = Table(table.records)
    assert again.thinker.searches == []
    await again.come()
    assert [asked for asked, _search in again.thinker.searches] == [question]


@play
async def test_a_whole_game_against_the_engine(table):
    while not table.hand.is_over:
        question = await play_until_search(table)
        await table.answer(engine.answer(question))
        if not table.hand.is_over and table.hand.state.mover == "S":
            await table.send_action(rules.legal_actions(table.hand.state, "S")[0])
    assert OUTCOMES[table.hand.outcome].is_regular
    searched = [question for question, _search in table.thinker.searches]
    assert (
        len(searched)
        == len(set(searched))
        == sum(seat == "N" and not action.startswith("searched ") for seat, action in table.rows)
    )
