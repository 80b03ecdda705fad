"""Tests `lab.py archive` of a played session: contents and checksums."""

import csv
import hashlib
import io
import json
import re
import tempfile
import time
import zipfile

import pytest
import requests
from server_fixture import REST_KEY, wait_for
from tabs import Tab, Visitor, advance

from cardlab.analysis.commands import main
from cardlab.operations.archive import Contents, archive
from cardlab.operations.terminal import Refusal
from tests.validators import frictionless_errors, psych_ds_issues


def test_archive_contains_everything_of_a_session(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)
    session = server.create_session("ttt_familiar_422_442", 2, practice_hands=0, check=False, seed="drawn")
    visitor = Visitor(server, session.participants[0], "007")
    visitor.walk_to("Hand")
    with Tab(server, session.participants[0], visitor.index) as tab:
        tab.play("PP")
    file = tmp_path / "session.zip"
    assert archive(Contents([session.code]), str(file), server.url) == 0
    with zipfile.ZipFile(file) as written:
        content = {
            name.removeprefix(f"card-lab-{session.code}/"): written.read(name) for name in written.namelist()
        }
    sums = dict(reversed(line.split("  ", 1)) for line in content["SHA256SUMS"].decode().splitlines())
    assert sums == {
        name: hashlib.sha256(text).hexdigest() for name, text in content.items() if name != "SHA256SUMS"
    }
    table = f"data/session-{session.code}_task-tttSoloApp_description-actions_data.csv"
    wide = f"data/session-{session.code}_description-allAppsWide_data.csv"
    notices = f"data/session-{session.code}_description-notices_data.csv"
    assert {
        *(table, table.replace(".csv", ".json"), wide, notices, "log/ttt_solo_app_ck_log.txt"),
        *("log/ttt_solo_app_transform.txt", "results/ttt_solo_app/report.html", "study.json"),
        *(f"materials/deals/ttt/{name}" for name in ("transfer422.txt", "familiar442.txt", "CardLab.ini")),
        *("materials/treatments/familiar_422_442.toml", "documentation/data-dictionary.md", "codebook.csv"),
        *(f"materials/texts-{session.code}/ttt_solo_app/{page}.html" for page in ("Instructions", "Check")),
        *("materials/settings.py", "materials/ttt_solo_app/__init__.py", "analysis/analyse.sh"),
        *("dataset_description.json", "datapackage.json", "read_data.py", "read_data.R", "README.md"),
        *(f"materials/session-{session.code}.json", "documentation/versions.txt", "CHANGES.md"),
    } <= sums.keys()
    book = [*csv.DictReader(io.StringIO(content["codebook.csv"].decode()))]
    assert not [row for row in book if not row["meaning"] or "not describe" in row["meaning"]]
    types = {(row["file"], row["column"]): row["type"] for row in book}
    assert {name for name, _column in types} == {name for name in sums if name.endswith(".csv")} - {
        "codebook.csv"
    }
    assert types[wide, "participant.label"] == "text"
    assert types[wide, "ttt_solo_app.#.player.payoff"] == "number"
    assert types[notices, "text"] == "guarded text"
    everything = b"".join(content.values())
    assert b"otree==6" in content["documentation/versions.txt"]
    assert REST_KEY.encode() not in everything
    rows = [*csv.DictReader(io.StringIO(content[table].decode()))]
    labels = {row["participant_label"] for row in rows}
    assert len(labels) == 1
    assert labels.pop().startswith("p-")
    assert {row["session_created_utc"] for row in rows} == {"1970-01-01T00:00:00.000Z"}
    assert b"Seed of this session" not in everything
    assert "What was replaced" in content["README.md"].decode()
    assert str(file.parent).encode() not in everything
    assert tempfile.gettempdir().encode() not in content["results/ttt_solo_app/hands.csv"]
    assert main(["verify", str(file)]) == 0
    capsys.readouterr()
    assert main(["reproduce", str(file)]) == 0
    results = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    results = {name.partition("/")[2]: result for name, result in results.items()}
    payments = notices.replace("notices", "payments")
    for name in (payments, "log/ttt_solo_app_ck_log.txt", "log/ttt_solo_app_transform.txt"):
        assert results[name].startswith("rebuilt, the same, ")
    assert (results[wide], results[notices]) == ("record", "record")
    with pytest.raises(Refusal, match="already exists"):
        archive(Contents([session.code]), str(file), server.url)
    with pytest.raises(Refusal, match="There is no session nosuch"):
        archive(Contents(["nosuch"]), str(tmp_path / "none.zip"), server.url)
    assert [path.name for path in tmp_path.iterdir()] == ["session.zip"]


def test_hands_without_one_participant_are_whole(server, tmp_path, monkeypatch, capsys):
    """One comes to the second hand after its end, and is advanced in the third before anybody sees it."""
    monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)
    fields = {"practice_hands": 0, "check": False, "time_limit_seconds": 4}
    session = server.create_session("ttt_pair_demo", 2, **fields)
    late, other = [Visitor(server, code) for code in session.participants]
    for visitor in (late, other, late):
        visitor.walk_to("Gather", "Hand")
        visitor.open_start_link()
    with late.sit_down():
        for _hand in range(2):
            with other.sit_down():
                time.sleep(2.2)  # an end in the last two seconds is by the time limit
                other.send(timeout_happened="1")
    late.send()
    late.walk_to("Hand")
    late.send()
    late.walk_to("Hand")
    advance(server, session.code, late.code)
    with other.sit_down() as tab:
        assert tab.state["hand"] == 3
    file = tmp_path / "session.zip"
    assert archive(Contents([session.code]), str(file), server.url) == 0
    capsys.readouterr()
    assert main(["verify", str(file)]) == 0, capsys.readouterr().out
    assert main(["reproduce", str(file), "--no-reports"]) == 0, capsys.readouterr().out


def test_archive_of_a_study_is_valid(server, tmp_path, monkeypatch):
    """One dataset holds a session in pairs and a sequence, and keeps their labels unchanged."""
    monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)
    sessions = [server.create_session(config, 2, check=False) for config in ("ttt_pair_demo", "two_games")]
    Visitor(server, sessions[1].participants[0], "007")
    contents = Contents([session.code for session in sessions], identified=True, study="Both")
    assert archive(contents, str(tmp_path / "study.zip"), server.url) == 0
    with zipfile.ZipFile(tmp_path / "study.zip") as written:
        written.extractall(tmp_path)
    folder = tmp_path / "card-lab-Both"
    study = json.loads((folder / "study.json").read_text("utf-8"))
    assert [one["code"] for one in study["sessions"]] == [session.code for session in sessions]
    wide = (folder / "data" / "study-Both_description-allAppsWide_data.csv").read_text("utf-8")
    assert "007" in wide
    assert "Do not publish" in (folder / "README.md").read_text("utf-8")
    assert frictionless_errors(folder) == []
    assert psych_ds_issues(folder) == []


def test_archive_is_made_in_the_admin(server):
    session = server.create_session("ttt_demo", 1)
    page = f"{server.url}/cardlab/archive/{session.code}"
    http = requests.Session()
    http.trust_env = False
    assert http.get(f"{page}/file").status_code == 404
    form = http.get(page).text
    assert "Make an archive" in form
    token = dict(re.findall(r'name="(\w+)" value="(\d+)"', form))
    assert http.post(page, data=token).status_code == 200
    wait_for(lambda: "Download" in http.get(page).text, "the archive", 300)
    with zipfile.ZipFile(io.BytesIO(http.get(f"{page}/file").content)) as written:
        assert f"card-lab-{session.code}/datapackage.json" in written.namelist()
    server.api("/api/withdraw", {"participant": session.participants[0]})
    assert "Make an archive" in http.get(page).text
