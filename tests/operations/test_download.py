"""Tests that downloads are written as they arrive, checked for their length, and show progress."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import io
import json
import threading

import pytest

from cardlab.operations import download
from cardlab.operations.download import ProgressLine, chunks_of_session, fetch_file
from cardlab.operations.terminal import Refusal

HEADING = b"session_code,page\r\n"
ROWS = [b"one,1\r\n", b"other,1\r\n", b"one,2\r\n", b"on,3\r\n", b"one,4"]


@contextlib.contextmanager
def server(send):
    """Provides the address of a server that answers each request with ``send``."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.send_response(200)
            send(self)
            self.close_connection = True

        def log_message(self, *_arguments):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.handle_request, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"


def chunked(*parts: bytes):
    """Returns a function that sends parts; the response is complete if the last part is empty."""

    def send(handler):
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for part in parts:
            handler.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")

    return send


def test_chunked_response_is_written(project):
    parts = [b"a,b\r\n", b"1,2\r\n" * 50_000]
    with server(chunked(*parts, b"")) as url:
        sha256 = fetch_file(url, "/", project / "table.csv", "code")
    content = (project / "table.csv").read_bytes()
    assert content == b"".join(parts)
    assert sha256 == hashlib.sha256(content).hexdigest()


def test_response_without_end_is_refused(project):
    (project / "table.csv").write_text("complete")
    with server(chunked(b"a,b\r\n")) as url, pytest.raises(Refusal, match="could not be downloaded"):
        fetch_file(url, "/", project / "table.csv", "code")
    assert (project / "table.csv").read_text() == "complete"
    assert not list(project.glob("*.part"))


@pytest.mark.parametrize(
    ("state", "share"),
    [
        ({"path": "/api/export_app", "query": {"app": "one"}, "rows": 9, "done": 1, "total": 4}, 0.25),
        ({"path": "/api/export_app", "query": {"app": "one"}, "rows": 0, "done": 0, "total": 0}, None),
        ({"path": "/api/export_app", "query": {"app": "other"}, "rows": 9, "done": 1, "total": 4}, None),
        ({}, None),
    ],
)
def test_share_is_that_of_the_same_export(project, state, share):
    with server(chunked(json.dumps(state).encode(), b"")) as url:
        assert download.share_done(url, "/api/export_app?app=one") == share
    assert download.share_done(url, "/api/export_app?app=one") is None  # the server has ended


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_page_times_are_filtered_by_session(size):
    content = HEADING + b"".join(ROWS)
    chunks = (content[start : start + size] for start in range(0, len(content), size))
    assert b"".join(chunks_of_session(chunks, "one")) == HEADING + ROWS[0] + ROWS[2] + ROWS[4]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_long_download_shows_progress(monkeypatch, stream):
    monkeypatch.setattr(download, "LINE_SECONDS", 0.01)
    monkeypatch.setattr(download, "PLAIN_LINE_SECONDS", 0.01)
    shown = stream()
    arrived = threading.Event()

    def chunks():
        arrived.wait(10)
        yield b"a\n" * 1_500
        while "1,500 rows" not in shown.getvalue():
            arrived.wait(0.01)

    with ProgressLine("table.csv", lambda: 0.256, shown, quiet_seconds=0.01) as progress:
        threading.Timer(0.1, arrived.set).start()
        assert b"".join(progress.count(chunks())) == b"a\n" * 1_500
    text = shown.getvalue()
    assert "table.csv: the server is preparing it" in text
    assert "table.csv: 26% done, 1,500 rows, 0.0 MB" in text
    assert ("\r" in text, "\n" in text) == (stream is Terminal, stream is not Terminal)


def test_short_download_shows_nothing():
    shown = io.StringIO()
    with ProgressLine("table.csv", stream=shown) as progress:
        list(progress.count([b"a\n"]))
    assert shown.getvalue() == ""
