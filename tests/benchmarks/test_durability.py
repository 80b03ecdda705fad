"""Tests the durability benchmark: its checker finds broken guarantees, and its clients find a loss."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "durability"
sys.path += [str(FOLDER.parent), str(FOLDER)]

import history  # noqa: E402
import report  # noqa: E402
from client import Run  # noqa: E402
from history import INVOKE, OK, READ, Operation, check, summarize  # noqa: E402


def played(sent: str, acknowledged: str, *lists: str) -> list[Operation]:
    """Returns a history of one client whose values are digits."""
    answered = [Operation(OK, 0.0, 0, int(value)) for value in acknowledged]
    reads = [Operation(READ, 0.0, 0, values=tuple(map(int, values))) for values in lists]
    return [*(Operation(INVOKE, 0.0, 0, int(value)) for value in sent), *answered, *reads]


@pytest.mark.parametrize(
    ("sent", "acknowledged", "lists", "found"),
    [
        ("123", "123", ["123"], {}),
        ("123", "12", ["123"], {"kept": [3]}),
        ("123", "12", ["12"], {}),
        ("123", "123", ["12"], {"lost": [3]}),
        ("123", "123", ["1223"], {"repeated": [2]}),
        ("123", "123", ["1239"], {"invented": [9]}),
        ("123", "123", ["132"], {"out_of_order": [3]}),
        ("123", "1", ["12", "1"], {"went_back": [2]}),
        ("123", "12", ["12", "1"], {"lost": [2], "went_back": [2]}),
    ],
)
def test_checker_finds_each_broken_property(sent, acknowledged, lists, found):
    client = check(played(sent, acknowledged, *lists), 0)
    properties = {name: values for name, values in client._asdict().items() if values}
    assert properties == {"acknowledged": len(acknowledged), **found}
    assert client.is_right == (not found or {*found} == {"kept"})


def test_client_without_a_read_is_refused():
    with pytest.raises(ValueError, match="never read"):
        check(played("1", "1"), 0)


def test_history_file_keeps_every_operation(tmp_path):
    operations = [*played("12", "1", "1"), Operation(history.FAULT, 1.5, note="server killed")]
    history.write(tmp_path / "history.jsonl", operations)
    assert history.read(tmp_path / "history.jsonl") == operations


class MemorySystem:
    """A server in memory whose disk is ``delay`` values behind."""

    def __init__(self, clients: int, delay: int) -> None:
        self.delay = delay
        self.disk: list[list[int]] = [[] for _ in range(clients)]
        self.lists = [[*one] for one in self.disk]
        self.life = 0

    def kill(self) -> None:
        self.life += 1
        self.lists = [[*one] for one in self.disk]

    def last_lists(self) -> None:
        return None

    @asynccontextmanager
    async def connect(self, client: int):
        yield MemorySeat(self, client)


class MemorySeat:
    def __init__(self, system: MemorySystem, client: int) -> None:
        self.system, self.client, self.life = system, client, system.life

    async def append(self, value: int) -> None:
        await asyncio.sleep(0)
        if self.life != self.system.life:
            raise ConnectionError
        values = self.system.lists[self.client]
        values.append(value)
        self.system.disk[self.client] = values[: len(values) - self.system.delay]

    async def read(self) -> list[int]:
        return [*self.system.lists[self.client]]


@pytest.mark.parametrize(("delay", "lost"), [(0, 0), (1, 1)])
def test_clients_find_a_late_commit(delay, lost):
    system = MemorySystem(3, delay)
    run = Run(system, 3, system.kill, lambda: None, lambda: None, "killed", pause=0.001)
    found = summarize(asyncio.run(run.run(faults=4, seed=1)), "memory", "sqlite", "killed")
    assert (found.faults, found.clients, found.repeated) == (4, 3, 0)
    assert (found.lost > 0, found.broken > 0) == (bool(lost), bool(lost))
    assert "| killed, SQLite | memory | 4 |" in report.table([found])


def test_report_replaces_its_earlier_results(tmp_path):
    page = tmp_path / "durability.md"
    page.write_text(f"Before\n{report.BEGIN}\nold\n{report.END}\nAfter\n", encoding="utf-8")
    found = summarize(played("12", "12", "12"), "Card Lab", "sqlite", "server killed")
    for _ in range(2):
        report.write_report(page, [found], "2026-01-01: Card Lab 1.0.")
    text = page.read_text("utf-8")
    assert text.startswith("Before\n")
    assert text.endswith("\nAfter\n")
    assert "old" not in text
    assert text.count("Card Lab 1.0.") == text.count("| Card Lab | 0 |") == 1
