"""The names of a dataset's tables, which Psych-DS prescribes.

``ttt_solo_app_hands.csv`` of session ``x8f2k1qz`` becomes
``session-x8f2k1qz_task-tttSoloApp_description-hands_data.csv``: pairs of a keyword and a value of letters and
digits. The data of several sessions have the keyword ``study`` instead of ``session``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

ENDING = "_data.csv"
_NAME = re.compile(r"(?:session|study)-[A-Za-z0-9]+(?:_task-([A-Za-z0-9]+))?(?:_description-([A-Za-z0-9]+))?")


def psych_ds_name(table: str, apps: Iterable[str], scope: tuple[str, str]) -> str:
    """Returns the name of a table in a dataset.

    Parameters:
        table: The name of the exported table without ``.csv``.
        apps: The apps of the dataset.
        scope: ``session`` and its code, or ``study`` and its name.
    """
    keyword, value = scope
    pairs = [f"{keyword}-{re.sub('[^A-Za-z0-9]', '', value) or 'unnamed'}"]
    own = [app for app in apps if table == app or table.startswith(f"{app}_")]
    app = max(own, key=len, default="")
    if app:
        pairs.append(f"task-{_camel(app)}")
    if rest := table.removeprefix(app).strip("_"):
        pairs.append(f"description-{_camel(rest)}")
    return "_".join(pairs) + ENDING


def table_name(file: str, apps: Iterable[str] = ()) -> str:
    """Returns the name of the exported table, without its ending, from that of a file of either kind.

    Parameters:
        file: The path of the file, such as ``data/session-x8f2k1qz_task-tttSoloApp_data.csv``.
        apps: Apps whose names have digits or capitals, which cannot be recovered from Psych-DS names.
    """
    path = PurePosixPath(file)
    found = _NAME.fullmatch(path.name.removesuffix(ENDING)) if path.name.endswith(ENDING) else None
    if found is None:
        return path.stem
    task, rest = (part or "" for part in found.groups())
    app = next((app for app in apps if _camel(app) == task), _snake(task))
    return "_".join(part for part in (app, _snake(rest)) if part)


def _camel(name: str) -> str:
    first, *others = [part for part in re.split("[^A-Za-z0-9]+", name) if part] or [""]
    return first + "".join(part[0].upper() + part[1:] for part in others)


def _snake(name: str) -> str:
    return re.sub("(?<!^)([A-Z])", r"_\1", name).lower()
