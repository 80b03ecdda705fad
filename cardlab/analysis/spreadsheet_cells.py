"""Restores cells that a spreadsheet, R or pandas has rewritten to the format of the server.

Each function returns the cell as the server writes it, or unchanged if it does not recognize it. Raises
ValueError for a cell whose content is lost; its text says why.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from cardlab.games.tables import format_utc

REMEDY = "Use the file as exported, or import it with every column as text."

_YES_NO = {
    **dict.fromkeys(("1", "1.0", "1,0", "TRUE", "True", "true", "WAHR", "VERO"), "1"),
    **dict.fromkeys(("0", "0.0", "0,0", "FALSE", "False", "false", "FALSCH", "FALSO"), "0"),
}
_DECIMAL_WHOLE = re.compile(r"(-?[0-9]{1,15})[.,]0+")
_ROUNDED = re.compile(r"[+-]?[0-9]([.,][0-9]+)?E[+-][0-9]+")  # codes of the server have no capitals
_DATE = re.compile(  # 01.02.2026, 02. Jan, 02-Jan, Jan-02
    r"[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{1,2}[-. ]{1,2}[A-Za-zä]{3}|[A-Z][a-zä]{2}-[0-9]{2}"
)
_EXACT_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_CLOCK = (
    r"[T ]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?P<fraction>[.,][0-9]{1,9})?"
    r" ?(?P<zone>Z|UTC|[+-][0-9]{2}:?[0-9]{2})?"
)
_TIMES = (
    re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})" + _CLOCK),
    re.compile(r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4})" + _CLOCK),
)
_LOST_TIMES = (
    (re.compile(r"[0-9]{1,2}:[0-9]{2}([.,][0-9])?"), "a spreadsheet has kept only minutes and seconds"),
    (re.compile(r"[0-9]{5}([.,][0-9]+)?"), "a spreadsheet has replaced the time with a number of days"),
    (re.compile(r"[0-9]{1,2}/[0-9]{1,2}/.*"), "it does not say which number is the day, which the month"),
    (re.compile(r".*[T ][0-9]{1,2}:[0-9]{2}"), "a spreadsheet has removed the seconds"),
)


def restore_whole(text: str) -> str:
    """Returns a whole number as digits: ``3`` for ``3.0`` and ``3,0``."""
    if text.isdigit() or not text:
        return text
    if match := _DECIMAL_WHOLE.fullmatch(text):
        return match[1]
    if _ROUNDED.fullmatch(text):
        raise ValueError("a spreadsheet has rounded the number")
    return text


def restore_yes_no(text: str) -> str:
    """Returns ``1`` or ``0`` for a truth value in English, German or Italian."""
    return _YES_NO.get(text, text)


@lru_cache(maxsize=8192)  # many rows have the same time of creation, and events of one move the same time
def restore_time(text: str) -> str:
    """Returns a time as ``2026-11-20T14:03:07.412Z``. A time without a zone is in UTC.

    Reads ``2026-11-20 14:03:07,412``, zones such as ``+01:00``, and ``20.11.2026 14:03:07``.
    """
    if not text or _EXACT_TIME.fullmatch(text):
        return text
    for pattern in _TIMES:
        if match := pattern.fullmatch(text):
            return _format_time(match)
    for lost, reason in _LOST_TIMES:
        if lost.fullmatch(text):
            raise ValueError(reason)
    return text


def _format_time(match: re.Match[str]) -> str:
    names = ("year", "month", "day", "hour", "minute", "second")
    year, month, day, hour, minute, second = (int(match[name]) for name in names)
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
    except ValueError:
        return match[0]  # the reader rejects it
    milliseconds = int(((match["fraction"] or "")[1:] + "000")[:3])
    zone = (match["zone"] or "").replace(":", "")
    if zone[:1] in ("+", "-"):
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
        moment += -offset if zone[0] == "+" else offset
    return format_utc(round(moment.timestamp()) * 1000 + milliseconds)


def is_time(text: str) -> bool:
    """Returns whether ``restore_time`` can read a time."""
    return any(pattern.fullmatch(text) for pattern in _TIMES)


def lacks_milliseconds(text: str) -> bool:
    """Returns whether a time that ``restore_time`` can read has no fraction of a second."""
    return bool(text) and not re.search(r":[0-9]{2}[.,][0-9]", text)


def is_rounded(text: str) -> bool:
    """Returns whether a spreadsheet has replaced a code or label with a rounded number, ``1.23E+15``."""
    return _ROUNDED.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Returns whether a spreadsheet has probably replaced a label with a date, such as ``02.Jan``."""
    return _DATE.fullmatch(text) is not None


RESTORE: Mapping[str, Callable[[str], str]] = {
    "integer": restore_whole,
    "logical": restore_yes_no,
    "time": restore_time,
}
"""The function for each type of a column (``cardlab.games.columns.TYPES``). Texts have none."""
