"""Restricts oTree's custom exports of a game to the rounds that have begun.

oTree creates rows for all rounds with the session, and its export loads an object for each: sixty per
participant in a game of up to sixty hands.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, TextIO

import otree.export
from otree.common import get_models_module
from otree.database import dbq
from otree.export import get_custom_export_functions, sanitize_for_csv
from otree.models import Participant, Session
from sqlalchemy import func, or_

from cardlab.core.patch import Wrapper
from cardlab.live.lab import LAB
from cardlab.sessions.apps import is_game

_BEGUN = "SELECT hand FROM card_lab_line WHERE session_id = :session_id AND number = 1"


def rounds_begun(models: ModuleType, app: str, session: Session) -> int:
    """Returns the last round of an app that has a hand, a payoff or results; at least 1."""
    prefix = f"{app}-{session.code}-"
    hands = (
        hand for (hand,) in LAB.page_records.rows(_BEGUN, session_id=session.id) if hand.startswith(prefix)
    )
    numbers = (hand.rpartition("-")[2] for hand in hands)
    player = models.Player
    has_data = or_(player.results_shown_ms.isnot(None), player._payoff != 0)
    (last,) = dbq(func.max(player.round_number)).filter(player.session_id == session.id, has_data).one()
    return max(1, last or 1, *(int(number) for number in numbers if number.isdigit()))


def rows_begun(models: ModuleType, app: str, session: Session) -> Iterator[Any]:
    """Yields a session's participants, then an app's subsessions, groups and players in rounds that began."""
    rounds = rounds_begun(models, app, session)
    queries = [Participant.objects_filter(session_id=session.id)]
    for model in (models.Subsession, models.Group, models.Player):
        queries.append(model.objects_filter(model.round_number <= rounds, session_id=session.id))
    for query in queries:
        yield from query


def _cell(cell: Any) -> Any:
    """Returns a cell in oTree's format, with a fast path for common types."""
    kind = type(cell)
    if kind is str:
        return cell.replace("\n", " ").replace("\r", " ")
    return cell if kind is int or kind is float else sanitize_for_csv(cell)


def _custom_export_app(
    usual: Callable[..., None],
    app_name: str,
    fp: TextIO,
    session_code: str | None = None,
    function_name: str = "custom_export",
) -> None:
    models = get_models_module(app_name)
    export = get_custom_export_functions(app_name).get(function_name)
    if not is_game(app_name) or export is None:
        return usual(app_name, fp, session_code=session_code, function_name=function_name)
    sessions = [Session.objects_get(code=session_code)] if session_code else dbq(Session).all()
    # These references keep related rows in SQLAlchemy's identity map, which saves one query per row.
    rows = [row for session in sessions for row in rows_begun(models, app_name, session)]
    players = [row for row in rows if isinstance(row, models.Player)]
    for player in players:
        player._is_frozen = False  # allows empty fields to be read
    table = export(sorted(players, key=lambda player: player.id))
    csv.writer(fp).writerows([_cell(cell) for cell in row] for row in table)


PATCHES = (
    Wrapper(
        *(otree.export, "custom_export_app", _custom_export_app, "speed", "adf27f324ea37e79"),
        "Custom exports read only rounds that have begun: 0.04 instead of 0.25 s of CPU for 60 "
        "participants in round 10 of 60.",
    ),
)
