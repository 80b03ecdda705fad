"""Tests that the growing ck and nk logs in logs/ always equal the exports."""

import shutil
import stat
import time
from contextlib import closing

import pytest
from exported_hands import unexpected_log_lines
from game_table import GameTable, gather_table
from harnesses import GAMES
from tabs import Tab, Visitor, advance, open_first_hand

from cardlab.games.ttt import keeper_log
from cardlab.games.ttt.board import KEEPERS

GROWING = {"Path": "C:\\lab\\session1.txt", "ViewCkNk": "FALSE"}


@pytest.fixture(autouse=True)
def _no_logs_yet(server):
    """Deletes the logs of earlier tests."""
    shutil.rmtree(server.folder / "logs", ignore_errors=True)


def folder(server):
    return server.folder / "logs" / "session1"


def files(server, code):
    """Returns the texts of a participant's existing files, by keeper."""
    day = time.strftime("%d%m%y", time.gmtime())
    named = {keeper: folder(server) / f"{keeper}{day}_{code}.txt" for keeper in KEEPERS}
    return {keeper: path.read_text("utf-8") for keeper, path in named.items() if path.exists()}


def exports(server, session, code):
    """Returns a participant's part of the two log exports, in the same form as ``files``."""
    return exported(server, session)[code]


def exported(server, session, app="ttt_solo_app"):
    """Returns the parts of the two log exports by participant code."""
    contents = {code: {} for code in session.participants}
    for keeper in KEEPERS:
        lines = server.export(session.code, app, f"custom_export_{keeper}_log").splitlines()
        starts = [number for number, line in enumerate(lines) if line.endswith(":Game begins")]
        for start, end in zip(starts, [*starts[1:], None]):
            own = contents[lines[start + 1].split()[1]]
            own[keeper] = own.get(keeper, "") + "".join(f"{line}\n" for line in lines[start:end])
    return contents


def comment(server, session):
    with closing(server.sqlite()) as database:
        found = database.execute("SELECT comment FROM otree_session WHERE code = ?", [session.code])
        return found.fetchone()[0]


def test_log_files_equal_exports_after_every_action(server):
    session = server.create_session("ttt_demo", 2, **GROWING)
    assert "written to logs/session1/" in comment(server, session)
    visitors = [Visitor(server, code) for code in session.participants]
    tabs = [visitor.sit_down() for visitor in visitors]

    def hold():
        for code in session.participants:
            assert files(server, code) == exports(server, session, code)

    hold()
    for action in ["look ck", "T", "U", "Q", "look nk", "P", "C", "N"]:
        for tab in tabs:
            tab.send_action(action, traces=[["pick t", tab.state["clock"]], ["pick ck", tab.state["clock"]]])
            hold()
    for path in (folder(server).parent, folder(server), *folder(server).iterdir()):  # private
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    with Tab(server, session.participants[0], visitors[0].index):
        hold()
    while not tabs[0].state["over"]:
        tabs[0].send_action("P")
    hold()
    tabs[0] = visitors[0].next_hand()
    hold()
    tabs[0].play("P")
    advance(server, session.code)  # the other, who is a hand behind, is moved on
    hold()
    advance(server, session.code)  # now both are moved on
    hold()
    assert unexpected_log_lines(server) == []


def test_killed_server_completes_log_files(server):
    session = server.create_session("ttt_demo", **GROWING)
    (code,) = session.participants
    visitor = Visitor(server, code)
    tab = visitor.sit_down()
    tab.play("UN")
    server.kill9()
    for path in folder(server).iterdir():  # as if the last lines never reached the disk
        path.write_text(path.read_text("utf-8")[:-40], "utf-8")
    server.start()
    tab = Tab(server, code, visitor.index)
    assert files(server, code) == exports(server, session, code)
    tab.play("P")
    assert files(server, code) == exports(server, session, code)
    logs = [keeper_log.read(text.splitlines(), keeper) for keeper, text in files(server, code).items()]
    assert [log.hands[0].sequence for log in logs] == ["UNP", "UNP"]


def test_lost_log_file_is_rewritten_after_restart(server):
    session = server.create_session("ttt_demo", **GROWING)
    (code,) = session.participants
    visitor = Visitor(server, code)
    visitor.sit_down().play("CTT")
    visitor.next_hand().play("U")
    server.stop()
    for path in folder(server).iterdir():
        path.unlink()
    server.start()
    Tab(server, code, visitor.index).play("N")
    assert files(server, code) == exports(server, session, code)


def test_unwritable_log_folder_does_not_stop_the_game(server):
    """A plain file takes the place of the folder, which stops even root."""
    folder(server).parent.mkdir(exist_ok=True)
    folder(server).write_text("in the way", "utf-8")
    session = server.create_session("ttt_demo", **GROWING)
    (code,) = session.participants
    tab = open_first_hand(server, code)
    tab.play("UNP")
    sentence = "The ck and nk logs in logs/session1/ cannot be written"
    assert comment(server, session).count(sentence) == 1
    assert "Play goes on and nothing is lost" in comment(server, session)
    assert "Traceback" not in server.stderr_text()
    folder(server).unlink()
    tab.play("C")
    assert files(server, code) == exports(server, session, code)
    tab.play("T" if tab.state["view"]["turn"] == "nk" else "P")
    assert files(server, code) == exports(server, session, code)
    (hand,) = keeper_log.read(files(server, code)["ck"].splitlines(), "ck").hands
    assert hand.sequence.startswith("UNPC")


def test_log_file_recovers_from_disk_failure(server):
    session = server.create_session("ttt_demo", **GROWING)
    (code,) = session.participants
    tab = open_first_hand(server, code)
    tab.play("U")
    whole = folder(server)
    whole.rename(whole.with_name("taken_away"))
    whole.write_text("in the way", "utf-8")
    tab.play("NP")
    assert "cannot be written" in comment(server, session)
    whole.unlink()
    tab.play("P")
    assert files(server, code) == exports(server, session, code)


def test_without_a_path_no_file_is_written(server):
    session = server.create_session("ttt_demo")
    open_first_hand(server, session.participants[0]).play("UN")
    assert not (server.folder / "logs").exists()


def test_pair_log_files_grow_in_each_role(server):
    """The roles are exchanged after the first hand; in the second the server is killed."""
    blocks = {"blocks": "demo.txt:1, demo.txt:1", "roles": "exchanged"}
    settings = {"practice_hands": 0, "check": False, "MaxRounds": 2, **GROWING}
    session = server.create_session("ttt_pair_transfer_422", 2, **blocks, **settings)

    def hold():
        for code, parts in exported(server, session, "ttt_pair_app").items():
            assert files(server, code) == parts

    table = gather_table(GAMES["ttt_pair"], server, session)
    hold()
    for seat, other in (KEEPERS, KEEPERS[::-1]):
        table.act(seat, f"look {seat}")
        table.tab(other).refused("U")
        table.act(seat, "P")
        hold()
    visitors = table.next_page()
    table = GameTable(GAMES["ttt_pair"], server, session, visitors)
    table.act("ck", "P")
    server.kill9()
    for path in folder(server).iterdir():  # as if the last lines never reached the disk
        path.write_text(path.read_text("utf-8")[:-40], "utf-8")
    server.start()
    table = GameTable(GAMES["ttt_pair"], server, session, visitors)
    hold()
    advance(
        server, session.code, table.visitor("ck").code
    )  # a player who left sees no more; the partner plays on
    hold()
    for code, partner in (session.participants, session.participants[::-1]):
        logs = [keeper_log.read(text.splitlines(), code) for text in files(server, code).values()]
        hands = [hand for log in logs for hand in log.hands]
        assert {(hand.number, hand.partner) for hand in hands} == {(1, partner), (2, partner)}
        assert {hand.seat for hand in hands} == {*KEEPERS}
    assert "Traceback" not in server.stderr_text()
