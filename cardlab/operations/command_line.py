"""The command line of ``lab.py``, and of ``cardlab`` where Card Lab is installed as a package.

Each module of a command adds its own options.
"""

import argparse
import importlib
import signal
import subprocess
import sys
from typing import Any

from cardlab.operations import (
    archive,
    backups,
    bundle,
    check,
    documentation,
    environment,
    export,
    labels,
    own_project,
    pack,
    packages,
    project,
    rehearse,
    run,
    server,
    simulate_faults,
    slots,
    withdraw,
)
from cardlab.operations.private_files import keep_private
from cardlab.operations.project import COMMAND
from cardlab.operations.terminal import Refusal, say

# Commands that need Card Lab's source, with what to do where it is installed as a package.
SOURCE_ONLY = {
    "bundle": "It copies Card Lab's source. For computers without internet, run: pip download "
    '"card-lab[server]"',
    "docs": "It builds the documentation from Card Lab's source.",
    "install": 'Run: pip install "card-lab[EXTRA]", with engine, analysis or dask as EXTRA.',
    "sbom": "It reads uv.lock of Card Lab's source. To list what is installed, run: pip freeze",
    "simulate-faults": "It simulates faults in Card Lab's source, with the tests' packages.",
    "test": "It runs the tests of Card Lab's source. The bots of your apps are run by: otree test",
}
NO_PROJECT = (
    "There is no settings.py in {folder}. {command} runs in the folder of an oTree project. To make one, "
    "run: otree startproject NAME. Change to its folder, and add a game: cardlab add ttt_solo_app"
)


def main() -> int:
    """Runs the command; returns its exit code, 2 for an error that the user can fix."""
    if sys.argv[1:2] == ["analysis"]:  # it has its own options
        return analyse(sys.argv[2:])
    if sys.argv[1:2] in (["preregister"], ["replicate"]):
        return analyse(sys.argv[1:])
    parser = command_line()
    options, others = parser.parse_known_args(sys.argv[1:] or ["--help"])
    if others and options.do is not test:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    options.pytest = others
    for stop in server.stop_signals():
        if stop != getattr(signal, "SIGHUP", None) or signal.getsignal(stop) != signal.SIG_IGN:  # nohup
            signal.signal(stop, interrupt)
    try:
        check_place(options.command)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    if options.do is not test:  # the tests have no participants' data, and install in parallel
        keep_private()
    try:
        code: int = options.do(options)
        return code
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("", "Stopped.")
        return 130


def analyse(arguments: list[str]) -> int:
    """Runs a command of ``python -m cardlab.analysis`` in the environment with its packages."""
    try:
        if project.IS_INSTALLED:
            environment.check_installed("tables", "analysis", any_version=True)
        else:
            environment.install()
        return subprocess.run(environment.module_command("cardlab.analysis", *arguments)).returncode
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def check_place(command: str) -> None:
    """Raises Refusal if an installed Card Lab cannot run a command in this folder."""
    if not project.IS_INSTALLED:
        return
    if command in SOURCE_ONLY:
        raise Refusal(f"{COMMAND} {command} is a command of Card Lab's source folder. {SOURCE_ONLY[command]}")
    environment.check_installed("server", "server")
    if not (project.FOLDER / "settings.py").is_file():
        raise Refusal(NO_PROJECT.format(folder=project.FOLDER, command=f"{COMMAND} {command}"))
    if command not in ("add", "remove") and not own_project.is_wired():
        raise Refusal(
            "This project has no app of Card Lab. Add one first, such as: cardlab add ttt_solo_app. All "
            f"apps: {', '.join(own_project.available_apps())}."
        )


def test(options: argparse.Namespace) -> int:
    """Runs the stages of the tests, which need no installed packages."""
    sys.path.append(str(project.FOLDER / "tests"))
    code: int = importlib.import_module("stages").run_stages(options.pytest)
    return code


class StrictParser(argparse.ArgumentParser):
    """A parser that accepts no abbreviated options; those of its commands are of the same class."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)


def command_line() -> argparse.ArgumentParser:
    """Returns the parser with all commands and their options."""
    parser: argparse.ArgumentParser = StrictParser(
        prog=COMMAND, description="Runs Card Lab and manages its sessions."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (
        *(run, check, rehearse, slots, labels, export, archive, withdraw, backups, pack, bundle),
        *(documentation, simulate_faults),
    ):
        module.add_command(commands)
    packages.add_commands(commands)
    own_project.add_commands(commands)
    commands.add_parser("analysis", help="evaluate exports; analysis --help lists the commands")
    commands.add_parser("preregister", help="freeze the plan of a study: analysis preregister")
    commands.add_parser("replicate", help="replicate a published study: analysis replicate")
    command = commands.add_parser("test", help="run all tests; further options are passed to pytest")
    command.set_defaults(do=test)
    return parser


def interrupt(*_signal: object) -> None:
    """Handles every stop signal like Ctrl-C."""
    raise KeyboardInterrupt
