"""Tests that `lab.py export` is complete and reports lost records, for every game."""

from contextlib import closing

import pytest
from matrix_table import MatrixTable, arrive
from server_fixture import REST_KEY
from tabs import Tab, Visitor, advance

from cardlab.operations import export as exporting


@pytest.fixture
def export(server, tmp_path, monkeypatch, capsys):
    """Provides a function that exports like the command; it returns the exit code and stderr."""
    monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)

    def fetch(session):
        status = exporting.export(session.code, str(tmp_path / "exports"), server.url)
        return status, capsys.readouterr().err

    return fetch


def damage(server, statement, *values):
    """Changes the database without the server's knowledge."""
    with closing(server.sqlite()) as database, database:
        assert database.execute(statement, values).rowcount


OF_SESSION = "session_id = (SELECT id FROM otree_session WHERE code = ?)"


def test_target_the_two_export_is_complete(server, export):
    """One practice hand, one unpaid hand, one open hand; then a record is lost."""
    session = server.create_session(
        "ttt_static_422", 2, practice_hands=1, check=False, MaxRounds="2", pay_hands="one", seed=3
    )
    code, _never = session.participants
    visitor = Visitor(server, code)
    for _hand in range(3):
        visitor.walk_to("Hand")
        with Tab(server, code, visitor.index) as tab:
            tab.play("PP")
        visitor.send()
    with Tab(server, code, visitor.index) as tab:
        tab.play("P")
    assert export(session) == (0, "")
    rows = server.query(f"SELECT _payoff FROM ttt_solo_app_player WHERE {OF_SESSION}", session.code)
    assert {float(points) for (points,) in rows} == {0}
    damage(server, "DELETE FROM card_lab_line WHERE hand = ?", f"ttt_solo_app-{session.code}-{code}-2")
    status, error = export(session)
    assert status == 1
    assert error.count("\n") == 1
    assert f": {code} in round 2 of ttt_solo_app. Keep the database" in error


def test_triangle_export_is_complete(server, export):
    """The researcher ends both hands; then one payoff no longer matches its record."""
    session = server.create_session("triangle_standard", 1, check=False, hands=2, payoff_base=50)
    (code,) = session.participants
    visitor = Visitor(server, code)
    visitor.walk_to("Hand")
    for _hand in range(2):
        advance(server, session.code)
    visitor.open_start_link()
    assert visitor.name == "Results"
    assert export(session) == (0, "")
    paid = f"UPDATE triangle_app_player SET _payoff = 1 WHERE {OF_SESSION} AND round_number = 1"
    damage(server, paid, session.code)
    status, error = export(session)
    assert (status, error.count("\n")) == (1, 1)
    assert f": {code} in round 1 of triangle_app. Keep the database" in error


def test_matrix_export_is_complete(server, export):
    """In one game the partner stays on its page, one is played with a robot; then all records are lost."""
    session = server.create_session(
        "matrix_two",
        4,
        check=False,
        games=2,
        pack="special",
        gather_seconds=0.3,
        no_shows="robot",
        robot="random",
        payoff_floor=-99,
    )
    visitors = arrive(server, session.participants[:3])
    for visitor in visitors:
        visitor.walk_to("Hand")
    together = [visitor for visitor in visitors if len(table_mates(server, session, visitor)) == 2]
    (alone,) = set(visitors) - set(together)
    table = MatrixTable(server, session, together)
    table.play_to_the_end()
    table.visitor("S").send()
    MatrixTable(server, session, [alone]).play_to_the_end()
    alone.send()
    assert export(session) == (0, "")
    damage(server, f"DELETE FROM card_lab_line WHERE {OF_SESSION}", session.code)
    status, error = export(session)
    assert (status, error.count("\n")) == (1, 1)
    gone = sorted(visitor.code for visitor in visitors)
    assert (
        f": {', '.join(f'{code} in round 2 of matrix_game_app' for code in gone)}. Keep the database" in error
    )


def table_mates(server, session, visitor):
    ((group,),) = server.query(
        "SELECT player.group_id FROM matrix_game_app_player AS player "
        "JOIN otree_participant AS who ON who.id = player.participant_id "
        "WHERE who.code = ? AND player.round_number = 2",
        visitor.code,
    )
    return server.query("SELECT id FROM matrix_game_app_player WHERE group_id = ?", group)
