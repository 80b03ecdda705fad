"""``lab.py archive``: packs everything about a session into one ZIP file."""

import contextlib
import csv
import datetime
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from cardlab import __version__
from cardlab.operations import project
from cardlab.operations.environment import is_installed, venv_program
from cardlab.operations.export import export
from cardlab.operations.field_meanings import field_meanings
from cardlab.operations.rest import fetch_json
from cardlab.operations.running_server import server_url
from cardlab.operations.terminal import Commands, Refusal, say

SUMS = "SHA256SUMS"  # as `sha256sum -c` reads it
MEANINGS = "meanings.json"  # of the apps' fields, until the codebook has them
DOCUMENTS = ("data-*.md", "file-formats.md", "rulings.md")  # in docs/reference
OPENINGS = {"subsession.opening", "subsession.openings", "group.opening"}  # columns
DEALT_FROM = re.compile(r'"source":"([^"\\]+)","sha256":"([0-9a-f]{64})"')
IN_QUOTES = re.compile(r"""["']([^"'\n]+)["']""")


def add_command(commands: Commands) -> None:
    """Adds ``lab.py archive``."""
    command = commands.add_parser("archive", help="save all data of a session in one ZIP file")
    command.add_argument("session", metavar="SESSION", help="the code of the session")
    command.add_argument(
        "--out", metavar="FILE", help="the ZIP file to write; default exports/SESSION with date and time"
    )
    command.add_argument("--url", help="the server's address; default: the server running from this folder")
    command.set_defaults(do=lambda options: archive(options.session, options.out, options.url))


def archive(session: str, out: str | None = None, url: str | None = None) -> int:
    """Writes the archive, complete or not at all; returns 1 if an export lacks a hand, else 0."""
    now = datetime.datetime.now(datetime.timezone.utc)
    url = url or server_url(session)
    file = Path(out) if out else project.FOLDER / "exports" / f"{session}-{now:%Y%m%d-%H%M%S}.zip"
    if file.exists():
        raise Refusal(f"{file} already exists. Choose another file with --out.")
    try:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary, f"card-lab-{session}")
            say("Fetching the exports …")
            missing = fetch_exports(session, folder / "data", url)
            notices = [*missing, *collect_files(session, folder, url)]
            notices += [*draw_reports(folder), *write_codebook(folder)]
            readme = readme_lines(session, url, now, notices)
            (folder / "README.txt").write_text("\n".join(readme) + "\n", "utf-8")
            file.parent.mkdir(parents=True, exist_ok=True)
            write_zip(folder, file)
    except (OSError, zipfile.BadZipFile) as error:
        raise Refusal(f"The archive could not be written ({error}). No file was left behind.") from error
    size = file.stat().st_size / 1e6
    say(*(f"Warning: {sentence}" for sentence in notices), f"Session {session} is in {file} ({size:.1f} MB)")
    return 1 if missing else 0


def fetch_exports(session: str, folder: Path, url: str) -> list[str]:
    """Fetches every export, as ``lab.py export`` does; returns its message if a hand is missing."""
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        export(session, str(folder), url)
    return errors.getvalue().splitlines()


def collect_files(session: str, folder: Path, url: str) -> list[str]:
    """Adds session data, versions, documents and source files; returns notices about changed source files."""
    # Config, participants, and the files of treatments as they were when the session was created.
    payload = {"session_vars": ["treatment_files"]}
    data: dict[str, Any] = fetch_json(url, f"/api/get_session/{session}", session, payload=payload)
    (folder / "session.json").write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", "utf-8")
    meanings = json.dumps(meanings_of_apps(data["config"]["app_sequence"]), indent=1, ensure_ascii=False)
    (folder / MEANINGS).write_text(meanings + "\n", "utf-8")
    (folder / "versions.txt").write_text("\n".join(versions()) + "\n", "utf-8")
    sources = source_files(folder / "data", data)
    reference = project.own_files() / "docs" / "reference"
    pages = [path for pattern in DOCUMENTS for path in sorted(reference.glob(pattern))]
    copies = {folder / "documents" / path.name: path for path in pages}
    paths = [source.path for source in sources if source.path]
    copies |= {folder / "files" / project.relative_path(path): path for path in paths}
    for copy, path in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return [notice for source in sources if (notice := source.notice())]


def meanings_of_apps(apps: Iterable[str]) -> dict[str, str]:
    """Returns the meanings of the apps' fields, as far as their sources have them."""
    meanings: dict[str, str] = {}
    for app in apps:
        for file in project.all_paths(f"{app}/__init__.py"):
            with contextlib.suppress(OSError, UnicodeDecodeError, SyntaxError):  # the server could not run it
                meanings |= field_meanings(app, file.read_text("utf-8"))
    return meanings


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
                "the original treatments in session.json."
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


# ------------------------------------------------------------------ reports, codebook, versions


def python() -> Path:
    """Returns the server's Python if it is installed, otherwise the current one."""
    return venv_program("python") if is_installed() else Path(sys.executable)


def analyse(*arguments: str) -> str:
    """Runs a command of the analysis at low priority; returns its error message, or an empty text."""
    nice = ["nice", "-n", "10"] if shutil.which("nice") else []
    command = [*nice, str(python()), "-m", "cardlab.analysis", *arguments]
    result = subprocess.run(command, cwd=project.FOLDER, capture_output=True, text=True, encoding="utf-8")
    return "" if result.returncode == 0 else (result.stderr.strip() or "no reason given").splitlines()[-1]


def draw_reports(folder: Path) -> list[str]:
    """Draws a report for each app with a played hand; returns why any is missing."""
    missing = []
    for table in sorted((folder / "data").glob("*_hands.csv")):
        app = table.name.removesuffix("_hands.csv")
        actions = table.with_name(f"{app}_actions.csv")
        if len(table.read_text("utf-8").splitlines()) < 2:
            continue
        say(f"Drawing the report of {app} …")
        if error := analyse("report", str(actions), "--out", str(folder / "report" / app), "--no-search"):
            shutil.rmtree(folder / "report" / app, ignore_errors=True)
            missing.append(f"The report of {app} could not be drawn: {error}.")
    return missing


def write_codebook(folder: Path) -> list[str]:
    """Writes the codebook of all tables, and the code that reads them; returns why they are missing."""
    meanings = folder / MEANINGS
    error = analyse("codebook", str(folder), "--meanings", str(meanings))
    meanings.unlink()
    return [f"The codebook could not be written: {error}"] if error else []


PACKAGES = """
import importlib.metadata, sqlite3, sys
print("Python", " ".join(sys.version.split()))
print("SQLite", sqlite3.sqlite_version)
packages = importlib.metadata.distributions()
lines = {package.metadata["Name"] + "==" + package.version for package in packages}
print(*sorted(lines, key=str.lower), sep="\\n")
"""


def versions() -> list[str]:
    """Returns the versions of Card Lab, the system, Python, and every package in the server's environment."""
    result = subprocess.run([python(), "-c", PACKAGES], capture_output=True, text=True, encoding="utf-8")
    return [f"Card Lab {__version__}", platform.platform(), *result.stdout.splitlines()]


README = """\
Session {session} of Card Lab {version}
archived {now:%Y-%m-%d %H:%M:%S} UTC from {url}

data/            every export of the session, including logs
report/          tables and plots, one folder per app
files/           the deals, settings and treatments of the session
documents/       the meaning of every file and column, and the rules of the games
session.json     the session's config and comment, and its participants
versions.txt     the versions of Card Lab, Python, oTree and all packages when the archive was made; each hand
                 has the version of Card Lab that dealt it
codebook.csv     the type and meaning of every column of every table
dataset_description.json
                 the same for archives and programs, in the format of Psych-DS
read_data.py     reads every table with these types in Python (pandas)
read_data.R      the same in R
SHA256SUMS       checksums of all other files; to check them: sha256sum -c SHA256SUMS

The archive contains labels, answers and all texts of participants unchanged. Check it before you share it.
"""


def readme_lines(session: str, url: str, now: datetime.datetime, notices: list[str]) -> list[str]:
    """Returns what the archive contains, and the notices."""
    lines = README.format(session=session, version=__version__, now=now, url=url).splitlines()
    return [*lines, *(["", "Warnings:", *(f"- {sentence}" for sentence in notices)] if notices else [])]


# ------------------------------------------------------------------ the file


def write_zip(folder: Path, file: Path) -> None:
    """Packs a folder in the order of names, with all checksums, and verifies the file before renaming it."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    sums = {name: digest(folder / name) for name in names}
    (folder / SUMS).write_text("".join(f"{sums[name]}  {name}\n" for name in names), "utf-8", newline="\n")
    unfinished = file.with_name(f"{file.name}.part")
    try:
        with open(unfinished, "wb") as output:
            with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archived:
                for name in [*names, SUMS]:
                    archived.write(folder / name, f"{folder.name}/{name}")
            output.flush()
            os.fsync(output.fileno())
        with zipfile.ZipFile(unfinished) as archived:
            for name, expected in sums.items():
                if hashlib.sha256(archived.read(f"{folder.name}/{name}")).hexdigest() != expected:
                    raise OSError(f"{name} in the ZIP file differs from the original")
        os.replace(unfinished, file)
    finally:
        unfinished.unlink(missing_ok=True)
