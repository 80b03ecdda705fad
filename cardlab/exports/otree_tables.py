"""oTree's own tables, written block by block, so that an export of any length needs the same memory.

oTree reads all rows of a table before it writes the first. Participants who have withdrawn are left out:
their rows in the database are empty.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from typing import IO, Any

import otree.export
from otree import settings
from otree.common import get_models_module
from otree.common2 import TimeSpentRow, write_page_completion_buffer
from otree.database import dbq
from otree.export import get_fields_for_csv, sanitize_for_csv, tweak_player_values_dict
from otree.models import Participant, Session
from otree.models_concrete import PageTimeBatch
from otree.session import SessionConfig
from sqlalchemy import func

from cardlab.core.patch import Patch, Wrapper
from cardlab.exports.players import BLOCK_PARTICIPANTS, Export, StoredPlayers, forgotten_rows, pieces
from cardlab.exports.progress import counter_of
from cardlab.sessions.arrival import WITHDRAWN

BLOCK_ROWS = 500
EMPTY = ("", None)

Row = list[Any]
Values = dict[str, Any]  # a row of the database, by column
Count = Callable[[int, int], None]


def _write_rows(file: IO[str], rows: Iterable[Row]) -> None:
    csv.writer(file).writerows([sanitize_for_csv(cell) for cell in row] for row in rows)


def _value_blocks(model: Any, *conditions: Any) -> Iterator[list[Values]]:
    """Yields rows of a model in blocks, in the order of their ids."""
    names = [column.name for column in model.__table__.columns]
    query = model.objects_filter(*conditions).with_entities(*(getattr(model, name) for name in names))
    last_id = 0
    while rows := query.filter(model.id > last_id).order_by(model.id).limit(BLOCK_ROWS).all():
        block = [dict(zip(names, row)) for row in rows]
        last_id = block[-1]["id"]
        yield block


def _values_by_id(model: Any, ids: Iterable[int]) -> dict[int, Values]:
    """Returns the rows of a model with these ids."""
    return {
        values["id"]: values
        for piece in pieces([*set(ids)], BLOCK_ROWS)
        for values in model.values_dicts(model.id.in_(piece))
    }


# ------------------------------------------------------------------ the table of an app


def export_app(app_name: str, fp: IO[str], session_code: str | None = None) -> None:
    """Writes oTree's table of an app: a row for each player."""
    _write_rows(fp, app_rows(app_name, session_code, counter_of(fp)))


def app_rows(app: str, session_code: str | None, count: Count) -> Iterator[Row]:
    """Yields the rows of an app's table, the heading first."""
    models = get_models_module(app)
    player_model = models.Player
    columns = {
        model: get_fields_for_csv(model)
        for model in (Participant, player_model, models.Group, models.Subsession, Session)
    }
    yield [f"{model.__name__.lower()}.{name}" for model, names in columns.items() for name in names]
    of_session = (
        [player_model.session_id == Session.objects_get(code=session_code).id] if session_code else []
    )
    total = player_model.objects_filter(*of_session).count()
    done = 0
    for players in _value_blocks(player_model, *of_session):
        keys = {model: f"{model.__name__.lower()}_id" for model in columns if model is not player_model}
        found = {model: _values_by_id(model, (one[key] for one in players)) for model, key in keys.items()}
        for player in players:
            if found[Participant][player["participant_id"]]["status"] == WITHDRAWN:
                continue
            tweak_player_values_dict(player)
            rows = {player_model: player, **{model: found[model][player[keys[model]]] for model in keys}}
            yield [rows[model][name] for model, names in columns.items() for name in names]
        done += len(players)
        count(done, total)


def _export_custom(
    export: Callable[..., None],
    app_name: str,
    fp: IO[str],
    session_code: str | None = None,
    function_name: str = "custom_export",
) -> None:
    models = get_models_module(app_name)
    own_export = getattr(models, function_name, None)
    if own_export is None:
        export(app_name, fp, session_code, function_name)  # raises
        return
    players = StoredPlayers(models.Player, session_code, counter_of(fp))
    # The export of an app of one's own may need a list.
    _write_rows(fp, own_export(players if isinstance(own_export, Export) else players.list_present()))


# ------------------------------------------------------------------ the wide table


def export_wide(fp: IO[str], session_code: str | None = None) -> None:
    """Writes oTree's wide table: a row for each participant, without the columns that have no value.

    oTree writes every field of an app for every round, also those that only the first round fills.
    """
    _write_rows(fp, wide_rows(session_code, counter_of(fp)))


def wide_rows(session_code: str | None, count: Count) -> Iterator[Row]:
    """Yields the rows of the wide table, the heading first."""
    conditions = {"code": session_code} if session_code else {}
    sessions = {one.id: one for one in Session.objects_filter(**conditions).order_by(Session.id)}
    of_sessions = dbq(Participant.id, Participant.status).filter(Participant.session_id.in_(sessions))
    ids = [number for number, status in of_sessions.order_by(Participant.id) if status != WITHDRAWN]
    if not ids:
        yield []
        return
    apps = _wide_apps([*sessions.values()])
    for done, participants in _participant_blocks(ids):
        for app in apps:
            app.note_filled_columns(participants)
        count(done, 2 * len(ids))
    columns = _WideColumns(sessions)
    yield [*columns.heading, *(name for app in apps for name in app.heading)]
    for done, participants in _participant_blocks(ids):
        app_cells = [app.filled_cells(participants) for app in apps]
        for number, participant in enumerate(participants):
            yield [*columns.cells(participant), *(cell for rows in app_cells for cell in rows[number])]
        count(len(ids) + done, 2 * len(ids))


def _participant_blocks(ids: list[int]) -> Iterator[tuple[int, list[Participant]]]:
    """Yields participants in blocks, each with the number of participants up to its end."""
    done = 0
    for piece in pieces(ids, BLOCK_PARTICIPANTS):
        done += len(piece)
        with forgotten_rows():
            query = Participant.objects_filter(Participant.id.in_(piece))
            yield done, query.order_by(Participant.id).all()


def _wide_apps(sessions: list[Session]) -> list[_WideApp]:
    """Returns the apps of sessions in oTree's order."""
    apps = []
    for app in otree.export._get_best_app_order(sessions):
        try:
            models = get_models_module(app)
        except ModuleNotFoundError:
            otree.export.logger.warning("The app %s is not exported: its folder does not exist.", app)
            continue
        rounds = dbq(func.max(models.Subsession.round_number)).scalar()
        if rounds is not None:
            apps.append(_WideApp(app, rounds))
    return apps


class _WideColumns:
    """The columns of the wide table that are of no app."""

    def __init__(self, sessions: dict[int, Session]) -> None:
        self._sessions = sessions
        self._participant_fields = get_fields_for_csv(Participant)
        self._session_fields = get_fields_for_csv(Session)
        editable = (SessionConfig(session.config).editable_fields() for session in sessions.values())
        self._config_fields = [*dict.fromkeys(["name", *(name for names in editable for name in names)])]

    @property
    def heading(self) -> list[str]:
        """The names of the columns."""
        return [
            *(f"participant.{name}" for name in self._participant_fields),
            *(f"participant.{name}" for name in settings.PARTICIPANT_FIELDS),
            *(f"session.{name}" for name in self._session_fields),
            *(f"session.config.{name}" for name in self._config_fields),
            *(f"session.{name}" for name in settings.SESSION_FIELDS),
        ]

    def cells(self, participant: Participant) -> Row:
        """Returns the cells of a participant."""
        session = self._sessions[participant.session_id]
        return [
            *(getattr(participant, name) for name in self._participant_fields),
            *(participant.vars.get(name) for name in settings.PARTICIPANT_FIELDS),
            *(getattr(session, name) for name in self._session_fields),
            *(session.config.get(name) for name in self._config_fields),
            *(session.vars.get(name) for name in settings.SESSION_FIELDS),
        ]


class _WideApp:
    """The columns of an app in the wide table: each field in each round."""

    def __init__(self, app: str, rounds: int) -> None:
        models = get_models_module(app)
        self._models = (models.Player, models.Group, models.Subsession)
        self._rounds = range(1, rounds + 1)
        self._fields = [get_fields_for_csv(model) for model in self._models]
        self._heading = [
            f"{app}.{number}.{model.__name__.lower()}.{name}"
            for number in self._rounds
            for model, names in zip(self._models, self._fields)
            for name in names
        ]
        self._is_filled = [False] * len(self._heading)

    def note_filled_columns(self, participants: list[Participant]) -> None:
        """Notes the columns that have a value for one of these participants."""
        for row in self._cells(participants):
            self._is_filled = [filled or cell not in EMPTY for filled, cell in zip(self._is_filled, row)]

    @property
    def heading(self) -> list[str]:
        """The names of the columns with values."""
        return [*compress(self._heading, self._is_filled)]

    def filled_cells(self, participants: list[Participant]) -> list[Row]:
        """Returns the cells of each participant in the columns with values."""
        return [[*compress(row, self._is_filled)] for row in self._cells(participants)]

    def _cells(self, participants: list[Participant]) -> list[Row]:
        player_model, group_model, subsession_model = self._models
        of_these = player_model.participant_id.in_([one.id for one in participants])
        players = {
            (one["participant_id"], one["round_number"]): one for one in player_model.values_dicts(of_these)
        }
        groups = _values_by_id(group_model, (one["group_id"] for one in players.values()))
        subsessions = _values_by_id(subsession_model, (one["subsession_id"] for one in players.values()))
        empty = [""] * sum(map(len, self._fields))
        rows = []
        for participant in participants:
            row: Row = []
            for number in self._rounds:
                player = players.get((participant.id, number))
                if player is None:  # the participant's session has fewer rounds, or not this app
                    row += empty
                    continue
                tweak_player_values_dict(player)
                found = (player, groups[player["group_id"]], subsessions[player["subsession_id"]])
                row += [values[name] for values, names in zip(found, self._fields) for name in names]
            rows.append(row)
        return rows


# ------------------------------------------------------------------ page times


def export_page_times(fp: IO[str]) -> None:
    """Writes oTree's table of page times, which oTree stores as text."""
    write_page_completion_buffer()
    fp.write(",".join(TimeSpentRow.__annotations__) + "\n")
    for batches in _value_blocks(PageTimeBatch):
        for batch in batches:
            fp.write(batch["text"])


_MEMORY = "oTree reads all rows of a table into memory before it writes the first."
_REASON = f"{_MEMORY} Participants who have withdrawn are in no table."
PATCHES = (
    Patch(otree.export, "export_app", export_app, "feature", "6c08cfa969da714a", _REASON),
    Patch(otree.export, "export_wide", export_wide, "feature", "b6b7a4acf0c33492", _REASON),
    Patch(otree.export, "export_page_times", export_page_times, "feature", "1643f8520ad3f1b3", _MEMORY),
    Wrapper(otree.export, "custom_export_app", _export_custom, "feature", "adf27f324ea37e79", _MEMORY),
)
