"""What the games' modules ``simulation`` have in common: how a session to be simulated is dealt.

Such a module has ``FIRST_ROUND``, oTree's round in which the game's app plays its first hand, and

``hands(given, deals, count, seed, file) -> list[Dealt]``
    The hands of a session, the same for all who play. ``given`` has the settings that differ from their
    defaults, as texts by name; ``deals`` names a file of deals, is ``seed`` if they are to be drawn by
    ``seed``, or None for what the game itself takes; ``count`` is the number of hands, None for as many as
    there are; ``file`` reads a file by its name. What cannot be is BadFile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from games.contract import BadFile
from games.text_file import quote

SEED = "seed"  # in the place of a file's name: the deals are drawn


class DealFile(NamedTuple):
    """A file that deals or settings are read from; ``sha256`` is that of its bytes."""

    name: str
    text: str
    sha256: str


class Dealt(NamedTuple):
    """A hand to be played: the deal and the settings in force; the file that the deal came from, if one
    did, and what looked odd in it."""

    deal: str
    options: dict[str, Any]
    source: str = ""
    sha256: str = ""
    notice: str = ""


ReadFile = Callable[[str], DealFile]


def refused(sentence: str) -> BadFile:
    """The error to raise for a setting."""
    return BadFile("settings", sentence)


def check_names(given: Mapping[str, str], known: Collection[str]) -> None:
    """BadFile if a setting is given that is not among the ``known``."""
    for name in given:
        if name not in known:
            raise refused(f"There is no setting {quote(name)}; the settings are {', '.join(known)}.")


def chosen(given: Mapping[str, str], allowed: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """The value in force of each setting that has one of a few values, the default first. Raises BadFile."""
    check_names(given, allowed)
    return {name: _value(name, given.get(name), values) for name, values in allowed.items()}


def _value(name: str, text: str | None, allowed: Sequence[Any]) -> Any:
    if text is None:
        return allowed[0]
    spelled = {_spelled(value).lower(): value for value in allowed}
    if text.strip().lower() not in spelled:
        raise refused(f"{name} must be {' or '.join(map(_spelled, allowed))}, not {quote(text)}.")
    return spelled[text.strip().lower()]


def _spelled(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)


def drawn(
    deal: Callable[[str, dict[str, Any]], str], seed: str, options: dict[str, Any], count: int
) -> list[str]:
    """So many deals of ``rules.deal``: those that the server draws for a session with this seed."""
    return [deal(f"{seed}, deal {number}", options) for number in range(1, count + 1)]


def first(deals: Sequence[str], count: int | None, name: str) -> Sequence[str]:
    """The first ``count`` deals of a file, all for None. BadFile if there are fewer."""
    if count is not None and count > len(deals):
        raise BadFile(name, f"{count} hands are asked for, the file has {len(deals)}.")
    return deals[:count]
