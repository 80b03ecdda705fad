"""``lab.py archive``: packs everything about one or several sessions into one ZIP file."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import hashlib
import io
import itertools
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cardlab import __version__, dataset_options, seal
from cardlab.operations import archive_materials, project
from cardlab.operations.archive_materials import digest, task_name, write_json
from cardlab.operations.environment import server_python
from cardlab.operations.export import export
from cardlab.operations.keys import seal_key, secret, secrets_folder
from cardlab.operations.rest import check_session_code, fetch_json
from cardlab.operations.running_server import server_url
from cardlab.operations.terminal import Commands, Refusal, say

SUMS = "SHA256SUMS"  # as `sha256sum -c` reads it
KEY = "pseudonym_key"  # in secrets/
ABOUT = "archive.toml"  # author, license, … of the project's archives
BIDS_SOURCE = "sourcedata"  # the folder of a BIDS dataset that has the Psych-DS dataset


class Contents(NamedTuple):
    """The sessions of an archive, its standard, whether it identifies participants, and the study's name."""

    sessions: Sequence[str]
    standard: str = dataset_options.PSYCH_DS
    identified: bool = False
    study: str = "study"


def add_command(commands: Commands) -> None:
    """Adds ``lab.py archive``."""
    command = commands.add_parser("archive", help="save all data of sessions as a dataset in one ZIP file")
    command.add_argument("sessions", metavar="SESSION", nargs="+", help="the codes of the sessions")
    command.add_argument(
        "--out", metavar="FILE", help="the ZIP file to write; default exports/SESSION with date and time"
    )
    command.add_argument("--url", help="the server's address; default: the server running from this folder")
    dataset_options.add_to(command)
    command.add_argument(
        "--identified",
        action="store_true",
        help="keep labels, ids from recruiting, times of day and texts in people's own words",
    )
    command.set_defaults(do=_run_command)


def _run_command(options: argparse.Namespace) -> int:
    sessions = list(dict.fromkeys(options.sessions))
    contents = Contents(sessions, options.standard, options.identified, options.study)
    return archive(contents, options.out, options.url)


def archive(contents: Contents, out: str | None = None, url: str | None = None) -> int:
    """Writes the archive, complete or not at all; returns 1 if an export lacks a hand, else 0."""
    now = datetime.datetime.now(datetime.timezone.utc)
    for session in contents.sessions:
        check_session_code(session)
    url = url or server_url(contents.sessions[0])
    name = contents.sessions[0] if len(contents.sessions) == 1 else contents.study
    file = Path(out) if out else project.FOLDER / "exports" / f"{name}-{now:%Y%m%d-%H%M%S}.zip"
    if file.exists():
        raise Refusal(f"{file} already exists. Choose another file with --out.")
    try:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary, f"card-lab-{name}")
            notices, is_incomplete = write_folder(contents, folder, Path(temporary, "exports"), url)
            file.parent.mkdir(parents=True, exist_ok=True)
            write_zip(folder, file)
    except (OSError, zipfile.BadZipFile) as error:
        raise Refusal(f"The archive could not be written ({error}). No file was left behind.") from error
    size = file.stat().st_size / 1e6
    what = f"Session {name} is" if len(contents.sessions) == 1 else f"{len(contents.sessions)} sessions are"
    say(*(f"Warning: {sentence}" for sentence in notices), f"{what} in {file} ({size:.1f} MB)")
    if contents.identified:
        say("The archive has labels, texts and times as they are. Do not publish it.")
    return 1 if is_incomplete else 0


def write_folder(contents: Contents, folder: Path, exports: Path, url: str) -> tuple[list[str], bool]:
    """Writes the contents of an archive; returns notices, and whether an export lacks a hand."""
    say("Fetching the exports …")
    payload = {"session_vars": ["treatment_files"]}  # as they were when the session was created
    data = [fetch_json(url, f"/api/get_session/{one}", one, payload=payload) for one in contents.sessions]
    missing = [sentence for one in contents.sessions for sentence in fetch_exports(one, exports / one, url)]
    reject_empty(contents.sessions, exports)
    meanings = exports / "meanings.json"
    apps = dict.fromkeys(app for one in data for app in one["config"]["app_sequence"])
    write_json(meanings, archive_materials.meanings_of_apps(apps))
    say("Writing the dataset …")
    write_dataset(contents, folder, exports, meanings)
    root = folder / BIDS_SOURCE if contents.standard == dataset_options.BIDS else folder
    tables = [exports / one for one in contents.sessions]
    notices = [*missing, *archive_materials.collect(root, data, tables, contents.identified)]
    for one in contents.sessions:
        archive_materials.write_texts(root / "materials" / f"texts-{one}", fetch_texts(one, url))
    write_json(root / "study.json", describe_study(contents, data))
    notices += [*draw_reports(root, apps), *describe_reports(root, meanings)]
    seal.write_seal(root, seal_key())
    add_to_readme(root, notices)
    return notices, bool(missing)


def fetch_exports(session: str, folder: Path, url: str) -> list[str]:
    """Fetches every export, as ``lab.py export`` does; returns its message if a hand is missing."""
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        export(session, str(folder), url)
    return errors.getvalue().splitlines()


def reject_empty(sessions: Sequence[str], exports: Path) -> None:
    """Raises Refusal if a session has no data of any participant."""
    for session in sessions:
        with (exports / session / "all_apps_wide.csv").open(encoding="utf-8-sig") as lines:
            if not any(line.strip() for line in itertools.islice(lines, 1, None)):
                leave_out = " Leave it out." if len(sessions) > 1 else ""
                raise Refusal(
                    f"Session {session} has no data to archive: nobody has come, or all participants have "
                    f"withdrawn.{leave_out}"
                )


def fetch_texts(session: str, url: str) -> dict[str, str]:
    """Fetches the texts that the session's participants read, as HTML by app and page."""
    texts: dict[str, str] = fetch_json(url, f"/api/export_page_texts?session_code={session}", session)
    return texts


def describe_study(contents: Contents, data: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the contents of ``study.json``: the sessions, and the version of Card Lab."""
    sessions = [
        {
            "code": one["code"],
            "config": one["config"]["name"],
            "apps": one["config"]["app_sequence"],
            "treatments": one["config"].get("treatments", ""),
            "participants": one["num_participants"],
        }
        for one in data
    ]
    return {
        "study": contents.study,
        "card_lab_version": __version__,
        "identified": contents.identified,
        "sessions": sessions,
    }


# ------------------------------------------------------------------ dataset and reports


def analyse(*arguments: str | Path, folder: Path | None = None) -> str:
    """Runs a command of the analysis at low priority; returns its error message, or an empty text.

    ``folder`` is where it runs, by default in the project.
    """
    nice = ["nice", "-n", "10"] if shutil.which("nice") else []
    command = [*nice, str(server_python()), "-m", "cardlab.analysis", *map(str, arguments)]
    environment = {
        **os.environ,
        "PYTHONPATH": str(project.FOLDER),
    }  # otherwise Python finds cardlab only in the project's folder
    result = subprocess.run(
        command, cwd=folder or project.FOLDER, env=environment, capture_output=True, encoding="utf-8"
    )
    return "" if result.returncode == 0 else (result.stderr.strip() or "no reason given").splitlines()[-1]


def write_dataset(contents: Contents, folder: Path, exports: Path, meanings: Path) -> None:
    """Writes the tables with their descriptions. Raises Refusal."""
    secret(KEY)
    who: list[str | Path] = ["--identified"] if contents.identified else ["--key", secrets_folder() / KEY]
    if (about := project.FOLDER / ABOUT).exists():
        who += ["--about", about]
    error = analyse(
        "dataset",
        *(exports / session for session in contents.sessions),
        *("--out", folder, "--as", contents.standard, "--study", contents.study, "--meanings", meanings),
        *who,
    )
    if error:
        raise Refusal(f"The dataset could not be written: {error}")


def draw_reports(root: Path, apps: Iterable[str]) -> list[str]:
    """Draws a report for each app with a played hand; returns the errors of missing reports."""
    missing, commands = [], []
    for app in apps:
        for table in sorted((root / "data").glob(f"*_task-{task_name(app)}_description-actions_data.csv")):
            if not is_played(table):
                continue
            say(f"Drawing the report of {app} …")
            commands.append(f"python -m cardlab.analysis report data/{table.name} --out results/{app}")
            # In the dataset's folder, so that the table's column ``source`` has no path of this computer.
            arguments = (f"data/{table.name}", "--out", f"results/{app}", "--no-search")
            if error := analyse("report", *arguments, folder=root):
                shutil.rmtree(root / "results" / app, ignore_errors=True)
                missing.append(f"The report of {app} could not be drawn: {error}.")
    (root / "results").mkdir(exist_ok=True)
    (root / "results" / "README.md").write_text(RESULTS, "utf-8")
    (root / "analysis").mkdir(exist_ok=True)
    (root / "analysis" / "analyse.sh").write_text("\n".join([*SCRIPT, *commands]) + "\n", "utf-8")
    return missing


def is_played(table: Path) -> bool:
    """Returns whether a table has the actions of a game, and a row below its heading."""
    with table.open(encoding="utf-8") as lines:
        heading, *rows = [*itertools.islice(lines, 2), ""]
        return "action_number" in heading.strip().split(",") and any(rows)


def describe_reports(root: Path, meanings: Path) -> list[str]:
    """Adds the tables of the reports to the codebook and the descriptions; returns errors."""
    error = analyse("codebook", root, "--meanings", meanings)
    return [f"The tables of the reports could not be described: {error}"] if error else []


RESULTS = "# Results\n\nThe report of each game that was played: `report.html`, with its tables and plots.\n"
SCRIPT = (
    "#!/bin/sh",
    "# Draws the reports in results/ again. Run it in the folder of the dataset with Card Lab installed.",
    "set -e",
)


# ------------------------------------------------------------------ README


FILES = """
## Other files

| | |
|---|---|
| `study.json` | the sessions of this archive |
| `results/` | a report for each game: tables and plots |
| `analysis/` | the commands that draw the reports again |
| `materials/` | each session's config, consent and instructions as shown, deals, treatments and apps |
| `documentation/` | the meaning of every file and column, the rules of the games, and all versions |
| `seal.json` | the number and digest of the rows of each hand, signed: `python -m cardlab.analysis verify` |

`SHA256SUMS` has the checksums of all other files of the archive. To check them: `sha256sum -c SHA256SUMS`.
"""


def add_to_readme(folder: Path, notices: Sequence[str]) -> None:
    """Adds the archive's other files and the notices to the dataset's README."""
    lines = ["", "## Warnings", "", *(f"- {sentence}" for sentence in notices)] if notices else []
    with (folder / "README.md").open("a", encoding="utf-8") as file:
        file.write(FILES + "".join(f"{line}\n" for line in lines))


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
