"""Measures how much memory and time the exports of a large session take.

    .venv/bin/python benchmarks/large_exports.py                            # 100,000 and 1,000,000 actions
    .venv/bin/python benchmarks/large_exports.py --actions 2000 --folder /dev/shm
    .venv/bin/python benchmarks/large_exports.py --postgres                 # on PostgreSQL

Creates a session of Target the Two with one participant on a new server, then writes copies of this
participant with finished hands into the database. Then ``lab.py export`` fetches all tables. The memory of a
process is its largest resident set, as Linux reports it. Exit code 1 if a bar is missed.
docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import live_move  # which finds the project
import psycopg2
from server_fixture import REST_KEY, LabServer, Postgres

from cardlab.core.record_chain import chain
from cardlab.core.transitions import Draft, end_hand
from cardlab.games.events import Event
from cardlab.games.hand import Hand
from cardlab.games.record import Opening, read_opening, write_event, write_opening
from cardlab.games.ttt import rules

APP, CONFIG = "ttt_solo_app", "ttt_static_422"
HANDS = 40  # of each participant
ACTIONS = 25  # of each hand, with its deal and its end
BROWSER_EVENTS = 50  # of each participant
ROWS_AT_ONCE = 10_000
SAMPLE_SECONDS = 0.1

MEMORY_BAR = 1.3  # memory with the most actions ÷ with the fewest, of each process


class Measurement(NamedTuple):
    """The exported actions, the seconds of all exports, and the megabytes of all files.

    ``memory`` is the peak in MB, and ``cpu`` the CPU time in seconds, of each process.
    """

    actions: int
    seconds: float
    written: float
    memory: dict[str, float]
    cpu: dict[str, float]


# ------------------------------------------------------------------ the session


class Database:
    """A connection to the database of a server, which need not be running."""

    def __init__(self, server: LabServer) -> None:
        self._on_sqlite = not server.database_url
        self.connection: Any = server.sqlite() if self._on_sqlite else psycopg2.connect(server.database_url)

    def rows(self, statement: str) -> list[dict[str, Any]]:
        """Returns the rows of a query."""
        cursor = self.connection.cursor()
        cursor.execute(statement)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor.fetchall()]

    def insert(self, table: str, rows: Iterable[dict[str, Any]]) -> None:
        """Inserts rows with the same columns."""
        cursor, rows = self.connection.cursor(), iter(rows)
        while block := [row for _number, row in zip(range(ROWS_AT_ONCE), rows)]:
            names = ", ".join(f'"{name}"' for name in block[0])
            values = [tuple(row.values()) for row in block]
            if self._on_sqlite:
                places = ", ".join("?" * len(block[0]))
                cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", values)
            else:
                places = ", ".join(["%s"] * len(block[0]))
                text = b", ".join(cursor.mogrify(f"({places})", row) for row in values).decode()
                cursor.execute(f"INSERT INTO {table} ({names}) VALUES {text}")


def fill_session(server: LabServer, actions: int) -> str:
    """Creates a session with so many actions, stops the running server, and returns the session code."""
    session = server.create_session(CONFIG, 1, MaxRounds=str(HANDS), check=False, practice_hands=0)
    server.stop()
    participants = max(2, actions // (HANDS * ACTIONS))
    database = Database(server)
    with closing(database.connection):
        (template,) = database.rows("SELECT * FROM otree_participant")
        players = database.rows(f"SELECT * FROM {APP}_player ORDER BY round_number")
        subsessions = database.rows(f"SELECT * FROM {APP}_subsession ORDER BY round_number")
        people = [{**template, "visited": True, "_index_in_pages": template["_max_page_index"]}]
        people += [
            {**people[0], "id": template["id"] + n, "code": f"p{n:07}", "id_in_session": n + 1}
            for n in range(1, participants)
        ]
        records = [record(read_opening(one["opening"])) for one in subsessions[:HANDS]]
        database.insert("otree_participant", people[1:])
        database.insert(f"{APP}_player", copied_players(players, people))
        database.insert("card_lab_line", lines(records, session.code, people))
        database.insert("otree_pagetimebatch", page_times(session.code, people))
        database.insert("card_lab_browser_event", browser_events(people))
        database.connection.cursor().execute(f"UPDATE otree_session SET num_participants = {participants}")
        database.connection.commit()
    return session.code


def copied_players(players: list[dict[str, Any]], people: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields the players of all participants but the first, round by round."""
    ids = count(max(player["id"] for player in players) + 1)
    for player in players:
        for person in people[1:]:
            number = person["id_in_session"]
            yield {**player, "id": next(ids), "id_in_group": number, "participant_id": person["id"]}


def record(opening: Opening) -> list[str]:
    """Returns the lines of a hand in which the same legal moves are repeated until time runs out."""
    shown_ms = 1_800_000_000_000
    draft = Draft(Hand(rules, replace(opening, shown_ms=shown_ms)))
    for number in range(1, ACTIONS - 1):
        seat = rules.waiting_for(draft.hand.state)[0]
        moves = rules.legal_actions(draft.hand.state, seat)
        ms = 1500 * number
        draft.add(Event(draft.hand.next_number, seat, moves[number % 2 % len(moves)], ms, shown_ms + ms))
    end_hand(draft, "timeout", shown_ms + 60_000)
    return [write_opening(draft.hand.opening), *map(write_event, draft.events)]


def lines(records: list[list[str]], session: str, people: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields the lines of all records."""
    for person in people:
        for round_number, texts in enumerate(records, 1):
            hand = f"{APP}-{session}-{person['code']}-{round_number}"
            for number, line in enumerate(chain(hand, "", texts), 1):
                session_id = person["session_id"]
                yield {"hand": hand, "number": number, "session_id": session_id, **line._asdict()}


def page_times(session: str, people: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields oTree's page times of the hand pages, in batches."""
    for person in people:
        rows = [
            f"{session},{person['id_in_session']},{person['code']},{n},{APP},Hand,1800000000,{n},0,0\n"
            for n in range(1, HANDS + 1)
        ]
        yield {"text": "".join(rows)}


def browser_events(people: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields browser events of all participants."""
    for person in people:
        for number in range(1, BROWSER_EVENTS + 1):
            ms = 1_800_000_000_000 + 1000 * number
            yield {
                **{"participant_id": person["id"], "tab": "a", "number": number},
                **{"session_id": person["session_id"], "page": 2, "event": "focus", "details": "{}"},
                **{"client_ms": ms, "ms": ms},
            }


# ------------------------------------------------------------------ the measurement


class ProcessWatch:
    """Samples the largest memory and the CPU time of processes, by a name for each."""

    def __init__(self, server: LabServer) -> None:
        self._server, self.peaks, self.cpu = server, dict[str, float](), dict[str, float]()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> ProcessWatch:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        assert self._server.process
        while not self._over.wait(SAMPLE_SECONDS):
            for process in Path("/proc").glob("[0-9]*"):
                if name := self._name(process):
                    self.peaks[name] = max(self.peaks.get(name, 0), peak_mb(process))
                    self.cpu[name] = max(self.cpu.get(name, 0), cpu_seconds(process))

    def _name(self, process: Path) -> str:
        """Returns what a process is: ``server``, ``worker``, ``lab.py export``, or ""."""
        try:
            command = (process / "cmdline").read_text().split("\0")
            if Path(os.readlink(process / "cwd")) != self._server.folder.resolve():
                return ""
        except OSError:  # it has ended, or is another user's
            return ""
        if "cardlab.exports.worker" in command:
            return "worker"
        if "lab.py" in command:
            return "lab.py export"
        return "server" if process.name == str(self._server.process and self._server.process.pid) else ""


def peak_mb(process: Path) -> float:
    """Returns the largest resident set of a process, in MB; 0 if it has ended."""
    try:
        status = (process / "status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if "VmHWM" in line), 0)


def cpu_seconds(process: Path) -> float:
    """Returns the CPU time of a process; 0 if it has ended."""
    try:
        fields = (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(server: LabServer, actions: int) -> Measurement:
    """Fills a session, exports it as a researcher does, and returns the measurement."""
    begun = time.perf_counter()
    session = fill_session(server, actions)
    print(f"{actions:,} actions written in {time.perf_counter() - begun:.0f} s", flush=True)
    server.start()
    out = server.folder / "exports" / session
    command = [sys.executable, "lab.py", "export", session, "--url", server.url]
    begun = time.perf_counter()
    with ProcessWatch(server) as watch:
        environment = {**os.environ, "OTREE_REST_KEY": REST_KEY}
        subprocess.run(command, cwd=server.folder, env=environment, check=True)
    seconds = time.perf_counter() - begun
    written = sum(file.stat().st_size for file in out.iterdir()) / 1e6
    with open(out / f"{APP}_actions.csv", "rb") as table:
        rows = sum(1 for _line in table) - 1
    assert rows >= 0.99 * actions, f"{rows:,} rows of actions were exported"
    return Measurement(rows, seconds, written, watch.peaks, watch.cpu)


def print_measurements(measured: list[Measurement]) -> bool:
    """Prints the figures; returns whether the bar is met."""
    names = ("server", "worker", "lab.py export")
    for one in measured:
        peaks = ", ".join(f"{name} {one.memory[name]:.0f} MB, {one.cpu[name]:.0f} s of CPU" for name in names)
        print(f"{one.actions:,} actions: {one.seconds:.0f} s, {one.written:,.0f} MB written; {peaks}")
    if len(measured) < 2:
        return True
    ratios = {name: measured[-1].memory[name] / measured[0].memory[name] for name in names}
    print(f"Memory, most ÷ fewest actions (bar {MEMORY_BAR}):", {n: round(r, 2) for n, r in ratios.items()})
    return max(ratios.values()) <= MEMORY_BAR


def main() -> int:
    """Measures; returns 1 if the bar is missed, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--actions", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--folder", type=Path, help="where the server and its database are written")
    parser.add_argument("--postgres", action="store_true", help="use a new PostgreSQL server")
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, load {live_move.load_average()}")
    measured = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder, ExitStack() as stack:
        postgres = Postgres() if options.postgres else None
        if postgres:
            stack.callback(postgres.stop)
            postgres.start()
        for actions in options.actions:
            url = postgres.new_database() if postgres else None
            with LabServer(Path(folder, f"server-{actions}"), url) as server:
                measured.append(measure(server, actions))
    return 0 if print_measurements(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
