"""The files that simulated sessions are dealt from."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from cardlab.games.contract import BadFile
from cardlab.games.dealing import DealFile

PROJECT = Path(__file__).resolve().parents[3]
DEALS, TREATMENTS = PROJECT / "deals", PROJECT / "treatments"


class FileReader:
    """Reads files by their names, each once; ``paths`` are those of the files that were read.

    Args:
        folder: Where a bare name is looked for first.
        suffixes: Of the files of the folder that can be read.
    """

    def __init__(self, folder: Path, suffixes: Sequence[str] = (".txt", ".ini")) -> None:
        self.paths: list[Path] = []
        self._folder, self._suffixes = folder, suffixes
        self._files: dict[str, DealFile] = {}

    def __call__(self, name: str, _expected: str) -> DealFile:
        """Returns a file. Raises BadFile if there is none of this name, or if it is not text."""
        if name not in self._files:
            self._files[name] = self._read(name)
        return self._files[name]

    def _read(self, name: str) -> DealFile:
        in_folder = {
            path.name: path for path in sorted(self._folder.glob("*.*")) if path.suffix in self._suffixes
        }
        path = in_folder.get(name, Path(name))
        if not path.is_file():
            is_ours = self._folder.is_relative_to(PROJECT)
            folder = self._folder.relative_to(PROJECT) if is_ours else self._folder
            raise BadFile(
                name, f"There is no such file. Files in {folder.as_posix()}/: {', '.join(in_folder)}."
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
    """Returns a reader of the deal files of a game, by its name."""
    return FileReader(DEALS / game)
