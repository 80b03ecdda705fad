"""Clients that append values while a server is killed, and record the results as a history.

A client sends the next value when the last one is acknowledged. When its connection is lost, it reconnects
and reads its list. If the value in flight is missing there, it sends that value once more.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable

import websockets
from history import FAULT, INVOKE, OK, READ, RESTART, UNKNOWN, Operation
from systems import ANSWER_SECONDS, System

PAUSE = 0.1  # seconds between an answer and the next value
RETRY = 0.05  # seconds between two attempts to connect
TIMEOUT_SECONDS = 30.0  # seconds without any answer after a recovery, until the server is restarted
KILL_AFTER = (1, 2, 10, 50)  # possible numbers of acknowledged values between two faults

# The exceptions in a client of a killed server: a lost or refused connection, or an incomplete handshake.
CONNECTION_ERRORS = (
    websockets.ConnectionClosed,
    websockets.InvalidHandshake,
    websockets.InvalidMessage,
    OSError,
    EOFError,
    asyncio.TimeoutError,
)


class Run:
    """One system under one kind of fault.

    Args:
        fault: called at once when the chosen value is acknowledged, before any client goes on.
        recover: undoes the fault; runs in a thread.
        restart: restarts a server that answers nobody after that; runs in a thread.
        note: the name of the fault.
        pause: seconds between an answer and a client's next value.
    """

    def __init__(
        self,
        system: System,
        clients: int,
        fault: Callable[[], None],
        recover: Callable[[], None],
        restart: Callable[[], None],
        note: str,
        pause: float = PAUSE,
    ) -> None:
        self.history: list[Operation] = []
        self._system, self._clients, self._pause = system, clients, pause
        self._fault, self._recover, self._restart, self._note = fault, recover, restart, note
        self._began = time.perf_counter()
        self._acknowledged = 0
        self._target = 0  # acknowledged values at which the next fault comes; 0: none
        self._reached = asyncio.Event()
        self._absent: set[int] = set()  # clients without an answer since the last fault
        self._all_back = asyncio.Event()
        self._is_over = False

    def _add(self, type: str, client: int = -1, value: int = 0, values: tuple[int, ...] = ()) -> None:
        note = self._note if type == FAULT else ""
        self.history.append(
            Operation(type, round(time.perf_counter() - self._began, 6), client, value, values, note)
        )

    def _acknowledge(self, client: int, value: int) -> None:
        self._add(OK, client, value)
        self._acknowledged += 1
        self._absent.discard(client)
        if not self._absent:
            self._all_back.set()
        if self._target and self._acknowledged >= self._target:
            self._target = 0
            self._fault()
            self._add(FAULT)
            self._reached.set()

    async def _play(self, client: int) -> None:
        value, in_flight, is_unknown = 0, False, False
        while not self._is_over:
            try:
                async with self._system.connect(client) as seat:
                    values = tuple(await asyncio.wait_for(seat.read(), ANSWER_SECONDS))
                    self._add(READ, client, values=values)
                    again = in_flight and value not in values
                    while not self._is_over:
                        value, again = (value if again else value + 1), False
                        self._add(INVOKE, client, value)
                        in_flight, is_unknown = True, False
                        await asyncio.wait_for(seat.append(value), ANSWER_SECONDS)
                        in_flight = False
                        self._acknowledge(client, value)
                        await asyncio.sleep(self._pause)
            except CONNECTION_ERRORS:
                if in_flight and not is_unknown:
                    self._add(UNKNOWN, client, value)
                    is_unknown = True
                await asyncio.sleep(RETRY)

    async def _make_faults(self, faults: int, chance: random.Random) -> None:
        for _ in range(faults):
            self._reached.clear()
            self._target = self._acknowledged + chance.choice(KILL_AFTER)
            await self._reached.wait()
            await asyncio.to_thread(self._recover)
            await self._come_back()
        self._absent = {*range(self._clients)}
        self._all_back.clear()
        await self._all_back.wait()
        self._is_over = True

    async def _come_back(self) -> None:
        """Waits until any client gets an answer; restarts the server if none does."""
        before, end = self._acknowledged, time.perf_counter() + TIMEOUT_SECONDS
        while self._acknowledged == before and time.perf_counter() < end:
            await asyncio.sleep(RETRY)
        if self._acknowledged == before:
            self._add(RESTART)
            await asyncio.to_thread(self._restart)

    async def run(self, faults: int, seed: int) -> list[Operation]:
        """Plays through so many faults; the last read of each client comes after all of them."""
        players = [asyncio.create_task(self._play(client)) for client in range(self._clients)]
        ending = asyncio.create_task(self._make_faults(faults, random.Random(seed)))
        done, _ = await asyncio.wait([*players, ending], return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
        await self._read_last()
        return self.history

    async def _read_last(self) -> None:
        lists = self._system.last_lists()
        for client in range(self._clients):
            if lists is None:
                async with self._system.connect(client) as seat:
                    self._add(READ, client, values=tuple(await seat.read()))
            else:
                self._add(READ, client, values=tuple(lists[client]))
