"""Tests that a participant's data are removed from databases of every version, completely or not at all."""

import sqlite3
from contextlib import closing

import old_databases
import pytest
import without_database  # noqa: F401
from sqlalchemy.schema import CreateTable

from cardlab.live import personal_data, withdrawn_files
from cardlab.live.personal_data import Payment
from cardlab.live.record_store import Records
from cardlab.live.withdrawn_files import Withdrawal
from cardlab.sessions import study_register

PSEUDONYM = "anybody1"
NOTHING = Payment()
FINISHED = "SELECT code FROM otree_participant WHERE visited ORDER BY id"


def codes(file):
    return [code for (code,) in old_databases.query(file, FINISHED)]


def remove(file, code, payment=NOTHING, commit=True):
    with closing(sqlite3.connect(file)) as connection:
        records, pseudonym = Records(lambda: connection), personal_data.new_pseudonym()
        removed = personal_data.remove_data(records, code, pseudonym, payment, 1)
        if commit:
            connection.commit()
        return removed


@pytest.mark.parametrize("version", old_databases.VERSIONS)
def test_old_backup_is_rewritten(tmp_path, version):
    """All other rows stay, and the participant's code is nowhere in the file, not even in free pages."""
    file = old_databases.restore(version, tmp_path / "backups.sqlite3")
    code, *others = codes(file)
    label = f"Zora of {version}"
    old_databases.query(file, f"UPDATE otree_participant SET label = '{label}' WHERE code = '{code}'")
    counts = {
        table: old_databases.query(file, f"SELECT count(*) FROM {table}")
        for (table,) in old_databases.query(file, "SELECT name FROM sqlite_master WHERE type = 'table'")
        if table.endswith(("player", "group", "participant", "session"))
    }
    assert code.encode() in file.read_bytes()
    withdrawn_files.rewrite_database(file, Withdrawal(code, PSEUDONYM, Payment()))
    content = file.read_bytes()
    assert code.encode() not in content
    assert label.encode() not in content
    assert codes(file) == [PSEUDONYM, *others]
    assert all(other.encode() in content for other in others)
    assert {table: old_databases.query(file, f"SELECT count(*) FROM {table}") for table in counts} == counts
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_interrupted_removal_changes_nothing(tmp_path):
    file = old_databases.restore("0.11", tmp_path / "db.sqlite3")
    with closing(sqlite3.connect(file)) as connection:
        personal_data.Database(Records(lambda: connection)).create_missing_table()
    before = old_databases.content(file)
    code = codes(file)[0]
    assert remove(file, code, commit=False).hands
    assert old_databases.content(file) == before
    assert remove(file, code).hands
    assert code not in codes(file)
    assert remove(file, code) is None


def test_payment_stays_until_it_is_made(tmp_path):
    file = old_databases.restore("0.11", tmp_path / "db.sqlite3")
    code, other = codes(file)[:2]
    payment = Payment(code, "PC 7", "4.50")
    session_id = remove(file, code, payment).session_id
    remove(file, other)
    with closing(sqlite3.connect(file)) as connection:
        records = Records(lambda: connection)
        assert personal_data.open_payments(records, session_id) == [payment]
        assert personal_data.find_withdrawal(records, code) == (session_id, payment)
        personal_data.mark_paid(records, code)
        assert personal_data.open_payments(records, session_id) == []
        assert personal_data.find_withdrawal(records, code) == (session_id, Payment())
        assert personal_data.find_withdrawal(records, "nobody12") is None
        assert personal_data.hash_code(code) in personal_data.refused_hashes(records)


def test_own_rows_of_other_apps_are_deleted(tmp_path):
    """Deletes rows of a researcher's tables that refer to the participant or a player, even indirectly."""
    file = old_databases.restore("0.11", tmp_path / "db.sqlite3")
    code, other = codes(file)[:2]
    with closing(sqlite3.connect(file)) as database:
        database.executescript("""
            CREATE TABLE own_answer (id INTEGER PRIMARY KEY, text TEXT,
                player_id INTEGER REFERENCES ttt_solo_app_player (id));
            CREATE TABLE own_word (id INTEGER PRIMARY KEY, text TEXT,
                answer_id INTEGER REFERENCES own_answer (id));
            INSERT INTO own_answer (id, text, player_id)
                SELECT id, 'answer of ' || participant_id, id FROM ttt_solo_app_player;
            INSERT INTO own_word (text, answer_id) SELECT text, id FROM own_answer;
        """)
    ((own_id,),) = old_databases.query(file, f"SELECT id FROM otree_participant WHERE code = '{code}'")
    before = {text for (text,) in old_databases.query(file, "SELECT text FROM own_word")}
    assert f"answer of {own_id}" in before
    remove(file, code)
    for table in ("own_answer", "own_word"):
        left = {text for (text,) in old_databases.query(file, f"SELECT text FROM {table}")}
        assert left == before - {f"answer of {own_id}"}
    assert other in codes(file)


@pytest.fixture
def file(tmp_path):
    """Returns a database with an empty register of labels."""
    file = old_databases.restore("0.11", tmp_path / "db.sqlite3")
    old_databases.query(file, str(CreateTable(study_register.REGISTER)))
    return file


@pytest.mark.parametrize("is_first", [True, False])
def test_shared_label_keeps_the_others_entry(file, is_first):
    """The session excluded the second slot of the label, so this slot has no entry in the register."""
    code, other = codes(file)[:2]
    add_entry(file, 1, "anna", code)
    old_databases.query(file, f"UPDATE otree_participant SET label = 'anna ' WHERE code = '{other}'")
    remove(file, code if is_first else other)
    assert entries(file) == ([] if is_first else [1])


def test_entry_of_an_older_version_is_deleted(file):
    """The participant's variables did not name their entry then."""
    code, other = codes(file)[:2]
    add_entry(file, 1, "anna", code, is_named=False)
    add_entry(file, 2, "bert", other, is_named=False)
    remove(file, code)
    assert entries(file) == [2]


def add_entry(file, entry_id, label, code, is_named=True):
    """Gives a participant a label and an entry in the register, which their variables name."""
    variables = personal_data._pickled({study_register.ENTRY: entry_id} if is_named else {})
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(
            "UPDATE otree_participant SET label = ?, _vars = ? WHERE code = ?", (label, variables, code)
        )
        database.execute(
            "INSERT INTO card_lab_study_label (id, study, session, treatment, label, key, team)"
            " SELECT ?, 'study', session.code, '', ?, 'key', ''"
            " FROM otree_participant AS person JOIN otree_session AS session ON session.id = session_id"
            " WHERE person.code = ?",
            (entry_id, study_register.hash_label(label), code),
        )


def entries(file):
    """Returns the ids of the register's entries."""
    return [entry for (entry,) in old_databases.query(file, "SELECT id FROM card_lab_study_label")]
