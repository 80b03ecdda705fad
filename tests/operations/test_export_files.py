"""Tests the names of export files, and that a file is either complete or absent."""

import http.server
import threading

import pytest

from cardlab.operations.archive_materials import meanings_of_apps
from cardlab.operations.command_line import command_line
from cardlab.operations.download import fetch_file
from cardlab.operations.export import export, export_file, export_functions, session_exports
from cardlab.operations.exported_files import missing_hands
from cardlab.operations.terminal import Refusal


def test_export_functions_are_found_in_source():
    source = """
from cardlab.exports.tables import custom_export, participants as custom_export_participants, other
import custom_export_module as something
custom_export_hands = make(custom_table)
custom_export_a, custom_export_b = pair()
def custom_export_ck_log(players): yield []
class Player:
    def custom_export_not_this(self): pass
def helper():
    custom_export_nor_this = 1
"""
    assert export_functions(source) == [
        "custom_export",
        "custom_export_a",
        "custom_export_b",
        "custom_export_ck_log",
        "custom_export_hands",
        "custom_export_participants",
    ]


@pytest.mark.parametrize(
    ("function", "file"),
    [
        ("custom_export", "ttt_solo_app_actions.csv"),
        ("custom_export_hands", "ttt_solo_app_hands.csv"),
        ("custom_export_participants", "ttt_solo_app_participants.csv"),
        ("custom_export_ck_log", "ttt_solo_app_ck_log.txt"),
        ("custom_export_nk_log", "ttt_solo_app_nk_log.txt"),
        ("custom_export_transform", "ttt_solo_app_transform.txt"),
    ],
)
def test_export_file_name_describes_content(function, file):
    assert export_file("ttt_solo_app", function) == file


@pytest.mark.parametrize("session", ["../secrets", "a/b", "", "a b", "é"])
def test_invalid_session_code_is_refused(project, session):
    with pytest.raises(Refusal, match="not a session code"):
        export(session)


def test_app_with_byte_order_mark_is_read(project, monkeypatch):
    """Windows editors write the mark, and Python ignores it."""
    (project / "own_app").mkdir()
    source = (
        "def custom_export(players): yield []\nclass Player(BasePlayer):\n    a = IntegerField(doc='b')\n"
    )
    (project / "own_app" / "__init__.py").write_text(source, "utf-8-sig")
    answer = {"config": {"app_sequence": ["own_app"]}}
    monkeypatch.setattr("cardlab.operations.export.fetch_json", lambda *_where: answer)
    assert "own_app_actions.csv" in session_exports("http://x", "x8f2k1qz")
    assert [*meanings_of_apps(["own_app"])] == ["own_app.player.a"]


def test_folder_that_cannot_be_written_is_refused(project, monkeypatch):
    monkeypatch.setattr("cardlab.operations.export.session_exports", lambda _url, _session: {})
    (project / "file").write_text("")
    options = command_line().parse_args(["export", "x8f2k1qz", "--out", str(project / "file")])
    with pytest.raises(Refusal, match="File exists.*Choose another folder with --out"):
        options.do(options)


def test_truncated_response_keeps_the_earlier_file(project):
    """The server announces 1000 bytes and ends after a few."""

    class BreaksOff(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"a,b\r\n1,2\r\n")

        def log_message(self, *_arguments):
            pass

    file = project / "ttt_solo_app_actions.csv"
    file.write_text("complete")
    with http.server.HTTPServer(("127.0.0.1", 0), BreaksOff) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        with pytest.raises(Refusal, match="could not be downloaded"):
            fetch_file(f"http://127.0.0.1:{server.server_port}", "/", file, "code")
    assert file.read_text() == "complete"
    assert not list(project.glob("*.part"))


def write_tables(folder, page_times, app, hands):
    """Writes the three tables that are compared, from their rows as text."""
    tables = {
        "page_times.csv": ("app_name,page_name,participant_code,round_number", page_times),
        "game_app.csv": ("participant.code,subsession.round_number,player.payoff", app),
        "game_app_hands.csv": ("participant_code,hand_id,outcome,payoff", hands),
    }
    for name, (heading, rows) in tables.items():
        (folder / name).write_text("\n".join([heading, *rows]) + "\n")


def test_missing_and_differently_paid_hands_are_listed(tmp_path):
    write_tables(
        tmp_path,
        [f"game_app,Hand,{code},{number}" for code in "abc" for number in (1, 2)] + ["game_app,Check,d,1"],
        ["a,1,1.5", "a,2,", "b,1,2", "b,2,3", "c,1,0", "d,1,0", "e,7,4"],
        ["a,game_app-s-a-1,won,1.5", "a,game_app-s-a-2,lost,0", "b,game_app-s-b-1,won,2.1"]
        + ["b,game_app-s-b-2,open,3", ",game_app-s-b-2,won,3", "c,game_app-s-c-1,lost,0"],
    )
    assert missing_hands(tmp_path, "game_app") == [
        "b in round 1 of game_app",
        "b in round 2 of game_app",
        "c in round 2 of game_app",
        "e in round 7 of game_app",
    ]
