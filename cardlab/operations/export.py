"""Every export of a session, fetched from the running server and compared with one another."""

from __future__ import annotations

import argparse
import ast
import collections
import csv
import datetime
import hashlib
import http.client
import json
import math
import os
import re
import sys
import urllib.error
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardlab.operations import project
from cardlab.operations.one_server import address_of, read_server_state
from cardlab.operations.project import COMMAND
from cardlab.operations.rest import fetch
from cardlab.operations.servers_file import read_file
from cardlab.operations.terminal import Refusal, say

HAND_PAGE = "Hand"  # what every app calls the page on which a hand is played


def add_command(commands) -> None:
    """``lab.py export``."""
    command = commands.add_parser("export", help="fetch every export of a session", allow_abbrev=False)
    command.add_argument("session", metavar="SESSION", nargs="?", help="the session's code")
    command.add_argument(
        "--all", action="store_true", help="of all sessions, those for trying out left aside"
    )
    command.add_argument(
        "--out", metavar="DIR", help="where to write; default exports/SESSION or exports/all"
    )
    command.add_argument("--url", help="the server's address; default: the one running from this folder")
    command.add_argument(
        "--servers", type=Path, metavar="FILE", help="with --all: of all servers that this file tells of"
    )
    command.set_defaults(do=export_as_asked)


def export_as_asked(asked: argparse.Namespace) -> int:
    """One session, or all."""
    if asked.all == bool(asked.session) or (asked.servers and (asked.url or not asked.all)):
        raise Refusal("Say which session, or --all; and with --all either --url or --servers, or neither.")
    if not asked.all:
        return export(asked.session, asked.out, asked.url)
    if asked.servers:
        urls = [f"http://127.0.0.1:{one.port}" for one in read_file(asked.servers).servers]
    else:
        state = read_server_state()
        urls = [*state.get("servers", {}).values()] or [state.get("url", "http://127.0.0.1:8000")]
    return export_all(
        [asked.url] if asked.url else urls, Path(asked.out or project.FOLDER / "exports" / "all")
    )


def export_all(urls: list[str], out: Path) -> int:
    """Fetch all exports of all sessions of the servers, a folder of ``out`` for each session; 1 if one could
    not be fetched or lacks a hand, else 0."""
    sessions = [(url, code) for url in urls for code in session_codes(url)]
    faults = 0
    for url, code in sessions:
        say(f"Session {code} of {url}")
        try:
            faults += export(code, str(out / code), url)
        except Refusal as refusal:
            print(refusal, file=sys.stderr)
            faults += 1
    say(f"{len(sessions) - faults} of {len(sessions)} sessions are whole in {out}")
    return 1 if faults else 0


def session_codes(url: str) -> list[str]:
    """The codes of all sessions of a server but those of its demo page, the oldest first."""
    return ask(url, "/api/sessions", lambda told: [session["code"] for session in told])


def export(session: str, out: str | None = None, url: str | None = None) -> int:
    """Fetch all exports of a session into ``out``; 1 if a hand is missing in them, else 0.

    The long ones take no lock that participants would wait for.
    """
    if not re.fullmatch(r"\w+", session, re.ASCII):
        raise Refusal(f"'{session}' is not a session code: it has letters and digits only, such as x8f2k1qz.")
    url = url or address_of(session)
    exports = session_exports(url, session)
    folder = Path(out) if out else project.FOLDER / "exports" / session
    folder.mkdir(parents=True, exist_ok=True)
    hashes = {}
    for name, path in exports.items():
        hashes[name] = fetch_file(url, path, folder / name, session)
        say(f"    {name}")
    write_readme(folder / "README.txt", session, url, hashes)
    say(f"{len(hashes)} exports of session {session} are in {folder}")
    apps = [name[: -len("_hands.csv")] for name in exports if name.endswith("_hands.csv")]
    missing = [hand for app in apps for hand in missing_hands(folder, app)]
    if missing:
        named = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if missing[5:] else "")
        print(
            f"Played, but missing from the table of hands, or paid otherwise than it says: {named}. "
            "Keep the database, and tell who looks after Card Lab.",
            file=sys.stderr,
        )
    return 1 if missing else 0


def session_apps(url: str, session: str) -> list[str]:
    """The apps that a session runs, in their order."""
    return ask(url, f"/api/sessions/{session}", lambda told: told["config"]["app_sequence"], session)


def ask(url: str, path: str, take: Callable[[Any], list[str]], session: str = "") -> list[str]:
    """What is taken of the answer of the server's REST interface, about a session or in general; a Refusal if
    there is no such answer."""
    try:
        with fetch(url, path) as answer:
            return take(json.load(answer))
    except urllib.error.HTTPError as error:
        if error.code == 404:
            raise Refusal(
                f"There is no session {session} at {url}; its code stands on {url}/sessions."
            ) from error
        if error.code == 403:
            raise Refusal(
                f"The server at {url} refuses the key of this folder: export from the folder that "
                "started it, or set OTREE_REST_KEY to that server's key."
            ) from error
        raise Refusal(f"The server at {url} failed ({error}); its own messages say why.") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refusal(
            f"No Card Lab server answers at {url}: start it with {COMMAND} run, "
            "or name its address with --url."
        ) from error


def session_exports(url: str, session: str) -> dict[str, str]:
    """What there is to fetch of a session, file name -> path at the server, in the order of fetching."""
    exports = {"page_times.csv": "/api/export_page_times"}
    for app in session_apps(url, session):
        source = project.FOLDER / app / "__init__.py"
        if not source.exists():
            raise Refusal(
                f"Session {session} runs {app}, which this folder does not have: export from the server's."
            )
        query = f"app={app}&session_code={session}"
        exports[f"{app}.csv"] = f"/api/export_app?{query}"
        for function in export_functions(source.read_text("utf-8")):
            path = f"/api/export_app_custom?{query}&function_name={function}"
            exports[export_file(app, function)] = path
    exports["payments.csv"] = f"/api/payments/{session}"
    exports["notices.csv"] = f"/api/notices/{session}"
    exports["all_apps_wide.csv"] = f"/api/export_wide?session_code={session}"
    return exports


def export_functions(source: str) -> list[str]:
    """The names at the top of an app's source that oTree offers as exports, defined there or imported."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            names.update(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return sorted(name for name in names if name.startswith("custom_export"))


def export_file(app: str, function: str) -> str:
    """``ttt_solo_app_actions.csv`` for ``custom_export``; logs and summaries are text files."""
    name = function[len("custom_export") :].strip("_") or "actions"
    return f"{app}_{name}{'.txt' if name.endswith(('log', 'transform')) else '.csv'}"


def fetch_file(url: str, path: str, file: Path, session: str) -> str:
    """Write one export, complete or not at all; its SHA-256. Page times come for all sessions."""
    unfinished = file.with_name(file.name + ".part")
    try:
        with fetch(url, path) as answer:
            content = answer.read()  # all at once: reading by lines would not notice a broken-off answer
        if file.name == "page_times.csv":
            header, *rows = content.splitlines(keepends=True)
            content = b"".join([header, *(row for row in rows if row.startswith(f"{session},".encode()))])
        unfinished.write_bytes(content)
        os.replace(unfinished, file)
    except (OSError, http.client.HTTPException) as error:
        raise Refusal(
            f"{file.name} could not be fetched ({error}); the server's own messages may say why."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return hashlib.sha256(content).hexdigest()


def missing_hands(folder: Path, app: str) -> list[str]:
    """The hands of an app that participants have left or were paid for, if the table of hands lacks them or
    has another payoff, as "CODE in round 2 of APP".

    oTree's page times and its own table of the app tell of a hand by themselves, not by its record. They are
    fetched before the table of hands, which then has at least what they have, also while play goes on.
    """
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    paid = collections.defaultdict(float)  # by participant and round
    for row in read_table(folder / "page_times.csv"):
        if (row["app_name"], row["page_name"]) == (app, HAND_PAGE):
            paid[row["participant_code"], row["round_number"]] = 0.0
    for row in read_table(folder / f"{app}.csv"):
        where = row["participant.code"], row["subsession.round_number"]
        points = float(row["player.payoff"] or 0)
        if where in paid or points:
            paid[where] = points
    recorded = {
        (row["participant_code"], row["hand_id"].rsplit("-", 1)[1]): float(row["payoff"])
        for row in read_table(folder / f"{app}_hands.csv")
        if row["participant_code"] and row["outcome"] != "open"
    }
    return [
        f"{participant} in round {number} of {app}"
        for (participant, number), points in sorted(paid.items())
        if abs(recorded.get((participant, number), math.inf) - points) > 0.005
    ]


def read_table(file: Path) -> list[dict[str, str]]:
    """A fetched table, by column."""
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def write_readme(file: Path, session: str, url: str, hashes: dict[str, str]) -> None:
    """What lies in the folder, from where and when."""
    now = datetime.datetime.now(datetime.timezone.utc)
    lines = [
        f"Exports of session {session}",
        f"fetched {now:%Y-%m-%d %H:%M:%S} UTC from {url}",
        f"by Card Lab {project.version()}",
        "",
        "What every file and column means: docs/data-dictionary.md of Card Lab.",
        "",
        "SHA-256 of each file:",
        *(f"{digest}  {name}" for name, digest in hashes.items()),
    ]
    file.write_text("\n".join(lines) + "\n", "utf-8")
