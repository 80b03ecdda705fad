"""Tests an oTree project with Card Lab's apps from end to end: bots, oTree's servers, and commands."""

import contextlib
import subprocess
import urllib.request

import pytest
from installed import cardlab, lay_out, start_project, with_card_lab
from server_fixture import free_port, wait_for

from cardlab.operations.environment import venv_program
from cardlab.operations.server import end_server

OTREE = str(venv_program("otree"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Provides a folder like ``site-packages``, with Card Lab."""
    return lay_out(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def project(site, tmp_path_factory):
    """Provides an oTree project with a custom app and one app of Card Lab."""
    folder = start_project(tmp_path_factory.mktemp("project") / "study")
    done = cardlab(folder, site, "add", "ttt_pair_app", "--yes")
    assert done.returncode == 0, done.stderr
    return folder


def test_bots_play_added_and_own_apps(project, site):
    (project / "own_app" / "tests.py").write_text(
        "from otree.api import *\nfrom . import Own\n\n"
        "class PlayerBot(Bot):\n    def play_round(self):\n        yield Own, dict(text='x' * 20_000)\n"
    )
    for config in ("ttt_pair_demo", "own"):
        command = [OTREE, "test", config]
        done = subprocess.run(command, cwd=project, env=with_card_lab(site), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        assert "Bots completed session" in done.stderr


def test_otrees_servers_show_all_apps(project, site):
    for command in ("prodserver", "devserver"):  # devserver uses the database that prodserver has created
        port = free_port()
        with (project / f"{command}.txt").open("w") as log:
            server = subprocess.Popen(
                [OTREE, command, f"127.0.0.1:{port}" if command == "prodserver" else str(port)],
                cwd=project,
                env=with_card_lab(site),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            demo = wait_for(lambda at=port: page(at, "/demo"), f"{command} to answer")
            assert "ttt_pair_demo" in demo
            assert "/demo/own" in demo
            assert "--icon" in page(port, "/static/cardlab/icons.css")
            assert page(port, "/static/global/empty.css") is not None
        finally:
            end_server(server)


def page(port, path):
    with (
        contextlib.suppress(OSError),
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            f"http://127.0.0.1:{port}{path}"
        ) as answer,
    ):
        return answer.read().decode()
    return None


def test_commands_work_in_the_project(project, site):
    packed = cardlab(project, site, "zip")
    assert packed.returncode == 0, packed.stderr
    assert "ttt_pair_app" in packed.stdout
    assert "There are no backups in" in cardlab(project, site, "restore").stdout
    refused = cardlab(project, site, "run", "--language", "it")
    assert refused.returncode == 2
    assert "LANGUAGE_CODE = 'it'" in refused.stderr
