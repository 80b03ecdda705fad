"""Tests the names of export files, and that a file is complete or absent."""

import http.server
import threading

import pytest

from cardlab.operations.export import export, export_file, export_functions, fetch_file
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
