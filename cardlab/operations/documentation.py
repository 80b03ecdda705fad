"""``lab.py docs``: builds the documentation as a site that needs no internet, and opens it."""

import argparse
import re
import shutil
import subprocess
import webbrowser
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.environment import OWN_ENVIRONMENTS, install, module_command
from cardlab.operations.project import COMMAND
from cardlab.operations.terminal import Commands, Refusal, say

VENV = OWN_ENVIRONMENTS["docs"]
SITE = Path("docs", "_build", "html")  # in the project's folder; the server serves it under /docs
SHOWN_WARNINGS = 20


def add_command(commands: Commands) -> None:
    """Adds ``lab.py docs``."""
    command = commands.add_parser("docs", help="build the documentation and open it")
    command.add_argument("--no-open", action="store_true", help="do not open it in the browser")
    command.set_defaults(do=build_and_open)


def missing_notice() -> list[str]:
    """Returns a notice for copies of the project if the site has not been built, otherwise nothing."""
    if project.IS_INSTALLED or (project.FOLDER / SITE / "index.html").is_file():
        return []
    return [f"The built documentation is not in it. To include it, run first: {COMMAND} docs"]


def build_and_open(options: argparse.Namespace) -> int:
    """Builds the site, says where it is and opens it in the browser."""
    say("Building the documentation …")
    site = build(project.FOLDER / SITE)
    page = site / "index.html"
    say(f"The documentation is in {page}. A running server shows it to the admin under /docs.")
    if not options.no_open:
        webbrowser.open(page.as_uri())
    return 0


def build(site: Path) -> Path:
    """Builds the site, replaces the folder ``site``, and returns it.

    For any warning, such as a broken link, keeps the former site and raises Refusal with Sphinx's messages.
    """
    install("docs")
    unfinished = site.with_name(f"{site.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    trees = site.with_name(f"{site.name}.trees")
    options = ["--fail-on-warning", "--keep-going", "--fresh-env", "-q", "--jobs", "auto"]
    folders = ["--doctree-dir", str(trees), str(project.FOLDER / "docs"), str(unfinished)]
    try:
        result = subprocess.run(
            module_command("sphinx", "--builder", "html", *options, *folders, folder=VENV),
            cwd=project.FOLDER,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        if result.returncode:
            raise Refusal("\n".join(["The documentation could not be built:", *warnings_in(result.stderr)]))
        shutil.rmtree(site, ignore_errors=True)
        unfinished.rename(site)
    except OSError as error:
        raise Refusal(f"The documentation could not be built ({error}).") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.rmtree(trees, ignore_errors=True)
    return site


def warnings_in(errors: str) -> list[str]:
    """Returns Sphinx's warnings, a line each, with paths relative to the project's folder."""
    lines = [re.sub("\x1b\\[[0-9;]*m", "", line).strip() for line in errors.splitlines()]
    warnings = [line.replace(f"{project.FOLDER}/", "") for line in lines if re.search("WARNING|ERROR", line)]
    more = [f"… and {len(warnings) - SHOWN_WARNINGS} more"] if len(warnings) > SHOWN_WARNINGS else []
    return [*warnings[:SHOWN_WARNINGS], *more] or [lines[-1] if lines else "Sphinx gave no reason."]
