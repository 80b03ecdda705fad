"""Measures the server's CPU time for a change of hand: the form, the next page and its connection.

    .venv/bin/python benchmarks/change_of_hand.py                        # about ten minutes
    .venv/bin/python benchmarks/change_of_hand.py --folder /dev/shm      # in memory, so no disk adds delays

Participants of Target the Two pass until their hand is over, one move every three seconds, in hands of 2 and
then of 16 moves. As many moves arrive in both, so the difference in CPU time is that of the changes of hand.
Exit code 1 if the bar is missed. docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import live_move
from load import ARRIVAL, GAMES, READING, crowd
from server_fixture import LabServer

from cardlab import open_files
from cardlab.games.contract import ViewPolicy
from cardlab.games.registry import Game
from cardlab.rehearsal.cohort import Cohort
from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.forms import Answers
from cardlab.rehearsal.participant import Participant

SHORT, LONG = 2, 16  # moves of a hand
BAR = 8.0  # ms of CPU


class Passing(Participant):
    """A participant who passes in every move."""

    def policy(self, _game: Game) -> ViewPolicy:
        """Returns the policy that passes."""
        return lambda _view: "P"


class Use(NamedTuple):
    """What one session used: seconds of CPU, changes of hand and moves, after the arrival."""

    cpu: float
    changes: int
    moves: int


def measure(moves: int, people: int, seconds: float, parent: str | None) -> Use:
    """Plays hands of so many moves; returns what the server used after the arrival."""
    game = GAMES["target"]
    game = game._replace(fields={**game.fields, "MaxRounds": moves})
    cohort = Cohort(True, "1", ARRIVAL, Figures(), Answers(), reading=READING, participant_class=Passing)
    folder = tempfile.TemporaryDirectory(prefix="card-lab-benchmark-", dir=parent)
    with folder, LabServer(Path(folder.name) / "card_lab") as server:
        played = crowd(server, game, cohort, seconds, people, disturbed=False)
        _begin, arrived, end, _seen = asyncio.run(played)
    if cohort.figures.errors:
        raise SystemExit("\n".join(cohort.figures.errors[:10]))
    if not (arrived.load and end.load):
        raise SystemExit("This system does not tell the CPU time of a server with its processes.")
    changes, acted = (end.lengths[kind] - arrived.lengths[kind] for kind in ("pages", "actions"))
    return Use(end.load.cpu - arrived.load.cpu, changes, acted)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--participants", type=int, default=300, help="who play at once (300)")
    parser.add_argument("--minutes", type=float, default=1.0, help="of play, after the arrival (1)")
    parser.add_argument("--rounds", type=int, default=3, help="of a session of each kind (3)")
    parser.add_argument("--folder", help="where the servers and their databases lie (the system's for such)")
    arguments = parser.parse_args()
    open_files.raise_limit()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"Load average before: {live_move.load_average()}", flush=True)
    costs = []
    for _round in range(arguments.rounds):
        many, few = (
            measure(moves, arguments.participants, 60 * arguments.minutes, arguments.folder)
            for moves in (SHORT, LONG)
        )
        for moves, use in ((SHORT, many), (LONG, few)):
            print(
                f"  hands of {moves} moves: {use.moves} moves, {use.changes} changes, {use.cpu:.1f} s of CPU"
            )
        costs.append(1000 * (many.cpu - few.cpu) / (many.changes - few.changes))
        print(f"  a change of hand: {costs[-1]:.1f} ms of CPU", flush=True)
    cost = mean(costs)
    print(f"Load average after: {live_move.load_average()}")
    verdict = "met" if cost <= BAR else "MISSED"
    extent = f"{min(costs):.1f} to {max(costs):.1f}"
    print(f"a change of hand: {cost:.1f} ms of CPU ({extent}); bar {BAR:g} ms: {verdict}")
    return 0 if cost <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
