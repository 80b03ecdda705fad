"""Tests how `lab.py withdraw` finds the server that has a participant."""

import io
import json
import urllib.error

import pytest

from cardlab.operations import withdraw
from cardlab.operations.command_line import command_line
from cardlab.operations.keys import secrets_folder
from cardlab.operations.running_server import server_lock, server_urls
from cardlab.operations.terminal import Refusal

CODE = "q7bdn3xy"
SERVERS = {"a": "http://127.0.0.1:8001", "b": "http://127.0.0.1:8002"}


@pytest.fixture
def servers(monkeypatch):
    """Provides the requests to two servers, of which the second has the participant."""
    asked = []

    def fetch(url, path, timeout, payload):
        asked.append((url, path, payload))
        if url == SERVERS["b"] and CODE in (path.partition("=")[2], (payload or {}).get("participant")):
            answer = {"sentences": ["Removed."]} if payload else {"session": "x8f2k1qz"}
            return io.BytesIO(json.dumps(answer).encode())
        raise urllib.error.HTTPError(url, 404, "Not Found", {}, io.BytesIO(b"There is none."))

    monkeypatch.setattr(withdraw, "fetch", fetch)
    monkeypatch.setattr(withdraw, "server_urls", lambda: [*SERVERS.values()])
    return asked


def run(*arguments):
    options = command_line().parse_args(["withdraw", *arguments])
    return options.do(options)


def test_all_servers_are_asked(servers, capsys):
    assert run(CODE, "--yes", "--paid") == 0
    assert [url for url, _path, _payload in servers] == [*SERVERS.values(), SERVERS["b"]]
    assert servers[-1][1:] == ("/api/withdraw", {"participant": CODE, "paid": True})
    assert capsys.readouterr().out.endswith(f"\nServer: {SERVERS['b']}\nRemoved.\n")
    with pytest.raises(Refusal, match="There is no participant zzzzzzzz at .*8001, .*8002"):
        run("zzzzzzzz", "--yes")


def test_nothing_is_removed_without_confirmation(servers, monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda _question: "no")
    assert run(CODE) == 1
    assert [payload for _url, _path, payload in servers] == [None, None]
    said = capsys.readouterr().out
    assert f"all data of participant {CODE} of session x8f2k1qz" in said
    assert "Nothing can bring them back" in said
    with pytest.raises(Refusal, match="is not a participant's code"):
        run("Anna Rossi", "--yes")


def test_unknown_code_is_named_before_the_question(servers, capsys):
    with pytest.raises(Refusal, match="There is no participant zzzzzzzz"):
        run("zzzzzzzz")
    assert capsys.readouterr().out == ""


def test_silent_server_is_named(monkeypatch):
    def fetch(*_arguments, **_options):
        raise ConnectionRefusedError("refused")

    monkeypatch.setattr(withdraw, "fetch", fetch)
    with pytest.raises(Refusal, match="did not answer .*Run the command again"):
        run(CODE, "--yes", "--url", "http://127.0.0.1:1")


def test_address_of_a_killed_server_is_ignored(project):
    state = {"url": SERVERS["a"], "pid": 1}
    (secrets_folder() / "server.json").write_text(json.dumps(state))
    assert server_urls() == []
    with server_lock():
        assert server_urls() == [SERVERS["a"]]
