"""Tests the upgrade of databases of earlier versions, and apps whose fields or pages have changed."""

import re
from types import SimpleNamespace

import old_databases
import pytest
import sqlalchemy
import without_database  # noqa: F401
from old_databases import content, query
from otree.database import AnyModel, BooleanField, IntegerField, LongStringField, StringField

from cardlab import __version__
from cardlab.games.session_config import settings_of
from cardlab.operations import backups
from cardlab.server import schema, schema_check, signature, upgrade
from cardlab.server.open_sessions import AppPages

APP = "ttt_solo_app"
TABLE = f"{APP}_player"


@pytest.fixture
def old(tmp_path):
    """Provides a database of 0.10 with sessions in progress."""
    return old_databases.restore("0.10", tmp_path / "db.sqlite3")


def prepare(file):
    return upgrade.prepare(f"sqlite:///{file}")


def copies(file):
    return sorted(file.parent.glob("db-*"))


@pytest.fixture
def change_models(monkeypatch):
    """Replaces the apps' models by copies of their tables, which a test can change."""
    upgrade.app_pages()  # imports all apps
    models = sqlalchemy.MetaData()
    for table in AnyModel.metadata.tables.values():
        table.tometadata(models)
    monkeypatch.setattr(upgrade, "AnyModel", SimpleNamespace(metadata=models))
    return models.tables


def add_field(table, name, field):
    field.name = field.key = name  # as SQLAlchemy does for the attribute of a model
    table.append_column(field)


def drop_field(table, name):
    table._columns.remove(table.c[name])


def finish(file, how):
    """Changes the database so that no session is in progress."""
    change = {
        "finished": "otree_participant SET status = 'finished'",
        "demo": "otree_session SET is_demo = 1",
        "archived": "otree_session SET archived = 1",
    }
    query(file, f"UPDATE {change[how]}")


# ------------------------------------------------------------------ databases of earlier versions


@pytest.mark.parametrize(("version", "made_by"), [("0.10", "0.10.0"), ("0.11", "0.11.0")])
def test_old_database_is_upgraded_after_a_copy(tmp_path, version, made_by):
    file = old_databases.restore(version, tmp_path / "db.sqlite3")
    before = content(file)
    [line] = prepare(file)
    [copy] = copies(file)
    assert re.fullmatch(rf"db-\d{{8}}-\d{{6}}-card-lab-{re.escape(made_by)}\.sqlite3", copy.name)
    assert line.startswith(f"db.sqlite3 (of Card Lab {made_by}) was upgraded; added: ")
    assert line.endswith(f"new settings in 3 sessions. Backup: {copy.name}")
    assert content(copy) == before
    with upgrade.connect(sqlalchemy.engine.url.make_url(f"sqlite:///{file}")).connect() as database:
        needed = upgrade.needed_schema(database.dialect)
        assert schema.compare(needed, upgrade.existing_schema(database)) == schema.Difference()
        assert signature.read_signature(database)["card_lab"] == __version__
        for row in database.execute("SELECT config FROM otree_session").fetchall():
            config = upgrade._config(row.config)
            names = {name for app in config["app_sequence"] for name in settings_of(app)}
            assert names <= {name.rpartition(".")[2] for name in config}
            assert config["study_progress"] is False  # a session keeps its settings
            assert config["browser_events"] is False  # its participants were not told
    assert prepare(file) == []
    assert copies(file) == [copy]


def test_database_of_otree_is_signed(old):
    query(old, "DROP TABLE card_lab_made_by")
    [line] = prepare(old)
    [copy] = copies(old)
    assert copy.name.endswith("-otree-6.0.15.sqlite3")
    assert line.startswith("db.sqlite3 (of oTree 6.0.15) was upgraded; added: ")
    assert query(old, "SELECT * FROM card_lab_made_by") == [("6.0.15", __version__)]


@pytest.mark.parametrize(("version", "made_by"), [("0.3", "0.3.0"), ("0.5", "0.5.0")])
def test_database_before_0_10_is_refused(tmp_path, version, made_by):
    file = old_databases.restore(version, tmp_path / "db.sqlite3")
    before = content(file)
    with pytest.raises(upgrade.Fault, match=rf"created by Card Lab {made_by}; only databases since 0\.10"):
        prepare(file)
    assert content(file) == before
    assert copies(file) == []


@pytest.mark.parametrize(
    ("versions", "fault"),
    [
        ({"otree": "5.11.4", "card_lab": "0.11.0"}, "was created by oTree 5.11.4, but this is oTree 6.0.15"),
        (
            {"otree": "6.0.15", "card_lab": "9.1.2"},
            "was created by Card Lab 9.1.2, but this is Card Lab 0.11.0",
        ),
        ({"otree": "6.0.15", "card_lab": "0.11.9"}, None),
        (None, None),
    ],
)
def test_version_is_compared(versions, fault):
    assert signature.version_fault(versions, {"otree": "6.0.15", "card_lab": "0.11.0"}) == fault


def test_copy_can_be_restored(old, monkeypatch, capsys):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr("cardlab.operations.project.FOLDER", old.parent)
    before = content(old)
    prepare(old)
    [copy] = copies(old)
    assert backups.restore(copy.name) == 0
    assert content(old) == before
    assert copy.name in capsys.readouterr().out


def test_database_is_unchanged_if_upgrade_fails(old, change_models, monkeypatch):
    add_field(change_models[TABLE], "mood", IntegerField(initial=4))
    before = content(old)

    def fail(database):
        assert database.execute(f"SELECT DISTINCT mood FROM {TABLE}").fetchall() == [(4,)]
        database.execute("DELETE FROM no_table")

    monkeypatch.setattr(signature, "write_signature", fail)
    with pytest.raises(upgrade.UpgradeFailed, match=r"\(no such table: no_table\)\. Nothing was changed"):
        prepare(old)
    assert content(old) == before


def test_looking_changes_nothing(old):
    before = content(old)
    assert schema_check.check_database(f"sqlite:///{old}", only_look=True) == {"lines": []}
    assert content(old) == before
    assert copies(old) == []


# ------------------------------------------------------------------ apps with other fields


def test_added_fields_get_their_defaults(old, change_models):
    table = change_models[TABLE]
    add_field(table, "mood", IntegerField(initial=4))
    add_field(table, "note", StringField())
    add_field(table, "sure", BooleanField(initial=False))
    prepare(old)
    finish(old, "finished")
    query(old, f"ALTER TABLE {TABLE} DROP COLUMN mood")
    [line] = prepare(old)
    assert f"was upgraded; added: field {TABLE}.mood. Backup: db-" in line
    assert query(old, f"SELECT DISTINCT mood, note, sure FROM {TABLE}") == [(4, None, 0)]


@pytest.mark.parametrize("how", ["finished", "demo", "archived"])
def test_removed_field_is_refused_during_a_session(old, change_models, how):
    prepare(old)
    before = content(old)
    drop_field(change_models[TABLE], "check_attempts")
    with pytest.raises(upgrade.Fault) as fault:
        prepare(old)
    [(session,)] = query(
        old,
        "SELECT DISTINCT _session_code FROM otree_participant AS one JOIN ttt_solo_app_player AS player "
        "ON player.participant_id = one.id WHERE one.status = ''",
    )
    assert str(fault.value) == (
        f"does not fit the apps: session {session} is in progress, and the apps no longer have the field "
        f"{TABLE}.check_attempts"
    )
    assert content(old) == before
    finish(old, how)
    [line] = prepare(old)
    assert line.endswith(f"keeps data of removed fields, which exports do not show: {TABLE}.check_attempts")


def test_removed_fields_are_named_together():
    parts = [schema.Part("a_player", name) for name in "bcdef"]
    assert schema.removed_fault(parts, ["one", "two"]) == (
        "sessions one, two are in progress, and the apps no longer have the fields a_player.b, a_player.c, "
        "a_player.d and 2 more"
    )


def test_changed_type_is_refused(old, change_models):
    prepare(old)
    finish(old, "finished")
    drop_field(change_models[TABLE], "check_attempts")
    add_field(change_models[TABLE], "check_attempts", IntegerField())
    with pytest.raises(upgrade.Fault, match=f"{TABLE}.check_attempts has the type TEXT, but .* INTEGER"):
        prepare(old)


def test_longer_text_is_accepted(old, change_models):
    prepare(old)
    drop_field(change_models[TABLE], "face_down")
    add_field(change_models[TABLE], "face_down", StringField(max_length=20_000))
    assert prepare(old) == []


def test_required_column_needs_a_default(old, change_models):
    prepare(old)
    change_models[TABLE].append_column(sqlalchemy.Column("must", sqlalchemy.Text, nullable=False))
    query(old, f"ALTER TABLE {TABLE} ADD COLUMN gone TEXT NOT NULL DEFAULT ''")
    with pytest.raises(upgrade.Fault) as fault:
        prepare(old)
    assert f"{TABLE}.must is new and has no default for the rows that exist" in str(fault.value)
    assert schema.compare(
        {"a": schema.Table({})}, {"a": schema.Table({"b": schema.Column("TEXT", optional=False)})}
    ).faults == ["a has no field b any more, and new rows need a value for it"]


# ------------------------------------------------------------------ apps with other pages


@pytest.fixture
def change_pages(monkeypatch):
    """Provides a function that changes an app's rounds or pages."""
    pages = upgrade.app_pages()

    def change(**changed):
        monkeypatch.setattr(upgrade, "app_pages", lambda: {**pages, APP: pages[APP]._replace(**changed)})

    return change


OTHER_PAGES = {
    "rounds": ({"rounds": 61}, f"NUM_ROUNDS of {APP} was 60 and is now 61"),
    "order": (
        {"names": ("Check", "Instructions", "Hand", "Pause", "Results")},
        f"page_sequence of {APP} was Instructions, Check, Hand, Pause, Results and is now Check, Instr",
    ),
    "one more": (
        {"names": ("Instructions", "Check", "Hand", "Pause", "Mood", "Results")},
        f"page_sequence of {APP} was Instructions, Check, Hand, Pause, Results and is now",
    ),
}


@pytest.mark.parametrize("change", OTHER_PAGES)
def test_other_pages_are_refused_during_a_session(old, change_pages, change):
    prepare(old)
    before = content(old)
    changed, clause = OTHER_PAGES[change]
    change_pages(**changed)
    with pytest.raises(upgrade.Fault) as fault:
        prepare(old)
    assert re.match(r"does not fit the apps: session \w{8} is in progress, and ", str(fault.value))
    assert clause in str(fault.value)
    assert content(old) == before
    finish(old, "finished")
    assert prepare(old) == []
    assert prepare(old) == []  # the new pages are stored


IN_OLD_DATABASE = {
    "rounds": "NUM_ROUNDS of",
    "order": "its page 2 was Instructions of ttt_solo_app and is now Check",
    "one more": "it had 402 pages in all rounds and has now 462",
}


@pytest.mark.parametrize("change", IN_OLD_DATABASE)
def test_other_pages_are_found_without_notes(old, change_pages, change):
    """A database of 0.10 does not store the pages, only their number and oTree's page times."""
    change_pages(**OTHER_PAGES[change][0])
    with pytest.raises(upgrade.Fault) as fault:
        prepare(old)
    assert IN_OLD_DATABASE[change] in str(fault.value)
    assert copies(old) == []


def test_app_of_a_session_must_exist(old, monkeypatch):
    pages = upgrade.app_pages()
    monkeypatch.setattr(upgrade, "app_pages", lambda: {"ttt_pair_app": pages["ttt_pair_app"]})
    with pytest.raises(upgrade.Fault, match="consent_app is in no session config any more"):
        prepare(old)


@pytest.mark.parametrize(
    ("people", "open_now"),
    [
        ([(0, "", 0)], True),  # nobody has started
        ([(1, "", 3), (1, "finished", 5)], True),
        ([(1, "finished", 4), (0, "", 0)], False),
        ([(1, "", 6), (1, "late", 2)], False),
    ],
)
def test_session_is_in_progress_until_all_finish(people, open_now):
    with sqlalchemy.create_engine("sqlite://").connect() as database:
        AnyModel.metadata.create_all(database)
        sessions, participants = (
            AnyModel.metadata.tables[f"otree_{name}"] for name in ("session", "participant")
        )
        database.execute(
            sessions.insert(), id=1, code="abc", _anonymous_code="x", config={"app_sequence": [APP]}
        )
        for visited, status, index in people:
            values = {"visited": visited, "status": status, "_index_in_pages": index, "_max_page_index": 5}
            database.execute(participants.insert(), session_id=1, code=f"p{index}", **values)
        tables = upgrade.existing_schema(database)
        assert bool(upgrade.open_sessions(database, tables)) == open_now


# ------------------------------------------------------------------ PostgreSQL and oTree's commands


def test_postgresql_is_dumped_and_upgraded(postgres, tmp_path, monkeypatch, change_models):
    monkeypatch.chdir(tmp_path)
    url = postgres.new_database()
    with sqlalchemy.create_engine(url).begin() as database:
        AnyModel.metadata.create_all(database)
        database.execute(AnyModel.metadata.tables[TABLE].insert(), id=1, _role="")
    assert upgrade.prepare(url) == []
    add_field(change_models[TABLE], "mood", LongStringField(initial="fine"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        upgrade.UpgradeFailed, match="pg_dump, .* not installed.*CARD_LAB_UPGRADE_WITHOUT_BACKUP=1"
    ):
        upgrade.prepare(url)
    monkeypatch.setenv("PATH", str(postgres.programs()))
    [line] = upgrade.prepare(url)
    [dump] = tmp_path.glob("backups/db-*.dump")
    assert line.endswith(f"added: field {TABLE}.mood. Backup: backups/{dump.name}")
    assert line.startswith("The database (of Card Lab")
    assert dump.read_bytes().startswith(b"PGDMP")
    engine = sqlalchemy.create_engine(url)
    assert engine.execute(f"SELECT mood FROM {TABLE}").fetchall() == [("fine",)]
    engine.execute(f"ALTER TABLE {TABLE} DROP COLUMN mood")
    engine.dispose()
    monkeypatch.setenv("CARD_LAB_UPGRADE_WITHOUT_BACKUP", "1")
    [line] = upgrade.prepare(url)
    assert line.endswith("Backup: none, because CARD_LAB_UPGRADE_WITHOUT_BACKUP is set")


@pytest.mark.parametrize("command", ["prodserver", "devserver_inner"])
def test_otree_command_upgrades_or_refuses(old, monkeypatch, change_pages, capsys, command):
    monkeypatch.chdir(old.parent)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr("sys.argv", ["otree", command, "8000"])
    upgrade._configure_mappers(lambda: None)
    assert "db.sqlite3 (of Card Lab 0.10.0) was upgraded" in capsys.readouterr().out
    change_pages(rounds=7)
    with pytest.raises(SystemExit, match=r"NUM_ROUNDS of .* Nothing was changed. Either .* --database FILE"):
        upgrade._configure_mappers(lambda: None)
    monkeypatch.setattr("sys.argv", ["otree", "resetdb"])
    upgrade._configure_mappers(lambda: None)


def test_rounds_and_pages_are_those_of_apps():
    pages = upgrade.app_pages()
    assert pages[APP] == AppPages(None, ("Instructions", "Check", "Hand", "Pause", "Results"))
    assert pages["consent_app"] == AppPages(1, ("Consent",))
