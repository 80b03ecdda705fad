"""Tests the archive of a session: its source files, and that the ZIP file is either complete or absent."""

from __future__ import annotations

import hashlib
import zipfile

import pytest

from cardlab.operations import archive
from cardlab.operations.archive import SUMS, write_zip
from cardlab.operations.archive_materials import (
    SECRET,
    SourceFile,
    possible_file_names,
    recorded_files,
    source_files,
    without_identities,
)
from cardlab.operations.terminal import Refusal


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def deals(project):
    """Provides deal files of two games, with one name in both, and a treatment file."""
    for name in ("deals/ttt/a.txt", "deals/ttt/CardLab.ini", "deals/triangle/a.txt", "deals/ttt/other.txt"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(name)
    (project / "consent_app").mkdir()
    (project / "consent_app" / "Text.html").write_text("We ask you")
    (project / "treatments").mkdir()
    (project / "treatments" / "two.toml").write_text("[one]")
    return project


def session_data(**config) -> dict:
    """Returns the server's data of a session of Target the Two."""
    return {"config": {"app_sequence": ["consent_app", "ttt_solo_app"], **config}}


def test_source_files_are_found_by_checksum_or_name(deals, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "ttt_solo_app_hands.csv").write_text(
        f"show_file,show_file_sha256\na.txt,{sha256('deals/ttt/a.txt')}\nseed,\n"
    )
    (data / "ttt_solo_app.csv").write_text(
        'subsession.openings\n"{""source"":""gone.txt"",""sha256"":""' + "0" * 64 + '""}"\n'
    )
    assert recorded_files(data) == {("a.txt", sha256("deals/ttt/a.txt")), ("gone.txt", "0" * 64)}
    treatment_row = {"treatment_files": [["two.toml", "[one]\nShowFileName = 'other.txt'", sha256("[one]")]]}
    session = {
        **session_data(settings_file="CardLab.ini", consent_text="Text.html", doc="a/b", seed="../secrets"),
        **treatment_row,
    }
    assert possible_file_names(session) >= {"CardLab.ini", "other.txt", "../secrets"}
    contents = source_files(data, session)
    paths = {one.name: one.path and one.path.relative_to(deals).as_posix() for one in contents}
    assert paths == {
        "a.txt": "deals/ttt/a.txt",
        "gone.txt": None,
        "two.toml": "treatments/two.toml",
        "CardLab.ini": "deals/ttt/CardLab.ini",
        "other.txt": "deals/ttt/other.txt",
        "Text.html": "consent_app/Text.html",
    }
    notices = [notice for one in contents if (notice := one.notice())]
    assert notices == [
        "gone.txt, from which the session was created, no longer exists. The deals are in data/."
    ]


def test_changed_source_file_gives_a_notice(deals):
    file = deals / "deals" / "ttt" / "a.txt"
    assert SourceFile("a.txt", sha256("deals/ttt/a.txt"), file).notice() == ""
    assert SourceFile("a.txt", "", file).notice() == ""
    notice = SourceFile("a.txt", "0" * 64, file).notice()
    assert notice.startswith("deals/ttt/a.txt has changed since the session")
    assert notice.endswith("the original treatments in the session's file in materials/.")


def test_invalid_session_code_is_refused(project):
    with pytest.raises(Refusal, match="'a b' is not a session code"):
        archive.archive(archive.Contents(["x8f2k1qz", "a b"]))


def test_session_without_data_is_named(project, monkeypatch):
    def write_exports(session, folder, _url):
        folder.mkdir(parents=True)
        rows = "\nmay1may1,a" if session == "may1may1" else ""
        (folder / "all_apps_wide.csv").write_text(f"session.code,participant.code{rows}\n")
        return []

    monkeypatch.setattr(archive, "fetch_exports", write_exports)
    monkeypatch.setattr(archive, "fetch_json", lambda *_where, **_payload: session_data())
    reason = "has no data to archive: nobody has come, or all participants have withdrawn"
    with pytest.raises(Refusal, match=f"^Session june1234 {reason}.$"):
        archive.archive(archive.Contents(["june1234"]), url="http://x")
    with pytest.raises(Refusal, match=f"^Session june1234 {reason}. Leave it out.$"):
        archive.archive(archive.Contents(["may1may1", "june1234"]), url="http://x")


@pytest.fixture
def folder(tmp_path):
    """Provides the folder to archive."""
    folder = tmp_path / "card-lab-x"
    for name in ("b.txt", "a.txt", "data/ü.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def test_zip_contains_sorted_files_and_checksums(folder, tmp_path):
    write_zip(folder, tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as written:
        names = [name.removeprefix("card-lab-x/") for name in written.namelist()]
        assert names == ["a.txt", "b.txt", "data/ü.csv", SUMS]
        sums = written.read(f"card-lab-x/{SUMS}").decode().splitlines()
    assert sums == [f"{sha256(name)}  {name}" for name in names[:3]]


def test_incomplete_zip_is_removed(folder, tmp_path, monkeypatch):
    def spoil(descriptor):
        with open(tmp_path / "x.zip.part", "r+b") as half:
            half.seek(40)
            half.write(b"spoilt")

    monkeypatch.setattr("os.fsync", spoil)
    with pytest.raises((OSError, zipfile.BadZipFile)):
        write_zip(folder, tmp_path / "x.zip")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card-lab-x"]


def test_failed_report_gives_a_notice(project, monkeypatch):
    (project / "data").mkdir()
    for app, text in (("aApp", "action_number\n1\n"), ("bApp", "action_number\n")):
        (project / "data" / f"session-x_task-{app}_description-actions_data.csv").write_text(text)
    monkeypatch.setattr(archive, "analyse", lambda *_asked, **_where: "pandas is not installed")
    assert archive.draw_reports(project, ["a_app", "b_app"]) == [
        "The report of a_app could not be drawn: pandas is not installed."
    ]
    script = (project / "analysis" / "analyse.sh").read_text("utf-8")
    assert "report data/session-x_task-aApp_description-actions_data.csv --out results/a_app" in script


def test_secrets_of_the_settings_are_removed():
    lines = ["SECRET_KEY = 'x'", "ADMIN_PASSWORD = environ.get('A')", "    rest_key = 1", "KEYS = 2", "A = 3"]
    assert SECRET.sub(r'\1"removed"', "\n".join(lines)).splitlines() == [
        *('SECRET_KEY = "removed"', 'ADMIN_PASSWORD = "removed"', '    rest_key = "removed"'),
        *("KEYS = 2", "A = 3"),
    ]


def test_session_data_loses_labels_and_times():
    data = {"code": "x", "label": "Monday", "comment": "", "created_at": 1.0, "admin_url": "http://x"}
    people = [{"code": "p", "label": "007", "payoff_in_real_world_currency": 2.0}]
    assert without_identities({**data, "participants": people}) == {
        "code": "x",
        "participants": [{"code": "p", "payoff_in_real_world_currency": 2.0}],
    }
