"""Computes the values of moves in a process of its own, so that the page never waits for a search.

The newest question comes first: it interrupts an older one, which is taken up again later. A question is a
hand's deal, settings and actions, because a state may be too deep to be sent.
"""

import contextlib
import multiprocessing
import signal
import threading
import time
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from cardlab.analysis.board.move_value import MoveValue
from cardlab.analysis.games import module
from cardlab.analysis.source_hand import Act
from cardlab.games.contract import NotInstalled
from cardlab.games.registry import games_by_name

SECONDS = 120.0  # of a question, after which its process is ended
GRACE = 1.5  # seconds in which an interrupted search may come to its next value
MOST_WAITING = 50  # questions
TOO_LONG = f"The computation was stopped after {SECONDS:.0f} seconds."
BROKEN = "The process that computes the values has ended. Go to another position and back to try again."
NO_VALUES = "There are no values for this game."

COMPUTING, DONE = "computing", "done"


class Question(NamedTuple):
    """A position whose moves are to be valued, for each of the seats."""

    game: str
    deal: str
    options: dict[str, Any]
    acts: tuple[Act, ...]
    seats: tuple[str, ...]


@dataclass
class Answer:
    """The values so far, by seat and action. ``problem`` is a sentence if they cannot be computed."""

    status: str = COMPUTING
    problem: str = ""
    values: dict[str, dict[str, MoveValue]] = field(default_factory=dict)


def compute(question: Question) -> Iterator[tuple[str, MoveValue]]:
    """Yields the values of a position with their seats. Raises NotInstalled."""
    rules, own = games_by_name()[question.game].rules, module(question.game, "board")
    if own is None:
        raise NotInstalled(NO_VALUES)
    state = rules.start(question.deal, question.options)
    for seat, action, by_server in question.acts:
        state = rules.apply(state, seat, action)
        state = rules.mark_played_by_server(state, seat) if by_server else state
    for seat in question.seats:
        for value in own.move_values(state, seat):
            yield seat, value


def _work(pipe: Connection) -> None:
    """Answers questions until the other end closes. None interrupts the current question."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    while True:
        try:
            question = pipe.recv()
        except EOFError:
            return
        if question is None:
            continue
        pipe.send(_answer(pipe, question))


def _answer(pipe: Connection, question: Question) -> str:
    """Sends the values of a question as they come; returns the problem that ended them, "" if none did."""
    try:
        for seat, value in compute(question):
            pipe.send((seat, value))
            if pipe.poll():
                return ""  # interrupted
    except NotInstalled as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  # the page must learn of every failure
        return f"The values cannot be computed ({type(error).__name__}: {error})."
    return ""


class Evaluator:
    """Answers questions about positions, each known by a key."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, Answer] = {}
        self._waiting: dict[Hashable, Question] = {}  # the newest last
        self._changed = threading.Condition()
        self._asked = 0  # how often
        self._closed = False
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ask(self, key: Hashable, question: Question) -> None:
        """Asks for the values of a position before all others, unless they are known."""
        with self._changed:
            known = self._answers.get(key)
            if known and key not in self._waiting and not known.problem:
                return  # known, or being computed
            if known is None or known.problem:
                self._answers[key] = Answer()
            self._waiting.pop(key, None)
            self._waiting[key] = question
            self._asked += 1
            for old in [*self._waiting][:-MOST_WAITING]:
                del self._waiting[old], self._answers[old]
            self._changed.notify_all()

    def answer(self, key: Hashable) -> Answer | None:
        """Returns what is known by now; None if nobody has asked."""
        with self._changed:
            return self._answers.get(key)

    def close(self) -> None:
        """Ends the process."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(GRACE)
        self._end_process()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                key, question = self._waiting.popitem()
                answer, asked = self._answers[key], self._asked
            is_whole = self._compute(question, answer, asked)
            with self._changed:
                if is_whole:
                    answer.status = DONE
                else:
                    self._waiting = {key: question, **self._waiting}  # later

    def _compute(self, question: Question, answer: Answer, asked: int) -> bool:
        """Fills an answer. Returns False if it was interrupted: ``asked`` counts the questions up to it."""
        pipe = self._connect()
        give_up_at, is_interrupted = time.monotonic() + SECONDS, False
        try:
            pipe.send(question)
            while True:
                if pipe.poll(0.02):
                    message = pipe.recv()
                    if isinstance(message, str):
                        answer.problem = message
                        return not is_interrupted
                    seat, value = message
                    with self._changed:
                        answer.values.setdefault(seat, {})[value.action] = value
                elif time.monotonic() > give_up_at:
                    self._end_process()
                    answer.problem = "" if is_interrupted else TOO_LONG
                    return not is_interrupted
                if not is_interrupted and (self._closed or self._asked != asked):
                    is_interrupted, give_up_at = True, time.monotonic() + GRACE
                    pipe.send(None)
        except (EOFError, OSError):
            self._end_process()
            answer.problem = BROKEN
            return True

    def _connect(self) -> Connection:
        """Returns the pipe to the process, which is started if there is none."""
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")  # a fork would copy the server's threads and locks
            self._pipe, other = context.Pipe()
            process = context.Process(target=_work, args=(other,), daemon=True)
            process.start()
            other.close()
            self._process = process
        return self._pipe

    def _end_process(self) -> None:
        process, pipe = self._process, self._pipe
        self._process = self._pipe = None
        if pipe:
            pipe.close()
        if process:
            process.terminate()
            with contextlib.suppress(ValueError):
                process.join(GRACE)
