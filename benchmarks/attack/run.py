"""Attacks Card Lab in every way that its tests know, and reports the damage.

    .venv/bin/python benchmarks/attack/run.py                           # about twenty minutes a database
    .venv/bin/python benchmarks/attack/run.py --only races --databases sqlite
    .venv/bin/python benchmarks/attack/run.py --out docs/results/attacks.csv

The attacks are kills during play of every game, races over several connections, random messages, twin
sessions that differ only in what a participant may not see, compared byte by byte, and floods from one
hostile computer. Exit code 1 after a traceback, a leak or a loss, or if a flood makes others wait more than
three times as long.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import sys
import tempfile
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "system"))
import floods
import hypothesis
import live_move  # noqa: F401 - finds the project and its tests
import races
import test_fuzz
import test_leaks
from findings import Findings, add_findings
from harnesses import GAMES
from server_fixture import LabServer, Postgres
from test_kill import play_through_kills, shares

from cardlab import __version__

KILLS, RACES, MESSAGES = 24, 5, 200
HOSTILE_ADDRESS = "127.0.0.2"


class Place(NamedTuple):
    """Where a server is started: a folder, and a database unless it is SQLite."""

    folder: Path
    postgres: Postgres | None

    def server(self, name: str, **environment: str) -> LabServer:
        url = self.postgres.new_database() if self.postgres else None
        return LabServer(self.folder / name, url, environment)


def tracebacks(server: LabServer, after: int = 0) -> int:
    """Counts the tracebacks in a server's log after so many characters, and prints that part if any."""
    text = server.stderr_text()[after:]
    count = text.count("Traceback (most recent call last)")
    if count:
        print(text, flush=True)
    return count


def kills(place: Place, options: argparse.Namespace) -> list[Findings]:
    """Plays every game through kills of the server."""
    losses, found = 0, 0
    for game, count in zip(GAMES.values(), shares(options.kills)):
        server = place.server(f"kills-{game.name}").start()
        try:
            play_through_kills(server, game, count)
        except AssertionError as error:
            losses += 1
            print(f"kills of {game.name}: {error}", flush=True)
        finally:
            server.stop()
            found += tracebacks(server)
    return [Findings("kills", options.kills, found, losses=losses)]


def run_races(place: Place, options: argparse.Namespace) -> list[Findings]:
    """Sends requests that exclude one another at once."""
    server = place.server("races").start()
    try:
        return [races.run(server, options.races)._replace(tracebacks=tracebacks(server))]
    finally:
        server.stop()


@functools.cache  # hypothesis accepts a test's settings once
def fuzz_tests(messages: int) -> list[Callable[[test_fuzz.Hand], None]]:
    """Returns the tests of random messages, each with so many of them."""
    many = hypothesis.settings(max_examples=messages, deadline=None, database=None)
    return [
        many(test_fuzz.test_json_of_every_shape_is_handled),
        many(test_fuzz.test_malformed_messages_are_refused),
        many(test_fuzz.test_actions_with_wrong_numbers_are_refused),
        many(test_fuzz.test_text_that_is_not_json_is_refused),
        many(test_fuzz.test_binary_frames_are_handled),
    ]


def fuzz(place: Place, options: argparse.Namespace) -> list[Findings]:
    """Sends random messages to every game; the hand must not change."""
    tests = fuzz_tests(options.messages)
    server = place.server("fuzz").start()
    losses = 0
    try:
        for game in GAMES.values():
            hand = test_fuzz.Hand(server, game)
            for test in tests:
                try:
                    test(hand)
                except AssertionError as error:
                    losses += 1
                    print(f"fuzz of {game.name}, {test.__name__}: {error}", flush=True)
            hand.assert_untouched()
        return [
            Findings("fuzz", options.messages * len(tests) * len(GAMES), tracebacks(server), losses=losses)
        ]
    finally:
        server.stop()


def twins(place: Place, options: argparse.Namespace) -> list[Findings]:
    """Compares, byte by byte, two sessions that differ only in what one participant may not see."""
    servers = [place.server(f"twin-{number}").start() for number in (1, 2)]
    compared, leaks = 0, 0
    try:
        for game in GAMES.values():
            for name, hidden in game.harness.HIDDEN.items():
                got = [
                    test_leaks.record_everything_received(server, game, hidden, number)
                    for number, server in enumerate(servers)
                ]
                different = sum(one != other for one, other in zip_longest(*got))
                compared += len(got[0])
                leaks += different
                if different:
                    print(f"twins of {game.name}, {name}: {different} texts differ", flush=True)
        return [Findings("twins", compared, sum(map(tracebacks, servers)), leaks)]
    finally:
        for server in servers:
            server.stop()


def flooded(place: Place, options: argparse.Namespace) -> list[Findings]:
    """Floods the server from one hostile address while others play."""
    found = []
    with place.server("floods", CARD_LAB_SEAT_LIMITS="1") as server:  # the usual limits; tests allow more
        for name in floods.FLOODS:
            before = len(server.stderr_text())
            result = floods.measure(server, name, options.seconds, options.address)
            found.append(result._replace(tracebacks=tracebacks(server, before)))
        server.take_log()
    return found


ATTACKS: dict[str, Callable[[Place, argparse.Namespace], list[Findings]]] = {
    "kills": kills,
    "races": run_races,
    "fuzz": fuzz,
    "twins": twins,
    "floods": flooded,
}


def main() -> int:
    """Runs the chosen attacks; returns 1 if one succeeds, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=ATTACKS, default=[*ATTACKS])
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgresql"), default=["sqlite"])
    parser.add_argument("--kills", type=int, default=KILLS, help="shared by the games")
    parser.add_argument("--races", type=int, default=RACES, help="of each kind")
    parser.add_argument("--messages", type=int, default=MESSAGES, help="of each kind, for each game")
    parser.add_argument("--seconds", type=float, default=floods.SECONDS, help="of each phase of a flood")
    parser.add_argument("--address", default=HOSTILE_ADDRESS, help="of the hostile computer")
    parser.add_argument("--out", type=Path, help="CSV file to which the findings are added")
    options = parser.parse_args()
    repelled = True
    for database in options.databases:
        postgres = Postgres().start() if database == "postgresql" else None
        try:
            for name in options.only:
                with tempfile.TemporaryDirectory(prefix="card-lab-attack-") as folder:
                    found = ATTACKS[name](Place(Path(folder), postgres), options)
                for one in found:
                    print(f"{database}: {one} {'repelled' if one.is_repelled else 'SUCCEEDED'}", flush=True)
                    repelled &= one.is_repelled
                if options.out:
                    today = datetime.datetime.now().astimezone().date().isoformat()
                    add_findings(options.out, __version__, today, database, found)
        finally:
            if postgres:
                postgres.stop()
    return int(not repelled)


if __name__ == "__main__":
    sys.exit(main())
