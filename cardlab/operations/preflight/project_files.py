"""Checks the project's session configs, treatments, rooms and label files.

:mod:`cardlab.server.preflight`, in the server's environment, collects the facts that need oTree.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cardlab.operations.database import database_file, database_url, has_content, run_with_apps
from cardlab.operations.environment import is_installed, venv_python_version
from cardlab.operations.preflight import Finding, ok, problem, warning
from cardlab.operations.preflight.database import check_connection


def check_project(configs: list[str]) -> Iterator[Finding]:
    """Checks session configs (by default all), treatments, rooms and the database connection."""
    if not is_installed() or not venv_python_version(".venv"):
        return  # check_python reports it
    url = database_url() or ("sqlite:///db.sqlite3" if has_content(database_file()) else "")
    child = run_with_apps("cardlab.server.preflight", url, *configs, stderr=subprocess.PIPE)
    checks: dict[str, Callable[[Any], Iterator[Finding]]] = {
        "database": check_connection,
        "rooms": check_rooms,
        "treatments": check_treatments,
        "configs": check_configs,
    }
    for line in child.stdout.splitlines():
        try:
            name, facts = json.loads(line)
        except (ValueError, TypeError):  # an app may print, too
            continue
        yield from checks[name](facts)
    if child.returncode:
        yield problem(f"The project's settings or apps cannot be loaded: {last_error(child.stderr)}")


def last_error(errors: str) -> str:
    """Returns the end of a traceback as one line: the project's file and line, and the error."""
    message = (errors.strip() or "no reason given").splitlines()[-1]
    lines = re.findall(r'File "(.+)", line (\d+)', errors)
    own = [f"{Path(file).name}, line {line}: " for file, line in lines if ".venv" not in Path(file).parts]
    return (own[-1] if own else "") + message


def check_configs(facts: dict[str, Any]) -> Iterator[Finding]:
    """Checks that each config can be dealt; ``facts`` has ``all`` names, ``unknown`` ones, and ``faults``."""
    for name in facts["unknown"]:
        yield problem(
            f"Unknown session config {name}. The session configs in settings.py are "
            f"{', '.join(facts['all'])}."
        )
    faults = facts["faults"]
    for name, fault in faults.items():
        if fault:
            yield problem(f"Session config {name}: {fault}")
    if good := sum(not fault for fault in faults.values()):
        yield ok(f"{good} of {len(faults)} session configs are valid, and so are the files that they use.")


def check_treatments(faults: list[str | None]) -> Iterator[Finding]:
    """Checks all treatment files, also unused ones; ``faults`` has a fault or None for each."""
    for fault in filter(None, faults):
        yield problem(f"treatments/{fault}")
    if good := faults.count(None):
        yield ok(f"{good} of {len(faults)} treatment files are valid.")


def check_rooms(files: list[dict[str, Any]]) -> Iterator[Finding]:
    """Checks the label files of the rooms; each has its ``file``, ``labels`` and ``faults``."""
    for facts in files:
        file, labels, faults = facts["file"], facts["labels"], facts["faults"]
        yield from map(problem, faults)
        by_lower_case: dict[str, list[str]] = {}
        for label in labels:
            by_lower_case.setdefault(label.lower(), []).append(label)
        for similar in by_lower_case.values():
            if len(similar) > 1:
                yield warning(
                    f"{file} has {' and '.join(similar)}, which differ only in capital letters. Participants "
                    "may confuse them when typing."
                )
        if not faults:
            yield ok(f"{file} has {len(labels)} label{'s' if len(labels) > 1 else ''}, without duplicates.")
