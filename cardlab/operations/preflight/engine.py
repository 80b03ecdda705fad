"""Checks how many participants can play against searching robots (:mod:`cardlab.core.engine_capacity`)."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

from cardlab import folders
from cardlab.operations import project
from cardlab.operations.environment import is_installed, module_command, venv_python_version
from cardlab.operations.preflight import OK, WARNING, Finding, problem
from cardlab.operations.preflight.project_files import last_error

PARTICIPANTS = 40
MOVE_SECONDS = 3.0  # between two moves of a participant
LOAD = 0.7  # maximum load of the workers; above it, answers queue up


def check_engines() -> Iterator[Finding]:
    """Measures the engines of all games, for a second each."""
    if not is_installed() or not venv_python_version(".venv"):
        return  # check_python reports it
    child = subprocess.run(
        module_command("cardlab.core.engine_capacity"),
        cwd=project.FOLDER,
        capture_output=True,
        encoding="utf-8",
    )
    for line in child.stdout.splitlines():
        yield describe_capacity(json.loads(line))
    if child.returncode:
        yield problem(f"The computer's moves cannot be computed: {last_error(child.stderr)}")


def describe_capacity(measured: dict[str, Any]) -> Finding:
    """Returns whether this number of participants can play, and the maximum."""
    most = round(LOAD * MOVE_SECONDS * measured["workers"] / measured["seconds"])
    suffices = most >= PARTICIPANTS
    install = f"numba is not in use. To install it: {folders.install_command('engine')}"
    numba = "numba is installed." if measured["compiled"] else install
    return (
        OK if suffices else WARNING,
        f"{measured['title']}: {PARTICIPANTS} participants against the computer at {measured['strength']}: "
        f"{'yes' if suffices else 'no'}; about {most} with a move every {MOVE_SECONDS:g} seconds. {numba}",
    )
