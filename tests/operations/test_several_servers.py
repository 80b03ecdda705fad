"""Tests several servers behind one address: their file, and the routing by nginx."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from cardlab.operations import nginx, servers_file
from cardlab.operations.command_line import main
from cardlab.operations.several_servers import environment, renew_copy
from cardlab.operations.terminal import Refusal

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 reads no TOML")

THREE = """
port = 8000
host = "0.0.0.0"
postgres = "postgresql://lab:secret@127.0.0.1:5432/"

[a]
port = 8001
rooms = ["lab", "typed"]

[p]
port = 8002
rooms = ["open"]
language = "it"

[t]
port = 8003
"""


def routed_to(path: str, room: str = "", participant: str = "", session: str = "", cookie: str = "") -> str:
    """Returns the letter of the server to which nginx routes a request, by its configuration."""
    text = nginx.nginx_config(servers_file.parse(THREE, "servers.toml"), Path("servers"))
    for pattern, letter in re.findall(r'^ +"~(.+)" (\w);$', text, re.MULTILINE):
        if re.search(pattern, f"{path}|{room}|{participant}|{session}|{cookie}"):
            return letter
    return re.search(r"default (\w);", text)[1]


@pytest.mark.parametrize(
    ("request_", "letter"),
    [
        ({"path": "/room/open"}, "p"),
        ({"path": "/room/lab", "cookie": "p"}, "a"),
        ({"path": "/cardlab/links/open"}, "p"),
        ({"path": "/cardlab/free/room/open"}, "p"),
        ({"path": "/wait_for_session_in_room", "room": "open", "cookie": "a"}, "p"),
        ({"path": "/room/laboratory", "cookie": "t"}, "t"),
        ({"path": "/InitializeParticipant/p1234567", "cookie": "a"}, "p"),
        ({"path": "/p/a1234567/triangle/Hand/12", "cookie": "t"}, "a"),  # not [t], for the app's name
        ({"path": "/p/t1234567/autoplay/Hand/12"}, "t"),
        ({"path": "/hand/t1234567/3", "cookie": "a"}, "t"),
        ({"path": "/OutOfRangeNotification/p1234567"}, "p"),
        ({"path": "/join/pbadofika"}, "p"),
        ({"path": "/cardlab/free/join/pbadofika"}, "p"),
        ({"path": "/SessionMonitor/p1234567", "cookie": "a"}, "p"),
        ({"path": "/cardlab/slots/t1234567"}, "t"),
        ({"path": "/cardlab/report/p1234567/ttt_solo_app/plots/one.svg"}, "p"),
        ({"path": "/cardlab/payments/p1234567/payments.csv", "cookie": "a"}, "p"),
        ({"path": "/api/get_session/p1234567"}, "p"),
        ({"path": "/api/export_app", "session": "t1234567"}, "t"),
        ({"path": "/auto_advance", "participant": "p1234567", "cookie": "a"}, "p"),
        ({"path": "/group_by_arrival_time", "cookie": "p"}, "p"),
        ({"path": "/sessions", "cookie": "t"}, "t"),
        ({"path": "/sessions", "cookie": "x"}, "a"),
        ({"path": "/static/cardlab/playback.js", "cookie": "t"}, "t"),
        ({"path": "/static/triangle/pictures/a.svg", "cookie": "p"}, "p"),
        ({"path": "/"}, "a"),
    ],
)
def test_request_is_routed_to_its_server(request_, letter):
    assert routed_to(**request_) == letter


def test_each_server_gets_its_own_environment(project, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://lab@127.0.0.1/of_one_server")
    servers = servers_file.parse(THREE, "servers.toml")
    environments = [environment(servers, one) for one in servers.servers]
    assert [each["CARD_LAB_SERVER"] for each in environments] == ["a", "p", "t"]
    assert [each["CARD_LAB_ROOMS"] for each in environments] == ["lab typed", "open", ""]
    assert [each["DATABASE_URL"].rsplit("/", 1)[1] for each in environments] == [
        f"card_lab_{it}" for it in "apt"
    ]
    assert [each.get("CARD_LAB_LANGUAGE") for each in environments] == [None, "it", None]
    assert len({each["OTREE_SECRET_KEY"] for each in environments}) == 1
    assert {each["CARD_LAB_LOGOUTS"] for each in environments} == {str(project / "secrets" / "logged_out")}
    files = servers_file.parse(THREE.replace("postgres", "# postgres"), "servers.toml")
    assert "DATABASE_URL" not in environment(files, files.servers[0])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[a]", "[a", "servers.toml is not valid TOML: "),
        (
            "[p]",
            "[server_p]",
            "the name of a server must be one lowercase letter, such as [a], not [server_p].",
        ),
        ("port = 8002\n", "", "servers.toml, [p]: port is missing."),
        (
            "port = 8002",
            "port = 8001",
            "[p]: 8001 is already the port of [a]. Each server needs its own port.",
        ),
        ("port = 8002", "port = 8000", "[p]: 8000 is already the participants' port"),
        ("port = 8002", 'port = "8002"', "[p]: port must be a number from 1 to 65535, not '8002'."),
        ("port = 8002", "port = 0", "[p]: port must be a number"),
        ("language", "langauge", "[p]: unknown setting langauge. Did you mean language?"),
        ("host", "address", "before the first section: unknown setting address. The settings are port, host"),
        ("0.0.0.0", "192.0.2.1", 'host must be "127.0.0.1" or "0.0.0.0", not \'192.0.2.1\'.'),
        (
            '["open"]',
            '"open"',
            '[p]: rooms must be a list of room names, such as ["lab", "typed"], not \'open\'.',
        ),
        ('["open"]', '["open", "x;}"]', "[p]: rooms must be a list of room names"),
        ('["open"]', '["lab"]', "the room lab is assigned to two servers. Assign each room to one server."),
        ("5432/", "5432/one", "postgres must have the form"),
        (
            "port = 8002",
            'port = 8002\ndatabase_url = "x"',
            "[p]: use either database_url or postgres, not both.",
        ),
        (THREE, "port = 8000\n[a]\nport = 8001", "at least two sections, one for each server"),
    ],
)
def test_faults_of_the_file_are_located(old, new, sentence):
    assert old in THREE
    with pytest.raises(Refusal, match=re.escape(sentence)):
        servers_file.parse(THREE.replace(old, new, 1), "servers.toml")


def test_file_with_byte_order_mark_is_read(tmp_path):
    file = tmp_path / "servers.toml"
    file.write_text(THREE, "utf-8-sig")
    assert servers_file.read_file(file) == servers_file.parse(THREE, file.name)


def test_missing_file_and_contradicting_options_are_refused(project, monkeypatch, capsys):
    for options, sentence in (
        (["run", "--servers", "none.toml"], "none.toml cannot be read"),
        (["run", "--servers", "none.toml", "--port", "8001"], "the file sets host, port and language"),
        (["export", "--servers", "none.toml", "x8f2k1qz"], "Name a session, or use --all."),
        (["export", "--all", "x8f2k1qz"], "Name a session, or use --all."),
        (["export"], "Name a session, or use --all."),
    ):
        monkeypatch.setattr("sys.argv", ["lab.py", *options])
        assert main() == 2
        assert sentence in capsys.readouterr().err


def test_renewed_copy_keeps_its_data(project):
    (project / "settings.py").write_text("new")
    (project / "gone_app").mkdir()
    folder = project / "servers" / "a"
    folder.parent.mkdir()
    renew_copy(folder)
    (folder / "secrets").mkdir()
    (folder / "db.sqlite3").write_text("data")
    (project / "gone_app").rmdir()
    (project / "settings.py").write_text("newer")
    renew_copy(folder)
    names = {path.name for path in folder.iterdir()}
    assert names >= {"secrets", "db.sqlite3", "settings.py", ".venv"}
    assert not names & {"gone_app", "servers"}
    assert (folder / "settings.py").read_text() == "newer"
