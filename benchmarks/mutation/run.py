"""Measures how many small faults in the code the tests find: mutation testing of the critical modules.

    .venv/bin/python benchmarks/mutation/run.py               # all modules: some hours
    .venv/bin/python benchmarks/mutation/run.py rules         # an area of pyproject.toml
    .venv/bin/python benchmarks/mutation/run.py cardlab/games/hand.py
    .venv/bin/python benchmarks/mutation/run.py --since main  # only survivors and mutants of new lines

``[tool.mutation]`` in pyproject.toml names the modules of each area, and the tests that should find a fault
in each. ``mutants.py`` makes the mutants with cosmic-ray. This program forks for every mutant from a process
that has imported all packages, because a new Python would need seconds for each. A mutant is killed if a test
fails, or if the tests take three times the processor time that they take without it.

``--since`` counts the mutants of lines that a commit has, too, as in the last measurement: it runs only those
that survived, and all mutants of new lines.

The results are written to ``docs/results/mutation.csv`` and ``mutation_survivors.csv`` after each module. The
reason of a survivor is written by hand, and stays as long as its line.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "results"
SCORES, SURVIVORS = RESULTS / "mutation.csv", RESULTS / "mutation_survivors.csv"
SCORE_COLUMNS = ("area", "module", "mutants", "killed", "survivors", "score", "date")
SURVIVOR_COLUMNS = ("module", "line", "before", "after", "reason")
OPTIONS = ("-x", "-q", "--ff", "--no-header", "--tb=line", "-p", "no:xdist", "-o", "addopts=")
SLOWER = 3  # times the processor time of the tests without a mutant
LONGEST_SECONDS = 300  # of a mutant that waits without computing
MOST_BYTES = 4 << 30  # of memory that tests may use, because some mutants build endless lists

sys.path.insert(0, str(ROOT))
from cardlab.games.toml_file import read_toml  # noqa: E402
from cardlab.operations import environment  # noqa: E402
from cardlab.operations.project import copy_project  # noqa: E402


class FewExamples:
    """A pytest plugin that makes hypothesis draw the same examples each time and not shrink failures."""

    def pytest_sessionstart(self) -> None:
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutation", max_examples=25, deadline=None, derandomize=True, database=None, phases=phases
        )
        hypothesis.settings.load_profile("mutation")


def main() -> None:
    description, _, _ = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("names", nargs="*", metavar="AREA|MODULE", help="default: all areas")
    parser.add_argument("--since", metavar="COMMIT", help="only survivors and mutants of lines that are new")
    options = parser.parse_args()
    names = options.names
    areas = read_toml((ROOT / "pyproject.toml").read_text("utf-8"), "pyproject.toml")["tool"]["mutation"]
    wanted = [
        (area, module, tests)
        for area, modules in areas.items()
        for module, tests in modules.items()
        if not names or {area, module} & {*names}
    ]
    if not wanted:
        parser.error(f"no area or module of [tool.mutation] is named {', '.join(names)}")
    environment.install("mutation")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(copy_project(Path(folder, "card_lab")))
        forget_project()
        for area, module, tests in wanted:
            measure(area, module, tests, options.since)


def forget_project() -> None:
    """Makes each forked process import the project again, from the current folder."""
    sys.path.remove(str(ROOT))
    sys.path.insert(0, str(Path.cwd()))
    for name in [name for name in sys.modules if name.partition(".")[0] == "cardlab"]:
        del sys.modules[name]


def measure(area: str, module: str, tests: list[str], since: str | None) -> None:
    """Runs the tests of a module with each of its mutants, and writes the results.

    With a commit ``since``, runs only those that survived the last measurement and those of newer lines.
    """
    known = {(row["before"], row["after"]) for row in read_rows(SURVIVORS) if row["module"] == module}
    is_measured = any(row["module"] == module for row in read_rows(SCORES))
    old_lines = lines_at(since, module) if since and is_measured else frozenset[str]()
    packages = Path("packages.txt")
    passed, _ = run_tests(tests, limit=resource.RLIM_INFINITY, list_packages_in=packages)
    if not passed:
        sys.exit(f"The tests of {module} fail without a mutant.")
    for name in packages.read_text("utf-8").split():
        with suppress(Exception):
            importlib.import_module(name)
    _, seconds = run_tests(tests, limit=resource.RLIM_INFINITY)
    for compiled in Path(module).parent.glob(f"__pycache__/{Path(module).stem}.*"):
        compiled.unlink()
    source, count, survivors = Path(module).read_text("utf-8"), 0, []
    started = time.monotonic()
    for mutant in mutants_of(module):
        count += 1
        if mutant["before"] in old_lines and (mutant["before"], mutant["after"]) not in known:
            continue
        Path(module).write_text(mutant.pop("source"), "utf-8")
        passed, _ = run_tests(tests, limit=int(SLOWER * seconds) + 5)
        if passed:
            survivors.append({"module": module, **mutant})
            print(f"{module}:{mutant['line']}: {mutant['before']}  →  {mutant['after']}", flush=True)
    Path(module).write_text(source, "utf-8")
    score = round((count - len(survivors)) / count, 3)
    minutes = (time.monotonic() - started) / 60
    figures = f"{count} mutants, {len(survivors)} survived, score {score}, {minutes:.1f} minutes"
    print(f"{module}: {figures}", flush=True)
    today = datetime.datetime.now(tz=datetime.timezone.utc).date()
    values = (area, module, count, count - len(survivors), len(survivors), score, today)
    write_scores(dict(zip(SCORE_COLUMNS, values)))
    write_survivors(module, survivors)


def lines_at(commit: str, module: str) -> frozenset[str]:
    """Returns the lines that a module had at a commit."""
    command = ["git", "-C", str(ROOT), "show", f"{commit}:{module}"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    return frozenset(map(str.strip, text.splitlines()))


def mutants_of(module: str) -> Iterator[dict[str, Any]]:
    """Yields what ``mutants.py`` prints about a module."""
    python = ROOT / environment.environment_of("mutation") / "bin" / "python"
    command = [str(python), str(Path(__file__).with_name("mutants.py")), str(ROOT / module)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        yield from map(json.loads, process.stdout)
    if process.returncode:
        sys.exit(f"No mutants could be made of {module}.")


def run_tests(tests: list[str], limit: int, list_packages_in: Path | None = None) -> tuple[bool, float]:
    """Runs tests in a forked process; returns whether they passed, and the processor time in seconds.

    ``list_packages_in`` is a file for the names of all imported modules that do not belong to the project.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if not child:
        _run_tests_and_exit(tests, limit, list_packages_in)
    deadline = inf if limit == resource.RLIM_INFINITY else time.monotonic() + LONGEST_SECONDS
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            ended = os.waitpid(child, 0)
            break
        time.sleep(0.01)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # processes that the tests have started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended[1] == 0, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run_tests_and_exit(tests: list[str], limit: int, list_packages_in: Path | None) -> None:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    output = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.dont_write_bytecode = limit != resource.RLIM_INFINITY  # never write that of a mutant
    code = 1
    with suppress(BaseException):
        code = pytest.main([*OPTIONS, *tests], plugins=[FewExamples()])
        if list_packages_in:
            here = str(Path.cwd())
            files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
            names = [name for name, file in files.items() if file and not file.startswith(here)]
            list_packages_in.write_text("\n".join(name for name in names if is_package(name)), "utf-8")
    os._exit(int(code))


def is_package(name: str) -> bool:
    """Returns whether a module may be imported before the tests; oTree reads the settings on import."""
    return name.partition(".")[0] not in ("otree", "conftest", "__main__")


def write_scores(row: dict[str, Any]) -> None:
    """Replaces the row of a module; rows are sorted by area and module."""
    rows = [each for each in read_rows(SCORES) if each["module"] != row["module"]]
    write_rows(SCORES, SCORE_COLUMNS, sorted([*rows, row], key=lambda each: (each["area"], each["module"])))


def write_survivors(module: str, survivors: list[dict[str, Any]]) -> None:
    """Replaces the survivors of a module; a reason stays with its mutant."""
    rows = read_rows(SURVIVORS)
    reasons = {(row["module"], row["before"], row["after"]): row["reason"] for row in rows}
    new = [
        {**row, "reason": reasons.get((row["module"], row["before"], row["after"]), "")} for row in survivors
    ]
    kept = [row for row in rows if row["module"] != module]
    ordered = sorted([*kept, *new], key=lambda row: (row["module"], int(row["line"]), row["after"]))
    write_rows(SURVIVORS, SURVIVOR_COLUMNS, ordered)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Returns the rows of a table; none if there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
