"""The file that tells of several servers behind one address, read and checked (docs/several-servers.md)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardlab.operations.terminal import Refusal

try:
    import tomllib
except ImportError:  # Python 3.10
    tomllib = None

LETTER = "CARD_LAB_SERVER"  # of a server's environment: its letter (cardlab.server.shard)
ROOMS = "CARD_LAB_ROOMS"  # and its rooms, separated by blanks

POSTGRES = re.compile(r"postgres(ql)?://[^/\s]+")


@dataclass(frozen=True)
class OneServer:
    """One of the servers. The codes of its sessions and participants begin with its ``letter``."""

    letter: str
    port: int
    rooms: tuple[str, ...] = ()
    language: str | None = None
    database_url: str | None = None


@dataclass(frozen=True)
class Servers:
    """The servers, and the ``host`` and ``port`` where participants come; ``postgres`` is where the databases
    are, None for a file each; ``of_room`` has the letter of each room's server."""

    servers: tuple[OneServer, ...]
    port: int = 8000
    host: str = "127.0.0.1"
    postgres: str | None = None
    language: str | None = None
    of_room: Mapping[str, str] = field(default_factory=dict)


def read_file(path: Path) -> Servers:
    """The servers that a file tells of; a Refusal says what is wrong with it, and where."""
    if tomllib is None:
        raise Refusal("Several servers need Python 3.11 or newer, for the file is in TOML: see python.org.")
    try:
        return read(path.read_text("utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"{path} cannot be read ({error}).") from error


def read(text: str, name: str) -> Servers:
    """The servers that the text of a file of this name tells of."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refusal(f"{name} is no TOML: {error}.") from error
    sections = {key: value for key, value in found.items() if isinstance(value, dict)}
    general = {key: value for key, value in found.items() if key not in sections}
    _check(general, f"{name}, before the first section", GENERAL)
    if len(sections) < 2:
        raise Refusal(f"{name} must have a section for each server, two or more: [a], [b] …")
    for letter, section in sections.items():
        if not re.fullmatch("[a-z]", letter):
            raise Refusal(f"{name}: a server is called by one small letter, such as [a], not [{letter}].")
        _check(section, f"{name}, [{letter}]", OF_SERVER)
        if "port" not in section:
            raise Refusal(f"{name}, [{letter}]: port is missing.")
    servers = tuple(
        OneServer(letter, **{**section, "rooms": tuple(section.get("rooms", ()))})
        for letter, section in sections.items()
    )
    made = Servers(servers, **general, of_room={room: one.letter for one in servers for room in one.rooms})
    _check_together(made, name)
    return made


def _is_port(value: Any) -> str | None:
    fine = type(value) is int and 1 <= value <= 65535
    return None if fine else "must be a number from 1 to 65535"


def _is_text(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else "must be a text"


def _is_host(value: Any) -> str | None:
    return None if value in ("127.0.0.1", "0.0.0.0") else 'must be "127.0.0.1" or "0.0.0.0"'


def _is_postgres(value: Any) -> str | None:
    fine = isinstance(value, str) and POSTGRES.fullmatch(value.rstrip("/"))
    return None if fine else 'must be like "postgresql://user:password@127.0.0.1:5432", without a name'


def _are_rooms(value: Any) -> str | None:
    fine = isinstance(value, list) and all(
        isinstance(one, str) and re.fullmatch(r"\w+", one) for one in value
    )
    return None if fine else 'must be names of rooms, like ["lab", "typed"]'


GENERAL = {"port": _is_port, "host": _is_host, "postgres": _is_postgres, "language": _is_text}
OF_SERVER = {"port": _is_port, "rooms": _are_rooms, "language": _is_text, "database_url": _is_text}


def _check(fields: Mapping[str, Any], where: str, known: Mapping[str, Any]) -> None:
    for key, value in fields.items():
        if key not in known:
            meant = difflib.get_close_matches(key, known, 1)
            hint = f"; perhaps {meant[0]} is meant" if meant else f"; there are {', '.join(known)}"
            raise Refusal(f"{where}: there is no {key}{hint}.")
        if wrong := known[key](value):
            raise Refusal(f"{where}: {key} {wrong}, not {value!r}.")


def _check_together(made: Servers, name: str) -> None:
    ports = {made.port: "the participants' port, which stands before the first section"}
    for one in made.servers:
        if one.port in ports:
            raise Refusal(f"{name}, [{one.letter}]: {one.port} is {ports[one.port]} too; each needs its own.")
        ports[one.port] = f"the port of [{one.letter}]"
    rooms = [room for one in made.servers for room in one.rooms]
    if twice := sorted({room for room in rooms if rooms.count(room) > 1}):
        raise Refusal(f"{name}: the room {twice[0]} is at two servers; a room is at one.")
    if made.postgres and (own := [one.letter for one in made.servers if one.database_url]):
        raise Refusal(f"{name}, [{own[0]}]: database_url does not go with postgres; say one of them.")
    urls = [one.database_url for one in made.servers if one.database_url]
    if len(urls) != len({*urls}):
        raise Refusal(f"{name}: two servers have one database_url; each needs its own database.")


def database_url(servers: Servers, one: OneServer) -> str | None:
    """The PostgreSQL database of a server; None if its data are in a file."""
    if servers.postgres:
        return f"{servers.postgres.rstrip('/')}/card_lab_{one.letter}"
    return one.database_url
