"""What ``lab.py check`` learns from the project: label files, session configs, PostgreSQL's settings."""

from __future__ import annotations

import pytest
from stages import PLAYED_AGAIN

from cardlab.server import preflight
from cardlab.server.preflight import LOOK, OK, WRONG, label_findings, room_findings, setting_findings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("PC01\r\nPC02\r\n\r\n", [(OK, "has 2 labels")]),
        ("PC01\nPC02\nPC01\n", [(WRONG, "line 3: PC01 stands in line 1 already")]),
        ("PC01\nPC 2\n", [(WRONG, "line 2: 'PC' is not alone"), (WRONG, "line 2: '2' is not alone")]),
        ("Jürgen\n", [(WRONG, "'Jürgen' is no label")]),
        ("a';--\n", [(WRONG, "is no label; a label has a–z, A–Z, 0–9 and _ alone")]),
        ("\ufeffPC01\n", [(WRONG, "an editor has put at the head")]),
        ("a" * 101, [(WRONG, "it may have 100")]),
        (" \n\n", [(WRONG, "has no label")]),
        ("pc1\nPC1\n", [(LOOK, "pc1 and PC1, which only capitals tell apart"), (OK, "has 2 labels")]),
    ],
)
def test_labels(text, found):
    said = list(label_findings(text))
    assert [kind for kind, _sentence in said] == [kind for kind, _part in found]
    assert all(part in sentence for (_kind, sentence), (_same, part) in zip(said, found))


def test_label_files_of_rooms_are_each_read_once_and_named(tmp_path):
    labels, none, other = tmp_path / "labels.txt", tmp_path / "none.txt", tmp_path / "utf16.txt"
    labels.write_text("PC01\n")
    other.write_bytes("PC01".encode("utf-16"))
    rooms = [{"name": "open"}]
    for name, file in (("lab", labels), ("typed", labels), ("gone", none), ("other", other)):
        rooms.append({"name": name, "participant_label_file": str(file)})
    said = list(room_findings(rooms))
    assert said[0] == (OK, f"{labels} has 1 label, each once.")
    assert "room gone in settings.py names it" in said[1][1]
    assert "no text in UTF-8" in said[2][1]
    assert len(said) == 3


def test_configs_are_dealt_and_what_is_wrong_is_named(monkeypatch):
    from otree.session import SESSION_CONFIGS_DICT

    many = len(PLAYED_AGAIN)  # those that bots seldom play
    assert list(preflight.config_findings(list(PLAYED_AGAIN))) == [
        (OK, f"{many} of {many} session configs were dealt, with the files that they name.")
    ]
    names = ["ttt_demo", "triangle_standard"]
    wrong = {**SESSION_CONFIGS_DICT["ttt_demo"], "ShowFileName": "none.txt"}
    monkeypatch.setitem(SESSION_CONFIGS_DICT, "ttt_demo", wrong)
    monkeypatch.setattr("triangle_app.check_session", lambda *_asked: 1 / 0)
    absent, show_file, failed = preflight.config_findings([*names, "none"])
    assert absent[0] == show_file[0] == failed[0] == WRONG
    assert absent[1].startswith("There is no session config none in settings.py")
    assert show_file[1].startswith("Session config ttt_demo: none.txt: there is no such show file")
    assert failed[1].startswith("Session config triangle_standard: an unexpected error (ZeroDivisionError")


def test_every_file_of_treatments_is_read_and_what_is_wrong_is_named(monkeypatch, tmp_path):
    (tmp_path / "good.toml").write_text("[one]\nMaxRounds = 9\n")
    (tmp_path / "wrong.toml").write_text("[one]\nMaxRounds = \n")
    monkeypatch.setattr("cardlab.sessions.deal_files.TREATMENTS", tmp_path)
    wrong, well = preflight.treatment_findings()
    assert wrong[0] == WRONG
    assert wrong[1].startswith("treatments/wrong.toml, line 2")
    assert well == (OK, "1 of 2 files of treatments can be read.")


def test_settings_of_postgresql_with_which_moves_may_be_lost():
    durable = dict.fromkeys(("fsync", "full_page_writes", "synchronous_commit"), "on")
    durable["default_transaction_read_only"] = "off"
    assert list(setting_findings(durable)) == []
    [(kind, sentence)] = setting_findings({**durable, "synchronous_commit": "off"})
    assert kind == WRONG
    assert sentence.startswith("PostgreSQL has synchronous_commit = off: moves that a board has shown")
    assert len(list(setting_findings(dict.fromkeys(durable, "?")))) == 4
