"""``lab.py export``: fetches all exports of a session from the running server, and compares the tables."""

import argparse
import ast
import sys
from pathlib import Path

from cardlab import seal
from cardlab.operations import database_export, project
from cardlab.operations.download import fetch_file
from cardlab.operations.exported_files import export_file, report_missing_hands, write_readme
from cardlab.operations.keys import seal_key
from cardlab.operations.rest import check_session_code, fetch_json
from cardlab.operations.running_server import DEFAULT_URL, server_url, server_urls
from cardlab.operations.servers_file import read_file
from cardlab.operations.terminal import Commands, Refusal, say


def add_command(commands: Commands) -> None:
    """Adds ``lab.py export``."""
    command = commands.add_parser("export", help="download every export of a session")
    command.add_argument("session", metavar="SESSION", nargs="?", help="the code of the session")
    command.add_argument("--all", action="store_true", help="export all sessions except demo sessions")
    command.add_argument(
        "--out", metavar="DIR", help="the folder to write to; default exports/SESSION or exports/all"
    )
    command.add_argument("--url", help="the server's address; default: the server running from this folder")
    command.add_argument(
        "--servers", type=Path, metavar="FILE", help="with --all: export from all servers in this file"
    )
    command.add_argument(
        "--database",
        type=Path,
        metavar="FILE",
        help="export from this SQLite file, of any version since 0.3, without a server",
    )
    command.set_defaults(do=run_command)


def run_command(options: argparse.Namespace) -> int:
    """Exports one session or all sessions, of one or several servers or of a database file."""
    try:
        return _run(options)
    except OSError as error:
        raise Refusal(
            f"The export could not be written ({error}). Choose another folder with --out, or free some disk "
            "space."
        ) from error


def _run(options: argparse.Namespace) -> int:
    if options.database:
        if options.all or options.url or options.servers:
            raise Refusal("--database exports all sessions of the file, or the one that you name.")
        return database_export.export_database(options.database, options.session or "", options.out)
    if options.all == bool(options.session) or (options.servers and (options.url or not options.all)):
        raise Refusal("Name a session, or use --all. With --all you may add either --url or --servers.")
    if not options.all:
        return export(options.session, options.out, options.url)
    if options.url:
        urls = [options.url]
    elif options.servers:
        urls = [f"http://127.0.0.1:{one.port}" for one in read_file(options.servers).servers]
    else:
        urls = server_urls() or [DEFAULT_URL]
    return export_all(urls, Path(options.out or project.FOLDER / "exports" / "all"))


def export_all(urls: list[str], out: Path) -> int:
    """Exports all sessions of the servers, except demo sessions, each into its own folder of ``out``.

    Returns 1 if a session could not be fetched or lacks a hand, else 0.
    """
    sessions = [(url, one["code"]) for url in urls for one in fetch_json(url, "/api/sessions")]
    failures = 0
    for url, code in sessions:
        say(f"Session {code} on {url}")
        try:
            failures += export(code, str(out / code), url)
        except Refusal as refusal:
            print(refusal, file=sys.stderr)
            failures += 1
    say(f"{len(sessions) - failures} of {len(sessions)} sessions were exported completely to {out}")
    return 1 if failures else 0


def export(session: str, out: str | None = None, url: str | None = None) -> int:
    """Fetches all exports of a session into ``out``; returns 1 if a hand is missing in them, else 0.

    No export makes participants wait.
    """
    check_session_code(session)
    url = url or server_url(session)
    exports = session_exports(url, session)
    folder = Path(out) if out else project.FOLDER / "exports" / session
    folder.mkdir(parents=True, exist_ok=True)
    hashes = {}
    for name, path in exports.items():
        hashes[name] = fetch_file(url, path, folder / name, session)
        say(f"    {name}")
    write_readme(folder / "README.txt", session, url, hashes)
    seal.write_seal(folder, seal_key())
    say(f"{len(hashes)} exports of session {session} were written to {folder}")
    return report_missing_hands(folder, exports)


def session_exports(url: str, session: str) -> dict[str, str]:
    """Returns the server's path of each file, in the order in which they are fetched."""
    exports = {"page_times.csv": "/api/export_page_times"}
    for app in fetch_json(url, f"/api/sessions/{session}", session)["config"]["app_sequence"]:
        source = project.FOLDER / app / "__init__.py"
        if not source.exists():
            raise Refusal(
                f"Session {session} uses {app}, which this folder does not have. Run the export "
                "in the server's folder."
            )
        query = f"app={app}&session_code={session}"
        exports[f"{app}.csv"] = f"/api/export_app?{query}"
        for function in export_functions(source.read_text("utf-8-sig")):
            path = f"/api/export_app_custom?{query}&function_name={function}"
            exports[export_file(app, function)] = path
    exports["payments.csv"] = f"/api/payments/{session}"
    exports["notices.csv"] = f"/api/notices/{session}"
    exports["browser_events.csv"] = f"/api/export_browser_events?session_code={session}"
    exports["all_apps_wide.csv"] = f"/api/export_wide?session_code={session}"
    return exports


def export_functions(source: str) -> list[str]:
    """Returns the names of the custom exports in an app's source."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            names.update(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return sorted(name for name in names if name.startswith("custom_export"))
