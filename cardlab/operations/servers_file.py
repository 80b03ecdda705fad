"""Reads the file that describes several servers behind one address (docs/how-to/several-servers.md)."""

import difflib
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardlab.operations.addresses import ALL_INTERFACES
from cardlab.operations.terminal import Refusal

LETTER = "CARD_LAB_SERVER"  # environment variables that cardlab.server.shard reads: the server's letter
ROOMS = "CARD_LAB_ROOMS"  # and its rooms, separated by blanks

POSTGRES = re.compile(r"postgres(ql)?://[^/\s]+")
ROOM = re.compile(r"\w+")


@dataclass(frozen=True)
class Server:
    """One server; the codes of its sessions and participants begin with its ``letter``."""

    letter: str
    port: int
    rooms: tuple[str, ...] = ()
    language: str | None = None
    database_url: str | None = None


@dataclass(frozen=True)
class Servers:
    """All servers, and what they share.

    Participants open ``host`` and ``port``. ``postgres`` is the address of the databases' server, None if
    each database is a file. ``room_letters`` has the letter of each room's server.
    """

    servers: tuple[Server, ...]
    port: int = 8000
    host: str = "127.0.0.1"
    postgres: str | None = None
    language: str | None = None
    room_letters: Mapping[str, str] = field(default_factory=dict)


def read_file(path: Path) -> Servers:
    """Reads the file. Raises Refusal, which names the place of an error."""
    try:
        return parse(path.read_text("utf-8-sig"), path.name)
    except OSError as error:
        raise Refusal(f"{path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{path} is not text in UTF-8. Save it as UTF-8.") from error


def parse(text: str, name: str) -> Servers:
    """Parses the text of a file of this name. Raises Refusal."""
    sections, general = _sections(text, name)
    _check_fields(general, f"{name}, before the first section", GENERAL_FIELDS)
    if len(sections) < 2:
        raise Refusal(f"{name} must have at least two sections, one for each server: [a], [b] …")
    for letter, section in sections.items():
        if not re.fullmatch("[a-z]", letter):
            raise Refusal(
                f"{name}: the name of a server must be one lowercase letter, such as [a], not [{letter}]."
            )
        _check_fields(section, f"{name}, [{letter}]", SERVER_FIELDS)
        if "port" not in section:
            raise Refusal(f"{name}, [{letter}]: port is missing.")
    all_servers = tuple(
        Server(letter, **{**section, "rooms": tuple(section.get("rooms", ()))})
        for letter, section in sections.items()
    )
    letters = {room: server.letter for server in all_servers for room in server.rooms}
    servers = Servers(all_servers, **general, room_letters=letters)
    _check_conflicts(servers, name)
    return servers


def _sections(text: str, name: str) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Parses TOML; returns the sections and the keys before the first."""
    if sys.version_info < (3, 11):
        raise Refusal(
            "Several servers need Python 3.11 or newer, because the file is in TOML. Install it from "
            "python.org."
        )
    else:
        import tomllib

        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise Refusal(
                f"{name} is not valid TOML: {error}. Write one setting per line, such as name = "
                '"text" or name = 3.'
            ) from error
        sections = {key: value for key, value in content.items() if isinstance(value, dict)}
        return sections, {key: value for key, value in content.items() if key not in sections}


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


# By field: whether a value is valid, and the end of the sentence if it is not.
Fields = Mapping[str, tuple[Callable[[Any], Any], str]]
PORT_FIELD: Fields = {
    "port": (lambda value: type(value) is int and 1 <= value <= 65535, "must be a number from 1 to 65535")
}
TEXT = _is_text, "must be text in quotation marks"
GENERAL_FIELDS: Fields = {
    **PORT_FIELD,
    "host": (("127.0.0.1", ALL_INTERFACES).__contains__, 'must be "127.0.0.1" or "0.0.0.0"'),
    "postgres": (
        lambda value: isinstance(value, str) and POSTGRES.fullmatch(value.rstrip("/")),
        'must have the form "postgresql://user:password@127.0.0.1:5432", without a database name',
    ),
    "language": TEXT,
}
SERVER_FIELDS: Fields = {
    **PORT_FIELD,
    "rooms": (
        lambda value: (
            isinstance(value, list) and all(_is_text(room) and ROOM.fullmatch(room) for room in value)
        ),
        'must be a list of room names, such as ["lab", "typed"]',
    ),
    "language": TEXT,
    "database_url": TEXT,
}


def _check_fields(values: Mapping[str, Any], place: str, fields: Fields) -> None:
    for key, value in values.items():
        if key not in fields:
            similar = difflib.get_close_matches(key, fields, 1)
            hint = f" Did you mean {similar[0]}?" if similar else f" The settings are {', '.join(fields)}."
            raise Refusal(f"{place}: unknown setting {key}.{hint}")
        is_valid, requirement = fields[key]
        if not is_valid(value):
            raise Refusal(f"{place}: {key} {requirement}, not {value!r}.")


def _check_conflicts(servers: Servers, name: str) -> None:
    ports = {servers.port: "the participants' port, which is set before the first section"}
    for server in servers.servers:
        if server.port in ports:
            raise Refusal(
                f"{name}, [{server.letter}]: {server.port} is already {ports[server.port]}. Each server "
                "needs its own port."
            )
        ports[server.port] = f"the port of [{server.letter}]"
    rooms = [room for server in servers.servers for room in server.rooms]
    if duplicates := sorted({room for room in rooms if rooms.count(room) > 1}):
        raise Refusal(
            f"{name}: the room {duplicates[0]} is assigned to two servers. Assign each room to one server."
        )
    urls = {server.letter: server.database_url for server in servers.servers if server.database_url}
    if servers.postgres and urls:
        raise Refusal(f"{name}, [{next(iter(urls))}]: use either database_url or postgres, not both.")
    if len(urls) != len({*urls.values()}):
        raise Refusal(f"{name}: two servers have the same database_url. Each server needs its own database.")


def database_url(servers: Servers, server: Server) -> str | None:
    """Returns the PostgreSQL database of a server; None if its data are in a file."""
    if servers.postgres:
        return f"{servers.postgres.rstrip('/')}/card_lab_{server.letter}"
    return server.database_url
