"""``lab.py archive``: all that is left of a session in one file, to be kept, given away and read again."""

from __future__ import annotations

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
import urllib.error
import zipfile
from pathlib import Path
from typing import NamedTuple

from cardlab.operations import project
from cardlab.operations.environment import is_installed, venv_program
from cardlab.operations.export import export
from cardlab.operations.one_server import address_of
from cardlab.operations.rest import fetch
from cardlab.operations.terminal import Refusal, say

SUMS = "SHA256SUMS"  # as `sha256sum -c` reads it
DOCUMENTS = ("data-dictionary.md", "rulings.md")
OPENINGS = {"subsession.opening", "subsession.openings", "group.opening"}  # columns
DEALT_FROM = re.compile(r'"source":"([^"\\]+)","sha256":"([0-9a-f]{64})"')
IN_QUOTES = re.compile(r"""["']([^"'\n]+)["']""")


def add_command(commands) -> None:
    """``lab.py archive``."""
    command = commands.add_parser(
        "archive", help="put all that is left of a session in one ZIP", allow_abbrev=False
    )
    command.add_argument("session", metavar="SESSION", help="the session's code")
    command.add_argument("--out", metavar="FILE", help="the ZIP; default exports/SESSION with day and time")
    command.add_argument("--url", help="the server's address; default: the one running from this folder")
    command.set_defaults(do=lambda asked: archive(asked.session, asked.out, asked.url))


def archive(session: str, out: str | None = None, url: str | None = None) -> int:
    """Write the archive, complete or not at all; 1 if a hand is missing in the exports, else 0."""
    now = datetime.datetime.now(datetime.timezone.utc)
    url = url or address_of(session)
    file = Path(out) if out else project.FOLDER / "exports" / f"{session}-{now:%Y%m%d-%H%M%S}.zip"
    if file.exists():
        raise Refusal(f"{file} is there already; name another file with --out.")
    try:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place, f"card-lab-{session}")
            say("Fetching the exports …")
            missing = gather_exports(session, folder / "data", url)
            notices = [*missing, *gather_files(session, folder, url)]
            notices += [*draw_reports(folder), *write_codebook(folder)]
            readme = readme_lines(session, url, now, notices)
            (folder / "README.txt").write_text("\n".join(readme) + "\n", "utf-8")
            file.parent.mkdir(parents=True, exist_ok=True)
            write_zip(folder, file)
    except (OSError, zipfile.BadZipFile) as error:
        raise Refusal(f"The archive could not be written ({error}); nothing of it is left.") from error
    size = file.stat().st_size / 1e6
    say(*(f"Look   {sentence}" for sentence in notices), f"Session {session} is in {file} ({size:.1f} MB)")
    return 1 if missing else 0


def gather_files(session: str, folder: Path, url: str) -> list[str]:
    """Put beside the exports what the session was made from, and by what; what must be said of it."""
    told = told_of_session(session, url)
    (folder / "session.json").write_text(json.dumps(told, indent=1, sort_keys=True) + "\n", "utf-8")
    (folder / "versions.txt").write_text("\n".join(versions()) + "\n", "utf-8")
    used = used_files(folder / "data", told)
    documents = [project.FOLDER / "docs" / name for name in DOCUMENTS]
    copies = {folder / "documents" / path.name: path for path in documents}
    copies |= {
        folder / "files" / one.there.relative_to(project.FOLDER): one.there for one in used if one.there
    }
    for copy, path in copies.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return [sentence for one in used if (sentence := one.notice())]


# ------------------------------------------------------------------ what the server tells


def gather_exports(session: str, folder: Path, url: str) -> list[str]:
    """Fetch every export, as ``lab.py export`` does; what it says if a hand is missing in them."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        export(session, str(folder), url)
    return said.getvalue().splitlines()


def told_of_session(session: str, url: str) -> dict:
    """The session's config, and its participants, as the REST interface tells of them; with the files of its
    treatments as they were when it was made."""
    kept = {"session_vars": ["treatment_files"]}
    try:
        with fetch(url, f"/api/get_session/{session}", payload=kept) as answer:
            return json.load(answer)
    except (urllib.error.URLError, ValueError) as error:
        raise Refusal(f"The server at {url} failed ({error}); its own messages say why.") from error


# ------------------------------------------------------------------ the files it was made from


class Used(NamedTuple):
    """A file that the session was made from: what it was called, what its SHA-256 was if that is recorded,
    and where it lies now."""

    name: str
    sha256: str
    there: Path | None

    def notice(self) -> str:
        """What must be said of it; nothing if it is as it was."""
        if self.there is None:
            return f"{self.name}, which the session was made from, is gone; the deals stand in data/."
        if self.sha256 and digest(self.there) != self.sha256:
            return (
                f"{self.there.relative_to(project.FOLDER)} was changed since the session was made from it, "
                "and is here as it is now. As they were the deals are in data/, treatments in session.json."
            )
        return ""


def used_files(data: Path, told: dict) -> list[Used]:
    """The files that hands were dealt from, and those that the config or a treatment of the session names."""
    apps = told["config"]["app_sequence"]
    deals = (project.FOLDER / "deals").glob("*/")
    folders = [path for path in deals if any(app.startswith(path.name) for app in apps)]
    folders += [project.FOLDER / "treatments", *(project.FOLDER / app for app in apps)]  # a consent's text

    def places(name: str) -> list[Path]:
        bare = name and not set(name) & set("/\\")
        return [folder / name for folder in folders if bare and (folder / name).is_file()]

    recorded = recorded_files(data)
    recorded |= {(name, sha256) for name, _text, sha256 in told.get("treatment_files") or []}
    used = []
    for name, sha256 in sorted(recorded):
        there = places(name)
        same = [path for path in there if digest(path) == sha256]
        used.append(Used(name, sha256, next(iter([*same, *there]), None)))
    known = {one.there for one in used}
    for name in sorted(named_files(told)):
        used += [Used(name, "", path) for path in places(name) if path not in known]
    return used


def recorded_files(data: Path) -> set[tuple[str, str]]:
    """Names and SHA-256 of the files that hands were dealt from: of those that were begun by the tables of
    hands, of the others by what oTree's own tables have of the first line of their records."""
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    found = set()
    for table in sorted(data.glob("*.csv")):
        with table.open(encoding="utf-8", newline="") as text:
            for row in csv.DictReader(text):
                found.add((row.get("show_file"), row.get("show_file_sha256")))
                for name in OPENINGS & row.keys():
                    found |= set(DEALT_FROM.findall(row[name] or ""))
    return {(name, sha256) for name, sha256 in found if name and sha256}


def named_files(told: dict) -> set[str]:
    """Texts of the config, and in quotes in its files of treatments, which may be names of files."""
    texts = {value for value in told["config"].values() if isinstance(value, str)}
    for _name, text, _sha256 in told.get("treatment_files") or []:
        texts |= set(IN_QUOTES.findall(text))
    return texts


def digest(file: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


# ------------------------------------------------------------------ what is made from it


def python() -> Path:
    """The Python of the server, if it is installed here; else the one that runs this."""
    return venv_program("python") if is_installed("requirements.txt") else Path(sys.executable)


def analyse(*arguments: str) -> str:
    """Run a command of the analysis; empty if it did well, else why not. Everybody else goes first."""
    nice = ["nice", "-n", "10"] if shutil.which("nice") else []
    command = [*nice, python(), "-m", "cardlab.analysis", *arguments]
    done = subprocess.run(command, cwd=project.FOLDER, capture_output=True, text=True, encoding="utf-8")
    return "" if done.returncode == 0 else (done.stderr.strip() or "it says no reason").splitlines()[-1]


def draw_reports(folder: Path) -> list[str]:
    """A report for each app of which something was played; why one is missing."""
    missing = []
    for table in sorted((folder / "data").glob("*_hands.csv")):
        app = table.name[: -len("_hands.csv")]
        actions = table.with_name(f"{app}_actions.csv")
        if len(table.read_text("utf-8").splitlines()) < 2:
            continue
        say(f"Drawing the report of {app} …")
        if why := analyse("report", str(actions), "--out", str(folder / "report" / app), "--time-limit", "0"):
            shutil.rmtree(folder / "report" / app, ignore_errors=True)
            missing.append(f"There is no report of {app}: {why}.")
    return missing


def write_codebook(folder: Path) -> list[str]:
    """The codebook of all tables, and the code that reads them; why they are missing."""
    why = analyse("codebook", str(folder))
    return [f"There is no codebook: {why}"] if why else []


PACKAGES = """
import importlib.metadata, sqlite3, sys
print("Python", " ".join(sys.version.split()))
print("SQLite", sqlite3.sqlite_version)
found = {each.metadata["Name"] + "==" + each.version for each in importlib.metadata.distributions()}
print(*sorted(found, key=str.lower), sep="\\n")
"""


def versions() -> list[str]:
    """Card Lab, the system, Python, and every package in the server's environment."""
    told = subprocess.run([python(), "-c", PACKAGES], capture_output=True, text=True, encoding="utf-8")
    return [f"Card Lab {project.version()}", platform.platform(), *told.stdout.splitlines()]


README = """\
Session {session} of Card Lab {version}
archived {now:%Y-%m-%d %H:%M:%S} UTC from {url}

data/            every export of the session, logs among them
report/          tables and plots, a folder for each app
files/           deals, settings and treatments that it was made from
documents/       what every file and column means, and the rules of the games
session.json     the session's config and comment, and its participants as the server tells of them
versions.txt     Card Lab, Python, oTree and every package, where the archive was made; each hand names the
                 Card Lab that dealt it
codebook.csv     every column of every table: type and meaning
dataset_description.json
                 the same for archives and programs, in the manner of Psych-DS
read_data.py     reads every table with these types in Python, with pandas
read_data.R      the same in R
SHA256SUMS       of every other file; to check them: sha256sum -c SHA256SUMS

Labels, answers and whatever participants have written are in it as they were: look before you give it away.
"""


def readme_lines(session: str, url: str, now: datetime.datetime, notices: list[str]) -> list[str]:
    """What lies in the archive, and what must be known of it."""
    lines = README.format(session=session, version=project.version(), now=now, url=url).splitlines()
    return [*lines, *(["", "To be known:", *(f"- {sentence}" for sentence in notices)] if notices else [])]


# ------------------------------------------------------------------ the file


def write_zip(folder: Path, file: Path) -> None:
    """Everything in a folder, in the order of its names and with the sums of all; read again before it gets
    its name."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    sums = {name: digest(folder / name) for name in names}
    (folder / SUMS).write_text("".join(f"{sums[name]}  {name}\n" for name in names), "utf-8", newline="\n")
    unfinished = file.with_name(f"{file.name}.part")
    try:
        with open(unfinished, "wb") as written:
            with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archived:
                for name in [*names, SUMS]:
                    archived.write(folder / name, f"{folder.name}/{name}")
            written.flush()
            os.fsync(written.fileno())
        with zipfile.ZipFile(unfinished) as archived:
            for name, expected in sums.items():
                if hashlib.sha256(archived.read(f"{folder.name}/{name}")).hexdigest() != expected:
                    raise OSError(f"{name} was not written as it is")
        os.replace(unfinished, file)
    finally:
        unfinished.unlink(missing_ok=True)
