"""``lab.py zip``: packs the project into one file, without data and secrets."""

import shutil
import tarfile
import tempfile
import textwrap
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.documentation import missing_notice
from cardlab.operations.project import copy_project
from cardlab.operations.terminal import Commands, Refusal, say


def add_command(commands: Commands) -> None:
    """Adds ``lab.py zip``."""
    command = commands.add_parser("zip", help="pack the project without data and secrets, to share it")
    command.set_defaults(do=lambda _options: pack())


def pack() -> int:
    """Packs the project for ``otree unzip``, without the files of this installation."""
    file = project.FOLDER / f"{project.FOLDER.name}.otreezip"
    try:
        with tempfile.TemporaryDirectory() as folder:
            copy = copy_project(Path(folder, "project"))
            with tarfile.open(Path(folder, file.name), "w:gz") as archive:
                archive.add(copy, arcname="")
            names = sorted(path.name for path in copy.iterdir())
            shutil.move(Path(folder, file.name), file)
    except OSError as error:
        raise Refusal(f"The project could not be packed ({error}).") from error
    say(
        f"The project was packed in {file}:",
        textwrap.fill(", ".join(names), initial_indent="    ", subsequent_indent="    "),
        *missing_notice(),
        "The file does not contain data, logs and secrets of this folder. Check the rest before "
        "you share it.",
    )
    return 0
