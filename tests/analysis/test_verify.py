"""Damages the exports of every app in every way, and checks that ``verify`` names each damage."""

from __future__ import annotations

import csv
import io
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from test_golden import FOLDER, GOLDEN

from cardlab import journal, seal
from cardlab.analysis.commands import main
from cardlab.analysis.verification.databases import verify_database
from cardlab.analysis.verification.finding import Finding
from cardlab.analysis.verification.folders import Verification
from cardlab.row_chain import last_digest, next_digest, rechain

KEY = "the key of the tests"
REPEATS = 2  # of each damage in each app, with other rows
ACTIONS, HANDS = "app_actions.csv", "app_hands.csv"

Rows = list[list[str]]


class Place(NamedTuple):
    """The place of a damage: its hand, and a line (0: anywhere in the hand)."""

    hand: str
    line: int = 0


class Table:
    """An exported table, whose rows can be chosen at random."""

    def __init__(self, rows: Rows, chance: Random) -> None:
        self.heading, self.rows, self.chance = rows[0], rows[1:], chance

    def column(self, name: str) -> int:
        return self.heading.index(name)

    def hand(self, row: int) -> str:
        return self.rows[row][self.column("hand_id")]

    def place(self, row: int) -> Place:
        return Place(self.hand(row), row + 2)

    def choose(self) -> int:
        return self.chance.randrange(len(self.rows))

    def choose_within(self) -> int:
        """Returns a row that is neither the first nor the last of its hand."""
        rows = range(1, len(self.rows) - 1)
        return self.chance.choice(
            [row for row in rows if self.hand(row - 1) == self.hand(row) == self.hand(row + 1)]
        )

    def choose_last(self) -> int:
        """Returns the last row of a hand with several rows."""
        ends = [*range(1, len(self.rows))]
        return self.chance.choice(
            [
                row
                for row in ends
                if self.hand(row - 1) == self.hand(row)
                and (row + 1 == len(self.rows) or self.hand(row + 1) != self.hand(row))
            ]
        )

    def of_hand(self, hand: str) -> list[int]:
        return [row for row in range(len(self.rows)) if self.hand(row) == hand]

    def set(self, row: int, name: str, cell: str) -> None:
        assert self.rows[row][self.column(name)] != cell
        self.rows[row][self.column(name)] = cell


def later(time: str) -> str:
    """Returns a time in the next year."""
    return f"{int(time[:4]) + 1}{time[4:]}"


def altered_cell(table: Table) -> Place:
    row = table.choose()
    name = table.chance.choice([name for name in table.heading if name not in ("hand_id", "digest")])
    cell = table.rows[row][table.column(name)]
    table.set(row, name, f"{cell}1")
    return table.place(row)


def altered_time(table: Table) -> Place:
    row = table.choose_last()
    table.set(row, "server_time_utc", later(table.rows[row][table.column("server_time_utc")]))
    return table.place(row)


def times_backwards(table: Table) -> Place:
    row = table.choose_within()
    table.set(row, "server_time_utc", table.rows[row][table.column("session_created_utc")])
    return table.place(row)


def altered_treatment(table: Table) -> Place:
    row = table.choose()
    table.set(row, "treatment", "another")
    return table.place(row)


def altered_session(table: Table) -> Place:
    row = table.choose()
    table.set(row, "session_code", "another0")
    return table.place(row)


def altered_participant(table: Table) -> Place:
    row = table.choose()
    table.set(row, "participant_code", "another0")
    return table.place(row)


def altered_digest(table: Table) -> Place:
    row = table.choose()
    digest = table.rows[row][table.column("digest")]
    table.set(row, "digest", f"{digest[1:]}{'0' if digest[0] != '0' else '1'}")
    return table.place(row)


def altered_length(table: Table) -> Place:
    row = table.of_hand(table.hand(table.choose()))[0]
    table.set(row, "record_lines", "1000")
    return table.place(row)


def removed_row(table: Table) -> Place:
    place = table.place(row := table.choose_within())
    del table.rows[row]
    return place  # now the place of the next row


def removed_deal(table: Table) -> Place:
    place = table.place(row := table.of_hand(table.hand(table.choose_within()))[0])
    del table.rows[row]
    return place


def removed_end(table: Table) -> Place:
    row = table.choose_last()
    place = table.place(row - 1)
    del table.rows[row]
    return place


def removed_hand(table: Table) -> Place:
    hand = table.hand(table.choose())
    table.rows = [row for row in table.rows if row[table.column("hand_id")] != hand]
    return Place(hand)


def repeated_row(table: Table) -> Place:
    row = table.choose()
    table.rows.insert(row, [*table.rows[row]])
    return table.place(row + 1)


def repeated_hand(table: Table) -> Place:
    hand = table.hand(table.choose())
    table.rows += [[*table.rows[row]] for row in table.of_hand(hand)]
    return Place(hand)


def moved_row(table: Table) -> Place:
    row = table.choose_last()
    moved = table.rows.pop(row)
    table.rows.insert(row - 1, moved)
    return table.place(row - 1)


def row_at_the_end(table: Table) -> Place:
    row = table.choose_within()
    hand = table.hand(row)
    table.rows.append(table.rows.pop(row))
    return Place(hand)


def added_note(table: Table) -> Place:
    row = table.choose_within()
    note = [*table.rows[row]]
    for name, cell in {"action_number": "", "action": "pause", "accepted": "", "reason": ""}.items():
        note[table.column(name)] = cell
    table.rows.insert(row + 1, note)
    return table.place(row + 1)


def added_hand(table: Table) -> Place:
    hand = table.hand(table.choose())
    rows = [[*table.rows[row]] for row in table.of_hand(hand)]
    for row in rows:
        row[table.column("hand_id")] = f"{hand}9"
    table.rows += rows
    return Place(f"{hand}9")


def rechained(damage: Callable[[Table], Place]) -> Callable[[Table], Place]:
    """Returns a damage that also recomputes all digests, so that its line is no longer certain."""

    def damage_and_rechain(table: Table) -> Place:
        hand = damage(table).hand
        table.rows = [*rechain([table.heading, *table.rows])][1:]
        return Place(hand)

    return damage_and_rechain


IN_ANY_TABLE = {
    each.__name__: each
    for each in (altered_cell, altered_treatment, altered_session, altered_participant, altered_digest)
    + (removed_hand, repeated_row, repeated_hand, added_hand)
}
IN_ACTIONS = {
    **IN_ANY_TABLE,
    **{
        each.__name__: each
        for each in (altered_time, times_backwards, altered_length, removed_row, removed_deal, removed_end)
        + (moved_row, row_at_the_end, added_note)
    },
}
RECHAINED = {
    f"rechained_{each.__name__}": rechained(each)
    for each in (altered_time, altered_treatment, removed_row, removed_end, removed_hand, added_hand)
}
DAMAGES = {ACTIONS: {**IN_ACTIONS, **RECHAINED}, HANDS: IN_ANY_TABLE}
CASES = [(table, name) for table, damages in DAMAGES.items() for name in damages]


@pytest.fixture(scope="module")
def exports(tmp_path_factory) -> dict[str, Path]:
    """Provides the sealed exports of a session of each app."""
    folders = {}
    for game in GOLDEN:
        folders[game] = tmp_path_factory.mktemp(game)
        for name, export in ((ACTIONS, "custom_export"), (HANDS, "custom_export_hands")):
            shutil.copy(FOLDER / game / "played" / f"{export}.csv", folders[game] / name)
        seal.write_seal(folders[game], KEY)
    return folders


def read(file: Path) -> Rows:
    return list(csv.reader(io.StringIO(file.read_text("utf-8"), newline="")))


def write(file: Path, rows: Rows) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    file.write_text(text.getvalue(), "utf-8", newline="")


def findings_of(folder: Path, key: str | None = KEY) -> list[Finding]:
    verification = Verification(key)
    verification.verify_folder(folder, "session")
    return verification.findings


def test_two_hundred_damages_are_tried():
    assert len(GOLDEN) == 6
    assert len(GOLDEN) * REPEATS * len(CASES) >= 200


@pytest.mark.parametrize("game", GOLDEN)
def test_intact_exports_have_no_findings(exports, game):
    assert findings_of(exports[game]) == []


@pytest.mark.parametrize(("name", "damage"), CASES)
@pytest.mark.parametrize("game", GOLDEN)
def test_every_damage_is_named(exports, tmp_path, game, name, damage):
    for number in range(REPEATS):
        folder = tmp_path / str(number)
        shutil.copytree(exports[game], folder)
        table = Table(read(folder / name), Random(f"{game} {name} {damage} {number}"))
        place = DAMAGES[name][damage](table)
        write(folder / name, [table.heading, *table.rows])
        found = [
            finding
            for finding in findings_of(folder)
            if finding.hand == place.hand and finding.file == f"session/{name}"
        ]
        assert found, place
        if place.line:
            assert place.line in {finding.line for finding in found}, (place, found)


@pytest.mark.parametrize("name", [ACTIONS, HANDS])
@pytest.mark.parametrize("damage", ["removed_hand", "added_hand"])
def test_hand_differs_from_seal_once(exports, tmp_path, damage, name):
    folder = Path(shutil.copytree(exports["ttt"], tmp_path / "exports"))
    table = Table(read(folder / name), Random(5))
    hand = IN_ANY_TABLE[damage](table).hand
    write(folder / name, [table.heading, *table.rows])
    sentences = ("This hand is missing", "This hand was added")
    (finding,) = (
        each for each in findings_of(folder) if each.hand == hand and each.sentence.startswith(sentences)
    )
    assert finding.file == f"session/{name}"
    assert "The seal" in finding.sentence


@pytest.mark.parametrize("damage", [altered_time, removed_row, altered_cell])
def test_altered_rows_are_found_without_seal(exports, tmp_path, damage):
    folder = tmp_path / "exports"
    shutil.copytree(exports["ttt"], folder)
    (folder / seal.NAME).unlink()
    table = Table(read(folder / ACTIONS), Random(damage.__name__))
    place = damage(table)
    write(folder / ACTIONS, [table.heading, *table.rows])
    assert place in {Place(finding.hand, finding.line) for finding in findings_of(folder)}


@pytest.mark.parametrize(
    "damage", [times_backwards, altered_treatment, altered_session, altered_participant, removed_deal]
)
@pytest.mark.parametrize("game", GOLDEN)
def test_earlier_tables_get_the_possible_checks(exports, tmp_path, game, damage, capsys):
    table = Table(read(exports[game] / ACTIONS), Random(f"{game} {damage.__name__}"))
    place = damage(table)
    digest = table.column("digest")
    write(tmp_path / ACTIONS, [row[:digest] for row in [table.heading, *table.rows]])
    assert main(["verify", str(tmp_path / ACTIONS)]) == 1
    printed = capsys.readouterr().out
    assert f"line {place.line}: hand {place.hand}: " in printed
    assert "is of an earlier version and has no digests" in printed


def test_renamed_column_is_one_finding(exports, tmp_path):
    rows = read(exports["ttt"] / ACTIONS)
    rows[0][rows[0].index("show_file")] = "file"
    write(tmp_path / ACTIONS, rows)
    (finding,) = findings_of(tmp_path)
    assert finding.sentence.startswith("No hand begins with a row that matches its digest.")


def test_other_tables_are_sealed_whole(exports, tmp_path):
    folder = tmp_path / "exports"
    shutil.copytree(exports["ttt"], folder)
    for name in ("payments.csv", "consent.csv"):
        (folder / name).write_text("total\n10\n", "utf-8")
    seal.write_seal(folder, KEY)
    (folder / "payments.csv").write_text("total\n1000\n", "utf-8")
    (folder / "consent.csv").unlink()
    assert {finding.file: finding.sentence for finding in findings_of(folder)} == {
        "session/payments.csv": "This table differs from its seal.",
        "session/consent.csv": "This table is missing. The seal has it.",
    }


def test_signature_is_checked_with_the_key(exports, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv(seal.KEY_VARIABLE, raising=False)
    monkeypatch.setattr("cardlab.folders.PROJECT", tmp_path)
    folder = str(exports["ttt"])
    assert main(["verify", folder]) == 0
    assert "The signature was not checked." in capsys.readouterr().out
    (tmp_path / "key").write_text(f"{KEY}\n", "utf-8")
    assert main(["verify", folder, "--key", str(tmp_path / "key")]) == 0
    assert "signature" not in capsys.readouterr().out
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "seal_key").write_text("another", "utf-8")
    assert main(["verify", folder]) == 1
    assert "seal.json: The signature is wrong" in capsys.readouterr().out


def test_archive_is_verified_like_a_folder(exports, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv(seal.KEY_VARIABLE, KEY)
    table = Table(read(exports["ttt"] / ACTIONS), Random(1))
    place = altered_treatment(table)
    for name, rows in (("whole", read(exports["ttt"] / ACTIONS)), ("altered", [table.heading, *table.rows])):
        file = tmp_path / ACTIONS
        write(file, rows)
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.write(file, f"session/data/{ACTIONS}")
            archive.write(exports["ttt"] / HANDS, f"session/data/{HANDS}")
            archive.write(exports["ttt"] / seal.NAME, f"session/data/{seal.NAME}")
            archive.writestr("session/SHA256SUMS", f"{seal.hash_file(file)}  data/{ACTIONS}\n")
    assert main(["verify", str(tmp_path / "whole.zip")]) == 0
    assert main(["verify", str(tmp_path / "altered.zip")]) == 1
    assert (
        f"altered.zip/session/data/{ACTIONS}, line {place.line}: hand {place.hand}" in capsys.readouterr().out
    )


@pytest.mark.parametrize("path", ["none.csv", "text.zip"])
def test_wrong_file_is_an_error(tmp_path, path, capsys):
    (tmp_path / "text.zip").write_bytes(b"PK\x05\x06 not an archive")
    assert main(["verify", str(tmp_path / path)]) == 2
    sentence = {"none.csv": "There is no such file", "text.zip": "This ZIP file cannot be read"}[path]
    assert sentence in capsys.readouterr().err


def test_cut_is_named_before_missing_hands(exports, tmp_path, capsys):
    folder = Path(shutil.copytree(exports["ttt"], tmp_path / "exports"))
    file = folder / ACTIONS
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert main(["verify", str(folder)]) == 1
    output = capsys.readouterr().out
    assert 0 < output.index("cells, but the heading has") < output.index("This hand is missing")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory) -> Rows:
    """Provides a session of two pairs with three hands, in a table of an earlier version, without digests."""
    file = tmp_path_factory.mktemp("pairs") / ACTIONS
    assert main(["simulate", "matrix", "--participants", "4", "--hands", "3", "-o", str(file)]) == 0
    rows = [row[:-1] for row in read(file)]
    assert rows[0][-1] != "digest"
    return rows


@pytest.mark.parametrize("partners", ["kept", "rematched"])
def test_unnamed_seat_excuses_only_its_own_hand(pairs, tmp_path, partners):
    """One pair's second hand ended before a participant came. That of the other pair is missing or not."""
    table = Table([[*row] for row in pairs], Random(1))
    if partners == "rematched":  # other pairs have other numbers
        for row in table.rows:
            place = table.column("hand_id")
            row[place] = re.sub("-([12])-4$", lambda found: f"-{3 - int(found[1])}-4", row[place])
    number, action, seat = map(table.column, ("hand", "action", "seat"))
    first, other = dict.fromkeys(row[table.column("hand_id")] for row in table.rows if row[number] == "2")
    ended = [table.rows[row] for row in table.of_hand(first)]
    end = [cell.replace("completed", "timeout") for cell in ended[-1]]
    end[table.column("action_number")] = "1"
    assert (ended[1][action], end[action]) == ("arrive", "end timeout")
    rest = [row for row in table.rows if row not in ended]
    write(tmp_path / ACTIONS, [table.heading, *rest, *ended[:2], end])
    assert findings_of(tmp_path) == []
    missing = [row for row in rest if row[table.column("hand_id")] != other]
    write(tmp_path / ACTIONS, [table.heading, *missing, *ended[:2], end])
    found = {finding.sentence for finding in findings_of(tmp_path)}
    people = {row[table.column("participant_code")] for row in rest if row not in missing and row[seat]}
    assert len(people) == 2
    assert {f"Hand 2 of {person} is missing before this one." for person in people} <= found
    assert len(found) == (2 if partners == "kept" else 3)


# ------------------------------------------------------------------ other commands


def hands_warnings(table: Path, capsys, *arguments: str) -> list[str]:
    """Runs ``hands`` and returns its warnings except those about the session itself."""
    out = str(table.with_name("hands_of_analysis.csv"))
    assert main(["hands", str(table), "-o", out, *arguments]) == 0
    return [line for line in capsys.readouterr().err.splitlines() if "not over" not in line]


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("damage", [altered_time, altered_treatment])
def test_other_commands_warn_of_altered_hands(exports, tmp_path, capsys, damage, jobs):
    table = Table(read(exports["ttt"] / ACTIONS), Random(5))
    file = tmp_path / ACTIONS
    write(file, [table.heading, *table.rows])
    assert hands_warnings(file, capsys, "--jobs", jobs) == []
    damage(table)
    write(file, [table.heading, *table.rows])
    (warning,) = hands_warnings(file, capsys, "--jobs", jobs)
    assert "1 hand was altered or lacks rows. For details, run: " in warning


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_sealed_rows_are_not_checked_twice(exports, tmp_path, capsys, jobs):
    folder = tmp_path / "exports"
    shutil.copytree(exports["ttt"], folder)
    table = Table(read(folder / ACTIONS), Random(5))
    altered_time(table)
    write(folder / ACTIONS, [table.heading, *table.rows])
    (warning,) = hands_warnings(folder / ACTIONS, capsys, "--jobs", jobs)
    assert "1 hand was altered or lacks rows." in warning  # it differs from the seal
    seal.write_seal(folder, "key")
    assert hands_warnings(folder / ACTIONS, capsys, "--jobs", jobs) == []
    assert main(["verify", str(folder / ACTIONS)]) == 1  # it checks every digest


def test_other_commands_warn_of_missing_notes(exports, tmp_path, capsys):
    table = Table(read(exports["ttt"] / ACTIONS), Random(5))
    notes = [row for row in range(len(table.rows)) if table.rows[row][table.column("accepted")] == ""]
    del table.rows[notes[0]]
    write(tmp_path / ACTIONS, [table.heading, *table.rows])
    (warning,) = hands_warnings(tmp_path / ACTIONS, capsys)
    assert "1 hand was altered or lacks rows." in warning


def test_other_commands_warn_of_missing_hands(exports, tmp_path, capsys):
    folder = tmp_path / "exports"
    shutil.copytree(exports["ttt"], folder)
    assert hands_warnings(folder / ACTIONS, capsys) == []
    table = Table(read(folder / ACTIONS), Random(5))
    removed_hand(table)
    write(folder / ACTIONS, [table.heading, *table.rows])
    (warning,) = hands_warnings(folder / ACTIONS, capsys)
    assert "This table differs from its seal." in warning


# ------------------------------------------------------------------ databases


RECORDS = {
    f"ttt_solo_app-s3ss10n0-{who}-1": [
        '{"deal":"x"}',
        *(f'[{n},"solo","U",{n},{1000 + n}]' for n in range(1, 6)),
    ]
    for who in ("anna", "berta", "carla")
}


@pytest.fixture
def database(tmp_path) -> Path:
    """Provides a database with three records, and its journal with their digests after 3 and 6 lines."""
    file = tmp_path / "db.sqlite3"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE otree_session (id INTEGER, code TEXT)")
        connection.execute("INSERT INTO otree_session VALUES (1, 's3ss10n0')")
        connection.execute(
            "CREATE TABLE card_lab_line (hand TEXT, number INT, session_id INT, text TEXT, digest TEXT)"
        )
        for hand, texts in RECORDS.items():
            digest = hand
            for number, text in enumerate(texts, 1):
                digest = next_digest(digest, text)
                line = (hand, number, 1, text, digest)
                connection.execute("INSERT INTO card_lab_line VALUES (?, ?, ?, ?, ?)", line)
    journal.append(
        journal.file_of(file),
        [
            journal.Entry("2026-11-20T14:00:00.000Z", hand, lines, last_digest(hand, texts[:lines]))
            for lines in (3, 6)
            for hand, texts in RECORDS.items()
        ],
    )
    return file


BERTA = [*RECORDS][1]


def change(file: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement, values)


def test_intact_database_has_no_findings(database):
    assert verify_database(database) == ([], [], 3)


def test_database_may_be_ahead_of_its_journal(database):
    file = journal.file_of(database)
    file.write_text("".join(file.read_text("utf-8").splitlines(keepends=True)[:2]), "utf-8")
    assert verify_database(database)[0] == []


DAMAGES_OF_LINES = {
    'UPDATE card_lab_line SET text = \'[2,"solo","N",2,1002]\' WHERE hand = ? AND number = 3': (
        3,
        "This line of the record was altered.",
    ),
    "UPDATE card_lab_line SET session_id = 2 WHERE hand = ? AND number = 3": (
        3,
        "This line belongs to the session None.",
    ),
    "DELETE FROM card_lab_line WHERE hand = ? AND number = 3": (
        4,
        "Line 3 of this record is missing.",
    ),
    "DELETE FROM card_lab_line WHERE hand = ? AND number IN (2, 3)": (
        4,
        "Lines 2 to 3 of this record are missing.",
    ),
    "DELETE FROM card_lab_line WHERE hand = ? AND number > 4": (
        4,
        "The last 2 lines are missing. The journal",
    ),
    "DELETE FROM card_lab_line WHERE hand = ?": (None, "This hand of 6 lines is missing. The journal"),
}


@pytest.mark.parametrize("statement", DAMAGES_OF_LINES)
def test_damaged_database_is_named(database, statement):
    line, sentence = DAMAGES_OF_LINES[statement]
    change(database, statement, BERTA)
    findings, _notes, _hands = verify_database(database)
    assert {finding.hand for finding in findings} == {BERTA}
    assert any(finding.line == line and finding.sentence.startswith(sentence) for finding in findings)


def test_rewritten_record_differs_from_journal(database):
    texts = [text.replace("U", "N") for text in RECORDS[BERTA]]
    for number, text in enumerate(texts, 1):
        values = text, last_digest(BERTA, texts[:number]), BERTA, number
        change(
            database, "UPDATE card_lab_line SET text = ?, digest = ? WHERE hand = ? AND number = ?", *values
        )
    findings, _notes, _hands = verify_database(database)
    assert [(finding.hand, finding.line) for finding in findings] == [(BERTA, 3), (BERTA, 6)]
    assert "It differs from the journal" in findings[0].sentence


def test_withdrawn_hand_is_not_missing(database):
    change(database, "DELETE FROM card_lab_line WHERE hand = ?", BERTA)
    assert journal.remove_code(journal.file_of(database), BERTA.split("-")[2], "qqqqqqqq")
    assert verify_database(database)[0] == []


def test_damaged_journal_is_named(database):
    file = journal.file_of(database)
    file.write_text(file.read_text("utf-8").replace("anna", "dora", 1), "utf-8")
    assert {finding.file for finding in verify_database(database)[0]} == {str(file), str(database)}


def test_command_verifies_a_database(database, capsys):
    assert main(["verify", str(database)]) == 0
    assert capsys.readouterr().out == "Verified 3 hands: all whole\n"
    change(database, "DELETE FROM card_lab_line WHERE hand = ?", BERTA)
    assert main(["verify", str(database)]) == 1
    assert f"{database}: hand {BERTA}: This hand of 6 lines is missing." in capsys.readouterr().out
    change(database, "DROP TABLE card_lab_line")
    assert main(["verify", str(database)]) == 2
