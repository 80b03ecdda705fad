"""Tests `lab.py archive` of a played session: contents and checksums."""

import csv
import hashlib
import io
import json
import zipfile

import pytest
from server_fixture import REST_KEY
from tabs import Tab, Visitor

from cardlab.operations.archive import archive
from cardlab.operations.terminal import Refusal


def test_archive_contains_everything_of_a_session(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)
    session = server.create_session("ttt_familiar_422_442", 2, practice_hands=0, check=False, seed="drawn")
    visitor = Visitor(server, session.participants[0], "007")
    visitor.walk_to("Hand")
    with Tab(server, session.participants[0], visitor.index) as tab:
        tab.play("PP")
    file = tmp_path / "session.zip"
    assert archive(session.code, str(file), server.url) == 0
    with zipfile.ZipFile(file) as written:
        content = {
            name.removeprefix(f"card-lab-{session.code}/"): written.read(name) for name in written.namelist()
        }
    sums = dict(reversed(line.split("  ", 1)) for line in content["SHA256SUMS"].decode().splitlines())
    assert sums == {
        name: hashlib.sha256(text).hexdigest() for name, text in content.items() if name != "SHA256SUMS"
    }
    assert {
        *("data/ttt_solo_app_actions.csv", "data/ttt_solo_app_ck_log.txt", "data/all_apps_wide.csv"),
        *("data/ttt_solo_app_transform.txt", "report/ttt_solo_app/report.html", "session.json"),
        *("data/notices.csv", "data/payments.csv"),
        *(
            "files/deals/ttt/transfer422.txt",
            "files/deals/ttt/familiar442.txt",
            "files/deals/ttt/CardLab.ini",
        ),
        *("files/treatments/familiar_422_442.toml", "documents/data-dictionary.md", "codebook.csv"),
        *("dataset_description.json", "read_data.py", "read_data.R", "README.txt", "versions.txt"),
    } <= sums.keys()
    book = [*csv.DictReader(io.StringIO(content["codebook.csv"].decode()))]
    assert not [row for row in book if not row["meaning"] or "not describe" in row["meaning"]]
    types = {(row["file"], row["column"]): row["type"] for row in book}
    assert {name for name, _column in types} == {name for name in sums if name.endswith(".csv")} - {
        "codebook.csv"
    }
    assert types["data/all_apps_wide.csv", "participant.label"] == "text"
    assert types["data/all_apps_wide.csv", "ttt_solo_app.#.player.payoff"] == "number"
    assert types["data/notices.csv", "text"] == "guarded text"
    assert json.loads(content["session.json"])["comment"].startswith("Seed of this session")
    assert b"otree==6" in content["versions.txt"]
    assert REST_KEY.encode() not in b"".join(content.values())
    assert "Look" not in capsys.readouterr().out
    with pytest.raises(Refusal, match="already exists"):
        archive(session.code, str(file), server.url)
    with pytest.raises(Refusal, match="There is no session nosuch"):
        archive("nosuch", str(tmp_path / "none.zip"), server.url)
    assert [path.name for path in tmp_path.iterdir()] == ["session.zip"]
