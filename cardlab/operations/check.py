"""``lab.py check``: reports what would prevent a session, before participants arrive."""

import sqlite3
import subprocess
from collections.abc import Callable, Iterator

from cardlab.operations.addresses import ALL_INTERFACES, port_number
from cardlab.operations.preflight import ERROR, OK, WARNING, Finding, problem
from cardlab.operations.preflight.computer import check_clock, check_disk, check_python
from cardlab.operations.preflight.database import check_sqlite
from cardlab.operations.preflight.engine import check_engines
from cardlab.operations.preflight.network import check_network, check_password
from cardlab.operations.preflight.project_files import check_project
from cardlab.operations.terminal import Commands, Refusal, say


def add_command(commands: Commands) -> None:
    """Adds ``lab.py check``."""
    command = commands.add_parser("check", help="check whether this computer is ready to run a session")
    command.add_argument(
        "--port", type=port_number, default=8000, help="as for the run command; default 8000"
    )
    command.add_argument(
        "--host",
        default=ALL_INTERFACES,
        help="as for the run command, but default 0.0.0.0, the whole network",
    )
    command.add_argument(
        "--session-config",
        action="append",
        default=[],
        metavar="NAME",
        help="check only this session config; default: all in settings.py",
    )
    command.set_defaults(do=lambda options: check(options.host, options.port, options.session_config))


def check(host: str, port: int, configs: list[str]) -> int:
    """Prints the findings, one on a line; returns 1 if any is an error, else 0."""
    counts = dict.fromkeys((OK, WARNING, ERROR), 0)
    for kind, sentence in findings(host, port, configs):
        counts[kind] += 1
        say(f"{kind:7}  {sentence}")
    warnings = _count(counts[WARNING], "warning")
    if counts[ERROR]:
        say("", f"{_count(counts[ERROR], 'error')}, {warnings}. Fix the errors before you run a session.")
    else:
        say("", f"Ready to run a session{f' ({warnings})' if counts[WARNING] else ''}.")
    return 1 if counts[ERROR] else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def findings(host: str, port: int, configs: list[str]) -> Iterator[Finding]:
    """Runs all checks in order. A check that fails is an error too."""
    checks: tuple[Callable[[], Iterator[Finding]], ...] = (
        check_python,
        check_disk,
        check_clock,
        check_sqlite,
        lambda: check_password(host),
        lambda: check_network(host, port),
        lambda: check_project(configs),
        check_engines,
    )
    for run_check in checks:
        try:
            yield from run_check()
        except Refusal as refusal:
            yield problem(str(refusal))
        except (OSError, sqlite3.Error, subprocess.SubprocessError) as error:
            yield problem(f"This check failed: {error}.")
