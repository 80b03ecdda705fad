"""Files that appear complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from games.contract import BadFile


@contextmanager
def whole_file(path: Path, sources: Sequence[Path] = ()) -> Iterator[TextIO]:
    """A text file to write that takes its name only when all of it is written (UTF-8).

    BadFile if the file cannot stand there, or is one of the ``sources`` that are being read.
    """
    target = path.resolve()
    if target in [source.resolve() for source in sources]:
        raise BadFile(str(path), "This is one of the files to be read; write to another name.")
    if path.exists() and not path.is_file():
        raise BadFile(str(path), "A folder or device has this name; give the name of a file to write.")
    if not target.parent.is_dir():
        raise BadFile(str(path), f"There is no folder {path.parent} to write to.")
    unfinished = target.with_name(f"{target.name}.part")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            yield file
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
