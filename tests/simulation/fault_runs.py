"""Runs simulated faults on several cores for ``lab.py simulate-faults``: progress, figures, failures, replay.

Each world runs in subprocesses, which receive seeds and answer with figures, one JSON object per line.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent)]

from schedules import SHRINKING_SECONDS, Outcome, shrink  # noqa: E402

# By name: the module, and how many schedules a process plays before it reports. Steps are counted per world,
# because a step of the path takes far longer.
WORLDS = {"hands": ("hand_world", 20), "path": ("path_world", 1)}
STEPS_TOGETHER = 150  # assumed length of a schedule, to start only as many as needed
SHARE_OF_PATH = 10  # one step in this many is a step of the whole path
SAVE_SECONDS = 5.0
NEEDS_FORK = "The simulation of the whole path runs on Linux and macOS, because it forks processes."


# ------------------------------------------------------------------ a process that plays


def serve(world: str, shrinking_seconds: float) -> int:
    """Plays the seeds that a parent process sends to stdin, and shrinks the schedules that fail."""
    module, channel = importlib.import_module(WORLDS[world][0]), os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # other output must not end up among the answers
    for line in sys.stdin:
        for seed in json.loads(line):
            schedule = module.schedule_of(seed)
            outcome = module.play(seed, schedule)
            answer = {"seed": seed, "steps": outcome.steps, "tallies": outcome.tallies, "failure": None}
            if outcome.failure:
                answer["failure"] = failure_of(module, seed, schedule, outcome, shrinking_seconds)
            print(json.dumps(answer), file=channel, flush=True)
    return 0


def failure_of(
    module: Any, seed: str, schedule: list[bytes], outcome: Outcome, seconds: float
) -> dict[str, Any]:
    """Returns a failure for printing: the error, and the shortest story found that still ends in one.

    ``seconds`` limits the search for a shorter schedule; with 0 there is no search.
    """
    if not seconds:
        return {"error": outcome.failure, "steps": outcome.steps, "story": outcome.story}
    shortest = shrink(module.play, seed, schedule, seconds)
    shown = module.play(seed, shortest)
    if not shown.failure:  # the failure could not be reproduced
        return {"error": outcome.failure, "steps": len(schedule), "story": outcome.story}
    return {"error": shown.failure, "steps": len(shortest), "story": shown.story}


# ------------------------------------------------------------------ the figures


@dataclass
class Figures:
    """The figures of a world: schedules and steps done, counts of events, and failures."""

    seeds: int = 0
    steps: int = 0
    seconds: float = 0.0  # summed over all processes
    tallies: Counter[str] = field(default_factory=Counter)
    failed: dict[str, str] = field(default_factory=dict)  # errors by seed

    def add(self, answer: dict[str, Any], seconds: float) -> None:
        self.seeds += 1
        self.steps += answer["steps"]
        self.seconds = round(self.seconds + seconds, 3)
        self.tallies.update(answer["tallies"])
        if answer["failure"]:
            self.failed[answer["seed"]] = answer["failure"]["error"]


def read_figures(file: Path | None) -> dict[str, Figures]:
    """Returns the figures of an earlier run by world; empty ones if there are none."""
    figures = {world: Figures() for world in WORLDS}
    if file and file.exists():
        for world, kept in json.loads(file.read_text("utf-8")).items():
            figures[world] = Figures(**{**kept, "tallies": Counter(kept["tallies"])})
    return figures


def write_figures(file: Path | None, figures: dict[str, Figures]) -> None:
    if file:
        unfinished = file.with_name(f"{file.name}.part")
        content = {world: vars(each) for world, each in figures.items()}
        unfinished.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
        unfinished.replace(file)


def write_table(file: Path, figures: dict[str, Figures]) -> None:
    """Writes the figures as a CSV table: world, event, count."""
    rows = [("world", "what", "count")]
    for world, each in figures.items():
        counts = {"schedules": each.seeds, "steps": each.steps, "failed schedules": len(each.failed)}
        rows += [
            (world, what, str(count)) for what, count in [*counts.items(), *sorted(each.tallies.items())]
        ]
    file.write_text(
        "".join(",".join(f'"{cell}"' if "," in cell else cell for cell in row) + "\n" for row in rows)
    )


# ------------------------------------------------------------------ many processes


class Player:
    """A subprocess that plays the schedules of one world."""

    def __init__(self, world: str, *options: str) -> None:
        command = [sys.executable, __file__, "--serve", world, *options]
        environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
        self.process = subprocess.Popen(command, env=environment, cwd=HERE.parent.parent, **pipes)

    def play(self, seeds: list[str]) -> list[dict[str, Any]]:
        self.process.stdin.write(json.dumps(seeds) + "\n")
        self.process.stdin.flush()
        answers = [self.process.stdout.readline() for _seed in seeds]
        if not all(answers):
            raise SystemExit(f"A process of the simulation ended early (seeds {seeds[0]} to {seeds[-1]}).")
        return [json.loads(answer) for answer in answers]

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


class Run:
    """A run on several cores that ends after a number of further steps."""

    def __init__(self, steps: int, file: Path | None, worlds: list[str]) -> None:
        self.file, self.worlds = file, worlds
        self.figures = read_figures(file)
        self.goal = self.done() + steps
        self.next_seed = {world: figures.seeds for world, figures in self.figures.items()}
        self.lock, self.saved_at, self.error = threading.Lock(), time.monotonic(), ""

    def done(self) -> int:
        return sum(self.figures[world].steps for world in self.worlds)

    def take(self) -> tuple[str, list[str]] | None:
        """Returns a world and the next seeds to play; None when enough steps are done."""
        with self.lock:
            if self.done() >= self.goal or self.error:
                return None
            world = self.worlds[0]
            if len(self.worlds) > 1 and self.figures["path"].steps * SHARE_OF_PATH < self.done():
                world = "path"
            missing = (self.goal - self.done()) // STEPS_TOGETHER + 1
            first, count = self.next_seed[world], min(missing, WORLDS[world][1])
            self.next_seed[world] += count
            return world, [f"{world}-{number}" for number in range(first, first + count)]

    def add(self, world: str, answers: list[dict[str, Any]], seconds: float) -> None:
        with self.lock:
            for answer in answers:
                self.figures[world].add(answer, seconds / len(answers))
                if answer["failure"]:
                    show_failure(answer)
            if time.monotonic() > self.saved_at + SAVE_SECONDS:
                self.save()

    def save(self) -> None:
        self.saved_at = time.monotonic()
        write_figures(self.file, self.figures)
        print(" · ".join(summary(world, self.figures[world]) for world in self.worlds), flush=True)

    def work(self) -> None:
        """Plays until nothing is left to do. One thread per core runs this."""
        players: dict[str, Player] = {}
        try:
            while task := self.take():
                world, seeds = task
                player = players.get(world) or players.setdefault(world, Player(world))
                begun = time.monotonic()
                self.add(world, player.play(seeds), time.monotonic() - begun)
        except BaseException as error:  # noqa: BLE001 the other threads stop, too
            self.error = str(error)
        finally:
            for player in players.values():
                with contextlib.suppress(OSError):
                    player.end()


def summary(world: str, figures: Figures) -> str:
    faults = sum(count for name, count in figures.tallies.items() if name.startswith("fault: "))
    return (
        f"{world}: {figures.steps:,} steps in {figures.seeds:,} schedules, {faults:,} faults, "
        f"{figures.tallies['acknowledged']:,} actions acknowledged, {len(figures.failed)} failed"
    )


def show_failure(answer: dict[str, Any], stream: TextIO = sys.stdout) -> None:
    failure = answer["failure"]
    print(f"\nSeed {answer['seed']} fails: {failure['error']}", file=stream)
    print(f"It still fails after {failure['steps']} steps:", file=stream)
    for line in failure["story"]:
        print(f"  {line}", file=stream)
    print(flush=True, file=stream)


def run(options: argparse.Namespace) -> int:
    can_fork = hasattr(os, "fork")  # not on Windows
    if options.world == "path" and not can_fork:
        print(NEEDS_FORK)
        return 2
    worlds = [options.world] if options.world else [*WORLDS] if can_fork else ["hands"]
    all_steps = Run(options.steps, options.resume, worlds)
    threads = [threading.Thread(target=all_steps.work) for _job in range(options.jobs)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        all_steps.error = "stopped"
        for thread in threads:
            thread.join()
    all_steps.save()
    if options.table:
        write_table(options.table, all_steps.figures)
    if all_steps.error:
        print(all_steps.error)
        return 2
    return 1 if any(all_steps.figures[world].failed for world in worlds) else 0


def replay(seed: str) -> int:
    """Plays one schedule and prints its story."""
    world, _dash, number = seed.partition("-")
    if world not in WORLDS or not number.isdecimal():
        print(f"A seed has the form {' or '.join(f'{name}-17' for name in WORLDS)}, not '{seed}'.")
        return 2
    player = Player(world)
    try:
        (answer,) = player.play([seed])
    finally:
        player.end()
    if answer["failure"]:
        show_failure(answer)
        return 1
    print(f"{seed}: {answer['steps']} steps, no failure. {json.dumps(answer['tallies'])}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--serve", choices=WORLDS)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--seed")
    parser.add_argument("--world", choices=WORLDS)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--shrinking-seconds", type=float, default=SHRINKING_SECONDS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve, options.shrinking_seconds)
    return replay(options.seed) if options.seed else run(options)


if __name__ == "__main__":
    sys.exit(main())
