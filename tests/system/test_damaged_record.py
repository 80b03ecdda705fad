"""Tests a record damaged on disk: what its participant, the researcher and other exports see."""

import contextlib
import json

from exported_hands import export_rows
from tabs import Tab, Visitor, advance, open_first_hand

DEAL = "2H 3C 3H 4C 2C 4H | 2H | ck"  # the first hand of the demo


def test_damaged_record_is_reported_and_exported(server):
    session = server.create_session("ttt_demo", participants=2)
    tabs = [open_first_hand(server, code) for code in session.participants]
    for tab in tabs:
        tab.play("C")
    with contextlib.closing(server.sqlite()) as database, database:
        database.execute(
            "UPDATE card_lab_line SET text = replace(text, '\"C\"', '\"Q\"'), digest = 'damaged, too' "
            "WHERE hand = ? AND number = 2",
            [f"ttt_solo_app-{session.code}-{session.participants[0]}-1"],
        )
    said = tabs[0].refused("T")
    assert said.keys() == {"refused"}
    assert "damaged" in said["refused"]
    assert tabs[1].play("TT")["over"] == "solved"
    with Tab(server, session.participants[0], 3) as again:
        assert "ask for help" in again.first["refused"]
    rows = export_rows(server, session.code)
    (damaged,) = [row for row in rows if row["participant_code"] == session.participants[0]]
    assert damaged["action"] == "unreadable"
    assert "line 2" in damaged["notice"]
    assert [json.loads(line)["deal"] for line in damaged["reason"].split(" [1,")[:1]] == [DEAL]
    assert [row["action"] for row in rows if row["participant_code"] == session.participants[1]][
        -1
    ] == "end solved"
    for function in ("hands", "participants", "ck_log", "nk_log", "transform"):
        assert session.participants[1] in server.export(
            session.code, function=f"custom_export_{function}"
        ) or (function == "transform")
    ((comment,),) = server.query("SELECT comment FROM otree_session WHERE code = ?", session.code)
    assert session.participants[0] in comment
    assert "damaged at line 2" in comment
    advance(server, session.code)  # the participant's hand then pays nothing
    visitor = Visitor(server, session.participants[0])
    assert visitor.index > 3
    assert f"participant 1 of session {session.code}, hand 1: its record is damaged" in server.stderr_text()
