"""Leaves participants who have withdrawn out of oTree's tables.

oTree writes a row for each participant or player, and empty ones stay of those who have withdrawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import otree.export
from otree.models import Participant

from cardlab.core.patch import Wrapper
from cardlab.sessions.arrival import WITHDRAWN

Rows = list[list[Any]]  # the first has the names of the columns

CODE_COLUMN = "participant.code"


def _without_withdrawn(make_rows: Callable[..., Rows], *arguments: Any, **options: Any) -> Rows:
    header, *rows = make_rows(*arguments, **options)
    codes = {code for (code,) in Participant.objects_filter(status=WITHDRAWN).with_entities(Participant.code)}
    if not codes or CODE_COLUMN not in header:
        return [header, *rows]
    place = header.index(CODE_COLUMN)
    return [header, *(row for row in rows if row[place] not in codes)]


_REASON = "Participants who have withdrawn are in no table."
PATCHES = (
    Wrapper(otree.export, "get_rows_for_csv", _without_withdrawn, "feature", "0d1edabc3b93ebe7", _REASON),
    Wrapper(
        otree.export, "get_rows_for_wide_csv", _without_withdrawn, "feature", "bbf836a40dd0a6f9", _REASON
    ),
)
