"""Computes the values of moves in a subprocess, so that the page never waits for a search.

The newest question interrupts an older one, which continues later. A question has the deal, settings and
actions of a hand, because a state may be nested too deeply to be pickled.
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

from cardlab.analysis.board.move_value import BestLine, MoveValue
from cardlab.analysis.games import module
from cardlab.analysis.source_hand import PlayedAction
from cardlab.games.contract import NotInstalled
from cardlab.games.registry import games_by_name

TIMEOUT_SECONDS = 120.0  # for a question, after which the process is terminated
GRACE_SECONDS = 1.5  # for an interrupted search to reach its next value
MAX_WAITING = 50  # questions
TOO_LONG = f"The computation was stopped after {TIMEOUT_SECONDS:.0f} seconds."
BROKEN = "The process that computes the values has ended. Go to another position and back to try again."
NO_VALUES = "There are no values for this game."

COMPUTING, DONE = "computing", "done"


class Question(NamedTuple):
    """A position, and the seats whose moves are to be evaluated."""

    game: str
    deal: str
    options: dict[str, Any]
    acts: tuple[PlayedAction, ...]
    seats: tuple[str, ...]


@dataclass
class Answer:
    """The values so far, by seat and action, and the best line of each seat for which one is proved.

    ``problem`` says why they cannot be computed.
    """

    status: str = COMPUTING
    problem: str = ""
    values: dict[str, dict[str, MoveValue]] = field(default_factory=dict)
    best: dict[str, BestLine] = field(default_factory=dict)

    def add(self, seat: str, value: MoveValue | BestLine) -> None:
        """Adds a value, which replaces an earlier one."""
        if isinstance(value, BestLine):
            self.best[seat] = value
        else:
            self.values.setdefault(seat, {})[value.action] = value


def compute(question: Question) -> Iterator[tuple[str, MoveValue | BestLine]]:
    """Yields pairs of a seat and the value of one of its moves or its best line. Raises NotInstalled."""
    rules, board_module = games_by_name()[question.game].rules, module(question.game, "board")
    if board_module is None:
        raise NotInstalled(NO_VALUES)
    state = rules.start(question.deal, question.options)
    for seat, action, by_server in question.acts:
        state = rules.apply(state, seat, action)
        state = rules.mark_played_by_server(state, seat) if by_server else state
    for seat in question.seats:
        for value in board_module.move_values(state, seat):
            yield seat, value
        best = board_module.best_line(state) if hasattr(board_module, "best_line") else None
        if best:
            yield seat, best


def _work(pipe: Connection) -> None:
    """Answers questions in the subprocess until the pipe closes. None interrupts the current question."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent terminates this process
    while True:
        try:
            question = pipe.recv()
        except EOFError:
            return
        if question is None:
            continue
        pipe.send(_answer(pipe, question))


def _answer(pipe: Connection, question: Question) -> str:
    """Sends the values of a question as they are computed. Returns the problem, "" if there was none."""
    try:
        for seat, value in compute(question):
            pipe.send((seat, value))
            if pipe.poll():
                return ""  # interrupted
    except NotInstalled as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  # the page shows every failure
        return f"The values cannot be computed ({type(error).__name__}: {error})."
    return ""


class Evaluator:
    """Answers questions about positions, which are identified by keys."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, Answer] = {}
        self._waiting: dict[Hashable, Question] = {}  # the newest last
        self._changed = threading.Condition()
        self._question_count = 0
        self._closed = False
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ask(self, key: Hashable, question: Question) -> None:
        """Puts a question at the head of the queue, unless it is answered or being computed."""
        with self._changed:
            answer = self._answers.get(key)
            if answer and key not in self._waiting and not answer.problem:
                return  # answered or being computed
            if answer is None or answer.problem:
                self._answers[key] = Answer()
            self._waiting.pop(key, None)
            self._waiting[key] = question
            self._question_count += 1
            for oldest in [*self._waiting][:-MAX_WAITING]:
                del self._waiting[oldest], self._answers[oldest]
            self._changed.notify_all()

    def answer(self, key: Hashable) -> Answer | None:
        """Returns the answer so far; None if the question was not asked."""
        with self._changed:
            return self._answers.get(key)

    def close(self) -> None:
        """Ends the thread and the process."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(GRACE_SECONDS)
        self._end_process()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                key, question = self._waiting.popitem()
                answer, count = self._answers[key], self._question_count
            is_complete = self._compute(question, answer, count)
            with self._changed:
                if is_complete:
                    answer.status = DONE
                else:
                    self._waiting = {key: question, **self._waiting}  # after all others

    def _compute(self, question: Question, answer: Answer, count: int) -> bool:
        """Fills an answer. Returns False if a newer question interrupted it.

        ``count`` is the number of questions asked when it began.
        """
        pipe = self._connect()
        deadline, is_interrupted = time.monotonic() + TIMEOUT_SECONDS, False
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
                        answer.add(seat, value)
                elif time.monotonic() > deadline:
                    self._end_process()
                    answer.problem = "" if is_interrupted else TOO_LONG
                    return not is_interrupted
                if not is_interrupted and (self._closed or self._question_count != count):
                    is_interrupted, deadline = True, time.monotonic() + GRACE_SECONDS
                    pipe.send(None)
        except (EOFError, OSError):
            self._end_process()
            answer.problem = BROKEN
            return True

    def _connect(self) -> Connection:
        """Returns the pipe to the process, which it starts if necessary."""
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")  # a fork would copy the server's threads and locks
            self._pipe, child_pipe = context.Pipe()
            process = context.Process(target=_work, args=(child_pipe,), daemon=True)
            process.start()
            child_pipe.close()
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
                process.join(GRACE_SECONDS)
