"""Tests that no played game is lost when rematched participants play at different speeds."""

import collections
import json
from pathlib import Path

import otree_process

PROGRAM = Path(__file__).with_name("rematched_session.py")


PACE = (8, 12, 20, 30, 60, 90)  # seconds that a game may take


def test_rematched_participants_have_every_paid_game(tmp_path):
    fields = {"games": 3, "partners": "rematched", "pack": "special", "check": False}
    asked = json.dumps({"participants": 40, "pace": PACE, "fields": fields})
    done = otree_process.run(tmp_path, [str(PROGRAM), asked])
    assert done.returncode == 0, done.stderr[-3000:]
    hands, participants = json.loads(done.stdout)
    earned = collections.defaultdict(dict)
    for row in hands:
        assert row["outcome"] == "completed"
        earned[row["participant_code"]][row["hand"]] = float(row["payoff"])
    assert len(hands) == 120
    assert {code: sorted(payoff_by_hand) for code, payoff_by_hand in earned.items()} == {
        row["participant_code"]: ["1", "2", "3"] for row in participants
    }
    assert {code: sum(payoff_by_hand.values()) for code, payoff_by_hand in earned.items()} == {
        row["participant_code"]: float(row["payoff"]) for row in participants
    }
