"""Tests the options of a rehearsal, and what it leaves behind."""

import argparse
import contextlib
from types import SimpleNamespace

import pytest

from cardlab.operations import project, rehearse
from cardlab.operations.command_line import command_line


@pytest.mark.parametrize("option", ["--participants", "--speed", "--minutes"])
def test_number_below_one_is_refused(option, capsys):
    with pytest.raises(SystemExit):
        command_line().parse_args(["rehearse", "ttt_demo", option, "0"])
    assert f"{option}: enter a whole number, 1 or more, not '0'" in capsys.readouterr().err


def test_refused_rehearsal_leaves_no_folder(tmp_path, monkeypatch):
    @contextlib.contextmanager
    def server(folder, clock):
        (folder / "server").mkdir()
        yield SimpleNamespace(pid=1), "http://127.0.0.1:8000"
        (folder / "server" / "db.sqlite3-wal").touch()  # a server writes until it stops

    monkeypatch.setattr(project, "FOLDER", tmp_path)
    monkeypatch.setattr(rehearse, "separate_server", server)
    monkeypatch.setattr(rehearse, "install", lambda: None)
    monkeypatch.setattr(rehearse, "play", lambda *arguments: 2)
    options = argparse.Namespace(config="ttt_dmo", participants=2, online=False)
    assert rehearse.rehearse(options) == 2
    assert [*(tmp_path / rehearse.FOLDER).iterdir()] == []
