"""Masks participants' codes in the server's logs, because a code is enough to open a seat.

Codes occur in addresses, in the names of hands and files, and in exception messages. So all log handlers use
:class:`CodeMaskingFormatter`, which writes the participant's number and session instead. The codes are learnt
from the rows that SQLAlchemy loads; unknown codes are masked in addresses.
"""

from __future__ import annotations

import logging
import re
from typing import Any

import sqlalchemy
from otree.database import engine
from otree.models import Participant

from cardlab.guard.log import all_handlers

UNKNOWN = "unknown participant"

_CODE = re.compile(r"(?<![A-Za-z0-9])[a-z0-9]{8}(?![A-Za-z0-9])")
_ADDRESS = re.compile(
    r"(/(?:p|hand|here|seat|InitializeParticipant|OutOfRangeNotification|link|replay)/"
    r"|participant_code\W{1,5})[a-z0-9]{8}(?![A-Za-z0-9])"
)

_names: dict[str, str] = {}  # by code: "participant 3 of session abcd1234"


def name_of(code: str) -> str:
    """Returns a participant's name in logs: number and session."""
    return _names.get(code, UNKNOWN)


def without_codes(text: str) -> str:
    """Returns a text with participants' codes replaced by their names in logs."""
    masked = _CODE.sub(lambda match: _names.get(match[0], match[0]), text)
    return _ADDRESS.sub(rf"\1{UNKNOWN}", masked)


class CodeMaskingFormatter(logging.Formatter):
    """Formats records with another formatter, and masks the codes in the result."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self._formatter = formatter

    def format(self, record: logging.LogRecord) -> str:
        """Returns the masked line."""
        return without_codes(self._formatter.format(record))


def _learn(participant: Participant) -> None:
    cells = vars(participant)
    if "code" in cells and "id_in_session" in cells and "_session_code" in cells:
        number, session = cells["id_in_session"], cells["_session_code"]
        _names[cells["code"]] = f"participant {number} of session {session}"


def _loaded(participant: Participant, _context: Any) -> None:
    _learn(participant)


def _inserted(_mapper: Any, _connection: Any, participant: Participant) -> None:
    _learn(participant)


def mask_codes() -> None:
    """Masks codes in all handlers of this process; may be called repeatedly."""
    engine.hide_parameters = True  # SQLAlchemy's errors would quote codes
    for event, learn in (("load", _loaded), ("after_insert", _inserted)):
        if not sqlalchemy.event.contains(Participant, event, learn):
            sqlalchemy.event.listen(Participant, event, learn)
    for handler in all_handlers("uvicorn", "uvicorn.access"):
        if not isinstance(handler.formatter, CodeMaskingFormatter):
            handler.setFormatter(CodeMaskingFormatter(handler.formatter or logging.Formatter()))
