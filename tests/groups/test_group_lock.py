"""Tests that a begun hand keeps its players and its record when oTree changes the groups."""

import otree_process

REGROUP = r"""
import otree.main
otree.main.setup()

import otree.urls
from otree.database import db
from otree.models import Session
from otree.session import create_session

import matrix_game_app as app
from cardlab.groups.group_lock import HandHasBegun, has_begun
from cardlab.core.record_chain import HandKey, RecordEnd, RecordLine
from cardlab.live.lab import LAB

session = create_session("matrix_two", num_participants=4)
game = app.Subsession.objects_get(session=session, round_number=2)
game.set_group_matrix([[1, 2], [3, 4]])
key = HandKey(app.Hand.hand_id(game.get_players()[0]), session.id, session.get_participants()[0].id)
LAB.page_records.append(key, RecordEnd(), [RecordLine("has begun", "")])
db.commit()

def groups():
    db.expire_all()
    return [
        (has_begun(group), [player.id_in_subsession for player in group.get_players()])
        for group in game.get_groups()
    ]

BEFORE = [(True, [1, 2]), (False, [3, 4])]
assert groups() == BEFORE, groups()

def refused(regroup):
    try:
        regroup()
        db.commit()
    except HandHasBegun as refusal:
        assert "group 1 of round 2" in str(refusal)
        db.rollback()
    assert groups() == BEFORE, (regroup, groups())

def arrive_anew():
    from cardlab.groups import matchmaking
    matchmaking.next_group = lambda subsession, pages: subsession.get_players()[:3:2]
    game._gbat_try_to_make_new_group(page_index=7)

refused(arrive_anew)
refused(lambda: game.get_groups()[1].set_players(game.get_players()[1:]))
refused(lambda: game.set_group_matrix([[1, 3], [2, 4]]))
refused(lambda: game.group_randomly())
refused(lambda: db.delete(game.get_groups()[0]))

game.get_groups()[1].set_players(game.get_players()[3:1:-1])
game.get_groups()[0].set_players(game.get_players()[1::-1])
assert groups() == [(True, [2, 1]), (False, [4, 3])], groups()
assert LAB.page_records.lines(key.hand) == [("has begun", "")]
Session.objects_filter(Session.code.in_([session.code])).delete(synchronize_session=False)
db.commit()
assert app.Group.objects_filter().count() == 0
assert LAB.page_records.lines(key.hand) == []
print("kept")
"""


def test_only_deleting_the_session_deletes_its_hands(tmp_path):
    done = otree_process.run(tmp_path, ["-c", REGROUP])
    assert done.stdout.strip().endswith("kept"), done.stderr[-3000:]
