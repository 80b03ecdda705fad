"""Kills servers while clients play, and checks that nothing acknowledged is lost: Card Lab, oTree and uproot.

    .venv/bin/python benchmarks/durability/run.py                              # about twenty minutes
    .venv/bin/python benchmarks/durability/run.py --systems card-lab --faults 5    # a first impression
    .venv/bin/python benchmarks/durability/run.py --report docs/explanation/durability.md

Each system runs with its usual settings on its own database. Clients, moments of faults and recovery are the
same for all. The folder ``--out`` gets the histories and ``durability.csv``. Exit code 1 if Card Lab breaks a
guarantee. uproot is installed into ``.venv-uproot`` when it is first needed.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import live_move  # noqa: F401 - finds the project and its tests
from client import Run
from history import Summary, summarize, write
from report import table, write_report, write_summaries
from server_fixture import Postgres
from systems import SYSTEMS, System, uproot_version

from cardlab import __version__

CLIENTS, FAULTS, SEED = 20, 25, 1
KILLED, STOPPED, RESTARTED = "server killed", "server stopped", "database killed"
FAULTS_ON = {"sqlite": (KILLED, STOPPED), "postgresql": (KILLED, RESTARTED)}


def actions(fault: str, system: System, postgres: Postgres | None) -> tuple[Callable[[], None], ...]:
    """Returns three functions: one makes the fault, one undoes it, and one restarts the server."""

    def kill_database() -> None:
        os.kill(postgres.process.pid, signal.SIGQUIT)  # as after a power cut: without a checkpoint

    def restart_database() -> None:
        postgres.process.wait()
        postgres.start()

    def restart() -> None:
        system.stop()
        system.start()

    def kill() -> None:
        system.kill()

    make, undo = {
        KILLED: (kill, restart),
        STOPPED: (lambda: None, restart),
        RESTARTED: (kill_database, restart_database),
    }[fault]
    return make, undo, restart


def run(
    name: str, database: str, fault: str, options: argparse.Namespace, postgres: Postgres | None
) -> Summary:
    """Runs one system under one kind of fault; writes its history."""
    with tempfile.TemporaryDirectory() as folder:
        url = postgres.new_database() if postgres else None
        system = SYSTEMS[name](Path(folder) / name, url)
        try:
            system.start()
            system.create(options.clients)
            made = Run(system, options.clients, *actions(fault, system, postgres), fault)
            history = asyncio.run(made.run(options.faults, options.seed))
        finally:
            system.stop()
    write(options.out / f"{name}-{database}-{fault.replace(' ', '-')}.jsonl", history)
    return summarize(history, system.name, database, fault)


def ran_with(options: argparse.Namespace) -> str:
    """Returns a sentence with date, versions, system and seed."""
    packages = f"Card Lab {__version__}, oTree {version('otree')}, uproot {uproot_version()}"
    python = f"Python {platform.python_version()} on {platform.system()}"
    today = datetime.datetime.now().astimezone().date()
    return f"{today}: {packages}, {python}; {options.clients} clients, seed {options.seed}."


def main() -> int:
    """Runs the chosen systems; returns 1 if Card Lab breaks a guarantee, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=[*SYSTEMS])
    parser.add_argument("--databases", nargs="+", choices=FAULTS_ON, default=["sqlite"])
    kinds = [KILLED, STOPPED, RESTARTED]
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=kinds, help="of faults")
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--faults", type=int, default=FAULTS, help="of each kind")
    parser.add_argument("--seed", type=int, default=SEED, help="of the moments of the faults")
    parser.add_argument("--out", type=Path, default=Path("durability"), help="folder of the histories")
    parser.add_argument("--report", type=Path, help="write the report here, as Markdown")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    summaries = []
    for database in options.databases:
        postgres = Postgres().start() if database == "postgresql" else None
        try:
            for fault in (kind for kind in FAULTS_ON[database] if kind in options.kinds):
                for name in options.systems:
                    summaries.append(run(name, database, fault, options, postgres))
                    print(table(summaries[-1:]), flush=True)
        finally:
            if postgres:
                postgres.stop()
    print(table(summaries))
    write_summaries(options.out / "durability.csv", summaries)
    if options.report:
        write_report(options.report, summaries, ran_with(options))
    broken = [one for one in summaries if one.system == "Card Lab" and one.broken]
    for one in broken:
        print(f"Card Lab broke a guarantee: {one}", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
