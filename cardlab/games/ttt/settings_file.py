"""Reads, validates and resolves the settings of Target the Two, the keys of ``TTT_Solo.ini`` (ruling 5).

``KEYS`` is the single source for the file reader, the fields of the session config and the documentation.
Whether a named file exists is checked when it is opened.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Any

from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile
from cardlab.games.text_file import is_blank_or_comment, numbered_lines, quote
from cardlab.games.ttt import board
from cardlab.games.ttt.show_file import ORDERS

AS_THE_FILE_SAYS = "ini"  # the value of a config field that leaves the setting to the settings file

_UNSAFE_IN_A_NAME = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]')
_WINDOWS_DEVICE = re.compile(r"con|prn|aux|nul|(com|lpt)\d", re.IGNORECASE)


def _whole_number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", text) or not 1 <= int(text) <= 1000:
        raise ValueError
    return int(text)


def _one_of(*words: str) -> Callable[[str], str]:
    """Returns a parser that accepts one of the words in any case, and returns it in this spelling."""
    spelling = {word.lower(): word for word in words}

    def parse(text: str) -> str:
        if text.lower() not in spelling:
            raise ValueError
        return spelling[text.lower()]

    return parse


def _parse_truth(text: str) -> bool:
    return _one_of("TRUE", "FALSE")(text) == "TRUE"


def _bare_name(text: str) -> str:
    if not text or text.startswith(".") or _UNSAFE_IN_A_NAME.search(text):
        raise ValueError
    return text


def _card_back(text: str) -> str:
    match = re.fullmatch(r"(dorso[123])(\.bmp)?", text, re.IGNORECASE)
    return match[1].lower() if match else _bare_name(text)


def _log_folder(text: str) -> str:
    """Returns the last component of the path without its extension (ruling 5)."""
    if text.lower() in ("", "off"):
        return ""
    # PureWindowsPath accepts both separators and drive letters on every operating system.
    folder = re.sub(r"[^A-Za-z0-9_-]+", "_", PureWindowsPath(text).stem).strip("_")[:64]
    if not folder or _WINDOWS_DEVICE.fullmatch(folder):
        raise ValueError
    return folder


@dataclass(frozen=True)
class Key:
    """A setting: its section, default, allowed values and meaning as texts, and its parser.

    ``parse`` takes the stripped text and raises ValueError for an invalid value.
    """

    section: str
    default: Any
    allowed: str
    meaning: str
    parse: Callable[[str], Any]


def _preference(default: Any, allowed: str, meaning: str, parse: Callable[[str], Any]) -> Key:
    return Key("PREFERENCES", default, allowed, meaning, parse)


KEYS: dict[str, Key] = {
    "Path": Key(
        "LOGFILE",
        "",
        "a path whose last part is a folder name of letters, digits, - and _, or empty (or off) for no logs",
        "The folder inside logs/ to which the keeper logs are written during play.",
        _log_folder,
    ),
    "ShowFileName": _preference(
        "game422.txt",
        "a file in deals/ttt/, without a folder",
        "The show file with the hands to play.",
        _bare_name,
    ),
    "MaxRounds": _preference(
        20,
        "a whole number from 1 to 1000",
        "The number of moves after which a hand ends. A pass is a move.",
        _whole_number,
    ),
    "ViewCard": _preference(
        "all",
        "all, mix or none",
        "Which keeper's cards a player may see: both (all), only the keeper whose turn it is "
        "(none), or one until the first exchange of the hand and then both (mix).",
        _one_of("all", "mix", "none"),
    ),
    "DragCkNk": _preference(
        True,
        "TRUE or FALSE",
        "Whether a player may also drag the keeper's card. If not, only the other card can be "
        "dragged onto it.",
        _parse_truth,
    ),
    "CardsBackFile": _preference(
        "dorso1",
        "dorso1, dorso2, dorso3 or an image in the backs folder, without a folder",
        "The back of the cards.",
        _card_back,
    ),
    "ViewTarget": _preference(
        True, "TRUE or FALSE", "Whether the goal place shows the goal card or a card back.", _parse_truth
    ),
    "ViewCkNk": _preference(
        False,
        "TRUE or FALSE",
        "Whether visible keepers' cards lie face up. If not, they lie face down until the player "
        "looks at them.",
        _parse_truth,
    ),
    "syntaxinput": _preference(
        "LINEAR",
        "LINEAR (C Ck UP T N Nk) or CIRCULAR (Nk N UP C Ck T)",
        "The order of the cards in the show file, unless the show file sets it.",
        _one_of(*ORDERS),
    ),
    "Goal": _preference(
        "2H",
        f"one of {' '.join(TTT_PACK)}",
        "The goal card of hands for which the show file sets none.",
        _one_of(*TTT_PACK),
    ),
    "FirstMove": _preference(
        "ck",
        "ck or nk",
        "The first mover of hands for which the show file sets none.",
        _one_of(*board.KEEPERS),
    ),
}

SECTIONS = tuple(dict.fromkeys(key.section for key in KEYS.values()))

_SPELLING = {name.lower(): name for name in KEYS}


def parse_value(key: str, text: str) -> Any:
    """Returns the value of a text for a key of ``KEYS``. Raises ValueError, which says what is allowed."""
    try:
        return KEYS[key].parse(text.strip())
    except ValueError:
        raise ValueError(f"{key} must be {KEYS[key].allowed}, not {quote(text.strip())}.") from None


def read(text: str, name: str) -> dict[str, Any]:
    """Returns the values of the keys in the file. Raises BadFile with line, column and the allowed values.

    Does not use ``configparser``, because it has no line and column of a value, silently joins indented lines
    to the previous value, and accepts a ``[DEFAULT]`` section.
    """
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    section: str | None = None
    for number, line in numbered_lines(text, name):
        if is_blank_or_comment(line):
            continue
        # A comment may follow a setting after a space; a value '//server/logs' is a path.
        line = re.sub(r"(?<=[^\s=])\s+(//|;|#).*", "", line).rstrip()
        indent = len(line) - len(line.lstrip())
        try:
            if line.lstrip().startswith("["):
                section = _section(line.strip())
                continue
            key = _key(line, section)
            if key in lines:
                raise ValueError(f"{key} is already set in line {lines[key]}. Set it only once.")
            lines[key] = number
        except ValueError as error:
            raise BadFile(name, str(error), number, indent + 1) from None
        values[key] = _value(key, line, name, number)
    return values


def _section(header: str) -> str:
    section = header.strip("[]").strip().upper()
    if header[-1] != "]" or section not in SECTIONS:
        allowed = " and ".join(f"[{known}]" for known in SECTIONS)
        raise ValueError(f"Unknown section {quote(header)}. The sections are {allowed}.")
    return section


def _key(line: str, section: str | None) -> str:
    """Returns the key that a line sets, in the spelling of ``KEYS``."""
    text, equals, _ = line.partition("=")
    text = text.strip()
    if not equals:
        raise ValueError(f"Write each setting as 'name = value', not {quote(line.strip())}.")
    key = _SPELLING.get(text.lower())
    if key is None:
        key_names = ", ".join(name for name in KEYS if section in (None, KEYS[name].section))
        raise ValueError(f"Unknown setting {quote(text)}. The settings here are {key_names}.")
    if KEYS[key].section != section:
        raise ValueError(f"{key} must be in the section [{KEYS[key].section}].")
    return key


def _value(key: str, line: str, name: str, number: int) -> Any:
    start = line.index("=") + 1
    column = start + len(line[start:]) - len(line[start:].lstrip()) + 1
    try:
        return parse_value(key, line[start:])
    except ValueError as error:
        raise BadFile(name, str(error), number, column) from None


def resolve(ini: dict[str, Any], overrides: Mapping[str, object]) -> dict[str, Any]:
    """Returns the value in force of every key: from the config, else the settings file, else the default.

    ``ini`` is the result of :func:`read`. ``overrides`` maps keys to texts; ``ini`` in any case leaves a key
    to the file. Raises BadFile "session config", which names the wrong key.
    """
    unknown = [key for key in overrides if key not in KEYS]
    if unknown:
        raise BadFile(
            "session config", f"Unknown setting {quote(unknown[0])}. The settings are {', '.join(KEYS)}."
        )
    values = {key: ini.get(key, setting.default) for key, setting in KEYS.items()}
    for key, override in overrides.items():
        text = str(override)  # settings.py may have 20 or True, the form has texts
        if text.strip().lower() == AS_THE_FILE_SAYS:
            continue
        try:
            values[key] = parse_value(key, text)
        except ValueError as error:
            raise BadFile(
                "session config", f"{error} Enter {AS_THE_FILE_SAYS} to use the value of the settings file."
            ) from None
    return values


def notices(values: dict[str, Any]) -> list[str]:
    """Returns notices for the researcher about settings that are not used literally."""
    if not values["Path"]:
        return []
    return [
        f"The ck and nk logs of this session are written to logs/{values['Path']}/. The server "
        "uses only the last folder name of Path."
    ]
