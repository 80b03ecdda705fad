"""Tests that `cardlab add` shows and writes what an app needs, and that `cardlab remove` undoes it."""

from __future__ import annotations

import shutil

import pytest
from installed import start_project

from cardlab.operations import own_project
from cardlab.operations.terminal import Refusal

APPS = own_project.available_apps()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Provides a new oTree project, in which Card Lab counts as installed."""
    made = start_project(tmp_path / "study")
    monkeypatch.setattr("cardlab.operations.project.FOLDER", made)
    monkeypatch.setattr("cardlab.operations.project.IS_INSTALLED", True)
    return made


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def settings_of(folder):
    names: dict = {}
    exec((folder / "settings.py").read_text("utf-8-sig"), names)
    return names


@pytest.mark.parametrize("ends", ["\n", "\r\n", "none", "mark"])
def test_removing_apps_restores_every_byte(folder, ends):
    settings = folder / "settings.py"
    text = settings.read_text("utf-8")
    if ends in ("none", "mark"):
        settings.write_bytes(text.rstrip().encode("utf-8-sig" if ends == "mark" else "utf-8"))
    else:
        settings.write_bytes(text.replace("\n", ends).encode())
    before = contents(folder)
    for app in APPS:
        assert own_project.add(app, yes=True) == 0
    assert [config["app_sequence"] for config in settings_of(folder)["SESSION_CONFIGS"]] == [
        ["own_app"],
        *([app] for app in APPS),
    ]
    assert (b"\r\n" in settings.read_bytes()) == (ends == "\r\n")
    for app in [*APPS[1::2], *APPS[::2]]:
        if app == "ttt_solo_app":
            assert own_project.remove(app, yes=True, also_changed=False) == 0
            assert (folder / app).is_dir()  # ttt_pair_app imports it
        else:
            own_project.remove(app, yes=True, also_changed=False)
            settings_of(folder)
    assert contents(folder) == before


def test_added_settings_keep_the_defaults_of_the_project(folder):
    before = settings_of(folder)["SESSION_CONFIG_DEFAULTS"]
    own_project.add("ttt_solo_app", yes=True)
    after = settings_of(folder)
    assert after["SESSION_CONFIG_DEFAULTS"].items() >= before.items()
    assert after["PARTICIPANT_FIELDS"] == ["finished", "treatment"]
    assert after["SESSION_CONFIGS"][1]["real_world_currency_per_point"] == 0.0005


def test_changes_are_shown_and_asked_for(folder, monkeypatch, capsys):
    before = contents(folder)
    monkeypatch.setattr("builtins.input", lambda _question: "n")
    assert own_project.add("triangle_app", yes=False) == 1
    assert contents(folder) == before
    shown = capsys.readouterr().out
    assert "+++ settings.py\n" in shown
    assert "+from cardlab.games.triangle.session_config import triangle\n" in shown
    assert "+install()" in shown
    assert "New folder: triangle_app" in shown


def test_hosting_needs_a_line_in_requirements(folder, capsys):
    own_project.add("consent_app", yes=True)
    assert "add card-lab[server]==" in capsys.readouterr().out
    (folder / "requirements.txt").write_text("./card_lab-0.11.0-py3-none-any.whl[server]\n", "utf-8")
    own_project.add("triangle_app", yes=True)
    (folder / ".gitignore").write_text("/backups/\nexports\njournal\nlogs\nrehearsals/\nsecrets\n", "utf-8")
    own_project.add("solitario_app", yes=True)
    printed = capsys.readouterr().out
    assert "requirements.txt" not in printed
    assert printed.count("Add to .gitignore") == 1  # for the previous app


def change_page(folder):
    (folder / "consent_app" / "Consent.html").write_text("mine", "utf-8")
    return "consent_app/Consent.html"


def add_file(folder):
    (folder / "consent_app" / "mine.txt").write_text("mine", "utf-8")
    return "consent_app/mine.txt"


def change_config(folder):
    settings = folder / "settings.py"
    settings.write_bytes(settings.read_bytes().replace(b'"on its own"', b'"mine"'))
    return "the lines of Card Lab in settings.py"


@pytest.mark.parametrize("change", [change_page, add_file, change_config])
def test_changed_app_is_kept_unless_asked(folder, change):
    before = contents(folder)
    own_project.add("consent_app", yes=True)
    named = change(folder)
    changed = contents(folder)
    with pytest.raises(Refusal, match=f"have changed since cardlab add: {named}. Nothing was removed"):
        own_project.remove("consent_app", yes=True, also_changed=False)
    assert contents(folder) == changed
    assert own_project.remove("consent_app", yes=True, also_changed=True) == 0
    (kept,) = (folder / own_project.REMOVED).iterdir()
    assert contents(kept).items() <= changed.items()
    assert b"mine" in b"".join(contents(kept).values())
    rest = {
        path: content for path, content in contents(folder).items() if own_project.REMOVED not in path.parts
    }
    assert rest == before


def test_deleted_folder_of_an_app_is_no_obstacle(folder):
    before = contents(folder)
    own_project.add("consent_app", yes=True)
    shutil.rmtree(folder / "consent_app")
    assert own_project.remove("consent_app", yes=True, also_changed=False) == 0
    assert contents(folder) == before


def test_invalid_files_stop_a_removal(folder):
    own_project.add("consent_app", yes=True)
    with (folder / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write("SESSION_CONFIGS = [\n")
    with pytest.raises(Refusal, match=r"settings\.py, line \d+: "):
        own_project.remove("consent_app", yes=True, also_changed=True)
    (folder / own_project.RECORD).write_text("{", "utf-8")
    with pytest.raises(Refusal, match=r"cardlab-apps\.json is damaged"):
        own_project.remove("consent_app", yes=True, also_changed=True)


def test_app_in_use_is_not_removed(folder):
    own_project.add("ttt_solo_app", yes=True)
    with (folder / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write(
            'SESSION_CONFIGS.append(dict(name="both", app_sequence=["ttt_solo_app", "own_app"]))\n'
        )
    before = contents(folder)
    with pytest.raises(Refusal, match=r"settings\.py still uses ttt_solo_app: line \d+\."):
        own_project.remove("ttt_solo_app", yes=True, also_changed=True)
    assert contents(folder) == before


def test_existing_project_file_is_extended(folder):
    (folder / "project.py").write_text("import json\n", "utf-8")
    before = contents(folder)
    own_project.add("triangle_app", yes=True)
    assert "import json\n\n#" in (folder / "project.py").read_text("utf-8")
    own_project.remove("triangle_app", yes=True, also_changed=False)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "settings.py has no SESSION_CONFIGS"),
        ("SESSION_CONFIGS = [", "settings.py, line 1: "),
        ("SESSION_CONFIGS, SESSION_CONFIG_DEFAULTS = [], {}\n", "settings.py has no SESSION_CONFIGS"),
        ("SESSION_CONFIGS = []\nSESSION_CONFIG_DEFAULTS = {}\nUSE_POINTS = False\n", "USE_POINTS = False"),
    ],
)
def test_unsuitable_settings_are_refused(folder, settings, message):
    (folder / "settings.py").write_text(settings, "utf-8")
    before = contents(folder)
    with pytest.raises(Refusal, match=message):
        own_project.add("ttt_solo_app", yes=True)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("app", "message"),
    [
        ("chess_app", "Card Lab has no app chess_app. Its apps are challenge_app, "),
        ("triangle_app", "This project has a folder triangle_app that cardlab add did not write."),
        ("consent_app", "consent_app has been added already."),
    ],
)
def test_impossible_additions_are_refused(folder, app, message):
    (folder / "triangle_app").mkdir()
    own_project.add("consent_app", yes=True)
    with pytest.raises(Refusal, match=message):
        own_project.add(app, yes=True)


def test_only_added_apps_can_be_removed(folder):
    with pytest.raises(Refusal, match="own_app was not added to this project by cardlab add"):
        own_project.remove("own_app", yes=True, also_changed=True)


def test_source_folder_has_nothing_to_add(monkeypatch):
    with pytest.raises(Refusal, match="This folder is Card Lab's own project"):
        own_project.add("ttt_solo_app", yes=True)
