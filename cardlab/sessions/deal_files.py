"""Reads the files that a session config names: show files, deal files, settings files, treatments.

They are in ``deals/<game>/`` or ``treatments/`` of the project, or among Card Lab's own files. A name with a
path is rejected, so that no config can read other files. A room's label file may be anywhere.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from cardlab import folders
from cardlab.games.contract import BadFile
from cardlab.games.dealing import DealFile
from cardlab.games.text_file import shorten

MAX_BYTES = 1_000_000  # of a file, which is read and checked under oTree's lock
DEALS = folders.both("deals")
TREATMENTS = folders.both("treatments")


def read_deal_file(game: str, name: str, description: str) -> DealFile:
    """Returns the file ``deals/<game>/<name>``; ``description`` is its kind, such as ``show file``.

    Raises BadFile if the name has a path, or the file is missing, unreadable, too large or not text.
    """
    return _read([folder / game for folder in DEALS], f"deals/{game}/", (".txt", ".ini"), name, description)


def read_treatment_file(name: str, description: str) -> DealFile:
    """Returns the file ``treatments/<name>``, which has treatments or labels. Raises BadFile."""
    suffix = ".csv" if description == "label file" else ".toml"
    return _read(TREATMENTS, "treatments/", (suffix,), name, description)


def read_room_file(path: str) -> DealFile:
    """Returns the label file of a room, by its path from the project's folder. Raises BadFile."""
    if not Path(path).exists():
        raise BadFile(path, "This label file does not exist. Create it, or correct ROOMS in settings.py.")
    return _content(Path(path), path, "label file")


def treatment_files() -> list[str]:
    """Returns the names of all files with treatments, in order."""
    return sorted(name for name in _files(TREATMENTS) if name.endswith(".toml"))


def _files(places: list[Path]) -> dict[str, Path]:
    """Returns the paths in these folders by name; a file in an earlier folder takes precedence."""
    folders = [folder for folder in reversed(places) if folder.is_dir()]
    return {path.name: path for folder in folders for path in folder.iterdir()}


def _read(
    places: list[Path], called: str, suffixes: tuple[str, ...], name: str, description: str
) -> DealFile:
    if not name or "/" in name or "\\" in name:
        raise BadFile(
            shorten(name) or description,
            f"write the name of the {description} without a folder; the file must be in {called}.",
        )
    files = {file_name: path for file_name, path in _files(places).items() if path.suffix.lower() in suffixes}
    if name not in files:
        usual = ".ini" if description == "settings file" else ".txt"
        names = ", ".join(
            sorted(other_name for other_name in files if usual not in suffixes or other_name.endswith(usual))
        )
        raise BadFile(
            shorten(name), f"there is no such {description} in {called}. Available files: {names or 'none'}."
        )
    return _content(files[name], name, description)


def _content(path: Path, name: str, expected: str) -> DealFile:
    """Returns a file under this name. Raises BadFile if it is missing, unreadable, too large or not text."""
    try:
        if path.stat().st_size > MAX_BYTES:
            with path.open("rb") as file:
                place = _place(file.read(MAX_BYTES).decode("utf-8", errors="replace"))
            raise BadFile(name, f"the {expected} is too large. The limit is {MAX_BYTES // 1000} kB.", *place)
        content = path.read_bytes()
    except OSError as error:
        raise BadFile(name, f"the {expected} cannot be read ({error.strerror}).") from None
    text = _text(name, expected, content)
    return DealFile(name, text, hashlib.sha256(content).hexdigest())


def _text(name: str, description: str, content: bytes) -> str:
    """Returns the content as text. Raises BadFile, also for UTF-16, which its zero bytes reveal."""
    content = content.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
    try:
        text = content.decode("utf-8")
        fault_index = text.find("\0")
    except UnicodeDecodeError as error:
        fault_index = len(text := content[: error.start].decode("utf-8"))
    if fault_index < 0:
        return text
    encoding_note = ", not in UTF-16" if b"\0" in content else ""
    raise BadFile(
        name,
        f"the {description} must be text in UTF-8{encoding_note}. Save it as UTF-8.",
        *_place(text[:fault_index]),
    )


def _place(text_before: str) -> tuple[int, int]:
    """Returns the line and column, from 1, of the character after a text."""
    return text_before.count("\n") + 1, len(text_before) - text_before.rfind("\n")
