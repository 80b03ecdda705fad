"""Measures the time and memory of the analysis for big files, compared with plain Python and pandas.

    .venv/bin/python benchmarks/analysis.py            # about half an hour, 2.5 GB of disk
    .venv/bin/python benchmarks/analysis.py --small    # a tenth of all sizes, in some minutes

Simulates sessions of Target the Two. Each command and its baseline read the same file in turn, each time in
a new process, so that other work on the machine affects both alike. Exit code 1 if a bar is missed.
docs/explanation/performance.md has the figures.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent

ROWS, LINES, MANY = (
    1_000_000,
    1_000_000,
    10,
)  # actions of the table, lines of the log; how many times as large the larger table is
MIX = "random:1,informed:1,routinizing:1"  # about twelve actions a hand, from six to twenty

TRANSFORM_BAR = 6.0  # time of `transform` ÷ that of a bare loop over the lines, at most
HANDS_BAR, HANDS_CPU_BAR = 1.5, 3.0  # time of `hands` ÷ that of pandas.read_csv, at most, and CPU time
REPORT_CPU_BAR = 3.0  # CPU time of `report` ÷ that of `hands`, at most
MEMORY_BAR = 3.0  # peak memory of `hands` on the larger table ÷ that on the table, at most

LOOP = "with open(source, encoding='utf-8') as file:\n    for line in file:\n        pass"
PANDAS = "pandas.read_csv(source)"
COMMAND = "assert main([command, source, '-o', out]) == 0"
REPORT = COMMAND.replace("-o", "--out")

# Imports are not measured. Child processes count with all their CPU time, and in memory with the highest peak
# of one times the number of cores. On systems without ``resource``, peak memory (in bytes) is 0 and the CPU
# time of child processes is missing.
MEASURED = """
import contextlib, json, os, sys, time
command, source, out = sys.argv[1:]
{imports}
peak = 0
with contextlib.redirect_stdout(sys.stderr):
    wall, cpu = time.perf_counter(), time.process_time()
    exec({work!r})
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
with contextlib.suppress(ImportError):
    import resource
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu += others.ru_utime + others.ru_stime
    peak = own.ru_maxrss + os.cpu_count() * others.ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024
print(json.dumps([wall, cpu, peak]))
"""

# Every part includes the parts before it. The fold and the measures need the hands in memory.
PARTS_BEGIN = """
import csv, gc, sys, time
gc.disable()
source = sys.argv[1]

def seconds(work):
    begin = time.process_time()
    work()
    return time.process_time() - begin

def show(**parts):
    bare = next(iter(parts.values()))
    for name, spent in parts.items():
        print(f"  {name.replace('_', ' '):24} {spent / bare:6.1f} {spent:8.2f} s")

def lines():
    return open(source, encoding="utf-8", newline="")
"""
PARTS = {
    "hands": PARTS_BEGIN
    + """
import pandas
from cardlab.analysis import actions_table, folding, hands
pandas_seconds = seconds(lambda: pandas.read_csv(source))
found = []
rows = seconds(lambda: [None for row in csv.reader(lines())])
read = seconds(lambda: found.extend(actions_table.read_hands(lines(), source)))
checked = measured = 0
for hand in found:
    checked += seconds(lambda: folding.check_hand(hand))
    measured += seconds(lambda: hands.csv_lines(hand, hands.find_game(hand)))
show(pandas=pandas_seconds, split_rows=rows, read_hands=read, fold=read + checked,
     measure=read + checked + measured)
""",
    "transform": PARTS_BEGIN
    + """
from cardlab.games.ttt.keeper_log import reading
match = reading._EVENT.fullmatch
show(
    bare_loop=seconds(lambda: [None for line in lines() if False]),
    one_expression_per_line=seconds(lambda: [None for line in lines() if not match(line)]),
    messages=seconds(lambda: [None for _ in reading._entries(lines(), reading.Warnings(source))]),
    hands=seconds(lambda: reading.read(lines(), source)),
)
""",
}


class Figures(NamedTuple):
    """Seconds, CPU seconds and peak memory in bytes of one run."""

    wall: float
    cpu: float
    peak: int

    def __str__(self) -> str:
        return f"{self.wall:8.2f} s {self.cpu:8.2f} s CPU {self.peak / 1e6:7.0f} MB"


def run(work: str, imports: str, command: str, source: Path, out: Path) -> Figures:
    """Runs the work once in a new process."""
    code = MEASURED.format(work=work, imports=imports)
    done = subprocess.run(
        [sys.executable, "-c", code, command, source, out], cwd=PROJECT, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{command}: {done.stderr}")
    return Figures(*json.loads(done.stdout))


def command(name: str, source: Path) -> Figures:
    """Runs a command of the analysis on one source."""
    work, out = (REPORT, "folder") if name == "report" else (COMMAND, "out")
    return run(
        work, "from cardlab.analysis.commands import main", name, source, source.with_suffix(f".{out}")
    )


def loop(source: Path) -> Figures:
    return run(LOOP, "", "loop", source, source)


def pandas(source: Path) -> Figures:
    return run(PANDAS, "import pandas", "pandas", source, source)


def analysis(*arguments: str | Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "cardlab.analysis", *arguments],
        cwd=PROJECT,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def make_table(path: Path, rows: int) -> None:
    """Simulates as many sessions as are needed for about so many rows."""
    simulated = ("simulate", "ttt", "-o", path, "--mix", MIX)
    analysis(*simulated)
    sessions = -(-rows // max(1, count_lines(path) - 1))
    if sessions > 1:
        analysis(*simulated, "--repeat", str(sessions))


def make_larger(table: Path, path: Path, times: int) -> None:
    """Writes the sessions of a table so many times, each time with other session codes."""
    with table.open("rb") as lines, path.open("wb") as file:
        heading = next(lines)
        file.write(heading)
        begin = lines.tell()
        for number in range(times):
            lines.seek(begin)
            for line in lines:
                code = line[: line.index(b",")]
                file.write(line.replace(code, b"%s_%d" % (code[:-2], number)) if number else line)


def make_log(table: Path, path: Path, lines: int) -> None:
    """Writes the ck log of all participants, as the server exports it, but at most so many lines."""
    folder = path.with_suffix("")
    analysis("split", table, "--out", folder)
    with path.open("wb") as file:
        for number, line in enumerate(line for log in sorted(folder.glob("ck*")) for line in log.open("rb")):
            if number == lines:
                break
            file.write(line)


def count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def compared(rounds: int, ours: Callable[[], Figures], bare: Callable[[], Figures]) -> Iterator[tuple]:
    """Yields pairs of figures (bare, ours), one pair per round."""
    for _ in range(rounds):
        yield bare(), ours()


def verdict(name: str, ratios: list[float], bar: float) -> bool:
    """Prints the median of the ratios and its bar; returns whether the bar is met."""
    met = median(ratios) <= bar
    spread = f" ({min(ratios):.3g} to {max(ratios):.3g} in {len(ratios)} rounds)" if ratios[1:] else ""
    print(
        f"{name:32} ratio {median(ratios):.3g}{spread}; bar {bar:g}: {'met' if met else 'MISSED'}", flush=True
    )
    return met


def report_times(
    name: str,
    bare_name: str,
    pairs: list[tuple[Figures, Figures]],
    bar: float | None = None,
    cpu_bar: float | None = None,
) -> bool:
    """Prints the figures of all runs; returns whether the medians of the ratios meet the bars."""
    for bare, ours in pairs:
        print(f"{bare_name:32} {bare}\n{name:32} {ours}")
    walls, cpus = ([getattr(ours, of) / getattr(bare, of) for bare, ours in pairs] for of in ("wall", "cpu"))
    met = bar is None or verdict(name, walls, bar)
    return met & (cpu_bar is None or verdict(f"{name}, CPU time", cpus, cpu_bar))


def report_memory(table: Path, larger: Path) -> bool:
    """Prints the peak memory of ``hands`` on both tables; returns whether the bar is met."""
    few, many = command("hands", table), command("hands", larger)
    print(f"{'hands':32} {few}\n{'hands, the larger table':32} {many}")
    if not few.peak:
        print("This system does not tell the peak memory of a process: not measured.")
        return True
    return verdict("peak memory of hands", [many.peak / few.peak], MEMORY_BAR)


def report_parts(table: Path, log: Path) -> None:
    """Prints the CPU time of the parts of ``hands`` and ``transform``, run in turn in one process."""
    for name, source in (("hands", table), ("transform", log)):
        figures = subprocess.run(
            [sys.executable, "-c", PARTS[name], source],
            cwd=PROJECT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        print(f"parts of {name}, as multiples of the bare work:\n{figures}", end="", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often each time is measured (3)")
    parser.add_argument("--rows", type=int, default=ROWS, help=f"actions of the table ({ROWS})")
    parser.add_argument("--lines", type=int, default=LINES, help=f"lines of the log, at most ({LINES})")
    parser.add_argument(
        "--times", type=int, default=MANY, help=f"how many times larger the larger is ({MANY})"
    )
    parser.add_argument("--small", action="store_true", help="a tenth of the sizes, one round")
    parser.add_argument("--folder", help="where the files are made and deleted again")
    asked = parser.parse_args()
    if asked.small:
        asked.rounds, asked.rows, asked.lines = 1, asked.rows // 10, asked.lines // 10
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}", flush=True)
    with tempfile.TemporaryDirectory(prefix="card-lab-benchmark-", dir=asked.folder) as folder:
        table, larger, log = (Path(folder, name) for name in ("table.csv", "larger.csv", "log.txt"))
        make_table(table, asked.rows)
        make_log(table, log, asked.lines)
        print(f"{count_lines(table) - 1} actions of {count_hands(table)} hands; {count_lines(log)} log lines")
        transform = list(compared(asked.rounds, lambda: command("transform", log), lambda: loop(log)))
        met = report_times("transform", "a loop over the lines", transform, TRANSFORM_BAR)
        hands = list(compared(asked.rounds, lambda: command("hands", table), lambda: pandas(table)))
        met &= report_times("hands", "pandas.read_csv", hands, HANDS_BAR, HANDS_CPU_BAR)
        report_parts(table, log)
        report = [(hands[-1][1], command("report", table))]
        met &= report_times("report", "hands", report, cpu_bar=REPORT_CPU_BAR)
        make_larger(table, larger, asked.times)
        met &= report_memory(table, larger)
    return 0 if met else 1


def count_hands(table: Path) -> int:
    with table.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        action_number = next(rows).index("action_number")
        return sum(row[action_number] == "0" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
