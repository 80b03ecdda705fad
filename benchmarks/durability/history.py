"""Histories of clients that append values, and the checker that finds the guarantees that a history breaks.

Each client appends 1, 2, 3 and so on, or other increasing numbers, to its own list. A history has all
operations and results of the clients, in the order of one clock. The checker sees nothing else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

INVOKE, OK, UNKNOWN, READ = "invoke", "ok", "unknown", "read"
FAULT, RESTART = "fault", "restart"


class Operation(NamedTuple):
    """One line of a history.

    ``type`` is ``invoke`` (a value is sent), ``ok`` (it was acknowledged), ``unknown`` (the connection was
    lost before the answer), ``read`` (``values`` are in the client's list), ``fault``, named by ``note``, or
    ``restart`` (of a server that nobody could use after a fault).
    """

    type: str
    seconds: float  # since the history began
    client: int = -1
    value: int = 0
    values: tuple[int, ...] = ()
    note: str = ""


class Client(NamedTuple):
    """The checker's findings for one client; each list has the values concerned."""

    acknowledged: int
    lost: list[int]  # acknowledged, but not in the last list
    repeated: list[int]  # more than once in the last list
    invented: list[int]  # in the last list, but never sent
    out_of_order: list[int]  # acknowledged, and before a value that was acknowledged earlier
    went_back: list[int]  # were read, and were missing in a later read
    kept: list[int]  # in the last list, although never acknowledged: allowed

    @property
    def is_right(self) -> bool:
        return not (self.lost or self.repeated or self.invented or self.out_of_order or self.went_back)


def check(history: Iterable[Operation], client: int) -> Client:
    """Checks a client's operations. The last read is the state after all faults."""
    sent: set[int] = set()
    acknowledged: list[int] = []
    reads: list[tuple[int, ...]] = []
    for one in history:
        if one.client != client:
            continue
        if one.type == INVOKE:
            sent.add(one.value)
        elif one.type == OK:
            acknowledged.append(one.value)
        elif one.type == READ:
            reads.append(one.values)
    if not reads:
        raise ValueError(f"client {client} never read its list, so nothing can be said of it")
    last = reads[-1]
    counts = Counter(last)
    at = {value: place for place, value in reversed([*enumerate(last)])}
    found = [value for value in acknowledged if value in at]
    return Client(
        len(acknowledged),
        [value for value in acknowledged if value not in at],
        [value for value, times in counts.items() if times > 1],
        [value for value in counts if value not in sent],
        [second for first, second in zip(found, found[1:]) if at[second] < at[first]],
        [value for one, two in zip(reads, reads[1:]) for value in one if value not in set(two)],
        [value for value in counts if value in sent and value not in acknowledged],
    )


class Summary(NamedTuple):
    """The findings of a run; ``clients_with_loss`` counts the clients that lost a value."""

    system: str
    database: str
    fault: str
    faults: int
    restarts: int
    clients: int
    acknowledged: int
    unknown: int
    lost: int
    clients_with_loss: int
    repeated: int
    invented: int
    out_of_order: int
    went_back: int
    kept: int

    @property
    def broken(self) -> int:
        """The number of values that break a guarantee."""
        return self.lost + self.repeated + self.invented + self.out_of_order + self.went_back


def summarize(history: list[Operation], system: str, database: str, fault: str) -> Summary:
    """Returns the counts of a history."""
    clients = sorted({one.client for one in history} - {-1})
    found = [check(history, client) for client in clients]

    def count(name: str) -> int:
        return sum(len(getattr(one, name)) for one in found)

    return Summary(
        system,
        database,
        fault,
        sum(one.type == FAULT for one in history),
        sum(one.type == RESTART for one in history),
        len(clients),
        sum(one.acknowledged for one in found),
        sum(one.type == UNKNOWN for one in history),
        count("lost"),
        sum(bool(one.lost) for one in found),
        *(count(name) for name in ("repeated", "invented", "out_of_order", "went_back", "kept")),
    )


def write(path: Path, history: Iterable[Operation]) -> None:
    """Writes a history as JSON lines."""
    with open(path, "w", encoding="utf-8") as file:
        for one in history:
            print(json.dumps(one._asdict()), file=file)


def read(path: Path) -> list[Operation]:
    """Reads a history that was written by :func:`write`."""
    lines = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return [Operation(**{**line, "values": tuple(line["values"])}) for line in lines]
