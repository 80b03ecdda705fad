"""``cardlab add`` and ``cardlab remove``: Card Lab's apps in a researcher's oTree project.

``add`` copies a thin app, and adds lines to the end of ``settings.py`` and ``project.py``. The file RECORD
has what was written, so that ``remove`` deletes exactly that, and detects later changes.
"""

from __future__ import annotations

import ast
import datetime
import difflib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cardlab import __version__
from cardlab.operations import project
from cardlab.operations.private_files import FOLDERS, readable_for_others
from cardlab.operations.project import COMMAND
from cardlab.operations.settings_lines import (
    PROJECT_LINES,
    app_lines,
    check_settings,
    config_function,
    cut_between_marks,
    line_using,
    shared_lines,
)
from cardlab.operations.terminal import Commands, Refusal, confirm, say

RECORD = "cardlab-apps.json"
REMOVED = "cardlab-removed"  # the folder for copies of what --changed removes
INSTALLS = "cardlab.server.app"  # in project.py
SHARED = ""  # in the manifest, the lines for all apps
IGNORED_FILES = shutil.ignore_patterns("__pycache__", "*.pyc")


def add_commands(commands: Commands) -> None:
    """Adds ``cardlab add`` and ``cardlab remove``."""
    command = commands.add_parser("add", help="add an app of Card Lab to an oTree project")
    command.add_argument("app", metavar="APP", help="the app, such as ttt_solo_app")
    command.add_argument("--yes", action="store_true", help="do not ask first")
    command.set_defaults(do=lambda options: add(options.app, options.yes))
    command = commands.add_parser("remove", help="undo cardlab add")
    command.add_argument("app", metavar="APP", help="the app, such as ttt_solo_app")
    command.add_argument("--yes", action="store_true", help="do not ask first")
    command.add_argument(
        "--changed",
        action="store_true",
        help=f"move changed files to {REMOVED}",
    )
    command.set_defaults(do=lambda options: remove(options.app, options.yes, options.changed))


def available_apps() -> list[str]:
    """Returns the names of Card Lab's apps."""
    return sorted(path.parent.name for path in project.own_files().glob("*_app/__init__.py"))


def is_wired() -> bool:
    """Returns whether the project's ``project.py`` installs Card Lab in oTree."""
    return INSTALLS in read_text("project.py")


def required_apps(app: str) -> list[str]:
    """Returns the app, after the other apps of Card Lab that its files import."""
    imported: set[str] = set()
    for file in (project.own_files() / app).glob("**/*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported |= {name.partition(".")[0] for name in names}
    others = imported & set(available_apps()) - {app}
    return [*sorted(others), app]


class Manifest:
    """The manifest of ``cardlab add``: lines by file and app, and the digests of the files of each app."""

    def __init__(self) -> None:
        self._file = project.FOLDER / RECORD
        data: dict[str, Any] = {}
        if self._file.is_file():
            try:
                data = json.loads(self._file.read_text("utf-8"))
            except ValueError as error:
                raise Refusal(f"{RECORD} is damaged ({error}). Restore it from your backup or Git.") from None
        self.lines: dict[str, dict[str, str]] = data.get("lines", {"settings.py": {}, "project.py": {}})
        self.apps: dict[str, dict[str, str]] = data.get("apps", {})

    def save(self) -> None:
        """Writes the manifest, or deletes it if nothing is left."""
        if not self.apps:
            self._file.unlink(missing_ok=True)
            return
        comment = f"Written by cardlab add of Card Lab {__version__}. cardlab remove needs it."
        data = {"about": comment, "lines": self.lines, "apps": self.apps}
        replace_file(self._file, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())

    def has(self, app: str) -> bool:
        """Returns whether a user has added an app, not only another app that needs it."""
        return app in self.lines["settings.py"]

    def unneeded(self) -> list[str]:
        """Returns the apps that no added app needs."""
        needed = {name for app in self.lines["settings.py"] if app for name in required_apps(app)}
        return sorted(self.apps.keys() - needed)

    def changed_files(self, app: str) -> list[str]:
        """Returns the files of an app that were changed or added since it was copied."""
        current, recorded = digests(project.FOLDER / app), self.apps[app]
        return sorted(f"{app}/{name}" for name in current if current[name] != recorded.get(name))


def digests(folder: Path) -> dict[str, str]:
    """Returns the SHA-256 of a folder's files by relative path, without compiled Python files.

    Line endings are normalized, because Git may change them.
    """
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc"]
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {
        name: hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()
        for name, content in contents.items()
    }


def replace_file(file: Path, content: bytes) -> None:
    """Writes a file, complete or not at all; keeps its permissions."""
    unfinished = file.with_name(f"{file.name}.part")
    unfinished.write_bytes(content)
    if file.exists():
        shutil.copymode(file, unfinished)
    os.replace(unfinished, file)


# ------------------------------------------------------------------ adding


@readable_for_others()
def add(app: str, yes: bool) -> int:
    """Shows what adding an app changes, asks, and writes it; returns the exit code."""
    check_installed()
    manifest = Manifest()
    new_apps = check_new(app, manifest)
    texts = {name: read_text(name) for name in ("settings.py", "project.py")}
    check_settings(texts["settings.py"])
    lines = {"settings.py": {app: app_lines(app)}, "project.py": {}}
    if not manifest.lines["settings.py"]:
        lines["settings.py"] = {SHARED: shared_lines(texts["settings.py"]), **lines["settings.py"]}
        if INSTALLS not in texts["project.py"]:
            lines["project.py"] = {SHARED: PROJECT_LINES}
    after = dict(texts)
    for name, parts in lines.items():
        for part, text in parts.items():
            parts[part] = to_append(after[name], text)
            after[name] += parts[part]
    show_changes(texts, after)
    for name in new_apps:
        count = len(digests(project.own_files() / name))
        say(f"New folder: {name}, a copy of Card Lab's app ({count} files)")
    if not yes and not confirm("Write these changes?"):
        say("Nothing was changed.")
        return 1
    for name in new_apps:
        shutil.copytree(project.own_files() / name, project.FOLDER / name, ignore=IGNORED_FILES)
        manifest.apps[name] = digests(project.FOLDER / name)
    for name, parts in lines.items():
        manifest.lines[name] |= parts
    manifest.save()
    write_changes(texts, after)
    say(f"{app} was added. To try it, run: {COMMAND} run, or: otree devserver", *hints())
    return 0


def check_installed() -> None:
    """Raises Refusal in Card Lab's source folder, which has all apps."""
    if not project.IS_INSTALLED:
        raise Refusal(
            "This folder is Card Lab's own project, which has all apps. Install Card Lab in the environment "
            "of your oTree project, with pip install and the path of this folder. Then run cardlab there."
        )


def check_new(app: str, manifest: Manifest) -> list[str]:
    """Returns the apps to copy. Raises Refusal if the app is unknown or added, or a folder is in the way."""
    if app not in available_apps():
        raise Refusal(f"Card Lab has no app {app}. Its apps are {', '.join(available_apps())}.")
    if manifest.has(app):
        raise Refusal(f"{app} has been added already.")
    new_apps = [name for name in required_apps(app) if name not in manifest.apps]
    for name in new_apps:
        if (project.FOLDER / name).exists():
            raise Refusal(
                f"This project has a folder {name} that cardlab add did not write. Rename it or move it away."
            )
    return new_apps


def read_text(name: str) -> str:
    """Returns the text of a file in the project with its line endings; empty if there is no file."""
    file = project.FOLDER / name
    try:
        return file.read_bytes().decode("utf-8") if file.is_file() else ""
    except UnicodeDecodeError as error:
        raise Refusal(f"{name} is not text in UTF-8 (byte {error.start + 1}). Save it as UTF-8.") from None


def to_append(text: str, lines: str) -> str:
    """Returns lines in the form to append to a text: with its line endings, after an empty line."""
    separator = ("" if text.endswith("\n") else "\n") + "\n" if text else ""
    return with_line_ends_of(text, separator + lines)


def with_line_ends_of(text: str, lines: str) -> str:
    """Returns lines with the line endings of a text: CRLF if the text has any."""
    lines = lines.replace("\r\n", "\n")
    return lines.replace("\n", "\r\n") if "\r\n" in text else lines


def show_changes(before: dict[str, str], after: dict[str, str]) -> None:
    """Prints the changes of files as a diff."""
    for name, text in before.items():
        say(*difflib.unified_diff(text.splitlines(), after[name].splitlines(), name, name, lineterm="", n=2))


def write_changes(before: dict[str, str], after: dict[str, str]) -> None:
    """Writes the files that have changed; deletes one that has become empty."""
    for name, text in after.items():
        if text:
            if text != before[name]:
                replace_file(project.FOLDER / name, text.encode())
        elif before[name]:
            (project.FOLDER / name).unlink()


def hints() -> list[str]:
    """Returns hints on lines to add by hand, to requirements.txt and .gitignore."""
    sentences = []
    if "card-lab" not in read_text("requirements.txt").replace("_", "-"):
        sentences.append(
            f"Before you host the project, add card-lab[server]=={__version__} to requirements.txt, or the "
            "path of its wheel followed by [server], and delete the lines for otree and psycopg2."
        )
    ignored = read_text(".gitignore").replace("/", "").split()
    if missing := [name for name in FOLDERS if name not in ignored]:
        sentences.append(f"Add to .gitignore, because keys and data will be there: {', '.join(missing)}.")
    return sentences


# ------------------------------------------------------------------ removing


@readable_for_others()
def remove(app: str, yes: bool, also_changed: bool) -> int:
    """Shows what removing an app changes, asks, and undoes ``add``; returns the exit code."""
    check_installed()
    manifest = Manifest()
    if not manifest.has(app):
        raise Refusal(f"{app} was not added to this project by cardlab add.")
    texts = {name: read_text(name) for name in manifest.lines}
    after, changed = dict(texts), []
    for name, part in parts_to_remove(app, manifest):
        lines = with_line_ends_of(after[name], manifest.lines[name].pop(part))
        if lines in after[name]:
            after[name] = after[name].replace(lines, "")
        else:
            changed.append(f"the lines of Card Lab in {name}")
            after[name] = cut_between_marks(after[name], lines)
    removed_apps = manifest.unneeded()
    changed += [file for name in removed_apps for file in manifest.changed_files(name)]
    check_unused(removed_apps, after["settings.py"])
    if changed and not also_changed:
        raise Refusal(
            f"These have changed since cardlab add: {', '.join(changed)}. Nothing was removed. To remove "
            f"them and keep copies in the folder {REMOVED}, run: {COMMAND} remove {app} --changed"
        )
    show_changes(texts, after)
    say(*(f"Removed folder: {name}" for name in removed_apps))
    if not yes and not confirm("Write these changes?"):
        say("Nothing was changed.")
        return 1
    if changed:
        say(f"What was changed is kept in {keep_copies(removed_apps, texts)}")
    write_changes(texts, after)
    for name in removed_apps:
        if (project.FOLDER / name).is_dir():
            shutil.rmtree(project.FOLDER / name)
        del manifest.apps[name]
    manifest.save()
    say(f"{app} was removed. Its data in the database stay.")
    return 0


def parts_to_remove(app: str, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yields the file and key of each block of lines to remove; with the last app, also the shared blocks."""
    is_last = not manifest.lines["settings.py"].keys() - {SHARED, app}
    for name, parts in manifest.lines.items():
        yield from ((name, part) for part in [app, *([SHARED] if is_last else [])] if part in parts)


def check_unused(removed_apps: list[str], settings: str) -> None:
    """Raises Refusal if the remaining settings still use an app, for example in a sequence."""
    for name in removed_apps:
        if line := line_using(settings, {name, config_function(name)}):
            raise Refusal(f"settings.py still uses {name}: {line}. Delete that first; nothing was removed.")


def keep_copies(removed_apps: list[str], texts: dict[str, str]) -> Path:
    """Copies the apps and the changed files of the project into a new folder; returns it."""
    now = datetime.datetime.now().astimezone()
    folder = project.FOLDER / REMOVED / f"{now:%Y-%m-%d-%H%M%S}"
    for name in removed_apps:
        if (project.FOLDER / name).is_dir():
            shutil.copytree(project.FOLDER / name, folder / name, ignore=IGNORED_FILES)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if text:
            (folder / name).write_bytes(text.encode())
    return folder
