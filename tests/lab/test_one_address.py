"""Tests several servers behind one address with nginx and PostgreSQL (`lab.py run --servers`)."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests
from server_fixture import free_port, wait_for, working_copy
from tabs import Gone, Tab, Visitor

from cardlab.operations import project
from cardlab.operations.project import WINDOWS
from cardlab.operations.several_servers import nginx_program
from cardlab.operations.terminal import Refusal

try:
    nginx_program()
    HAS_NGINX = not WINDOWS and sys.version_info >= (3, 11)
except Refusal:
    HAS_NGINX = False

FILE = """
port = {0}
postgres = "{postgres}"
[a]
port = {1}
rooms = ["lab"]
[b]
port = {2}
rooms = ["typed"]
language = "it"
[c]
port = {3}
rooms = ["open"]
"""


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def ports():
    return [free_port() for _server in range(4)]


@pytest.fixture
def servers(tmp_path, ports, postgres):
    """Provides the folder of three servers that run behind the first of the ports."""
    folder = working_copy(tmp_path / "card_lab")
    (folder / ".venv").symlink_to(project.FOLDER / ".venv")
    address = postgres.new_database().rsplit("/", 1)[0]
    (folder / "servers.toml").write_text(FILE.format(*ports, postgres=address))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTREE_")}
    with open(folder / "out.txt", "wb") as out:
        running = subprocess.Popen(
            [sys.executable, "lab.py", "run", "--servers", "servers.toml"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )

    def ready():
        output = (folder / "out.txt").read_text("utf-8")
        assert running.poll() is None, output
        return "to stop them all" in output

    try:
        wait_for(ready, "the servers to be ready", 120)
        yield folder
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 0
    finally:
        if running.poll() is None:
            running.terminate()
            running.wait(60)
    assert not any(map(listens, ports))
    output = (folder / "out.txt").read_text("utf-8")
    assert "Traceback" not in output, output


def session_in(folder: Path, port: int, room: str, config: str, participants: int) -> tuple[str, list[str]]:
    """Creates a session at a server's own port; returns its code and its participants' codes."""
    key = {"otree-rest-key": (folder / "secrets" / "rest_key").read_text()}
    request = {"session_config_name": config, "num_participants": participants, "room_name": room}
    request["modified_session_config_fields"] = {"seed": 1, "tutorial": "free", "check": False}
    url = f"http://127.0.0.1:{port}/api"
    code = requests.post(f"{url}/sessions", json=request, headers=key).json()["code"]
    there = requests.post(f"{url}/get_session/{code}", json={}, headers=key).json()["participants"]
    return code, [one["code"] for one in sorted(there, key=lambda one: one["id_in_session"])]


@pytest.mark.long("starts three servers and PostgreSQL")
@pytest.mark.skipif(not HAS_NGINX, reason="nginx is not installed, or no TOML")
def test_three_servers_share_one_address(servers, ports):
    one = SimpleNamespace(url=f"http://127.0.0.1:{ports[0]}")
    session_a, [first, *_rest] = session_in(servers, ports[1], "lab", "ttt_demo", 2)
    session_b, pair = session_in(servers, ports[2], "typed", "matrix_two", 2)
    session_c, [third] = session_in(servers, ports[3], "open", "ttt_demo", 1)
    assert [code[0] for code in (session_a, first, session_b, *pair, session_c, third)] == [*"aabbbcc"]

    # Participants come by the room, and by start links, which begin with the shared address.
    with requests.Session() as admin:
        rooms = admin.get(f"{one.url}/server/a").text
        assert set(re.findall(r"/room_without_session/(\w+)", rooms)) == {"lab"}
        cards = admin.get(f"{one.url}/cardlab/links/lab").text
        link = re.search(r'href="(http\S+?PC01\S+?)"', cards)[1].replace("&amp;", "&")
    assert link.startswith(f"{one.url}/room/lab?")
    assert f"/p/{first}/" in requests.get(f"{link}&welcome_page_ok=1").url
    refused = requests.get(f"{one.url}/room/lab?participant_label=PC02&welcome_page_ok=1")
    assert refused.status_code == 404
    assert f"/p/{third}/" in requests.get(f"{one.url}/room/open?welcome_page_ok=1").url
    assert requests.get(f"{one.url}/room/open?welcome_page_ok=1").status_code == 503  # full, and no other's
    assert '<html lang="it">' in requests.get(f"{one.url}/room/typed").text

    # Pages and sockets work, also for a group.
    alone = Visitor(one, first)
    tab = alone.sit_down()
    tab.play("P")
    players = [Visitor(one, code) for code in pair]
    for player in players:
        player.walk_to("Gather", "Hand")
    players[0].open_start_link()
    assert [player.name for player in players] == ["Hand", "Hand"]
    tables = [Tab(one, player.code, player.index) for player in players]
    assert {table.state["view"]["seat"] for table in tables} == {"S", "W"}
    other = Visitor(one, third)
    late = other.sit_down()
    late.play("P")

    # A server that dies is restarted, and the others keep running.
    pid = json.loads((servers / "servers" / "c" / "secrets" / "server.json").read_text())["pid"]
    os.killpg(pid, signal.SIGKILL)
    with pytest.raises(Gone):
        late.receive()
    tab.play("P")
    assert requests.get(f"{one.url}/InitializeParticipant/{third}").status_code == 502
    wait_for(lambda: listens(ports[3]), "the server to be there again", 60)
    again = Tab(one, third, other.index)
    assert again.state["view"]["moves"] == 1

    # The servers share one study.
    python = servers / ".venv" / "bin" / "python"
    command = [python, "lab.py", "export", "--all", "--servers", "servers.toml"]
    done = subprocess.run(command, cwd=servers, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in (servers / "exports" / "all").iterdir()} == {
        session_a,
        session_b,
        session_c,
    }
    command = [
        python,
        "-m",
        "cardlab.analysis",
        "hands",
        "exports/all/*/ttt_solo_app_actions.csv",
        "-o",
        "hands.csv",
    ]
    subprocess.run(command, cwd=servers, check=True, capture_output=True)
    with open(servers / "hands.csv", newline="", encoding="utf-8") as file:
        hands = list(csv.DictReader(file))
    assert {hand["session_code"] for hand in hands} == {session_a, session_c}
    assert len({hand["hand_id"] for hand in hands}) == len(hands) == 2
    done = subprocess.run(
        [python, "lab.py", "export", session_b], cwd=servers, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr  # the first letter of the code selects the server
