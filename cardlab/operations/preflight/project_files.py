"""Checks the project's session configs, treatments, rooms and label files.

:mod:`cardlab.server.preflight`, in the server's environment, collects the facts that need oTree.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cardlab.operations import project
from cardlab.operations.database import database_file, database_url, has_content, run_with_apps
from cardlab.operations.environment import is_installed, venv_python_version
from cardlab.operations.preflight import ERROR, Finding, ok, problem, warning
from cardlab.operations.preflight.database import check_connection

LONGEST_LABEL = 100  # characters, the length of oTree's column


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


def check_rooms(rooms: list[dict[str, str]]) -> Iterator[Finding]:
    """Checks the label files of the rooms in settings.py, each once."""
    room_names: dict[str, str] = {}
    for room in rooms:
        if file := room.get("participant_label_file"):
            room_names.setdefault(file, room["name"])
    for file, name in room_names.items():
        try:
            findings = list(check_labels((project.FOLDER / file).read_bytes().decode("utf-8")))
        except FileNotFoundError:
            findings = [(ERROR, f"does not exist, but settings.py names it for the room {name}.")]
        except UnicodeDecodeError as error:
            findings = [(ERROR, f"is not text in UTF-8 (byte {error.start + 1}). Save it as UTF-8.")]
        except OSError as error:
            findings = [(ERROR, f"cannot be read ({error.strerror}).")]
        yield from ((kind, f"{file} {sentence}") for kind, sentence in findings)


def check_labels(text: str) -> Iterator[Finding]:
    """Checks the text of a label file; each sentence is to follow the file's name.

    oTree splits the text at white space, drops repeated labels, and raises an error when a participant enters
    the room if a label contains a character other than letters, digits and ``_``.
    """
    first_lines: dict[str, int] = {}  # of each label
    faults = []
    for number, line in enumerate(text.split("\n"), 1):
        for label in line.split():
            if line.split() != [label]:
                faults.append(f"line {number}: '{label}' is not alone on its line. Write one label per line.")
            if fault := _label_fault(label, first_lines):
                faults.append(f"line {number}: {fault}")
            first_lines.setdefault(label, number)
    yield from ((ERROR, fault) for fault in faults)
    if not first_lines:
        yield problem("has no labels, so nobody can enter the room. Write one label per line.")
    by_lower_case: dict[str, list[str]] = {}
    for label in first_lines:
        by_lower_case.setdefault(label.lower(), []).append(label)
    for labels in by_lower_case.values():
        if len(labels) > 1:
            yield warning(
                f"has {' and '.join(labels)}, which differ only in capital letters. Participants "
                "may confuse them when typing."
            )
    if first_lines and not faults:
        yield ok(f"has {len(first_lines)} label{'s' if len(first_lines) > 1 else ''}, without duplicates.")


def _label_fault(label: str, first_lines: dict[str, int]) -> str | None:
    if not (label.isascii() and label.replace("_", "a").isalnum()):
        also = (
            " (it contains a byte order mark, which an editor added at the start of the file)"
            if "\ufeff" in label
            else ""
        )
        return f"{label!r} is not a valid label{also}. A label has only the characters a–z, A–Z, 0–9 and _."
    if len(label) > LONGEST_LABEL:
        return f"the label has {len(label)} characters. The limit is {LONGEST_LABEL}."
    if label in first_lines:
        return f"{label} is already in line {first_lines[label]}."
    return None
