"""Compares the hands table of the analysis with the server's own, for every game, on random play.

The functions of the hand socket and the pages make the records; those of the data page export them. Only the
oTree rows are stand-ins.
"""

from __future__ import annotations

import csv
import io
import random
import tempfile
from importlib import import_module
from inspect import isfunction, ismodule
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from harnesses import GAMES
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_records import MemoryRecords
from performance_measures import measured_rows
from random_play import CREATED_MS, Played, Table
from server_tables import LABELS, small_session

from cardlab.analysis import best, hands
from cardlab.analysis.commands import main
from cardlab.analysis.hands import SERVER_ONLY
from cardlab.analysis.sources import read_hands as source_hands
from cardlab.games.events import ARRIVE
from cardlab.games.matrix import rules as matrix
from cardlab.games.performance import FAMILIES
from cardlab.games.record import Opening
from cardlab.games.registry import games_by_name
from cardlab.games.tables import (
    ACTION_COLUMNS,
    DIGEST_COLUMN,
    HAND_COLUMNS,
    PART_COLUMNS,
    PARTICIPANT_COLUMNS,
    PARTICIPANT_ID_COLUMNS,
    RECORD_END_COLUMNS,
)

import matrix_game_app  # isort: skip - after server_tables, which keeps oTree off the project's database

CONFIG = {"pay_hands": "all", "payoff_base": 0, "payoff_rate": 1, "payoff_floor": 0, "seed": 1}
WHO = {"participant_code", "participant_label", "is_bot"}

Row = dict[str, str]


def exported(app: ModuleType, rounds: list[list[Played]], function: str) -> str:
    """Returns a download of the data page, which has everybody's first round, then everybody's second."""
    session = SimpleNamespace(code="s3ss10n0", is_demo=True, _created=CREATED_MS / 1000, config=CONFIG)
    players, kept = [], MemoryRecords()
    for number, games in enumerate(rounds, 1):
        round_hands = []
        for place, hand in enumerate(games, 1):
            group = SimpleNamespace(id_in_subsession=place)
            for seat, who in hand.seated.items():
                player = _player(session, group, seat, who, number, app)
                kept.put(app.Hand.hand_id(player), hand.record)
                round_hands.append(player)
        players += sorted(round_hands, key=lambda player: player.participant.id_in_session)
    table = io.StringIO()
    with kept.on_the_page():
        csv.writer(table).writerows(getattr(app, function)(players))
    return table.getvalue()


def _player(session, group, seat: str, who: int, number: int, app: ModuleType) -> SimpleNamespace:
    label = LABELS[who % len(LABELS)]
    participant = SimpleNamespace(code=f"p{who}", label=label, _is_bot=who == 7, id_in_session=who, status="")
    return SimpleNamespace(
        id=100 * number + who,
        session=session,
        participant=participant,
        round_number=number,
        group=group,
        seat=seat,
        id_in_subsession=who,
        get_folder_name=lambda: app.__name__,
    )


def read(text: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(text)))


def hands_of(actions: str) -> list[Row]:
    """Runs ``python -m cardlab.analysis hands`` on an actions table."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "actions.csv"), Path(folder, "hands.csv")
        source.write_text(actions, "utf-8", newline="")
        assert main(["hands", str(source), "-o", str(out)]) == 0
        return read(out.read_text("utf-8"))


def compared(app: ModuleType, rounds: list[list[Played]]) -> list[tuple[Row, Row]]:
    """Returns pairs of rows of the analysis and the server, in the columns that actions determine."""
    server_row = read(exported(app, rounds, "custom_export_hands"))
    rows = hands_of(exported(app, rounds, "custom_export"))
    assert len(rows) == len(server_row)
    not_shared = {*SERVER_ONLY, *RECORD_END_COLUMNS, *DIGEST_COLUMN}
    shared = [name for name in server_row[0] if name not in not_shared]
    assert set(shared) >= {*HAND_COLUMNS} - {*SERVER_ONLY}
    return [
        ({name: row[name] for name in shared}, {name: cells[name] for name in shared})
        for row, cells in zip(rows, server_row)
    ]


# The matrix card game


def assert_the_same(row: Row, server_row: Row) -> None:
    """Compares two rows. The actions table does not name a no-show."""
    if server_row["participant_code"] and not row["participant_code"]:
        assert [server_row[name] for name in ("actions", "refused", "reconnects")] == ["0", "0", "0"]
        assert not any(row[name] for name in WHO)
        server_row = {**server_row, **dict.fromkeys(WHO, "")}
    assert row == server_row


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**20))
def test_random_hands_equal_the_servers_hands(game, seed):
    for row, server_row in compared(import_module(game.app), game.harness.rounds(seed)):
        if game.harness.PEOPLE > 1:
            assert_the_same(row, server_row)
        else:
            assert row == server_row


def whole(**options: Any) -> dict[str, Any]:
    return {"seed": "a seed", "turn_limit_seconds": 0, "gather_seconds": 0, "robots": {}, **options}


def at_table(seats: str, **options: Any) -> Table:
    """Returns a table at which these seats have arrived."""
    options = whole(**options)
    table = Table(matrix, Opening(matrix.deal("a deal", options), options), CREATED_MS, random.Random(1))
    for seat in seats:
        table.note(seat, ARRIVE)
    return table


def act(table: Table, seats: str, turns: int) -> None:
    """Plays the seats until so many turns are disclosed."""
    while len(table.hand.state.turns) < turns and not table.hand.is_over:
        for seat in seats:
            if seat in matrix.waiting_for(table.hand.state):
                table.now += 1_000
                table.send_action(seat, matrix.legal_actions(table.hand.state, seat)[0])


def one_game(table: Table, seats: str) -> list[tuple[Row, Row]]:
    return compared(
        matrix_game_app, [[], [Played(table.record, {seat: n for n, seat in enumerate(seats, 1)})]]
    )


@pytest.mark.parametrize("seats", ["SW", "SWNE"])
def test_normal_game_gives_a_row_per_seat(seats):
    table = at_table(seats, players=len(seats))
    act(table, seats, 99)
    pairs = one_game(table, seats)
    assert [(row["seat"], row["participant_code"], row["outcome"]) for row, _server_row in pairs] == [
        (seat, f"p{n}", "completed") for n, seat in enumerate(seats, 1)
    ]
    assert all(row == server_row for row, server_row in pairs)


def test_departed_player_has_score_and_time_of_leaving():
    table = at_table("SW", players=2)
    act(table, "SW", 5)
    table.leave("S")
    left, score = table.now, table.hand.result("S").score
    table.now += 60_000
    act(table, "W", 99)
    (gone, server_row), (stayed, stayed_on_server) = one_game(table, "SW")
    assert (gone, stayed) == (server_row, stayed_on_server)
    assert (gone["outcome"], stayed["outcome"]) == ("advanced", "completed")
    assert (int(gone["score"]), float(gone["seconds"])) == (score, (left - CREATED_MS) / 1000)
    assert float(stayed["seconds"]) >= float(gone["seconds"]) + 60


def test_client_seconds_end_when_the_player_leaves():
    """``client_seconds`` ends with the hand, or when the player moves on."""
    table = at_table("SW", players=2)
    act(table, "SW", 5)
    table.leave("S")
    table.now += 60_000
    act(table, "W", 99)
    record = Played(table.record, {"S": 1, "W": 2})
    gone, _stayed = hands_of(exported(matrix_game_app, [[], [record]], "custom_export"))
    assert float(gone["client_seconds"]) == pytest.approx(float(gone["seconds"]), abs=1)


@pytest.mark.parametrize("people", ["S", "SN", "E"])
def test_robot_seat_has_no_participant(people):
    robots = {seat: "random" for seat in "SWNE" if seat not in people}
    table = at_table(people, players=4, robots=robots)
    for row, server_row in one_game(table, people):
        assert row == server_row
        assert (row["participant_code"] == "") == (row["seat"] in robots)


def test_server_played_seat_belongs_to_its_absent_participant():
    table = at_table("S", players=2, turn_limit_seconds=30, gather_seconds=60)
    for _turn in range(3):
        table.wait(61)
    pairs = one_game(table, "SW")
    assert all(row == server_row for row, server_row in pairs)
    assert [row["participant_code"] for row, _server_row in pairs] == ["p1", "p2"]
    assert pairs[1][0]["played_by_server"] != "0"


def test_game_advanced_before_it_was_shown_is_read():
    options = whole(players=2)
    table = Table(matrix, Opening(matrix.deal("a deal", options), options), None, random.Random(1))
    table.leave("S")
    table.leave("W")
    pairs = one_game(table, "SW")
    for row, server_row in pairs:
        assert_the_same(row, server_row)
    assert {(row["outcome"], row["shown_utc"], row["seconds"]) for row, _server_row in pairs} == {
        ("advanced", "", "0.0")
    }


# The names and meanings of the measures

MEASURED = {name: game for name, game in games_by_name().items() if game.performance.hand_measures}
for_each_game = pytest.mark.parametrize("game", MEASURED.values(), ids=MEASURED)


@for_each_game
def test_every_measure_has_a_descriptive_first_line(game):
    for measure in (*game.performance.hand_measures, *game.performance.participant_measures):
        first = (measure.__doc__ or "").splitlines()[0]
        assert len(first) > 10, measure.__name__
        assert "|" not in measure.__doc__, "it stands in a cell of a table of the data dictionary"


@for_each_game
def test_every_public_measure_is_registered(game):
    """A docstring that gives a column's meaning has no full stop at its end."""
    performance, package = game.load_module("performance"), game.rules.__package__
    imported = [thing for thing in vars(performance).values() if ismodule(thing)]
    modules = [performance, *(module for module in imported if module.__package__ == package)]
    names = [named for module in modules for named in vars(module).items()]
    public = [thing for name, thing in names if isfunction(thing) and not name.startswith("_")]
    ours = [function for function in public if function.__module__.startswith("cardlab.")]
    own = {function for function in ours if not function.__doc__.rstrip().endswith(".")}
    assert {*game.performance.hand_measures, *game.performance.participant_measures} == own


@for_each_game
def test_every_participant_measure_has_a_family(game):
    families = game.performance.participant_measures.values()
    assert {*families} <= {*FAMILIES}


@for_each_game
def test_columns_of_the_hands_table_are_unique(game):
    names = hands.table_columns(game)
    assert len(names) == len(set(names))


@for_each_game
def test_column_names_mean_the_same_in_every_table(game):
    further = {measure.__name__ for measure in game.performance.participant_measures}
    tables = [{*hands.table_columns(game)}, {*PARTICIPANT_ID_COLUMNS, "condition"}, {*ACTION_COLUMNS}]
    tables += [{*PARTICIPANT_COLUMNS} - {"hands_over"}]  # same meaning in both
    tables += [{*PART_COLUMNS, *columns} for columns, _of_hand in game.measures.PARTS.values()]
    if game.name in best.searchable_games():
        tables += [{*best.COLUMNS, *best.DEAL_COLUMNS, *best.search_module(game.name).COLUMNS}]
    assert [further & table for table in tables if further & table] == []


@for_each_game
def test_every_threshold_is_explained(game):
    assert [*game.performance.threshold_meanings] == [*game.performance.thresholds._fields]


# Logs of Target the Two

OF_OUTCOMES = ("solved_share", "mean_moves", "mean_excess_moves", "optimal_share", "excess_change")
OF_ROUTES = ("share_422", "share_442", "route_entropy", "sequence_entropy", "repeated_sequences")


def participant_measures(*sources: Path) -> dict[str, dict[str, Any]]:
    """Returns the measures of each participant, over the hands that are over."""
    game, over = games_by_name()["ttt"], {}
    for row in measured_rows(source_hands(sources, lambda _warning: None)):
        row = {name: row.get(name, "") for name in hands.table_columns(game)}
        over.setdefault(row["participant_code"], []).extend([row] if row["outcome"] != "open" else [])
    names, limits = (*OF_OUTCOMES, *OF_ROUTES), game.performance.thresholds()
    measures = [one for one in game.performance.participant_measures if one.__name__ in names]
    assert len(measures) == len(names)
    return {who: {one.__name__: one(own, limits) for one in measures} for who, own in over.items()}


def test_participant_measures_from_logs_equal_the_tables(tmp_path):
    for name in ("custom_export", "custom_export_ck_log", "custom_export_nk_log"):
        (tmp_path / name).write_text(small_session().export(name), "utf-8", newline="")
    table_measures = participant_measures(tmp_path / "custom_export")
    assert table_measures["s3ss10n0_2"]["solved_share"] == 0  # given up, which a log does not contain
    log_measures = participant_measures(tmp_path / "custom_export_ck_log", tmp_path / "custom_export_nk_log")
    assert log_measures == table_measures
