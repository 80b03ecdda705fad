"""Reads the files with the deals and treatments of simulated sessions."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from cardlab import folders
from cardlab.games.contract import BadFile
from cardlab.games.dealing import DealFile

DEALS, TREATMENTS = folders.both("deals"), folders.both("treatments")


class FileReader:
    """Reads files by name, each once. ``paths`` are those of the files that have been read.

    Parameters:
        places: the folders to search first for a bare name, in this order.
        suffixes: the suffixes of files in these folders that can be read.
    """

    def __init__(self, places: Sequence[Path], suffixes: Sequence[str] = (".txt", ".ini")) -> None:
        self.paths: list[Path] = []
        self._places, self._suffixes = places, suffixes
        self._files: dict[str, DealFile] = {}

    def __call__(self, name: str, _expected: str) -> DealFile:
        """Returns a file. Raises BadFile if it does not exist or is not UTF-8 text."""
        if name not in self._files:
            self._files[name] = self._read(name)
        return self._files[name]

    def _read(self, name: str) -> DealFile:
        paths = [path for folder in reversed(self._places) for path in folder.glob("*.*")]
        paths_by_name = {path.name: path for path in paths if path.suffix in self._suffixes}
        path = paths_by_name.get(name, Path(name))
        if not path.is_file():
            folder = self._places[0]
            is_ours = folder.is_relative_to(folders.PROJECT)
            names = ", ".join(sorted(paths_by_name))
            shown_folder = folder.relative_to(folders.PROJECT) if is_ours else folder
            raise BadFile(
                name,
                f"There is no such file. Files in {shown_folder.as_posix()}/: {names}.",
            )
        content = path.read_bytes()
        self.paths.append(path)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise BadFile(name, "This line is not text in UTF-8. Save the file as UTF-8.", line) from None
        return DealFile(path.name, text, hashlib.sha256(content).hexdigest())


def deal_file_reader(game: str) -> FileReader:
    """Returns a reader of the deal files of the game with a name."""
    return FileReader([folder / game for folder in DEALS])
