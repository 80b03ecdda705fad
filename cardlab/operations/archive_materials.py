"""Adds the materials of an archive: everything needed to understand a session and to run it again."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cardlab import __version__
from cardlab.operations import project
from cardlab.operations.environment import server_python
from cardlab.operations.field_meanings import field_meanings

DOCUMENTS = ("data-*.md", "file-formats.md", "rulings.md")  # in docs/reference
OPENINGS = {"subsession.opening", "subsession.openings", "group.opening"}  # columns
DEALT_FROM = re.compile(r'"source":"([^"\\]+)","sha256":"([0-9a-f]{64})"')
IN_QUOTES = re.compile(r"""["']([^"'\n]+)["']""")
SECRET = re.compile(r"(?im)^(\s*\w*(?:SECRET|PASSWORD|TOKEN|_KEY)\w*\s*=\s*).*$")
IDENTIFYING = ("label", "comment", "admin_url", "session_wide_url", "created_at")  # in a session's data


def collect(
    folder: Path, sessions: Iterable[dict[str, Any]], tables: Iterable[Path], identified: bool
) -> list[str]:
    """Adds the materials and documents of sessions to an archive; returns notices about changed files.

    Args:
        folder: the folder of the archive.
        sessions: the server's data of each session.
        tables: the folder of each session's exports.
        identified: whether the archive keeps labels and times.
    """
    notices: list[str] = []
    copies: dict[Path, Path] = {}
    for data, exports in zip(sessions, tables):
        kept = data if identified else without_identities(data)
        write_json(folder / "materials" / f"session-{data['code']}.json", kept)
        sources = source_files(exports, data)
        paths = [source.path for source in sources if source.path]
        paths += [path for app in data["config"]["app_sequence"] for path in app_files(app)]
        copies |= {folder / "materials" / project.relative_path(path): path for path in paths}
        notices += [notice for source in sources if (notice := source.notice()) and notice not in notices]
    reference = project.own_files() / "docs" / "reference"
    pages = [path for pattern in DOCUMENTS for path in sorted(reference.glob(pattern))]
    copies |= {folder / "documentation" / path.name: path for path in pages}
    for copy, path in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    settings = (project.FOLDER / "settings.py").read_text("utf-8")
    (folder / "materials" / "settings.py").write_text(SECRET.sub(r'\1"removed"', settings), "utf-8")
    (folder / "documentation" / "versions.txt").write_text("\n".join(versions()) + "\n", "utf-8")
    return notices


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Writes pages of HTML by their names, such as ``ttt_solo_app/Instructions.html``."""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def without_identities(data: dict[str, Any]) -> dict[str, Any]:
    """Returns a session's data without labels, comment, addresses and times."""
    people = [
        {name: value for name, value in one.items() if name not in IDENTIFYING}
        for one in data["participants"]
    ]
    return {name: value for name, value in data.items() if name not in IDENTIFYING} | {"participants": people}


def app_files(app: str) -> list[Path]:
    """Returns the source files of an app."""
    files = [path for folder in project.all_paths(app)[:1] for path in sorted(folder.rglob("*"))]
    return [path for path in files if path.is_file() and "__pycache__" not in path.parts]


def meanings_of_apps(apps: Iterable[str]) -> dict[str, tuple[str, bool]]:
    """Returns the meanings of the apps' fields that their sources define.

    The second value is whether a field may identify a participant.
    """
    meanings: dict[str, tuple[str, bool]] = {}
    for app in apps:
        for file in project.all_paths(f"{app}/__init__.py"):
            with contextlib.suppress(OSError, UnicodeDecodeError, SyntaxError):  # the server could not run it
                meanings |= field_meanings(app, file.read_text("utf-8-sig"))
    return meanings


def task_name(app: str) -> str:
    """Returns the name of an app in the name of a table, as ``psych_ds_name`` of the analysis writes it."""
    first, *others = [part for part in re.split("[^A-Za-z0-9]+", app) if part]
    return first + "".join(part[0].upper() + part[1:] for part in others)


def write_json(file: Path, value: Any) -> None:
    """Writes JSON that a person can read and compare."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")


# ------------------------------------------------------------------ source files


class SourceFile(NamedTuple):
    """A source file of the session: its name, its SHA-256 if recorded, its path if it exists."""

    name: str
    sha256: str
    path: Path | None

    def notice(self) -> str:
        """Returns a notice about the file; empty if it is unchanged."""
        if self.path is None:
            return (
                f"{self.name}, from which the session was created, no longer exists. The deals are in data/."
            )
        if self.sha256 and digest(self.path) != self.sha256:
            return (
                f"{project.relative_path(self.path)} has changed since the session was "
                "created. The archive has the current version. The original deals are in data/, "
                "the original treatments in the session's file in materials/."
            )
        return ""


def source_files(tables: Path, data: dict[str, Any]) -> list[SourceFile]:
    """Returns the files from which hands were dealt, and those named by the config or a treatment."""
    apps = data["config"]["app_sequence"]
    folders = [
        *(path for path in project.all_paths("deals/*/") if any(app.startswith(path.name) for app in apps)),
        # An app has the text of a consent.
        *(path for name in ("treatments", *apps) for path in project.all_paths(name)),
    ]

    def paths_of(name: str) -> list[Path]:
        is_file_name = name and not set(name) & set("/\\")
        return [folder / name for folder in folders if is_file_name and (folder / name).is_file()]

    recorded = recorded_files(tables)
    recorded |= {(name, sha256) for name, _text, sha256 in data.get("treatment_files") or []}
    sources = []
    for name, sha256 in sorted(recorded):
        paths = paths_of(name)
        unchanged = [path for path in paths if digest(path) == sha256]
        sources.append(SourceFile(name, sha256, next(iter([*unchanged, *paths]), None)))
    recorded_paths = {source.path for source in sources}
    for name in sorted(possible_file_names(data)):
        sources += [SourceFile(name, "", path) for path in paths_of(name) if path not in recorded_paths]
    return sources


def recorded_files(tables: Path) -> set[tuple[str, str]]:
    """Returns the names and SHA-256 of the files from which hands were dealt.

    The tables of hands have them for hands that have begun; oTree's tables have the openings of the others.
    """
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    files: set[tuple[str, str]] = set()
    for table in sorted(tables.glob("*.csv")):
        with table.open(encoding="utf-8", newline="") as text:
            for row in csv.DictReader(text):
                files.add((row.get("show_file") or "", row.get("show_file_sha256") or ""))
                for name in OPENINGS & row.keys():
                    files |= set(DEALT_FROM.findall(row[name] or ""))
    return {(name, sha256) for name, sha256 in files if name and sha256}


def possible_file_names(data: dict[str, Any]) -> set[str]:
    """Returns the config's texts, and the quoted texts in its treatment files."""
    texts = {value for value in data["config"].values() if isinstance(value, str)}
    for _name, text, _sha256 in data.get("treatment_files") or []:
        texts |= set(IN_QUOTES.findall(text))
    return texts


def digest(file: Path) -> str:
    """Returns the SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


# ------------------------------------------------------------------ versions

PACKAGES = """
import hashlib, importlib.metadata, sqlite3, sys
print("Python", " ".join(sys.version.split()))
print("SQLite", sqlite3.sqlite_version)
lines = set()
for package in importlib.metadata.distributions():
    record = hashlib.sha256((package.read_text("RECORD") or "").encode()).hexdigest()
    lines.add(f'{package.metadata["Name"]}=={package.version}  {record}')
print(*sorted(lines, key=str.lower), sep="\\n")
"""


def versions() -> list[str]:
    """Returns the versions of Card Lab, the system, Python, and every package in the server's environment.

    Each package has the SHA-256 of its list of files (``RECORD``), which has the hash of each file.
    """
    result = subprocess.run(
        [server_python(), "-c", PACKAGES], capture_output=True, text=True, encoding="utf-8"
    )
    return [f"Card Lab {__version__}", platform.platform(), *result.stdout.splitlines()]
