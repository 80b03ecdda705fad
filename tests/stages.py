"""Runs the stages of ``lab.py test`` with the standard library alone; they install everything else."""

from __future__ import annotations

import os
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from system_packages import find_browser, find_postgres, install_missing, install_npm_packages

from cardlab.operations import project
from cardlab.operations.environment import install, venv_program
from cardlab.operations.project import copy_project
from cardlab.operations.server import server_paths
from cardlab.operations.terminal import say

SLOW = ("tests/browser", "tests/lab", "tests/system")  # their tests start servers


def run_stages(options: list[str]) -> int:
    """Runs all checks of Card Lab, the quick ones first; stops at the first stage that fails.

    With ``--coverage`` no stage stops the run, because tests of speed may fail while coverage is measured.
    With ``--quick`` the tests with browsers and servers are left out.
    """
    measured, quick = "--coverage" in options, "--quick" in options
    options = [option for option in options if option not in ("--coverage", "--quick")]
    environment = clean_environment()
    if measured:
        environment["COVERAGE_FILE"] = str(COVERAGE)
    with ThreadPoolExecutor() as pool:
        machine = None if quick else pool.submit(install_missing)  # in parallel with the quick tests
        install_packages(with_dask="--long" in options)
        for report in (project.FOLDER / "test-results").glob("*.xml"):
            report.unlink()
        (project.FOLDER / "test-results" / DEFECTS).unlink(missing_ok=True)
        first, *slow = pytest_stages(options)
        slow = [] if quick else slow
        if not slow and machine:
            environment |= installed_paths(machine)
        passed = (
            run_stage("ruff check", "ruff", ["check", "."], environment)
            and run_stage("ruff format", "ruff", ["format", "--check", "."], environment)
            and (run_pytest(*first, environment) or measured)
            and (not slow or run_slow(*slow, environment | installed_paths(machine)))
        )
    report_defects()
    if measured:
        report_coverage(environment)
    say("", f"== {'everything is in order' if passed else 'stopped at the failure above'}: {counts()}")
    return 0 if passed else 1


def installed_paths(machine: Future[None]) -> dict[str, str]:
    """Waits for the installation and returns the paths of browser and PostgreSQL as variables."""
    machine.result()
    postgres = find_postgres()
    return {"CARD_LAB_CHROMIUM": find_browser(), **({"CARD_LAB_POSTGRES": postgres} if postgres else {})}


def install_packages(with_dask: bool) -> None:
    """Installs the Python and npm packages that the tests need, in parallel.

    Dask has a separate environment, because oTree needs older versions of Dask's dependencies. The tests of
    Dask are skipped without it.
    """
    with ThreadPoolExecutor() as pool:
        installations = [pool.submit(install, "dev"), pool.submit(install_npm_packages)]
        if with_dask:
            installations.append(pool.submit(install, "dask"))
    for installation in installations:
        installation.result()


Stage = tuple[str, list[str]]  # a title and the options of pytest


def pytest_stages(options: list[str]) -> list[Stage]:
    """Returns the quick and the slow stage; only the named files if ``options`` name any."""
    if any((project.FOLDER / option.split("::")[0]).exists() for option in options):
        return [("named tests", ["--long", *options])]
    # File by file. The slow stage has four processes, because its tests sometimes wait, and remembers its own
    # failures.
    quick = ["--numprocesses=auto", "--dist=loadfile", "tests", *(f"--ignore={room}" for room in SLOW)]
    stages = [("unit and property tests", quick)]
    if rooms := [room for room in SLOW if (project.FOLDER / room).is_dir()]:
        slow = ["--numprocesses=4", "--dist=loadfile", "-o", "cache_dir=.pytest_cache/slow", *rooms]
        stages += [("browser and server tests", slow)]
    return [(title, [*chosen, *options]) for title, chosen in stages]


def clean_environment() -> dict[str, str]:
    """Returns the environment for programs that tests start, without the user's own server and database.

    Python may write compiled modules there; otherwise each of over a hundred processes would compile oTree.
    """
    own = (
        *("OTREE_", "DATABASE_URL", "CARD_LAB_LANGUAGE", "CARD_LAB_CLOCK"),
        *("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"),  # with which prints are not buffered
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {**kept, **server_paths(), "OTREE_SECRET_KEY": "only for tests"}


def run_stage(title: str, program: str, arguments: list[str], environment: dict[str, str]) -> bool:
    """Runs one stage under a header line; returns whether it passed. A stage without any test passes."""
    say("", f"== {title}")
    done = subprocess.run([venv_program(program), *arguments], cwd=project.FOLDER, env=environment)
    return done.returncode in ((0, 5) if "pytest" in arguments else (0,))


def run_pytest(title: str, options: list[str], environment: dict[str, str]) -> bool:
    """Runs pytest, with a report for ``counts``; returns whether it passed."""
    logs = ("-o", "junit_logging=all", "-o", "junit_log_passing_tests=false")
    measured = ["-m", "coverage", "run"] if "COVERAGE_FILE" in environment else []
    arguments = [*measured, "-m", "pytest", f"--junit-xml={report_of(title)}", *logs, *options]
    return run_stage(title, "python", arguments, environment)


COVERAGE = project.FOLDER / "test-results" / "coverage"


def report_coverage(environment: dict[str, str]) -> None:
    """Prints the branch coverage of each package and of the product, and writes it file by file as HTML."""
    run_stage("coverage combine", "python", ["-m", "coverage", "combine", "-q"], environment)
    # A killed server leaves a file that cannot be combined, and every later command would report it.
    for unreadable in COVERAGE.parent.glob(f"{COVERAGE.name}.*"):
        unreadable.unlink()
    for arguments in (["html", "-q", "-d", f"{COVERAGE}-html"], ["report", "--format=total"]):
        run_stage(f"coverage {arguments[0]}", "python", ["-m", "coverage", *arguments], environment)
    for package in sorted((project.FOLDER / "cardlab").glob("*/__init__.py")):
        included = f"--include=cardlab/{package.parent.name}/*"
        arguments = ["-m", "coverage", "report", "--format=total", included]
        run_stage(package.parent.name, "python", arguments, environment)


# If at most this many tests of a stage fail while other tests run, they are repeated alone. More failures are
# not an accident of a busy machine.
SECOND_TRIES = 3
AGAIN = "once more and alone, "


def repeat_failures(title: str, options: list[str], environment: dict[str, str]) -> bool:
    """Repeats the few tests of a stage that failed, with no other tests running."""
    if not 1 <= failures(title) <= SECOND_TRIES:
        return False
    alone = [*options, "--numprocesses=0", "--last-failed", "--last-failed-no-failures=none"]
    return run_pytest(AGAIN + title, alone, environment)


def run_slow(stage: Stage, environment: dict[str, str]) -> bool:
    """Runs the browser and server tests together with oTree's bots.

    A failure of one does not stop the other, so that all failures are reported. The bots' searches run as
    plain Python; otherwise their copy of the project would compile them.
    """
    with ThreadPoolExecutor() as pool:
        bots = pool.submit(run_bots, {**environment, "CARD_LAB_COMPILED": "no"}, "--long" in stage[1])
        tests_passed = run_pytest(*stage, environment)
    tests_passed = tests_passed or repeat_failures(*stage, environment)
    return say_bots(*bots.result()) and tests_passed


# Session configs that the bots play only with --long, because other configs have the same pages and moves:
PLAYED_AGAIN = (
    "ttt_static_422",  # ttt_pay_moves_time has its hands, ttt_dynamic_face_down has all ways to play them
    *("ttt_static_442", "ttt_transfer", "ttt_dynamic", "ttt_familiar_422_442"),  # the same with other hands
    # ttt_pair_robot has blocks, ttt_pay_moves_time is paid by time, test_pair_sessions.py rematches pairs
    *("ttt_pair_transfer_422", "ttt_pair_transfer_442", "ttt_pair_rematched", "ttt_pair_by_time"),
    *("triangle_learning", "triangle_variation_1", "triangle_variation_2"),  # triangle_hard has both
    "solitario_ten_minutes",  # solitario_briscola with a limit that no bot reaches
    "challenge_hard",  # like challenge_standard, but the computer searches for longer
    "challenge_own",  # the same pages; test_leaks.py plays with hidden hands
)


def run_bots(environment: dict[str, str], long: bool) -> tuple[bool, list[str]]:
    """Runs oTree's bots in a copy of the project, because oTree opens the database of the current folder.

    Returns whether they passed, and the lines that they printed.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = copy_project(Path(folder, "card_lab"))
        if not long:
            chosen = f"[one for one in SESSION_CONFIGS if one['name'] not in {PLAYED_AGAIN}]"
            with open(copy / "settings.py", "a", encoding="utf-8") as settings:
                settings.write(f"SESSION_CONFIGS = {chosen}\n")
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        bots = subprocess.run([venv_program("otree"), "test"], cwd=copy, env=environment, **streams)
        return bots.returncode == 0, bots.stdout.decode("utf-8", errors="replace").splitlines()


def say_bots(passed: bool, lines: list[str]) -> bool:
    """Prints which sessions the bots played, and the end of their output if they failed."""
    say("", "== oTree's bots", *(line for line in lines if line.startswith("Creating")))
    say(*(["all bots came through"] if passed else lines[-60:]))  # the bots print every page they submit
    return passed


def counts() -> str:
    """Returns ``N passed, N failed, N skipped`` of all runs, and the tests that needed a second try."""
    first, second = {}, {}
    for report in (project.FOLDER / "test-results").glob("*.xml"):
        (second if report.stem.startswith(report_of(AGAIN).stem) else first).update(outcomes(report))
    said = Counter((first | second).values())
    counted = ", ".join(f"{said[outcome]} {outcome}" for outcome in ("passed", "failed", "skipped"))
    late = [test for test, outcome in second.items() if outcome == "passed"]
    return f"{counted}; passed only alone: {', '.join(late)}" if late else counted


DEFECTS = "passed-only-alone.txt"


def passed_only_alone() -> dict[str, str]:
    """Returns the tests that passed when they were repeated alone, each with the log of its first run."""
    reports = [*(project.FOLDER / "test-results").glob("*.xml")]
    repeated = [report for report in reports if report.stem.startswith(report_of(AGAIN).stem)]
    passed = {
        test for report in repeated for test, outcome in outcomes(report).items() if outcome == "passed"
    }
    logs = {
        test: log for report in reports if report not in repeated for test, log in logs_of(report).items()
    }
    return {test: logs.get(test, "its first run left no log") for test in sorted(passed)}


def report_defects() -> None:
    """Prints the tests that passed only alone with their logs, and writes them to test-results.

    Such a test hides a race, in the test or in the code under test. It does not fail the run, because a busy
    machine may be the cause.
    """
    defects = passed_only_alone()
    if not defects:
        return
    lines = [f"== {len(defects)} DEFECT{'S' * (len(defects) > 1)}: failed among other tests, passed alone"]
    for number, (test, log) in enumerate(defects.items(), 1):
        lines += ["", f"-- defect {number}: {test}", log.strip()]
    file = project.FOLDER / "test-results" / DEFECTS
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    say("", *lines, "", f"Each of these is a race to be found and fixed. The logs are in {file}.")


def failures(title: str) -> int:
    """Returns how many tests failed in a run of pytest; 0 if it left no report."""
    return list(outcomes(report_of(title)).values()).count("failed")


def report_of(title: str) -> Path:
    """Returns the report file of a pytest run."""
    return project.FOLDER / "test-results" / f"{title.replace(',', '').replace(' ', '-')}.xml"


FAILED = {"failure": "failed", "error": "failed"}


def outcomes(report: Path) -> dict[str, str]:
    """Returns ``passed``, ``failed`` or ``skipped`` for each test of a run, by module and name."""
    names = {**FAILED, "skipped": "skipped"}
    return {
        test: next((names[part.tag] for part in case if part.tag in names), "passed")
        for test, case in cases_of(report).items()
    }


def logs_of(report: Path) -> dict[str, str]:
    """Returns the traceback and output of each failed test of a run, by module and name."""
    return {
        test: "\n".join(part.text or part.get("message") or "" for part in case)
        for test, case in cases_of(report).items()
        if any(part.tag in FAILED for part in case)
    }


def cases_of(report: Path) -> dict[str, ElementTree.Element]:
    """Returns the XML elements of the tests of a run, by module and name."""
    if not report.exists():
        return {}
    cases = ElementTree.parse(report).iter("testcase")
    return {f"{case.get('classname')}.{case.get('name')}": case for case in cases}
